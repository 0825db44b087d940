"""Pseudo-inertia matrices: the ten inertial parameters of a body as a 4x4 matrix that is positive for every real body.

The matrix holds the second moments of the body's mass, ∫ [p; 1] [p; 1]ᵀ dm for the points p of its frame. A body made
of positive masses has a positive semidefinite one, and every such matrix belongs to a body: positive mass, positive
inertia about every axis, and the triangle inequality, in one condition (Wensing, Kim and Slotine, 2018).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..spatial.inertia import NAMES

Floats = NDArray[np.float64]
SIZE, COUNT = 4, len(NAMES)
TRIANGLE = tuple((i, j) for j in range(SIZE) for i in range(j + 1))
"""Rows and columns of the upper triangle, column by column."""


def pseudo_inertia(parameters: Sequence[float] | Floats) -> Floats:
    """Return the matrix of a body's ten parameters, in the order ``XX XY XZ YY YZ ZZ MX MY MZ M``."""
    XX, XY, XZ, YY, YZ, ZZ, MX, MY, MZ, M = parameters
    half = (XX + YY + ZZ) / 2.0  # ∫ |p|² dm
    return np.array(
        [
            [half - XX, -XY, -XZ, MX],
            [-XY, half - YY, -YZ, MY],
            [-XZ, -YZ, half - ZZ, MZ],
            [MX, MY, MZ, M],
        ]
    )


def parameters_of(P: Floats) -> Floats:
    """Return the ten parameters of a pseudo-inertia matrix."""
    whole = P[0, 0] + P[1, 1] + P[2, 2]
    inertia = (whole - P[0, 0], -P[0, 1], -P[0, 2], whole - P[1, 1], -P[1, 2], whole - P[2, 2])
    return np.array([*inertia, P[0, 3], P[1, 3], P[2, 3], P[3, 3]])


def body(mass: float, centre: Floats, spread: Floats) -> Floats:
    """Return the pseudo-inertia of a body from its mass, its centre and the covariance of its mass about the centre."""
    p = np.append(centre, 1.0)
    P = mass * np.outer(p, p)
    P[:3, :3] += mass * spread
    return P


def packed(S: Floats) -> Floats:
    """Return the upper triangle of a symmetric matrix, entries off the diagonal times √2, which keeps its length."""
    return np.array([S[i, j] if i == j else S[i, j] * np.sqrt(2.0) for i, j in TRIANGLE])


def unpacked(entries: Floats) -> Floats:
    """Return the symmetric matrix of a packed one."""
    S = np.zeros((SIZE, SIZE))
    for value, (i, j) in zip(entries, TRIANGLE, strict=True):
        S[i, j] = S[j, i] = value if i == j else value / np.sqrt(2.0)
    return S


def whitening(L: Floats) -> Floats:
    """Return the matrix W for which W s are the parameters of L S Lᵀ, where s is S, packed.

    In these coordinates L Lᵀ is the unit matrix, so that a step of length one means the same for a heavy link and
    a light one: they are the natural ones of the affine-invariant metric there.
    """
    return np.array([parameters_of(L @ unpacked(unit) @ L.T) for unit in np.eye(COUNT)]).T


def divergence(P: Floats, prior: Floats) -> float:
    """Return how far a pseudo-inertia is from another one: tr(P₀⁻¹P) - log det(P₀⁻¹P) - 4.

    It is the Bregman divergence of -log det: zero for equal bodies, infinite for impossible ones, and the same in
    every frame and in every unit. Near P₀ it is half the square of the distance of the affine-invariant metric.
    """
    inverse = np.linalg.inv(np.linalg.cholesky(prior))
    ratios = np.linalg.eigvalsh(inverse @ P @ inverse.T)
    return float(np.sum(ratios - np.log(ratios) - 1.0)) if ratios[0] > 0.0 else np.inf
