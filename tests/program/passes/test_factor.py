"""Common factors out of sums."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tauforge as tf
from tauforge.program.passes.factor import factor
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
        ("a*b + a", 1, 1),
        ("a*b + c*d", 2, 1),
        ("-(a*b) - a*c", 1, 1),
        ("a + b + a", 1, 1),
        ("(a + b) - a", 0, 0),
        ("a*b + c + a*b*d - a*b", 2, 1),
    ],
)
def test_counts(text, mul, add):
    program = tf.Program.of(y=text)
    made = factor(program)
    assert (made.count().mul, made.count().add) == (mul, add)
    assert program.certify(made)
    made.check()


def test_what_is_used_elsewhere_is_left():
    program = tf.Program.of(y="a*b + a*c", p="a*b", r="a*c")
    assert factor(program).count() == program.count()


@example(seed=4291)
@example(seed=130)
@given(seed=st.integers(0, 10**6))
def test_equal_and_never_dearer_on_random_robots(seed):
    program = tf.inverse_dynamics(random_robot(seed, largest=4), parameters="standard")
    made = factor(program)
    made.check()
    assert made.count().total <= program.count().total
    assert program.certify(made)
