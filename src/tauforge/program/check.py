"""A check that a Program is sound; it must be so after every pass."""

from __future__ import annotations

import math

from ..errors import ProgramError
from ..graph.functions import rebuild
from ..graph.operations import CONST, OPERATIONS, SYMBOL
from .array import Array
from .program import Program


def check(program: Program) -> None:
    """Do what ``Program.check`` promises."""
    for name, array in {**program.arguments, **program.results}.items():
        _check_array(f"{program.name}: {name}", array)
    known = [node for array in program.arguments.values() for node in array.nodes]
    if len({*known}) != len(known):
        raise ProgramError(f"{program.name}: two entries of its inputs are the same symbol")
    if odd := [node for node in known if node.op is not SYMBOL]:
        raise ProgramError(f"{program.name}: {odd[0]} is an input, but not a symbol")
    inputs = {*known}
    for node in program.order:
        if node.op not in OPERATIONS:
            raise ProgramError(f"{program.name}: the operation {node.op!r} is unknown")
        if node.args and rebuild(node.op, node.args) is not node:
            raise ProgramError(f"{program.name}: {node} is not the node that the graph has for this expression")
        if node.op is SYMBOL and node not in inputs:
            raise ProgramError(f"{program.name}: {node} is neither an input nor a parameter")
        if node.op is CONST and not math.isfinite(node.value):
            raise ProgramError(f"{program.name}: a constant is {node.value}")


def _check_array(place: str, array: Array) -> None:
    """Refuse an array if its nodes or labels do not fit its shape."""
    if len(array.nodes) != array.shape.size:
        raise ProgramError(f"{place} has the shape {tuple(array.shape)}, but {len(array.nodes)} entries")
    sizes = [len(labels) for labels in array.shape.labels]
    if sizes and sizes != [*array.shape]:
        raise ProgramError(f"{place} has the shape {tuple(array.shape)}, but {sizes} labels")
