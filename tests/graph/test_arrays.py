"""Graphs evaluated for many values at once equal those evaluated one by one."""

import numpy as np
import pytest

import tauforge as tf
from tauforge.errors import ExpressionError
from tauforge.graph.arrays import Arrays
from tauforge.graph.evaluate import evaluate
from tauforge.graph.parse import expression

EXPRESSIONS = [
    "x",
    "2",
    "x*y - 3/x",
    "sqrt(x)*sin(y) + cos(x*y)",
    "asin(y/9) + acos(y/9)",
    "atan2(-y, x)",
    "abs(y)*sign(y)",
]


def test_equal_to_one_by_one():
    nodes = [expression(text) for text in EXPRESSIONS]
    x, y = np.random.default_rng(0).uniform(0.5, 3.0, (2, 20)) * [[1.0], [-1.0]]
    found = Arrays(nodes)({"x": x, "y": y}, 20)
    for k in range(20):
        np.testing.assert_allclose(found[k], evaluate(nodes, {"x": x[k], "y": y[k]}), rtol=1e-14)


def test_no_value_where_there_is_none():
    found = Arrays([expression("1/x"), expression("sqrt(x)")])({"x": np.array([-1.0, 0.0, 4.0])}, 3)
    np.testing.assert_array_equal(found, [[-1.0, np.nan], [np.inf, 0.0], [0.25, 2.0]])


def test_a_symbol_without_a_value():
    with pytest.raises(ExpressionError, match="symbol y has no value"):
        Arrays([tf.symbol("x") * tf.symbol("y")])({"x": np.ones(1)}, 1)
