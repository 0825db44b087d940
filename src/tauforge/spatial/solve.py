"""Linear equations with a symmetric matrix that has zeros, by M = Lᵀ D L (Featherstone 2005).

The factorisation starts at the last row, at the tips of a tree, so the zeros of an inertia matrix, which are between
different branches, are zeros of L too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..graph.node import Scalar, is_zero

Check = Callable[[int, Scalar], None]
"""Takes a row's number and its divisor; raises an error if that is zero."""


def solve(M: Sequence[Sequence[Scalar]], b: Sequence[Scalar], check: Check) -> list[Scalar]:
    """Return x in M x = b; only the lower triangle of the symmetric M is read."""
    count = len(b)
    L = [list(row) for row in M]
    inverse: list[Scalar] = [0.0] * count
    before: list[list[int]] = [[]] * count  # for each row of L: where it is not zero, left of the diagonal
    for k in reversed(range(count)):
        check(k, L[k][k])
        inverse[k] = 1.0 / L[k][k]
        before[k] = [i for i, x in enumerate(L[k][:k]) if not is_zero(x)]
        row = {i: L[k][i] * inverse[k] for i in before[k]}
        for i in before[k]:
            for j in before[k]:
                if j <= i:
                    L[i][j] = L[i][j] - row[i] * L[k][j]
        for i in before[k]:
            L[k][i] = row[i]
    x = list(b)
    for k in reversed(range(count)):  # Lᵀ
        for i in before[k]:
            x[i] = x[i] - L[k][i] * x[k]
    x = [a * d for a, d in zip(x, inverse, strict=True)]
    for k in range(count):  # L
        for i in before[k]:
            x[k] = x[k] - L[k][i] * x[i]
    return x
