"""Estimates from a triangular factor: weighted and total least squares, and which parameters the data determine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from ..errors import IdentificationError
from .columns import Columns
from .factor import Factor, triangle

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
DEPENDENT = 1e-7
"""What is left of a column of unit length that the data do not tell from others, at most."""
SHARED = 1e-4
"""What a column that is not told from others must be made of another at least, both of unit length."""
ROUNDS = 30
"""Rounds of weighting, at most; five are usual."""
QUIET = 1e-6
"""The least noise that a torque is taken to have, relative to the largest torque, so that one that fits exactly does
not count infinitely.
"""


@dataclass(frozen=True, eq=False)
class Fit:
    """Values of the parameters, and what they follow from.

    Attributes
    ----------
    values
        One per column; zero where the data do not determine it.
    determined
        Whether the data determine each.
    noise
        Standard deviation of each torque's residuals.
    R
        Triangular factor of all columns and, last, the torque, each torque divided by its noise.
    """

    values: Floats
    determined: Flags
    noise: Floats
    R: Floats

    @property
    def information(self) -> Floats:
        """The factor's own columns: RᵀR is the information on the parameters."""
        return self.R[:-1, :-1]

    def covariance(self) -> Floats:
        """Return the covariance of the values if the noise of all samples is independent."""
        inverse = inverse_of(self.information, self.determined)
        return inverse @ inverse.T


def weighted(factor: Factor, columns: Columns, use: Flags | None = None, weigh: bool = True) -> Fit:
    """Return the fit in which each torque counts by the inverse of its noise, which the residuals tell."""
    count = len(columns.names)
    use = np.ones(count, dtype=bool) if use is None else use
    size = np.array([factor.torque(k) for k in range(len(columns.rows))])
    if not size.max() > 0.0:
        raise IdentificationError("no torque counts: all are zero, or all joints are slower than rest=…")
    least = QUIET * float(size.max())
    noise = np.full(len(size), float(size.max()))
    for _ in range(ROUNDS if weigh else 1):
        R = factor.whole(columns.rows, count, 1.0 / noise)
        values, determined = solved(R, use)
        before, noise = noise, np.maximum(residuals(factor, columns.rows, values), least)
        if np.allclose(before, noise, rtol=1e-3):
            break
    if weigh:
        R = factor.whole(columns.rows, count, 1.0 / noise)
        values, determined = solved(R, use)
    else:
        common = float(np.sqrt(np.mean(noise**2)))
        R, noise = factor.whole(columns.rows, count, np.full(len(noise), 1.0 / common)), np.full(len(noise), common)
    return Fit(values, determined, noise, R)


def residuals(factor: Factor, rows: Sequence[Sequence[int]], values: Floats) -> Floats:
    """Return the root mean squares of the torques' residuals."""
    return np.array([factor.residual(k, values[list(own)]) for k, own in enumerate(rows)])


def solved(R: Floats, use: Flags) -> tuple[Floats, Flags]:
    """Return the least-squares values of some columns, and which of them the data determine."""
    determined = independent(R[:, :-1], use)
    places = np.flatnonzero(determined)
    values = np.zeros(R.shape[1] - 1)
    if len(places):
        T = triangle(R[:, [*places, -1]])
        values[places] = solve_triangular(T[: len(places), : len(places)], T[: len(places), -1])
    return values, determined


def independent(R: Floats, use: Flags) -> Flags:
    """Return which columns the data tell from those before them."""
    found = use.copy()
    sizes = np.linalg.norm(R, axis=0)
    found &= sizes > DEPENDENT * max(float(sizes.max(initial=0.0)), 1e-300) * 1e-3
    while True:
        places = np.flatnonzero(found)
        if not len(places):
            return found
        T = triangle(R[:, places] / sizes[places])
        weak = np.flatnonzero(np.abs(np.diag(T)) < DEPENDENT)
        if not len(weak):
            return found
        found[places[weak[0]]] = False


def sums(R: Floats, determined: Flags) -> dict[int, dict[int, float]]:
    """Return for each determined column whose value is that of a sum the others in it, with their factors.

    A column that the data do not tell from some before it adds to the values of these.
    """
    sizes = np.linalg.norm(R, axis=0)
    kept, lost = np.flatnonzero(determined), np.flatnonzero(~determined & (sizes > 0.0))
    if not len(kept) or not len(lost):
        return {}
    T = triangle(np.column_stack([R[:, kept] / sizes[kept], R[:, lost] / sizes[lost]]))[: len(kept)]
    parts = solve_triangular(T[:, : len(kept)], T[:, len(kept) :])
    found: dict[int, dict[int, float]] = {}
    for a, b in np.argwhere(np.abs(parts) > SHARED):
        found.setdefault(int(kept[a]), {})[int(lost[b])] = float(parts[a, b] * sizes[lost[b]] / sizes[kept[a]])
    return found


def total(R: Floats, use: Flags) -> tuple[Floats, Flags]:
    """Return the total least-squares values: columns and torque are taken to be noisy alike, relative to their size."""
    determined = independent(R[:, :-1], use)
    places = [*np.flatnonzero(determined), R.shape[1] - 1]
    T = triangle(R[:, places])
    sizes = np.linalg.norm(T, axis=0)
    *_, V = np.linalg.svd(T / sizes)
    last = V[-1] / sizes
    values = np.zeros(R.shape[1] - 1)
    values[places[:-1]] = -last[:-1] / last[-1]
    return values, determined


def inverse_of(R: Floats, determined: Flags) -> Floats:
    """Return the inverse of a triangular factor's determined columns, with infinity for the others' own entries."""
    places = np.flatnonzero(determined)
    T = triangle(R[:, places])[: len(places)]
    whole = np.zeros((len(determined), len(places)))
    whole[places] = solve_triangular(T, np.eye(len(places)))
    return whole
