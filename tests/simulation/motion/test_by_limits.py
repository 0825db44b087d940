"""Time-optimal and jerk-limited motions: closed formulas, another library, and limits that are met but not exceeded."""

import numpy as np
import pytest

import tauforge as tf
from tauforge.simulation.motion import by_limits

ARM = tf.robots.puma560()
TORQUE = np.array([60.0, 90.0, 50.0, 10.0, 10.0, 10.0])


def slide(**joint):
    """Return a mass of 2 kg on a horizontal slide."""
    return tf.Robot(
        name="slide",
        joints=(tf.Joint(name="x", antecedent=0, sigma=1, **joint),),
        bodies=(tf.Body(name="mass", inertia=tf.Inertia(0, 0, 0, 0, 0, 0, 0, 0, 0, 2.0)),),
        gravity=(0.0, 0.0, 0.0),
    )


def test_one_joint_accelerates_and_brakes_as_hard_as_it_can():
    way, a, v = 3.0, 4.0, 1.5
    free = tf.motion([[0.0], [way]], kind="time-optimal", acceleration=a)
    assert free.duration == pytest.approx(2.0 * np.sqrt(way / a), rel=1e-6)
    capped = tf.motion([[0.0], [way]], kind="time-optimal", acceleration=a, velocity=v)
    assert capped.duration == pytest.approx(way / v + v / a, rel=2e-3)
    _, qd, qdd = capped(np.linspace(0.0, capped.duration, 999))
    assert np.abs(qd).max() <= v * (1.0 + 1e-9)
    assert np.abs(qdd).max() <= a * (1.0 + 1e-9)


def test_viscous_friction():
    """From rest with the force F against FV v + FS, then braking with F and friction: known times and ways."""
    m, F, FV, FS, way = 2.0, 10.0, 3.0, 1.0, 2.0
    found = tf.motion([[0.0], [way]], kind="time-optimal", robot=slide(FV=FV, FS=FS), torque=F)
    from scipy.integrate import solve_ivp
    from scipy.optimize import brentq

    def run(switch):
        end, tight = lambda t, y: y[1], {"rtol": 1e-11, "atol": 1e-12}
        end.terminal = True
        up = solve_ivp(lambda t, y: [y[1], (F - FS - FV * y[1]) / m], (0.0, switch), [0.0, 0.0], **tight).y[:, -1]
        down = solve_ivp(lambda t, y: [y[1], (-F - FS - FV * y[1]) / m], (0.0, 9.0), up, events=end, **tight)
        return down.t[-1] + switch, down.y[0, -1]

    expected = run(brentq(lambda switch: run(switch)[1] - way, 0.1, 5.0))[0]
    assert found.duration == pytest.approx(expected, rel=2e-3)
    assert found.duration >= expected * (1.0 - 1e-9)
    forces = tf.required_torques(slide(FV=FV, FS=FS), found)
    assert forces.peak[0] <= F * (1.0 + 1e-9)


def spline(points):
    from scipy.interpolate import CubicSpline

    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    return s, CubicSpline(s, points, bc_type="natural")


@pytest.mark.parametrize("seed", [0, 1])
def test_as_fast_as_toppra(seed):
    """Its motions are 1 % faster at most, and exceed the limits between samples, as ours do not."""
    toppra = pytest.importorskip("toppra")
    from toppra import algorithm, constraint

    points = np.random.default_rng(seed).uniform(-1.0, 1.0, (4, 6))
    v, a = np.full(6, 2.0), np.full(6, 15.0)
    found = tf.motion(points, kind="time-optimal", robot=ARM, velocity=v, acceleration=a, torque=TORQUE)
    s, _ = spline(points)
    inverse = tf.inverse_dynamics(ARM).compile()
    limits = [
        constraint.JointVelocityConstraint(np.stack([-v, v], axis=1)),
        constraint.JointAccelerationConstraint(np.stack([-a, a], axis=1)),
        constraint.JointTorqueConstraint(
            lambda q, qd, qdd: inverse(q, qd, qdd), np.stack([-TORQUE, TORQUE], axis=1), np.zeros(6)
        ),
    ]
    path = toppra.SplineInterpolator(s, points, bc_type="natural")
    other = algorithm.TOPPRA(limits, path, gridpoints=np.linspace(0.0, s[-1], 401)).compute_trajectory(0, 0)
    assert found.duration == pytest.approx(other.duration, rel=0.01)


def test_some_limit_is_met_almost_everywhere():
    """A time-optimal motion is at a limit at every time, and beyond it at none."""
    points = np.random.default_rng(3).uniform(-1.0, 1.0, (5, 6))
    found = tf.motion(
        points, kind="time-optimal", robot=ARM, velocity=2.0, acceleration=15.0, torque=TORQUE, payload=2.0
    )
    torques = tf.required_torques(ARM, found, payload=2.0)
    parts = [np.abs(torques.qd) / 2.0, np.abs(torques.qdd) / 15.0, np.abs(torques.tau) / TORQUE]
    part = np.max([x.max(axis=1) for x in parts], axis=0)
    assert part.max() <= 1.0 + 1e-9
    assert (part > 0.97).mean() > 0.9
    s, curve = spline(points)
    dense = curve(np.linspace(0.0, s[-1], 20001))
    for q in found.sample(0.05).q:
        assert np.abs(dense - q).max(axis=1).min() < 1e-3
    whole = tf.motion(points, np.arange(5.0)).scaled(ARM, velocity=2.0, acceleration=15.0, torque=TORQUE, payload=2.0)
    assert found.duration < 0.8 * whole.duration


def test_closed_loops():
    robot = tf.robots.fivebar()
    start = tf.close_loops(robot)
    q = start[[robot.coordinate_names.index(name) for name in robot.independent]]
    found = tf.motion(
        [q, q + 0.1, q + np.array([0.2, 0.0])], kind="time-optimal", robot=robot, torque=20.0, guess=start
    )
    torques = tf.required_torques(robot, found, guess=start)
    assert 0.97 < torques.peak.max() / 20.0 <= 1.0 + 1e-9


def test_drives_too_weak():
    with pytest.raises(tf.ProgramError, match="no speed keeps the limits at"):
        tf.motion([np.zeros(6), np.ones(6)], kind="time-optimal", robot=ARM, torque=5.0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"velocity": 1.0}, "no limits: give acceleration or torque"),
        ({"acceleration": 1.0, "torque": 1.0}, "give robot="),
        ({"robot": ARM, "torque": 9.0, "wrench": lambda t: np.zeros((6, 6))}, "function of time"),
        ({"acceleration": 1.0, "times": 2.0}, "finds its own times"),
        ({"acceleration": 1.0, "blend": 0.1}, "does not take blend"),
    ],
)
def test_bad_time_optimal(options, said):
    with pytest.raises(tf.ProgramError, match=said):
        tf.motion([np.zeros(6), np.ones(6)], **{"times": None, "kind": "time-optimal", **options})


def test_jerk_limited_is_the_shortest():
    """From rest to rest in seven phases: T = way / v + v / a + a / j if velocity and acceleration reach limits."""
    way, v, a, j = 3.0, 1.2, 2.0, 8.0
    found = tf.motion([[0.0], [way]], kind="jerk-limited", velocity=v, acceleration=a, jerk=j)
    assert found.duration == pytest.approx(way / v + v / a + a / j, rel=1e-12)
    short = tf.motion([[0.0], [0.01]], kind="jerk-limited", velocity=v, acceleration=a, jerk=j)
    assert short.duration == pytest.approx((32.0 * 0.01 / j) ** (1.0 / 3.0), rel=1e-9)


def test_jerk_limited_keeps_its_limits_and_meets_its_points():
    points = np.random.default_rng(1).uniform(-1.0, 1.0, (4, 3))
    v, a, j = np.array([1.0, 2.0, 1.5]), np.array([4.0, 3.0, 5.0]), np.array([30.0, 40.0, 20.0])
    speeds = np.zeros((4, 3))
    speeds[1] = [0.2, -0.1, 0.3]
    found = tf.motion(points, kind="jerk-limited", velocity=v, acceleration=a, jerk=j, velocities=speeds)
    t = np.linspace(0.0, found.duration, 4001)
    q, qd, qdd = found(t)
    assert (np.abs(qd).max(axis=0) <= v * (1.0 + 1e-9)).all()
    assert (np.abs(qdd).max(axis=0) <= a * (1.0 + 1e-9)).all()
    assert (np.abs(np.diff(qdd, axis=0) / (t[1] - t[0])).max(axis=0) <= j * (1.0 + 1e-6)).all()
    for point, speed in zip(points, speeds, strict=True):
        k = np.abs(q - point).max(axis=1).argmin()
        assert np.abs(q[k] - point).max() < 1e-3
        np.testing.assert_allclose(qd[k], speed, atol=1e-2)
    np.testing.assert_allclose(q[[0, -1]], points[[0, -1]], atol=1e-9)
    np.testing.assert_allclose(qd[[0, -1]], 0.0, atol=1e-9)
    # derivatives of one another
    np.testing.assert_allclose(np.gradient(q, t, axis=0)[5:-5], qd[5:-5], atol=1e-4)
    assert found.stretched(2.0 * found.duration).duration == pytest.approx(2.0 * found.duration)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"velocity": 1.0}, "needs jerk"),
        ({"jerk": -1.0}, "must be positive"),
        ({"jerk": np.inf}, "finite limit"),
        ({"velocity": 1.0, "jerk": 1.0, "velocities": [[0.0], [5.0]]}, "no motion within the limits"),
    ],
)
def test_bad_jerk_limited(options, said):
    with pytest.raises(tf.ProgramError, match=said):
        tf.motion([[0.0], [1.0]], kind="jerk-limited", **options)


def test_it_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "ruckig", None)
    with pytest.raises(tf.ProgramError, match=r'pip install "tauforge\[trajectory\]"'):
        by_limits.jerk_limited(np.zeros((2, 1)), np.zeros((2, 1)), np.zeros((2, 1)), jerk=1.0)
