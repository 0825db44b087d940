"""Universal joints: what they equal, and where they can be written."""

import math
from dataclasses import replace

import pytest

import tauforge as tf
from tauforge.robot.kinds import REVOLUTE, UNIVERSAL
from tauforge.robot.robot import DOWN

from ...random_robots import random_robot

MODELS = (tf.inverse_dynamics, tf.direct_dynamics, tf.inertia_matrix, tf.coriolis_matrix, tf.bias, tf.energy)


def arm(seed, **options):
    """Return a robot whose second joint is universal."""
    robot = random_robot(seed, smallest=3, largest=3, fixed=False, **options)
    first, second, third = robot.joints
    return replace(robot, joints=(first, replace(second, sigma=UNIVERSAL, antecedent=1), replace(third, antecedent=2)))


def hinged(robot):
    """Return the same with two hinges: about z, and about x of a link without inertia; the last frame turns back."""
    first, second, third = robot.joints
    x = tf.Joint(name="x", antecedent=2, gamma=math.pi / 2, alpha=math.pi / 2, IA=second.IA)
    back = tf.Joint(name="back", antecedent=3, sigma=2, mu=0, alpha=-math.pi / 2, theta=-math.pi / 2)
    joints = (first, replace(second, sigma=REVOLUTE), x, back, replace(third, antecedent=4))
    nothing = (tf.Body(name="cross"), tf.Body(name="turned"))
    return replace(robot, joints=joints, bodies=(robot.bodies[0], *nothing, *robot.bodies[1:]))


@pytest.mark.parametrize("model", MODELS)
def test_it_is_two_hinges(model):
    robot = arm(1, symbolic=True, rotors=True)
    assert model(robot).certify(model(hinged(robot)))


@pytest.mark.parametrize("model", [tf.jacobian, tf.jacobian_rate, tf.jacobian_bias])
def test_its_jacobian_is_that_of_two_hinges(model):
    robot = arm(2, symbolic=True)
    assert model(robot, frame="link3").certify(model(hinged(robot), frame="link3"))


def test_derivatives_are_those_of_two_hinges():
    robot = arm(3)
    ours, theirs = (tf.inverse_dynamics(x).derivative("tau", "q") for x in (robot, hinged(robot)))
    assert ours.certify(theirs)


def test_base_parameters_give_the_same_torques():
    robot = arm(4, symbolic=True)
    base = tf.base_parameters(robot)
    assert tf.inverse_dynamics(robot).certify(base.in_standard(tf.inverse_dynamics(base.robot)))


def test_formats(tmp_path):
    robot = replace(arm(5), gravity=DOWN)
    robot.save(tmp_path / "arm.toml")
    assert 'type = "universal"' in (tmp_path / "arm.toml").read_text()
    assert tf.load(tmp_path / "arm.toml") == robot
    for ending in (".par", ".urdf"):
        with pytest.raises(tf.RobotError, match=r"universal.*toml"):
            robot.save(tmp_path / f"arm{ending}")
    with pytest.raises(tf.RobotError, match="degrees of freedom"):
        robot.lock({robot.joints[1].name: 0.1})


@pytest.mark.parametrize("key", ["QP", "QDP", "GAM"])
def test_a_single_value_cannot_be_that_of_both_axes(key):
    """Not even a zero."""
    robot = arm(6)
    first, second, third = robot.joints
    with pytest.raises(tf.RobotError, match=f"universal joint can have no {key}"):
        replace(robot, joints=(first, replace(second, **{key: 0.0}), third))
