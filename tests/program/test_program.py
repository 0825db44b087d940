"""Programs: inputs and outputs, counting, set-up, binding, certificates."""

import pytest

import tauforge as tf
from tauforge.graph.evaluate import evaluate
from tauforge.graph.functions import cos, sin, sqrt
from tauforge.graph.node import symbol
from tauforge.program.array import inputs, outputs
from tauforge.program.program import Program

L, m = symbol("L"), symbol("m")


def program(*values, name="p"):
    x = inputs("x", ["x1", "x2"], "")
    return Program(name, {"x": x}, {"y": outputs(values, [len(values)], [], "")})


x1, x2 = symbol("x[0]"), symbol("x[1]")


def test_shapes_and_labels():
    p = tf.inverse_dynamics(tf.robots.rx90(symbolic=True))
    assert p.inputs["q"] == (6,)
    assert p.outputs == {"tau": (6,)}
    assert p.outputs["tau"].labels == (tf.robots.rx90(symbolic=True).joint_names,)
    assert p.inputs["parameters"].labels[0][:3] == ("D3", "RL4", "ZZ1")
    assert "M2" not in p.parameters, "what has no effect is no input"


def test_counting_rules():
    y = -(x1 * x1) + sin(x2) * cos(x2) + sqrt(x1) / x2 + L * m + (L + m) * x1
    counted = program(y).count()
    assert counted == tf.Operations(mul=3, add=4, div=1, sqrt=1, trig=2, setup_mul=1, setup_add=1)
    assert counted.total == 11


def test_what_nothing_needs_is_gone():
    assert program(x1 + 0 * x2).count().total == 0
    assert len(program(x1).order) == 1


def test_setup_is_split_off():
    p = program(L * m * x1 + sin(L) * x2, x1 * L)
    setup, rest = p.split()
    assert setup.count().mul == setup.count().add == 0
    assert rest.count().setup_mul == rest.count().setup_add == 0
    assert rest.count().mul == p.count().mul == 3
    values = {"L": 0.7, "m": 1.3, "x[0]": -0.4, "x[1]": 0.9}
    constants = evaluate(setup.results["constants"].nodes, values)
    again = evaluate(rest.results["y"].nodes, values | {f"constants[{k}]": c for k, c in enumerate(constants)})
    assert again == pytest.approx(evaluate(p.results["y"].nodes, values))


def test_splitting_inverse_dynamics():
    p = tf.inverse_dynamics(tf.robots.rrp(symbolic=True))
    setup, rest = p.split()
    assert set(rest.inputs) == {"q", "qd", "qdd", "constants"}
    assert rest.count().mul + rest.count().add == p.count().mul + p.count().add
    assert set(setup.inputs) == {"parameters"}


def test_binding():
    p = program(L * x1 + m)
    assert p.parameters == ("L", "m")
    assert p.bind(L=2).parameters == ("m",)
    assert p.bind(L="2*m").certify(program(2 * m * x1 + m))
    with pytest.raises(tf.ProgramError, match="no parameter K"):
        p.bind(K=1)


def test_certificates():
    one = program(sin(x1 + x2) * L)
    other = program((sin(x1) * cos(x2) + cos(x1) * sin(x2)) * L)
    certificate = one.certify(other)
    assert 0 < certificate.probability < 1e-30
    assert certificate.points == 2
    with pytest.raises(tf.CertificationError, match=r"y\[0\].*where.*L = "):
        one.certify(program((sin(x1) * cos(x2) - cos(x1) * sin(x2)) * L))
    with pytest.raises(tf.ProgramError, match="cannot be compared"):
        one.certify(program(x1, x2))


def test_certifying_division_and_roots():
    assert program(sqrt(x1 * x1 + x2 * x2)).certify(program(sqrt(x2 * x2 + x1 * x1) * (x1 / x1)))
    assert program(1 / (x1 + 1 / x2)).certify(program(x2 / (x1 * x2 + 1)))


def test_a_tiny_difference_is_found():
    with pytest.raises(tf.CertificationError):
        program(x1 * 0.1).certify(program(x1 * 0.10000000000000002))


def test_repr_tells_what_it_is():
    assert "q[6], qd[6], qdd[6]" in repr(tf.inverse_dynamics(tf.robots.puma560()))


def test_a_program_without_outputs_is_refused():
    with pytest.raises(tf.ProgramError, match="program has no outputs; give each one by its name"):
        tf.Program.of()
