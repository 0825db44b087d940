"""Outputs of many numbers, most of them zeros: right wherever they stand, and no code for each of them."""

import numpy as np
import pytest

import tauforge as tf
from tauforge.graph.node import as_node, symbol
from tauforge.llvm import pieces as llvm
from tauforge.llvm.vectors import Vectors
from tauforge.program.array import inputs, outputs
from tauforge.program.program import Program

from ..random_robots import free_bodies
from .reference import CLOSE, expected

VECTORS = Vectors("double", 4)


def sparse(size):
    """Return a Program of two outputs: computed entries, set-up and runs of several numbers among many zeros."""
    x, length = inputs("x", ["a", "b"], "numbers"), symbol("L")
    first = [as_node(0.0)] * size
    first[0], first[7], first[size // 2], first[-1] = x.nodes[0] * x.nodes[1], x.nodes[1], length * length, -x.nodes[0]
    first[11:40] = [as_node(2.5)] * 29
    first[40:42] = as_node(-2.5), as_node(3.0)
    second = [as_node(3.0), *[as_node(0.0)] * (size - 2), x.nodes[0] + 1.0]
    results = {"y": outputs(first, [size], [], ""), "z": outputs(second, [size // 2, 2], [], "")}
    return Program("sparse", {"x": x}, results)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("size", [100, llvm.PIECE, 4 * llvm.PIECE])
def test_numbers_are_where_they_belong(size, dtype):
    program = sparse(size)
    function = program.compile(dtype=dtype, cache=False)
    rng = np.random.default_rng(0)
    for batch in ((), (3,), (21,)):
        x, parameters = rng.normal(size=(*batch, 2)).astype(dtype), rng.normal(size=1).astype(dtype)
        for ours, exact in zip(function(x, parameters), expected(program, x, parameters), strict=True):
            np.testing.assert_allclose(ours, exact, **(CLOSE if dtype is np.float64 else {"rtol": 1e-5}))


def test_code_does_not_grow_with_zeros():
    short, long = (llvm.pieces(sparse(n), VECTORS) for n in (4 * llvm.PIECE, 40 * llvm.PIECE))
    assert (short.setup, short.body) == (long.setup, long.body)
    few, many = (sum(map(len, made.modules)) for made in (short, long))
    assert many < 1.05 * few


@pytest.mark.parametrize("model", [tf.inertia_matrix, tf.coriolis_matrix, tf.regressor])
def test_code_grows_with_the_number_of_bodies(model):
    one, two = (sum(map(len, llvm.pieces(model(free_bodies(n)), VECTORS).modules)) for n in (8, 16))
    assert two < 2.2 * one
