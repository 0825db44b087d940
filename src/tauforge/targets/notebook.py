"""A Program in a notebook: its equations if they are few, otherwise its arguments and operations."""

from __future__ import annotations

from ..program.array import Array
from ..program.program import Program
from ..robot.html import table
from .latex import LANGUAGE, equations
from .statements import LONGEST, listing

FEW = 60
"""The largest number of equations that is shown."""


def in_latex(program: Program) -> str | None:
    """Return the equations of a Program that has at most 60 of them and is not repeated, for a notebook."""
    if program.repeat or program.count().total > FEW * LONGEST:
        return None
    made = listing(program, LANGUAGE, None)
    statements = [*made.setup, *made.body, *made.results]
    if not statements or made.cleared or len(statements) > FEW:
        return None
    rows = " \\\\\n".join(equations(made, statements))
    return f"$$\n\\begin{{aligned}}\n{rows}\n\\end{{aligned}}\n$$"


def in_html(program: Program) -> str:
    """Return the inputs, outputs and operations of a Program as a table, for a notebook."""
    columns = ("", "name", "shape", "meaning")
    groups = (("input", program.arguments), ("output", program.results))
    rows = [(kind, name, _shape(array), array.meaning) for kind, arrays in groups for name, array in arrays.items()]
    return table(program.name, columns, [*rows, ("operations", "", "", str(program.count()))])


def _shape(array: Array) -> str:
    return " × ".join(map(str, array.shape)) or "number"
