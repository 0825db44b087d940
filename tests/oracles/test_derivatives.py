"""Derivatives of inverse and direct dynamics against Pinocchio's, on random trees."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tauforge import Program, Robot, direct_dynamics, inverse_dynamics
from tauforge.graph.evaluate import evaluate

from ..random_robots import random_robot, random_state
from . import with_pinocchio

ROBOTS, AT_ONCE = 300, 20


def seeds(quick: int) -> pytest.MarkDecorator:
    """Return the first seed of each group, those beyond the quick ones for the long runs."""
    groups = range(0, ROBOTS, AT_ONCE)
    return pytest.mark.parametrize("first", [pytest.param(i, marks=[pytest.mark.slow] * (i >= quick)) for i in groups])


def depth_first(robot: Robot) -> tuple[Robot, list[int]]:
    """Return the robot with its links renumbered branch by branch, and each moving joint's new place.

    Pinocchio's derivatives are right in this order only (stack-of-tasks/pinocchio, issue 1897).
    """
    order, stack = [], [0]
    while stack:
        order.append(stack.pop())
        stack += [j for j, joint in enumerate(robot.joints, 1) if joint.antecedent == order[-1]]
    number = {link: place for place, link in enumerate(order)}
    joints = [replace(robot.joints[j - 1], antecedent=number[robot.joints[j - 1].antecedent]) for j in order[1:]]
    renumbered = replace(robot, joints=tuple(joints), bodies=tuple(robot.bodies[j - 1] for j in order[1:]))
    return renumbered, [renumbered.joint_names.index(name) for name in robot.joint_names]


def compare(robot: Robot, program: Program, oracle: Callable[..., tuple[np.ndarray, ...]], seed: int, tolerance: float):
    """Compare the derivatives with respect to each input with those that Pinocchio gives."""
    state = [np.array(x) for x in random_state(robot, seed)]
    renumbered, place = depth_first(robot)
    old = np.argsort(place)
    expected = oracle(with_pinocchio.to_pinocchio(renumbered), *(x[old] for x in state))
    values = {f"{x}[{i}]": v for x, array in zip(program.inputs, state, strict=True) for i, v in enumerate(array)}
    (output,) = program.outputs
    for name, matrix in zip(program.inputs, expected, strict=True):
        (array,) = program.derivative(output, name).results.values()
        difference = np.reshape(evaluate(array.nodes, values), matrix.shape) - matrix[np.ix_(place, place)]
        assert np.abs(difference).max() <= tolerance * max(1.0, np.abs(matrix).max()), (robot, name)


@seeds(quick=60)
def test_inverse_dynamics(first):
    for seed in range(first, first + AT_ONCE):
        robot = random_robot(seed, largest=8 if seed % AT_ONCE else 25, rotors=seed % 3 == 0)
        if robot.dof:
            compare(robot, inverse_dynamics(robot), with_pinocchio.inverse_dynamics_derivatives, seed, 1e-9)


@seeds(quick=20)
@pytest.mark.parametrize("method", ["composite", "articulated"])
def test_direct_dynamics(first, method):
    for seed in range(first, first + AT_ONCE):
        robot = random_robot(seed, rotors=seed % 3 == 0)
        if robot.dof:
            program = direct_dynamics(robot, method=method)
            compare(robot, program, with_pinocchio.direct_dynamics_derivatives, seed, 1e-7)
