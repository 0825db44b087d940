"""A linear program by the simplex method: small, dense, and sure to end."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_TOLERANCE = 1e-9


def minimum(A: Floats, b: Floats, limits: Floats, most: Floats) -> Floats | None:
    """Return x ≥ 0 of least sum with A x = b and limits x ≤ most, or None if there is none.

    Two phases on a tableau (Dantzig); of several columns or rows that may be exchanged the first is taken, so that no
    basis comes twice (Bland).
    """
    slack, unit = np.eye(len(most)), np.maximum(most, 1.0)
    rows = np.block([[A, np.zeros((len(A), len(most)))], [limits / unit[:, None], slack]])
    right = np.concatenate([b, most / unit])
    sign = np.where(right < 0, -1.0, 1.0)
    rows, right = rows * sign[:, None], right * sign
    count, variables = rows.shape
    tableau = np.hstack([rows, np.eye(count), right[:, None]])
    basis = list(range(variables, variables + count))
    scale = max(1.0, float(np.abs(right).max(initial=0.0)))
    artificial = np.concatenate([np.zeros(variables), np.ones(count)])
    _descend(tableau, basis, artificial, variables + count)
    left = sum(float(tableau[r, -1]) for r, column in enumerate(basis) if column >= variables)
    if left > _TOLERANCE * scale:
        return None
    for r, column in enumerate(basis):  # what is left of the first phase stands at zero: exchange it where possible
        if column >= variables and (free := np.flatnonzero(np.abs(tableau[r, :variables]) > _TOLERANCE)).size:
            _exchange(tableau, basis, r, int(free[0]))
    cost = np.concatenate([np.ones(A.shape[1]), np.zeros(len(most) + count)])
    _descend(tableau, basis, cost, variables)
    return _refined(rows, right, basis, variables)[: A.shape[1]]


def _descend(tableau: Floats, basis: list[int], cost: Floats, allowed: int) -> None:
    """Exchange columns until no exchange among the allowed ones lowers the cost."""
    while True:
        reduced = cost[:allowed] - cost[basis] @ tableau[:, :allowed]
        entering = np.flatnonzero(reduced < -_TOLERANCE)
        if not entering.size:
            return
        column = int(entering[0])
        ratios = [
            (tableau[r, -1] / tableau[r, column], basis[r], r)
            for r in range(len(basis))
            if tableau[r, column] > _TOLERANCE
        ]
        if not ratios:
            return  # cannot be: all sums are limited
        _exchange(tableau, basis, min(ratios)[2], column)


def _exchange(tableau: Floats, basis: list[int], row: int, column: int) -> None:
    tableau[row] /= tableau[row, column]
    for r in range(len(tableau)):
        if r != row:
            tableau[r] -= tableau[r, column] * tableau[row]
    basis[row] = column


def _refined(rows: Floats, right: Floats, basis: list[int], variables: int) -> Floats:
    """Return the solution that belongs to a basis, computed afresh from the given numbers."""
    chosen = [column for column in basis if column < variables]
    x = np.zeros(variables)
    x[chosen] = np.linalg.lstsq(rows[:, chosen], right, rcond=None)[0]
    solution: Floats = np.where(x > 1e-12 * max(1.0, float(np.abs(x).max(initial=0.0))), x, 0.0)
    return solution
