"""Identities of models with closed loops, and their derivatives along the loops against complex steps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tauforge as tf
from tauforge.graph.arrays import Arrays
from tauforge.models.registry import MODELS
from tauforge.robot.entries import by_joint, owners
from tests.interpret import interpret

from .test_closure import DATA, Mechanism, with_an_idle_rod

H = 1e-30
"""A complex step; nothing is subtracted, so that it can be tiny."""


def mechanisms(quick, all):
    """Run a test on that many random loops, planar and spatial; more than the quick ones are for the long runs."""
    loops = st.builds(Mechanism, st.integers(0, 10**6), st.booleans())

    def decorate(test):
        @pytest.mark.parametrize("examples", [quick, pytest.param(all, marks=pytest.mark.slow)])
        def run(examples):
            settings(max_examples=examples, deadline=None)(given(loops)(test))()

        return run

    return decorate


def state(found):
    rng = np.random.default_rng(len(found.free))
    return found.q, *rng.uniform(0.5, 1.5, size=(2, len(found.free)))


@mechanisms(quick=3, all=200)
def test_inertia_rate_less_twice_coriolis_is_skew(found):
    q, qd, _ = state(found)
    C = interpret(tf.coriolis_matrix(found.robot), q, qd)
    rate = interpret(tf.inertia_matrix(found.robot).derivative("M", "q"), q).reshape(*C.shape, -1) @ qd
    np.testing.assert_allclose(rate, C + C.T, rtol=0, atol=1e-9 * np.abs(C).max() * found.condition**2)


@mechanisms(quick=3, all=200)
def test_power_is_the_rate_of_energy(found):
    robot, (q, qd, qdd) = found.robot, state(found)
    energy, balance = tf.energy(robot), 0.0
    for name in energy.outputs:
        balance += interpret(energy.derivative(name, "q"), q, qd) @ qd
        balance += interpret(energy.derivative(name, "qd"), q, qd) @ qdd
    power = (interpret(tf.inverse_dynamics(robot), q, qd, qdd) - interpret(tf.friction(robot), q, qd)) @ qd
    M = interpret(tf.inertia_matrix(robot), q)
    np.testing.assert_allclose(interpret(energy.derivative("kinetic", "qd"), q, qd), M @ qd, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(power, balance, rtol=1e-9, atol=1e-9 * np.abs(M).max() * found.condition**3)


@mechanisms(quick=2, all=200)
def test_regressors_times_parameters_are_torques_and_energies(found):
    robot, (q, qd, qdd) = found.robot, state(found)
    values = {f"{name}{j}": x for j, b in enumerate(robot.bodies, 1) for name, x in b.inertia._asdict().items()}
    values |= {f"{name}{j}": getattr(x, name) for j, x in enumerate(robot.joints, 1) for name in ("IA", "FV")}
    program = tf.regressor(robot)
    phi = [values[name] for name in program.outputs["Y"].labels[1]]
    tau = interpret(tf.inverse_dynamics(robot), q, qd, qdd)
    scale = max(1.0, np.abs(tau).max()) * found.condition**2
    np.testing.assert_allclose(interpret(program, q, qd, qdd) @ phi, tau, rtol=0, atol=1e-10 * scale)
    energies, rows = tf.energy(robot).compile()(q, qd), tf.energy_regressor(robot)
    phi = [values[name] for name in rows.outputs["kinetic"].labels[0]]
    np.testing.assert_allclose(np.array(rows.compile()(q, qd)) @ phi, energies, rtol=1e-9, atol=1e-9 * scale)


@mechanisms(quick=3, all=200)
def test_the_slope_of_a_step_is_that_of_the_closing_solution(found):
    """At a step of length zero, the derivative of ``integrate`` by v is G, and also that of ``close_loops``."""
    robot, q, h = found.robot, found.q, 1e-4
    slope = interpret(tf.integrate(robot).derivative("q_next", "v"), q, np.zeros(len(found.free)))
    np.testing.assert_allclose(slope.reshape(len(q), -1), found.G(q), rtol=0, atol=1e-9 * found.condition**2)
    for k in range(len(found.free)):
        ends = [tf.close_loops(robot, q[found.free] + x * h * np.eye(len(found.free))[k], q) for x in (-2, -1, 1, 2)]
        difference = (ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * h)
        np.testing.assert_allclose(difference, found.G(q)[:, k], rtol=0, atol=1e-6 * found.condition**2)


FRAMED = ("jacobian", "jacobian-rate", "jacobian-bias", "manipulability", "operational-space")
"""Models of a frame. The determinant of a Jacobian is not among them: these frames have other freedoms than motors."""


def options_of(name, robot):
    if name == "hybrid-dynamics":
        return {"accelerated": [robot.independent[0]]}
    if name == "operational-space":
        return {"frame": robot.bodies[-1].name, "damping": 0.1}
    return {"frame": robot.bodies[-1].name} if name in FRAMED else {}


def on_complex(program, values):
    """Return the results of a Program on complex numbers, by name."""
    numbers = {
        str(node.value): np.array([x], complex)
        for key, array in program.arguments.items()
        for node, x in zip(array.nodes, np.ravel(values[key]), strict=True)
    }
    return {key: Arrays(array.nodes)(numbers, 1)[0] for key, array in program.results.items()}


def flow(robot, q, v):
    """Return the rates of the coordinates for velocities of all axes."""
    own, at, found = by_joint(robot, q.tolist()), 0, []
    for j in owners(robot):
        rows = np.array(robot.joints[j - 1].kind.tangent(own[j]), float)
        found += (rows @ v[at : at + rows.shape[1]]).tolist()
        at += rows.shape[1]
    return np.array(found)


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("spatial", "fivebar")]


@pytest.fixture(scope="module", params=["planar", "fourbar", "idle rod", *SLOW])
def mechanism(request):
    if request.param in ("planar", "spatial"):
        return Mechanism(7 if request.param == "planar" else 5, request.param == "planar")
    robot = with_an_idle_rod() if request.param == "idle rod" else tf.load(DATA / f"{request.param}.xml")
    return Mechanism.at(robot, tf.close_loops(robot))


@pytest.mark.parametrize("name", [name for name in MODELS if name not in ("jacobian-determinant", "difference")])
def test_derivatives_along_the_loops(name, mechanism):
    """Each model's derivative by q is that along the motion of all joints that the loops allow."""
    robot, rng = mechanism.robot, np.random.default_rng(1)
    if name == "preload" and len(robot.actuated) < robot.dof:
        with pytest.raises(tf.ProgramError, match="2 degrees of freedom and 1 motor"):
            tf.preload(robot)
        return
    program = MODELS[name].function(robot, **options_of(name, robot))
    if "q" not in program.inputs:
        pytest.skip("does not depend on where the loops are")
    values = {key: rng.uniform(0.1, 1.0, shape) for key, shape in program.inputs.items()} | {"q": mechanism.q}
    if name == "integrate":
        values["v"] = 0.01 * values["v"]
    G = mechanism.G(mechanism.q)
    for key, shape in program.outputs.items():
        if not shape.size:
            continue
        slope = interpret(program.derivative(key, "q"), *values.values()).reshape(shape.size, -1)
        for k in range(G.shape[1]):
            way, tolerance = flow(robot, mechanism.q, G[:, k]), 1e-8
            if name == "manipulability":  # is an absolute value, which complex numbers have another one of
                ends = (on_complex(program, {**values, "q": mechanism.q + h * way})[key].real for h in (1e-5, -1e-5))
                expected, tolerance = np.subtract(*ends) / 2e-5, 1e-6
            else:
                expected = on_complex(program, {**values, "q": mechanism.q + 1j * H * way})[key].imag / H
            atol = tolerance * max(1.0, np.abs(slope).max())
            np.testing.assert_allclose(slope[:, k], expected, rtol=tolerance, atol=atol)
