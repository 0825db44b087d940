"""Derivatives of the inverse dynamics by composite bodies."""

from dataclasses import replace

import pytest

import tauforge as tf
from tauforge.models.slopes import slopes
from tauforge.robot.kinds import HELICAL

from ..random_robots import random_robot, seeds


@seeds(6, 300)
def test_random_robots_have_the_same_derivatives_by_proof(seed):
    kinds = {"symbolic": seed % 2 == 0, "equipped": seed % 3 == 1, "rotors": True, "floating": seed % 4 == 1}
    robot = random_robot(seed, largest=5, **kinds).neglect("lift")
    if seed % 5 == 0:
        robot = replace(robot, joints=(replace(robot.joints[0], sigma=HELICAL, pitch=0.3), *robot.joints[1:]))
    if seed % 4 == 0:
        robot = replace(robot, base=tf.Base(W0=(0.3, 0.2, -0.1), WP0=(0.4, -0.5, 0.6), VP0=(0.1, 0.2, 0.3)))
    own = slopes(robot, ("q", "qd", "qdd"), {"parameters": "standard"})
    program = tf.inverse_dynamics(robot, parameters="standard")
    assert own.certify(program.derivative("tau", ("q", "qd", "qdd"), mode="forward"))


def test_few_operations_for_seven_joints():
    """Before there was this way, they took 5033."""
    program = tf.inverse_dynamics(tf.robots.panda(symbolic=True), parameters="base")
    both = program.derivative("tau", ("q", "qd"))
    assert both.count().total == 2827
    assert both.parameters == program.parameters
    assert program.derivative("tau", "qd").count().total == 1355
    assert program.derivative("tau", "qdd").count().total == 346
    assert both.recipe.program().count() == both.count()


@pytest.mark.parametrize("name", ["sr400", "gough_stewart"])
def test_closed_loops_have_no_such_way(name):
    assert slopes(tf.robots.bundled(name), ("q",), {}) is None


def test_other_options_and_inputs_have_no_such_way():
    robot = tf.robots.puma560()
    assert slopes(robot, ("q",), {"external_wrenches": True}) is None
    assert slopes(robot, ("q", "wrenches"), {}) is None
    pushed = replace(robot, joints=(replace(robot.joints[0], QP=0.3), *robot.joints[1:]))
    assert slopes(pushed, ("q",), {}) is None
    lifted = robot.derived(bodies=tuple(replace(body, lift=(0.0, 0.0, 0.0, 1.0)) for body in robot.bodies))
    assert slopes(lifted, ("q",), {}) is None


def test_an_option_that_is_given_as_it_is_by_default_changes_nothing():
    """Simulations say in every case whether wrenches act."""
    robot = tf.robots.puma560()
    plain, said = tf.inverse_dynamics(robot), tf.inverse_dynamics(robot, external_wrenches=False)
    assert said.derivative("tau", "q").count() == plain.derivative("tau", "q").count()
    assert slopes(robot, ("q",), {"external_wrenches": False}) is not None


def test_a_larger_robot_costs_much_less():
    program = tf.inverse_dynamics(random_robot(1, smallest=12, largest=12, floating=True))
    ours = program.derivative("tau", ("q", "qd"))
    differentiated = program.derivative("tau", ("q", "qd"), mode="forward")
    assert ours.outputs == differentiated.outputs
    assert ours.count().total < 0.75 * differentiated.count().total
    assert ours.certify(differentiated)
