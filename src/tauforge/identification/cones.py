"""Convex problems over cones, solved by Clarabel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sparse

from ..errors import TauforgeError
from .pseudo_inertia import SIZE, TRIANGLE, Floats

DOUBLE = tuple((i, j) for j in range(2 * SIZE) for i in range(j + 1))
"""The upper triangle of a matrix of twice the size, column by column, as Clarabel has it."""
LOWER = tuple((i, j) for j in range(SIZE) for i in range(j, SIZE))
"""The lower triangle of a matrix, column by column."""
INFEASIBLE = ("PrimalInfeasible", "AlmostPrimalInfeasible")
SOLVED = ("Solved", "AlmostSolved")


@dataclass(frozen=True)
class Solution:
    """What the solver found: the unknowns, how much each row's offset matters, and how it ended."""

    x: Floats
    prices: Floats
    status: str

    @property
    def solved(self) -> bool:
        """Whether the solver found the solution."""
        return self.status in SOLVED


@dataclass
class Cones:
    """Linear maps of some unknowns that must lie in cones; each method adds one condition.

    Attributes
    ----------
    count
        Number of the unknowns so far.
    """

    count: int
    _rows: list[tuple[Any, Floats]] = field(default_factory=list)
    _cones: list[tuple[str, int]] = field(default_factory=list)

    def more(self, count: int) -> int:
        """Add unknowns, and return the index of the first."""
        self.count += count
        return self.count - count

    def equal(self, rows: Any, offset: Floats) -> None:
        """Require rows times the unknowns plus the offset to be zero."""
        self._add("ZeroConeT", rows, offset)

    def positive(self, rows: Any, offset: Floats) -> None:
        """Require rows times the unknowns plus the offset not to be negative."""
        self._add("NonnegativeConeT", rows, offset)

    def ball(self, rows: Any, offset: Floats) -> None:
        """Require rows times the unknowns plus the offset to have at most the length one."""
        top = sparse.csr_array((1, rows.shape[1]))
        self._add("SecondOrderConeT", sparse.vstack([top, rows]), np.append(1.0, offset))

    def semidefinite(self, first: int) -> None:
        """Require a 4x4 matrix, packed in the unknowns from ``first`` on, to be positive semidefinite."""
        self._add("PSDTriangleConeT", _selection(range(first, first + len(TRIANGLE))), np.zeros(len(TRIANGLE)), SIZE)

    def log_determinant(self, first: int) -> list[int]:
        """Add unknowns whose sum is at most log det of the 4x4 matrix S that is packed from ``first`` on.

        With a lower triangular Z, [S Z; Zᵀ diag(Z)] is positive semidefinite only if the product of Z's diagonal is at
        most det S; the unknowns are at most the logarithms of that diagonal.
        """
        Z, logarithms = self.more(len(LOWER)), self.more(SIZE)
        at = {pair: Z + k for k, pair in enumerate(LOWER)}
        entries: list[tuple[int, int, float]] = []
        for row, (i, j) in enumerate(DOUBLE):
            if j < SIZE:
                entries.append((row, first + TRIANGLE.index((i, j)), 1.0))
            elif i < SIZE and (i, j - SIZE) in at:
                entries.append((row, at[i, j - SIZE], np.sqrt(2.0)))
            elif i == j:
                entries.append((row, at[i - SIZE, i - SIZE], 1.0))
        self._add("PSDTriangleConeT", _matrix(entries), np.zeros(len(DOUBLE)), 2 * SIZE)
        for k in range(SIZE):
            self.logarithm(at[k, k], logarithms + k)
        return list(range(logarithms, logarithms + SIZE))

    def logarithm(self, argument: int, value: int) -> None:
        """Require an unknown to be at most the logarithm of another."""
        self._add("ExponentialConeT", _matrix([(0, value, 1.0), (2, argument, 1.0)], 3), np.array([0.0, 1.0, 0.0]))

    def _add(self, kind: str, rows: Any, offset: Floats, size: int = 0) -> None:
        self._rows.append((sparse.csr_array(rows), offset))
        self._cones.append((kind, size or len(offset)))

    def minimise(self, linear: Floats, squares: Floats | None = None) -> Solution:
        """Return the unknowns with the least linear · x + ½ Σ squares x²; unknowns after the squares have none."""
        try:
            import clarabel
        except ImportError:
            raise TauforgeError(
                "physically consistent parameters need Clarabel: pip install 'tauforge[identify]'"
            ) from None
        count = self.count
        blocks = [sparse.csr_array((x.data, x.indices, x.indptr), (x.shape[0], count)) for x, _ in self._rows]
        cones = [getattr(clarabel, kind)(*(() if "Exp" in kind else (size,))) for kind, size in self._cones]
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.max_threads = 1
        diagonal = np.zeros(count)
        if squares is not None:
            diagonal[: len(squares)] = squares
        P = sparse.diags_array(diagonal, format="csc")
        P.eliminate_zeros()
        found = clarabel.DefaultSolver(
            sparse.csc_matrix(P),
            linear,
            sparse.csc_matrix(-sparse.vstack(blocks)),
            np.concatenate([offset for _, offset in self._rows]),
            cones,
            settings,
        ).solve()
        return Solution(np.array(found.x), np.array(found.z), str(found.status))


def _matrix(entries: list[tuple[int, int, float]], rows: int = len(DOUBLE)) -> Any:
    i, j, values = zip(*entries, strict=True)
    return sparse.csr_array((values, (i, j)), (rows, max(j) + 1))


def _selection(columns: range) -> Any:
    return _matrix([(row, column, 1.0) for row, column in enumerate(columns)], len(columns))
