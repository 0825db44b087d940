"""Building: a Program -> its object code -> a plan in memory that the kernel's loop can follow."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graph.collector import collector_paused
from ..llvm.arrays import arrays, parameters_place
from ..llvm.kernel import Plan
from ..llvm.pieces import BODY, SETUP, numbers, pieces
from ..llvm.turns import turns
from ..llvm.vectors import Vectors
from ..program.program import Program
from ..progress import shown
from .cache import Code, content, obtained
from .compile import Library, object_code
from .kernel import load_kernel

DTYPES: dict[str, np.dtype[Any]] = {"double": np.dtype(np.float64), "float": np.dtype(np.float32)}
"""The types of arrays, by their names in C and LLVM."""


class Loaded(NamedTuple):
    """A Program in memory: the address of the kernel's loop, the plan it follows, and its constants."""

    library: Library
    loop: int
    plan: Any
    numbers: NDArray[Any]


@collector_paused()
def compiled(program: Program, vectors: Vectors, cached: bool) -> Code:
    """Return the Program's object code."""

    def make() -> Code:
        slots, setup, body, modules = pieces(program, vectors)
        return Code(slots, setup, body, tuple(map(object_code, shown(modules, f"compiling {program.name}"))))

    return obtained(partial(content, program, vectors), make, cached)


def load(program: Program, code: Code, vectors: Vectors) -> Loaded:
    """Return the Program in memory."""
    loop = load_kernel(vectors)
    library = Library(code.objects)
    setup = [library.address(f"{SETUP}{i}") for i in range(code.setup)]
    body = [library.address(f"{BODY}{i}") for i in range(code.body)]
    values = constants(numbers(program), vectors)
    plan = Plan(
        *arrays(program), code.slots, values.ctypes.data, setup, body, parameters_place(program), turns(program)
    )
    table = plan.table(vectors)
    return Loaded(library, loop, (ctypes.c_int64 * len(table))(*table), values)


def constants(values: Sequence[float], vectors: Vectors) -> NDArray[Any]:
    """Return the table of a Program's constants, each in all lanes of a vector, aligned to vectors."""
    size = vectors.bytes
    memory = np.empty(size * (len(values) + 1), np.uint8)
    start = -memory.ctypes.data % size
    table: NDArray[Any] = (
        memory[start : start + size * len(values)].view(DTYPES[vectors.scalar]).reshape(-1, vectors.lanes)
    )
    with np.errstate(over="ignore"):
        table[:] = np.array(values)[:, None]
    return table
