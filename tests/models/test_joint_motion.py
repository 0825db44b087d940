"""The motion of all joints, and the matrix G that it is made of."""

from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.robot.joint import Mimic

from ..interpret import interpret
from ..random_loops import random_mechanism
from ..random_robots import random_robot, random_state, seeds


@seeds(quick=3, all=30)
@pytest.mark.parametrize("planar", [False, True])
def test_the_derivative_of_the_velocities_is_the_null_space_of_the_loops(seed, planar):
    robot, q = random_mechanism(seed, planar)
    n = len(robot.velocity_names)
    G = interpret(tf.joint_motion(robot).derivative("velocities", "qd"), q, np.zeros(n), np.zeros(n))
    J = interpret(tf.loop_closure(robot), q)[2]
    np.testing.assert_allclose(J @ G, 0.0, atol=1e-9 * np.abs(G).max())
    free = [robot.joint_names.index(name) for name in robot.velocity_names]
    np.testing.assert_allclose(G[free], np.eye(n), atol=1e-12)


def test_accelerations_are_the_rate_of_velocities():
    robot, h = tf.robots.sr400(), 1e-5
    motion = tf.joint_motion(robot)
    q = tf.close_loops(robot, [0.1, 0.2, 0.3, 0.4, 0.5, 1.9], guess=[0.1, 0.2, 3.2, 0.3, 0.4, 0.5, 1.9, -1.7])
    qd, qdd = np.random.default_rng(0).normal(size=(2, 6))
    free = [0, 1, 3, 4, 5, 6]
    ends = []
    for t in (-h, h):
        moved = tf.close_loops(robot, q[free] + qd * t + qdd * t * t / 2, guess=q)
        ends.append(interpret(motion, moved, qd + qdd * t, qdd)[0])
    np.testing.assert_allclose((ends[1] - ends[0]) / (2 * h), interpret(motion, q, qd, qdd)[1], atol=1e-6)


def test_trees_and_joints_that_follow_others():
    robot = random_robot(3, smallest=5, largest=5, several=True)
    state = random_state(robot, 1)
    velocities, accelerations = interpret(tf.joint_motion(robot), *state)
    np.testing.assert_array_equal(velocities, state[1])
    np.testing.assert_array_equal(accelerations, state[2])
    arm = tf.robots.puma560()
    arm = replace(arm, joints=(*arm.joints[:5], replace(arm.joints[5], mimic=Mimic(joint=2, ratio=-0.5))))
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 5))
    velocities, accelerations = interpret(tf.joint_motion(arm), q, qd, qdd)
    np.testing.assert_allclose(velocities, [*qd, -0.5 * qd[1]])
    np.testing.assert_allclose(accelerations, [*qdd, -0.5 * qdd[1]])
