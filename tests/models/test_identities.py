"""What must hold between the models of any robot, certified exactly where it can be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tauforge as tf
from tauforge.graph.evaluate import substitute
from tauforge.graph.node import symbol
from tauforge.program.program import Program, outputs

from ..random_robots import random_robot, random_state

ROBOTS = st.integers(0, 10**6).map(lambda seed: random_robot(seed, largest=4, symbolic=seed % 3 == 0, rotors=True))
SETTINGS = settings(max_examples=25, deadline=None)


def moving(robot):
    return robot.dof > 0


def with_output(program, values, name="y"):
    state = {key: array for key, array in program.arguments.items() if key != "parameters"}
    return Program(program.name, state, {name: outputs(values, [len(values)], [], "")})


@SETTINGS
@given(ROBOTS.filter(moving))
def test_both_direct_methods_are_equal_and_invert_inverse_dynamics(robot):
    composite, articulated = (tf.direct_dynamics(robot, method=m) for m in ("composite", "articulated"))
    composite.certify(articulated)
    inverse = tf.inverse_dynamics(robot)
    tau = {f"tau[{k}]": node for k, node in enumerate(inverse.results["tau"].nodes)}
    back = substitute(articulated.results["qdd"].nodes, tau)
    given_back = [symbol(f"qdd[{k}]") for k in range(robot.dof)]
    with_output(inverse, back).certify(with_output(inverse, given_back))


@SETTINGS
@given(ROBOTS.filter(moving))
def test_inverse_dynamics_is_inertia_and_bias(robot):
    inverse, M, h = tf.inverse_dynamics(robot), tf.inertia_matrix(robot), tf.bias(robot)
    n = robot.dof
    elements = M.results["M"].nodes
    assert all(elements[n * i + j] is elements[n * j + i] for i in range(n) for j in range(n))
    total = list(h.results["h"].nodes)
    for i in range(n):
        for j in range(n):
            total[i] = total[i] + elements[n * i + j] * symbol(f"qdd[{j}]")
    with_output(inverse, total).certify(with_output(inverse, inverse.results["tau"].nodes))


@SETTINGS
@given(ROBOTS.filter(moving))
def test_coriolis_matrix_gives_the_bias(robot):
    C, h, g, f = (model(robot) for model in (tf.coriolis_matrix, tf.bias, tf.gravity, tf.friction))
    n = robot.dof
    elements = C.results["C"].nodes
    total = [a + b for a, b in zip(g.results["g"].nodes, f.results["f"].nodes, strict=True)]
    for i in range(n):
        for j in range(n):
            total[i] = total[i] + elements[n * i + j] * symbol(f"qd[{j}]")
    with_output(h, total).certify(with_output(h, h.results["h"].nodes))


@SETTINGS
@given(ROBOTS.filter(moving))
def test_inertia_rate_less_twice_coriolis_is_skew(robot):
    M = tf.inertia_matrix(robot).derivative("M", "q")
    C = tf.coriolis_matrix(robot)
    n = robot.dof
    (rate,) = (array.nodes for array in M.results.values())
    c = C.results["C"].nodes
    sums, zeros = [], []
    for i in range(n):
        for j in range(n):
            Mdot = sum((rate[(n * i + j) * n + k] * symbol(f"qd[{k}]") for k in range(n)), start=symbol("x") * 0.0)
            sums.append(Mdot - c[n * i + j] - c[n * j + i])
            zeros.append(0.0)
    with_output(C, sums).certify(with_output(C, zeros))


@SETTINGS
@given(ROBOTS.filter(moving))
def test_power_is_the_rate_of_energy(robot):
    """τ·q̇ less friction's share is dE/dt along any motion."""
    energy, inverse, friction = tf.energy(robot), tf.inverse_dynamics(robot), tf.friction(robot)
    rates = {key: [energy.derivative(name, key) for name in ("kinetic", "potential")] for key in ("q", "qd")}
    n = robot.dof
    power = balance = symbol("x") * 0.0
    for k in range(n):
        (f,) = (friction.results["f"].nodes[k],)
        power = power + (inverse.results["tau"].nodes[k] - f) * symbol(f"qd[{k}]")
        for along, key in (("qd", "q"), ("qdd", "qd")):
            for program in rates[key]:
                (array,) = program.results.values()
                balance = balance + array.nodes[k] * symbol(f"{along}[{k}]")
    with_output(inverse, [power]).certify(with_output(inverse, [balance]))


@SETTINGS
@given(ROBOTS.filter(moving))
def test_regressor_times_parameters_is_torque(robot):
    inverse = tf.inverse_dynamics(robot)
    for parameters in ("standard", "base"):
        base = tf.base_parameters(robot)
        program = tf.regressor(robot, parameters=parameters)
        names = program.outputs["Y"].labels[1]
        values = base.expressions if parameters == "base" else standard(robot)
        Y = program.results["Y"].nodes
        total = [symbol("x") * 0.0] * robot.dof
        for i in range(robot.dof):
            for k, name in enumerate(names):
                total[i] = total[i] + Y[len(names) * i + k] * values[name]
        with_output(inverse, total).certify(with_output(inverse, inverse.results["tau"].nodes))


@SETTINGS
@given(ROBOTS.filter(moving))
def test_energy_regressor_times_parameters_is_energy(robot):
    energy, base = tf.energy(robot), tf.base_parameters(robot)
    for parameters, values in (("standard", standard(robot)), ("base", base.expressions)):
        program = tf.energy_regressor(robot, parameters=parameters)
        for name in ("kinetic", "potential"):
            row, labels = program.results[name].nodes, program.outputs[name].labels[0]
            total = sum((y * values[label] for y, label in zip(row, labels, strict=True)), start=symbol("x") * 0.0)
            if parameters == "standard" or name == "kinetic":
                with_output(energy, [total]).certify(with_output(energy, energy.results[name].nodes))
            else:  # base parameters leave a constant out
                rates = [with_output(energy, [x]).derivative("y", "q") for x in (total, energy.results[name].nodes[0])]
                rates[0].certify(rates[1])


def standard(robot):
    links = {
        f"{n}{j}": x
        for j, body in enumerate(robot.bodies, 1)
        for n, x in zip(body.inertia._fields, body.inertia, strict=True)
    }
    return links | {f"IA{j}": joint.IA for j, joint in enumerate(robot.joints, 1)}


@SETTINGS
@given(ROBOTS.filter(moving), st.data())
def test_hybrid_dynamics_returns_what_it_was_given(robot, data):
    chosen = data.draw(st.sets(st.sampled_from(robot.joint_names)))
    hybrid, inverse = tf.hybrid_dynamics(robot, accelerated=chosen), tf.inverse_dynamics(robot)
    known = [k for k, name in enumerate(robot.joint_names) if name in chosen]
    others = [k for k in range(robot.dof) if k not in known]
    tau = inverse.results["tau"].nodes
    given_values = {f"qdd[{i}]": symbol(f"qdd[{k}]_") for i, k in enumerate(known)}
    given_values |= {f"tau[{i}]": tau[k] for i, k in enumerate(others)}
    found = substitute([*hybrid.results["efforts"].nodes, *hybrid.results["accelerations"].nodes], given_values)
    found = substitute(found, {f"qdd[{k}]_": symbol(f"qdd[{k}]") for k in range(robot.dof)})
    expected = [tau[k] for k in known] + [symbol(f"qdd[{k}]") for k in others]
    with_output(inverse, found).certify(with_output(inverse, expected))


def test_inertia_matrix_is_positive_definite():
    for seed in range(40):
        robot = random_robot(seed, rotors=True)
        function = tf.inertia_matrix(robot).compile()
        for k in range(3):
            assert np.linalg.eigvalsh(function(np.array(random_state(robot, k)[0]))).min(initial=1.0) > 0


COUNTS = {  # robot: totals with base parameters of inertia matrix, direct dynamics and regressor. These may only fall.
    "rx90": (256, 872, 816),
    "puma560": (290, 927, None),
    "stanford": (219, 786, None),
    "kuka_lwr": (316, 1099, None),
}


@pytest.mark.parametrize("name", COUNTS)
def test_operation_counts(name):
    robot = tf.robots.bundled(name, symbolic=True)
    inertia, direct, regressor = COUNTS[name]
    assert tf.inertia_matrix(robot, parameters="base").count().total == inertia
    assert tf.direct_dynamics(robot, parameters="base").count().total == direct
    if regressor:
        assert tf.regressor(robot, parameters="base").count().total == regressor


def test_clear_refusals():
    robot = tf.robots.planar2r()
    with pytest.raises(tf.ProgramError, match="method"):
        tf.direct_dynamics(robot, method="magic")
    with pytest.raises(tf.ProgramError, match="no moving joint wrist"):
        tf.hybrid_dynamics(robot, accelerated=["wrist"])
    with pytest.raises(tf.ProgramError, match="FX"):
        tf.regressor(robot, actuators=["FX"])
    massless = tf.Robot(
        name="r", joints=robot.joints, bodies=(robot.bodies[0], tf.Body(name="tip")), gravity=robot.gravity
    )
    for method in ("articulated", "composite", "auto"):
        with pytest.raises(tf.ProgramError, match="joint2"):
            tf.direct_dynamics(massless, method=method)
