"""A Program as flat lists of plain data, which can be pickled however deep its graph is."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from ..graph.pickling import Row, flattened, restored
from .array import Array
from .domain import Domain
from .program import Program
from .recipe import Recipe
from .repeat import Repeat


class Flat(NamedTuple):
    """A Program whose nodes are numbers, their places in ``nodes``."""

    name: str
    heading: tuple[str, ...]
    nodes: tuple[Row, ...]
    arguments: dict[str, tuple[Any, ...]]
    results: dict[str, tuple[Any, ...]]
    names: dict[int, str]
    repeat: Repeat | None
    symbol_order: tuple[str, ...]
    domain: Domain | None
    recipe: Recipe | None


def flatten(program: Program) -> Flat:
    """Return the Program as plain data."""
    arrays = [*program.arguments.values(), *program.results.values()]
    arrays += [array.tangent for array in arrays if array.tangent]
    rows, number = flattened([*(node for array in arrays for node in array.nodes), *program.names])

    def plain(array: Array) -> tuple[Any, ...]:
        tangent = plain(array.tangent) if array.tangent else None
        return array.shape, tuple(number[node] for node in array.nodes), array.meaning, tangent

    return Flat(
        program.name,
        program.heading(),
        rows,
        {name: plain(array) for name, array in program.arguments.items()},
        {name: plain(array) for name, array in program.results.items()},
        {number[node]: name for node, name in program.names.items()},
        program.repeat,
        program.symbol_order,
        program.domain,
        program.recipe,
    )


def restore(flat: Flat) -> Program:
    """Return the Program again."""
    nodes = restored(flat.nodes)

    def array(shape: Any, numbers: tuple[int, ...], meaning: str, tangent: Any) -> Array:
        return Array(shape, tuple(nodes[i] for i in numbers), meaning, array(*tangent) if tangent else None)

    arguments = {name: array(*parts) for name, parts in flat.arguments.items()}
    results = {name: array(*parts) for name, parts in flat.results.items()}
    names = {nodes[i]: name for i, name in flat.names.items()}
    heading = partial(tuple, flat.heading)
    program = Program(flat.name, arguments, results, names, heading, flat.repeat, flat.symbol_order, flat.domain)
    return program.marked(recipe=flat.recipe)
