"""Motions: through their points, smooth where they should be, with the derivatives of their coordinates."""

import pickle

import numpy as np
import pytest

import tauforge as tf

POINTS = [[0.0, 0.0, 1.0], [1.0, 0.5, 0.0], [1.5, 2.0, -1.0], [0.5, 2.5, 0.3]]
TIMES = [0.5, 1.5, 3.5, 4.5]
KINDS = [
    ("spline", {}),
    ("spline", {"degree": 5}),
    ("spline", {"velocities": [[0.1, -0.2, 0.3], [0.0, 0.5, 1.0]]}),
    ("cubic", {}),
    ("cubic", {"stop": True}),
    ("quintic", {}),
    ("quintic", {"velocities": np.ones((4, 3)), "accelerations": np.full((4, 3), 0.5)}),
    ("trapezoidal", {}),
    ("trapezoidal", {"blend": 0.6}),
    ("trapezoidal", {"stop": True}),
]
SMOOTH = ("spline", "quintic")
"""Kinds whose accelerations do not jump."""


def differences_agree(motion, t, tolerance):
    """Compare derivatives with differences of the coordinates; corners are to be out of reach."""
    h = 1e-3 * motion.duration / 4.0
    q, qd, qdd = motion(t)
    near = [motion(t + k * h).q for k in (-2, -1, 1, 2)]
    first = (near[0] - 8.0 * near[1] + 8.0 * near[2] - near[3]) / (12.0 * h)
    second = (-near[0] + 16.0 * near[1] - 30.0 * q + 16.0 * near[2] - near[3]) / (12.0 * h * h)
    np.testing.assert_allclose(qd, first, atol=tolerance)
    np.testing.assert_allclose(qdd, second, atol=1e3 * tolerance)


def away_from_corners(motion, count=200):
    t = np.random.default_rng(0).uniform(motion.start, motion.end, count)
    edges = np.array([motion.start, *motion.corners, motion.end])
    return t[np.abs(t[:, None] - edges).min(axis=1) > 0.01]


@pytest.mark.parametrize(("kind", "options"), KINDS)
def test_through_points(kind, options):
    motion = tf.motion(POINTS, TIMES, kind=kind, **options)
    assert (motion.start, motion.end, motion.duration, motion.dof) == (0.5, 4.5, 4.0, 3)
    q, qd, _ = motion(TIMES)
    np.testing.assert_allclose(q, POINTS, atol=1e-12)
    if "velocities" in options:
        np.testing.assert_allclose(qd[[0, -1]], np.array(options["velocities"])[[0, -1]], atol=1e-12)
    else:
        np.testing.assert_allclose(qd[[0, -1]], 0.0, atol=1e-12)
    inner = np.abs(qd[1:-1])
    assert inner.max() < 1e-12 if options.get("stop") else inner[:, 0].max() > 0.1
    differences_agree(motion, away_from_corners(motion), 1e-9)


@pytest.mark.parametrize(("kind", "options"), KINDS)
def test_nothing_jumps_that_should_not(kind, options):
    motion = tf.motion(POINTS, TIMES, kind=kind, **options)
    corners = np.array(motion.corners)
    before, after = motion(np.nextafter(corners, 0.0)), motion(corners)
    jumps = [np.abs(a - b).max() for a, b in zip(before, after, strict=True)]
    assert max(jumps[:2]) < 1e-12
    assert jumps[2] < 1e-10 if kind in SMOOTH else jumps[2] > 0.1


def test_degree_five_keeps_the_jerk():
    motion = tf.motion(POINTS, TIMES, degree=5)
    h, corners = 1e-4, np.array(motion.corners)
    jerk = [(motion(corners + s * h).qdd - motion(corners).qdd) / (s * h) for s in (-1.0, 1.0)]
    assert np.abs(jerk[0] - jerk[1]).max() < 0.02 * np.abs(jerk[0]).max()
    np.testing.assert_allclose(motion([0.5, 4.5]).qdd, 0.0, atol=1e-10)


def test_a_cubic_from_rest_to_rest_is_the_textbooks():
    motion = tf.motion([[1.0], [3.0]], 2.0, kind="cubic")
    t = np.linspace(0.0, 2.0, 9)
    np.testing.assert_allclose(motion(t).q[:, 0], 1.0 + 2.0 * (3.0 * (t / 2.0) ** 2 - 2.0 * (t / 2.0) ** 3))
    np.testing.assert_allclose(tf.motion([[1.0], [3.0]], 2.0)(t).q, motion(t).q)


def test_a_trapezoidal_motion_has_constant_speed_between_blends():
    motion = tf.motion([[0.0], [2.0]], 3.0, kind="trapezoidal", blend=1.0)
    _, qd, qdd = motion([0.5, 1.2, 1.8, 2.5])
    np.testing.assert_allclose(qd[:, 0], [0.5, 1.0, 1.0, 0.5])
    np.testing.assert_allclose(qdd[:, 0], [1.0, 0.0, 0.0, -1.0], atol=1e-12)


def test_without_times_limits_are_met_and_tight():
    short = tf.motion([[0.0, 0.0], [2.0, 1.0], [2.0, 1.25]], kind="trapezoidal", stop=True, velocity=1, acceleration=2)
    assert short.duration == pytest.approx(2.0 / 1.0 + 1.0 / 2.0 + 2.0 * np.sqrt(0.25 / 2.0))
    for kind in ("spline", "cubic", "quintic", "trapezoidal"):
        motion = tf.motion(POINTS, kind=kind, velocity=[1.0, 2.0, 1.5], acceleration=4.0)
        _, qd, qdd = motion(np.linspace(0.0, motion.duration, 20001))
        worst = max((np.abs(qd) / [1.0, 2.0, 1.5]).max(), np.abs(qdd).max() / 4.0)
        assert 1.0 - 1e-3 < worst < 1.0 + 1e-8, kind


def test_expressions_are_differentiated_exactly():
    motion = tf.motion(["pi/2*cos(pi/7*t)", "t**3 - 2*t", "sin(t)/(2 + cos(t))"], [0.0, 14.0])
    differences_agree(motion, away_from_corners(motion), 1e-6)
    t = np.linspace(0.0, 14.0, 50)
    np.testing.assert_allclose(motion(t).qd[:, 0], -(np.pi**2) / 14.0 * np.sin(np.pi / 7.0 * t), atol=1e-14)
    np.testing.assert_allclose(motion(t).qdd[:, 1], 6.0 * t, atol=1e-12)
    program = tf.Program.of(q=["t*t", "1 - t"])
    np.testing.assert_allclose(tf.motion(program, 2.0)(1.5), [[2.25, -0.5], [3.0, -1.0], [2.0, 0.0]])
    assert tf.motion("2*sin(t)", 1.0).dof == 1
    assert tf.motion(tf.symbol("t") * 3.0, 1.0)(0.5).qd == 3.0


def test_functions_by_differences_or_with_derivatives():
    f = tf.motion(lambda t: [np.sin(3.0 * t), t * t], 10.0)
    assert f.derivatives == "differences"
    assert "derivatives by differences" in repr(f)
    t = np.linspace(0.0, 10.0, 333)
    q, qd, qdd = f(t)
    np.testing.assert_allclose(q[:, 1], t * t)
    np.testing.assert_allclose(qd, np.transpose([3.0 * np.cos(3.0 * t), 2.0 * t]), atol=1e-9)
    np.testing.assert_allclose(qdd, np.transpose([-9.0 * np.sin(3.0 * t), 0.0 * t + 2.0]), atol=1e-6)
    exact = tf.motion(np.sin, 1.0, qd=np.cos, qdd=lambda t: -np.sin(t))
    assert exact.derivatives == "exact"
    assert exact(0.3) == (np.sin(0.3), np.cos(0.3), -np.sin(0.3))
    half = tf.motion(np.sin, 1.0, qd=np.cos)
    assert half.derivatives == "differences"
    np.testing.assert_allclose(half(0.3).qdd, -np.sin(0.3), atol=1e-9)


def test_functions_are_never_asked_outside_their_time():
    asked = []
    tf.motion(lambda t: [asked.append(t) or t], [1.0, 2.0])(np.linspace(0.0, 3.0, 40))
    assert (min(asked), max(asked)) == (1.0, 2.0)


def test_fourier():
    rng = np.random.default_rng(1)
    motion = tf.fourier_motion(*rng.normal(size=(2, 3, 5)), 4.0, centre=[0.1, 0.2, 0.3], duration=8.0)
    differences_agree(motion, away_from_corners(motion), 1e-6)
    np.testing.assert_allclose(motion(1.0), motion(5.0), atol=1e-12)
    np.testing.assert_allclose(motion(np.arange(400) * 0.01).q.mean(axis=0), [0.1, 0.2, 0.3], atol=1e-12)
    single = tf.fourier_motion([[2.0]], [[3.0]], 2.0 * np.pi)
    np.testing.assert_allclose(single(0.7).qd, 2.0 * np.cos(0.7) + 3.0 * np.sin(0.7))


def test_it_rests_before_and_after():
    motion = tf.motion(POINTS, TIMES, velocities=np.ones((2, 3)))
    q, qd, qdd = motion([[0.0, 0.5], [4.5, 9.0]])
    assert q.shape == (2, 2, 3)
    np.testing.assert_allclose(q[0], [POINTS[0]] * 2)
    np.testing.assert_allclose(q[1], [POINTS[-1]] * 2)
    assert not qd[0, 0].any()
    assert not qdd[1, 1].any()
    np.testing.assert_allclose(qd[0, 1], 1.0)


def test_samples():
    motion = tf.motion(POINTS, TIMES)
    t, q, qd, qdd = motion.sample(0.3)
    np.testing.assert_allclose(np.diff(t)[:-1], 0.3)
    assert (t[0], t[-1], q.shape, qd.shape, qdd.shape) == (0.5, 4.5, (15, 3), (15, 3), (15, 3))
    assert len(motion.sample(0.1).t) == 41
    assert len(motion.sample(100.0).t) == 2
    np.testing.assert_array_equal(motion.sample(t=[1.0, 2.0]).q, motion([1.0, 2.0]).q)


def test_another_duration():
    motion = tf.motion(POINTS, TIMES, kind="cubic")
    slow = motion.stretched(8.0)
    assert (slow.start, slow.end) == (0.5, 8.5)
    q, qd, qdd = motion(2.0)
    np.testing.assert_allclose(slow(3.5), [q, qd / 2.0, qdd / 4.0])
    np.testing.assert_allclose(slow(slow.corners).q, motion(motion.corners).q)


def test_it_can_be_pickled():
    for motion in (tf.motion(POINTS, TIMES), tf.motion("sin(t)", 1.0), tf.fourier_motion([[1.0]], [[0.0]], 1.0)):
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(motion))(0.7), motion(0.7))


def test_plot(tmp_path):
    figure = tf.motion(POINTS, TIMES).plot(tmp_path / "motion.svg")
    assert [axis.get_ylabel() for axis in figure.axes] == ["position", "velocity", "acceleration"]
    assert [len(axis.lines) for axis in figure.axes] == [3, 3, 3]
    assert (tmp_path / "motion.svg").read_text().startswith("<?xml")
    with pytest.raises(tf.TauforgeError, match=r"a figure's file ends in .*\.svg"):
        tf.motion(POINTS, TIMES).plot(tmp_path / "motion.txt")


REFUSED = {
    "points: give at least two rows": lambda: tf.motion([[1.0, 2.0]], 1.0),
    r"not shape \(3,\)": lambda: tf.motion([1.0, 2.0, 3.0], 1.0),
    "points: this is not an array of numbers": lambda: tf.motion([[1.0], [2.0, 3.0]], 1.0),
    "points: nan is not a finite number at index 1, 0": lambda: tf.motion([[1.0], [np.nan]], 1.0),
    "4 points but 3 times": lambda: tf.motion(POINTS, [0.0, 1.0, 2.0]),
    r"times must increase, but 1 follows 2 \(numbers 3 and 2\)": lambda: tf.motion(POINTS, [0.0, 2.0, 1.0, 3.0]),
    "times must increase, but 1 follows 1": lambda: tf.motion(POINTS, [0.0, 1.0, 1.0, 3.0]),
    "times: inf is not a finite number at index 3": lambda: tf.motion(POINTS, [0.0, 1.0, 2.0, np.inf]),
    "times must be a positive number": lambda: tf.motion(POINTS, -1.0),
    "kind='septic'; choose among 'spline'": lambda: tf.motion(POINTS, TIMES, kind="septic"),
    "does not take blend; its options are velocities": lambda: tf.motion(POINTS, TIMES, blend=0.1),
    "does not take velocity": lambda: tf.motion(POINTS, TIMES, velocity=1.0),
    "degree=4; a spline's is 3 or 5": lambda: tf.motion(POINTS, TIMES, degree=4),
    "take degree=5": lambda: tf.motion(POINTS, TIMES, accelerations=np.zeros((2, 3))),
    r"velocities: give those of the first and the last": lambda: tf.motion(POINTS, TIMES, velocities=[1.0, 2.0, 3.0]),
    "does not fit between the points 1 and 2: at most 0.666667 s": lambda: tf.motion(
        POINTS, TIMES, kind="trapezoidal", blend=0.8
    ),
    "blend must be a positive number": lambda: tf.motion(POINTS, TIMES, kind="trapezoidal", blend=0.0),
    "give the times of the points, or limits": lambda: tf.motion(POINTS),
    "points 1 and 2 are the same": lambda: tf.motion([[1.0], [1.0]], velocity=1.0),
    "velocity: a limit must be positive": lambda: tf.motion(POINTS, velocity=-1.0),
    "velocity: give one limit for all joints, or 3": lambda: tf.motion(POINTS, velocity=[1.0, 2.0]),
    "velocities: these need times": lambda: tf.motion(POINTS, velocity=1.0, velocities=np.ones((2, 3))),
    "the time is called t": lambda: tf.motion("sin(x)", 1.0),
    "give the duration of the motion": lambda: tf.motion("sin(t)"),
    "start and end, not an array": lambda: tf.motion("sin(t)", [0.0, 1.0, 2.0]),
    "expressions does not take stop": lambda: tf.motion("sin(t)", 1.0, stop=True),
    "q of joint 1 is inf at t = 0 s": lambda: tf.motion("1/t", 1.0),
    "qd of joint 1 is inf at t = 0 s": lambda: tf.motion("sqrt(t)", 1.0),
    "has the input t, a number, and one output": lambda: tf.motion(tf.Program.of(q="x"), 1.0),
    "q of joint 1 is nan at t = 0 s": lambda: tf.motion(lambda t: [np.nan], 1.0),
    "the function of time fails at t = 0 s": lambda: tf.motion(lambda t: "a", 1.0),
    "must return one number per joint": lambda: tf.motion(lambda t: np.zeros((2, 2)), 1.0),
    "equally many numbers, not 1, 2 and 2": lambda: tf.motion(lambda t: [t], 1.0, qd=lambda t: [1.0, 1.0]),
    "step = 0.5 s is too long": lambda: tf.motion(lambda t: [t], 1.0, step=0.5),
    r"a and b are arrays \(joints, harmonics\)": lambda: tf.fourier_motion([[1.0]], [[1.0, 2.0]], 1.0),
    "period must be a positive number": lambda: tf.fourier_motion([[1.0]], [[1.0]], 0.0),
    "centre: give one number, or 1": lambda: tf.fourier_motion([[1.0]], [[1.0]], 1.0, centre=[1.0, 2.0]),
    "NaN is not a time": lambda: tf.motion(POINTS, TIMES)(np.nan),
    "give a time in seconds": lambda: tf.motion(POINTS, TIMES)("soon"),
    "give either dt": lambda: tf.motion(POINTS, TIMES).sample(),
    "dt must be a positive number": lambda: tf.motion(POINTS, TIMES).sample(0.0),
    "the motion only from 0.5 to 4.5 s": lambda: tf.motion(POINTS, TIMES).sample(t=[0.0, 1.0]),
    "would take 4e\\+12 samples": lambda: tf.motion(POINTS, TIMES).sample(1e-12),
    "the law returns arrays of": lambda: tf.Motion(law=lambda t: (t, t, t), dof=1, end=1.0, kind="own"),
    "t must increase": lambda: tf.motion(POINTS, TIMES).sample(t=[2.0, 1.0]),
    "a line needs at least two": lambda: tf.motion(POINTS, TIMES).plot(samples=1),
    "duration must be a positive number": lambda: tf.motion(POINTS, TIMES).stretched(-2.0),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refusals(message):
    with pytest.raises(tf.ProgramError, match=message):
        REFUSED[message]()
