"""Values defined by two others, whatever their structure."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tauforge as tf
from tests.program.passes.applied import applied
from tests.random_robots import random_robot


@pytest.mark.parametrize(
    ("outputs", "total"),
    [
        ({"y": "sin(a)*sin(a) + cos(a)*cos(a)"}, 0),
        ({"y": "sin(a)*cos(b) + cos(a)*sin(b)", "z": "sin(a + b)"}, 1),
        ({"y": "(a + b)*(a + b) - (a - b)*(a - b)", "z": "4*a*b"}, 2),
        ({"y": "x*x + 2*x*z + z*z", "t": "x + z"}, 2),
        ({"y": "a*a - b*b", "p": "a + b", "m": "a - b"}, 3),
        ({"y": "(a*c - b*d)/(a + b)", "n": "a*c", "m": "b*d", "k": "1/(a + b)"}, 6),
        ({"y": "a + b"}, 1),
    ],
)
@pytest.mark.parametrize("steps", [0, 20])
def test_counts(outputs, total, steps):
    assert applied("resubstitute", tf.Program.of(**outputs), steps).count().total == total


def test_a_value_is_not_defined_by_what_depends_on_it():
    program = tf.Program.of(y="a*b*c + d*e", z="a*b*c + d*e + f")
    assert applied("resubstitute", program).count().total == 5


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_equal_and_never_dearer_on_random_robots(seed):
    applied("resubstitute", tf.inverse_dynamics(random_robot(seed, largest=4), parameters="standard"), 10)
