"""March: adaptive steps of a method, compiled with the Programs of a model and repeated without returning to Python."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..llvm.march.module import MARCH, march
from ..llvm.march.tables import CONTROLS, FRESH, PLAN, PROGRAMS, own_slots, record_size
from ..llvm.pieces import BODY, SETUP, numbers
from ..llvm.vectors import Vectors
from ..program.program import Program
from .build import compiled, constants
from .compile import Library, vectors
from .kernel import load_kernel, load_shared
from .threads import PAYS, available, in_parts

Floats = NDArray[np.float64]


class Method(NamedTuple):
    """A method as the compiled loop reads it: its stages, those among them that only results need, the powers of its
    interpolant, its numbers, and how much a step can grow.
    """

    stages: int
    extra: int
    powers: int
    numbers: Floats
    growth: float


class Task(NamedTuple):
    """What is integrated.

    Attributes
    ----------
    times
        Times of the results, or memory for those of the steps.
    breaks
        The first and the last time, and those in between at which inputs can jump.
    inputs
        The inputs, (states, segments, entries); axes of length one are shared.
    results
        Memory for the states at the times, (states, rows, entries).
    tolerances
        Those of TOLERANCES, and the absolute one for each entry of the state but the last, the work.
    own
        Whether results are wanted at the steps.
    most
        How many steps a state can try.
    """

    times: Floats
    breaks: Floats
    inputs: Floats
    results: Floats
    tolerances: Floats
    own: bool
    most: int


class March:
    """Programs with a method. Call it to integrate records of states.

    Parameters
    ----------
    programs
        Those of PROGRAMS that there are, by name.
    method
        The method.
    size, given, factors
        Entries of the state, of the other inputs, and of what the linear equations hand over.
    count
        How many states there will be: few of them are computed in shorter vectors.
    """

    def __init__(
        self, programs: Mapping[str, Program], method: Method, size: int, given: int, factors: int, count: int
    ) -> None:
        self.method, self.size = method, size
        self._vectors = _fitting(vectors("double"), count)
        self._march = _load(self._vectors)
        self.work = method.stages * sum(len(program.order) for program in programs.values())
        stages = method.stages + method.extra
        self._slots = own_slots(size, stages)
        self.width = record_size(size, stages)
        places, code, setup = dict[str, int](), dict[str, int](), dict[str, int]()
        self._kept: list[Any] = [method.numbers]
        for name, program in programs.items():
            places[name] = self._slots
            code[name], setup[name] = self._loaded(program)
        entries = [size, given, method.stages, method.extra, method.powers, factors, method.numbers.ctypes.data]
        for table in (places, setup, code):
            entries += [table.get(name, 0) for name in PROGRAMS]
        assert len(entries) == len(PLAN)
        self._plan = _integers(entries)

    def _loaded(self, program: Program) -> tuple[int, int]:
        """Return the addresses of a Program's code and of its set-up, and make room for its slots."""
        code = compiled(program, self._vectors, cached=True)
        library, values = Library(code.objects), constants(numbers(program), self._vectors)
        self._slots += code.slots
        found = []
        for prefix, count in ((BODY, code.body), (SETUP, code.setup)):
            pieces = [library.address(f"{prefix}{i}") for i in range(count)]
            found.append(_integers([values.ctypes.data, count, *pieces]))
        self._kept += [library, values, *found]
        return ctypes.addressof(found[0]), ctypes.addressof(found[1])

    def records(self, t: float, states: Floats) -> Floats:
        """Return records of states that start at a time."""
        found = np.zeros((len(states), self.width))
        found[:, CONTROLS.index("t")] = t
        found[:, CONTROLS.index("stale")] = FRESH
        found[:, CONTROLS.index("growth")] = self.method.growth
        found[:, len(CONTROLS) : len(CONTROLS) + self.size] = states
        return found

    def __call__(self, records: Floats, task: Task, budget: int, threads: int | None) -> None:
        """Let each state that is not done try so many steps at the most."""
        count, lanes = len(records), self._vectors.lanes
        blocks = -(-count // lanes)
        work = self.work * lanes * budget
        if threads is None:
            threads = available() if work * blocks >= PAYS else 1

        def compute(part: NDArray[Any]) -> None:
            chosen = slice(int(part[0]) * lanes, min(count, (int(part[-1]) + 1) * lanes))
            inputs = task.inputs[chosen] if len(task.inputs) > 1 else task.inputs
            self._compute(records[chosen], task._replace(inputs=inputs, results=task.results[chosen]), budget)

        if threads == 1 or blocks < 2:
            compute(np.arange(blocks))
        else:
            in_parts(compute, [np.arange(blocks)], max(1.0, PAYS / work), (blocks,), threads)

    def _compute(self, records: Floats, task: Task, budget: int) -> None:
        inputs = task.inputs
        strides = [
            0 if size == 1 else stride // 8 for size, stride in zip(inputs.shape[:2], inputs.strides, strict=False)
        ]
        run = [
            len(records), task.results.shape[1], len(task.breaks) - 1, budget, task.most, int(task.own),
            records.ctypes.data, self.width, task.times.ctypes.data, task.breaks.ctypes.data, inputs.ctypes.data,
            *strides, task.results.ctypes.data, task.results.strides[0] // 8, task.tolerances.ctypes.data,
        ]  # fmt: skip
        size = self._vectors.bytes
        memory = np.zeros((self._slots + 1) * size, np.uint8)
        self._march(self._plan, _integers(run), memory.ctypes.data + -memory.ctypes.data % size)


def control(records: Floats, name: str) -> Floats:
    """Return a control of all records."""
    return records[:, CONTROLS.index(name)]


def _fitting(widest: Vectors, count: int) -> Vectors:
    """Return the shortest vectors that hold so many states, if not the widest."""
    lanes = 2
    while lanes < min(count, widest.lanes):
        lanes *= 2
    return widest._replace(lanes=lanes)


def _integers(values: Sequence[int]) -> Any:
    return (ctypes.c_int64 * len(values))(*values)


@cache
def _load(vectors: Vectors) -> Any:
    """Return the compiled loop; the kernel's services are then known to LLVM by name."""
    load_kernel(vectors)
    library = load_shared(march(vectors))
    _libraries.append(library)
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(library.address(MARCH))


_libraries: list[Library] = []  # never freed, like the kernel
