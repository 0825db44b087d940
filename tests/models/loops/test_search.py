"""Finding closed states: many loops, hard starts, and what cannot be closed."""

from dataclasses import replace
from time import perf_counter

import numpy as np
import pytest

import tauforge as tf
from tauforge.models.loops.closure import loop_closure
from tauforge.models.loops.freedom import freedom
from tauforge.models.loops.newton import is_closed, newton
from tauforge.models.loops.search import Mechanism
from tests.random_loops import random_mechanism
from tests.random_robots import seeds

SOLID = tf.Inertia(1, 0, 0, 1, 0, 1, 0.1, 0.05, 0, 1)


def bars(*lengths, ground=1.0, at=0.0, name="", actuated=1):
    """Return the joints of a chain of bars that a revolute joint closes on the ground, and its two frames."""
    joints = [
        tf.Joint(name=f"{name}{k}", antecedent=k, d=lengths[k - 1] if k else at, mu=int(k < actuated))
        for k in range(len(lengths))
    ]
    frames = (
        tf.Joint(name=f"{name}tip", antecedent=len(lengths), sigma=2, mu=0, d=lengths[-1]),
        tf.Joint(name=f"{name}ground", antecedent=0, sigma=2, mu=0, d=at + ground),
    )
    return joints, frames


def linkage(*lengths, ground=1.0, actuated=1):
    """Return bars of given lengths that a revolute joint closes on the ground."""
    joints, frames = bars(*lengths, ground=ground, actuated=actuated)
    bodies = tuple(tf.Body(name=f"link{k}", inertia=SOLID) for k in range(len(joints)))
    robot = tf.Robot(name="bars", joints=tuple(joints), bodies=bodies, frames=frames)
    return robot.with_loop("tip", "ground", kind="revolute", name="pin")


def many_four_bars(count):
    """Return four-bars next to each other, none of them closed at zero."""
    robot = linkage(0.4, 0.9, 0.7)
    for k in range(1, count):
        robot = robot.attach(linkage(0.4, 0.9, 0.7), at="base", name=f"n{k}")
    return robot


def error(robot, q):
    return np.abs(Mechanism(robot).error(q)).max()


@seeds(quick=4, all=300)
@pytest.mark.parametrize("planar", [False, True])
def test_random_mechanisms_close_from_zero(seed, planar):
    robot, _ = random_mechanism(seed, planar)
    assert error(robot, Mechanism(robot).closed_state()) < 1e-9


@seeds(quick=2, all=60)
def test_two_loops_that_share_links(seed):
    """A second loop is closed where the first one is: between its links, in a state that the search does not know."""
    robot = two_loops(seed)
    found = freedom(robot)
    assert error(robot, found.q) < 1e-9
    assert found.mobility == len(robot.velocity_names) == robot.dof


def two_loops(seed):
    robot, q = random_mechanism(seed, planar=True)
    q = Mechanism(robot).closed_from(q)
    rng = np.random.default_rng(seed)
    joints = [
        *robot.joints,
        tf.Joint(name="x", antecedent=1, mu=0, d=rng.uniform(0.3, 1.0)),
        tf.Joint(name="y", antecedent=len(robot.joints) + 1, mu=0, d=rng.uniform(0.3, 1.0)),
    ]
    bodies = [*robot.bodies, *(tf.Body(name=name, inertia=SOLID) for name in "xy")]
    joints = [replace(joint, variable="") for joint in joints]
    longer = replace(robot, joints=tuple(joints), bodies=tuple(bodies), loops=())
    last = robot.bodies[-1].name
    T = tf.transforms(longer, frames=["y", last]).compile()(np.append(q, rng.uniform(-1, 1, 2)))
    p = np.linalg.inv(T[1]) @ T[0] @ [0.5, 0.0, 0.0, 1.0]
    frames = (
        tf.Joint(name="end", antecedent=len(joints), sigma=2, mu=0, d=0.5),
        tf.Joint(
            name="eye", antecedent=len(robot.joints), sigma=2, mu=0, gamma=np.arctan2(p[1], p[0]), d=np.hypot(*p[:2])
        ),
    )
    return replace(
        longer, frames=frames, loops=tuple(replace(x, joint=replace(x.joint, variable="")) for x in robot.loops)
    ).with_loop("end", "eye", kind="revolute", name="second")


def test_many_loops_close_apart():
    few, many = many_four_bars(4), many_four_bars(40)
    times = []
    for robot in (few, many):
        start = perf_counter()
        found = freedom(robot)
        times.append(perf_counter() - start)
        assert found.mobility == len(robot.loops)
    assert times[1] < 40 * times[0]


def test_what_else_the_robot_has_does_not_matter():
    arm = linkage(0.4, 0.9, 0.7)
    both = tf.robots.puma560().attach(arm, at="link6", name="hand")
    np.testing.assert_array_equal(freedom(both).q[6:], freedom(arm).q)


def test_a_loop_that_cannot_close_is_named():
    robot = linkage(0.4, 0.9, 0.7)
    short = tf.Joint(name="far", antecedent=0, sigma=2, mu=0, d=5.0)
    robot = replace(robot, frames=(*robot.frames, short)).with_loop("link2", "far", kind="spherical", name="rope")
    with pytest.raises(tf.ProgramError, match=r"even by itself, the loop 'rope' stays open by 3\.\d+ m or rad; check"):
        freedom(robot)


def test_loops_that_close_only_one_by_one():
    robot = linkage(0.4, 0.9, 0.7)
    other = tf.Joint(name="other", antecedent=0, sigma=2, mu=0, d=-1.0)
    robot = replace(robot, frames=(*robot.frames, other)).with_loop("tip", "other", kind="spherical", name="second")
    with pytest.raises(tf.ProgramError, match="each of pin, second closes by itself, but not all together"):
        freedom(robot)


def test_limits_are_hints():
    """Both ways to assemble the mechanism are found, each within the limits that ask for it."""
    for lower, upper in ((-3.0, -0.1), (0.1, 3.0)):
        robot = linkage(0.4, 0.9, 0.7)
        joints = list(robot.joints)
        joints[2] = replace(joints[2], limits=replace(joints[2].limits, lower=lower, upper=upper))
        q = freedom(replace(robot, joints=tuple(joints))).q
        assert lower <= q[2] <= upper


def test_newton_stops_at_enough_and_gives_up_where_nothing_helps():
    def left(q):
        return np.stack([q[:, 0] ** 2 - 4.0, 0.0 * q[:, 0] + (q[:, 0] > 50.0)], axis=1), np.stack(
            [2.0 * q, 0.0 * q], axis=1
        )

    def step(q, v):
        return q + v

    q, left_open = newton(left, step, np.array([[1.0], [-3.0], [0.0], [100.0]]), [0])
    np.testing.assert_allclose(q[:2, 0], [2.0, -2.0])
    np.testing.assert_array_equal(is_closed(left_open)[:3], [True, True, False])  # no slope at zero
    assert loop_closure(linkage(0.4, 0.9, 0.7)).outputs["error"] == (5,)
