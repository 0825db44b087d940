"""The arrays that the kernel's loop reads and writes, in their order."""

from __future__ import annotations

from ..program.array import Shape
from ..program.program import PARAMETERS, Program


def has_empty(program: Program) -> bool:
    """Tell whether some array has no entries."""
    return any(shape.size == 0 for shape in (*program.inputs.values(), *program.outputs.values()))


def arrays(program: Program) -> tuple[list[Shape], list[Shape]]:
    """Return the shapes of the arrays that the loop reads and of those that it writes.

    NumPy cannot fix a dimension to zero: if some array has no entries, there is one more input, the first, without
    entries.
    """
    extra = [Shape([0])] if has_empty(program) else []
    return [*extra, *program.inputs.values()], [*program.outputs.values()]


def parameters_place(program: Program) -> int:
    """Return the index of the array that holds the parameters; -1 if there are none."""
    names = [*program.inputs]
    return names.index(PARAMETERS) + has_empty(program) if PARAMETERS in names else -1
