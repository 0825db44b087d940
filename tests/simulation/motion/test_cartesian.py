"""Cartesian motions: the frame is where it should be, the rates are those of the joints, and failures say where."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import tauforge as tf
from tauforge.robot.joint import Limits

ARM, LWR = tf.robots.puma560(), tf.robots.kuka_lwr()
STARTS = {"puma560": [0.3, -0.6, 0.5, 0.2, 0.8, -0.1], "kuka_lwr": [0.2, 0.6, 0.1, 1.4, 0.3, 0.8, 0.1]}
PLANAR = tf.robots.planar2r().derived(frames=(tf.Joint(name="tip", antecedent=2, sigma=2, d=0.8),))


def last(robot):
    return robot.bodies[-1].name


def where(robot, frame=None):
    """Return a function from coordinates to poses."""
    function = tf.transforms(robot, frames=frame or last(robot)).compile()
    return lambda q: function(q)[..., 0, :, :]


def moved(T, shift, turn=(0.0, 0.0, 0.0)):
    found = T.copy()
    found[:3, 3] += shift
    found[:3, :3] = Rotation.from_rotvec(turn).as_matrix() @ T[:3, :3]
    return found


def check_rates(motion, atol):
    """Velocities and accelerations are the derivatives of positions and velocities, by differences of high order."""
    h = 1e-4 * motion.duration
    t = np.linspace(motion.start + 4 * h, motion.end - 4 * h, 23)
    inner = [x for x in t if all(abs(x - corner) > 4 * h for corner in motion.corners)]
    t = np.array(inner)
    weights = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
    for value, rate in ((0, 1), (1, 2)):
        found = sum(w * (motion(t + k * h)[value] - motion(t - k * h)[value]) for k, w in weights.items()) / h
        np.testing.assert_allclose(found, motion(t)[rate], atol=atol)


@pytest.mark.parametrize("robot", [ARM, LWR], ids=lambda robot: robot.name)
def test_a_line_with_a_turn(robot):
    q0, at = np.array(STARTS[robot.name]), where(robot)
    T = at(q0)
    goal = moved(T, [0.1, -0.15, 0.05], [0.3, -0.2, 0.5])
    motion = tf.cartesian_motion(robot, [T, goal], 2.0, frame=last(robot), q0=q0)
    t = np.linspace(0.0, 2.0, 301)
    q, qd, qdd = motion(t)
    x = t / 2.0
    s = x**3 * (10 - 15 * x + 6 * x**2)  # the rhythm from rest to rest
    found = at(q)
    np.testing.assert_allclose(found[:, :3, 3], T[:3, 3] + s[:, None] * (goal - T)[:3, 3], atol=1e-11)
    turning = Slerp([0.0, 1.0], Rotation.from_matrix([T[:3, :3], goal[:3, :3]]))(s).as_matrix()
    np.testing.assert_allclose(found[:, :3, :3], turning, atol=1e-11)
    assert np.abs(q[0] - q0).max() < 1e-9
    J, bias = tf.jacobian(robot, frame=last(robot)).compile()(q), tf.jacobian_bias(robot, frame=last(robot)).compile()
    rate = x**2 * (30 - 60 * x + 30 * x**2) / 2.0
    V = np.einsum("tij,tj->ti", J, qd)
    np.testing.assert_allclose(V[:, :3], rate[:, None] * (goal - T)[:3, 3], atol=1e-10)
    rise = x * (60 - 180 * x + 120 * x**2) / 4.0
    A = np.einsum("tij,tj->ti", J, qdd) + bias(q, qd)
    np.testing.assert_allclose(A[:, :3], rise[:, None] * (goal - T)[:3, 3], atol=1e-9)
    check_rates(motion, 1e-6)


def test_a_redundant_arm_moves_as_little_as_it_can():
    """At the nodes, the joints' velocities are the smallest with which the frame follows."""
    q0 = np.array(STARTS["kuka_lwr"])
    T = where(LWR)(q0)
    motion = tf.cartesian_motion(LWR, [T, moved(T, [0.1, 0.2, -0.1])], 1.0, frame=last(LWR), q0=q0)
    t = np.linspace(0.1, 0.9, 50)
    q, qd, _ = motion(t)
    J = tf.jacobian(LWR, frame=last(LWR)).compile()(q)
    least = np.einsum("tij,tj->ti", np.linalg.pinv(J), np.einsum("tij,tj->ti", J, qd))
    assert np.linalg.norm(qd - least, axis=1).max() < 1e-3 * np.linalg.norm(qd, axis=1).max()


def test_an_arc_through_a_point():
    q0, at = np.array(STARTS["puma560"]), where(ARM)
    T = at(q0)
    centre, radius = T[:3, 3] + [0.0, 0.08, 0.0], 0.08
    goal, via = moved(T, [0.0, 0.16, 0.0]), T[:3, 3] + [0.0, 0.08, 0.08]
    motion = tf.cartesian_motion(ARM, [T, goal], 2.0, frame=last(ARM), q0=q0, via=[via], kind="cubic")
    found = at(motion.sample(0.02).q)
    way = found[:, :3, 3] - centre
    np.testing.assert_allclose(np.linalg.norm(way, axis=1), radius, atol=1e-11)
    np.testing.assert_allclose(way[:, 0], 0.0, atol=1e-11)
    assert way[:, 2].min() > -1e-9
    np.testing.assert_allclose(way[len(way) // 2, 2], radius, atol=1e-9)
    check_rates(motion, 1e-6)
    back = tf.cartesian_motion(ARM, [T, goal, T], 2.0, frame=last(ARM), q0=q0, via=[via, None])
    assert back.corners == pytest.approx([2.0 * np.pi / (np.pi + 2.0)])  # the lengths share the time


def test_only_a_position_and_only_an_axis():
    at = where(PLANAR, "tip")
    motion = tf.cartesian_motion(
        PLANAR, [[1.2, 0.3, 0.0], [0.6, 0.9, 0.0], [-0.2, 1.2, 0.0]], [0.0, 1.0, 2.5], frame="tip", q0=[0.0, 0.5],
        aim="position", kind="trapezoidal",
    )  # fmt: skip
    np.testing.assert_allclose(at(motion(1.0).q)[:2, 3], [0.6, 0.9], atol=1e-11)
    halfway = at(motion(0.5).q)[:2, 3]
    np.testing.assert_allclose(halfway, [0.9, 0.6], atol=1e-11)
    check_rates(motion, 1e-5)
    tool = tf.Joint(name="tool", antecedent=5, sigma=2, alpha=np.pi / 2, r=0.1)
    five = ARM.derived(joints=ARM.joints[:5], bodies=ARM.bodies[:5], frames=(tool,))
    q0, at = np.array([0.3, -0.6, 0.5, 0.2, 0.8]), where(five, "tool")
    T = at(q0)
    goal = moved(T, [0.05, -0.1, 0.05], [0.1, 0.2, 0.0])
    motion = tf.cartesian_motion(five, [T, goal], 1.0, frame="tool", q0=q0, aim="axis")
    np.testing.assert_allclose(at(motion(1.0).q)[:3, 2:], goal[:3, 2:], atol=1e-10)
    check_rates(motion, 1e-5)


@pytest.mark.parametrize("name", ["planar_3rrr", "delta"])
def test_closed_loops(name):
    robot = getattr(tf.robots, name)()
    frame = last(robot)
    at, start = where(robot, frame), tf.close_loops(robot)
    step = tf.integrate(robot).compile()
    end = step(step(start, np.full(robot.dof, 0.04)), [0.04, -0.03, 0.02][: robot.dof])
    T, goal = at(start), at(tf.reach(robot, at(end)[:3, 3], frame=frame, q0=end, aim="position").q)
    motion = tf.cartesian_motion(robot, [T, goal], 1.0, frame=frame, q0=start, aim="position")
    t = np.linspace(0.0, 1.0, 21)
    q, guess = [], start
    for own in motion(t).q:
        guess = tf.close_loops(robot, own, guess=guess)
        q.append(guess)
    way = at(np.array(q))[:, :3, 3] - T[:3, 3]
    along = (goal - T)[:3, 3]
    off = way - np.outer(way @ along, along) / (along @ along)
    assert np.abs(off).max() < 1e-10
    check_rates(motion, 1e-6)
    assert np.isfinite(tf.required_torques(robot, motion, guess=start, dt=0.1).peak).all()


def test_as_fast_as_limits_allow():
    """Scaled as a whole or time-optimal, no limit is exceeded; the second is faster."""
    q0, at = np.array(STARTS["puma560"]), where(ARM)
    T = at(q0)
    poses = [T, moved(T, [0.1, -0.15, 0.05]), moved(T, [0.1, 0.1, 0.05], [0.0, 0.4, 0.0])]
    limits = {"velocity": 1.5, "acceleration": 8.0, "torque": [45.0, 60.0, 20.0, 4.0, 4.0, 4.0], "payload": 1.0}
    runs = {
        kind: tf.cartesian_motion(ARM, poses, frame=last(ARM), q0=q0, kind=kind, **limits)
        for kind in ("quintic", "trapezoidal", "time-optimal")
    }
    for motion in runs.values():
        found = tf.required_torques(ARM, motion, payload=1.0)
        parts = [np.abs(found.qd) / 1.5, np.abs(found.qdd) / 8.0, np.abs(found.tau) / limits["torque"]]
        assert 0.98 < max(part.max() for part in parts) < 1.0 + 1e-6
    assert runs["time-optimal"].duration < 0.95 * min(runs["quintic"].duration, runs["trapezoidal"].duration)
    given = tf.cartesian_motion(ARM, poses, 4.0, frame=last(ARM), q0=q0).scaled(ARM, torque=limits["torque"])
    peak = tf.required_torques(ARM, given).peak / limits["torque"]
    assert peak.max() == pytest.approx(1.0, rel=1e-4)  # sampled


def test_a_pose_out_of_reach_says_where_and_how_far():
    """The tip leaves its circle of 1.8 m on a line along x, from (1, 1) to (3, 1)."""
    with pytest.raises(tf.SimulationError) as error:
        tf.cartesian_motion(PLANAR, [[1, 1, 0], [3, 1, 0]], 2.0, frame="tip", q0=[0.2, 0.9], aim="position")
    x = np.sqrt(1.8**2 - 1.0)
    share, far = (x - 1.0) / 2.0, np.hypot(3.0, 1.0) - 1.8
    message = str(error.value)
    assert f"{100 * share:.1f}" in message
    assert f"pose 2 is {far:.4g} m and 0 rad out of reach" in message
    part = error.value.trajectory
    reached = where(PLANAR, "tip")(part(part.end).q)[:3, 3]
    np.testing.assert_allclose(reached, [x, 1.0, 0.0], atol=1e-3)
    assert part.end < 2.0


def test_limits_of_joints():
    bounded = PLANAR.derived(
        joints=tuple(replace(joint, limits=Limits(lower=-1.0, upper=1.5)) for joint in PLANAR.joints)
    )
    way = [[1.4, 0.3, 0.0], [0.3, 0.6, 0.0]]
    with pytest.raises(tf.SimulationError, match="joint2 would exceed its limit beyond"):
        tf.cartesian_motion(bounded, way, 1.0, frame="tip", q0=[0.0, 0.5], aim="position")
    free = tf.cartesian_motion(bounded, way, 1.0, frame="tip", q0=[0.0, 0.5], aim="position", limits=False)
    assert free(1.0).q[1] > 1.5


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"poses": [np.eye(4)]}, "at least two"),
        ({"poses": [np.eye(4), np.eye(4)]}, "are the same"),
        ({"via": [[0, 0, 0], None]}, "one for each segment"),
        ({"via": [[1.15, 0.35, 0]]}, "lie on a line"),
        ({"times": [0, 1, 2]}, "2 poses but 3 times"),
        ({"times": None}, "no limits"),
        ({"times": 1.0, "velocity": 1.0}, "not both"),
        ({"kind": "smooth"}, "choose among"),
        ({"speed": 1.0}, "does not take speed"),
        ({"blend": 0.1}, "has no blend"),
        ({"poses": [[5, 5, 0], [1, 1, 0]]}, "does not reach goal"),
    ],
)
def test_bad_input(given, said):
    usual = {"poses": [[1.2, 0.3, 0], [1.1, 0.4, 0]], "times": 1.0, "frame": "tip", "q0": [0.1, 0.5]}
    with pytest.raises(tf.ProgramError, match=said):
        tf.cartesian_motion(PLANAR, **{"aim": "position", **usual, **given})
