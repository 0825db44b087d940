"""Rotor inertia, viscous friction and springs against MuJoCo's armature, damping and stiffness, on 100 random trees."""

from dataclasses import replace

import numpy as np

import tauforge as tf
from tauforge.robot.kinds import FIXED, FLOATING, REVOLUTE, SPHERICAL

from ..interpret import interpret
from ..random_robots import random_robot, random_state, seeds
from .agree import agree, solved
from .with_mujoco import KINDS, Twin


def tree(seed):
    """Return a robot with joints that MuJoCo has too: a free one only at the base, none with Coulomb friction."""
    robot = random_robot(seed, smallest=2, largest=12, rotors=True, several=True, equipped=True, floating=seed % 3 == 0)
    joints = tuple(replace(joint, **likened(joint)) for joint in robot.joints)
    return replace(robot, joints=joints).neglect("FS", "lift")


def likened(joint):
    """Return what makes a joint one that MuJoCo has inside a tree, if it is not."""
    if joint.sigma == FIXED or (joint.sigma in KINDS and joint.sigma != FLOATING):
        return {}
    return {"sigma": REVOLUTE if joint.kind.is_axial else SPHERICAL, **dict.fromkeys(joint.kind.parameters, 0.0)}


@seeds(quick=5, all=100)
def test_agrees_with_mujoco(seed):
    robot = tree(seed)
    q, qd, qdd = map(np.array, random_state(robot, seed))
    twin = Twin(robot.expanded(), q, qd)
    M = twin.inertia_matrix()
    agree(interpret(tf.inertia_matrix(robot), q), M)
    agree(interpret(tf.inverse_dynamics(robot), q, qd, qdd), twin.inverse(qdd))
    for method in ("articulated", "composite"):
        agree(interpret(tf.direct_dynamics(robot, method=method), q, qd, qdd), twin.direct(qdd), solved(M))
