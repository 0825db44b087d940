"""The choices that make a Program cheap, and the recipe that keeps them."""

import pickle
from dataclasses import replace
from inspect import Parameter, signature
from pathlib import Path

import numpy as np
import pytest

import tauforge as tf
from tauforge.models.registry import MODELS
from tauforge.program.passes import PASSES
from tauforge.program.ways import LONG
from tests.random_robots import random_robot, random_state

GROUPING = (tf.inverse_dynamics, tf.direct_dynamics, tf.inertia_matrix, tf.bias, tf.gravity)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("model", GROUPING)
def test_a_robot_in_numbers_gets_grouped_parameters(model, seed):
    robot = random_robot(seed, largest=6)
    plain, chosen = model(robot, parameters="standard"), model(robot)
    assert chosen.count().total <= plain.count().total
    state = random_state(robot, seed)[: len(chosen.inputs)]
    np.testing.assert_allclose(chosen.compile()(*state), plain.compile()(*state), rtol=1e-7, atol=1e-9)


def test_grouping_is_proved_exact():
    robot = tf.robots.puma560()
    assert tf.inverse_dynamics(robot).certify(tf.inverse_dynamics(robot, parameters="standard"))


def test_fused_derivatives_keep_the_cheap_form():
    for robot, apart, together in ((tf.robots.puma560(), 1527, 1527), (tf.robots.kuka_lwr(), 2024, 1855)):
        program = tf.inverse_dynamics(robot)
        fused = tf.fuse(program.derivative("tau", "q"), program.derivative("tau", "qd"))
        assert fused.count().total == apart
        assert program.derivative("tau", ("q", "qd")).count().total == together


def test_what_is_compiled_is_what_is_counted_and_pickled():
    program = tf.inverse_dynamics(tf.robots.puma560())
    function = program.compile()
    assert function.program is program
    again = pickle.loads(pickle.dumps(function))
    assert again.program.count() == program.count()
    assert again.program.code("c") == program.code("c")
    state = np.random.default_rng(0).normal(size=(3, 6))
    np.testing.assert_array_equal(function(*state), again(*state))


def test_a_symbolic_robot_keeps_its_parameters():
    robot = tf.robots.rx90(symbolic=True)
    program = tf.inverse_dynamics(robot)
    assert program.parameters == tf.inverse_dynamics(robot, parameters="standard").parameters
    assert program.count() == tf.inverse_dynamics(robot, parameters="standard").count()


def test_a_long_chain_is_not_grouped():
    puma = tf.robots.puma560()
    joints = tuple(replace(puma.joints[i % 6], name=f"j{i}", antecedent=i, variable="") for i in range(LONG + 1))
    bodies = tuple(replace(puma.bodies[2 + i % 4], name=f"l{i}") for i in range(LONG + 1))
    robot = tf.Robot(name="long", joints=joints, bodies=bodies)
    assert tf.inverse_dynamics(robot).count() == tf.inverse_dynamics(robot, parameters="standard").count()


def test_every_model_keeps_its_recipe():
    robot = tf.robots.puma560()
    options = {
        "frame": "link6",
        "accelerated": ("joint1",),
    }
    for name, model in MODELS.items():
        needed = [p.name for p in signature(model.function).parameters.values() if p.default is Parameter.empty][1:]
        program = model.function(robot, **{key: options[key] for key in needed})
        recipe = pickle.loads(pickle.dumps(program)).recipe
        assert (recipe.model.replace("_", "-"), recipe.robot.name) == (name, "puma560")
        assert recipe.program().count() == program.count()


def test_recipes_of_what_is_made_of_programs():
    symbolic = tf.robots.planar2r(symbolic=True)
    values = {name: 0.3 + 0.1 * i for i, name in enumerate(symbolic.symbols)}
    program = tf.inverse_dynamics(symbolic)
    bound = program.bind({name: values[name] for name in program.parameters})
    made = tf.fuse(bound, bound.derivative("tau", "q"), name="both")
    assert (made.recipe.model, made.recipe.of[1].model, made.recipe.robot) == ("fuse", "derivative", symbolic)
    again = made.recipe.program()
    assert (again.name, again.code("c")) == ("both", made.code("c"))


def test_optimise_groups_the_parameters_of_what_has_been_bound():
    symbolic = tf.robots.rx90(symbolic=True)
    program = tf.inverse_dynamics(symbolic)
    rng = np.random.default_rng(1)
    bound = program.bind({name: float(rng.uniform(0.1, 1.0)) for name in program.parameters})
    best = bound.optimise("quick")
    assert best.count().total <= 481 < bound.count().total
    assert bound.certify(best)


def test_a_program_made_by_hand_has_no_recipe_and_can_be_optimised():
    program = tf.Program.of(y="a*b + a*c")
    assert program.recipe is None
    assert program.derivative("y", "a").recipe is None
    assert program.optimise("quick").count().total == 2
    assert tf.fuse(program, name="x").recipe is None


@pytest.mark.parametrize("wrong", ["minimal", "", None])
def test_unknown_parameters_are_refused(wrong):
    with pytest.raises(tf.ProgramError, match="'auto', 'standard', 'base' or 'least'"):
        tf.inverse_dynamics(tf.robots.puma560(), parameters=wrong)


def test_masses_are_not_grouped_away():
    with pytest.raises(tf.ProgramError, match="needs the standard parameters"):
        tf.centre_of_mass(tf.robots.puma560(), parameters="base")


def test_an_iterator_of_joints_serves_every_way():
    robot = tf.robots.puma560()
    program = tf.hybrid_dynamics(robot, accelerated=iter(["joint1", "joint2"]))
    assert program.outputs["efforts"].labels == (("joint1", "joint2"),)
    assert program.recipe.program().count() == program.count()


@pytest.mark.parametrize("value", [0.4, 0.0])
@pytest.mark.parametrize("name", ["D3", "MX4", "ZZ6"])
def test_optimise_leaves_the_meaning_of_base_parameters(name, value):
    bound = tf.inverse_dynamics(tf.robots.puma560(symbolic=True), parameters="base").bind({name: value})
    best = bound.optimise("quick")
    assert best.parameters == bound.parameters
    assert bound.certify(best)


def test_optimise_keeps_the_inputs():
    robot = tf.robots.planar2r(symbolic=True)
    program = tf.operational_space(robot, frame="link2", rows=("vx", "vy"), damping="ZZ1")
    bound = program.bind(dict.fromkeys(program.parameters, 0.5))
    best = bound.optimise("quick")
    assert best.inputs == bound.inputs
    assert bound.certify(best)


def test_values_that_are_too_large_to_group():
    program = tf.inverse_dynamics(tf.robots.puma560(symbolic=True))
    bound = program.bind({name: 1.5e308 if name in ("ZZ4", "YY5") else 0.5 for name in program.parameters})
    assert bound.certify(bound.optimise("quick"))
    robot = tf.robots.puma560(symbolic=True)
    robot = robot.bind({name: 1.5e308 if name in ("ZZ4", "YY5") else 0.5 for name in robot.symbols})
    assert bound.certify(tf.inverse_dynamics(robot))
    with pytest.raises(tf.ExpressionError, match="too large"):
        tf.inverse_dynamics(robot, parameters="base")


@pytest.mark.parametrize("model", GROUPING)
def test_point_masses_are_not_grouped_where_that_costs_more(model):
    robot = random_robot(17, largest=5)
    robot = replace(robot, bodies=tuple(replace(b, inertia=tf.Inertia(M=1.5)) for b in robot.bodies))
    assert model(robot).count().total <= model(robot, parameters="standard").count().total


@pytest.mark.parametrize("given", [["q", "qd"], iter(["q", "qd"]), {"q": 0, "qd": 1}.keys()])
def test_a_recipe_keeps_what_it_was_given(given):
    made = tf.gravity(tf.robots.planar2r()).derivative("g", "q")
    program = tf.bias(tf.robots.planar2r()).derivative("h", given)
    assert tuple(program.outputs) == ("dh_dq", "dh_dqd")
    if isinstance(given, list):
        given.clear()
    again = pickle.loads(pickle.dumps(program)).recipe.program()
    assert again.code("c") == program.code("c")
    assert made.recipe.program().code("c") == made.code("c")


def test_a_list_of_joints_may_change_afterwards():
    names = ["joint1"]
    program = tf.hybrid_dynamics(tf.robots.puma560(), accelerated=names)
    names.append("joint2")
    assert program.recipe.program().outputs == program.outputs


def test_what_has_been_optimised_is_made_so_again():
    bound = tf.inverse_dynamics(tf.robots.rx90(symbolic=True)).bind(D3=0.4)
    best = bound.optimise("quick")
    assert best.count().total < bound.count().total
    assert best.recipe.program().code("c") == best.code("c")
    assert best.optimise("quick").count().total <= best.count().total


def test_both_parts_of_a_split_program_keep_its_recipe():
    bound = tf.inverse_dynamics(tf.robots.rx90(symbolic=True)).bind(D3=0.4)
    for part in bound.split():
        again = pickle.loads(pickle.dumps(part)).recipe
        assert again.robot.name == "rx90"
        assert again.program().code("c") == part.code("c")
        assert part.certify(part.optimise("quick"))  # the constants between them mean what they did


def test_a_program_with_another_name_is_made_by_hand():
    robot = tf.robots.planar2r()
    first, second = (
        replace(tf.gravity(robot, parameters=parameters), name=parameters) for parameters in ("base", "standard")
    )
    assert first.recipe is None
    assert tf.fuse(first, second).recipe is None
    assert tf.fuse(first, second).optimise("quick").outputs.keys() == {"base_g", "standard_g"}


@pytest.mark.parametrize("name", ["make", "programs", "options", "self", "values", "recipe"])
def test_a_parameter_may_have_any_name(name):
    program = tf.inverse_dynamics(tf.robots.puma560(symbolic=True).bind(XX3=name))
    bound = program.bind({name: 0.3})
    assert name in program.parameters
    assert bound.certify(bound.recipe.program())
    assert bound.certify(bound.optimise("quick"))


@pytest.mark.parametrize("motion", [{"W0": (0.3, 0.2, 0.1)}, {"WP0": (0.3, 0.2, 0.1)}, {"VP0": (0.0, 0.0, -9.81)}])
@pytest.mark.parametrize("parameters", ["auto", "base"])
def test_gravity_is_grouped_for_a_base_at_rest(parameters, motion):
    robot = tf.robots.puma560()
    moving = replace(robot, base=replace(robot.base, **motion))
    expected = tf.gravity(robot, parameters="standard")
    assert expected.certify(tf.gravity(moving, parameters=parameters))
    assert expected.certify(tf.gravity(moving, parameters="standard"))


def test_base_parameters_of_a_moving_base_are_those_of_efforts():
    robot = tf.robots.puma560()
    moving = replace(robot, base=replace(robot.base, W0=(0.3, 0.2, 0.1)))
    with pytest.raises(tf.ProgramError, match="where the base moves"):
        tf.energy(moving, parameters="base")
    assert tf.energy(moving).certify(tf.energy(moving, parameters="standard"))


@pytest.mark.parametrize("motion", [{"W0": (0.3, 0.2, 0.1)}, {"WP0": (0.3, 0.2, 0.1)}, {"VP0": (0.0, 0.0, -9.81)}])
@pytest.mark.parametrize("parameters", ["auto", "base"])
def test_the_coriolis_matrix_of_a_moving_base_is_grouped(parameters, motion):
    robot = tf.robots.puma560()
    moving = replace(robot, base=replace(robot.base, **motion))
    expected = tf.coriolis_matrix(moving, parameters="standard")
    assert expected.certify(tf.coriolis_matrix(moving, parameters=parameters))


def test_a_program_bound_in_many_steps():
    program = tf.gravity(tf.robots.planar2r(symbolic=True))
    name = program.parameters[0]
    for _ in range(600):
        program = program.bind({name: f"-{name}"})
    again = pickle.loads(pickle.dumps(program))
    assert again.recipe.robot == program.recipe.robot
    assert again.recipe.program().code("c") == program.code("c")
    assert program.certify(program.optimise("quick"))


def test_a_recipe_prints_its_steps():
    program = tf.gravity(tf.robots.planar2r(), parameters="base").derivative("g", "q", mode="forward")
    assert repr(program.recipe) == (
        "Recipe(planar2r: gravity(parameters=BaseParameters(planar2r: 6 of 20, 2 of them grouped)), "
        "derivative(output='g', input=('q',), mode='forward', values=False))"
    )


def test_optimise_tries_the_ways_that_a_recipe_leaves_open():
    robot = tf.robots.ur5(symbolic=True)
    program, sums = (tf.inverse_dynamics(robot, parameters="least", sums=x) for x in (False, True))
    left = tf.inverse_dynamics(robot, parameters="least")
    assert left.count() == program.count()
    assert left.optimise("quick").count().total <= sums.count().total < program.optimise("quick").count().total


def test_choices_of_the_user_are_kept():
    robot = tf.robots.planar2r()
    chosen = tf.direct_dynamics(robot, method="articulated", sums=False)
    assert chosen.recipe.ways({}) == []
    assert [way.options for way in tf.direct_dynamics(robot, sums=True).recipe.ways({})] == [
        {"sums": True, "method": "composite"},
        {"sums": True, "method": "articulated"},
    ]
    assert chosen.optimise("quick").recipe.ways({}) == []
    slope = tf.inverse_dynamics(robot).derivative("tau", "q")
    assert {(way.options["mode"], way.of[0].options["sums"]) for way in slope.recipe.ways({})} == {
        (mode, sums) for mode in ("forward", "reverse") for sums in (False, True)
    }


def test_numeric_robots_turn_their_last_frames_and_move_masses_if_optimised():
    symbolic, rng = tf.robots.panda(symbolic=True), np.random.default_rng(0)
    robot = symbolic.bind({name: round(float(rng.uniform(0.1, 1.0)), 3) for name in symbolic.symbols})
    program = tf.inverse_dynamics(robot)
    assert program.count().total < tf.inverse_dynamics(robot, parameters="base").count().total
    assert tf.inverse_dynamics(robot, parameters="standard").certify(program)
    least = tf.inverse_dynamics(robot, parameters="least").count().total
    assert program.optimise("quick").count().total <= least < program.count().total


def test_every_pass_has_its_own_test():
    names = {change.__module__.rpartition(".")[2] for change in PASSES.values()}
    assert len(names) == len(PASSES)
    assert {path.stem.removeprefix("test_") for path in Path(__file__).parent.glob("passes/test_*.py")} == names
