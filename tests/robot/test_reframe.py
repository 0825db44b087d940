"""Re-chosen frames: the same torques, and the operations of a description made by hand."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.robot.assemble import inward, standing
from tauforge.robot.kinds import PRISMATIC
from tauforge.spatial.pose import HERE, Pose
from tauforge.spatial.rotation import Rotation, about
from tauforge.spatial.vector import Vector
from tests.interpret import interpret
from tests.random_robots import random_robot, random_state, seeds

AXIAL = [name for name in tf.robots.names() if all(len(joint.axes) == 1 for joint in tf.robots.bundled(name).joints)]
"""Robots without joints of several degrees of freedom, which keep their frames."""


def disturbed(robot: tf.Robot, seed: int) -> tf.Robot:
    """Return a robot whose frames are turned about and moved along its axes, as those of a drawing may be."""
    rng = np.random.default_rng(seed)
    moved = [HERE]
    for joint in robot.joints:
        shift = rng.uniform(-1, 1, 3) * ([1, 1, 1] if joint.sigma == PRISMATIC else [0, 0, 1])
        moved.append(Pose(Rotation([about(2, rng.uniform(-3, 3))]), Vector(*map(float, shift))))
    joints = [
        standing(joint, moved[joint.antecedent].inverse().then(joint.pose()).then(moved[j]))
        for j, joint in enumerate(robot.joints, 1)
    ]
    bodies = [inward(body, moved[j].inverse()) for j, body in enumerate(robot.bodies, 1)]
    return replace(robot, joints=tuple(joints), bodies=tuple(bodies), free_frames=True)


def with_numbers(robot: tf.Robot) -> tf.Robot:
    """Return a robot with a number for each symbol, and for each inertial parameter one without accidental zeros."""
    rng = np.random.default_rng(5)
    robot = robot.tree().bind({name: round(rng.uniform(0.1, 1), 3) for name in robot.symbols})
    large = ("XX", "YY", "ZZ", "M")
    inertias = [
        tf.Inertia(*(rng.uniform(3, 4) if name in large else rng.uniform(0.1, 0.4) for name in tf.Inertia._fields))
        for _ in robot.bodies
    ]
    return replace(robot, bodies=tuple(replace(b, inertia=x) for b, x in zip(robot.bodies, inertias, strict=True)))


@pytest.mark.parametrize("name", AXIAL)
def test_bundled_robots_come_back(name):
    robot = with_numbers(tf.robots.bundled(name))
    free = disturbed(robot, 1)
    again = free.to_mdh()
    state = random_state(robot, 2)
    expected = interpret(tf.inverse_dynamics(robot, reframe=False), *state)
    np.testing.assert_allclose(interpret(tf.inverse_dynamics(again), *state), expected, rtol=1e-9, atol=1e-9)
    for parameters in ("standard", "base"):
        ours, theirs = (
            tf.inverse_dynamics(x, parameters=parameters, reframe=False).count().total for x in (again, robot)
        )
        assert ours <= 1.03 * theirs
        assert tf.inverse_dynamics(free, parameters=parameters).count().total <= 1.03 * theirs


@seeds(quick=10, all=30)
def test_random_trees_keep_their_torques(seed):
    robot = random_robot(seed, largest=10, fixed=bool(seed % 2))
    for made in (robot.to_mdh(), disturbed(robot, seed).to_mdh()):
        state = random_state(robot, seed)
        expected = interpret(tf.inverse_dynamics(robot), *state)
        np.testing.assert_allclose(interpret(tf.inverse_dynamics(made), *state), expected, rtol=1e-9, atol=1e-9)
        names = [body.name for body in robot.bodies]
    T = interpret(tf.transforms(robot, frames=names), state[0])
    np.testing.assert_allclose(interpret(tf.transforms(robot.to_mdh(), frames=names), state[0]), T, atol=1e-11)


@seeds(quick=3, all=10)
@pytest.mark.parametrize("error", [3.7e-6, 1e-3, 0.05])
def test_axes_that_are_nearly_parallel(seed, error):
    rng = np.random.default_rng(seed)
    robot = with_numbers(tf.robots.puma560())
    joints = [
        replace(joint, alpha=float(joint.alpha) + error * rng.uniform(-1, 1), gamma=rng.uniform(-1, 1) * error)
        for joint in robot.joints
    ]
    free = disturbed(replace(robot, joints=tuple(joints)), seed)
    state = random_state(robot, seed)
    expected = interpret(tf.inverse_dynamics(free, reframe=False), *state)
    np.testing.assert_allclose(interpret(tf.inverse_dynamics(free.to_mdh()), *state), expected, rtol=1e-9, atol=1e-9)


def test_a_tolerance_makes_rounded_angles_right_ones():
    robot = with_numbers(tf.robots.rx90())
    joints = [replace(joint, alpha=round(float(joint.alpha), 4)) for joint in robot.joints]
    rounded = replace(robot, joints=tuple(joints))
    count = tf.inverse_dynamics(robot, parameters="base").count().total
    assert tf.inverse_dynamics(rounded.to_mdh(tolerance=1e-4), parameters="base").count().total == count
    assert tf.inverse_dynamics(rounded, parameters="base").count().total > count


def test_the_user_s_frames_keep_their_names():
    robot = with_numbers(tf.robots.panda())
    free = disturbed(robot, 3)
    state = random_state(robot, 1)
    link = free.bodies[-1].name
    wrenches = np.random.default_rng(0).uniform(-1, 1, (len(free.bodies), 6))
    np.testing.assert_allclose(
        interpret(tf.inverse_dynamics(free, external_wrenches=True), *state, wrenches),
        interpret(tf.inverse_dynamics(free, external_wrenches=True, reframe=False), *state, wrenches),
        rtol=1e-9,
        atol=1e-9,
    )
    for axes in ("base", "frame"):
        np.testing.assert_allclose(
            interpret(tf.jacobian(free.to_mdh(), frame=link, axes=axes), state[0]),
            interpret(tf.jacobian(free, frame=link, axes=axes), state[0]),
            atol=1e-12,
        )


@pytest.mark.parametrize("model", [tf.inverse_dynamics, tf.direct_dynamics, tf.bias])
def test_a_fixed_link_keeps_its_wrench(model):
    """Re-framing merges fixed links, but the rows of the input are the robot's own links."""
    arm = disturbed(tf.robots.puma560(), 3)
    tip = tf.Joint(name="tip", antecedent=6, sigma=2, mu=0, alpha=0.4, d=0.3)
    arm = replace(arm, joints=(*arm.joints, tip), bodies=(*arm.bodies, tf.Body(name="tip")))
    program = model(arm, external_wrenches=True)
    assert program.inputs["wrenches"].labels[0] == tuple(body.name for body in arm.bodies)
    assert program.certify(model(arm, external_wrenches=True, reframe=False))


def test_a_link_that_is_fixed_to_the_ground_keeps_its_potential_energy():
    arm = disturbed(with_numbers(tf.robots.ur5()), 7)
    post = tf.Joint(name="post", antecedent=0, sigma=2, mu=0, alpha=0.4, d=0.3)
    body = tf.Body(name="post", inertia=tf.Inertia(MX=0.1, MZ=2.0, M=3.0))
    arm = replace(arm, joints=(*arm.joints, post), bodies=(*arm.bodies, body))
    assert tf.energy(arm).certify(tf.energy(arm, reframe=False))


def test_every_dynamic_model_takes_the_better_frames():
    robot = disturbed(with_numbers(tf.robots.ur5()), 7)
    q, qd, qdd = random_state(robot, 1)
    for model, state in (
        (tf.direct_dynamics, (q, qd, qdd)),
        (tf.inertia_matrix, (q,)),
        (tf.coriolis_matrix, (q, qd)),
        (tf.bias, (q, qd)),
        (tf.gravity, (q,)),
        (tf.energy, (q, qd)),
    ):
        ours, plain = model(robot), model(robot, reframe=False)
        assert ours.count().total < plain.count().total
        for a, b in zip(interpret(ours, *state), interpret(plain, *state), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-9)


def test_symbols_in_the_geometry_are_refused():
    robot = tf.robots.rx90(symbolic=True)
    with pytest.raises(tf.RobotError, match="only if the geometry is numeric"):
        robot.to_mdh()
    assert robot.reframed is robot


def test_symbols_in_the_motion_of_the_base():
    robot = disturbed(random_robot(3), 0)
    turning = replace(robot, base=replace(robot.base, W0=Vector(0.0, 0.0, tf.symbol("W3"))))
    state = random_state(robot, 0)
    given = interpret(tf.inverse_dynamics(turning), *state, W3=0.7)
    assert np.allclose(given, interpret(tf.inverse_dynamics(turning.bind(W3=0.7)), *state), rtol=1e-9)
