"""The wrenches that joints of trees transmit against Pinocchio's; in the frames that a drawing has too."""

from dataclasses import replace

import numpy as np
import pinocchio as pin

import tauforge as tf
from tauforge.robot.kinds import FIXED

from ..interpret import interpret
from ..random_robots import random_state, random_tree, seeds
from .agree import agree
from .with_pinocchio import Twin, constant_pose


@seeds(quick=3, all=100)
def test_joint_wrenches(seed):
    robot = random_tree(seed)
    twin, (q, qd, qdd) = Twin(robot), map(np.array, random_state(robot, seed))
    wrenches = np.random.default_rng(seed).normal(size=(len(twin.robot.bodies), 6))
    pin.rnea(twin.model, twin.data, twin.q(q), twin.v(qd), twin.v(qdd), twin.forces(wrenches))
    F = interpret(tf.joint_wrenches(robot, external_wrenches=True), q, qd, qdd, wrenches)
    for own, joint, carrier in zip(F, twin.robot.joints, twin.carrier, strict=True):
        if joint.sigma != FIXED:  # Pinocchio has none between links that are one body
            agree(own, twin.data.f[carrier].vector)


def test_a_wrench_is_in_the_frame_that_the_name_of_its_link_means():
    robot = tf.robots.puma560()
    place = tf.Joint(name="link3", antecedent=3, sigma=FIXED, mu=0, gamma=0.3, b=0.1, alpha=0.7, d=-0.2, theta=0.4)
    state = random_state(robot, 1)
    plain, moved = (interpret(tf.joint_wrenches(x), *state) for x in (robot, replace(robot, frames=(place,))))
    agree(np.delete(moved, 2, axis=0), np.delete(plain, 2, axis=0))
    agree(moved[2], constant_pose(place).actInv(pin.Force(plain[2])).vector)


def test_what_is_left_of_a_torque_without_rotor_and_friction():
    robot = tf.robots.puma560()
    q, qd, qdd = map(np.array, random_state(robot, 2))
    tau = interpret(tf.inverse_dynamics(robot), q, qd, qdd)
    rotors = qdd * [float(joint.IA) for joint in robot.joints]
    agree(interpret(tf.joint_wrenches(robot), q, qd, qdd)[:, 5], tau - rotors)
