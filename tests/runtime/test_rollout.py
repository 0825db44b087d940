"""Steps of any Program, repeated in machine code."""

import numpy as np
import pytest

import tauforge as tf
from tauforge.program.array import Array, Shape
from tauforge.program.program import Program
from tauforge.runtime.rollout import Steps


@pytest.mark.parametrize("scalar", ["double", "float"])
@pytest.mark.parametrize("count", [1, 8, 19])
def test_sums_of_the_last_two(scalar, count):
    a, b, c = map(tf.symbol, "abc")
    arguments = {"pair": Array(Shape([2]), (a, b)), "more": Array(Shape([]), (c,))}
    steps = Steps(Program("sums", arguments, {"next": Array(Shape([2]), (b, a + b + c))}), {"next": "pair"}, scalar)
    start = np.tile(np.array([0, 1], steps.dtype), (count, 1))
    more = np.arange(12 * count, dtype=steps.dtype).reshape(count, 12, 1) % 5
    result = np.empty((count, 4, 2), steps.dtype)
    steps([start], [more], [result], 12, 3, 2)
    for state in range(count):
        x, y = 0, 1
        for k in range(12):
            x, y = y, x + y + more[state, k, 0]
            if k % 3 == 2:
                assert result[state, k // 3].tolist() == [x, y]


def test_results_that_are_constant_or_inputs():
    a, b, c = map(tf.symbol, "abc")
    results = {"y": Array(Shape([3]), (b, a, a * 0 + 7.0))}
    steps = Steps(Program("swap", {"x": Array(Shape([3]), (a, b, c))}, results), {"y": "x"}, "double")
    result = np.empty((2, 1, 3))
    steps([np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])], [], [result], 5, 5, None)
    assert result[:, 0].tolist() == [[2.0, 1.0, 7.0], [5.0, 4.0, 7.0]]
