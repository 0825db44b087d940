"""Program -> casadi.Function: expressions that CasADi handles itself, or compiled C code with exact derivatives."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import ProgramError
from ..graph.operations import ABS, ADD, CONST, DIV, FUNCTIONS, MUL, NEG
from ..program.array import Array
from ..program.program import Program
from .casadi_library import library
from .needed import by_entries, needed, refuse_repeated

_FLAGS = ("-O1", "-march=native", "-shared", "-fPIC")
"""Formulas without loops gain nothing from -O2, which takes longer."""


def to_casadi(program: Program, *, compiled: bool = False, derivatives: int = 2) -> Any:
    """Return what ``Program.to_casadi`` promises."""
    ca = needed("casadi", "casadi", "to_casadi")
    refuse_repeated(program, "CasADi")
    if derivatives not in (0, 1, 2):
        raise ProgramError(f"derivatives={derivatives!r}; compiled code has derivatives of order 0, 1 or 2")
    named = replace(program, name=ca.Function.fix_name(program.name))  # letters, digits and single underscores
    return _external(by_entries(named), derivatives, ca) if compiled else _expressions(named, ca)


def _expressions(program: Program, ca: Any) -> Any:
    """Return a function over SX, CasADi's scalar expressions."""
    table: dict[str, Any] = {
        ADD: lambda a, b: a + b,
        MUL: lambda a, b: a * b,
        DIV: lambda a, b: a / b,
        NEG: lambda a: -a,
        **{op: getattr(ca, op) for op in FUNCTIONS if op is not ABS},
        ABS: ca.fabs,
    }
    known: dict[Any, Any] = {}
    inputs = []
    for name, array in program.arguments.items():
        symbols = ca.SX.sym(name, *_size(array))
        inputs.append(symbols)
        known |= {node: symbols[place] for node, place in zip(array.nodes, _places(array), strict=True)}
    for node in program.order:
        if node not in known:
            known[node] = ca.SX(float(node)) if node.op is CONST else table[node.op](*(known[a] for a in node.args))
    outputs = []
    for array in program.results.values():
        made = ca.SX.zeros(*_size(array))
        for node, place in zip(array.nodes, _places(array), strict=True):
            made[place] = known[node]
        outputs.append(ca.sparsify(made) if len(array.shape) > 1 else made)
    return ca.Function(program.name, inputs, outputs, [*program.inputs], [*program.outputs])


def _size(array: Array) -> tuple[int, int]:
    """Return the rows and columns of an array in CasADi, which knows no more axes than two."""
    return (array.shape[0], array.shape[1]) if len(array.shape) == 2 else (array.shape.size, 1)


def _places(array: Array) -> list[int]:
    """Return where an array's entries are in CasADi, whose matrices go column by column."""
    rows, columns = _size(array)
    return [j * rows + i for i in range(rows) for j in range(columns)]


def _external(program: Program, derivatives: int, ca: Any) -> Any:
    """Return a function in compiled C code; CasADi finds its derivatives in the same library."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        raise ProgramError("to_casadi(compiled=True) needs a C compiler: install gcc or clang, or leave compiled out")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # once loaded, the file is not needed
        source, made = Path(folder) / "made.c", Path(folder) / "made.so"
        source.write_text(library(program, derivatives))
        command = [compiler, *_FLAGS, "-o", str(made), str(source), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ProgramError(f"{compiler} could not compile {program.name}: {done.stderr.strip()[-500:]}")
        return ca.external(program.name, str(made))
