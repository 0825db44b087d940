"""Calls with one state, which take a way of their own, beside those that cannot take it."""

import gc
import sys

import numpy as np
import pytest

from tauforge import ProgramError, fuse, inertia_matrix, inverse_dynamics
from tauforge.program.array import inputs, outputs
from tauforge.program.program import Program
from tauforge.runtime import one_state_call
from tauforge.runtime.ufunc_call import UfuncCall

from .reference import chain, plain

RNG = np.random.default_rng(6)
ROBOT = chain(5)
TAU, MATRIX, PLAIN = (program.compile() for program in (inverse_dynamics(ROBOT), inertia_matrix(ROBOT), plain()))


@pytest.fixture
def spied(monkeypatch):
    """Return the list of the general calls that are made."""
    calls = []
    general = UfuncCall.__call__

    def spy(self, *arguments, **named):
        calls.append(arguments)
        return general(self, *arguments, **named)

    monkeypatch.setattr(UfuncCall, "__call__", spy)
    return calls


def test_one_state_goes_the_direct_way(spied):
    q, qd, qdd = RNG.normal(size=(3, 7, 5))
    tau, M = TAU(q, qd, qdd, threads=2), MATRIX(q, threads=2)
    assert len(spied) == 2
    for i in range(7):
        np.testing.assert_array_equal(TAU(q[i], qd[i], qdd[i]), tau[i])
        np.testing.assert_array_equal(MATRIX(q[i]), M[i])
    assert len(spied) == 2
    assert type(TAU(q[0], qd[0], qdd[0])) is np.ndarray
    assert MATRIX(q[0]).shape == (5, 5)
    assert MATRIX(q[0]).flags.owndata


def test_strides_are_taken_the_direct_way(spied):
    whole = RNG.normal(size=(9, 40))
    whole.flags.writeable = False
    views = [whole[0, ::8], whole[1:6, 3], whole[2, 20:0:-4]]
    tau = TAU(*views)
    assert spied == []
    np.testing.assert_array_equal(tau, TAU(*map(np.ascontiguousarray, views)))
    matrix = RNG.normal(size=(3, 4))
    x = Program("copy", {"m": MATRIX_INPUT}, {"y": outputs(MATRIX_INPUT.nodes, [4, 3], [], "")}).compile()
    np.testing.assert_array_equal(x(matrix.T.copy().T), matrix.reshape(4, 3))
    np.testing.assert_array_equal(x(matrix), matrix.reshape(4, 3))


MATRIX_INPUT = inputs("m", [f"x{i}" for i in range(12)], "")
MATRIX_INPUT = type(MATRIX_INPUT)(type(MATRIX_INPUT.shape)([3, 4]), MATRIX_INPUT.nodes)


class Subclass(np.ndarray):
    pass


@pytest.mark.parametrize(
    "first",
    [
        [1.0, 2.0, 3.0],
        np.array([1, 2, 3]),
        np.array([1, 2, 3], np.float32),
        np.array([1, 2, 3], ">f8"),
        np.array([1.0, 2.0, 3.0]).view(Subclass),
        np.frombuffer(bytearray(25), np.uint8)[1:].view(float),
        np.ones((0, 3)),
        np.ones((2, 4, 3)),
    ],
    ids=["list", "int", "float32", "swapped", "subclass", "unaligned", "empty", "two axes"],
)
def test_what_is_unusual_goes_the_general_way(first, spied):
    second = np.array([4.0, 5.0, 6.0])
    result = PLAIN(first, second)
    assert len(spied) == 1
    np.testing.assert_array_equal(result, PLAIN(np.array(first, float) + 0.0, second))
    np.testing.assert_array_equal(PLAIN(a=first, b=second), result)
    np.testing.assert_array_equal(PLAIN(first, b=second, out=np.empty(np.shape(first))), result)


BOTH = fuse(inertia_matrix(ROBOT), inverse_dynamics(ROBOT), name="both").compile()


@pytest.mark.parametrize("count", [1, 3, 4, 7, 200])
@pytest.mark.parametrize("options", [{}, {"threads": 1}, {"threads": None}])
def test_batches_go_the_direct_way(count, options, spied):
    q, qd, qdd = RNG.normal(size=(3, count, 5))
    expected = TAU(q, qd, qdd, threads=2)
    assert len(spied) == 1
    tau = TAU(q, qd, qdd, **options)
    np.testing.assert_array_equal(tau, expected)
    out = np.full((count, 5), np.nan)
    assert TAU(q, qd, qdd, out=out, **options) is out
    np.testing.assert_array_equal(out, expected)
    wide = RNG.normal(size=(count, 9))
    wide[:, ::2] = q
    np.testing.assert_array_equal(TAU(wide[:, ::2], qd, qdd, **options), expected)
    np.testing.assert_array_equal(TAU(q[0], qd, qdd[0]), TAU(q[:1] + 0 * q, qd, qdd[:1] + 0 * q))
    assert len(spied) == 1


def test_out_takes_the_direct_way(spied):
    q, qd, qdd = RNG.normal(size=(3, 5))
    expected = BOTH(q, qd, qdd)
    out = np.empty(5)
    assert TAU(q, qd, qdd, out=out, threads=1) is out
    np.testing.assert_array_equal(out, expected.tau)
    for given in (expected._replace(M=np.empty((5, 5)), tau=np.empty(5)), (np.empty((5, 5)), np.empty(5))):
        made = BOTH(q, qd, qdd, out=given)
        assert made.M is given[0]
        assert made.tau is given[1]
        np.testing.assert_array_equal(made.M, expected.M)
        np.testing.assert_array_equal(made.tau, expected.tau)
    assert spied == []


def test_arrays_for_results_that_are_unusual_go_the_general_way(spied):
    q, qd, qdd = RNG.normal(size=(3, 8, 5))
    expected = TAU(q, qd, qdd)
    for out in (
        np.empty((8, 10))[:, ::2],
        np.empty((8, 5), order="F"),
        q.copy(),
        np.empty((2, 8, 5)),
        (np.empty((8, 5)),),
    ):
        state = out if out.__class__ is np.ndarray and out.shape == q.shape and out.flags.owndata else q
        if state is not q:
            state[:] = q
        before = len(spied)
        result = TAU(state, qd, qdd, out=out)
        assert len(spied) == before + 1
        np.testing.assert_array_equal(np.broadcast_to(result, (2, 8, 5)), np.broadcast_to(expected, (2, 8, 5)))


@pytest.mark.parametrize("shift", [0, 1, 5, 39])
def test_results_can_overlap_the_inputs(shift):
    memory, (qd, qdd) = RNG.normal(size=200), RNG.normal(size=(2, 8, 5))
    q, out = memory[:40].reshape(8, 5), memory[shift : shift + 40].reshape(8, 5)
    expected = TAU(q.copy(), qd, qdd)
    TAU(q, qd, qdd, out=out)
    np.testing.assert_array_equal(out, expected)


def test_wrong_options_are_refused():
    q = RNG.normal(size=5)
    fixed = np.empty(5)
    fixed.flags.writeable = False
    for options in (
        {"out": fixed},
        {"out": np.empty(4)},
        {"out": np.empty(5, np.float32)},
        {"out": np.empty((3, 4))},
        {"out": "x"},
        {"threads": 0},
        {"threads": 1.0},
        {"threads": True},
        {"other": q},
    ):
        with pytest.raises(ProgramError):
            TAU(q, q, q, **options)
    with pytest.raises(ProgramError):
        BOTH(q, q, q, out=(np.empty((5, 5)),))
    with pytest.raises(ProgramError):
        TAU(np.ones((3, 5)), np.ones((4, 5)), q)


def test_wrong_calls_are_explained_too():
    good = np.ones(3)
    for arguments in ((), (good,), (good, good, good), (good, np.ones(4)), (good, np.ones((3, 1))), (good, None)):
        with pytest.raises(ProgramError, match="plain"):
            PLAIN(*arguments)


def test_warnings_are_given_and_old_ones_do_not_count(spied):
    x = inputs("x", ["x"], "")
    function = Program("inverse", {"x": x}, {"y": outputs([1.0 / x.nodes[0]], [1], [["x"]], "")}).compile()
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in inverse"):
        assert function(np.zeros(1)) == np.inf
    with np.errstate(all="raise"):
        with pytest.raises(FloatingPointError):
            function(np.zeros(1))
        assert 5e-324 * 0.25 == 0.0  # leaves the mark of an underflow, which is none of the function's
        assert function(np.full(1, 2.0)) == 0.5
    del spied[:]
    assert function(np.full(1, 4.0)) == 0.25
    assert spied == []


def test_without_the_direct_way_calls_are_the_same(monkeypatch):
    monkeypatch.setattr(one_state_call, "_method", lambda warn: None)
    function = plain().compile()
    assert type(function.__call__) is UfuncCall
    a, b = RNG.normal(size=(2, 3))
    np.testing.assert_array_equal(function(a, b), PLAIN(a, b))


def test_the_layout_of_arrays_is_tried_out():
    fields = one_state_call.Fields.after(object.__basicsize__)
    assert one_state_call._holds(fields)
    assert not one_state_call._holds(fields._replace(rank=fields.flags, flags=fields.rank))


def test_the_callable_outlives_its_function():
    function = plain().compile()
    call = function.__call__
    a, b = RNG.normal(size=(2, 3))
    result = function(a, b)
    del function
    gc.collect()
    np.testing.assert_array_equal(call(a, b), result)
    with pytest.raises(ProgramError):
        call(a)


def test_calls_leave_no_references_behind():
    q = RNG.normal(size=5)
    x = inputs("x", ["x"], "")
    function = Program("inverse", {"x": x}, {"y": outputs([1.0 / x.nodes[0]], [1], [["x"]], "")}).compile()
    zero, one, out = np.zeros(1), np.zeros(1), np.empty(5)
    before = [*map(sys.getrefcount, (q, zero, one, out))]
    blocks = sys.getallocatedblocks()
    for _ in range(2000):
        TAU(q, q, q)
        TAU(q, q, q, out=out, threads=1)
        with np.errstate(divide="ignore"):
            function(zero)
            function(zero, out=one)
    assert [*map(sys.getrefcount, (q, zero, one, out))] == before
    assert sys.getallocatedblocks() - blocks < 500


def test_scalar_outputs_go_the_general_way():
    a = inputs("a", ["x"], "")
    scalar = Program("scalar", {"a": a}, {"y": outputs([a.nodes[0] * 2.0], [], [], "")}).compile()
    assert type(scalar.__call__) is UfuncCall
    assert type(scalar(np.ones(1))) is np.float64


def test_several_outputs_come_as_a_named_tuple(spied):
    both = fuse(inertia_matrix(ROBOT), inverse_dynamics(ROBOT), name="both").compile()
    q, qd, qdd = RNG.normal(size=(3, 7, 5))
    many = both(q, qd, qdd)
    del spied[:]
    for i in range(7):
        one = both(q[i], qd[i], qdd[i])
        assert type(one) is type(many)
        assert one._fields == ("M", "tau")
        np.testing.assert_array_equal(one.M, many.M[i])
        np.testing.assert_array_equal(one.tau, many.tau[i])
    assert spied == []


def test_several_outputs_leave_nothing_behind():
    x = inputs("x", ["x"], "")
    y, z = (outputs([1.0 / x.nodes[0] ** k], [1], [["x"]], "") for k in (1, 2))
    function = Program("inverses", {"x": x}, {"y": y, "z": z}).compile()
    zero, two = np.zeros(1), np.full(1, 2.0)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in inverses"):
        assert function(zero) == (np.inf, np.inf)
    assert function(two) == (0.5, 0.25)
    gc.collect()
    blocks = sys.getallocatedblocks()
    for _ in range(2000):
        function(two)
        with np.errstate(divide="ignore"):
            function(zero)
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 500
