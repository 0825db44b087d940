"""Shorter paths with the same operations."""

import pytest

import tauforge as tf
from tauforge.program.network.cost import longest
from tests.program.passes.applied import applied


@pytest.mark.parametrize(
    ("text", "cycles"),
    [
        ("a + (b + (c + (d + (e + (f + (g + h))))))", 12),
        ("a*(b*(c*(d*(e*(f*(g*h))))))", 12),
        ("((sin(a) + b) + c) + d", 44),
        ("a + b", 4),
        ("a*b - (c - (d - e))", 12),
    ],
)
def test_the_longest_path(text, cycles):
    program = tf.Program.of(y=text)
    made = applied("balance", program)
    assert longest(made) == cycles <= longest(program)
    assert made.count() == program.count()


def test_what_is_shared_stays_shared():
    program = tf.Program.of(y="a + (b + (c + (d + e)))", z="c + (d + e)")
    assert applied("balance", program).count().total == 4
