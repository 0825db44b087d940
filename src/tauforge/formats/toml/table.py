"""A table of a TOML file: it returns fields by type, and its errors name the line."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...errors import ExpressionError, RobotError, suggestion
from ...graph.node import Scalar
from ..source import MISSING_LINE, Source
from ..wording import said

Place = tuple[str | int, ...]
"""The path of something: keys, and indices in arrays of tables, counted from 0."""

_LINE = re.compile(
    r"\s*(?:\[\[\s*(?P<array>[\w.-]+)\s*\]\]|\[\s*(?P<table>[\w.-]+)\s*\]|(?P<key>[\w.-]+)\s*=)", re.ASCII
)


@dataclass(frozen=True)
class Table:
    """One table of the file; ``lines`` gives the line of each path."""

    source: Source
    lines: dict[Place, int]
    path: Place
    data: dict[str, Any]

    def fault(self, key: str | int, what: str) -> RobotError:
        """Return the error for a field."""
        return self.source.fault(self._line((*self.path, key)), what)

    def only(self, *known: str) -> None:
        """Refuse fields with other names."""
        for key in self.data:
            if key not in known:
                raise self.fault(key, f"unknown field {key!r}{self._inside()}; {suggestion(key, known)}")

    def value(self, key: str) -> Any:
        """Return a field that must be there."""
        if key not in self.data:
            raise self.source.fault(self._line(self.path), f"{key} is missing{self._inside()}; write {key} = …")
        return self.data[key]

    def text(self, key: str) -> str:
        """Return a field that is a text."""
        value = self.value(key)
        if not isinstance(value, str):
            raise self.fault(key, f'{key} is {said(value)}; it must be a text, "…"')
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts; it is empty if the field is absent."""
        value = self.data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(x, str) for x in value):
            raise self.fault(key, f'{key} is {said(value)}; it must be a list of texts, ["…", "…"]')
        return tuple(value)

    def word(self, key: str, known: tuple[str, ...]) -> str:
        """Return a field that is one of some words."""
        word = self.text(key)
        if word not in known:
            raise self.fault(key, f"{key} is {word!r}; {suggestion(word, known)}")
        return word

    def flag(self, key: str, default: bool) -> bool:
        """Return a field that is true or false."""
        value = self.data.get(key, default)
        if not isinstance(value, bool):
            raise self.fault(key, f"{key} is {said(value)}; it must be true or false")
        return value

    def integer(self, key: str) -> int:
        """Return a field that is a whole number."""
        value = self.value(key)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.fault(key, f"{key} is {said(value)}; it must be a whole number")
        return value

    def scalar(self, key: str) -> Scalar:
        """Return a number or an expression; zero if the field is absent."""
        return self._scalar(self.data.get(key, 0), key, key)

    def scalars(self, key: str, count: int) -> tuple[Scalar, ...]:
        """Return a field that is a list of scalars."""
        return tuple(self._scalar(x, key, f"{key}, entry {i}") for i, x in enumerate(self._list(key, count), 1))

    def number(self, key: str, default: float, finite: bool = True) -> float:
        """Return a number, without symbols; the default if the field is absent."""
        value = self.data.get(key, default)
        if not finite and value in (math.inf, -math.inf):
            return float(value)
        return self.numeric(key, [self._scalar(value, key, key)])[0]

    def numeric(self, key: str, values: Iterable[Scalar]) -> tuple[float, ...]:
        """Return a field's scalars, without symbols."""
        try:
            return tuple(map(float, values))
        except ExpressionError as error:
            raise self.fault(key, f"{key}: {str(error).split(':')[0]}; symbols are not allowed here") from None

    def matrix(self, key: str, size: int) -> tuple[Scalar, ...]:
        """Return a square matrix, written as a list of rows, row by row."""
        rows = [Table(self.source, self.lines, self.path, {key: row}) for row in self._list(key, size)]
        return tuple(x for row in rows for x in row.scalars(key, size))

    def table(self, key: str) -> Table:
        """Return a table inside this one."""
        value = self.value(key)
        if not isinstance(value, dict):
            raise self.fault(key, f"{key} must be a table, [{key}]")
        return Table(self.source, self.lines, (*self.path, key), value)

    def tables(self, key: str) -> list[Table]:
        """Return an array of tables; it is empty if the field is absent."""
        values = self.data.get(key, [])
        if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
            raise self.fault(key, f"{key} must be an array of tables; write [[{key}]] before each")
        return [Table(self.source, self.lines, (*self.path, key, i), value) for i, value in enumerate(values)]

    def _list(self, key: str, count: int) -> list[Any]:
        value = self.value(key)
        if not isinstance(value, list) or len(value) != count:
            found = f"has {len(value)} entries" if isinstance(value, list) else f"is {said(value)}"
            raise self.fault(key, f"{key} {found}; it must be a list of {count}")
        return value

    def _scalar(self, value: object, key: str, where: str) -> Scalar:
        if isinstance(value, str):
            return self.source.expression(value, self._line((*self.path, key)), where)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.fault(key, f'{where} is {said(value)}; it must be a number or an expression, "…"')
        if not abs(value) <= sys.float_info.max:  # refuses nan, inf, and integers too large for a float
            raise self.fault(key, f"{where} is {said(value)}; give a finite number")
        return float(value)

    def _line(self, path: Place) -> int:
        """Return the line of a path, or of the nearest table around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, MISSING_LINE)

    def _inside(self) -> str:
        """Return the name of this table in messages."""
        words = [f"{word + 1}" if isinstance(word, int) else word for word in self.path]
        return f" in {' '.join(words)}" if words else ""


def line_index(text: str) -> dict[Place, int]:
    """Return the lines of tables and fields. They are only for messages, so missing an exotic spelling does no harm."""
    lines: dict[Place, int] = {}
    counts: dict[Place, int] = {}
    table: Place = ()
    for number, line in enumerate(text.split("\n"), 1):
        match = _LINE.match(line)
        if not match:
            continue
        if name := match["array"] or match["table"]:
            table = _table_path(name.split("."), counts, bool(match["array"]))
        lines.setdefault((*table, *(match["key"].split(".") if match["key"] else ())), number)
    return lines


def _table_path(words: list[str], counts: dict[Place, int], starts: bool) -> Place:
    """Return a table's path; each array of tables is followed by the index of its last table, which this line may
    start.
    """
    path: Place = ()
    for i, word in enumerate(words, 1):
        path = (*path, word)
        if starts and i == len(words):
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path
