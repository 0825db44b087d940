"""Linear equations that have a solution, as many as unknowns or more, over any scalar and without a choice of pivots.

Equations that share no unknown are solved apart. Up to three equations with as many unknowns are solved by Cramer's
rule, all others by the normal equations Aᵀ A x = Aᵀ b: neither divides by anything that can be zero at a state where
the solution is unique.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from ..graph.node import Scalar, is_zero
from .determinant import determinant
from .solve import solve

Name = TypeVar("Name", bound=Hashable)
LARGEST = 3
"""Unknowns up to which Cramer's rule is used."""


class Block(Generic[Name]):
    """Some equations and the unknowns in them, which are in no other."""

    def __init__(self, A: Sequence[Mapping[Name, Scalar]], numbers: Sequence[int], names: Sequence[Name]) -> None:
        self.numbers, self.names = numbers, names
        self._A = [[A[i].get(name, 0.0) for name in names] for i in numbers]
        self.is_square = len(numbers) == len(names) <= LARGEST

    def solved(self, b: Sequence[Scalar], check: Callable[[Scalar], None]) -> dict[Name, Scalar]:
        """Return the unknowns for one right-hand side."""
        own = [b[i] for i in self.numbers]
        if all(map(is_zero, own)):
            return dict.fromkeys(self.names, 0.0)
        found = self._by_cramer(own, check) if self.is_square else self._by_normal_equations(own, check)
        return dict(zip(self.names, found, strict=True))

    def _by_cramer(self, b: Sequence[Scalar], check: Callable[[Scalar], None]) -> list[Scalar]:
        A, whole = self._A, determinant(self._A)
        check(whole)
        scale = 1.0 / whole
        parts = ([[*row[:k], x, *row[k + 1 :]] for row, x in zip(A, b, strict=True)] for k in range(len(A)))
        return [determinant(part) * scale for part in parts]

    def _by_normal_equations(self, b: Sequence[Scalar], check: Callable[[Scalar], None]) -> list[Scalar]:
        columns = list(zip(*self._A, strict=True))
        N = [[_dot(a, c) for c in columns[: i + 1]] + [0.0] * (len(columns) - i - 1) for i, a in enumerate(columns)]
        return solve(N, [_dot(a, b) for a in columns], lambda _, x: check(x))


def blocks(A: Sequence[Mapping[Name, Scalar]], names: Iterable[Name]) -> list[Block[Name]]:
    """Return the equations and unknowns in parts that have nothing to do with one another."""
    wanted = list(names)
    of: dict[Name, int] = {name: k for k, name in enumerate(wanted)}  # the part of each unknown
    for row in A:
        own = {of[name] for name in row if name in of}
        if len(own) > 1:
            first = min(own)
            of = {name: first if part in own else part for name, part in of.items()}
    found = []
    for part in dict.fromkeys(of.values()):
        own_names = [name for name in wanted if of[name] == part]
        numbers = [i for i, row in enumerate(A) if any(name in of and of[name] == part for name in row)]
        found.append(Block(A, numbers, own_names))
    return found


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        if not is_zero(x) and not is_zero(y):
            total = total + x * y
    return total
