"""Reached poses and Cartesian motions of random arms, in Pinocchio's kinematics."""

from dataclasses import replace

import numpy as np
import pinocchio as pin

import tauforge as tf
from tauforge.geometry.reaching.bounds import bounds
from tauforge.robot.joint import Limits

from ..random_robots import random_robot, seeds
from .agree import agree
from .with_pinocchio import Twin


def placement(twin, q, frame):
    """Return the pose of a link."""
    pin.framesForwardKinematics(twin.model, twin.data, twin.q(q))
    return twin.data.oMf[frame].homogeneous


@seeds(quick=2, all=30)
def test_lines_of_random_arms(seed):
    """The frame's velocity and acceleration are along the line, as Pinocchio computes them from the joints' rates."""
    robot, rng = random_robot(seed, smallest=6, largest=8, fixed=False), np.random.default_rng(seed)
    frame, twin = robot.bodies[-1].name, Twin(robot)
    number = twin.frames[-1]
    q0 = rng.uniform(-1.0, 1.0, robot.dof)
    start = placement(twin, q0, number)
    J = tf.jacobian(robot, frame=frame).compile()(q0)[:3]
    way = J @ rng.uniform(-0.05, 0.05, robot.dof)
    if not way.any():
        return
    points = start[:3, 3] + np.outer([0.0, 1.0], way)
    try:
        motion = tf.cartesian_motion(robot, points, 1.0, frame=frame, q0=q0, aim="position")
    except tf.SimulationError:  # a singular state on the way
        return
    for t in (0.2, 0.5, 0.9):
        q, qd, qdd = motion(t)
        pin.forwardKinematics(twin.model, twin.data, twin.q(q), twin.v(qd), twin.v(qdd))
        pin.updateFramePlacements(twin.model, twin.data)
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        v = pin.getFrameVelocity(twin.model, twin.data, number, axes).linear
        a = pin.getFrameClassicalAcceleration(twin.model, twin.data, number, axes).linear
        s, rate, rise = (
            t**3 * (10 - 15 * t + 6 * t**2),
            t**2 * (30 - 60 * t + 30 * t**2),
            t * (60 - 180 * t + 120 * t**2),
        )
        agree(twin.data.oMf[number].translation, start[:3, 3] + s * way)
        agree(v, rate * way)
        agree(a, rise * way)


@seeds(quick=3, all=30)
def test_reached_poses(seed):
    robot, rng = random_robot(seed, smallest=6, largest=9, fixed=False), np.random.default_rng(seed)
    frame, twin = robot.bodies[-1].name, Twin(robot)
    q = rng.uniform(-1.0, 1.0, robot.dof)
    goal = placement(twin, q, twin.frames[-1]).copy()
    found = tf.reach(robot, goal, frame=frame, q0=q + rng.normal(scale=0.05, size=robot.dof), strict=False)
    assert found.distance < 1e-3
    if found.reached:
        agree(placement(twin, found.q, twin.frames[-1]), goal)


@seeds(quick=3, all=60)
def test_reached_poses_of_any_robot(seed):
    """Trees with all kinds of joints, some with limits and some on a floating base, without a start to begin from."""
    robot = random_robot(seed, smallest=3, largest=9, several=True, floating=seed % 3 == 0, fixed=False)
    rng, twin = np.random.default_rng(seed), Twin(robot)
    joints = tuple(
        replace(joint, limits=Limits(lower=-2.0, upper=2.0)) if len(joint.kind.coordinates) == 1 else joint
        for joint in robot.joints
    )
    robot = robot.derived(joints=joints)
    neutral = np.array([x for joint in robot.expanded().joints for x in joint.kind.neutral], dtype=float)
    q = np.asarray(tf.integrate(robot).compile()(neutral, rng.uniform(-1.5, 1.5, (4, robot.dof))))
    frame, number = robot.bodies[-1].name, twin.frames[-1]
    goals = np.array([placement(twin, state, number).copy() for state in q])
    found = tf.reach(robot, goals, frame=frame, strict=False)
    assert found.reached.all(), found.reason
    single = bounds(robot)
    at = found.q[:, single.places]
    assert ((at >= single.lower) & (at <= single.upper)).all()
    for state, goal in zip(found.q, goals, strict=True):
        agree(placement(twin, state, number), goal)
