"""Derivatives of inverse and direct dynamics, in the tangent space, against Pinocchio's and against complex steps."""

import numpy as np
import pinocchio as pin
import pytest

import tauforge as tf

from ..interpret import interpret
from ..random_robots import random_robot, random_state, random_tree, seeds
from .agree import agree, solved
from .complex_step import derivative, tangent
from .with_pinocchio import Twin


@seeds(quick=4, all=300)
def test_inverse_dynamics(seed):
    robot = random_tree(seed)
    twin, state = Twin(robot, hinges=True), [np.array(x) for x in random_state(robot, seed)]
    model, data = twin.model, twin.data
    pin.computeRNEADerivatives(model, data, twin.q(state[0]), twin.v(state[1]), twin.v(state[2]))
    program = tf.inverse_dynamics(robot)
    agree(interpret(program.derivative("tau", "q"), *state), twin.square(data.dtau_dq))
    agree(interpret(program.derivative("tau", "qd"), *state), twin.square(data.dtau_dv))
    agree(interpret(program.derivative("tau", "qdd"), *state), twin.symmetric(data.M))


@seeds(quick=4, all=300)
def test_direct_dynamics(seed):
    robot = random_tree(seed, largest=25 if seed % 20 == 8 else 8)
    twin, state = Twin(robot, hinges=True), [np.array(x) for x in random_state(robot, seed)]
    model, data = twin.model, twin.data
    pin.computeABADerivatives(model, data, twin.q(state[0]), twin.v(state[1]), twin.v(state[2]))
    tolerance = solved(twin.symmetric(data.Minv))
    program = tf.direct_dynamics(robot, method=("articulated", "composite")[seed % 2])
    agree(interpret(program.derivative("qdd", "q"), *state), twin.square(data.ddq_dq), tolerance)
    agree(interpret(program.derivative("qdd", "qd"), *state), twin.square(data.ddq_dv), tolerance)
    agree(interpret(program.derivative("qdd", "tau"), *state), twin.symmetric(data.Minv), tolerance)


SECOND = (("q", "q"), ("q", "qd"), ("q", 2), ("qd", "qd"))
"""Pairs of inputs by which efforts or accelerations have second derivatives; 2 is q̈ or τ."""


@seeds(quick=5, all=200)
@pytest.mark.parametrize("model", [tf.inverse_dynamics, tf.direct_dynamics])
def test_second_derivatives(model, seed):
    robot = random_robot(seed, largest=3, fixed=False, rotors=True, several=True, floating=seed % 3 == 0)
    program = model(robot)
    state = dict(zip(program.inputs, map(np.array, random_state(robot, seed)), strict=True))
    ((output, (dof,)),) = program.outputs.items()
    first, second = SECOND[seed % len(SECOND)]
    second = second if second in state else list(state)[second]
    once = program.derivative(output, first)
    twice = once.derivative(f"d{output}_d{first}", second)
    directions = tangent(robot, state["q"]) if second == "q" else np.eye(dof)
    agree(interpret(twice, *state.values()), derivative(once, state, second, directions), 1e-7)
