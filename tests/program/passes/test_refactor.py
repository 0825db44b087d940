"""Values written out and factored again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tauforge as tf
from tests.program.passes.applied import applied
from tests.random_robots import random_robot


@pytest.mark.parametrize(
    ("text", "mul", "add"),
    [
        ("a*b + a*c", 1, 1),
        ("a*b - a*c", 1, 1),
        ("a*b + a*c + a*d", 1, 2),
        ("a*b + d + a*c", 1, 2),
        ("a*b*x + a*c*x", 2, 1),
        ("a*b + a*c + d*e + d*f", 2, 3),
        ("a*a + a*b", 1, 1),
        ("a*b + c*d", 2, 1),
        ("-(a*b) - a*c", 1, 1),
        ("a + b + a", 1, 1),
        ("(a + b) - a", 0, 0),
        ("a*b + c + a*b*d - a*b", 2, 1),
        ("a*(b + c) - a*c + a*d", 1, 1),
        ("a*(b + c) + d*c + d*b", 1, 2),
    ],
)
def test_counts(text, mul, add):
    made = applied("refactor", tf.Program.of(y=text))
    assert (made.count().mul, made.count().add) == (mul, add)


@pytest.mark.parametrize(
    ("text", "expected", "total"),
    [
        ("m*sin(a)*cos(b) + m*cos(a)*sin(b)", "m*sin(a + b)", 2),
        ("m*sin(a)*cos(b) - m*cos(a)*sin(b)", "m*sin(a - b)", 2),
        ("m*cos(a)*sin(b) - m*sin(a)*cos(b)", "m*sin(b - a)", 2),
        ("m*cos(a)*cos(b) - m*sin(a)*sin(b)", "m*cos(a + b)", 2),
        ("m*cos(a)*cos(b) + m*sin(a)*sin(b)", "m*cos(a - b)", 2),
        ("m*sin(a)*sin(b) - m*cos(a)*cos(b)", "-m*cos(a + b)", 2),
        ("m*sin(a)*sin(b) + m*cos(a)*cos(b) + n", "m*cos(a - b) + n", 3),
        ("m*(c*cos(a) + g*cos(b))*cos(a) + m*sin(a)*(c*sin(a) - g*sin(b))", "m*(c + g*cos(a + b))", 4),
        ("cos(a)*cos(a) - sin(a)*sin(a)", "cos(2*a)", 1),
    ],
)
def test_sines_of_sums(text, expected, total):
    program = tf.Program.of(y=text)
    made = applied("refactor", program)
    assert made.certify(tf.Program.of(y=expected))
    assert made.count().total == total
    assert made.count().trig <= program.count().trig


def test_what_is_used_elsewhere_is_left():
    program = tf.Program.of(y="a*b + a*c", p="a*b", r="a*c")
    assert applied("refactor", program).count() == program.count()


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_equal_and_never_dearer_on_random_robots(seed):
    applied("refactor", tf.inverse_dynamics(random_robot(seed, largest=4), parameters="standard"), 500)
