"""The text of the LLVM module, and every operation computed by the code made from it."""

import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tauforge import Program, inverse_dynamics
from tauforge.graph import functions, operations
from tauforge.graph import node as graph
from tauforge.graph.evaluate import evaluate
from tauforge.llvm.pieces import pieces
from tauforge.llvm.vectors import Vectors
from tauforge.program.array import inputs, outputs

from ..random_robots import random_robot
from .reference import CLOSE, expected, mixed, plain

X, Y = graph.symbol("x[0]"), graph.symbol("x[1]")
CASES = {
    "add": X + Y,
    "subtract": X - Y,
    "neg": -X,
    "mul": X * Y,
    "div": X / Y,
    "sqrt": functions.sqrt(X),
    "sin": functions.sin(X),
    "cos": functions.cos(X),
    "asin": functions.asin(X),
    "acos": functions.acos(X),
    "atan2": functions.atan2(X, Y),
    "abs": functions.absolute(X),
    "sign": functions.sign(X),
    "square added to itself": X * X + X,
    "neg used twice": (X - Y * Y) * (-(Y * Y) / X),
    "const": graph.as_node(0.1),
    "symbol": Y,
}
NUMPY = {
    "add": np.add,
    "subtract": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "sqrt": lambda x, y: np.sqrt(x),
    "sin": lambda x, y: np.sin(x),
    "cos": lambda x, y: np.cos(x),
    "asin": lambda x, y: np.arcsin(x),
    "acos": lambda x, y: np.arccos(x),
    "atan2": np.arctan2,
    "abs": lambda x, y: np.abs(x),
    "sign": lambda x, y: np.sign(np.nan_to_num(x)),
}


def one(expression):
    x = inputs("x", ["x", "y"], "")
    return Program("one", {"x": x}, {"y": outputs([expression], [], [], "")})


@pytest.mark.parametrize("name", CASES)
def test_each_operation(name):
    function = one(CASES[name]).compile()
    points = np.random.default_rng(0).uniform(0.01, 0.99, (50, 2)) * [1, -1]
    exact = [evaluate([CASES[name]], {"x[0]": x, "x[1]": y})[0] for x, y in points]
    np.testing.assert_allclose(function(points), exact, rtol=4e-16 if name != "neg used twice" else 1e-12)


@pytest.mark.parametrize("name", NUMPY)
def test_zeros_infinities_and_nan_go_through_each_operation(name):
    special = [0.0, -0.0, 1.0, -1.0, 2.0, 5e-324, 1e308, math.inf, -math.inf, math.nan]
    points = np.array([(x, y) for x in special for y in special])
    function = one(CASES[name]).compile()
    with np.errstate(all="ignore"):
        result, reference = function(points), NUMPY[name](*points.T)
    np.testing.assert_array_max_ulp(result, reference, 1)
    both = ~np.isnan(reference)
    assert (np.signbit(result) == np.signbit(reference))[both & (name != "sign")].all()


def test_every_operation_has_a_case():
    assert {node.op for case in CASES.values() for node in (case, *case.args)} == set(operations.OPERATIONS)


@given(st.floats(allow_nan=False))
def test_constants_are_exact(value):
    assert struct.unpack(">d", bytes.fromhex(Vectors("double", 4).literal(value)[2:])) == (value,)


@given(st.floats(allow_nan=False))
def test_constants_are_rounded_to_single_precision(value):
    with np.errstate(over="ignore"):
        rounded = float(np.float32(value))
    assert struct.unpack(">d", bytes.fromhex(Vectors("float", 8).literal(value)[2:])) == (rounded,)


@given(st.floats(allow_nan=False, allow_infinity=False).filter(bool))
def test_constants_reach_the_compiled_code(value):
    x = inputs("x", [], "")
    assert Program("c", {"x": x}, {"y": outputs([value], [], [], "")}).compile()(np.empty(0)) == value


def test_a_negated_term_is_subtracted_and_only_contraction_is_allowed():
    (text,) = pieces(plain(), Vectors("double", 8)).modules
    assert "fsub contract <8 x double>" in text
    assert "fmul contract <8 x double>" in text
    assert not any(flag in text for flag in ("fast", "reassoc", "nnan", "arcp", "afn"))


def test_setup_is_done_once_for_shared_parameters_and_always_right():
    program = mixed()
    assert program.setup
    assert pieces(program, Vectors("double", 8)).setup == 1
    rng = np.random.default_rng(3)
    q, m, t = rng.normal(size=(6, 3)), rng.normal(size=(2, 3)), rng.normal(size=6)
    function = program.compile()
    for parameters in (rng.normal(size=2), rng.normal(size=(6, 2)), rng.normal(size=(4, 1, 2))):
        for ours, exact in zip(function(q, m, t, parameters), expected(program, q, m, t, parameters), strict=True):
            np.testing.assert_allclose(ours, exact, **CLOSE)


@pytest.mark.parametrize("seed", range(12))
def test_random_robots(seed):
    program = inverse_dynamics(random_robot(seed, symbolic=seed % 2 == 0, rotors=True), external_wrenches=seed % 3 == 0)
    rng = np.random.default_rng(seed)
    arrays = [rng.uniform(-2, 2, (5, *shape)) for shape in program.inputs.values()]
    (exact,) = expected(program, *arrays)
    np.testing.assert_allclose(program.compile()(*arrays), exact, **CLOSE)


def test_arc_tangents_are_exact_in_all_directions():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 4000)) * 10.0 ** rng.uniform(-8, 8, (2, 4000))
    edges = np.tan(np.arange(1, 16, 2) * np.pi / 8) * (1.0 + np.arange(-2, 3)[:, None] * 2.3e-16)
    x, y = np.concatenate([x, np.sign(rng.normal(size=40))]), np.concatenate([y, edges.ravel()])
    np.testing.assert_allclose(one(CASES["atan2"]).compile()(np.stack([y, x], axis=1)), np.arctan2(y, x), rtol=4e-16)


@pytest.mark.parametrize("name", ["sin", "cos", "atan2"])
def test_neighbours_that_need_the_c_library_change_nothing(name):
    function, given = one(CASES[name]).compile(), np.random.default_rng(4).normal(size=(400, 2))
    expected = function(given)
    among = np.insert(given, np.arange(0, 400, 3), [[np.nan, 0.0]], axis=0)
    with np.errstate(invalid="ignore"):
        found = function(among)
    np.testing.assert_array_equal(found[~np.isnan(among[:, 0])], expected)
