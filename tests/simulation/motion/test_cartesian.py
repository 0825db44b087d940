"""Cartesian motions: the frame is where it should be, the rates are those of the joints, and failures say where."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import tauforge as tf
from tauforge.geometry.task import Task
from tauforge.robot.joint import Limits
from tauforge.simulation.motion.pose_path import pose_path

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


SQUARE = np.array([[1.0, 0.5, 0.0], [0.6, 0.5, 0.0], [0.6, 0.9, 0.0], [1.0, 0.9, 0.0]])


def square(times=4.0, **given):
    """Return a motion of the planar arm's tip along three sides of a square of 0.4 m."""
    usual = {"frame": "tip", "q0": [-0.3, 1.5], "aim": "position", "radius": 0.1}
    return tf.cartesian_motion(PLANAR, SQUARE, times, **{**usual, **given})


def distance_to_sides(x):
    """Return how far points (k, 3) are from the three sides."""
    found = []
    for a, b in pairwise(SQUARE):
        u = np.clip((x - a) @ (b - a) / 0.16, 0.0, 1.0)
        found.append(np.linalg.norm(x - a - u[:, None] * (b - a), axis=1))
    return np.min(found, axis=0)


@pytest.mark.parametrize("kind", ["quintic", "cubic", "trapezoidal"])
def test_poses_are_passed_without_stopping(kind):
    """The tip stays on the sides but near the corners, which it passes at some speed without a jump of acceleration."""
    motion = square(kind=kind)
    t = np.linspace(0.0, 4.0, 4001)
    q, qd, qdd = motion(t)
    x, J = where(PLANAR, "tip")(q)[:, :3, 3], tf.jacobian(PLANAR, frame="tip").compile()(q)
    speed = np.linalg.norm(np.einsum("kij,kj->ki", J[:, :3], qd), axis=1)
    near = np.linalg.norm(x[:, None] - SQUARE[1:3], axis=2).min(axis=1)
    assert distance_to_sides(x)[near > 0.1].max() < 1e-11
    off = near[np.abs(t - 2.0) < 1.2].min()
    assert off == pytest.approx(3 / 16 * 0.1 * np.sqrt(2.0), rel=1e-3)  # in the middle of a curve
    assert speed[800:-800].min() > 0.2
    check_rates(motion, 2e-4)
    jumps = np.abs(np.diff(qdd, axis=0)).max(axis=1)
    if kind != "trapezoidal":
        assert jumps.max() < 0.02 * np.abs(qdd).max()


def test_times_of_poses_that_are_passed():
    motion = square([0.0, 1.0, 3.0, 3.5])
    at = where(PLANAR, "tip")(motion([0.0, 1.0, 3.0, 3.5]).q)[:, :3, 3]
    np.testing.assert_allclose(np.linalg.norm(at - SQUARE, axis=1)[[0, 3]], 0.0, atol=1e-11)
    np.testing.assert_allclose(np.linalg.norm(at - SQUARE, axis=1)[[1, 2]], 3 / 16 * 0.1 * np.sqrt(2.0), rtol=1e-9)
    assert np.abs(motion([1.0, 3.0]).qd).max(axis=1).min() > 0.05
    uneven = square([0.0, 1.0, 1.1, 9.0], kind="quintic")
    x = where(PLANAR, "tip")(uneven.sample(0.01).q)[:, :3, 3]
    assert distance_to_sides(x).max() < 0.03  # never back and forth beyond the ends


def test_some_poses_are_passed_and_others_rested_at():
    motion = square([0.0, 1.0, 2.0, 3.0], radius=[0.1, 0.0])
    assert np.abs(motion(1.0).qd).max() > 0.05
    assert np.abs(motion(2.0).qd).max() < 1e-9
    np.testing.assert_allclose(where(PLANAR, "tip")(motion(2.0).q)[:3, 3], SQUARE[2], atol=1e-11)
    same, rested = square(radius=0.0)(1.3).q, square(radius=None)(1.3).q
    np.testing.assert_array_equal(same, rested)


def test_curves_between_lines_arcs_and_turns():
    """The rates of the frame are the differences of its poses, with a pose that only turns among them."""
    q0 = np.array(STARTS["puma560"])
    T = where(ARM)(q0)
    poses = np.array([
        T, moved(T, [0.1, 0.0, 0.0], [0.2, 0.1, 0.0]), moved(T, [0.1, 0.1, 0.05], [0.1, -0.3, 0.2]),
        moved(T, [0.1, 0.1, 0.05], [0.4, -0.3, 0.5]), moved(T, [0.0, 0.1, 0.0]),
    ])  # fmt: skip
    path = pose_path(Task(ARM, last(ARM), "pose"), poses, [None, T[:3, 3] + [0.13, 0.05, 0.0], None, None], 0.04)
    u, h = np.linspace(0.01, 0.99, 137), 1e-5
    here, ahead, back = path(0, u), path(0, u + h), path(0, u - h)
    np.testing.assert_allclose((ahead.T - back.T)[:, :3, 3] / (2 * h), here.V[:, :3], atol=1e-6)
    turned = Rotation.from_matrix(ahead.T[:, :3, :3] @ np.swapaxes(back.T[:, :3, :3], 1, 2)).as_rotvec() / (2 * h)
    np.testing.assert_allclose(turned, here.V[:, 3:], atol=1e-6)
    np.testing.assert_allclose((ahead.V - back.V) / (2 * h), here.A, atol=1e-2)  # the third rates jump
    motion = tf.cartesian_motion(ARM, poses, 4.0, frame=last(ARM), q0=q0, radius=0.04)
    check_rates(motion, 1e-4)
    assert np.abs(motion(np.linspace(0.5, 3.5, 200)).qd).max(axis=1).min() > 0.01


def test_passing_is_faster_than_resting():
    limits = {"velocity": 2.0, "acceleration": 8.0}
    fast, slow = (square(None, kind="time-optimal", radius=radius, **limits) for radius in (0.1, None))
    assert fast.duration < 0.95 * slow.duration
    for motion in (fast, square(None, kind="quintic", **limits), square(None, radius=0.002, **limits)):
        _, qd, qdd = motion(motion.grid(20001))
        assert np.abs(qd).max() < 2.0 * (1.0 + 1e-6)
        assert 7.9 < np.abs(qdd).max() < 8.0 * (1.0 + 1e-6)


def test_a_curve_out_of_reach_names_the_poses():
    with pytest.raises(tf.SimulationError, match=r"from pose 2 to pose 3; pose 3 is 0\.2 m") as error:
        tf.cartesian_motion(
            PLANAR, [[1, 0.4, 0], [1, 0, 0], [2, 0, 0], [2, 1, 0]], 2.0, frame="tip", q0=[-0.3, 1.5], aim="position",
            radius=0.1,
        )  # fmt: skip
    assert 0.0 < error.value.trajectory.end < 2.0


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


@pytest.mark.parametrize("y", [0.0, 1e-8, 1e-6, 1e-5, 3e-5, 1e-4])
def test_beside_a_singular_state_the_branch_is_kept(y):
    """Two equal links pass close to their own base: straight across it, the path would go on with the other elbow."""
    robot = tf.robots.planar2r().derived(frames=(tf.Joint(name="tip", antecedent=2, sigma=2, d=1.0),))
    with pytest.raises(tf.SimulationError, match=r"cannot follow the path beyond (49\.99|50\.00) %") as error:
        tf.cartesian_motion(robot, [[1, y, 0], [-1, y, 0]], 2.0, frame="tip", q0=(-1, 2), aim="position")
    part = error.value.trajectory
    q = part(np.linspace(part.start, part.end, 2000))[0]
    assert (np.sin(q[:, 1]) > 0.0).all()
    np.testing.assert_allclose(where(robot, "tip")(q)[:, 1, 3], y, atol=1e-9)


def test_a_path_that_leaves_the_reach_between_nodes():
    """An arc whose top is out of reach, by a micrometre or a nanometre; a line inside is followed."""
    robot = tf.robots.planar2r().derived(frames=(tf.Joint(name="tip", antecedent=2, sigma=2, d=1.0),))
    for y in (2.0 + 1e-6, 2.0 + 2e-9):
        with pytest.raises(tf.SimulationError, match="cannot follow"):
            tf.cartesian_motion(robot, [[-0.3, 1.9, 0], [0.33, 1.88, 0]], 2.0, frame="tip", aim="position",
                                via=[[0.0, y, 0]], q0=(1.6, 0.2))  # fmt: skip
    inside = [[-0.31, 1.95, 0], [0.33, 1.95, 0]]
    motion = tf.cartesian_motion(robot, inside, 2.0, frame="tip", aim="position", q0=(1.4, 0.4))
    q = motion(np.linspace(0.0, 2.0, 2000))[0]
    np.testing.assert_allclose(where(robot, "tip")(q)[:, 1, 3], 1.95, atol=1e-9)


def test_limits_hold_between_nodes():
    """The elbow closes and opens again on the way: its extreme counts, wherever it is."""
    path, given = [[-0.83, 1.5, 0.0], [0.71, 1.5, 0.0]], {"frame": "tip", "aim": "position", "q0": (1.4, 0.7)}
    free = tf.cartesian_motion(PLANAR, path, 2.0, **given)
    at = np.linspace(0.9, 1.2, 5001)
    most = free(at)[0][:, 1].max()
    first, second = PLANAR.joints
    for room in (1e-7, 1e-5):
        tight = PLANAR.derived(joints=(first, replace(second, limits=Limits(upper=most - room))))
        with pytest.raises(tf.SimulationError, match="joint2 would exceed its limit"):
            tf.cartesian_motion(tight, path, 2.0, **given)
    loose = PLANAR.derived(joints=(first, replace(second, limits=Limits(upper=most + 1e-8))))
    assert tf.cartesian_motion(loose, path, 2.0, **given)(at)[0][:, 1].max() <= most + 1e-8


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
        ({"poses": SQUARE, "radius": 0.3}, r"poses 2 and 3 overlap, which are only 0\.4 apart"),
        ({"poses": SQUARE, "radius": [0.1]}, "radius: give one for all poses"),
        ({"poses": SQUARE, "radius": -0.1}, "none negative"),
        ({"poses": SQUARE, "radius": np.nan}, "radius: nan is not a finite number"),
        ({"poses": [[5, 5, 0], [1, 1, 0]]}, "does not reach goal"),
    ],
)
def test_bad_input(given, said):
    usual = {"poses": [[1.2, 0.3, 0], [1.1, 0.4, 0]], "times": 1.0, "frame": "tip", "q0": [0.1, 0.5]}
    with pytest.raises(tf.ProgramError, match=said):
        tf.cartesian_motion(PLANAR, **{"aim": "position", **usual, **given})
