"""Torques along motions: published peaks, power and energy, loads, closed loops, files, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf

LWR = tf.robots.kuka_lwr()
WAVE = tf.motion(["pi/2*cos(pi/7*t)"] * 7, 14.0)
PLANAR = tf.robots.planar2r()
SWING = tf.motion([[0.0, 0.0], [1.0, 0.5], [0.2, 1.5]], 2.0)


def test_the_peaks_of_wolinski_and_malczyk():
    """Their motion (28)-(29); the reference values are of samples every 0.05 s."""
    found = tf.required_torques(LWR, WAVE, dt=0.05)
    assert found.peak == pytest.approx([1.9441, 43.7537, 15.3549, 13.5451, 0.12844, 0.11117, 0.00023050], rel=5e-5)
    closer = tf.required_torques(LWR, WAVE, dt=1e-3)
    assert closer.peak[3] == pytest.approx(13.5488, rel=1e-5)
    assert (closer.peak >= found.peak).all()
    np.testing.assert_allclose(found.peak_speed, np.pi**2 / 14.0, rtol=1e-6)


def test_energy_is_what_the_robot_gains():
    found = tf.required_torques(PLANAR, SWING, dt=1e-4)
    energy = tf.energy(PLANAR).compile()
    (k0, p0), (k1, p1) = (energy(found.q[k], found.qd[k]) for k in (0, -1))
    gain = k1 + p1 - k0 - p0
    assert (found.energy - found.recovered).sum() == pytest.approx(gain, rel=1e-6)
    assert (found.recovered > 0.0).any()
    assert (found.recovered >= 0.0).all()


def test_rms_power_and_energy_of_a_known_motion():
    """A mass of 2 kg on a slide without gravity: force 2 a sin(t), power 2 a² sin(t) (1 - cos(t)) and so on."""
    inertia = tf.Inertia(0, 0, 0, 0, 0, 0, 0, 0, 0, 2.0)
    slide = tf.Robot(
        name="slide",
        joints=(tf.Joint(name="x", antecedent=0, sigma=1),),
        bodies=(tf.Body(name="mass", inertia=inertia),),
        gravity=(0.0, 0.0, 0.0),
    )
    found = tf.required_torques(slide, tf.motion("t - sin(t)", [0.0, 2.0 * np.pi]), dt=1e-3)
    assert found.units == ("N",)
    assert found.peak == pytest.approx(2.0, rel=1e-6)
    assert found.rms == pytest.approx(np.sqrt(2.0), rel=1e-6)
    assert found.peak_speed == pytest.approx(2.0, rel=1e-6)
    assert found.energy == pytest.approx(4.0, rel=1e-6)  # kinetic energy at t = π: half of 2 kg times 2²
    assert found.recovered == pytest.approx(4.0, rel=1e-6)
    assert found.peak_power == pytest.approx(3.0 * np.sqrt(3.0) / 2.0, rel=1e-6)
    assert found.peak_time[0] == pytest.approx(np.pi / 2.0, abs=1e-3)


def test_signs_that_change_between_samples():
    still = tf.required_torques(PLANAR, ([0.0, 1.0], np.zeros((2, 2)), [[1.0, 0.0], [-3.0, 0.0]], np.zeros((2, 2))))
    weight = still.tau[0, 0]
    assert still.tau[:, 0].min() > 0.0
    power = still.power[:, 0]
    root = power[0] / (power[0] - power[1])
    assert still.energy[0] == pytest.approx(0.5 * root * weight)
    assert still.energy[0] - still.recovered[0] == pytest.approx(power.mean())


def test_payload():
    plain = tf.required_torques(LWR, WAVE, dt=0.5)
    for given in (3.0, {"mass": 3.0}, {"mass": 3.0, "at": LWR.bodies[-1].name}):
        loaded = tf.required_torques(LWR, WAVE, dt=0.5, payload=given)
        expected = tf.required_torques(LWR.payload(3.0, at=LWR.bodies[-1].name), WAVE, dt=0.5)
        np.testing.assert_allclose(loaded.tau, expected.tau)
    assert np.abs(loaded.tau - plain.tau).max() > 5.0
    further = tf.required_torques(LWR, WAVE, dt=0.5, payload={"mass": 3.0, "com": [0.0, 0.0, 0.2]})
    assert np.abs(further.tau - loaded.tau).max() > 1.0


def test_wrenches():
    """However one is given, the torques are the same, and grow with it; the oracles tell whether they are right."""
    tip = LWR.bodies[-1].name
    plain = tf.required_torques(LWR, WAVE, dt=0.5)
    wrench = np.array([1.0, -2.0, 3.0, 0.1, 0.2, -0.3])
    every = np.zeros((7, 6))
    every[-1] = wrench
    given = [
        {tip: wrench},
        {tip: np.tile(wrench, (len(plain.t), 1))},
        {tip: lambda t: wrench},
        every,
        np.tile(every, (len(plain.t), 1, 1)),
    ]
    found = [tf.required_torques(LWR, WAVE, dt=0.5, wrench=x).tau - plain.tau for x in given]
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], atol=1e-12)
    assert np.abs(found[0]).max() > 0.1
    growing = tf.required_torques(LWR, WAVE, dt=0.5, wrench={tip: lambda t: t * wrench}).tau - plain.tau
    np.testing.assert_allclose(growing, found[0] * plain.t[:, None], atol=1e-11)


def test_samples_in_many_forms():
    samples = SWING.sample(0.01)
    expected = tf.required_torques(PLANAR, SWING, dt=0.01).tau
    for given in (samples, list(samples), samples._asdict(), tf.required_torques(PLANAR, samples)):
        np.testing.assert_array_equal(tf.required_torques(PLANAR, given).tau, expected)


def test_jumps_are_seen_from_both_sides():
    motion = tf.motion([[0.0, 0.0], [1.0, 0.5], [0.2, 1.5]], 2.0, kind="cubic")
    found = tf.required_torques(PLANAR, motion)
    assert len(found.t) == 1001 + 4
    k = int(np.searchsorted(found.t, 1.0))
    assert found.t[k + 1] - found.t[k - 1] < 1e-8
    assert np.abs(found.tau[k] - found.tau[k - 1]).max() > 1.0
    np.testing.assert_allclose(found.tau[k], found.tau[k + 1], rtol=1e-5)


def test_friction_does_not_follow_rounding():
    joints = tuple(replace(joint, FS=3.0) for joint in PLANAR.joints)
    rough, ends = replace(PLANAR, joints=joints), [0.0, 2.0]
    for kind in ("spline", "cubic", "quintic", "trapezoidal"):
        motion = tf.motion([[0.0, 0.0], [1.0, 0.5], [0.2, 1.5]], 2.0, kind=kind)
        plain, found = (tf.required_torques(robot, motion, t=ends).tau for robot in (PLANAR, rough))
        np.testing.assert_array_equal(plain, found)


def test_closed_loops_follow_from_sample_to_sample():
    robot = tf.robots.fivebar()
    start = tf.close_loops(robot)
    q = start[[0, 2]]
    motion = tf.motion([q, np.add(q, [0.4, -0.3])], 1.0)
    found = tf.required_torques(robot, motion, guess=start)
    assert found.q.shape == (1003, 4)
    assert np.abs(np.diff(found.q, axis=0)).max() < 5e-3
    assert np.abs(tf.loop_closure(robot).compile()(found.q)[0]).max() < 1e-10
    np.testing.assert_array_equal(found.q[:, [0, 2]], motion(found.t).q)
    whole = tf.required_torques(robot, (found.t, found.q, found.qd, found.qdd))
    np.testing.assert_array_equal(whole.tau, found.tau)
    energy = tf.energy(robot).compile()
    gain = np.diff([sum(energy(found.q[k], found.qd[k])) for k in (0, -1)])
    assert (found.energy - found.recovered).sum() == pytest.approx(gain[0], rel=1e-4)
    with pytest.raises(tf.ProgramError, match=r"fivebar: the loops are open by .* arm1, arm2"):
        tf.required_torques(robot, (found.t, found.q + 0.1, found.qd, found.qdd))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["fourbar", "slider_crank", "sr400", "gough_stewart", "delta", "planar_3rrr", "orthoglide"]
)
def test_drives_of_mechanisms_do_the_work_that_they_gain(name):
    robot = tf.robots.bundled(name)
    start = tf.close_loops(robot)
    q = start[[robot.coordinate_names.index(axis) for axis in robot.velocity_names]]
    found = tf.required_torques(robot, tf.motion([q, q + 0.05], 1.0), guess=start)
    energy = tf.energy(robot).compile()
    gain = sum(energy(found.q[-1], found.qd[-1])) - sum(energy(found.q[0], found.qd[0]))
    assert np.abs(np.diff(found.q, axis=0)).max() < 1e-3
    assert (found.energy - found.recovered).sum() == pytest.approx(gain, rel=1e-5, abs=1e-8)


def test_a_floating_base_takes_samples():
    robot = PLANAR.with_base("floating", tf.Body(name="base", inertia=tf.Inertia(1, 0, 0, 1, 0, 1, 0, 0, 0, 5.0)))
    q, qd = np.zeros((3, 9)), np.zeros((3, 8))
    q[:, 6] = 1.0
    found = tf.required_torques(robot, ([0.0, 0.1, 0.2], q, qd, qd))
    assert found.units == ("N",) * 3 + ("N m",) * 5
    np.testing.assert_allclose(found.tau[:, 1], found.tau[0, 1])
    with pytest.raises(tf.ProgramError, match=r"joint 'base' \(floating\) are not the rates .* give samples"):
        tf.required_torques(robot, tf.motion(np.zeros((2, 8)), 1.0))


def test_files(tmp_path):
    found = tf.required_torques(PLANAR, SWING, dt=0.1)
    found.save(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as file:
        for name in ("t", "q", "qd", "qdd", "tau"):
            np.testing.assert_array_equal(file[name], getattr(found, name))
        assert tuple(file["names"]) == found.names
    found.save(tmp_path / "a.csv")
    head = (tmp_path / "a.csv").read_text().splitlines()[0].split(",")
    assert head[:3] == ["t", *(f"q.{name}" for name in PLANAR.joint_names)]
    table = np.loadtxt(tmp_path / "a.csv", delimiter=",", skiprows=1)
    np.testing.assert_array_equal(table[:, -2:], found.tau)
    with pytest.raises(tf.TauforgeError, match=r"a\.txt: torques are saved as \.npz or \.csv"):
        found.save(tmp_path / "a.txt")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.npz"]


def test_plot_and_table(tmp_path):
    found = tf.required_torques(PLANAR, SWING, dt=0.1)
    figure = found.plot(tmp_path / "a.png")
    labels = ["position [rad]", "velocity [rad/s]", "torque [N m]", "power [W]"]
    assert [axis.get_ylabel() for axis in figure.axes] == labels
    np.testing.assert_array_equal(figure.axes[2].lines[1].get_ydata(), found.tau[:, 1])
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    lines = repr(found).splitlines()
    assert lines[0] == "RequiredTorques(planar2r: 21 samples, 0 to 2 s)"
    assert lines[1].split() == ["joint", "peak", "rms", "peak", "speed", "peak", "power", "energy", "recovered"]
    assert lines[2].split()[0] == PLANAR.joint_names[0]
    assert f"{found.peak[0]:.4g}" in lines[2]
    assert found._repr_html_().count("<tr>") == 3


T, Z = [0.0, 1.0], np.zeros((2, 2))
REFUSED = {
    "trajectory: give a Motion, or samples": lambda: tf.required_torques(PLANAR, 3.0),
    "with all four": lambda: tf.required_torques(PLANAR, {"t": T, "q": Z, "qd": Z}),
    r"q has the shape \(2, 3\); planar2r with 2 times needs \(2, 2\)": lambda: tf.required_torques(
        PLANAR, (T, np.zeros((2, 3)), Z, Z)
    ),
    r"qdd has the shape \(3, 2\)": lambda: tf.required_torques(PLANAR, (T, Z, Z, np.zeros((3, 2)))),
    "t must increase": lambda: tf.required_torques(PLANAR, ([1.0, 0.0], Z, Z, Z)),
    "qd: nan is not a finite number at index 0, 0": lambda: tf.required_torques(PLANAR, (T, Z, Z + np.nan, Z)),
    "samples have their own times": lambda: tf.required_torques(PLANAR, (T, Z, Z, Z), dt=0.1),
    "the motion has 7 joints; planar2r has 2": lambda: tf.required_torques(PLANAR, WAVE),
    "give them values with bind": lambda: tf.required_torques(tf.robots.planar2r(symbolic=True), SWING),
    "guess has no meaning": lambda: tf.required_torques(PLANAR, SWING, guess=[0.0, 0.0]),
    "payload: its mass is missing": lambda: tf.required_torques(PLANAR, SWING, payload={"at": "link2"}),
    "has symbols: load": lambda: tf.required_torques(PLANAR, SWING, payload="load"),
    "a model takes a Robot, not 'arm'": lambda: tf.required_torques("arm", SWING),
    "payload: unknown weight": lambda: tf.required_torques(PLANAR, SWING, payload={"weight": 2.0}),
    "say which frame of fivebar": lambda: tf.required_torques(tf.robots.fivebar(), SWING, payload=1.0),
    "planar2r has no link 'hand'": lambda: tf.required_torques(PLANAR, SWING, wrench={"hand": np.zeros(6)}),
    r"give an array of shape \(2, 6\)": lambda: tf.required_torques(PLANAR, SWING, wrench=np.zeros(6)),
    "wrench: nan is not a finite": lambda: tf.required_torques(PLANAR, SWING, wrench=np.full((2, 6), np.nan)),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refusals(message):
    with pytest.raises(tf.ProgramError, match=message):
        REFUSED[message]()


def test_a_simulated_trajectory_requires_its_own_torques():
    """What a simulation applied is what its motion requires, with a load and a push at the hand too."""
    robot = tf.robots.puma560()
    loaded = robot.payload(1.5, at=robot.bodies[-1].name)
    push = np.zeros((6, 6))
    push[-1] = [3.0, -2.0, 5.0, 0.1, 0.2, -0.3]
    run = tf.simulate(
        loaded, np.linspace(0.0, 0.5, 6), torque=lambda t: np.full(6, 5.0 * np.sin(9.0 * t)), wrenches=push
    )
    found = tf.required_torques(robot, run, payload=1.5, wrench=push)
    np.testing.assert_allclose(found.tau, run.tau, atol=1e-8)
    alone = tf.required_torques(robot, run)
    assert np.abs(alone.tau - run.tau).max() > 1.0
