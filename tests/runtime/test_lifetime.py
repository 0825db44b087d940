"""Functions among processes and threads, big ones, and the memory that they give back."""

import gc
import mmap
import multiprocessing
import pickle
import subprocess
import sys
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tauforge import inverse_dynamics
from tauforge.program.pickling import flatten, restore

from ..random_robots import random_robot
from .reference import chain, expected, mixed, plain

STATUS = Path("/proc/self/statm")


@pytest.fixture(scope="module")
def long_chain():
    return inverse_dynamics(chain(60)).compile()


def test_a_long_chain(long_chain):
    arrays = np.random.default_rng(0).uniform(-1, 1, (3, 2, 60))
    (exact,) = expected(long_chain.program, *arrays)
    np.testing.assert_allclose(long_chain(*arrays), exact, rtol=1e-9, atol=1e-9 * np.abs(exact).max())


def test_a_deep_graph_is_pickled(long_chain):
    program = restore(pickle.loads(pickle.dumps(flatten(long_chain.program))))
    assert program.order == long_chain.program.order
    assert program.names == long_chain.program.names
    assert program.inputs["q"].labels == long_chain.inputs["q"].labels


@pytest.mark.parametrize("seed", range(6))
def test_a_program_survives_flattening(seed):
    program = inverse_dynamics(random_robot(seed, symbolic=seed % 2 == 0, rotors=True))
    again = restore(pickle.loads(pickle.dumps(flatten(program))))
    assert again.order == program.order
    assert (again.name, again.arguments, again.results) == (program.name, program.arguments, program.results)
    assert (again.names, again.heading(), again.outputs["tau"].labels) == (
        program.names,
        program.heading(),
        program.outputs["tau"].labels,
    )


def test_functions_work_in_other_processes():
    function = mixed().compile()
    arrays = [np.random.default_rng(k).normal(size=(5, *shape)) for k, shape in enumerate(function.inputs.values())]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        results = pool.apply(function, arrays)
    assert results._fields == ("y", "energy", "table")
    for ours, theirs in zip(function(*arrays), results, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_threads_compile_and_call_at_once():
    program = inverse_dynamics(chain(3))
    arrays = np.random.default_rng(2).normal(size=(3, 5000, 3))
    shared = program.compile()
    single = shared(*arrays)

    def work(_):
        return all((function(*arrays) == single).all() for function in (program.compile(), *[shared] * 20))

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(work, range(24)))


def test_a_dropped_function_is_gone_at_once():
    gc.disable()
    try:
        function = mixed().compile()
        function(*(np.ones(shape) for shape in function.inputs.values()))
        watched = [weakref.ref(function), weakref.ref(function._loaded.library)]
        del function
        assert [reference() for reference in watched] == [None, None]
    finally:
        gc.enable()


@pytest.mark.skipif(not STATUS.exists(), reason="reads the memory in use as Linux shows it")
def test_memory_stays_flat():
    program, a = plain(), np.ones(3)

    def pages(rounds):
        for _ in range(rounds):
            program.compile()(a, a)
        return int(STATUS.read_text().split()[1])

    before = pages(50)
    assert pages(400) - before < 200  # each function's code has a page at least


def resident():
    """Return the memory in use, in megabytes."""
    gc.collect()
    return int(STATUS.read_text().split()[1]) * mmap.PAGESIZE / 2**20


@pytest.mark.slow
@pytest.mark.skipif(not STATUS.exists(), reason="reads the memory in use as Linux shows it")
def test_ten_thousand_functions_leave_nothing_behind():
    rng = np.random.default_rng(0)
    programs = [inverse_dynamics(random_robot(seed, largest=3)) for seed in range(20)]
    wanted = []
    for program in programs:
        arrays = [rng.normal(size=(5, *shape)) for shape in program.inputs.values()]
        wanted.append((arrays, program.compile()(*arrays)))
    before = None
    for i in range(10_000):
        arrays, result = wanted[i % 20]
        function = programs[i % 20].compile(cache=i % 10 > 0)
        np.testing.assert_array_equal(function(*arrays), result)
        np.testing.assert_array_equal(function(*(x[0] for x in arrays)), result[0])
        if i == 1000:
            before = resident()
    assert resident() - before < 20


@pytest.mark.slow
@pytest.mark.skipif(not STATUS.exists(), reason="reads the memory in use as Linux shows it")
def test_eight_threads_call_one_function_for_a_minute():
    function = inverse_dynamics(chain(7)).compile()
    rng = np.random.default_rng(1)
    cases = [[rng.normal(size=(count, 7)) for _ in range(3)] for count in (1, 3, 64, 1001)]
    cases = [(arrays, function(*arrays)) for arrays in cases]
    one = [x[0] for x in cases[0][0]]
    end = time.monotonic() + 60

    def work(_):
        calls = 0
        while time.monotonic() < end:
            for arrays, result in cases:
                np.testing.assert_array_equal(function(*arrays, threads=1 + calls % 3), result)
            for _ in range(50):
                np.testing.assert_array_equal(function(*one), cases[0][1][0])
            calls += 1
        return calls

    before = resident()
    with ThreadPoolExecutor(8) as threads:
        assert min(threads.map(work, range(8))) > 0
    assert resident() - before < 40


def test_a_function_in_a_cycle_is_freed_in_the_right_order():
    """In a process of its own: freed in the wrong order, LLVM's parts end it."""
    script = """
import gc, tauforge as tf
for k in range(20):
    cycle = [tf.Program.of(y=f"x*x + {k}").compile(cache=False)]
    cycle.append(cycle)
    del cycle
    gc.collect()
print("alive")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "alive\n", done.stderr


CRASH = """
import gc, sys
import llvmlite.binding as llvm
from tauforge.runtime import compile

class Interrupt(BaseException):
    pass

def interrupted(*arguments):
    raise Interrupt

compile.object_code("define double @f(double %x) {{ ret double %x }}")
{place} = interrupted
for _ in range(20):
    try:
        {call}
    except Interrupt as interrupt:
        interrupt.cycle = interrupt
    gc.collect()
assert not compile._CONTEXTS
"""


@pytest.mark.parametrize(
    ("place", "call"),
    [
        ("llvm.TargetMachine.emit_object", "compile.object_code('define double @f(double %x) {{ ret double %x }}')"),
        ("llvm.ExecutionEngine.finalize_object", "compile.Library([])"),
    ],
)
def test_an_interrupt_while_code_is_compiled(place, call):
    """Its traceback can be a part of a cycle: the collector then frees LLVM's objects in any order."""
    code = CRASH.format(place=place, call=call.format())
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
