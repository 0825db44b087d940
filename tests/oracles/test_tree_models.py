"""Direct dynamics, inertia matrix, bias, gravity and energy against Pinocchio, on random trees."""

import numpy as np
import pinocchio as pin
import pytest

import tauforge as tf

from ..interpret import interpret
from ..random_robots import random_robot, random_state
from .with_pinocchio import to_pinocchio

ROBOTS = 120


def close(ours, theirs, tolerance=1e-9):
    return np.abs(np.asarray(ours) - theirs).max(initial=0.0) <= tolerance * max(1.0, np.abs(theirs).max(initial=0.0))


@pytest.mark.parametrize("first", range(0, ROBOTS, 20))
def test_agrees_with_pinocchio(first):
    for seed in range(first, first + 20):
        robot = random_robot(seed, largest=10, rotors=seed % 2 == 0, branch_by_branch=True)
        if not robot.dof:
            continue
        model = to_pinocchio(robot)
        data = model.createData()
        q, qd, qdd = map(np.array, random_state(robot, seed))
        M = pin.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        assert close(interpret(tf.inertia_matrix(robot), q), M), robot
        assert close(interpret(tf.bias(robot), q, qd), pin.nle(model, data, q, qd)), robot
        assert close(interpret(tf.gravity(robot), q), pin.computeGeneralizedGravity(model, data, q)), robot
        coriolis = pin.nle(model, data, q, qd) - pin.computeGeneralizedGravity(model, data, q)
        assert close(interpret(tf.coriolis_matrix(robot), q, qd) @ qd, coriolis), robot
        kinetic, potential = interpret(tf.energy(robot), q, qd)
        assert close(kinetic, 0.5 * qd @ M @ qd), robot
        assert close(potential, pin.computePotentialEnergy(model, data, q) - _fixed_potential(robot)), robot
        tau = pin.rnea(model, data, q, qd, qdd)
        tolerance = 1e-14 * np.linalg.cond(M) + 1e-9  # an ill-conditioned inertia matrix blurs any solution
        for method in ("articulated", "composite"):
            assert close(interpret(tf.direct_dynamics(robot, method=method), q, qd, tau), qdd, tolerance), robot
        assert close(interpret(tf.regressor(robot), q, qd, qdd) @ standard(robot), tau), robot


def standard(robot):
    values = [float(x) for body in robot.bodies for x in body.inertia]
    rotors = [float(robot.joints[j - 1].IA) for j in robot.moving]
    return np.array(values + (rotors if any(rotors) else []))


def _fixed_potential(robot):
    """Return what Pinocchio leaves out: the links that are fixed to the base."""
    model = to_pinocchio(robot)
    whole = interpret(tf.energy(robot), np.zeros(robot.dof), np.zeros(robot.dof))[1]
    return pin.computePotentialEnergy(model, model.createData(), np.zeros(robot.dof)) - whole
