"""Identification against known parameters: values, errors, and the robot that they make."""

import ctypes
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf

from .known import filled, fourier, planar, puma, recorded, truth

PLAIN = ("FV", "FS", "FO")


def test_the_true_parameters_are_within_their_errors():
    robot, recording = puma()
    result = tf.identify(tf.robots.puma560(), recording, friction=PLAIN)
    z = (result.values - truth(robot, result.names)) / result.errors
    assert np.mean(np.abs(z) < 3) >= 0.98
    assert 0.6 < np.std(z) < 1.5  # errors are neither boasted nor humble
    assert result.undetermined == ()


@pytest.mark.parametrize("method", ["ordinary", "huber", "total"])
def test_every_method_finds_them(method):
    robot, recording = planar()
    result = tf.identify(robot, recording, friction=PLAIN, method=method)
    z = (result.values - truth(robot, result.names)) / result.errors
    assert np.mean(np.abs(z) < 4) >= 0.95


def test_huber_withstands_outliers():
    robot, recording = planar()
    tau = recording.tau.copy()
    tau[1000:1100] += 30.0
    spoilt = recording.changed(tau=tau)
    errors = {}
    for method in ("weighted", "huber"):
        result = tf.identify(robot, spoilt, friction=PLAIN, method=method)
        errors[method] = np.linalg.norm(result.values - truth(robot, result.names))
    assert errors["huber"] < 0.5 * errors["weighted"]


def test_richer_friction_is_found_where_it_is_and_only_there():
    robot, recording = planar()
    assert not [x for x in tf.identify(robot, recording).names if x[:2] in ("FA", "FB")]
    stiff = replace(robot, joints=(replace(robot.joints[0], FB=2.0, VB=0.1), *robot.joints[1:]))
    result = tf.identify(robot, recorded(stiff, 20.0))
    assert [x for x in result.names if x[:2] == "FB"] == ["FB1"]
    assert result["FB1"] == pytest.approx(2.0, rel=0.15)
    assert result.robot.joints[0].VB > 0


def test_load_dependent_friction():
    robot = filled(tf.robots.planar2r())
    t = np.arange(6000) / 500
    q, qd, qdd = fourier(2, t, 3)
    rigid = tf.inverse_dynamics(robot.neglect(*PLAIN)).compile()(q, qd, qdd)
    tau = rigid + 0.2 * np.abs(rigid) * np.sign(qd) + 0.01 * np.random.default_rng(0).normal(size=q.shape)
    result = tf.identify(robot, tf.Recording(t, q, tau), friction=("FV", "FS", "FO", "FL"))
    assert result["FL1"] == pytest.approx(0.2, abs=0.02)
    assert result["FL2"] == pytest.approx(0.2, abs=0.02)
    with pytest.warns(tf.RobotWarning, match="lack that of FL"):
        robot = result.robot
    assert result["FV1"] == robot.joints[0].FV


def test_what_the_data_tell_only_in_sums_is_said():
    """The weight of a vertical sliding joint, its rotor and the offset of its friction make two columns."""
    robot = filled(tf.robots.scara())
    result = tf.identify(robot, recorded(robot, 12.0), friction=PLAIN)
    assert result.undetermined == ("FO4",)
    assert result.sums["M4"] == pytest.approx({"FO4": 1 / 9.81})
    true = dict(zip(result.names, truth(robot, result.names), strict=True))
    for name in result.names[:-1]:
        sum_ = true[name] + sum(x * true[other] for other, x in result.sums.get(name, {}).items())
        assert abs(result[name] - sum_) < 4 * result.error(name)
    assert "of M4 + 0.1019 FO4" in result.table()


def test_springs():
    robot = filled(tf.robots.planar2r())
    sprung = replace(robot, joints=(replace(robot.joints[0], eta=1, k=7.0), robot.joints[1]))
    result = tf.identify(robot, recorded(sprung, 12.0), friction=PLAIN, springs=True)
    assert abs(result["K1"] - 7.0) < 4 * result.error("K1")
    assert result.robot.joints[0].eta == 1


def test_essential_parameters_are_fewer_and_predict_as_well():
    robot, _ = planar()
    recording = recorded(robot, 6.0, noise=3.0)
    all_of_them = tf.identify(robot, recording, friction=PLAIN)
    few = tf.identify(robot, recording, friction=PLAIN, essential=True)
    assert len(few.names) < len(all_of_them.names)
    assert few.validate(recording).overall < 1.05 * all_of_them.validate(recording).overall


def test_coupled_motors_are_derived_from_their_matrix():
    robot = filled(tf.robots.puma560())
    R = np.diag([50.0, 60.0, 50.0, 70.0, 60.0, 40.0])
    R[5, 4], R[4, 3] = 40.0, 30.0
    motor5 = tf.Tendon(name="motor5", joints=((4, 0.5), (5, 1.0)), IA=0.3, FV=0.5, FS=0.7)
    motor6 = tf.Tendon(name="motor6", joints=((5, 1.0), (6, 1.0)), IA=0.2, FV=0.4, FS=0.6)
    recording = recorded(replace(robot, tendons=(motor5, motor6)), 20.0)
    on_motors = tf.Recording.from_motors(
        recording.t, recording.q @ R.T, recording.tau @ np.linalg.inv(R), R, name="motors"
    )
    result = tf.identify(robot, on_motors, friction=PLAIN)
    for name, true in zip(("IA", "FV", "FS"), (0.2, 0.4, 0.6), strict=True):
        assert abs(result[f"{name}_motor6"] - true) < 4 * result.error(f"{name}_motor6")
    assert abs(result["FV_motor5"] - 0.5) < 4 * result.error("FV_motor5")
    assert {x.name for x in result.robot.tendons} == {"motor5", "motor6"}


def test_noise_is_that_of_the_samples_that_count():
    robot = filled(tf.robots.planar2r())
    recording = recorded(robot, 6.0, noise=0.1)
    whole, moving = (tf.identify(robot, recording, friction=PLAIN, rest=x) for x in (0.0, 0.5))
    for name, noise in whole.noise.items():
        assert moving.noise[name] == pytest.approx(noise, rel=0.15)


def test_the_identified_robot_gives_the_identified_torques(tmp_path):
    """Values to Robot, to .toml, to C, compiled and run: the regressor times the values."""
    robot, recording = puma()
    result = tf.identify(robot, recording)
    result.robot.save(tmp_path / "identified.toml")
    again = tf.load(tmp_path / "identified.toml")
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 50, 6))
    model = tf.inverse_dynamics(again)
    torques = model.compile()(q, qd, qdd)
    assert torques == pytest.approx(result.predict(q, qd, qdd), rel=1e-12, abs=1e-12)
    assert result.predict(q[0], qd[0], qdd[0]) == pytest.approx(torques[0], abs=1e-12)
    assert tf.validate(again, recording).overall == pytest.approx(result.validate(recording).overall, rel=1e-6)
    with pytest.raises(tf.RobotError, match="'nonsense' is not the name"):
        tf.base_parameters(result.robot).bind(nonsense=1.0)
    if not shutil.which("gcc"):
        pytest.skip("there is no gcc")
    model.write(tmp_path / "arm.c")
    library = tmp_path / "arm.so"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", tmp_path / "arm.c", "-o", library, "-lm"], check=True)
    torque, place, found = ctypes.CDLL(str(library)).arm, ctypes.POINTER(ctypes.c_double), np.empty((50, 6))
    for state in zip(q, qd, qdd, found, strict=True):
        torque(*(x.ctypes.data_as(place) for x in state))
    assert found == pytest.approx(result.predict(q, qd, qdd), rel=1e-12, abs=1e-12)


def test_validation_and_folds():
    robot, recording = planar()
    result = tf.identify(robot, recording[:3500], friction=PLAIN)
    found = result.validate(recording[3500:])
    assert found.relative.shape == (2,)
    assert found.overall < 0.01
    assert found.overall == pytest.approx(np.linalg.norm(found.residual) / np.linalg.norm(found.measured))
    assert "overall" in found.table()
    folds = tf.cross_validate(robot, recording, 3, friction=PLAIN)
    assert len(folds.folds) == 3
    assert folds.overall < 0.01


def test_a_floating_base_that_nothing_touches():
    trunk = tf.Body(name="trunk", inertia=tf.Inertia(0.3, 0.0, 0.0, 0.4, 0.0, 0.5, 0.1, 0.0, 0.05, 10.0))
    robot = filled(tf.robots.planar2r()).with_base("floating", trunk)
    t = np.arange(5000) / 500
    q = fourier(2, t, 2)[0]
    turn, move = fourier(1, t, 4)[0][:, 0], fourier(3, t, 5)[0]
    half = np.column_stack([np.sin(turn / 2)[:, None] * [[0.6, 0.0, 0.8]], np.cos(turn / 2)])
    states = np.hstack([move, half, q])
    between = tf.difference(robot).compile()
    v = np.gradient(states, t, axis=0)[:, :8] * 0.0
    v[1:-1] = between(states[:-2], states[2:]) * 250
    v[0], v[-1] = v[1], v[-2]
    efforts = tf.inverse_dynamics(robot).compile()(states, v, np.gradient(v, t, axis=0))
    result = tf.identify(robot, tf.Recording(t, states, efforts), friction=PLAIN)
    assert result.validate(tf.Recording(t, states, efforts)).overall < 1e-3
    assert not [x for x in result.names if x in ("FV0", "FS0", "IA0")]


def test_closed_loops():
    robot = filled(tf.robots.fivebar())
    t = np.arange(5000) / 500
    active, qd, qdd = fourier(2, t, 2, amplitude=0.1)
    start = np.broadcast_to(tf.close_loops(robot, active[0]), (len(t), 4))
    q = tf.close_loops(robot, active, guess=start)
    tau = tf.inverse_dynamics(robot).compile()(q, qd, qdd)
    recording = tf.Recording(t, q, tau + 0.01 * np.random.default_rng(0).normal(size=tau.shape))
    result = tf.identify(robot, recording, friction=PLAIN)
    assert result.validate(recording).overall < 0.01
    fewer = tf.identify(robot, recording.changed(q=active), friction=PLAIN)
    assert fewer.values == pytest.approx(result.values, rel=1e-6, abs=1e-9)


def test_parts_on_threads_give_the_same():
    robot, recording = planar()
    alone = tf.identify(robot, [recording, recording[:3000]], friction=PLAIN)
    together = tf.identify(robot, [recording, recording[:3000]], friction=PLAIN, workers=2)
    assert together.values == pytest.approx(alone.values, rel=1e-6, abs=1e-9)
    assert together.errors == pytest.approx(alone.errors, rel=1e-6)


def test_blocks_do_not_matter(monkeypatch):
    robot, recording = planar()
    whole = tf.identify(robot, recording, friction=PLAIN)
    monkeypatch.setattr("tauforge.identification.states.BLOCK", 700)
    monkeypatch.setattr("tauforge.identification.samples.KEPT", 0)
    blocks = tf.identify(robot, recording, friction=PLAIN)
    assert blocks.values == pytest.approx(whole.values, rel=1e-3, abs=1e-4)


def test_blocks_on_a_cluster_give_the_same():
    distributed = pytest.importorskip("distributed")
    robot = filled(tf.robots.planar2r())
    recordings = [recorded(robot, 6.0, seed=seed) for seed in (1, 2)]
    alone = tf.identify(robot, recordings, friction=PLAIN)
    with (
        distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        together = tf.identify(robot, recordings, friction=PLAIN, workers=client)
    assert together.values == pytest.approx(alone.values, rel=1e-9, abs=1e-12)
    assert together.errors == pytest.approx(alone.errors, rel=1e-9)


@pytest.mark.parametrize("method", ["iv", "didim"])
def test_simulated_motion_removes_the_bias_of_noise(method):
    robot = filled(tf.robots.planar2r())
    random = np.random.default_rng(3)
    motion = tf.fourier_motion(*(random.normal(size=(2, 2, 4)) * 0.4), 5.0, duration=6.0)
    controller = tf.pd_control(robot, 400.0, 40.0, motion)
    t = np.arange(3000) / 500
    true = tf.simulate(robot, t, controller=controller, q0=motion(0.0)[0], method="Tsit5", rtol=1e-6)
    q = true.q + 2e-3 * random.normal(size=true.q.shape)
    recording = tf.Recording(t, q, true.tau + 0.05 * random.normal(size=q.shape))
    plain = tf.identify(robot, recording, friction=PLAIN, cutoff=100.0)
    found = tf.identify(robot, recording, friction=PLAIN, cutoff=100.0, method=method, controller=controller)
    place, values = plain.names.index("ZZ1R"), truth(robot, plain.names)
    assert plain.values[place] < 0.8 * values[place]  # noise in the regressor draws estimates to zero
    assert found.values[place] == pytest.approx(values[place], rel=0.1)
    assert np.mean(np.abs(found.values - values) < 4 * found.errors) > 0.9
    pytest.importorskip("clarabel")
    possible = found.made_consistent()
    assert possible.values[place] == pytest.approx(values[place], rel=0.1)
    clean = tf.Recording(t, true.q, true.tau)
    assert possible.validate(clean).overall < 1.02 * found.validate(clean).overall
