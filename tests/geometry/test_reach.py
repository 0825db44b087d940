"""Reaching: frames get where they should, joints stay within limits, and redundant arms stay near their start."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tauforge as tf
from tauforge.geometry.task import rotation_vectors
from tauforge.robot.joint import Limits, Mimic

from ..random_robots import random_robot, random_state

TIP, LENGTH = "tip", 1.8
PLANAR = tf.robots.planar2r().derived(frames=(tf.Joint(name=TIP, antecedent=2, sigma=2, d=LENGTH - 1.0),))
ARM, LWR = tf.robots.puma560(), tf.robots.kuka_lwr()
RNG = np.random.default_rng(4)


def regular(robot, count):
    """Return random states, none of them nearly singular."""
    q = RNG.uniform(-1.5, 1.5, (10 * count, robot.dof))
    J = tf.jacobian(robot, frame=robot.bodies[-1].name).compile()(q)
    least = np.linalg.svd(J, compute_uv=False)[:, min(6, robot.dof) - 1]
    return q[least > 1e-2][:count]


def poses(robot, q, frame=None):
    return tf.transforms(robot, frames=frame or robot.bodies[-1].name).compile()(q)[..., 0, :, :]


def limited(robot, lower, upper):
    return robot.derived(
        joints=tuple(replace(joint, limits=Limits(lower=lower, upper=upper)) for joint in robot.joints)
    )


def test_rotation_vectors_of_any_angle():
    axes = RNG.normal(size=(600, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    near = 10.0 ** RNG.uniform(-9, -2, 200)
    angles = np.concatenate([RNG.uniform(0.0, np.pi, 200), near, np.pi - near])
    w = axes * angles[:, None]
    np.testing.assert_allclose(rotation_vectors(Rotation.from_rotvec(w).as_matrix()), w, atol=1e-9)
    half = rotation_vectors(np.diag([1.0, -1.0, -1.0])[None])[0]
    np.testing.assert_allclose(np.abs(half), [np.pi, 0.0, 0.0], atol=1e-12)


@pytest.mark.parametrize("robot", [ARM, LWR, tf.robots.scara()], ids=lambda robot: robot.name)
def test_many_goals_at_once(robot):
    q = regular(robot, 40)
    T = poses(robot, q)
    found = tf.reach(robot, T, frame=robot.bodies[-1].name, q0=q + RNG.normal(scale=0.2, size=q.shape))
    assert found.reached.all()
    np.testing.assert_allclose(poses(robot, found.q), T, atol=1e-10)
    assert tf.reach(robot, T.reshape(8, 5, 4, 4), frame=robot.bodies[-1].name, q0=q[0], strict=False).q.shape == (
        8,
        5,
        robot.dof,
    )


@pytest.mark.parametrize("seed", range(6))
def test_random_robots(seed):
    """Trees with all kinds of joints, quaternions among them."""
    robot = random_robot(seed, smallest=4, several=True, floating=seed % 2 == 0)
    q = np.array(random_state(robot, 1)[0], dtype=float)
    frame = robot.bodies[-1].name
    away = tf.integrate(robot).compile()(q, RNG.normal(scale=0.1, size=robot.dof))
    found = tf.reach(robot, poses(robot, q, frame), frame=frame, q0=away)
    np.testing.assert_allclose(poses(robot, found.q, frame), poses(robot, q, frame), atol=1e-9)


def test_without_a_start():
    T = poses(ARM, regular(ARM, 10))
    found = tf.reach(ARM, T, frame=ARM.bodies[-1].name)
    np.testing.assert_allclose(poses(ARM, found.q), T, atol=1e-10)


def test_a_redundant_arm_stays_near_its_start():
    """At the nearest solution, the way back to the start has no part that leaves the frame where it is."""
    q0 = np.array([0.2, 0.6, 0.1, 1.4, 0.3, 0.8, 0.1])
    T = poses(LWR, q0 + RNG.normal(scale=0.15, size=7))
    found = tf.reach(LWR, T, frame=LWR.bodies[-1].name, q0=q0)
    J = tf.jacobian(LWR, frame=LWR.bodies[-1].name).compile()(found.q)
    back = q0 - found.q
    assert np.abs(back - np.linalg.pinv(J) @ (J @ back)).max() < 1e-7 < np.abs(back).max()


def test_limits_are_kept():
    """Where one elbow is forbidden, the other one is taken, from the same start."""
    q = np.array([0.3, 0.9])
    goal = poses(PLANAR, q, TIP)[:3, 3]
    free = tf.reach(PLANAR, goal, frame=TIP, q0=[0.0, 0.5], aim="position")
    np.testing.assert_allclose(free.q, q, atol=1e-9)
    first, second = PLANAR.joints
    bounded = PLANAR.derived(joints=(first, replace(second, limits=Limits(upper=0.7))))
    found = tf.reach(bounded, goal, frame=TIP, q0=[1.2, -0.5], aim="position")
    np.testing.assert_allclose(found.q[1], -0.9, atol=1e-9)
    many = limited(LWR, -1.2, 1.2)
    inside = RNG.uniform(-1.1, 1.1, (30, 7))
    found = tf.reach(many, poses(LWR, inside), frame=LWR.bodies[-1].name, strict=False)
    assert (np.abs(found.q) <= 1.2).all()
    assert found.reached.mean() > 0.9


def test_a_goal_out_of_reach_says_how_far():
    """The nearest point of a straight arm: what is missing is the distance less the arm's length."""
    goal = np.array([0.6, 0.8, 0.0]) * (LENGTH + 0.25)
    with pytest.raises(tf.ReachError, match=r"tip does not reach goal: it stays 0\.25 m and 0 rad away") as error:
        tf.reach(PLANAR, goal, frame=TIP, q0=[0.1, 0.2], aim="position")
    assert error.value.reached.distance == pytest.approx(0.25, abs=1e-6)
    with pytest.raises(tf.ReachError, match="with joint1, joint2 at the limit"):
        tf.reach(limited(PLANAR, -0.2, 0.2), [-0.1, 1.7, 0.0], frame=TIP, q0=[0.1, 0.1], aim="position")
    both = tf.reach(PLANAR, [goal, 0.5 * goal], frame=TIP, q0=[0.1, 0.2], aim="position", strict=False)
    assert both.reached.tolist() == [False, True]
    assert "1 of 2" in repr(both)


def test_reasons_try_other_starts_before_they_blame():
    """A state within the limits exists, far from the given start: neither limits nor the distance are in the way."""
    robot, q = limited(PLANAR, -2.9, 2.9), np.array([-2.8, -0.3])
    found = tf.reach(robot, poses(robot, q, TIP), frame=TIP, q0=[2.8, 0.3], strict=False)
    assert not found.reached
    assert str(found.reason).startswith("not reached from q0 and 2 states near it")
    assert "another start reaches it" in str(found.reason)
    with pytest.raises(tf.ReachError, match="not reached from q0 and 2 states near it"):
        tf.reach(robot, poses(robot, q, TIP), frame=TIP, q0=[2.8, 0.3])
    rng = np.random.default_rng(0)
    inside, starts = rng.uniform(-2.0, 2.0, (2, 60, 7))
    found = tf.reach(limited(LWR, -2.0, 2.0), poses(LWR, inside), frame=LWR.bodies[-1].name, q0=starts, strict=False)
    late = found.reason[~found.reached]
    assert len(late) > 5
    assert not any("beyond" in text or "out of reach" in text for text in late)


@pytest.mark.parametrize("given", [True, False])
def test_whether_a_goal_is_reached_does_not_depend_on_its_batch(given):
    rng = np.random.default_rng(0)
    q, q0 = rng.uniform(-2.0, 2.0, (2, 80, 7))
    robot, frame, T = limited(LWR, -2.0, 2.0), LWR.bodies[-1].name, poses(LWR, q)
    few = {"starts": 2, "strict": False, "frame": frame}
    together = tf.reach(robot, T, q0=q0 if given else None, **few).reached
    alone = [tf.reach(robot, T[k], q0=q0[k] if given else None, **few).reached for k in range(len(q))]
    assert 0 < together.sum() < len(q)
    np.testing.assert_array_equal(together, alone)


def test_only_the_axis():
    """The origin and the direction of z, with the spin about it free."""
    q = RNG.uniform(-1.0, 1.0, (20, 6))
    T = poses(ARM, q)
    spun = T.copy()
    spun[:, :3, :3] = T[:, :3, :3] @ Rotation.from_rotvec([0.0, 0.0, 2.0]).as_matrix()
    found = tf.reach(ARM, spun, frame=ARM.bodies[-1].name, q0=q, aim="axis")
    np.testing.assert_allclose(found.q, q, atol=1e-9)  # it was there already
    away = tf.reach(ARM, spun, frame=ARM.bodies[-1].name, q0=q + 0.1, aim="axis")
    np.testing.assert_allclose(poses(ARM, away.q)[:, :3, 2:], T[:, :3, 2:], atol=1e-9)


@pytest.mark.parametrize("name", ["fivebar", "delta", pytest.param("gough_stewart", marks=pytest.mark.slow), "sr400"])
def test_closed_loops(name):
    """Platforms and parallel arms: the frame is where it should be, and the loops are closed."""
    robot = getattr(tf.robots, name)()
    frame, start = robot.bodies[-1].name, tf.close_loops(robot)
    away = tf.integrate(robot).compile()(start, RNG.uniform(-0.03, 0.03, (5, robot.dof)))
    found = tf.reach(robot, poses(robot, away, frame), frame=frame, q0=start)
    np.testing.assert_allclose(poses(robot, found.q, frame), poses(robot, away, frame), atol=1e-9)
    assert np.abs(tf.loop_closure(robot).compile()(found.q)[0]).max() < 1e-9


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"T": np.eye(3)}, "give poses"),
        ({"T": 2.0 * np.eye(4)}, "not a pose"),
        ({"T": np.full((4, 4), np.nan)}, "not finite"),
        ({"T": np.eye(4), "q0": [1.0]}, "coordinates"),
        ({"T": np.zeros((3, 4, 4)) + np.eye(4), "q0": np.zeros((2, 2))}, "go together"),
        ({"T": np.eye(4), "aim": "hope"}, "choose among"),
        ({"T": np.eye(4), "frame": "nose"}, "no frame 'nose'"),
    ],
)
def test_bad_input(given, said):
    with pytest.raises(tf.ProgramError, match=said):
        tf.reach(PLANAR, **{"frame": TIP, **given})


def test_a_robot_that_cannot_move():
    block = tf.Robot(
        name="block", joints=(tf.Joint(name="weld", antecedent=0, sigma=2),), bodies=(tf.Body(name="cube"),)
    )
    with pytest.raises(tf.ProgramError, match="block has no joint that moves"):
        tf.reach(block, np.eye(4), frame="cube")


def test_a_frame_has_a_name():
    with pytest.raises(tf.ProgramError, match="frame=None; give the name"):
        tf.reach(tf.robots.planar2r(), np.eye(4), frame=None)


def slide(low, high):
    joint = tf.Joint(name="slide", antecedent=0, sigma=1, limits=Limits(lower=low, upper=high))
    return tf.Robot(name="slide", joints=(joint,), bodies=(tf.Body(name="tip"),))


def test_a_pose_to_which_few_starts_lead_within_the_limits_is_reached():
    low = [-2.7925, -3.9270, -0.9163, -1.9199, -1.7453, -4.6426]
    high = [2.7925, 0.7854, 4.0579, 2.9671, 1.7453, 4.6426]
    joints = (
        replace(joint, limits=Limits(lower=a, upper=b)) for joint, a, b in zip(ARM.joints, low, high, strict=True)
    )
    q = np.array([-2.67938, -3.390408, -0.884802, 0.928201, -0.888846, 1.069019])  # by one start in forty
    T = np.tile(poses(ARM, q), (300, 1, 1))
    assert tf.reach(ARM.derived(joints=tuple(joints)), T, frame="link6", strict=False).reached.all()


def test_states_never_leave_the_limits():
    """The first start is near the neutral state, which may be at a limit."""
    goals = np.zeros((200, 3))
    goals[:, 2] = np.linspace(-0.1, 0.6, 200)
    found = tf.reach(slide(0.0, 0.5), goals, frame="tip", aim="position", strict=False, starts=1)
    np.testing.assert_allclose(found.q[:, 0], np.clip(goals[:, 2], 0.0, 0.5), atol=1e-9)


def test_limits_of_joints_that_follow_others():
    joints = (
        tf.Joint(name="a", antecedent=0, limits=Limits(lower=-1.0, upper=1.0)),
        tf.Joint(name="b", antecedent=1, d=1.0, mimic=Mimic(joint=1, ratio=-2.0, offset=0.1),
                 limits=Limits(lower=-0.5, upper=0.5)),
        tf.Joint(name="tip", antecedent=2, d=1.0, sigma=2),
    )  # fmt: skip
    robot = tf.Robot(name="pair", joints=joints, bodies=tuple(tf.Body(name=x) for x in ("one", "two", "three")))
    T = tf.direct_geometry(robot, [0.8], frame="three")
    found = tf.reach(robot, T, frame="three", aim="position", strict=False)
    assert -0.2 - 1e-9 < found.q[0] < 0.3 + 1e-9  # where b is at 0.5 and -0.5
    assert "limits of a by 0.5" in str(found.reason)


def test_reasons_count_angles_from_the_nearest_turn():
    joints = (tf.Joint(name="a", antecedent=0, limits=Limits(lower=-1.0, upper=1.0)),
              tf.Joint(name="b", antecedent=1, d=1.0, sigma=2))  # fmt: skip
    robot = tf.Robot(name="arm", joints=joints, bodies=(tf.Body(name="one"), tf.Body(name="two")))
    goals = tf.direct_geometry(robot, [[1.5], [3.0], [-3.0]], frame="two")
    reasons = tf.reach(robot, goals, frame="two", strict=False).reason
    assert [str(text).partition(";")[0].rpartition(" ")[2] for text in reasons] == ["0.5", "2", "2"]


def test_numbers_of_numpy_and_hostile_ones():
    robot = slide(0.0, 1.0)
    goal = tf.Goal("tip", [0.0, 0.0, 0.5], "position", weight=np.float32(2.0), level=np.int64(0))
    assert tf.reach(robot, goal, tolerance=np.float32(1e-6)).reached
    for given, match in (
        (tf.Goal("tip", [0.0, 0.0, 0.5], "position", weight=1e200), "weight"),
        ([], "empty"),
        (np.eye(4) * 1j, "complex"),
    ):
        with pytest.raises(tf.ProgramError, match=match):
            tf.reach(robot, given, frame=None if isinstance(given, tf.Goal) else "tip")
    with pytest.raises(tf.ProgramError, match="prefer has the shape"):
        tf.reach(robot, np.eye(4), frame="tip", prefer=[0.0, 1.0])
    for frame in (None, 3, ["tip"]):
        with pytest.raises(tf.ProgramError, match="frame="):
            tf.direct_geometry(robot, [0.0], frame=frame)
