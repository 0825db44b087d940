"""Sums and products grouped in other ways."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tauforge as tf
from tests.program.passes.applied import applied
from tests.random_robots import random_robot


@pytest.mark.parametrize(
    ("outputs", "mul", "add"),
    [
        ({"y": "(a + b) + c", "z": "(b + c) + d"}, 0, 3),
        ({"y": "a + (b + c)", "z": "(a + b) + d", "w": "c + b"}, 0, 4),
        ({"y": "a*b*c", "z": "b*c*d"}, 3, 0),
        ({"y": "(a - b) + c", "z": "d + b - c"}, 0, 3),
        ({"y": "a*(b + c) + d*c", "z": "a*b"}, 2, 2),
        ({"y": "m*u*s + n*u*c", "z": "m*v*s + n*v*c"}, 4, 1),
    ],
)
def test_counts(outputs, mul, add):
    made = applied("regroup", tf.Program.of(**outputs))
    assert (made.count().mul, made.count().add) == (mul, add)


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_equal_and_never_dearer_on_random_robots(seed):
    applied("regroup", tf.inverse_dynamics(random_robot(seed, largest=4), parameters="standard"), 500)
