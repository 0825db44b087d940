"""Recordings: what they can be made of, and what is wrong with them."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf

from .known import filled, fourier, puma, recorded

PLAIN = ("FV", "FS", "FO")


@pytest.fixture(scope="module")
def planar():
    robot = filled(tf.robots.planar2r())
    return robot, recorded(robot, 6.0, noise=0.01)


def test_shapes_are_checked():
    with pytest.raises(tf.IdentificationError, match="tau has 9 samples and q has 100"):
        tf.Recording(0.01, np.zeros((100, 2)), np.zeros((9, 2)))
    with pytest.raises(tf.IdentificationError, match="16 at least"):
        tf.Recording(0.01, np.zeros((3, 2)), np.zeros((3, 2)))
    with pytest.raises(tf.IdentificationError, match="must be an array of numbers"):
        tf.Recording(0.01, None, np.zeros((30, 2)))
    with pytest.raises(tf.IdentificationError, match="array of real numbers"):
        tf.Recording("now", np.zeros((30, 2)), np.zeros((30, 2)))


def test_what_cannot_be_used_is_refused(planar):
    robot, recording = planar
    for changes, message in (
        ({"q": recording.q[:, :1]}, r"q has 1 columns; planar2r has 2: joint1, joint2"),
        ({"tau": recording.tau[:, :1]}, r"tau has 1 columns"),
        ({"q": np.zeros_like(recording.q)}, "no joint moves"),
        ({"t": recording.t[::-1]}, "times must increase"),
    ):
        with pytest.raises(tf.IdentificationError, match=message):
            tf.identify(robot, recording.changed(**changes))
    tau = recording.tau.copy()
    tau[7, 1] = np.nan
    with pytest.raises(tf.IdentificationError, match="tau of sample 7, column 2, is nan"):
        tf.identify(robot, recording.changed(tau=tau))
    with pytest.raises(tf.IdentificationError, match="too few for"):
        tf.identify(puma()[0], puma()[1][:16])
    for given in ([], None, [None]):
        with pytest.raises(tf.IdentificationError, match=r"no recording|not a tf.Recording"):
            tf.identify(robot, given)
    with pytest.raises(tf.IdentificationError, match="not a term of friction"):
        tf.identify(robot, recording, friction=("FV", "stiction"))
    with pytest.raises(tf.IdentificationError, match="it must be one of"):
        tf.identify(robot, recording, method="magic")
    with pytest.raises(tf.IdentificationError, match="give controller"):
        tf.identify(robot, recording, method="didim")


def test_degrees_are_suspected(planar):
    robot, recording = planar
    with pytest.warns(tf.RecordingWarning, match="are the angles in degrees"):
        tf.identify(robot, recording.changed(q=np.rad2deg(recording.q)), friction=PLAIN)


def test_other_units_and_orders_are_suspected(planar):
    robot, recording = planar
    turned = {"qd": np.degrees(np.gradient(recording.q, recording.step, axis=0))}
    for changes, message in (
        ({"t": 1000.0 * recording.t}, "are the times in milliseconds"),
        (turned, "joint2 times 0.0175 is the rate of its coordinate"),
    ):
        with pytest.warns(tf.RecordingWarning, match=message):
            tf.identify(robot, recording.changed(**changes), friction=PLAIN)
    arm, other = puma()
    with pytest.warns(tf.RecordingWarning, match="are the columns in the robot's order"):
        tf.identify(arm, other.changed(tau=other.tau[:, ::-1]), friction=PLAIN)
    sliding = filled(tf.robots.scara())
    recording = recorded(sliding, 3.0)
    with pytest.warns(tf.RecordingWarning, match="joint4 reaches .* m: are its positions in millimetres"):
        tf.identify(sliding, recording.changed(q=recording.q * [1.0, 1.0, 1.0, 1000.0]), friction=PLAIN)


def test_masked_entries_and_symbols_are_refused(planar):
    _, recording = planar
    with pytest.raises(tf.IdentificationError, match="q has masked entries"):
        recording.changed(q=np.ma.masked_greater(recording.q, 0.0))
    with pytest.raises(tf.IdentificationError, match="its geometry has symbols, D2"):
        tf.identify(tf.robots.planar2r(symbolic=True), recording)


def test_saturation_gaps_and_still_joints_are_said(planar):
    robot, recording = planar
    limited = recording.changed(tau=np.clip(recording.tau, -5, 5))
    with pytest.warns(tf.RecordingWarning, match="its drive is saturated"):
        tf.identify(robot, limited, friction=PLAIN)
    kept = np.r_[0:1000, 1100 : len(recording)]
    missing = recording.changed(**{key: getattr(recording, key)[kept] for key in ("t", "q", "tau")})
    with pytest.warns(tf.RecordingWarning, match="missing in 1 places, the longest gap 0.202 s"):
        tf.identify(robot, missing, friction=PLAIN)
    held = robot
    q = recording.q.copy()
    q[:, 1] = 0.3
    with pytest.warns(tf.RecordingWarning, match="joint2 did not move"):
        tf.identify(held, recording.changed(q=q), friction=PLAIN)


@pytest.mark.parametrize("late", [0.02, -0.02])
def test_torques_out_of_step_are_said(planar, late):
    robot, recording = planar
    wrong = recording.shifted(-late)
    with pytest.warns(tf.RecordingWarning, match="the torques (lag behind|are ahead of) the motion") as heard:
        result = tf.identify(robot, wrong, friction=PLAIN)
    assert result.delay == pytest.approx(late, rel=0.3)
    assert ("lag" in str(heard[0].message)) == (late > 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = tf.identify(robot, wrong.shifted(late), friction=PLAIN)
    assert abs(again.delay) < 1e-3


def test_uneven_times_are_resampled(planar):
    robot, recording = planar
    random = np.random.default_rng(0)
    t = np.sort(random.uniform(0, 6, 3000))
    q, qd, qdd = fourier(2, t, 1)
    tau = tf.inverse_dynamics(robot).compile()(q, qd, qdd)
    result = tf.identify(robot, tf.Recording(t, q, tau), friction=PLAIN, cutoff=20.0)
    assert result.validate(recording).overall < 0.02


def test_measured_velocities_are_used(planar):
    robot, _ = planar
    t = np.arange(3000) / 500
    q, qd, qdd = fourier(2, t, 1)
    tau = tf.inverse_dynamics(robot).compile()(q, qd, qdd)
    noisy = q + 1e-2 * np.random.default_rng(0).normal(size=q.shape)
    result = tf.identify(robot, tf.Recording(t, noisy, tau, qd, qdd), friction=PLAIN, cutoff=None)
    assert result.validate(tf.Recording(t, q, tau)).overall < 0.02


def test_motors_to_joints():
    q, tau = np.random.default_rng(0).normal(size=(2, 40, 2))
    R = np.array([[10.0, 0.0], [5.0, -20.0]])
    found = tf.Recording.from_motors(0.01, (q - [0.1, 0.2]) @ R.T, tau @ np.linalg.inv(R), R, zero=[0.1, 0.2])
    assert found.q == pytest.approx(q)
    assert found.tau == pytest.approx(tau)
    with pytest.raises(tf.IdentificationError, match="singular"):
        tf.Recording.from_motors(0.01, q, tau, np.zeros((2, 2)))
    with pytest.raises(tf.IdentificationError, match="for 3 joints"):
        tf.Recording.from_motors(0.01, q, tau, [1.0, 2.0, 3.0])
    with pytest.raises(tf.IdentificationError, match="1 torques for 2 motors"):
        tf.Recording.from_motors(0.01, q, tau[:, :1], R)
    with pytest.raises(tf.IdentificationError, match="gains has the shape"):
        tf.Recording.from_motors(0.01, q, tau, R, gains=[1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("option", "values", "message"),
    [
        ("cutoff", (-5.0, 0.0, np.nan, "fast", True), "cutoff is .* positive frequency"),
        ("decimate", (0, -1, 2.5, "x"), "decimate is .* whole number, 1 or more"),
        ("rest", (-1.0, np.nan, "x"), "rest is .* a speed"),
        ("rest", (1e9,), "no torque counts"),
        ("workers", (0, -2, True), "workers is .* whole number"),
        ("workers", ("x", 1.5), "a number of threads"),
        ("coupling", ([[1, 2, 3]], "abc", [1, np.nan]), "coupling"),
        ("method", (None, 3, ["weighted"]), "the method is"),
        ("friction", (None, 3), "give its terms"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(planar, option, values, message):
    robot, recording = planar
    for value in values:
        with pytest.raises(tf.IdentificationError, match=message):
            tf.identify(robot, recording, **{"friction": PLAIN, option: value})


def test_arguments_that_cannot_be_meant_are_refused(planar):
    robot, recording = planar
    for call, message in (
        (lambda: tf.cross_validate(robot, recording, 2.5), "folds is 2.5"),
        (lambda: tf.cross_validate(robot, recording, 10**6), "the shortest recording has 3000 samples"),
        (lambda: recording.shifted(1e9), "leaves nothing"),
        (lambda: recording.shifted(np.nan), "leaves nothing"),
        (lambda: recording.in_radians([True, False, True]), "3 flags of angles for 2 columns"),
        (lambda: recording.changed(q=recording.q + 1j), "real numbers"),
        (lambda: tf.identify(robot, recording.changed(tau=0.0 * recording.tau)), "all are zero"),
    ):
        with pytest.raises(tf.IdentificationError, match=message):
            call()


def test_friction_that_turns_is_no_delay():
    """Coarse encoders at a low rate do not tell just when a joint turns."""
    robot = filled(tf.robots.planar2r())
    robot = replace(robot, joints=tuple(replace(joint, FS=8.0) for joint in robot.joints))
    t = np.arange(1500) / 75
    q, qd, qdd = fourier(2, t, 1, base=0.1)
    tau = tf.inverse_dynamics(robot).compile()(q, qd, qdd)
    recording = tf.Recording(t, np.round(q / 1e-3) * 1e-3, tau + 0.1 * np.random.default_rng(0).normal(size=q.shape))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert abs(tf.identify(robot, recording, friction=PLAIN).delay) < 2e-3
    with pytest.warns(tf.RecordingWarning, match="lag behind"):
        found = tf.identify(robot, recording.shifted(-0.03), friction=PLAIN)
    assert found.delay == pytest.approx(0.03, rel=0.2)


def test_a_cutoff_that_leaves_nothing_of_the_motion_is_refused(planar):
    robot, recording = planar
    for cutoff in (1e-9, 1e-6, 0.05):
        with pytest.raises(tf.IdentificationError, match="show nothing that is slower"):
            tf.identify(robot, recording, cutoff=cutoff)
