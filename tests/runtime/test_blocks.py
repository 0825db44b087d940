"""Blocks of states: tails, layouts, widths of registers, precisions, pieces; and the sines and cosines in vectors."""

import ctypes

import numpy as np
import pytest
from mpmath import mp

from tauforge import ProgramError, direct_dynamics, inverse_dynamics
from tauforge.graph import functions
from tauforge.graph import node as graph
from tauforge.llvm import pieces as llvm
from tauforge.llvm.vectors import Vectors
from tauforge.program.array import inputs, outputs
from tauforge.program.program import Program
from tauforge.runtime import function as function_module
from tauforge.runtime import ufunc_call
from tauforge.runtime.compile import vectors

from ..random_robots import random_robot
from .reference import CLOSE, chain, expected, mixed

RNG = np.random.default_rng(5)
SINGLE = {"rtol": 1e-4, "atol": 1e-4}


def states(program, *batch, dtype=float):
    return [RNG.uniform(-2, 2, (*batch, *shape)).astype(dtype) for shape in program.inputs.values()]


def sin_and_cos():
    x = inputs("x", ["x"], "")
    (a,) = x.nodes
    return Program("both", {"x": x}, {"y": outputs([functions.sin(a), functions.cos(a)], [2], [], "")})


SINCOS = sin_and_cos().compile()


@pytest.fixture(params=[True, False], ids=["fused", "separate"])
def both(request, monkeypatch):
    """Return the function of sine and cosine for processors that multiply and add in one step, and for others."""
    monkeypatch.setattr(function_module, "vectors", lambda scalar: Vectors(scalar, 4, request.param))
    return sin_and_cos().compile()


def errors_in_ulp(function, angles):
    """Return the errors of sines and cosines, in units of the last place of the exact values."""
    found = function(angles[:, None])
    with mp.workdps(60):
        exact = [(mp.sin(x), mp.cos(x)) for x in map(mp.mpf, map(float, angles))]
        return np.array(
            [
                [float(abs(mp.mpf(float(y)) - e)) / np.spacing(abs(float(e))) for y, e in zip(row, both, strict=True)]
                for row, both in zip(found, exact, strict=True)
            ]
        )


@pytest.mark.parametrize("largest", [1e-300, 1e-5, 0.8, 7.0, 1e3, 1e5, 1e9, 1e300])
def test_sines_and_cosines_are_within_two_units_of_the_last_place(largest, both):
    assert errors_in_ulp(both, RNG.uniform(-largest, largest, 2000)).max() < 2


def test_sines_and_cosines_near_multiples_of_a_quarter_turn(both):
    numbers = np.unique(np.concatenate([np.arange(400), RNG.integers(0, 63662, 1500), [29, 58, 116, 232, 464]]))
    nearest = numbers * (np.pi / 2)
    for angles in (nearest, np.nextafter(nearest, np.inf), -nearest * (1 + 1e-9)):
        assert errors_in_ulp(both, angles[np.abs(angles) <= 1e5]).max() < 2


def test_large_angles_do_not_disturb_their_neighbours():
    special = np.array([0.5, np.inf, -0.0, 1e22, np.nan, -3.0, 1e5, np.nextafter(1e5, 2e5), -np.inf, 2.0, 0.0])
    with np.errstate(invalid="ignore"):
        for shift in range(len(special)):
            angles = np.roll(special, shift)
            found = SINCOS(angles[:, None])
            np.testing.assert_array_max_ulp(found, np.stack([np.sin(angles), np.cos(angles)], -1), 2)
            np.testing.assert_array_equal(np.signbit(found[:, 0]), np.signbit(np.sin(angles)))


def test_an_infinite_angle_is_an_invalid_operation_and_a_large_one_is_not():
    with np.errstate(all="raise"):
        SINCOS(np.full((5, 1), 1e200))
        SINCOS(np.full((5, 1), np.nan))
        with pytest.raises(FloatingPointError):
            SINCOS([np.inf])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_length_of_batch(dtype):
    program = mixed()
    function = program.compile(dtype=dtype)
    for count in range(36):
        arrays = states(program, count, dtype=dtype)
        for ours, exact in zip(function(*arrays), expected(program, *arrays), strict=True):
            assert ours.dtype == dtype
            np.testing.assert_allclose(ours, exact, **(CLOSE if dtype is np.float64 else SINGLE))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("count", [1, 3, 4, 9, 33])
def test_any_layout_of_any_array(dtype, count):
    program = inverse_dynamics(chain(5))
    function = program.compile(dtype=dtype)
    plain = states(program, count, dtype=dtype)
    result = function(*plain)

    def laid_out(x):
        whole = np.full((count, 15), np.nan, dtype)
        yield np.asfortranarray(x)
        for view in (whole[:, 10:], whole[:, ::3], whole[:, 4::-1]):
            view[:] = x
            yield view
        backwards = x[::-1].copy()
        backwards.flags.writeable = False
        yield backwards[::-1]
        unaligned = np.frombuffer(bytearray(x.nbytes + 1), np.uint8)[1:].view(dtype).reshape(x.shape)
        unaligned[:] = x
        yield unaligned

    for arrays in zip(*map(laid_out, plain), strict=True):
        np.testing.assert_array_equal(function(*arrays), result)
    for out in laid_out(np.zeros_like(result)):
        if out.flags.writeable:
            function(*plain, out=out)
            np.testing.assert_array_equal(out, result)


def test_a_state_gives_the_same_in_any_company():
    program = direct_dynamics(chain(4))
    function = program.compile()
    arrays = states(program, 40)
    whole = function(*arrays)
    for i in range(40):
        np.testing.assert_array_equal(function(*(x[i] for x in arrays)), whole[i])
        np.testing.assert_array_equal(function(*(x[i : i + 3] for x in arrays)), whole[i : i + 3])


@pytest.mark.parametrize("seed", range(8))
def test_single_precision(seed):
    program = inverse_dynamics(random_robot(seed, largest=4, symbolic=seed % 2 == 0))
    function = program.compile(dtype="float32")
    arrays = [x / 2 for x in states(program, 9, dtype=np.float32)]
    (exact,) = expected(program, *arrays)
    np.testing.assert_allclose(function(*arrays), exact, rtol=1e-3, atol=1e-4 * max(1, np.abs(exact).max(initial=0)))


def test_single_precision_takes_numbers_and_refuses_double_arrays():
    program = mixed()
    function = program.compile(dtype=np.float32)
    assert function.dtype == np.float32
    y, _, _ = function([1, 2.0, 3], np.ones((2, 3), np.float32), 0.5, {"L": 1.0, "M": np.float64(2.0)})
    assert y.dtype == np.float32
    with pytest.raises(ProgramError, match="q has dtype float64, which does not cast safely to float32"):
        function(np.ones(3), np.ones((2, 3), np.float32), 0.5, [1, 2])
    with pytest.raises(ProgramError, match="it must be a NumPy array of float32"):
        function([1, 2, 3], [[1, 2, 3]] * 2, 0, [1, 2], out={"y": np.empty(3)})
    assert "const float *q" in function.__doc__


@pytest.mark.parametrize("dtype", ["float16", int, "no such type", complex, np.dtype(float).newbyteorder()])
def test_other_types_are_refused(dtype):
    with pytest.raises(ProgramError, match="float64 or float32"):
        mixed().compile(dtype=dtype)


@pytest.mark.parametrize(
    "other", [Vectors("double", 2), Vectors("double", 8), Vectors("float", 4), Vectors("float", 16)]
)
def test_registers_of_other_widths(other, monkeypatch):
    program = mixed()
    monkeypatch.setattr(function_module, "vectors", lambda scalar: other)
    dtype = np.float64 if other.scalar == "double" else np.float32
    function = program.compile(dtype=dtype)
    for count in (1, 2, 5, 17, 32):
        arrays = states(program, count, dtype=dtype)
        for ours, exact in zip(function(*arrays), expected(program, *arrays), strict=True):
            np.testing.assert_allclose(ours, exact, **(CLOSE if other.scalar == "double" else SINGLE))
    angles = RNG.uniform(-9, 9, (50, 1)).astype(dtype)
    found = sin_and_cos().compile(dtype=dtype)(angles)
    np.testing.assert_array_max_ulp(found, np.hstack([np.sin(angles), np.cos(angles)]), 2)


@pytest.mark.parametrize("size", [16, 32, 64])
@pytest.mark.parametrize("scalar", ["double", "float"])
def test_assembly_for_every_width(scalar, size, monkeypatch):
    """Single states, which are computed in narrow registers, have the same results to the last bit."""
    widest = vectors(scalar)
    if not widest.assembly or size > widest.bytes:
        pytest.skip(f"this processor has no assembly of ours for registers of {size} bytes")
    chosen = widest._replace(lanes=size // widest.size)
    monkeypatch.setattr(function_module, "vectors", lambda scalar: chosen)
    single = scalar == "float"
    dtype = np.dtype(np.float32 if single else np.float64)
    robot = chain(5)
    branches = Program.of(y="sign(x)*abs(z) + sqrt(abs(x)) + atan2(x, z)")
    for program in (mixed(), direct_dynamics(robot), inverse_dynamics(robot), branches):
        function = program.compile(dtype=dtype, cache=False)
        arrays = states(program, 37, dtype=dtype)
        arrays[0][3] *= 1e6  # angles that the C library takes
        arrays[0][4] = 0.0
        several = len(program.outputs) > 1
        found = function(*arrays) if several else [function(*arrays)]
        if not single:
            for ours, exact in zip(found, expected(program, *arrays), strict=True):
                np.testing.assert_allclose(ours, exact, rtol=1e-9, atol=1e-9)
        for i in range(37):
            alone = function(*(array[i] for array in arrays))
            for ours, one in zip(found, alone if several else [alone], strict=True):
                np.testing.assert_array_equal(ours[i], one)


def test_code_for_single_states_that_cannot_be_made_is_an_error(monkeypatch):
    if not vectors("double").assembly:
        pytest.skip("this processor has no assembly of ours, and one code for all")
    function = sin_and_cos().compile(cache=False)
    monkeypatch.setattr(function_module, "load", lambda *_: 1 / 0)
    np.testing.assert_allclose(function(np.zeros((3, 1))), [[0, 1]] * 3)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            function(np.zeros(1))
    monkeypatch.undo()
    np.testing.assert_array_equal(function(np.zeros(1)), [0, 1])


@pytest.mark.parametrize("size", [1, 2, 7, 50])
@pytest.mark.parametrize("seed", range(4))
def test_pieces_of_any_size_compute_the_same(size, seed, monkeypatch):
    robot = random_robot(seed, largest=3, symbolic=seed % 2 == 0, rotors=True)
    program = direct_dynamics(robot) if robot.dof and seed % 2 else inverse_dynamics(robot)
    arrays = states(program, 6)
    whole = program.compile()(*arrays)
    monkeypatch.setattr(llvm, "WHOLE", 0)
    monkeypatch.setattr(llvm, "PIECE", size)
    monkeypatch.setattr(llvm, "MODULE", 3)
    np.testing.assert_allclose(program.compile()(*arrays), whole, rtol=1e-9, atol=1e-9)


def test_functions_of_functions():
    x, y = graph.symbol("x[0]"), graph.symbol("x[1]")
    inner = functions.atan2(functions.sin(x), functions.cos(y) + 2.0)
    result = [
        functions.cos(inner) * functions.sin(functions.asin(inner) + x),
        functions.acos(functions.sin(x)),
        functions.cos(x),
        x,
        graph.ONE,
    ]
    program = Program("nested", {"x": inputs("x", ["x", "y"], "")}, {"y": outputs(result, [5], [], "")})
    arrays = states(program, 11)
    np.testing.assert_allclose(program.compile()(*arrays), expected(program, *arrays)[0], **CLOSE)


@pytest.mark.parametrize("threads", [1, 2, 3, 100])
def test_threads_share_a_batch(threads):
    program = mixed()
    function = program.compile()
    for batch in ((), (1,), (37,), (3, 50), (50, 3), (0,), (2, 0, 3)):
        arrays = states(program, *batch)
        arrays[1] = arrays[1][:1] if batch else arrays[1]
        direct = function(*arrays)
        y = np.empty(direct.y.shape)
        for results in (function(*arrays, threads=threads), function(*arrays, threads=threads, out={"y": y})):
            for ours, theirs in zip(results, direct, strict=True):
                np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(y, direct.y)


def test_threads_leave_results_that_overlap_inputs_right():
    function = inverse_dynamics(chain(3)).compile()
    memory = RNG.normal(size=(101, 3))
    q, qd = RNG.normal(size=(2, 100, 3))
    right = function(q, qd, memory[:100].copy())
    assert function(q, qd, memory[:100], out=memory[1:], threads=2).base is memory
    np.testing.assert_array_equal(memory[1:], right)


def test_threads_report_errors_as_one_does():
    x = inputs("x", ["x"], "")
    function = Program("inverse", {"x": x}, {"y": outputs([1.0 / x.nodes[0]], [1], [["x"]], "")}).compile()
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        function(np.zeros((100, 1)), threads=2)
    with np.errstate(divide="ignore"):
        assert np.isinf(function(np.zeros((100, 1)), threads=2)).all()
    with pytest.raises(ProgramError, match=r"x has the shape \(100, 2\)"):
        function(np.zeros((100, 2)), threads=2)


def test_large_batches_use_threads_by_themselves(monkeypatch):
    function = inverse_dynamics(chain(2)).compile()
    used = []
    monkeypatch.setattr(ufunc_call, "available", lambda: 2)
    monkeypatch.setattr(ufunc_call, "in_parts", lambda *arguments: used.append(arguments[-2:]))
    count = int(ufunc_call.PAYS)
    shared = np.broadcast_to(RNG.normal(size=2), (count, 2))
    function(shared[:10], shared[:10], shared[:10])
    assert used == []
    function(shared[:1], shared[:1], shared)
    assert used == [((count,), 2)]


def test_the_address_of_a_function_in_single_precision():
    program = mixed()
    function = program.compile(dtype=np.float32)
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    call = ctypes.CFUNCTYPE(None, number, *[pointer, number] * 7)(function.address)
    arrays = states(program, 6, dtype=np.float32)
    results = [np.zeros((6, *shape), np.float32) for shape in program.outputs.values()]
    call(6, *(x for array in (*arrays, *results) for x in (array.ctypes.data, array[0].size)))
    for ours, direct in zip(results, function(*arrays), strict=True):
        np.testing.assert_array_equal(ours, direct)


def wide(width, dtype):
    """Return a compiled function with an output of some width, and that output for given states."""
    x = inputs("x", ["a", "b"], "")
    a, b = x.nodes
    y = outputs([a * float(i) + b if i % 5 else 1.0 for i in range(width)], [width], [], "")
    places = np.arange(width, dtype=dtype)

    def expected(given):
        return np.where(places % 5, given[:, :1].astype(float) * places + given[:, 1:], 1.0).astype(dtype)

    return Program("wide", {"x": x}, {"y": y}).compile(dtype=dtype), expected


def check_memory(function, given, expected, shifts):
    """Compare what is written from some entries of memory on, with gaps between states, and all that is beside it."""
    count, width = expected.shape
    for shift, gap in shifts:
        whole = np.full(shift + count * (width + gap), 7.0, expected.dtype)
        out = whole[shift:].reshape(count, -1)[:, :width]
        function(given, out=out, threads=1)
        np.testing.assert_allclose(out, expected, rtol=4 * np.finfo(expected.dtype).eps)
        assert (whole[:shift] == 7).all()
        assert (whole[shift:].reshape(count, -1)[:, width:] == 7).all()


def on_registers_of(size, scalar, monkeypatch):
    dtype = np.dtype(scalar if scalar == "double" else "float32")
    monkeypatch.setattr(function_module, "vectors", lambda scalar: Vectors(scalar, size // dtype.itemsize))
    return dtype


@pytest.mark.parametrize("size", [16, 32, 64])
@pytest.mark.parametrize("scalar", ["double", "float"])
def test_long_rows_are_written_in_parts(scalar, size, monkeypatch):
    """Wherever lines of memory and parts of rows begin and end."""
    dtype = on_registers_of(size, scalar, monkeypatch)
    given = RNG.uniform(0.5, 1, (37, 2)).astype(dtype)
    for width in (31, 32, 33, 63, 64, 65, 71, 72, 73, 80, 81, 127, 137, 203):
        function, expected = wide(width, dtype)
        check_memory(function, given, expected(given), [(shift, shift % 3) for shift in range(64 // dtype.itemsize)])


@pytest.mark.parametrize("size", [16, 32, 64])
@pytest.mark.parametrize("scalar", ["double", "float"])
def test_large_outputs_are_written_past_the_caches(scalar, size, monkeypatch):
    """Wherever they begin, and whatever stands between the states; the last states too, and nothing beside them."""
    dtype = on_registers_of(size, scalar, monkeypatch)
    width = 1100 // dtype.itemsize
    function, expected = wide(width, dtype)
    given = RNG.uniform(0.5, 1, ((1 << 23) // (width * dtype.itemsize) + 30, 2)).astype(dtype)
    check_memory(function, given, expected(given), [(0, 0), (0, 3), (1, 1), (6, 64 // dtype.itemsize)])
