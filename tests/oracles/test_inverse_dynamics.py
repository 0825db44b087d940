"""Inverse dynamics against Pinocchio, and base parameters proved equal and minimal, on 500 random robots."""

import numpy as np
import pytest

from tauforge import base_parameters, inverse_dynamics
from tauforge.graph.node import as_node
from tauforge.parameters.minimal import rank
from tauforge.spatial.inertia import NAMES

from ..random_robots import random_robot, random_state
from . import with_pinocchio

ROBOTS = 500


@pytest.mark.parametrize("first", range(0, ROBOTS, 20))
def test_agrees_with_pinocchio(first):
    for seed in range(first, first + 20):
        robot = random_robot(seed, rotors=seed % 3 == 0)
        if not robot.dof:
            continue
        model = with_pinocchio.to_pinocchio(robot)
        function = inverse_dynamics(robot).compile()
        for k in range(3):
            state = random_state(robot, k)
            expected = with_pinocchio.inverse_dynamics(model, *state)
            assert np.abs(function(*state) - expected).max() <= 1e-9 * max(1.0, np.abs(expected).max()), robot


@pytest.mark.parametrize("first", range(0, ROBOTS, 20))
def test_base_equals_standard_and_is_minimal(first):
    for seed in range(first, first + 20):
        robot = random_robot(seed, symbolic=seed % 2 == 0, rotors=seed % 3 == 0)
        base = base_parameters(robot)
        reduced = inverse_dynamics(base.robot)
        relations = {name: x for name, x in base.relations.items() if name in reduced.parameters}
        inverse_dynamics(robot).certify(reduced.bind(relations))
        every = [(name, j) for j in range(1, len(robot.joints) + 1) for name in NAMES]
        lifted = robot.map(as_node)
        assert base.count == rank(lifted, every), robot


def test_external_wrenches_friction_and_rotors_against_pinocchio():
    import pinocchio as pin

    for seed in range(40):
        robot = random_robot(seed, fixed=False, rotors=True)
        model = with_pinocchio.to_pinocchio(robot)
        q, qd, qdd = random_state(robot, seed)
        wrenches = np.random.default_rng(seed).normal(size=(len(robot.bodies), 6))
        forces = pin.StdVec_Force()
        forces.append(pin.Force.Zero())
        forces.extend(pin.Force(-w) for w in wrenches)  # ours is what the link does to the world, theirs the reverse
        expected = pin.rnea(model, model.createData(), *map(np.array, (q, qd, qdd)), forces)
        given = inverse_dynamics(robot, external_wrenches=True).compile()(q, qd, qdd, wrenches)
        assert np.abs(given - expected).max() <= 1e-9 * max(1.0, np.abs(expected).max())
