"""The input ``parameters`` is in the order of ``robot.symbols``, whatever is made from a model, and takes a mapping."""

import pickle
import re
from dataclasses import replace
from inspect import signature
from random import Random

import numpy as np
import pytest

import tauforge as tf
from tauforge.models.registry import MODELS
from tests.random_robots import random_robot

OPTIONS = {"accelerated": lambda robot: [robot.independent[0]]}


def renamed(robot, seed=0):
    """Return a robot whose symbols have names that say nothing about their order."""
    numbers = Random(seed).sample(range(1000), len(robot.symbols))
    return robot.bind({name: f"s{k}" for name, k in zip(robot.symbols, numbers, strict=True)})


def arm():
    """Return an arm with friction, whose symbols are in another order than their names."""
    joints = tuple(
        tf.Joint(
            name=f"a{j}",
            antecedent=j - 1,
            alpha=alpha,
            d=tf.symbol(f"z{4 - j}") if j > 1 else 0.0,
            FV=tf.symbol(f"fv{j}"),
            FS=tf.symbol(f"fs{j}"),
            IA=tf.symbol(f"b{9 - j}"),
        )
        for j, alpha in enumerate((0.0, 1.1, 0.0), 1)
    )
    names = ({"XX": f"x{j}", "ZZ": f"a{7 - j}", "MX": f"m{j}", "M": f"k{5 - j}"} for j in range(1, 4))
    zeros = dict.fromkeys(tf.Inertia._fields, 0.0)
    bodies = [
        tf.Body(name=f"l{j}", inertia=tf.Inertia(**{**zeros, **{key: tf.symbol(x) for key, x in own.items()}}))
        for j, own in enumerate(names, 1)
    ]
    return tf.Robot(name="arm", joints=joints, bodies=tuple(bodies), gravity=tf.robots.puma560().gravity)


ROBOTS = {
    "arm": arm,
    "puma560": lambda: renamed(tf.robots.puma560(symbolic=True)),
    "tree": lambda: renamed(random_robot(11, smallest=4, largest=5, symbolic=True, equipped=True, rotors=True)),
    "floating": lambda: renamed(random_robot(3, smallest=3, largest=4, symbolic=True, floating=True, several=True)),
    "loop": lambda: renamed(tf.robots.fivebar().symbolic(inertia=True, lengths=True)),
}


def in_the_order_of(robot, program):
    assert program.parameters == tuple(name for name in robot.symbols if name in program.parameters)
    assert program.inputs.get("parameters", [0])[0] == len(program.parameters)


@pytest.mark.parametrize("kind", ROBOTS)
def test_every_model_takes_parameters_in_the_order_of_the_robots_symbols(kind):
    robot, tried = ROBOTS[kind](), 0
    assert list(robot.symbols) != sorted(robot.symbols)
    for model in MODELS.values():
        options = {key: x(robot) for key, x in OPTIONS.items() if key in signature(model.function).parameters}
        try:
            program = model.function(robot, **options)
        except tf.ProgramError:  # not for robots of this kind
            continue
        in_the_order_of(robot, program)
        tried += len(program.parameters) > 1
    assert tried > 15


def test_the_regressors_parameters_are_in_that_order_whatever_its_columns():
    robot = ROBOTS["puma560"]()
    for parameters in ("standard", "base"):
        in_the_order_of(robot, tf.regressor(robot, parameters=parameters))


@pytest.mark.parametrize("kind", ["arm", "puma560", "tree"])
def test_grouped_parameters_are_in_the_order_of_the_grouped_robots_symbols(kind):
    robot = ROBOTS[kind]()
    base = tf.base_parameters(robot)
    in_the_order_of(base.robot, tf.inverse_dynamics(robot, parameters="base", reframe=False))
    in_the_order_of(base.robot, tf.direct_dynamics(robot, parameters=base))
    least = base.least()
    in_the_order_of(least.robot, tf.inverse_dynamics(robot, parameters=least))
    symbols = base.robot.symbols
    assert [x for x in symbols if x in base.names] == [x for x in base.names if x in symbols]


def test_reframed_links_leave_the_order_as_the_user_knows_it():
    arm = tf.robots.puma560()
    joints = [replace(x, gamma=0.1, FV=tf.symbol(f"v{9 - k}"), FS=tf.symbol(f"a{k}")) for k, x in enumerate(arm.joints)]
    robot = replace(arm, free_frames=True, joints=tuple(joints))
    assert robot.reframed is not robot
    program = tf.inverse_dynamics(robot)
    assert program.parameters == robot.symbols
    grouped = tf.inverse_dynamics(robot, parameters="base")
    in_the_order_of(tf.base_parameters(robot.reframed).robot, grouped)
    assert grouped.parameters == robot.symbols


FORMULATIONS = ("lagrange", "waters", "kane", "newton-euler-link", "spatial-operator")


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_formulations_have_the_same_order(formulation):
    robot = ROBOTS["arm"]().neglect("FV", "FS", "IA")
    in_the_order_of(robot, tf.inverse_dynamics(robot, formulation=formulation))


def test_what_is_made_from_a_program_keeps_the_order():
    robot = ROBOTS["arm"]()
    program = tf.inverse_dynamics(robot)
    assert [x for x in program.parameters if x.startswith("f")] == ["fv1", "fs1", "fv2", "fs2", "fv3", "fs3"]
    made = [
        program.derivative("tau", "q"),
        program.derivative("tau", "parameters"),
        program.jvp("tau", ["q", "parameters"]),
        program.vjp("tau", "parameters"),
        program.optimise("quick"),
        program.split()[0],
        pickle.loads(pickle.dumps(program)),
        pickle.loads(pickle.dumps(program)).derivative("tau", "qd"),
        tf.fuse(tf.gravity(robot), tf.inertia_matrix(robot), program, name="all"),
        tf.fuse(program, tf.jacobian(robot), name="both"),
        program.bind(b8=0.1),
    ]
    for each in made:
        in_the_order_of(robot, each)
    slopes = program.derivative("tau", "parameters").outputs["dtau_dparameters"]
    assert slopes.labels[-1] == program.parameters


def test_symbols_in_bound_values_take_the_place_of_what_they_are_for():
    robot = ROBOTS["arm"]()
    values = {"fs1": "2*zz", "z2": "fv3 + aa", "k3": 1.5}
    bound, early = tf.inverse_dynamics(robot).bind(values), robot.bind(values)
    in_the_order_of(early, bound)
    assert bound.parameters == tf.inverse_dynamics(early).parameters
    assert pickle.loads(pickle.dumps(bound)).parameters == bound.parameters


def test_fused_orders_are_merged():
    one, other = (
        tf.Program(name, {}, tf.Program.of(**{name: text}).results, symbol_order=order) for name, text, order in FUSED
    )
    assert tf.fuse(one, other, name="both").parameters == ("c", "x", "a", "b")


FUSED = (("y", "c + a*b", ("c", "a", "b")), ("z", "x*a + c", ("c", "x", "a")))


def test_an_array_in_the_order_of_symbols_gives_what_bound_numbers_give():
    robot, random = ROBOTS["arm"](), np.random.default_rng(5)
    values = {name: random.uniform(0.3, 1.0) for name in robot.symbols}
    for model in (tf.inverse_dynamics, tf.inertia_matrix, tf.bias):
        program = model(robot)
        state = [random.uniform(-1, 1, shape) for name, shape in program.inputs.items() if name != "parameters"]
        array = [values[name] for name in robot.symbols if name in program.parameters]
        expected = model(robot.bind(values)).compile()(*state)
        function = program.compile()
        np.testing.assert_allclose(function(*state, array), expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(function(*state, values), expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(function(*state, parameters=values), expected, rtol=1e-12, atol=1e-12)


def test_generated_code_unpacks_the_parameters_in_that_order():
    robot = ROBOTS["arm"]()
    program = tf.inverse_dynamics(robot)
    for target in ("c", "python", "rust", "matlab"):
        text = program.code(target)
        places = {name: re.search(rf"\b{name}\b", text) for name in program.parameters}
        assert all(places.values())
    read = re.findall(r"(\w+) = parameters\[(\d+)\]", program.code("c"))
    assert [name for name, _ in sorted(read, key=lambda x: int(x[1]))] == list(program.parameters)


def test_a_mapping_stands_for_an_array_of_parameters_and_of_their_changes():
    robot = ROBOTS["arm"]()
    program = tf.inverse_dynamics(robot).jvp("tau", "parameters")
    values = {name: 0.1 * k for k, name in enumerate(robot.symbols, 1)}
    arrays = [[values[name] for name in program.parameters]] * 2
    state = [np.full(3, 0.3)] * 3
    function = program.compile()
    np.testing.assert_array_equal(function(*state, values, values), function(*state, *arrays))
    with pytest.raises(tf.ProgramError, match="parameters_direction lacks fv1"):
        function(*state, values, {name: x for name, x in values.items() if name != "fv1"})


@pytest.mark.parametrize("library", ["jax", "torch"])
def test_a_mapping_stands_for_an_array_in_other_libraries(library):
    pytest.importorskip(library)
    robot = ROBOTS["arm"]()
    program = tf.gravity(robot)
    values = {name: 0.1 * k for k, name in enumerate(robot.symbols, 1)}
    array = np.array([values[name] for name in program.parameters])
    function = program.to_jax() if library == "jax" else program.to_torch()
    q = np.full((2, 3), 0.3)
    np.testing.assert_allclose(np.asarray(function(q, values)), np.asarray(function(q, array)), rtol=1e-6)
    with pytest.raises(tf.ProgramError, match="lacks"):
        function(q, {})


def test_torch_differentiates_with_respect_to_values_by_name():
    torch = pytest.importorskip("torch")
    program = tf.gravity(ROBOTS["arm"]())
    values = {name: torch.tensor(0.5, dtype=torch.float64, requires_grad=True) for name in program.parameters}
    program.to_torch()(np.full(3, 0.3), values)[1].backward()
    array = np.full(len(values), 0.5)
    expected = program.derivative("g", "parameters").compile()(np.full(3, 0.3), array)[1]
    np.testing.assert_allclose([float(x.grad) for x in values.values()], expected, atol=1e-12)


def test_a_rollouts_controller_takes_its_parameters_by_name():
    robot = ROBOTS["arm"]()
    values = {name: 0.2 + 0.05 * k for k, name in enumerate(robot.symbols)}
    law, numeric, still = tf.gravity(robot), robot.bind(values), np.zeros(3)
    law = tf.Program("law", law.arguments, {"tau": law.results["g"]})
    array = [values[name] for name in law.parameters]
    runs = [tf.rollout(numeric, still, still, law, 1e-3, steps=5, inputs={"parameters": x}).q for x in (values, array)]
    np.testing.assert_array_equal(*runs)


def test_without_a_robot_symbols_are_in_the_natural_order_of_their_names():
    program = tf.Program.of(y="sin(x10*b + pi) - x2 + z*x10 - x10*z", v=["c", "b"])
    assert [*program.inputs] == ["b", "c", "x2", "x10"]
    by_hand = tf.Program("by_hand", {}, program.results)
    assert by_hand.parameters == ("b", "c", "x2", "x10")
    assert tf.Program("by_hand", {}, program.results, symbol_order=("x10",)).parameters == ("x10", "b", "c", "x2")
