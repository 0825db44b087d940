"""Torques along random motions of random robots, against Pinocchio at every sample."""

import numpy as np
import pinocchio as pin

import tauforge as tf

from ..random_robots import random_robot, random_state, random_tree, seeds
from .agree import agree
from .with_pinocchio import Twin


def theirs(twin, samples, forces=None):
    states = zip(samples.q, samples.qd, samples.qdd, strict=True)
    more = () if forces is None else (forces,)
    return np.array(
        [twin.rows(pin.rnea(twin.model, twin.data, twin.q(q), twin.v(qd), twin.v(qdd), *more)) for q, qd, qdd in states]
    )


@seeds(quick=2, all=60)
def test_motions_through_points(seed):
    robot, rng = random_robot(seed, rotors=True), np.random.default_rng(seed)
    points = rng.uniform(-2.0, 2.0, (4, robot.dof))
    kind = ("spline", "cubic", "quintic", "trapezoidal")[seed % 4]
    motion = tf.motion(points, [0.0, 0.7, 1.9, 2.5], kind=kind)
    twin = Twin(robot)
    found = tf.required_torques(robot, motion, dt=0.1)
    agree(found.tau, theirs(twin, motion.sample(0.1)))
    agree(found.power, theirs(twin, found) * found.qd)
    wrenches = rng.normal(size=(len(robot.bodies), 6))
    agree(
        tf.required_torques(robot, motion, dt=0.1, wrench=wrenches).tau,
        theirs(twin, motion.sample(0.1), twin.forces(wrenches)),
    )


@seeds(quick=2, all=30)
def test_samples_of_any_joints(seed):
    """Quaternions and floating bases come as samples."""
    robot = random_tree(seed)
    states = [random_state(robot, 100 * seed + k) for k in range(4)]
    samples = (np.arange(4.0), *(np.array(x) for x in zip(*states, strict=True)))
    found = tf.required_torques(robot, samples)
    agree(found.tau, theirs(Twin(robot), found))


@seeds(quick=2, all=30)
def test_a_load(seed):
    """A load is one more body at the last link's frame."""
    robot, rng = random_robot(seed, fixed=False), np.random.default_rng(seed)
    motion = tf.motion(rng.uniform(-2.0, 2.0, (3, robot.dof)), 2.0)
    A, com = rng.normal(size=(3, 3)), rng.normal(size=3)
    load = {"mass": 2.5, "com": com, "inertia": A @ A.T, "at": robot.bodies[-1].name}
    twin = Twin(robot)
    twin.model.appendBodyToJoint(twin.carrier[-1], pin.Inertia(2.5, com, A @ A.T), twin.pose[-1])
    twin.data = twin.model.createData()
    agree(tf.required_torques(robot, motion, dt=0.1, payload=load).tau, theirs(twin, motion.sample(0.1)))
