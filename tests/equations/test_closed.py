"""Closed forms: what textbooks write, proved equal to the Program by SymPy and at random points."""

from dataclasses import replace

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import tauforge as tf
from tauforge.equations.closed import closed
from tauforge.equations.factor import Factoring
from tauforge.equations.polynomial import TooLong

from ..random_robots import random_robot


def planar3r():
    joints = tuple(tf.Joint(name=f"joint{j + 1}", antecedent=j, d=d) for j, d in enumerate((0.0, 1.0, 1.0)))
    bodies = tuple(tf.Body(name=f"link{j}") for j in (1, 2, 3))
    return tf.Robot(name="planar3r", joints=joints, bodies=bodies, gravity=(0.0, -9.81, 0.0)).symbolic(lengths=True)


def elbow3r():
    arm = tf.robots.puma560()
    return replace(arm, name="elbow3r", joints=arm.joints[:3], bodies=arm.bodies[:3]).symbolic(lengths=True)


ROBOTS = {
    "planar2r": tf.robots.planar2r(symbolic=True),
    "rrp": tf.robots.rrp(symbolic=True),
    "scara": tf.robots.scara(symbolic=True),
    "planar3r": planar3r(),
    "elbow3r": elbow3r(),
}
MODELS = (tf.inertia_matrix, tf.coriolis_matrix, tf.gravity)


def is_zero(x):
    """Tell whether SymPy finds an expression to be zero: angles added out, then cos² = 1 - sin²."""
    flat = sympy.expand(sympy.expand_trig(x))
    flat = flat.replace(
        lambda e: isinstance(e, sympy.Pow) and isinstance(e.base, sympy.cos) and e.exp % 2 == 0,
        lambda e: (1 - sympy.sin(e.base.args[0]) ** 2) ** (e.exp // 2),
    )
    return sympy.expand(flat) == 0


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
@pytest.mark.parametrize("name", ROBOTS)
def test_sympy_proves_closed_forms(name, model):
    program = model(ROBOTS[name])
    made = program.equations("closed")
    said = made.form.as_program().to_sympy()
    for key, expected in program.to_sympy().items():
        assert all(is_zero(x) for x in expected - said[key])
    assert model(ROBOTS[name]).equations().style == "closed"


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (tf.inertia_matrix, "M(q) = ⎡ ZZ₁ + ZZ₂ + 2 D₂ (MX₂ c₂ - MY₂ s₂) + D₂² M₂  ZZ₂ + D₂ (MX₂ c₂ - MY₂ s₂) ⎤"),
        (tf.coriolis_matrix, "C(q, q̇) = ⎡ -D₂ (MY₂ c₂ + MX₂ s₂) q̇₂  -D₂ (MY₂ c₂ + MX₂ s₂) (q̇₁ + q̇₂) ⎤"),
        (tf.gravity, "g(q) = ⎡ 9.81 ((D₂ M₂ + MX₁) c₁ - MY₁ s₁ + MX₂ c₁₂ - MY₂ s₁₂) ⎤"),
    ],
)
def test_the_double_pendulum_is_as_in_textbooks(model, said):
    assert str(model(ROBOTS["planar2r"]).equations()).startswith(said)


def test_squares_of_sines_and_cosines_are_gone():
    program = tf.Program.of(
        y="cos(a)**2 + sin(a)**2", z="sin(a)*cos(b) + cos(a)*sin(b) - sin(a + b)", w="1 - cos(a)**2"
    )
    outputs = closed(program).as_program().results
    assert [str(outputs[x].nodes[0]) for x in "yzw"] == ["1", "0", "sin(a)**2"]


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("cos(q1)**2 - sin(q1)**2", "cos(2*q1)"),
        ("a*b*c + a*b*d + a*b*e", "a*b*(c + d + e)"),
        ("x/(1 + y) + z/(1 + y)", "(x + z)/(y + 1)"),
        ("x/(-y - z)", "-x/(y + z)"),
        ("(x*y + z*x*x)/x", "x*z + y"),
        ("abs(x*y + x*z)*2 + sign(x)", "2*abs(x*(y + z)) + sign(x)"),
        ("0", "0"),
    ],
)
def test_expressions(given, made):
    assert str(closed(tf.Program.of(y=given)).as_program().results["y"].nodes[0]) == made


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_random_robots_are_proved_or_refused(seed):
    """Whatever the joints, a closed form is certified when it is made, or it is refused as too long."""
    robot = random_robot(seed, largest=3)
    for model in (tf.inertia_matrix, tf.gravity):
        try:
            made = closed(model(robot), 600)
        except TooLong:
            continue
        made.as_program().certify(model(robot))


def test_sums_of_quotients_keep_what_is_above_the_bar():
    assert "τ₁ - (1 + 1.5 c₂) τ₂" in str(tf.direct_dynamics(tf.robots.planar2r()).equations("closed"))


def test_a_factor_that_is_rounded_to_one_is_not_shown():
    assert str(tf.Program.of(y="0.9999999999999999*(a + b)").equations("closed")).startswith("y = a + b")


def test_long_ones_become_steps():
    program = tf.inverse_dynamics(tf.robots.puma560())
    assert program.equations().style == "steps"
    with pytest.raises(tf.ProgramError, match="take style='steps'"):
        tf.inverse_dynamics(tf.robots.rx90(symbolic=True)).equations("closed")
    with pytest.raises(tf.ProgramError, match="unknown style 'open'; choose among 'auto', 'closed', 'steps'"):
        program.equations("open")


def test_a_parameter_that_looks_like_a_coordinate_is_not_shown_as_one():
    program = tf.inertia_matrix(tf.robots.planar2r(symbolic=True).bind(M2=tf.symbol("q1"), D2=tf.symbol("c2")))
    with pytest.raises(TooLong, match="the parameter q1 looks like an input"):
        program.equations("closed")
    assert "q₁_" in program.equations().text()


def test_each_denominator_is_written_once(monkeypatch):
    made = []
    monkeypatch.setattr("tauforge.equations.closed.Factoring", lambda *given: made.append(given) or Factoring(*given))
    tf.direct_dynamics(tf.robots.planar2r(symbolic=True)).equations()
    assert 1 < len(made) < 20


def test_sympy_gets_exact_constants():
    made = tf.Program.of(y=["sin(pi/7)*x", "0.1 + x/3"], z="atan2(x, sqrt(abs(w)))").to_sympy()
    x, w = sympy.symbols("x w", real=True)
    assert made["y"] == sympy.Matrix([sympy.sin(sympy.pi / 7) * x, sympy.Rational(1, 10) + x / 3])
    assert made["z"] == sympy.atan2(x, sympy.sqrt(abs(w)))


def test_constants_beyond_floats_are_refused():
    with pytest.raises(tf.ProgramError, match="too large for a float; take style='steps'"):
        tf.Program.of(y="(1e200*x + 1)*(1e200*x + 2)").equations("closed")
