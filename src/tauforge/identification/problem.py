"""The least squares of an identification over all possible robots, as a convex problem.

The unknowns are every link's pseudo-inertia, whitened, and the other parameters (rotors, friction) in units in which
they matter as much. The measurements are the triangular factor of the weighted least squares, so the problem has the
same size for a second of motion and for a day of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse

from ..errors import IdentificationError
from .cones import INFEASIBLE, Cones, Solution
from .prior import Prior
from .pseudo_inertia import COUNT, SIZE, Floats, packed, unpacked, whitening

SMALL = 1e-4
"""Residuals are divided by this part of the torques at least, which the solver's tolerances suit."""
LARGEST = 4e3
"""Trace of a link's pseudo-inertia relative to its prior, four for the prior itself, that counts as unlimited."""


class Stuck(IdentificationError):
    """The solver ended without a solution; the unknowns where it stopped are ``at``."""

    at: Floats | None = None


@dataclass(frozen=True)
class Inequality:
    """Row · standard parameters + offset must not be negative."""

    row: Mapping[str, float]
    offset: float = 0.0


@dataclass(frozen=True)
class Known:
    """What is known besides the measurements and the links' priors.

    Attributes
    ----------
    others
        Prior values of the parameters that follow the links'; zero where there is none.
    positive
        Which of these must not be negative.
    rows
        Inequalities in standard parameters: rows times parameters plus offset must not be negative.
    offset
        Their offset.
    """

    others: Sequence[float]
    positive: Sequence[bool]
    rows: Floats
    offset: Floats


@dataclass(frozen=True)
class Problem:
    """What the data, the prior and the bounds say about the unknowns.

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
    cost
        The unknowns relative to their priors, added up: the trace of P₀⁻¹P of each link.
    positive
        Unknowns that must not be negative.
    priors
        Unknowns other than links that have a prior.
    constant
        What the divergence from the prior needs besides the unknowns.
    rows
        Further inequalities: rows times unknowns plus offset must not be negative.
    offset
        Their offset.
    """

    matrix: Floats
    right: Floats
    scale: Floats
    links: tuple[int, ...]
    cost: Floats
    positive: tuple[int, ...]
    priors: tuple[int, ...]
    constant: float
    rows: Floats
    offset: Floats

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return len(self.cost)

    def residual(self, unknowns: Floats) -> float:
        """Return the sum of squares that the unknowns add to that of the unconstrained estimate."""
        return float(np.sum((self.matrix @ unknowns - self.right) ** 2))

    def divergence(self, unknowns: Floats) -> float:
        """Return how far the unknowns are from their priors."""
        links = sum(np.linalg.slogdet(unpacked(unknowns[start : start + COUNT]))[1] for start in self.links)
        others = np.sum(np.log(unknowns[list(self.priors)]))
        return float(self.cost @ unknowns - links - others + self.constant)

    def relative_mass(self, unknowns: Floats) -> Floats:
        """Return how heavy each link is relative to its prior: a quarter of the trace of P₀⁻¹P."""
        size = len(self.links) * COUNT
        return np.asarray((self.cost * unknowns)[:size].reshape(-1, COUNT).sum(axis=1) / SIZE)

    def fit(self, residual: float) -> Floats:
        """Return the unknowns of a possible robot with the least residual; ``residual`` is about how long that is."""
        size = float(np.linalg.norm(self.right))
        for scale in (max(residual, SMALL * size), 1e-2 * size, size):
            cones = self._possible()
            squares = self._residuals(cones, scale)
            for start in self.links:
                cones.semidefinite(start)
            found = cones.minimise(np.zeros(cones.count), squares)
            if found.solved:
                break
        if found.status in INFEASIBLE and len(self.offset):
            raise Stuck(
                "no possible robot is within the bounds; loosen those of masses, centres of mass or the total mass"
            )
        return self._checked(found)

    def closest(self, weight: float, noise: float) -> Floats:
        """Return the unknowns with the least ½ residual² / noise² + weight times their divergence from the prior."""
        cones = self._possible()
        squares = self._residuals(cones, noise)
        logarithms = [place for start in self.links for place in cones.log_determinant(start)]
        for argument in self.priors:
            logarithms.append(cones.more(1))
            cones.logarithm(argument, logarithms[-1])
        linear = np.zeros(cones.count)
        linear[: self.size] = weight * self.cost
        linear[logarithms] = -weight
        return self._checked(cones.minimise(linear, squares))

    def least(self, direction: Floats, radius: float, near: Floats) -> float:
        """Return the least value of direction · unknowns where the residual is at most the square of a radius.

        It is minus infinity where it would take a link many times as heavy or as large as its prior: some ends are only
        reached at infinity, so that links must be limited, and the limits must not matter. ``near`` is a solution.
        """
        cones = Cones(self.size)
        sizes = np.zeros((len(self.links), self.size))
        for size, start in zip(sizes, self.links, strict=True):
            size[start : start + COUNT] = self.cost[start : start + COUNT]
        cones.positive(-sizes, np.full(len(sizes), LARGEST))
        self._possible(cones)
        cones.ball(self.matrix / radius, -self.right / radius)
        for start in self.links:
            cones.semidefinite(start)
        length = float(np.linalg.norm(direction))
        found = cones.minimise(direction / length)
        value = float(direction @ self._checked(found))
        due_to_limits = float(np.sum(found.prices[: len(sizes)])) * LARGEST * length
        change = abs(value - float(direction @ near))
        return -np.inf if due_to_limits > max(0.1 * change, 1e-3 * length) else value

    def _possible(self, cones: Cones | None = None) -> Cones:
        """Return the conditions on all but the links, after those that are there."""
        cones = cones or Cones(self.size)
        if self.positive:
            cones.positive(sparse.eye_array(self.size, format="csr")[list(self.positive)], np.zeros(len(self.positive)))
        if len(self.offset):
            cones.positive(self.rows, self.offset)
        return cones

    def _residuals(self, cones: Cones, scale: float) -> Floats:
        """Add the residuals as unknowns, and return the unknowns' factors in a sum of squares."""
        rows = len(self.right)
        first = cones.more(rows)
        known = sparse.hstack([sparse.csr_array(self.matrix / scale), -sparse.eye_array(rows)])
        cones.equal(known, -self.right / scale)
        return np.repeat([0.0, 1.0], [first, rows])

    def _checked(self, found: Solution) -> Floats:
        if not found.solved:
            stuck = Stuck(
                f"Clarabel found no consistent parameters ({found.status}); the motion may determine too little: "
                "look at the errors of the unconstrained estimate"
            )
            stuck.at = found.x[: self.size]
            raise stuck
        unknowns = found.x[: self.size].copy()
        own = list(self.positive)
        unknowns[own] = np.maximum(unknowns[own], 0.0)  # the solver keeps this within its tolerance only
        return unknowns


def whitened(matrix: Floats, right: Floats, prior: Prior, known: Known, at: Prior | None = None) -> Problem:
    """Return the problem from a matrix in standard parameters: ten per link, then the others.

    Parameters
    ----------
    at
        The links that are to be unit matrices, if not the prior's own: those near a solution make it easier to find.
    """
    links, heavy = len(prior.matrices), len(prior.heavy) * COUNT
    scale = np.zeros((matrix.shape[1], heavy + len(known.others)))
    cost = np.zeros(scale.shape[1])
    constant = -float(len(prior.heavy) * SIZE + sum(value > 0.0 for value in known.others))
    for place, k in enumerate(prior.heavy):
        own = slice(place * COUNT, (place + 1) * COUNT)
        P, P0 = (at or prior).link(k), prior.link(k)
        L = np.asarray(np.linalg.cholesky(P), dtype=float)
        scale[k * COUNT : (k + 1) * COUNT, own] = whitening(L)
        cost[own] = packed(L.T @ np.linalg.solve(P0, L))
        constant += float(np.linalg.slogdet(P0)[1] - np.linalg.slogdet(P)[1])
    size = float(np.linalg.norm(right)) or 1.0  # a unit of any other parameter explains as much as was measured
    for k, value in enumerate(known.others):
        length = float(np.linalg.norm(matrix[:, links * COUNT + k]))
        scale[links * COUNT + k, heavy + k] = value if value > 0.0 else size / length if length else 1.0
        cost[heavy + k] = float(value > 0.0)
    rows = known.rows @ scale
    lengths = np.linalg.norm(rows, axis=1)
    lengths[lengths == 0.0] = 1.0  # of a link without mass
    return Problem(
        matrix @ scale,
        right,
        scale,
        tuple(range(0, heavy, COUNT)),
        cost,
        tuple(heavy + k for k, sign in enumerate(known.positive) if sign),
        tuple(heavy + k for k, value in enumerate(known.others) if value > 0.0),
        constant,
        rows / lengths[:, None],
        known.offset / lengths,
    )
