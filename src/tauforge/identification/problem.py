"""The least squares of an identification over all possible robots, as a convex problem.

The unknowns are every link's pseudo-inertia, whitened by its prior, and the other parameters (rotors, friction) in
units in which they matter as much. The measurements are the triangular factor of the weighted least squares, so the
problem has the same size for a second of motion and for a day of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sparse

from ..errors import TauforgeError
from .cones import INFEASIBLE, UNBOUNDED, Cones, Solution
from .prior import Prior
from .pseudo_inertia import COUNT, SIZE, TRIANGLE, Floats, whitening

EXACT = 1e-7
"""Residuals smaller than this part of the torques cannot be told from rounding."""
DIAGONAL = tuple(k for k, (i, j) in enumerate(TRIANGLE) if i == j)


@dataclass(frozen=True)
class Inequality:
    """Row · standard parameters + offset must not be negative."""

    row: Mapping[str, float]
    offset: float = 0.0


@dataclass(frozen=True)
class Problem:
    """What the data and the bounds say about the whitened unknowns.

    Attributes
    ----------
    matrix
        The weighted torques, reduced to a triangle, from the unknowns.
    right
        What is measured of them.
    scale
        The standard parameters from the unknowns.
    links
        Index of the first unknown of each link that has mass.
    positive
        Unknowns that must not be negative.
    priors
        Unknowns other than links with a prior value, which is then 1.
    bounds
        Rows, offset: further inequalities.
    """

    matrix: Floats
    right: Floats
    scale: Floats
    links: tuple[int, ...]
    positive: tuple[int, ...]
    priors: tuple[int, ...]
    bounds: tuple[Floats, Floats]
    size: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", self.matrix.shape[1])

    def residual(self, unknowns: Floats) -> float:
        """Return the sum of squares that the unknowns add to that of the unconstrained estimate."""
        return float(np.sum((self.matrix @ unknowns - self.right) ** 2))

    def fit(self, noise: float) -> Floats:
        """Return the unknowns of a possible robot with the least residual."""
        rows = len(self.right)
        scale = max(noise * np.sqrt(rows), EXACT * float(np.linalg.norm(self.right)))
        cones = self._possible()
        first = cones.more(rows)
        known = sparse.hstack([sparse.csr_array(self.matrix / scale), -sparse.eye_array(rows)])
        cones.equal(known, -self.right / scale)
        for start in self.links:
            cones.semidefinite(start)
        found = cones.minimise(np.zeros(cones.count), np.repeat([0.0, 1.0], [first, rows]))
        return self._checked(found)

    def closest(self, radius: float) -> Floats:
        """Return the unknowns closest to the prior whose residual is at most the square of a radius."""
        cones = self._possible()
        self._near(cones, radius)
        cost = np.zeros(self.size)
        logarithms: list[int] = []
        for start in self.links:
            logarithms += cones.log_determinant(start)
            cost[[start + k for k in DIAGONAL]] = 1.0
        for place in self.priors:
            logarithms.append(cones.more(1))
            cones.logarithm(place, logarithms[-1])
            cost[place] = 1.0
        linear = np.zeros(cones.count)
        linear[: self.size] = cost
        linear[logarithms] = -1.0
        return self._checked(cones.minimise(linear))

    def least(self, direction: Floats, radius: float) -> float:
        """Return the least value of direction · unknowns where the residual is at most the square of a radius."""
        cones = self._possible()
        self._near(cones, radius)
        for start in self.links:
            cones.semidefinite(start)
        length = float(np.linalg.norm(direction))
        found = cones.minimise(direction / length)
        if found.status in UNBOUNDED:
            return -np.inf
        return float(direction @ self._checked(found))

    def _possible(self) -> Cones:
        """Return the conditions on all but the links."""
        cones = Cones(self.size)
        if self.positive:
            cones.positive(sparse.eye_array(self.size, format="csr")[list(self.positive)], np.zeros(len(self.positive)))
        rows, offset = self.bounds
        if len(offset):
            cones.positive(rows, offset)
        return cones

    def _near(self, cones: Cones, radius: float) -> None:
        cones.ball(sparse.csr_array(self.matrix / radius), -self.right / radius)

    def _checked(self, found: Solution) -> Floats:
        if found.status in INFEASIBLE:
            raise TauforgeError("no possible robot is within the bounds: loosen those of masses and centres of mass")
        if not found.solved:
            raise TauforgeError(
                f"Clarabel found no consistent parameters ({found.status}); the motion may determine too little: "
                "look at the errors of the unconstrained estimate"
            )
        return found.x[: self.size]


def whitened(
    matrix: Floats,
    right: Floats,
    prior: Prior,
    others: Sequence[float],
    positive: Sequence[bool],
    bounds: tuple[Floats, Floats],
) -> Problem:
    """Return the problem from a matrix and inequalities in standard parameters: ten per link, then the others.

    Parameters
    ----------
    others
        Prior values of the parameters that follow the links'; zero where there is none.
    positive
        Which of these must not be negative.
    """
    links = len(prior.matrices)
    heavy = len(prior.heavy) * COUNT
    scale = np.zeros((matrix.shape[1], heavy + len(others)))
    for place, k in enumerate(prior.heavy):
        P = prior.matrices[k]
        assert P is not None
        scale[k * COUNT : (k + 1) * COUNT, place * COUNT : (place + 1) * COUNT] = whitening(P)
    lengths = np.linalg.norm(matrix @ scale[:, :heavy], axis=0)
    typical = float(np.median(lengths[lengths > 0.0])) if np.any(lengths > 0.0) else 1.0
    for k, value in enumerate(others):
        length = float(np.linalg.norm(matrix[:, links * COUNT + k]))
        scale[links * COUNT + k, heavy + k] = value if value > 0.0 else typical / length if length else 1.0
    rows, offset = bounds
    rows = rows @ scale
    lengths = np.linalg.norm(rows, axis=1)
    return Problem(
        matrix @ scale,
        right,
        scale,
        tuple(range(0, heavy, COUNT)),
        tuple(heavy + k for k, sign in enumerate(positive) if sign),
        tuple(heavy + k for k, value in enumerate(others) if value > 0.0),
        (rows / lengths[:, None], offset / lengths),
    )


def total_divergence(problem: Problem, unknowns: Floats) -> float:
    """Return how far the links are from their priors, all together."""
    from .pseudo_inertia import unpacked

    matrices = [unpacked(unknowns[start : start + COUNT]) for start in problem.links]
    return float(sum(np.trace(S) - np.linalg.slogdet(S)[1] - SIZE for S in matrices))
