"""Calling compiled functions: batches, layouts, types, out=, names, and what is said when a call is wrong."""

import ctypes
import inspect
from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

from tauforge import Body, Joint, Program, ProgramError, Robot, inverse_dynamics
from tauforge.graph.node import symbol
from tauforge.program.array import inputs, outputs

from .reference import CLOSE, expected, mixed, plain

MIXED, PLAIN = mixed().compile(), plain().compile()
RNG = np.random.default_rng(1)
DTYPES = ("f8", "f4", "f2", "i8", "u2", "?", ">f8", ">i4")


def draw_layout(draw, x):
    """Return an equal array that lies in memory in another way."""
    axes = draw(st.permutations(range(x.ndim)))
    x = x.transpose(np.argsort(axes)).copy().transpose(axes)
    how = draw(st.sampled_from(["as it is", "every second", "backwards", "unaligned", "read-only"]))
    if how == "every second" and x.ndim:
        wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
        wide[..., ::2] = x
        return wide[..., ::2]
    if how == "backwards" and x.ndim:
        return np.flip(np.flip(x).copy())
    if how == "unaligned":
        room = np.zeros(x.nbytes + 1, np.uint8)[1:]
        room[:] = np.frombuffer(x.tobytes(), np.uint8)
        return room.view(x.dtype).reshape(x.shape)
    if how == "read-only":
        x.flags.writeable = False
    return x


@st.composite
def calls(draw):
    shapes = draw(mutually_broadcastable_shapes(num_shapes=4, max_dims=3, max_side=3, min_side=0)).input_shapes
    seed = draw(st.integers(0, 2**32))
    arrays = []
    for k, (shape, core) in enumerate(zip(shapes, MIXED.inputs.values(), strict=True)):
        values = np.random.default_rng(seed + k).uniform(0, 4, (*shape, *core))
        arrays.append(draw_layout(draw, values.astype(draw(st.sampled_from(DTYPES)))))
    return arrays


@settings(max_examples=300, deadline=None)
@given(calls())
def test_any_shapes_strides_and_types(arrays):
    for ours, exact in zip(MIXED(*arrays), expected(MIXED.program, *arrays), strict=True):
        assert np.shape(ours) == exact.shape
        np.testing.assert_allclose(ours, exact, **CLOSE)


@pytest.mark.parametrize("batch", [(), (0,), (5,), (3, 0), (2, 3, 4)])
def test_results_are_new_arrays_of_float64(batch):
    a, b = RNG.normal(size=(*batch, 3)), RNG.normal(size=3)
    c = PLAIN(a, b)
    assert type(c) is np.ndarray
    assert c.dtype == np.float64
    assert c.shape == (*batch, 3)
    assert c.flags.writeable
    assert not np.shares_memory(c, a)
    np.testing.assert_allclose(c, expected(PLAIN.program, a, b)[0], **CLOSE)


def test_a_large_batch_equals_its_states():
    a, b = RNG.normal(size=(2, 1000, 3))
    np.testing.assert_array_equal(PLAIN(a, b), [PLAIN(x, y) for x, y in zip(a, b, strict=True)])


def test_lists_subclasses_and_names():
    a, b = RNG.normal(size=(2, 3))
    c = PLAIN(a, b)
    for given_ in ([list(a), list(b)], [tuple(a), b], [np.ma.array(a), b], [np.array(a).view(np.recarray), b]):
        result = PLAIN(*given_)
        assert type(result) is np.ndarray
        np.testing.assert_array_equal(result, c)
    np.testing.assert_array_equal(PLAIN(a, b=b), c)
    np.testing.assert_array_equal(PLAIN(b=b, a=a), c)


def test_several_outputs_have_names():
    arrays = [np.ones(shape) for shape in MIXED.inputs.values()]
    results = MIXED(*arrays)
    y, energy, _ = results
    assert isinstance(results, tuple)
    assert results._fields == ("y", "energy", "table")
    assert results.y is y
    assert results.energy is energy
    assert results.table.shape == (3, 2)
    assert np.shape(energy) == ()


def test_parameters_by_name():
    q, m, t = (np.full(shape, 0.3) for shape in [(3,), (2, 3), ()])
    assert MIXED.program.parameters == ("L", "M")
    direct = MIXED(q, m, t, [0.5, 2.0])
    for values in ({"M": 2.0, "L": 0.5}, OrderedDict(other=7.0, L=0.5, M=2, G3=9.81)):
        np.testing.assert_array_equal(MIXED(q, m, t, values).y, direct.y)
    batch = MIXED(q, m, t, parameters={"L": np.linspace(0, 1, 4), "M": 2.0})
    np.testing.assert_allclose(batch.y, expected(MIXED.program, q, m, t, [[x, 2] for x in np.linspace(0, 1, 4)])[0])
    with pytest.raises(ProgramError, match="parameters lacks L, M"):
        MIXED(q, m, t, {"D3": 1.0})
    with pytest.raises(ProgramError, match="do not broadcast"):
        MIXED(q, m, t, {"L": np.ones(3), "M": np.ones(4)})


def test_out():
    a, b = RNG.normal(size=(2, 5, 3))
    c = PLAIN(a, b)
    out = np.empty((5, 3))
    for given_ in (out, (out,), {"c": out}):
        out[:] = 0
        assert PLAIN(a, b, out=given_) is out
        np.testing.assert_array_equal(out, c)
    strided = np.empty((3, 10)).T[::2]
    assert PLAIN(a, b, out=strided) is strided
    np.testing.assert_array_equal(strided, c)
    wider = np.empty((4, 5, 3))
    np.testing.assert_array_equal(PLAIN(a, b, out=wider), [c] * 4)


def test_out_for_several_outputs():
    arrays = [RNG.normal(size=(4, *shape)) for shape in MIXED.inputs.values()]
    direct = MIXED(*arrays)
    y, energy, table = np.empty((4, 3)), np.empty(4), np.empty((4, 3, 2))
    for given_ in ((y, energy, table), {"table": table, "y": y}, (None, energy, None), MIXED(*arrays)):
        results = MIXED(*arrays, out=given_)
        for ours, exact in zip(results, direct, strict=True):
            np.testing.assert_array_equal(ours, exact)
        for array in given_.values() if isinstance(given_, dict) else given_:
            assert array is None or any(array is x for x in results)


@pytest.mark.parametrize("shift", range(-4, 5))
def test_out_may_overlap_inputs(shift):
    memory = RNG.normal(size=40)
    a, b = memory[4 : 4 + 30].reshape(10, 3), memory[4 + 30 : 3 : -1][:30].reshape(10, 3)
    c = PLAIN(a.copy(), b.copy())
    out = memory[4 + shift : 34 + shift].reshape(10, 3)
    PLAIN(a, b, out=out)
    np.testing.assert_array_equal(out, c)


@pytest.mark.parametrize(
    ("arguments", "named", "message"),
    [
        ((), {}, r"plain\(a, b\) needs a, b"),
        (([1, 2, 3],), {}, "needs b"),
        (([1, 2, 3],), {"a": [1, 2, 3]}, "a was given twice"),
        (([1, 2, 3], [1, 2, 3]), {"qdd": 0}, "has no input qdd"),
        (([1, 2, 3], [1, 2, 3], np.empty(3)), {}, "takes 2 arrays, 3 were given; results go to out="),
        ((np.ones(3), np.ones(4)), {}, r"b has the shape \(4,\); it must be \(..., 3\), one entry for each of x, y, z"),
        ((1.0, np.ones(3)), {}, r"a has the shape \(\)"),
        ((np.ones(3), np.ones((3, 7))), {}, r"b has the shape \(3, 7\).*shape \(7, 3\) would fit, so transpose"),
        ((np.ones((5, 3)), np.ones((4, 3))), {}, r"do not broadcast together: a \(5,\), b \(4,\)"),
        ((np.ones(3), 1j * np.ones(3)), {}, "b has dtype complex128, which does not cast safely to float64"),
        ((np.ones(3), np.ones(3, object)), {}, "b has dtype object"),
        ((["1", "2", "3"], np.ones(3)), {}, "a has dtype <U1"),
        ((np.ones(3), np.ones(3, np.longdouble)), {}, "b has dtype"),
        ((np.ones(3), np.zeros(3, "m8[s]")), {}, "b has dtype"),
        (([1, [2], 3], np.ones(3)), {}, "a cannot be converted to an array"),
    ],
)
def test_wrong_calls_are_explained(arguments, named, message):
    with pytest.raises(ProgramError, match=message):
        PLAIN(*arguments, **named)


STRIDED = np.lib.stride_tricks.as_strided


@pytest.mark.parametrize(
    "out",
    [
        STRIDED(np.zeros(3), (5, 3), (0, 8)),
        STRIDED(np.zeros(5), (5, 3), (8, 0)),
        STRIDED(np.zeros(7), (5, 3), (8, 8)),
        STRIDED(np.zeros(99), (5, 3), (24, 20)),
        STRIDED(np.zeros(99), (5, 3), (16, 32)),
    ],
)
def test_out_that_overlaps_itself_is_refused(out):
    a, b = np.ones((5, 3)), np.ones(3)
    for threads in (None, 1, 2):
        with pytest.raises(ProgramError, match="several entries of out for c are at the same place in memory"):
            PLAIN(a, b, out=out, threads=threads)
    assert not out.any()


def test_outs_that_interleave_are_filled():
    """Strides out of the usual order, whose entries are different ones all the same."""
    a, b = np.random.default_rng(0).normal(size=(2, 5, 3))
    memory = np.zeros(200)
    for strides in ((-24, 8), (8, 40), (16, 104), (48, 32), (24, 16 * 8)):
        out = STRIDED(memory[100:], (5, 3), strides)
        np.testing.assert_array_equal(PLAIN(a, b, out=out), PLAIN(a, b))


@pytest.mark.parametrize("count", [None, 4])
@pytest.mark.parametrize("shift", [0, 1, 5])
def test_outs_that_overlap_each_other_are_refused(shift, count):
    q = inputs("q", ["a", "b", "c", "d", "e", "f"], "")
    same = {key: outputs([k * node for node in q.nodes], [6], [list("abcdef")], "") for k, key in enumerate("yz", 1)}
    function = Program("two", {"q": q}, same).compile()
    lead = () if count is None else (count,)
    given, memory = np.random.default_rng(0).normal(size=(*lead, 6)), np.zeros(60)
    size = given.size
    first, second = memory[:size].reshape(given.shape), memory[shift : shift + size].reshape(given.shape)
    with pytest.raises(ProgramError, match="out for y and for z share memory"):
        function(given, out=(first, second))
    apart = memory[size : 2 * size].reshape(given.shape)
    found = function(given, out=(first, apart))
    np.testing.assert_array_equal(found.y, given)
    np.testing.assert_array_equal(found.z, 2.0 * given)
    beside = np.zeros((*lead, 12))
    found = function(given, out={"y": beside[..., ::2], "z": beside[..., 1::2]})
    np.testing.assert_array_equal(found.z, 2.0 * given)


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.empty((5, 4)), r"out for c has the shape \(5, 4\), the result \(5, 3\)"),
        (np.empty((4, 3)), r"out for c has the shape \(4, 3\), the result \(5, 3\)"),
        (np.empty(3), r"out for c has the shape \(3,\)"),
        (np.empty((5, 3), np.float32), "out for c has dtype float32; it must be a NumPy array of float64"),
        (np.empty((5, 3), complex), "out for c has dtype complex128"),
        ([0.0] * 3, "out for c has type list"),
        ({"tau": np.empty((5, 3))}, "out has tau; the outputs are c"),
        ((np.empty((5, 3)),) * 2, "out must be a tuple or a mapping with c"),
        (np.broadcast_to(0.0, (5, 3)), "read-only"),
    ],
)
def test_wrong_outs_are_explained(out, message):
    with pytest.raises(ProgramError, match=message):
        PLAIN(np.ones((5, 3)), np.ones(3), out=out)


def test_a_missing_parameter_is_named():
    with pytest.raises(ProgramError, match="needs parameters; the parameters are L, M"):
        MIXED(np.ones(3), np.ones((2, 3)), 0)


def test_floating_point_errors_are_reported_as_numpy_does():
    x = inputs("x", ["x"], "")
    function = Program("inverse", {"x": x}, {"y": outputs([1.0 / x.nodes[0]], [1], [["x"]], "")}).compile()
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in inverse"):
        assert function([0.0]) == np.inf
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        function([0.0])


@pytest.mark.parametrize("batch", [(), (4,), (0,)])
def test_arrays_without_entries(batch):
    x, none = inputs("x", ["a", "b"], ""), inputs("none", [], "")
    results = {
        "y": outputs([x.nodes[0] * symbol("L")], [1], [["a"]], ""),
        "table": outputs([], [2, 0], [["a", "b"], []], ""),
    }
    function = Program("holes", {"none": none, "x": x}, results).compile()
    y, table = function(np.empty((*batch, 0)), [2.0, 3.0], {"L": 5.0})
    assert table.shape == (*batch, 2, 0)
    np.testing.assert_array_equal(y, np.full((*batch, 1), 10.0))
    with pytest.raises(ProgramError, match=r"none has the shape \(2,\); it must be \(..., 0\)"):
        function([1.0, 2.0], [2.0, 3.0], {"L": 5.0})


def test_a_robot_that_cannot_move():
    robot = Robot(name="post", joints=(Joint(name="j", antecedent=0, sigma=2),), bodies=(Body(name="l"),))
    assert inverse_dynamics(robot).compile()(*[np.empty((6, 0))] * 3).shape == (6, 0)


def test_a_program_without_inputs():
    function = Program("constant", {}, {"y": outputs([1.5, 2.5], [2], [["a", "b"]], "")}).compile()
    np.testing.assert_array_equal(function(), [1.5, 2.5])


def test_what_a_function_tells_of_itself():
    assert MIXED.program.name == MIXED.__name__ == "mixed"
    assert MIXED.inputs == {"q": (3,), "m": (2, 3), "t": (), "parameters": (2,)}
    assert MIXED.outputs == {"y": (3,), "energy": (), "table": (3, 2)}
    assert repr(PLAIN) == "Function(plain: a[3], b[3] -> c[3]; float64)"
    assert str(inspect.signature(PLAIN)) == "(a, b, *, out=None, threads=None)"
    assert "q : array (..., 3)\n    angles\n" in MIXED.__doc__
    assert "void plain(int64_t count, const double *a, int64_t a_stride, " in PLAIN.__doc__


def test_the_address_is_a_c_function():
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    states = ctypes.CFUNCTYPE(None, number, *[pointer, number] * 7)(MIXED.address)
    q, m, t, p = (RNG.normal(size=shape) for shape in [(4, 3), (2, 3), (4,), (4, 2)])
    y, energy, table = np.zeros((4, 5)), np.zeros(4), np.zeros((4, 3, 2))
    operands = [(q, 3), (m, 0), (t, 1), (p, 2), (y, 5), (energy, 1), (table, 6)]
    arguments = [x for array, stride in operands for x in (array.ctypes.data, stride)]
    states(0, *arguments)
    assert not y.any()
    states(4, *arguments)
    for ours, exact in zip((y[:, :3], energy, table), MIXED(q, m, t, p), strict=True):
        np.testing.assert_array_equal(ours, exact)
    assert not y[:, 3:].any()
