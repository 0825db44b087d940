"""Reached poses and Cartesian motions of random arms, in Pinocchio's kinematics."""

import numpy as np
import pinocchio as pin

import tauforge as tf

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
