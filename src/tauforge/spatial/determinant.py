"""Determinants of matrices with zeros, without division: first by blocks, then by cofactors along the emptiest row."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from ..graph.node import is_zero
from .vector import Entry

Lines = tuple[int, ...]


def determinant(matrix: Sequence[Sequence[Entry]]) -> Entry:
    """Return the determinant of a square matrix."""
    return Minors(matrix).of(tuple(range(len(matrix))), tuple(range(len(matrix))))


def maximal_minors(matrix: Sequence[Sequence[Entry]]) -> list[Entry]:
    """Return the determinants of the largest square parts of a matrix, without those that are zero.

    The sum of their squares is det(A Aᵀ), or det(Aᵀ A) if there are more rows than columns (Cauchy and Binet).
    """
    high = matrix if len(matrix) <= len(matrix[0]) else list(zip(*matrix, strict=True))
    minors, rows = Minors(high), tuple(range(len(high)))
    found = (minors.of(rows, columns) for columns in combinations(range(len(high[0])), len(high)))
    return [minor for minor in found if not is_zero(minor)]


class Minors:
    """The minors of a matrix, each computed once."""

    def __init__(self, matrix: Sequence[Sequence[Entry]]) -> None:
        self.matrix = matrix
        self.known: dict[tuple[Lines, Lines], Entry] = {((), ()): 1.0}

    def of(self, rows: Lines, columns: Lines) -> Entry:
        """Return the determinant of the part with some rows and as many columns."""
        if (rows, columns) not in self.known:
            self.known[rows, columns] = self._expanded(rows, columns)
        return self.known[rows, columns]

    def _expanded(self, rows: Lines, columns: Lines) -> Entry:
        filled = {row: tuple(c for c in columns if not is_zero(self.matrix[row][c])) for row in rows}
        for support in sorted(set(filled.values()), key=len):
            block = tuple(row for row in rows if set(filled[row]) <= set(support))
            if len(block) > len(support):  # too few columns for these rows
                return 0.0
            if len(block) == len(support) < len(rows):
                return self._product(rows, columns, block, support)
        emptiest = min(rows, key=lambda row: len(filled[row]))
        if len(rows) == 1:
            return self.matrix[rows[0]][columns[0]]
        total: Entry = 0.0
        for column in filled[emptiest]:
            total = total + self._product(rows, columns, (emptiest,), (column,))
        return total

    def _product(self, rows: Lines, columns: Lines, block: Lines, support: Lines) -> Entry:
        """Return the minor of a block times that of the other rows and columns, with the sign of Laplace's rule."""
        others = tuple(row for row in rows if row not in block), tuple(c for c in columns if c not in support)
        odd = (sum(map(rows.index, block)) + sum(map(columns.index, support))) % 2
        product = self.of(block, support) * self.of(*others)
        return -product if odd else product
