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


def triangle(rows: Floats) -> Floats:
    """Return the triangular factor of a matrix, with as many rows as columns."""
    count = rows.shape[1]
    if len(rows) < count:
        rows = np.vstack([rows, np.zeros((count - len(rows), count))])
    packed, *_ = lapack.dgeqrf(np.asfortranarray(rows), overwrite_a=1)
    found: Floats = np.triu(packed[:count])
    return found


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
        pairs = (np.column_stack([Y, tau[:, k]]) for k, Y in enumerate(parts))
        if weights is not None:
            pairs = (x * weights[:, k, None] for k, x in enumerate(pairs))
        counts = np.full(len(parts), float(len(tau))) if moving is None else moving.sum(axis=0)
        return cls(tuple(map(triangle, pairs)), counts)

    def __add__(self, other: Factor) -> Factor:
        stacked = (np.vstack(pair) for pair in zip(self.triangles, other.triangles, strict=True))
        return Factor(tuple(map(triangle, stacked)), self.counts + other.counts)

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
