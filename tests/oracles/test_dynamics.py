"""Every model of dynamics against Pinocchio, on 300 random trees of 2 to 25 bodies, on fixed and floating bases."""

import numpy as np
import pinocchio as pin

import tauforge as tf
from tauforge.robot.kinds import FIXED

from ..interpret import interpret
from ..random_robots import random_state, random_tree, seeds
from .agree import agree, solved
from .with_pinocchio import Twin

DYNAMIC = (9, 6, 7, 8, 0, 1, 3, 2, 4, 5)
"""Where Pinocchio's parameters of a body, m mx my mz Ixx Ixy Iyy Ixz Iyz Izz, stand in ours."""


@seeds(quick=4, all=300)
def test_inverse_dynamics_and_its_parts(seed):
    robot = random_tree(seed)
    twin, (q, qd, qdd) = Twin(robot), map(np.array, random_state(robot, seed))
    model, data, state = twin.model, twin.data, (twin.q(q), twin.v(qd), twin.v(qdd))
    tau = twin.rows(pin.rnea(model, data, *state))
    agree(interpret(tf.inverse_dynamics(robot), q, qd, qdd), tau)
    h = twin.rows(pin.nle(model, data, *state[:2]))
    agree(interpret(tf.bias(robot), q, qd), h)
    g = twin.rows(pin.computeGeneralizedGravity(model, data, state[0]))
    agree(interpret(tf.gravity(robot), q), g)
    agree(interpret(tf.coriolis_matrix(robot), q, qd) @ qd, h - g)
    M = twin.symmetric(pin.crba(model, data, state[0]))
    agree(interpret(tf.inertia_matrix(robot), q), M)
    wrenches = np.random.default_rng(seed).normal(size=(len(twin.robot.bodies), 6))
    loaded = twin.rows(pin.rnea(model, data, *state, twin.forces(wrenches)))
    agree(interpret(tf.inverse_dynamics(robot, external_wrenches=True), q, qd, qdd, wrenches), loaded)


@seeds(quick=4, all=300)
def test_direct_dynamics(seed):
    robot = random_tree(seed)
    twin, (q, qd, tau) = Twin(robot), map(np.array, random_state(robot, seed))
    model, data, state = twin.model, twin.data, (twin.q(q), twin.v(qd), twin.v(tau))
    wrenches = np.random.default_rng(seed).normal(size=(len(twin.robot.bodies), 6))
    free, loaded = (twin.rows(pin.aba(model, data, *state, *more)) for more in ((), (twin.forces(wrenches),)))
    tolerance = solved(twin.symmetric(pin.crba(model, data, state[0])))
    for method in ("articulated", "composite"):
        program = tf.direct_dynamics(robot, method=method, external_wrenches=True)
        agree(interpret(program, q, qd, tau, 0.0 * wrenches), free, tolerance)
        agree(interpret(program, q, qd, tau, wrenches), loaded, tolerance)


@seeds(quick=4, all=300)
def test_energy_momentum_and_regressor(seed):
    robot = random_tree(seed)
    twin, (q, qd, qdd) = Twin(robot), map(np.array, random_state(robot, seed))
    model, data, state = twin.model, twin.data, (twin.q(q), twin.v(qd), twin.v(qdd))
    mass, moments = twin.standing()
    kinetic, potential = interpret(tf.energy(robot), q, qd)
    agree(kinetic, pin.computeKineticEnergy(model, data, *state[:2]))
    agree(potential, pin.computePotentialEnergy(model, data, state[0]) - moments @ model.gravity.linear)
    momentum = pin.computeCentroidalMomentum(model, data, *state[:2]).vector.copy()
    A = twin.columns(pin.computeCentroidalMap(model, data, state[0]))
    moved = sum(body.mass for body in list(model.inertias)[1:])
    com = pin.centerOfMass(model, data, state[0])
    away = pin.skew(com - (moved * com + moments) / (moved + mass))  # to the centre of all masses
    momentum[3:], A[3:] = momentum[3:] + away @ momentum[:3], A[3:] + away @ A[:3]
    agree(interpret(tf.centroidal_momentum(robot), q, qd), momentum)
    agree(interpret(tf.centroidal_matrix(robot), q), A)
    Y = interpret(tf.regressor(robot, actuators=()), q, qd, qdd)
    theirs = twin.rows(pin.computeJointTorqueRegressor(model, data, *state).reshape(model.nv, -1))
    for k, joint in enumerate(twin.robot.joints):
        if joint.sigma != FIXED:  # Pinocchio's bodies are the joints'
            first = 10 * (twin.carrier[k] - 1)
            agree(Y[:, 10 * k : 10 * k + 10][:, DYNAMIC], theirs[:, first : first + 10])
    standard = np.array([float(x) for body in twin.robot.bodies for x in body.inertia])
    tau = twin.rows(pin.rnea(model, data, *state))
    rotors = [float(joint.IA) for joint in twin.robot.joints for _ in joint.axes] * qdd
    agree(Y @ standard, tau - rotors)
