"""Linear equations that have a solution, as many as unknowns or more, over any scalar and without a choice of pivots.

They are solved part by part (block_triangular.py). In each part, unknowns with a constant coefficient are
eliminated; one or two equations with as many unknowns are then solved by Cramer's rule, others by modified Gram-Schmidt
orthogonalisation without roots. None of these divides by anything that can be zero at a state where the solution is
unique, and rounding errors grow with the condition number, not with its square, as they do with normal equations.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from ..graph.node import Node, Scalar, is_zero
from ..graph.operations import CONST
from .block_triangular import parts
from .determinant import determinant

Name = TypeVar("Name", bound=Hashable)
Row = Mapping[Name, Scalar]
"""The coefficients of an equation that can differ from zero."""
Check = Callable[[Scalar], None]
"""Takes a divisor; raises an error if that is zero."""
LARGEST = 2
"""Unknowns up to which Cramer's rule is used: with three, its errors can grow with the condition number's square."""
PIVOT = 0.1
"""The smallest constant to divide by, as a part of the constants for the same unknown, and of one."""


class Solver(Protocol[Name]):
    """What solves a part of the equations."""

    def solved(self, b: Mapping[int, Scalar]) -> dict[Name, Scalar]:
        """Return the unknowns that can differ from zero; ``b`` has the right-hand sides that can."""
        ...


class Equations(Generic[Name]):
    """Equations A x = b, ready for any number of right-hand sides.

    Parameters
    ----------
    A
        One row per equation; coefficients of names that are not unknowns are ignored.
    names
        The unknowns.
    check
        Is shown what is divided by, when the first right-hand side asks for it.
    """

    def __init__(self, A: Sequence[Row[Name]], names: Sequence[Name], check: Check) -> None:
        self._check, wanted = check, set(names)
        self._rows = [{name: x for name, x in row.items() if name in wanted and not is_zero(x)} for row in A]
        found = parts(self._rows, names)
        self._parts: list[tuple[list[int], list[Name]]] | None = None
        if found is not None:
            self._parts = [(part.equations, [names[k] for k in part.unknowns]) for part in found]
        self._solvers: dict[int, Solver[Name]] = {}

    def solved(self, b: Mapping[int, Scalar]) -> dict[Name, Scalar]:
        """Return the unknowns that can differ from zero; ``b`` has the right-hand sides that can, by equation."""
        found: dict[Name, Scalar] = {}
        if all(map(is_zero, b.values())):
            return found
        if self._parts is None:
            self._check(0.0)
            raise ZeroDivisionError("the equations have no unique solution")
        for k, (numbers, names) in enumerate(self._parts):
            own = {i: x for i in numbers if not is_zero(x := self._left(i, b, found))}
            if own:
                if k not in self._solvers:
                    self._solvers[k] = _solver({i: self._rows[i] for i in numbers}, names, self._check)
                found |= self._solvers[k].solved(own)
        return {name: x for name, x in found.items() if not is_zero(x)}

    def _left(self, i: int, b: Mapping[int, Scalar], known: Mapping[Name, Scalar]) -> Scalar:
        """Return what known unknowns leave of a right-hand side."""
        return _less(b.get(i, 0.0), self._rows[i], known)


def _solver(rows: Mapping[int, Row[Name]], names: Sequence[Name], check: Check) -> Solver[Name]:
    """Return what solves equations that cannot be divided further."""
    own = {i: {name: row[name] for name in names if name in row} for i, row in rows.items()}
    if len(names) > 1 and _pivot(own) is not None:
        return Eliminated(own, names, check)
    return Cramer(own, names, check) if len(own) == len(names) <= LARGEST else GramSchmidt(own, names, check)


class Eliminated(Generic[Name]):
    """Equations from which unknowns with constant coefficients have been eliminated: these divisors never vanish."""

    def __init__(self, rows: Mapping[int, Row[Name]], names: Sequence[Name], check: Check) -> None:
        left = {i: dict(row) for i, row in rows.items()}
        self._steps: list[tuple[int, Name, Scalar, Row[Name], dict[int, Scalar]]] = []
        while (pivot := _pivot(left)) is not None:
            p, name = pivot
            row = left.pop(p)
            inverse = 1.0 / row.pop(name)
            factors = {i: other.pop(name) * inverse for i, other in left.items() if name in other}
            for i, factor in factors.items():
                for other, x in row.items():
                    left[i][other] = left[i].get(other, 0.0) - factor * x
                left[i] = {other: x for other, x in left[i].items() if not is_zero(x)}
            self._steps.append((p, name, inverse, row, factors))
        gone = {name for _, name, *_ in self._steps}
        self._numbers = list(left)
        self._rest = Equations(list(left.values()), [name for name in names if name not in gone], check)

    def solved(self, b: Mapping[int, Scalar]) -> dict[Name, Scalar]:
        """Return the unknowns."""
        left = dict(b)
        for p, _, _, _, factors in self._steps:
            if p in left:
                for i, factor in factors.items():
                    left[i] = left.get(i, 0.0) - factor * left[p]
        place = {i: k for k, i in enumerate(self._numbers)}
        found = self._rest.solved({place[i]: x for i, x in left.items() if i in place})
        for p, name, inverse, row, _ in reversed(self._steps):
            found[name] = _less(left.get(p, 0.0), row, found) * inverse
        return found


class Cramer(Generic[Name]):
    """Few equations with as many unknowns."""

    def __init__(self, rows: Mapping[int, Row[Name]], names: Sequence[Name], check: Check) -> None:
        self._names, self._numbers = names, list(rows)
        self._A = [[row.get(name, 0.0) for name in names] for row in rows.values()]
        whole = determinant(self._A)
        check(whole)
        self._scale = 1.0 / whole

    def solved(self, b: Mapping[int, Scalar]) -> dict[Name, Scalar]:
        """Return the unknowns."""
        own = [b.get(i, 0.0) for i in self._numbers]
        found = {}
        for k, name in enumerate(self._names):
            part = [[*row[:k], x, *row[k + 1 :]] for row, x in zip(self._A, own, strict=True)]
            found[name] = determinant(part) * self._scale
        return found


class GramSchmidt(Generic[Name]):
    """Any equations. Each column in turn is made orthogonal to those before it, and so is the right-hand side.

    What is divided by is the square of each column's distance from those before it. Björck (1967) shows that the
    right-hand side must be treated like a further column for the result to be as good as that of Householder's method.
    """

    def __init__(self, rows: Mapping[int, Row[Name]], names: Sequence[Name], check: Check) -> None:
        columns = {name: {i: row[name] for i, row in rows.items() if name in row} for name in names}
        self._steps: list[tuple[Name, dict[int, Scalar], Scalar, dict[Name, Scalar]]] = []
        while columns:
            name = min(columns, key=lambda name: len(columns[name]))
            own = columns.pop(name)
            size = _dot(own, own)
            check(size)
            inverse, overlaps = 1.0 / size, dict[Name, Scalar]()
            for other, column in columns.items():
                overlap = _dot(own, column) * inverse
                if not is_zero(overlap):
                    overlaps[other] = overlap
                    columns[other] = _less_multiple(column, own, overlap)
            self._steps.append((name, own, inverse, overlaps))

    def solved(self, b: Mapping[int, Scalar]) -> dict[Name, Scalar]:
        """Return the unknowns."""
        left, parts = dict(b), list[Scalar]()
        for _, own, inverse, _ in self._steps:
            parts.append(_dot(own, left) * inverse)
            left = _less_multiple(left, own, parts[-1])
        found: dict[Name, Scalar] = {}
        for (name, _, _, overlaps), x in zip(reversed(self._steps), reversed(parts), strict=True):
            found[name] = _less(x, overlaps, found)
        return found


def _pivot(rows: Mapping[int, Row[Name]]) -> tuple[int, Name] | None:
    """Return equation and unknown of a constant to divide by, the one that fills the fewest zeros."""
    columns: dict[Name, int] = {}
    largest: dict[Name, float] = {}
    for row in rows.values():
        for name, x in row.items():
            columns[name] = columns.get(name, 0) + 1
            if _is_constant(x):
                largest[name] = max(largest.get(name, 1.0), abs(float(x)))
    found = [
        ((len(row) - 1) * (columns[name] - 1), i, name)
        for i, row in rows.items()
        for name, x in row.items()
        if _is_constant(x) and abs(float(x)) >= PIVOT * largest[name]
    ]
    return min(found, key=lambda each: each[0])[1:] if found else None


def _is_constant(x: Scalar) -> bool:
    return isinstance(x, Node) and x.op is CONST


def _less(x: Scalar, row: Row[Name], values: Mapping[Name, Scalar]) -> Scalar:
    """Return a scalar less a row times values."""
    for name, a in row.items():
        if name in values and not is_zero(values[name]):
            x = x - a * values[name]
    return x


def _less_multiple(x: Mapping[int, Scalar], y: Mapping[int, Scalar], factor: Scalar) -> dict[int, Scalar]:
    """Return a sparse vector less a multiple of another."""
    found = dict(x)
    if not is_zero(factor):
        for i, each in y.items():
            found[i] = found.get(i, 0.0) - factor * each
    return {i: each for i, each in found.items() if not is_zero(each)}


def _dot(a: Mapping[int, Scalar], b: Mapping[int, Scalar]) -> Scalar:
    total: Scalar = 0.0
    for i, x in a.items():
        if i in b:
            total = total + x * b[i]
    return total
