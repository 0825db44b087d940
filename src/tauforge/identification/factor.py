"""Triangular factors of a regressor that is too long to keep: one per torque, from blocks in any order.

The factor R of [Y τ] has all that least squares needs: RᵀR = [Y τ]ᵀ[Y τ]. Each torque has its own, so that torques can
be weighted later without another pass over the samples. Factors of blocks are stacked and reduced again, on as many
threads or machines as there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

Floats = NDArray[np.float64]
SOUND = 1e-4
"""What is left of a column of unit length beside the others, from which sums of products are exact enough."""
TOGETHER = 16
"""Factors that are reduced to one at a time."""
NOTHING = 1e-140
"""Length of a column that counts as zero: its square is too small for a number."""


def triangle(rows: Floats) -> Floats:
    """Return the triangular factor of a matrix, with as many rows as columns."""
    count = rows.shape[1]
    if len(rows) < count:
        rows = np.vstack([rows, np.zeros((count - len(rows), count))])
    packed, *_ = lapack.dgeqrf(np.asfortranarray(rows), overwrite_a=1)
    found: Floats = np.triu(packed[:count])
    return found


def tall_triangle(Y: Floats, tau: Floats) -> Floats:
    """Return the triangular factor of many rows of [Y τ], from sums of products where these are exact enough.

    Products of columns of unit length have errors of 1e-16, and so have the squares of what is left of each column
    beside the others. If nothing left is smaller than ``SOUND``, the factor has relative errors of 1e-8 at most, in
    the direction that the rows tell least: far less than a standard error. Otherwise the rows themselves are reduced.
    """
    count = Y.shape[1] + 1
    if len(Y) > count:
        products = np.empty((count, count))
        products[:-1, :-1], products[-1, -1] = Y.T @ Y, tau @ tau
        products[:-1, -1] = products[-1, :-1] = Y.T @ tau
        sizes = np.sqrt(np.diag(products))
        used = np.flatnonzero(sizes > NOTHING)
        place, own = np.ix_(used, used), sizes[used]
        found, wrong = lapack.dpotrf(products[place] / own / own[:, None], clean=1)
        if not wrong and np.diag(found).min(initial=1.0) > SOUND:
            whole = np.zeros_like(products)
            whole[place] = found * own
            return whole
    return triangle(np.column_stack([Y, tau]))


@dataclass(frozen=True, eq=False)
class Factor:
    """What least squares needs of all samples of each torque.

    Attributes
    ----------
    triangles
        For each torque, the factor of its columns and, last, of the measured torque.
    counts
        How many samples of each torque went in.
    """

    triangles: tuple[Floats, ...]
    counts: Floats

    @classmethod
    def of(
        cls, parts: Sequence[Floats], tau: Floats, moving: Floats | None = None, weights: Floats | None = None
    ) -> Factor:
        """Return the factor of a block: for each torque an array (samples, own columns), and the torques.

        ``moving`` is 1 for each torque and sample that counts, and 0 for others, whose rows are zero.
        """
        if weights is not None:
            parts, tau = [Y * weights[:, k, None] for k, Y in enumerate(parts)], tau * weights
        counts = np.full(len(parts), float(len(tau))) if moving is None else moving.sum(axis=0)
        columns = np.ascontiguousarray(tau.T)
        return cls(tuple(tall_triangle(Y, own) for Y, own in zip(parts, columns, strict=True)), counts)

    @classmethod
    def sum(cls, factors: Iterable[Factor]) -> Factor:
        """Return the factor of all samples that went into some factors."""
        kept: list[Factor] = []
        for factor in factors:
            kept.append(factor)
            if len(kept) == TOGETHER:
                kept = [cls._stacked(kept)]
        return kept[0] if len(kept) == 1 else cls._stacked(kept)

    def times(self, weights: Floats) -> Factor:
        """Return the factor of the same samples, those of each channel times its weight."""
        return Factor(tuple(T * x for T, x in zip(self.triangles, weights, strict=True)), self.counts)

    @classmethod
    def _stacked(cls, factors: Sequence[Factor]) -> Factor:
        stacked = (np.vstack(own) for own in zip(*(factor.triangles for factor in factors), strict=True))
        return cls(tuple(map(triangle, stacked)), np.sum([factor.counts for factor in factors], axis=0))

    def whole(self, rows: Sequence[Sequence[int]], columns: int, weights: Iterable[float]) -> Floats:
        """Return one triangular factor of all columns and the torque, each torque's samples times its weight."""
        stacked = []
        for R, own, weight in zip(self.triangles, rows, weights, strict=True):
            wide = np.zeros((len(R), columns + 1))
            wide[:, [*own, columns]] = R * weight
            stacked.append(wide)
        return triangle(np.vstack(stacked))

    def residual(self, k: int, values: Floats) -> float:
        """Return the root mean square of a torque's residuals, for values of its own columns."""
        R = self.triangles[k]
        return float(np.sqrt(np.sum((R[:, -1] - R[:, :-1] @ values) ** 2) / max(self.counts[k], 1.0)))

    def torque(self, k: int) -> float:
        """Return the root mean square of a measured torque."""
        return float(np.sqrt(np.sum(self.triangles[k][:, -1] ** 2) / max(self.counts[k], 1.0)))
