"""The equivalent parameters and frames that need the fewest operations."""

import math
from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf

from ..interpret import interpret
from ..random_robots import random_robot, random_state, seeds

ARMS = ("rrp", "scara", "stanford", "rx90", "puma560", "kuka_lwr", "ur5", "panda")


@pytest.mark.parametrize("name", ARMS)
def test_bundled_arms_have_the_same_torques_by_proof(name):
    robot = tf.robots.bundled(name, symbolic=True)
    classical, least = tf.base_parameters(robot), tf.base_parameters(robot, form="least")
    program = tf.inverse_dynamics(least.robot, parameters="standard")
    least.in_standard(program).certify(tf.inverse_dynamics(robot, parameters="standard"))
    assert least.count == classical.count
    assert program.count().total < tf.inverse_dynamics(robot, parameters="base").count().total


@seeds(6, 300)
def test_random_robots_have_the_same_torques_by_proof(seed):
    kinds = {"symbolic": seed % 2 == 0, "several": seed % 3 == 0, "floating": seed % 5 == 0, "rotors": seed % 7 == 0}
    robot = random_robot(seed, largest=5, **kinds)
    least = tf.base_parameters(robot, form="least")
    program = least.in_standard(tf.inverse_dynamics(least.robot, parameters="standard"))
    program.certify(tf.inverse_dynamics(robot, parameters="standard"))
    assert least.count <= tf.base_parameters(robot).count


def test_values_and_bound_robots_follow_from_standard_parameters():
    robot = tf.robots.rx90(symbolic=True)
    least = tf.base_parameters(robot, form="least")
    given = {name: 0.1 + 0.3 * k % 0.7 for k, name in enumerate(robot.symbols)}
    values = least.values(given)
    assert values["TH6L"] == pytest.approx(math.atan2(given["MY6"], given["MX6"]))
    assert values["MX6L"] == pytest.approx(math.hypot(given["MY6"], given["MX6"]))
    state = random_state(robot, 3)
    bound = tf.inverse_dynamics(least.bind(given), parameters="standard")
    expected = tf.inverse_dynamics(robot.bind(given), parameters="standard")
    np.testing.assert_allclose(interpret(bound, *state), interpret(expected, *state), rtol=1e-12)


def test_what_is_on_the_axis_of_a_tip_turns_with_it():
    """The SCARA's last link slides along the axis of the third joint, so that joint's frame can turn too."""
    least = tf.base_parameters(tf.robots.scara(symbolic=True), form="least")
    assert "TH3L" in least.names
    assert "MY3" not in least.names
    assert least.robot.joints[2].theta is tf.symbol("TH3L")
    assert "M4" in least.names


def test_external_wrenches_keep_their_frames():
    robot = tf.robots.rx90(symbolic=True)
    program = tf.inverse_dynamics(robot, parameters="least", external_wrenches=True)
    assert not any(name.startswith("TH") for name in program.parameters)
    assert "YY6L" in program.parameters
    in_standard = tf.base_parameters(robot).least(tips=False).in_standard(program)
    in_standard.certify(tf.inverse_dynamics(robot, parameters="standard", external_wrenches=True))


def test_unknown_forms_are_refused():
    with pytest.raises(tf.RobotError, match="'classical' or 'least'"):
        tf.base_parameters(tf.robots.rx90(symbolic=True), form="best")


def test_masses_on_axes_replace_moments_of_parents():
    robot = tf.robots.panda(symbolic=True)
    least, apart = tf.base_parameters(robot, form="least"), tf.base_parameters(robot).least(masses=False)
    assert {name for name in least.names if name[1].isdigit() and name[0] == "M"} == {"M4L", "M5L", "M7L"}
    counts = [tf.inverse_dynamics(x.robot, parameters="standard").count().total for x in (least, apart)]
    assert counts == [542, 549]
    assert least.count == apart.count


def test_a_short_lever_moves_no_mass():
    """The elbow's 0.0203 m would need a mass of hundreds of kilograms; the 0.4331 m along the forearm do not."""
    robot = tf.robots.puma560()
    least = tf.base_parameters(robot, form="least")
    assert all(abs(x) < 20 for name, x in least.values().items() if name.startswith("M") and name[1].isdigit())
    state = random_state(robot, 1)
    expected = interpret(tf.inverse_dynamics(robot, parameters="standard"), *state)
    np.testing.assert_allclose(interpret(tf.inverse_dynamics(robot, parameters="least"), *state), expected, rtol=1e-12)


@pytest.mark.parametrize("place", range(6))
def test_a_screw_keeps_its_mass(place):
    """It slides as it turns, so that its mass cannot be moved to its parent as that of a plate."""
    arm = tf.robots.rx90(symbolic=True)
    joints = (replace(x, sigma="helical", pitch=0.3) if j == place else x for j, x in enumerate(arm.joints))
    robot = replace(arm, joints=tuple(joints))
    least = tf.base_parameters(robot, form="least")
    program = least.in_standard(tf.inverse_dynamics(least.robot, parameters="standard"))
    assert program.certify(tf.inverse_dynamics(robot, parameters="standard"))
