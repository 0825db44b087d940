"""Derivatives of Programs: shapes and names, identities proved exactly, both modes, compiled and in C."""

import ctypes
import itertools
import pickle
from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.graph.evaluate import evaluate
from tauforge.graph.functions import cos, sin
from tauforge.graph.node import ZERO, Node, symbol
from tauforge.program.array import Shape, inputs, outputs
from tauforge.program.program import Program

from ..oracles.agree import agree
from ..oracles.complex_step import derivative, tangent
from ..random_robots import free_bodies, random_robot, random_state, seeds
from ..targets.runners import C, tool

L, m = symbol("L"), symbol("m")
INPUTS = ("q", "qd", "qdd")


def program(*values, shape=None, labels=()):
    x = inputs("x", ["x1", "x2"], "")
    y = outputs(values, [len(values)] if shape is None else shape, labels, "")
    return Program("p", {"x": x}, {"y": y})


x1, x2 = symbol("x[0]"), symbol("x[1]")


def transposed(p, name, axes):
    """Return the Program with the axes of an output in another order."""
    array = p.results[name]
    nodes = np.array(array.nodes, dtype=object).reshape(array.shape).transpose(axes)
    return replace(p, results={name: replace(array, shape=Shape(nodes.shape), nodes=tuple(nodes.ravel()))})


def renamed(p, name):
    """Return the Program with its one output under another name."""
    return replace(p, results={name: next(iter(p.results.values()))})


@pytest.mark.parametrize("wrong", [3, ["q", 3], [["q"]], None])
def test_an_input_is_a_name(wrong):
    with pytest.raises(tf.ProgramError, match="by its name, such as 'q', or as a list of names"):
        tf.gravity(tf.robots.planar2r()).derivative("g", wrong)


def test_shape_labels_and_names():
    p = tf.inverse_dynamics(tf.robots.rx90(symbolic=True))
    d = p.derivative("tau", "q")
    assert d.outputs == {"dtau_dq": (6, 6)}
    assert d.outputs["dtau_dq"].labels == (p.outputs["tau"].labels[0], p.inputs["q"].labels[0])
    assert d.results["dtau_dq"].meaning == "derivative of tau with respect to q"
    assert d.inputs == p.inputs
    assert d.name == "rx90_inverse_dynamics_dq"
    assert d.heading() == p.heading()
    dd = d.derivative("dtau_dq", "qd")
    assert dd.outputs == {"ddtau_dq_dqd": (6, 6, 6)}
    assert [len(labels) for labels in dd.outputs["ddtau_dq_dqd"].labels] == [6, 6, 6]


def test_shape_of_matrices_numbers_and_single_parameters():
    matrix = program(x1 * L, x2, m, x1 * x2, shape=[2, 2], labels=[["a", "b"], ["c", "d"]])
    assert matrix.derivative("y", "x").outputs["dy_dx"] == (2, 2, 2)
    assert matrix.derivative("y", "x").outputs["dy_dx"].labels == (("a", "b"), ("c", "d"), ("x1", "x2"))
    assert matrix.derivative("y", "parameters").outputs == {"dy_dparameters": (2, 2, 2)}
    assert matrix.derivative("y", "L").results["dy_dL"].nodes == (x1, ZERO, ZERO, ZERO)
    assert matrix.derivative("y", "L").outputs["dy_dL"].labels == (("a", "b"), ("c", "d"))
    number = program(sin(x1) * L, shape=[])
    assert number.derivative("y", "x").outputs["dy_dx"].labels == (("x1", "x2"),)
    assert number.derivative("y", "x").results["dy_dx"].nodes == (cos(x1) * L, ZERO)
    assert number.derivative("y", "L").outputs == {"dy_dL": ()}
    assert program(x1, x2).derivative("y", "x").outputs["dy_dx"].labels == (), "not the columns' labels for rows"


def test_inputs_stay():
    p = program(L * x1 + m * x2)
    d = p.derivative("y", "x")
    assert d.inputs == p.inputs
    assert d.derivative("dy_dx", "x").inputs == p.inputs
    assert d.derivative("dy_dx", "x").count().total == 0
    assert d.parameters == ("L", "m")


def test_values_beside():
    p = tf.inverse_dynamics(tf.robots.puma560())
    both = p.derivative("tau", "q", values=True).derivative("tau", "qd", values=True)
    assert list(both.outputs) == ["tau", "dtau_dq", "dtau_dqd"]
    assert both.results["tau"] is p.results["tau"]
    apart = [p, p.derivative("tau", "q"), p.derivative("tau", "qd")]
    assert both.count().total < sum(part.count().total for part in apart)


def test_the_papers_names_stay_where_they_are_used():
    p = tf.inverse_dynamics(tf.robots.rx90(symbolic=True))
    d = p.derivative("tau", "q")
    assert set(d.names.items()) < set(p.names.items())
    assert "const double WI23 = " in d.code("c")
    assert set(d.names) < set(p.derivative("tau", "q", values=True).names)
    linear = p.derivative("tau", "qdd")
    assert "WI23" not in linear.names.values(), "the inertia matrix needs no velocity"
    assert pickle.loads(pickle.dumps(d)).results["dtau_dq"].nodes == d.results["dtau_dq"].nodes


def test_unknown_names_are_refused():
    p = tf.inverse_dynamics(tf.robots.rrp(symbolic=True))
    with pytest.raises(tf.ProgramError, match=r"no output 'torque' \(its outputs: tau\)"):
        p.derivative("torque", "q")
    with pytest.raises(
        tf.ProgramError, match=r"no input or parameter 'speed' \(its inputs: q, qd, qdd, parameters; its"
    ):
        p.derivative("tau", "speed")
    with pytest.raises(tf.ProgramError, match="its parameters: it has none"):
        tf.inverse_dynamics(tf.robots.planar2r()).derivative("tau", "M2")
    with pytest.raises(tf.ProgramError, match="unknown mode 'backward'"):
        p.derivative("tau", "q", mode="backward")


@pytest.mark.parametrize("name", tf.robots.names())
def test_inertia_matrix_is_symmetric_and_free_of_motion(name):
    robot = tf.robots.bundled(name)
    p = tf.inverse_dynamics(robot, parameters="standard" if robot.loops else "base").derivative("tau", "qdd")
    assert p.certify(transposed(p, "dtau_dqdd", (1, 0)))
    for motion in ("qd", "qdd"):
        assert not p.derivative("dtau_dqdd", motion).count().total


@pytest.mark.parametrize("name", ["rrp", "scara", "stanford", pytest.param("puma560", marks=pytest.mark.slow)])
def test_second_derivatives_are_symmetric(name):
    p = tf.inverse_dynamics(tf.robots.bundled(name, symbolic=name == "rrp"), parameters="base")
    for first, second in itertools.combinations_with_replacement(INPUTS, 2):
        one = p.derivative("tau", first).derivative(f"dtau_d{first}", second)
        other = p.derivative("tau", second).derivative(f"dtau_d{second}", first)
        assert renamed(one, "H").certify(transposed(renamed(other, "H"), "H", (0, 2, 1)))


def test_torque_is_linear_in_the_inertial_parameters():
    p = tf.inverse_dynamics(tf.robots.rx90().symbolic())
    d = p.derivative("tau", "parameters")
    rows = np.array(d.results["dtau_dparameters"].nodes, dtype=object).reshape(6, -1)
    tau = rows @ np.array(p.arguments["parameters"].nodes, dtype=object)
    assert p.certify(replace(p, results={"tau": outputs(tau, [6], [], "")}))
    column = outputs(rows[:, p.parameters.index("MX3")], [6], [], "")
    assert p.derivative("tau", "MX3").certify(replace(d, results={"dtau_dMX3": column}))


@seeds(quick=5, all=100)
def test_modes_are_equal_on_random_robots(seed):
    p = tf.inverse_dynamics(random_robot(seed, symbolic=seed % 2 == 0, rotors=True), external_wrenches=seed % 3 == 0)
    for name in p.inputs:
        chosen, forward, reverse = (p.derivative("tau", name, mode=mode) for mode in ("auto", "forward", "reverse"))
        assert forward.certify(reverse)
        assert chosen.count().total <= max(forward.count().total, reverse.count().total)


@pytest.mark.parametrize(
    ("name", "parameters", "counts"),
    [
        ("puma560", "base", (835, 742, 170)),
        ("rx90", "base", (1497, 936, 238)),
        ("kuka_lwr", "base", (1187, 881, 175)),
        ("panda", "standard", (2559, 1381, 385)),
        ("panda", "base", (2377, 1342, 342)),
    ],
)
def test_counts(name, parameters, counts):
    robot = tf.robots.bundled(name)
    p = tf.inverse_dynamics(robot.symbolic() if name in ("panda", "rx90") else robot, parameters=parameters)
    for x, count in zip(INPUTS, counts, strict=True):
        assert p.derivative("tau", x).count().total == count


@seeds(quick=3, all=30)
def test_compiled_against_complex_steps(seed):
    robot = random_robot(seed, rotors=True, several=seed % 2 == 0)
    p, values = tf.inverse_dynamics(robot), [np.array(x) for x in random_state(robot, seed)]
    state = dict(zip(INPUTS, values, strict=True))
    for name in INPUTS:
        directions = tangent(robot, state["q"]) if name == "q" else np.eye(robot.dof)
        agree(p.derivative("tau", name).compile()(*values), derivative(p, state, name, directions))


def test_bodies_that_do_not_touch_have_derivatives_of_their_own():
    whole, one = (tf.inverse_dynamics(free_bodies(n)).derivative("tau", "q").compile() for n in (3, 1))
    q, qd, qdd = (np.random.default_rng(1).normal(size=shape) for shape in whole.inputs.values())
    found = whole(q, qd, qdd)
    for k in range(3):
        own = slice(6 * k, 6 * k + 6)
        agree(found[own, own], one(q[7 * k : 7 * k + 7], qd[own], qdd[own]))
        found[own, own] = 0.0
    assert not found.any()


def test_work_grows_with_the_bodies_and_not_with_the_zeros_between_them(monkeypatch):
    programs = {n: tf.inverse_dynamics(free_bodies(n)) for n in (4, 8)}
    made = dict.fromkeys(programs, 0)
    multiply = Node.__mul__
    for n, p in programs.items():

        def counted(a, b, n=n):
            made[n] += 1
            return multiply(a, b)

        monkeypatch.setattr(Node, "__mul__", counted)
        p.derivative("tau", "q")
    assert 0 < made[8] < 2.5 * made[4]


def test_programs_with_a_tangent_are_pickled_whole():
    p = tf.inverse_dynamics(random_robot(3, largest=1, fixed=False, floating=True))
    d = p.derivative("tau", "q")
    assert d.outputs["dtau_dq"] == (p.outputs["tau"][0],) * 2
    assert d.outputs["dtau_dq"].labels[1] == p.outputs["tau"].labels[0]
    assert pickle.loads(pickle.dumps(p)).derivative("tau", "q").certify(d)


def test_c_code_of_second_derivatives(tmp_path):
    p = tf.inverse_dynamics(tf.robots.puma560(), parameters="base").derivative("tau", "q").derivative("dtau_dq", "qd")
    p.write(tmp_path / "second.c")
    tool([*C, "-O1", "-fPIC", "-shared", "second.c", "-lm", "-o", "second.so"], tmp_path)
    state = [np.array(x) for x in random_state(tf.robots.puma560(), 1)]
    found = np.full(p.outputs["ddtau_dq_dqd"], np.nan)
    ctypes.CDLL(str(tmp_path / "second.so")).second(*(ctypes.c_void_p(x.ctypes.data) for x in (*state, found)))
    values = {f"{key}[{i}]": v for key, x in zip(INPUTS, state, strict=True) for i, v in enumerate(x)}
    expected = evaluate(p.results["ddtau_dq_dqd"].nodes, values)
    assert np.allclose(found.ravel(), expected, rtol=1e-12, atol=1e-12)
    assert np.allclose(p.compile()(*state).ravel(), expected, rtol=1e-12, atol=1e-12)


def test_several_inputs_in_one_call():
    p = tf.direct_dynamics(tf.robots.planar2r())
    both = p.derivative("qdd", ["q", "tau"])
    assert list(both.outputs) == ["dqdd_dq", "dqdd_dtau"]
    for name in ("q", "tau"):
        single = p.derivative("qdd", name)
        assert both.results[f"dqdd_d{name}"].nodes == single.results[f"dqdd_d{name}"].nodes
    assert both.outputs["dqdd_dq"].shape == (2, 2)
    with pytest.raises(tf.ProgramError, match="at least one input"):
        p.derivative("qdd", [])
    with pytest.raises(tf.ProgramError, match="no input or parameter 'x'"):
        p.derivative("qdd", ["q", "x"])
