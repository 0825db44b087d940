"""The function of a compiled Program for callers in C, as the text of a module.

Its arrays are in C order. It calls the kernel's loop with its arguments in memory, as NumPy does.
"""

from __future__ import annotations

from ..program.array import Shape
from ..program.program import Program
from .arrays import arrays, has_empty
from .vectors import Vectors

STATES = "states"
"""Name of the function."""


def prototype(program: Program, scalar: str) -> str:
    """Return the declaration of the function in C; ``scalar`` is the type of entries."""
    parts = [f"const {scalar} *{name}, int64_t {name}_stride" for name in program.inputs]
    parts += [f"{scalar} *{name}, int64_t {name}_stride" for name in program.outputs]
    return f"void {program.name}({', '.join(['int64_t count', *parts])})"


def states(program: Program, vectors: Vectors, loop: int, plan: int) -> str:
    """Return the module, for a loop and a plan at these addresses."""
    read, written = arrays(program)
    shapes = [*read, *written]
    given = [f"%array{i}" for i in range(has_empty(program), len(shapes))]
    arguments = ", ".join(["i64 %count", *(f"ptr {array}, i64 {array}.stride" for array in given)])
    none = ["0"] * has_empty(program)
    steps = [*none, *(f"{array}.bytes" for array in given)]
    steps += [str(step) for shape in shapes for step in _contiguous(shape, vectors.size)]
    return "\n".join(
        [
            f"define void @{STATES}({arguments}) nounwind {{",
            *(f"{array}.bytes = mul i64 {array}.stride, {vectors.size}" for array in given),
            "%dimensions = alloca i64",
            "store i64 %count, ptr %dimensions",
            *_table("%arrays", "ptr", [*["null"] * len(none), *given]),
            *_table("%steps", "i64", steps),
            f"%loop = inttoptr i64 {loop} to ptr",
            f"%plan = inttoptr i64 {plan} to ptr",
            "call void %loop(ptr %arrays, ptr %dimensions, ptr %steps, ptr %plan)",
            "ret void",
            "}",
            "",
        ]
    )


def _contiguous(shape: Shape, size: int) -> list[int]:
    """Return the steps inside an array in C order, in bytes."""
    return [size * Shape(shape[axis + 1 :]).size for axis in range(len(shape))]


def _table(name: str, kind: str, values: list[str]) -> list[str]:
    lines = [f"{name} = alloca {kind}, i64 {len(values)}"]
    for i, value in enumerate(values):
        lines += [f"{name}.{i} = getelementptr {kind}, ptr {name}, i64 {i}", f"store {kind} {value}, ptr {name}.{i}"]
    return lines
