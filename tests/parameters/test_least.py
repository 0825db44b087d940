"""The equivalent parameters and frames that need the fewest operations."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.robot.joint import Mimic

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
    assert "YY6LF" in program.parameters
    in_standard = tf.base_parameters(program).in_standard(program)
    in_standard.certify(tf.inverse_dynamics(robot, parameters="standard", external_wrenches=True))


MODELS = (tf.inverse_dynamics, tf.direct_dynamics, tf.inertia_matrix, tf.coriolis_matrix, tf.gravity, tf.bias)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", ["rrp", "scara", pytest.param("panda", marks=pytest.mark.slow), "ur5"])
def test_every_model_takes_the_set_that_costs_it_least(model, name):
    robot = tf.robots.bundled(name, symbolic=True)
    program, base = model(robot, parameters="least"), tf.base_parameters(robot)
    others = [base, base.least(), base.least(masses=False)]
    assert program.count().total == min(model(x.robot, parameters="standard").count().total for x in others)


@pytest.mark.parametrize("model", MODELS)
def test_a_program_tells_its_parameters(model):
    robot = tf.robots.ur5(symbolic=True)
    given = {name: 0.1 + 0.3 * k % 0.7 for k, name in enumerate(robot.symbols)}
    program = model(robot, parameters="least")
    output = next(iter(program.outputs))
    slope = [program.derivative(output, "q")] if output in ("tau", "g") else []
    for each in (program, pickle.loads(pickle.dumps(program)), *slope):
        values = given | tf.base_parameters(each).values(given)
        numbers = each.bind({name: values[name] for name in each.parameters})
        plain = model(robot, parameters="standard")
        plain = plain if output in each.results else plain.derivative(output, "q")
        state = np.random.default_rng(1).normal(size=(3, 6))[: len(numbers.inputs)]
        expected = interpret(plain.bind({name: given[name] for name in plain.parameters}), *state)
        np.testing.assert_allclose(interpret(numbers, *state), expected, rtol=1e-8, atol=1e-8)


def test_models_with_different_sets_can_be_fused():
    """A name has one meaning: M4L of the inverse dynamics is not in the direct dynamics, and XX2L is not XX2P."""
    robot = tf.robots.puma560(symbolic=True)
    parts = [tf.inverse_dynamics(robot, parameters="least"), tf.direct_dynamics(robot, parameters="least")]
    own, other = (tf.base_parameters(part) for part in parts)
    assert {"M4L", "XX2L"} <= {*own.names}
    assert "XX2P" in other.names
    shared = {*own.relations} & {*other.relations}
    assert all(own.relations[name] is other.relations[name] for name in shared)
    fused = other.in_standard(own.in_standard(tf.fuse(*parts)))
    fused.certify(tf.fuse(*(model(robot, parameters="standard") for model in MODELS[:2])))
    with pytest.raises(tf.RobotError, match="several sets of base parameters"):
        tf.base_parameters(tf.fuse(*parts))


def test_sets_can_be_chosen():
    robot = tf.robots.puma560(symbolic=True)
    kept = tf.base_parameters(robot).least(masses=False)
    program = tf.inverse_dynamics(robot, parameters=kept)
    assert tf.base_parameters(program.derivative("tau", "q")) is kept
    assert {*program.parameters} <= {*kept.names, *robot.symbols}
    with pytest.raises(tf.ProgramError, match="those of puma560, another robot than rx90"):
        tf.inverse_dynamics(tf.robots.rx90(symbolic=True), parameters=kept)
    with pytest.raises(tf.ProgramError, match=r"take those of least\(tips=False\)"):
        tf.inverse_dynamics(robot, parameters=kept, external_wrenches=True)
    with pytest.raises(tf.ProgramError, match="centre_of_mass needs the standard parameters"):
        tf.centre_of_mass(robot, parameters=kept)
    with pytest.raises(tf.RobotError, match="takes no base parameters"):
        tf.base_parameters(tf.inverse_dynamics(robot))
    with pytest.raises(tf.RobotError, match="takes no base parameters"):
        tf.base_parameters(tf.Program.of(y="a*b"))


def test_parts_of_a_model_take_the_same_set():
    robot = tf.robots.puma560(symbolic=True)
    program = tf.operational_space(robot, frame="link6", parameters="least")
    in_standard = tf.base_parameters(tf.bias(robot, parameters="least")).in_standard(program)
    in_standard.certify(tf.operational_space(robot, frame="link6", parameters="standard"))


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


@pytest.mark.parametrize("value", [[1.0, 2.0], None, 1j])
def test_values_that_are_no_numbers_are_refused(value):
    with pytest.raises(tf.RobotError, match=r"rrp: XX2 is .*; it must be a number"):
        tf.base_parameters(tf.robots.rrp(symbolic=True), form="least").values(XX2=value)


def test_plates_below_a_slide_on_a_link_that_only_translates():
    """The second link keeps its orientation, as the second joint undoes the first: no moment of inertia of a plate
    further out can be moved there, and the slide between passes all of it on.
    """
    solid = tf.Inertia(1.2, 0.1, -0.1, 1.4, 0.2, 1.1, 0.3, 0.2, 0.1, 2.0)
    given = ({}, {"mimic": Mimic(joint=1, ratio=-1.0), "d": 0.8}, {"sigma": 1}, {"alpha": -math.pi / 2, "d": 0.3})
    robot = tf.Robot(
        name="upright",
        joints=tuple(tf.Joint(name=f"j{j}", antecedent=j - 1, **x) for j, x in enumerate(given, 1)),
        bodies=tuple(tf.Body(name=f"l{j}", inertia=solid) for j in range(1, 5)),
        base=tf.Base(floating=True, body=tf.Body(name="trunk", inertia=solid)),
    )
    base = tf.base_parameters(robot)
    assert base.least().count == base.count
    program = tf.inverse_dynamics(robot, parameters="least")
    program.certify(tf.inverse_dynamics(robot, parameters="standard"))


def test_relations_contain_nothing_that_cancels():
    relations = tf.base_parameters(tf.robots.scara(symbolic=True), form="least").relations
    assert str(relations["M3L"]) == "1/D3*MX2 + M3"
    assert str(relations["ZZ1L"]) == "D2**2*M2 + ZZ1 - D2**2/D3*MX2"
    panda = tf.base_parameters(tf.robots.panda(symbolic=True), form="least").relations
    assert str(panda["M5L"]) == "1/D5*MX4 + M5 + M6 - 1/D7*MX6"


def test_lengths_of_zero_that_parameters_are_divided_by_are_refused():
    robot = tf.robots.rx90(symbolic=True)
    least = tf.base_parameters(robot, form="least")
    given = dict.fromkeys(robot.symbols, 0.5) | {"RL4": 0.0}
    for use in (least.values, least.bind):
        with pytest.raises(tf.RobotError, match=r"divided by a length that is zero here \(zeros: RL4\)"):
            use(given)
    short = robot.bind(RL4=0.0)
    assert tf.base_parameters(short, form="least").values(dict.fromkeys(short.symbols, 0.5))
