"""Three outcomes, never mixed up: proved, refuted with a real state, undecided."""

import math
from random import Random

import pytest
from hypothesis import given, settings

import tauforge as tf
from tauforge.graph.evaluate import evaluate
from tauforge.graph.functions import cos
from tauforge.graph.node import as_node
from tauforge.program.array import Array, Shape

from ..graph.test_derivative import EVERYTHING

of = tf.Program.of
MANY = "+".join(f"sqrt(x{k})" for k in range(30))

EQUAL = [
    ("sqrt(x*x)", "abs(x)"),
    ("sqrt(49*x*x)", "7*abs(x)"),
    ("sign(x*(7*y))", "sign(x*y)"),
    ("cos(atan2(7*y, 7*x))", "cos(atan2(y, x))"),
    ("atan2(2*y, 2*x)", "atan2(y, x)"),
    ("abs(x*x + y*y)", "x*x + y*y"),
    ("x*sign(x)", "abs(x)"),
    ("abs(x)*abs(x)", "x*x"),
    ("sin(x + pi/7)", "sin(x)*cos(pi/7) + cos(x)*sin(pi/7)"),
    ("sin(7*(x + pi/7))", "-sin(7*x)"),
    ("cos((x + pi)*0.5)", "-sin(x*0.5)"),
    ("cos(2*pi/7) + cos(4*pi/7) + cos(6*pi/7)", "-1/2"),
    ("sin(0.3*x)*cos(0.1*x) + cos(0.3*x)*sin(0.1*x)", "sin((0.3 + 0.1)*x)"),
    ("sin(1e-300*x) + sin(x)", "sin(x) + sin(x*1e-300)"),
    ("sqrt(2)*sqrt(2)*x", "2*x"),
    ("x/x", "1"),
    ("sin(asin(x) + acos(y))", "x*y + sqrt(1 - x*x)*sqrt(1 - y*y)"),
    ("cos(x - y)", "4*cos((x - y)/3)**3 - 3*cos((x - y)/3)"),
    ("cos(x/3 + y/6)", "2*cos(x/6 + y/12)**2 - 1"),
    (f"cos({'+'.join(f'q{k}' for k in range(40))})", f"cos({'+'.join(f'q{k}' for k in reversed(range(40)))})"),
]
DIFFERENT = [
    ("abs(x)", "x"),
    ("sign(x)", "1"),
    ("sign(x)*sign(x)", "1"),
    ("sqrt(x*x)", "x"),
    ("sqrt(49*x*x)", "-7*abs(x)"),
    ("sign(x*(7*y))", "-sign(x*y)"),
    ("cos(atan2(7*y, 7*x))", "-cos(atan2(y, x))"),
    ("atan2(-y, x)", "-atan2(y, x)"),
    ("cos((x + pi)*0.5)", "cos(x*0.5)"),
    ("cos((x + pi)/3)", "cos(x/3)"),
    ("sin((x + pi/2)*0.5)", "sin(x*0.5)"),
    ("pi", repr(math.nextafter(math.pi, 4))),
    ("pi*x", f"{math.nextafter(math.pi, 4)!r}*x"),
    ("0.1*x", "0.10000000000000002*x"),
    ("sin(x) + 1e-300*y", "sin(x)"),
    ("1e12*sin(5e-10)*x", "0"),
    ("(1237940039285380210472715264 + 64424510255)*x", "0"),
    ("sin(1e-308*x) + sin(1e308*x)", "0"),
    ("(sqrt(2) - 1.4142135623730951)*x", "0"),
    ("asin(2*x)", "asin(x)"),
    ("acos(x/2)", "acos(x)"),
    ("cos(asin(x))", "cos(asin(x/2))"),
    ("cos(x + sqrt(2) - sqrt(3))", "cos(x)"),
    ("cos(x + acos(0.3) - atan2(0.4, 0.5))", "cos(x)"),
    ("cos(asin(0.3) - acos(0.3))", "1"),
    ("sqrt(12) + 2*sqrt(3)", "0"),
    ("x*(sqrt(2)*sqrt(3) + sqrt(6))", "0"),
    ("cos(x)**2 - (1 - 1e-20)", "-sin(x)**2"),
    ("abs(x - 5)", "5 - x"),
    ("sqrt(x - 10)", "2*sqrt(x - 10)"),
    ("sqrt(1e200*x) + sqrt(1e-200*x)", "0"),
]
NOTHING = "(sin(x + y) - sin(x)*cos(y) - cos(x)*sin(y))"
"""Zero, which is not seen when it is built."""
UNKNOWN = [
    ("sqrt(x)*sqrt(y)", "sqrt(x*y)"),
    ("asin(x) + acos(x)", "pi/2"),
    ("sqrt(2)/2", "sin(pi/4)"),
    ("sign(acos(0.5) - pi/3)", "0"),
    ("sign(x*(acos(0.5) - pi/3))", "sign(x)"),
    (f"sqrt({NOTHING} - 2) + sqrt(2)*x", f"sqrt(3*{NOTHING} - 2) + sqrt(2)*x*sqrt(1)"),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_what_is_equal_is_proved(one, other):
    certificate = of(y=one).certify(of(y=other))
    assert certificate.probability < 1e-29


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_differs_is_refuted_by_a_state_every_time(one, other):
    for _ in range(20):
        with pytest.raises(tf.CertificationError) as caught:
            of(y=one).certify(of(y=other))
        assert not isinstance(caught.value, tf.Undecided)
        assert caught.value.state is not None
        for name, value in caught.value.state.items():
            assert f"{name} = {value!r}" in str(caught.value)


@pytest.mark.parametrize(("one", "other"), UNKNOWN)
def test_what_is_neither_is_called_so(one, other):
    with pytest.raises(tf.Undecided, match="unknown functions of their arguments"):
        of(y=one).certify(of(y=other))


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        (f"1/{NOTHING}", f"2/{NOTHING}", "a divisor is zero"),
        ("+".join(f"sqrt(x{k})" for k in range(12)), "0", None),
        (f"({MANY})**8", f"({MANY})**7*({MANY} + x - x*1.5 + 0.5*x)", "square roots"),
        (
            "*".join(f"(1 + sqrt(x{k} + 1))" for k in range(12)),
            "*".join(f"(1 + sqrt(1.0*x{k} + 1))" for k in range(12)) + " + x - x*1.5 + 0.5*x",
            "square roots",
        ),
        ("sin(1e-308*x + 1e308*y)", "sin(1e-308*x)*cos(1e308*y) + cos(1e-308*x)*sin(1e308*y)", "bits"),
    ],
)
def test_what_stands_in_the_way_is_said(one, other, why):
    with pytest.raises(tf.CertificationError if why is None else tf.Undecided, match=why):
        of(y=one).certify(of(y=other))


def test_inputs_are_matched_by_place():
    a, b = map(tf.symbol, "ab")
    array, result = (lambda *nodes: Array(Shape([len(nodes)]), nodes)), {"y": Array(Shape([]), (a,))}
    one, swapped, renamed = (
        tf.Program(name, {key: array(*nodes)}, result)
        for name, key, nodes in (("one", "q", (a, b)), ("swapped", "q", (b, a)), ("renamed", "v", (a, b)))
    )
    for other in (swapped, renamed):
        with pytest.raises(tf.ProgramError, match=r"cannot be compared: \w is entry"):
            one.certify(other)


def test_a_symbol_may_be_called_pi():
    pi = tf.symbol("pi")
    with pytest.raises(tf.CertificationError):
        of(y=cos(pi)).certify(of(y=-1.0))


def test_an_output_without_a_value_does_not_hide_another():
    with pytest.raises(tf.CertificationError, match=r"y\[1\]") as caught:
        of(y=["sqrt(-1 - x*x) + 1", "x"]).certify(of(y=["2*sqrt(-1 - x*x)", "y"]))
    assert not isinstance(caught.value, tf.Undecided)


@pytest.mark.parametrize("points", [1, 0, 2.5, None])
def test_a_proof_needs_two_points(points):
    with pytest.raises(tf.ProgramError, match="points is"):
        of(y="x").certify(of(y="x"), points=points)


def test_every_output_counts():
    with pytest.raises(tf.CertificationError, match=r"y\[1\]"):
        of(y=["sqrt(x)", "abs(x)"]).certify(of(y=["sqrt(x)", "x"]))
    with pytest.raises(tf.ProgramError, match="outputs"):
        of(y="x").certify(of(z="x"))


def test_friction_is_no_constant():
    arm = tf.robots.rx90(symbolic=True)
    rubbing = tf.inverse_dynamics(arm)
    assert rubbing.certify(tf.inverse_dynamics(arm))


@given(EVERYTHING, EVERYTHING)
@settings(max_examples=60)
def test_no_two_expressions_that_differ_are_proved_equal(x, y):
    """Whatever is proved holds in floats, too; whatever is refuted differs there or beyond their digits."""
    random = Random(1)
    try:
        of(y=x).certify(of(y=y))
    except tf.Undecided:
        return
    except tf.CertificationError:
        assert x is not y
        return
    for _ in range(20):
        state = {name: random.uniform(-2, 2) for name in "abc"}
        one, other = evaluate([as_node(x), as_node(y)], state)
        assert one == pytest.approx(other, rel=1e-6, abs=1e-6)


def test_a_program_of_expressions():
    program = of("circle", x="r*cos(t)", both=["r", 2.0])
    assert {name: tuple(shape) for name, shape in program.inputs.items()} == {"r": (), "t": ()}
    assert {name: tuple(shape) for name, shape in program.outputs.items()} == {"x": (), "both": (2,)}
    x, both = program.compile(cache=False)(2.0, math.pi / 3)
    assert x == pytest.approx(1.0)
    assert both.tolist() == [2.0, 2.0]
    assert "circle" in program.code("c")
