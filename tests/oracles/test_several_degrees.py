"""Spherical and floating joints and floating bases against Pinocchio, and the same identities certified."""

import pickle

import numpy as np
import pinocchio as pin
import pytest

import tauforge as tf
from tauforge.graph.node import as_node
from tauforge.parameters.minimal import rank

from ..interpret import interpret
from ..random_robots import random_robot, random_state
from .test_tree_models import close
from .with_pinocchio import to_pinocchio, whole


def agrees(robot, whole_robot, seed):
    """Compare a robot's models with Pinocchio's, which is built from the robot whose base is a joint."""
    model = to_pinocchio(whole_robot)
    data = model.createData()
    q, qd, qdd = map(np.array, random_state(whole_robot, seed))
    tau = pin.rnea(model, data, q, qd, qdd)
    assert close(interpret(tf.inverse_dynamics(robot), q, qd, qdd), tau), robot
    assert close(interpret(tf.inertia_matrix(robot), q), whole(pin.crba(model, data, q))), robot
    for method in ("articulated", "composite"):
        assert close(interpret(tf.direct_dynamics(robot, method=method), q, qd, tau), qdd, 1e-7), robot
    coriolis = pin.nle(model, data, q, qd) - pin.computeGeneralizedGravity(model, data, q)
    assert close(interpret(tf.coriolis_matrix(robot), q, qd) @ qd, coriolis), robot
    pin.ccrba(model, data, q, qd)
    if all(joint.sigma != 2 for joint in robot.joints):  # Pinocchio leaves out what is fixed to the world
        assert close(interpret(tf.centroidal_matrix(robot), q), data.Ag.reshape(6, -1)), robot
        assert close(interpret(tf.centroidal_momentum(robot), q, qd), data.hg.vector), robot
    base = tf.base_parameters(robot)
    program = tf.regressor(robot, parameters="base")
    values = base.values()
    Y = interpret(program, q, qd, qdd)
    assert close(Y @ [values[name] for name in program.outputs["Y"].labels[1]], tau), robot


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_joints_of_several_degrees(first):
    for seed in range(first, first + 10):
        robot = random_robot(seed, largest=5, several=True, rotors=True, branch_by_branch=True)
        if robot.dof:
            agrees(robot, robot, seed)


@pytest.mark.parametrize("first", range(0, 20, 10))
def test_floating_bases(first):
    for seed in range(first, first + 10):
        robot = random_robot(seed, largest=4, branch_by_branch=True)
        trunk = tf.Body(name="trunk", inertia=random_robot(seed + 1).bodies[0].inertia)
        floating = robot.with_base("floating", body=trunk)
        assert floating.expanded().dof == robot.dof + 6
        agrees(floating, floating.expanded(), seed)


@pytest.mark.parametrize("seed", range(12))
def test_proofs(seed):
    robot = random_robot(seed, largest=3, several=True, symbolic=seed % 2 == 0)
    base = tf.base_parameters(robot)
    assert base.count == rank(
        robot.map(as_node), [(n, j + 1) for j in range(len(robot.joints)) for n in tf.Inertia._fields]
    )
    reduced = tf.inverse_dynamics(base.robot)
    tf.inverse_dynamics(robot).certify(
        reduced.bind({n: x for n, x in base.relations.items() if n in reduced.parameters})
    )
    if robot.dof:
        tf.direct_dynamics(robot, method="articulated").certify(tf.direct_dynamics(robot, method="composite"))


def test_a_planar_joint_keeps_the_balance_of_power():
    """Its velocity is in the link's own frame: gravity's power along it is the rate of the potential energy."""
    body = random_robot(5, largest=1, fixed=False).bodies[0]
    joint = tf.Joint(name="plane", antecedent=0, sigma=5, alpha=0.4, d=0.3, r=0.2)
    robot = tf.Robot(name="planar", joints=(joint,), bodies=(body,))
    q, v = np.array([0.3, -0.2, 0.7]), np.array([0.5, 0.4, -0.6])
    kinetic, potential = interpret(tf.energy(robot), q, v)
    assert kinetic == pytest.approx(0.5 * v @ interpret(tf.inertia_matrix(robot), q) @ v)
    c, s, step = np.cos(q[2]), np.sin(q[2]), 1e-6
    moved = q + step * np.array([c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]])
    power = interpret(tf.gravity(robot), q) @ v
    assert (interpret(tf.energy(robot), moved, v)[1] - potential) / step == pytest.approx(power, rel=1e-4)


def test_derivatives_are_in_the_tangent_space():
    for seed in range(12):
        robot = random_robot(seed, largest=3, several=True, fixed=False, branch_by_branch=True)
        model = to_pinocchio(robot)
        data = model.createData()
        q, qd, qdd = map(np.array, random_state(robot, seed))
        pin.computeRNEADerivatives(model, data, q, qd, qdd)
        program = tf.inverse_dynamics(robot).derivative("tau", "q")
        assert program.outputs["dtau_dq"] == (robot.dof, robot.dof)
        assert program.outputs["dtau_dq"].labels[1] == robot.velocity_names
        assert close(interpret(program, q, qd, qdd), data.dtau_dq), robot


def test_programs_with_a_tangent_are_pickled_whole():
    robot = random_robot(3, largest=1, fixed=False).with_base("floating")
    program = tf.inverse_dynamics(robot)
    again = pickle.loads(pickle.dumps(program))
    assert again.derivative("tau", "q").certify(program.derivative("tau", "q"))
