"""Steps: the Program of one step of a simulation, compiled and repeated without returning to Python."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..llvm.pieces import BODY, SETUP, numbers
from ..llvm.rollout import ROLL, Run, StepPlan, rollout
from ..llvm.vectors import Vectors
from ..program.array import Array
from ..program.program import Program
from .build import DTYPES, compiled, constants
from .compile import Library, vectors
from .kernel import load_kernel, load_shared
from .threads import PAYS, asked, available, in_parts

Values = NDArray[Any]


class Steps:
    """A compiled step. Call it to do many of them, for many states at once.

    Parameters
    ----------
    program
        The Program of one step.
    carried
        The outputs that become inputs of the next step, each with the name of that input.
    scalar
        The type of all arrays and computations: "double" or "float".
    """

    def __init__(self, program: Program, carried: Mapping[str, str], scalar: str) -> None:
        self.program, self.dtype = program, DTYPES[scalar]
        self.carried = tuple(carried.values())
        self.given = tuple(name for name in program.arguments if name not in self.carried)
        self._vectors = vectors(scalar)
        self._roll = _load(self._vectors)
        code = compiled(program, self._vectors, cached=True)
        self._library = Library(code.objects)
        self._numbers = constants(numbers(program), self._vectors)
        inputs, results = _slots(program.arguments), _slots(program.results, _size(program.arguments))
        shapes = program.inputs
        largest = max(shape.size for shape in shapes.values())
        self._offsets = self.dtype.itemsize * np.arange(largest, dtype=np.int64)
        plan = StepPlan(
            [(shapes[name].size, inputs[name], results[made]) for made, name in carried.items()],
            [(shapes[name].size, inputs[name]) for name in self.given],
            [self._library.address(f"{SETUP}{i}") for i in range(code.setup)],
            [self._library.address(f"{BODY}{i}") for i in range(code.body)],
            self._numbers.ctypes.data,
            self._offsets.ctypes.data,
        )
        self._plan = _integers(plan.table())
        self._memory = code.slots * self._vectors.bytes

    def __call__(
        self,
        start: Sequence[Values],
        given: Sequence[Values],
        results: Sequence[Values | None],
        steps: int,
        every: int,
        threads: int | None,
    ) -> None:
        """Do the steps.

        Parameters
        ----------
        start
            The first values of the carried arrays, (states, entries).
        given
            The given inputs, (states, steps, entries), in the order of ``self.given``.
        results
            Arrays for the carried ones, (states, rows, entries), or None for those that are not wanted.
        steps, every
            The number of steps, and after how many of them a row is written.
        threads
            How many share the states; None for as many as pay off.
        """
        count, lanes = len(start[0]), self._vectors.lanes
        blocks = -(-count // lanes)
        work = max(1, len(self.program.order)) * lanes * steps
        if threads is None:
            threads = available() if work * blocks >= PAYS else 1
        else:
            threads = asked(self.program.name, threads)
        if not count:
            return

        def compute(part: Values) -> None:
            chosen = slice(int(part[0]) * lanes, min(count, (int(part[-1]) + 1) * lanes))
            self._compute(chosen, start, given, results, steps, every)

        if threads == 1 or blocks < 2:
            compute(np.arange(blocks))
        else:
            in_parts(compute, [np.arange(blocks)], PAYS / work, (blocks,), threads)

    def _compute(
        self,
        chosen: slice,
        start: Sequence[Values],
        given: Sequence[Values],
        results: Sequence[Values | None],
        steps: int,
        every: int,
    ) -> None:
        pairs = zip(start, results, strict=True)
        run = Run(
            chosen.stop - chosen.start,
            steps,
            every,
            [(*_rows(first[chosen]), *((0, 0, 0) if out is None else _rows(out[chosen]))) for first, out in pairs],
            [_rows(array[chosen]) for array in given],
        )
        memory = np.empty(self._memory + self._vectors.bytes, np.uint8)
        aligned = memory.ctypes.data + -memory.ctypes.data % self._vectors.bytes
        self._roll(self._plan, _integers(run.table()), aligned)


def _rows(array: Values) -> tuple[Any, ...]:
    """Return an array's address, and its strides except the last; 0 along an axis of length 1."""
    strides = zip(array.strides[:-1], array.shape[:-1], strict=True)
    return (array.ctypes.data, *(stride if size > 1 else 0 for stride, size in strides))


def _slots(arrays: Mapping[str, Array], first: int = 0) -> dict[str, int]:
    """Return the first slot of each array."""
    found = {}
    for name, array in arrays.items():
        found[name] = first
        first += array.shape.size
    return found


def _size(arrays: Mapping[str, Array]) -> int:
    return sum(array.shape.size for array in arrays.values())


def _integers(values: Sequence[int]) -> Any:
    return (ctypes.c_int64 * len(values))(*values)


@cache
def _load(vectors: Vectors) -> Any:
    """Return the function that repeats steps; the kernel's services are then known to LLVM by name."""
    load_kernel(vectors)
    library = load_shared(rollout(vectors))
    _libraries.append(library)
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(library.address(ROLL))


_libraries: list[Library] = []  # never freed, like the kernel
