"""What must hold between the models of any robot: certified exactly where it can be, on 500 random trees."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import strategies as st

import tauforge as tf
from tauforge.graph.node import ZERO, as_node, symbol
from tauforge.graph.rewrite import substitute
from tauforge.parameters.minimal import rank
from tauforge.program.array import outputs
from tauforge.program.program import Program
from tauforge.spatial.inertia import NAMES

from ..interpret import interpret
from ..oracles.agree import agree
from ..oracles.complex_step import at_once, derivative, tangent
from ..random_robots import random_robot, random_state, trees

SIZE = {"quick": 6, "all": 500}
RARELY = st.sampled_from((False, False, False, True))
NUMERIC = {"rotors": True, "equipped": st.booleans(), "several": RARELY, "floating": RARELY}
ANY = {"symbolic": st.booleans(), **NUMERIC}


def with_output(program, values, name="y"):
    state = {key: array for key, array in program.arguments.items() if key != "parameters"}
    return Program(program.name, state, {name: outputs(values, [len(values)], [], "")})


def certify(program, values, expected):
    """Prove that two lists of expressions of a Program's inputs are equal."""
    with_output(program, values).certify(with_output(program, expected))


def entries(program):
    """Return the scalars of the only output."""
    (array,) = program.results.values()
    return array.nodes


def product(matrix, vector):
    """Return the product of a matrix, given row by row, and a vector."""
    columns = len(vector)
    rows = [matrix[k : k + columns] for k in range(0, len(matrix), columns)]
    return [sum((a * b for a, b in zip(row, vector, strict=True)), start=ZERO) for row in rows]


def inputs(name, robot):
    return [symbol(f"{name}[{k}]") for k in range(robot.expanded().dof)]


def springs(robot):
    """Return the efforts of the springs, by degree of freedom."""
    places = {name: k for k, name in enumerate(robot.expanded().coordinate_names)}
    joints = (joint for joint in robot.expanded().joints for _ in joint.axes)
    return [joint.k * (symbol(f"q[{places[joint.name]}]") - joint.rest) if joint.eta else ZERO for joint in joints]


def add(*lists):
    return [sum(terms, start=ZERO) for terms in zip(*lists, strict=True)]


@trees(**SIZE, **ANY)
def test_both_direct_methods_are_equal_and_invert_inverse_dynamics(robot):
    composite, articulated = (tf.direct_dynamics(robot, method=m) for m in ("composite", "articulated"))
    composite.certify(articulated)
    inverse = tf.inverse_dynamics(robot)
    tau = {f"tau[{k}]": node for k, node in enumerate(entries(inverse))}
    certify(inverse, substitute(entries(articulated), tau), inputs("qdd", robot))


@trees(**SIZE, **ANY)
def test_inverse_dynamics_is_inertia_and_bias(robot):
    inverse, M, h = tf.inverse_dynamics(robot), entries(tf.inertia_matrix(robot)), entries(tf.bias(robot))
    n = robot.expanded().dof
    assert all(M[n * i + j] is M[n * j + i] for i in range(n) for j in range(n))
    certify(inverse, add(h, product(M, inputs("qdd", robot))), entries(inverse))


@trees(**SIZE, **ANY)
def test_coriolis_matrix_gives_the_bias(robot):
    h, parts = tf.bias(robot), [entries(model(robot)) for model in (tf.gravity, tf.friction)]
    coriolis = product(entries(tf.coriolis_matrix(robot)), inputs("qd", robot))
    certify(h, add(coriolis, *parts, springs(robot)), entries(h))


@pytest.mark.parametrize("formulation", ["newton-euler", "uicker-kahn"])
def test_gravity_is_without_the_offset_of_friction(formulation):
    robot = tf.robots.scara()
    offset = replace(robot, joints=tuple(replace(joint, FO=0.3, FA=0.1) for joint in robot.joints))
    made = [tf.gravity(x, formulation=formulation) for x in (offset, robot)]
    assert [*map(str, entries(made[0]))] == [*map(str, entries(made[1]))]


@trees(**SIZE, **ANY)
def test_inertia_rate_less_twice_coriolis_is_skew(robot):
    program, n = tf.coriolis_matrix(robot), robot.expanded().dof
    C, rate = entries(program), product(entries(tf.inertia_matrix(robot).derivative("M", "q")), inputs("qd", robot))
    transposed = [C[n * j + i] for i in range(n) for j in range(n)]
    certify(program, rate, add(C, transposed))


@trees(**SIZE, **ANY)
def test_power_is_the_rate_of_energy(robot):
    """τ·q̇ less friction's share is dE/dt along any motion."""
    energy, inverse, friction = tf.energy(robot), tf.inverse_dynamics(robot), entries(tf.friction(robot))
    balance = []
    for name in energy.outputs:
        for along, key in (("qd", "q"), ("qdd", "qd")):
            balance += product(entries(energy.derivative(name, key)), inputs(along, robot))
    power = product(add(entries(inverse), [-f for f in friction]), inputs("qd", robot))
    certify(inverse, power, [sum(balance, start=ZERO)])


def standard(robot):
    """Return the values of the standard parameters by name; a floating base is link 0."""
    whole = robot.expanded()
    first = 1 - len(whole.joints) + len(robot.joints)
    links = {f"{n}{j}": x for j, b in enumerate(whole.bodies, first) for n, x in b.inertia._asdict().items()}
    own = {f"{n}{j}": getattr(joint, n) for j, joint in enumerate(whole.joints, first) for n in ("IA", "FV", "FS")}
    return links | own


@trees(**SIZE, **ANY)
def test_regressor_times_parameters_is_torque(robot):
    robot = robot.neglect("k", "lift")  # these are no parameters of the regressor
    inverse, values = tf.inverse_dynamics(robot), standard(robot)
    for parameters, known in (("standard", values), ("base", values | tf.base_parameters(robot).expressions)):
        program = tf.regressor(robot, parameters=parameters)
        phi = [as_node(known[name]) for name in program.outputs["Y"].labels[1]]
        certify(inverse, product(entries(program), phi), entries(inverse))


@trees(**SIZE, **ANY)
def test_energy_regressor_times_parameters_is_energy(robot):
    robot = robot.neglect("k", "lift")
    energy, base = tf.energy(robot), tf.base_parameters(robot)
    for parameters, values in (("standard", standard(robot)), ("base", base.expressions)):
        program = tf.energy_regressor(robot, parameters=parameters)
        for name in ("kinetic", "potential"):
            phi = [as_node(values[label]) for label in program.outputs[name].labels[0]]
            found = with_output(energy, product(program.results[name].nodes, phi))
            expected = with_output(energy, energy.results[name].nodes)
            if parameters == "base" and name == "potential":  # base parameters leave a constant out
                found, expected = (x.derivative("y", "q") for x in (found, expected))
            found.certify(expected)


@trees(**SIZE, largest=6, **ANY)
def test_base_parameters_equal_the_standard_ones_and_are_minimal(robot):
    base = tf.base_parameters(robot)
    tf.inverse_dynamics(robot).certify(base.in_standard(tf.inverse_dynamics(base.robot)))
    whole = robot.expanded().map(as_node)
    assert base.count == rank(whole, [(name, j) for j in range(1, len(whole.joints) + 1) for name in NAMES])


@trees(**SIZE, largest=6, **NUMERIC)
def test_base_regressor_has_full_rank(robot):
    program = tf.regressor(robot, parameters="base")
    rows, columns = program.outputs["Y"]
    states = [random_state(robot, seed) for seed in range(3 + 3 * columns // rows)]
    state = {name: np.array([x[k] for x in states]).T for k, name in enumerate(program.inputs)}
    Y = np.moveaxis(at_once(program, state), -1, 0).reshape(-1, columns)
    assert np.linalg.svd(Y / np.linalg.norm(Y, axis=0), compute_uv=False)[-1:] > 1e-9


@trees(**SIZE, **ANY)
def test_hybrid_dynamics_returns_what_it_was_given(robot):
    joints = [joint for joint in robot.expanded().joints if joint.axes]
    random = Random(robot.name)
    chosen = {joint.name for joint in joints if random.random() < 0.5}
    hybrid, inverse = tf.hybrid_dynamics(robot, accelerated=chosen), tf.inverse_dynamics(robot)
    accelerated = [joint.name in chosen for joint in joints for _ in joint.axes]
    known, others = ([k for k, x in enumerate(accelerated) if x is wanted] for wanted in (True, False))
    tau, qdd = entries(inverse), inputs("qdd", robot)
    given = {f"qdd[{i}]": qdd[k] for i, k in enumerate(known)} | {f"tau[{i}]": tau[k] for i, k in enumerate(others)}
    found = substitute([x for array in hybrid.results.values() for x in array.nodes], given)
    certify(inverse, found, [tau[k] for k in known] + [qdd[k] for k in others])


@trees(**SIZE, largest=6, **NUMERIC)
def test_inertia_matrix_is_positive_definite(robot):
    M = interpret(tf.inertia_matrix(robot), random_state(robot, 0)[0])
    assert np.linalg.eigvalsh(M).min() > 0


@trees(**SIZE, largest=3, **ANY)
def test_derivatives_of_inverse_dynamics_are_those_of_a_complex_step(robot):
    program = tf.inverse_dynamics(robot)
    state = dict(zip(("q", "qd", "qdd"), map(np.array, random_state(robot, 0)), strict=True))
    state["parameters"] = np.random.default_rng(0).uniform(0.5, 1.5, len(program.parameters))
    compare_derivatives(robot, program, {name: state[name] for name in program.inputs}, 1e-9)


@trees(**SIZE, largest=2, **NUMERIC)
def test_derivatives_of_direct_dynamics_are_those_of_a_complex_step(robot):
    state = dict(zip(("q", "qd", "tau"), map(np.array, random_state(robot, 0)), strict=True))
    compare_derivatives(robot, tf.direct_dynamics(robot), state, 1e-7)


def compare_derivatives(robot, program, state, tolerance):
    (output,) = program.outputs
    arrays = [x for name, x in state.items() if name != "parameters"]
    parameters = dict(zip(program.parameters, state.get("parameters", ()), strict=True))
    for name, values in state.items():
        found = program.derivative(output, name)
        directions = tangent(robot, values) if name == "q" else np.eye(len(values))
        expected = derivative(program, state, name, directions)
        agree(interpret(found, *arrays, **parameters), expected, tolerance)


COUNTS = {  # robot: totals with base parameters: inertia matrix, direct dynamics, Coriolis matrix. These may only fall.
    "rx90": (238, 829, 903),
    "puma560": (273, 881, 1022),
    "stanford": (199, 758, 695),
    "kuka_lwr": (292, 1058, 1134),
    "panda": (346, 1145, 1307),
}


@pytest.mark.parametrize("name", COUNTS)
def test_operation_counts(name):
    robot = tf.robots.bundled(name, symbolic=True)
    models = (tf.inertia_matrix, tf.direct_dynamics, tf.coriolis_matrix)
    assert tuple(model(robot, parameters="base").count().total for model in models) == COUNTS[name]


def test_operation_counts_of_a_regressor():
    assert tf.regressor(tf.robots.rx90(symbolic=True), parameters="base").count().total == 797


def test_clear_refusals():
    robot = tf.robots.planar2r()
    with pytest.raises(tf.ProgramError, match="method"):
        tf.direct_dynamics(robot, method="magic")
    with pytest.raises(tf.ProgramError, match="no moving joint wrist"):
        tf.hybrid_dynamics(robot, accelerated=["wrist"])
    with pytest.raises(tf.ProgramError, match="FX"):
        tf.regressor(robot, actuators=["FX"])
    tipless = replace(robot, bodies=(robot.bodies[0], tf.Body(name="tip")))
    for method in ("articulated", "composite", "auto"):
        with pytest.raises(tf.ProgramError, match="no inertia acts on joint 'joint2'"):
            tf.direct_dynamics(tipless, method=method)
    with pytest.raises(tf.ProgramError, match="no inertia acts on joint 'joint2'"):
        tf.hybrid_dynamics(tipless, accelerated=["joint1"])
    massless = replace(robot, bodies=tuple(tf.Body(name=body.name) for body in robot.bodies))
    with pytest.raises(tf.RobotError, match="planar2r: no link has any inertia"):
        tf.base_parameters(massless)


@pytest.mark.parametrize(("name", "mul", "add"), [("planar2r", 5, 2), ("scara", 26, 20), ("rrp", 38, 16)])
def test_christoffel_symbols_for_few_joints(name, mul, add):
    robot = tf.robots.bundled(name, symbolic=True)
    made = tf.coriolis_matrix(robot, parameters="base")
    count = made.count()
    assert (count.mul + count.setup_mul, count.add + count.setup_add) == (mul, add)
    assert made.certify(tf.coriolis_matrix(robot, parameters="base", method="composite"))


def test_methods_of_the_coriolis_matrix_are_equal_on_random_robots():
    for seed in range(12):
        robot = random_robot(seed, largest=5, symbolic=seed % 2 == 0)
        one, other = (tf.coriolis_matrix(robot, method=method) for method in ("composite", "christoffel"))
        assert one.certify(other)


def test_where_there_are_no_christoffel_symbols():
    with pytest.raises(tf.ProgramError, match="take method='composite'"):
        tf.coriolis_matrix(tf.robots.sr400(), method="christoffel")
    with pytest.raises(tf.ProgramError, match="unknown method 'lagrange'"):
        tf.coriolis_matrix(tf.robots.planar2r(), method="lagrange")
