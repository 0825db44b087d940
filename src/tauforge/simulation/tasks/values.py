"""Values in the tables of a task: numbers, expressions of time and state, and entries by the names of joints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ExpressionError, ProgramError, RobotError, SimulationError, suggestion
from ...formats.toml.table import Table
from ...formats.wording import said
from ...graph.evaluate import symbols
from ...graph.node import Node, as_node
from ...graph.parse import expression

Floats = NDArray[np.float64]
DEEPEST = 3
"""Lists in lists that a field can have."""


@contextmanager
def naming(table: Table, key: str) -> Iterator[None]:
    """Name the file and the line of a field in errors about its value."""
    try:
        yield
    except SimulationError:
        raise
    except (ProgramError, RobotError) as error:
        if str(error).startswith(f"{table.source.path}:"):  # it does already
            raise
        raise table.fault(key, str(error)) from None


def numbers(table: Table, key: str) -> Any:
    """Return a field that is a number, or a list of numbers or of such lists; each can be a text such as "pi/2"."""
    return _numbers(table, key, table.value(key), DEEPEST)


def _numbers(table: Table, key: str, value: object, deep: int) -> Any:
    if isinstance(value, list) and deep:
        return [_numbers(table, key, x, deep - 1) for x in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, str):
        raise table.fault(key, f"{key} is {said(value)}; it must be a number, or a list of numbers")
    return table.numeric(key, [_node(table, key, value)])[0]


def _node(table: Table, key: str, text: str) -> Node:
    try:
        return expression(text)
    except ExpressionError as error:
        raise table.fault(key, f"{key}, {said(text)}: {error}") from None


def expressions(table: Table, key: str, count: int, names: Sequence[str], known: Sequence[str]) -> list[Node]:
    """Return a list of expressions, one for each name, or a single one for all; ``known`` lists what they may use."""
    value = table.value(key)
    each = value if isinstance(value, list) else [value] * count
    if len(each) != count:
        raise table.fault(key, f"{key} has {len(each)} entries; it needs {count}: {', '.join(names)}")
    found = []
    for x in each:
        if isinstance(x, bool) or not isinstance(x, int | float | str):
            raise table.fault(key, f'{key} has the entry {said(x)}; it must be a number or an expression, "…"')
        node = _node(table, key, x) if isinstance(x, str) else as_node(float(x))
        for symbol in symbols([node]):
            if symbol not in known:
                raise table.fault(key, f"{key}, {said(x)}: {symbol} has no value here; {_usable(symbol, known)}")
        found.append(node)
    return found


def _usable(symbol: str, known: Sequence[str]) -> str:
    """Return which names an expression can use, in few words."""
    if len(known) == 1:
        return f"an expression can use {known[0]}"
    return f"{suggestion(symbol, known)}" if len(known) < 12 else f"it can use t, and {known[1]} … {known[-1]}"


def by_name(table: Table, key: str, names: Sequence[str], default: Any = 0.0) -> Table:
    """Return the table with a field as a list, one entry for each name, where it is a table from some names to values.

    A field that is not a table is left as it is.
    """
    value = table.value(key)
    if not isinstance(value, dict):
        return table
    inner = table.table(key)
    inner.only(*names)
    listed = {**table.data, key: [value.get(name, default) for name in names]}
    return Table(table.source, table.lines, table.path, listed)


def vector(table: Table, key: str, names: Sequence[str]) -> Floats:
    """Return a field that is a list of numbers, one for each name, or a table from some of the names to numbers."""
    found = numbers(by_name(table, key, names), key)
    if not isinstance(found, list) or not all(isinstance(x, float) for x in found):
        raise table.fault(key, f"{key} must be a list of numbers, one for each of {', '.join(names)}")
    return np.array(found)
