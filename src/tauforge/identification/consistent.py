"""Physically consistent parameters: of all possible robots that fit the measurements, the one closest to the prior.

The torques determine the base parameters only, and these with errors. So they belong to many robots: some possible,
with a positive pseudo-inertia of every link (Traversaro and others, 2016; Wensing, Kim and Slotine, 2018), most not.
Two convex problems choose one. The first finds how well a possible robot can fit. The second weighs the fit against the
geometric divergence of Lee, Wensing and Park (2020) from the prior, with a weight that follows from the result and that
must not make the fit worse by more than one per cent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import IdentificationError
from ..graph.node import Scalar
from ..parameters.linear import LinearForm
from ..spatial.inertia import NAMES
from .prior import Prior, filled
from .problem import Inequality, Known, Problem, Stuck, whitened
from .pseudo_inertia import COUNT, Floats, pseudo_inertia

HARM = 0.01
"""By how much the prior may increase the residual's length, at most, relative to that of the best possible robot."""
MOST = 1e4
"""Greatest weight of the prior: that of a robot known to one per cent."""
ROUNDS, SETTLED = 12, 0.1
"""Most corrections of the prior's weight, and of its factor where it has none, and the change that ends them."""
RESTARTS = 3
"""How often the solver starts again from where it got stuck."""
LEAST = 1e-9
"""Moments of a link, relative to its prior's, that are too small to start from."""
EXACT = (1e-7, 1e-6, 1e-5)
"""Residuals smaller than this part of the torques count as rounding; the next one if the solver cannot do with less."""
RANK = 1e-10
"""Singular value of columns of unit length, relative to the largest, that counts as zero."""
POSITIVE = ("XX", "YY", "ZZ", "M")
"""Parameters that no body has with a negative value."""
PROFILE = 3.84
"""Increase of the normalised sum of squares at the ends of a 95 % interval of one parameter."""


@dataclass(frozen=True)
class Reduced:
    """Weighted least squares, reduced by orthogonal transformations to a triangle.

    Attributes
    ----------
    names
        Names of the columns.
    R
        The factor, one column per name, and one row per direction that the measurements determine.
    z
        Its right-hand side.
    rest
        Sum of squares of the residual of the unconstrained estimate.
    rows
        Number of equations that were reduced.
    covariance
        Covariance of the unconstrained estimates, if the equations' noise is not independent.
    """

    names: tuple[str, ...]
    R: Floats
    z: Floats
    rest: float
    rows: int
    covariance: Floats | None = None

    @property
    def freedom(self) -> int:
        """Number of equations that are left over."""
        return max(self.rows - len(self.R), 1)

    def noise(self, more: float = 0.0) -> float:
        """Return the standard deviation of independent noise that would give estimates as uncertain as these are, and
        residuals with a larger sum of squares.
        """
        white = (self.rest + more) / self.freedom
        if self.covariance is None or not self.rest:
            return float(np.sqrt(white))
        spread = float(np.sum(self.R @ self.covariance * self.R)) / len(self.R)
        return float(np.sqrt(max(spread, self.rest / self.freedom) * white * self.freedom / self.rest))


def reduced_to_rank(
    names: Sequence[str], R: Floats, z: Floats, rest: float, covariance: Floats, lengths: Floats | None = None
) -> Reduced:
    """Return weighted least squares with rows for the directions that the measurements determine only.

    The triangle of columns that are not independent has rows that say nothing of the unknowns, and yet have a part of
    the residual on their right-hand side. A rotation makes these rows zero; their squares belong to the residual.

    Parameters
    ----------
    rest
        Sum of squares of the residual so far, each divided by the variance of its noise, so that it counts equations.
    lengths
        Lengths of the columns, beside which zero is judged; by default those of the factor.
    """
    lengths = np.linalg.norm(R, axis=0) if lengths is None else lengths
    scale = np.where(lengths > 0.0, lengths, 1.0)
    left, sizes, right = np.linalg.svd(R / scale)
    rank = int(np.sum(sizes > RANK * sizes.max(initial=0.0)))
    rest += float(np.sum((left[:, rank:].T @ z) ** 2))
    if rank < len(R):
        R, z = sizes[:rank, None] * right[:rank] * scale, left[:, :rank].T @ z
    return Reduced(tuple(names), R, z, rest, round(rest) + rank, covariance)


@dataclass(frozen=True)
class Consistent:
    """Standard parameters of a possible robot, and what the measurements say about each.

    Attributes
    ----------
    names
        Names of the standard parameters: ten per link, then rotors, friction and whatever else has a column.
    values
        Their values.
    forms
        The columns of the measurements (base parameters, friction) from the standard parameters.
    reduced
        The measurements.
    problem
        The same with its conditions, as the solver has it.
    prior
        What the links are drawn to.
    unknowns
        The problem's solution.
    best
        Sum of squares that the best possible robot adds to that of the unconstrained estimate.
    noise
        Standard deviation of the weighted residual.
    weight
        Weight of the prior: one over the square of the relative error that it seems to have.
    """

    names: tuple[str, ...]
    values: Floats
    forms: Floats
    reduced: Reduced
    problem: Problem
    prior: Prior
    unknowns: Floats
    best: float
    noise: float
    weight: float

    @property
    def base(self) -> Floats:
        """The base parameters and friction, in the order of the measurements' columns."""
        return np.asarray(self.forms @ self.values)

    @property
    def harm(self) -> float:
        """By how much the residual is longer than that of the unconstrained estimate, as a part of it."""
        return self._longer(self.problem.residual(self.unknowns))

    @property
    def least_harm(self) -> float:
        """By how much it would be longer at least, whatever the possible robot."""
        return self._longer(self.best)

    def _longer(self, more: float) -> float:
        rest = max(self.reduced.rest, (EXACT[0] * float(np.linalg.norm(self.reduced.z))) ** 2)
        return float(np.sqrt(1.0 + more / rest) - 1.0)

    @cached_property
    def errors(self) -> Floats:
        """Standard errors from the measurements alone; infinite for a parameter that they do not determine."""
        noise = self.noise * np.eye(len(self.reduced.z))
        if self.reduced.covariance is not None:
            values, vectors = np.linalg.eigh(self.reduced.covariance)
            noise = self.reduced.R @ (vectors * np.sqrt(np.maximum(values, 0.0)))
        return standard_errors(self.problem.matrix, self.problem.scale, noise)

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Names of the parameters that the measurements alone do not determine."""
        return tuple(name for name, x in zip(self.names, self.errors, strict=True) if np.isinf(x))

    def interval(self, name: str) -> tuple[float, float]:
        """Return the least and the greatest value that a possible robot can have, if it fits the measurements within
        their 95 % confidence and is within the bounds; a parameter that nothing limits has infinite ones.
        """
        if name not in self.names:
            raise IdentificationError(f"no parameter {name!r}; choose among {', '.join(self.names)}")
        direction = self.problem.scale[self.names.index(name)]
        if not np.any(direction):
            return 0.0, 0.0
        radius = float(np.sqrt(self.best + PROFILE * self.noise**2))
        low = self.problem.least(direction, radius, self.unknowns)
        low = max(low, 0.0) if name.rstrip("0123456789") in POSITIVE else low
        high = -self.problem.least(-direction, radius, self.unknowns)
        tiny = 1e-6 * abs(float(self.values[self.names.index(name)]))  # the solver's zero
        return 0.0 if abs(low) < tiny else low, 0.0 if abs(high) < tiny else high

    def pseudo_inertias(self) -> list[Floats]:
        """Return the pseudo-inertia of each link."""
        links = self.values[: len(self.prior.matrices) * COUNT].reshape(-1, COUNT)
        return [pseudo_inertia(x) for x in links]


def consistent(
    reduced: Reduced,
    forms: Mapping[str, Mapping[str, Scalar] | LinearForm],
    prior: Prior,
    *,
    first: int = 1,
    others: Mapping[str, float] | None = None,
    bounds: Sequence[Inequality] = (),
    positive: Sequence[str] = ("IA", "FV", "FS"),
    harm: float = HARM,
) -> Consistent:
    """Return the possible robot closest to the prior among those that fit the measurements.

    Parameters
    ----------
    forms
        Columns as linear forms in the standard parameters; a column that is not there is a parameter itself.
    first
        Number of the first link in names: 0 on a floating base.
    others
        Prior values of rotor inertias.
    positive
        What the names of parameters begin with that must not be negative.
    harm
        By how much the prior may increase the residual's length, relative to that of the best possible robot.
    """
    links = [f"{name}{j}" for j in range(first, first + len(prior.matrices)) for name in NAMES]
    names, K = form_matrix(reduced.names, forms, links)
    scalars = names[len(links) :]
    rows = np.array([[item.row.get(name, 0.0) for name in names] for item in bounds]).reshape(-1, len(names))
    known = Known(
        [(others or {}).get(name, 0.0) for name in scalars],
        [name.startswith(tuple(positive)) for name in scalars],
        rows,
        np.array([item.offset for item in bounds]),
    )
    for exact in EXACT:
        try:
            return _chosen(reduced, names, K, prior, known, exact, harm)
        except Stuck:
            if exact == EXACT[-1]:
                raise
    raise AssertionError


def _chosen(
    reduced: Reduced, names: tuple[str, ...], K: Floats, prior: Prior, known: Known, exact: float, harm: float
) -> Consistent:
    """Return the possible robot; residuals below a part of the torques count as rounding.

    The prior's weight, and its common factor if that is not known, are corrected until they agree with the result.
    """
    matrix, count = reduced.R @ K, max(len(reduced.R), 1)
    rounding = exact * float(np.linalg.norm(reduced.z)) / np.sqrt(count)
    noise = max(reduced.noise(), rounding)
    problem = whitened(matrix, reduced.z, prior, known)
    start = problem.fit(noise * np.sqrt(count))
    best = problem.residual(start)
    noise = max(reduced.noise(best), rounding)
    allowed = best + ((1.0 + harm) ** 2 - 1.0) * max(reduced.rest + best, rounding**2 * reduced.freedom)
    factor = float(np.median(problem.relative_mass(start)))
    prior = prior.times(factor) if prior.scaled else prior
    weight, most, at = 1.0, MOST, prior
    for _ in range(ROUNDS):
        problem, unknowns = _closest(matrix, reduced.z, prior, known, at, weight, noise)
        harmful = problem.residual(unknowns) > allowed
        most = weight / 4.0 if harmful else most
        new = min(_suggested(problem, unknowns, noise, weight), most)
        factor = float(np.mean(problem.relative_mass(unknowns))) if prior.scaled else 1.0
        if not harmful and max(abs(np.log(new / weight)), abs(np.log(factor))) < SETTLED:
            break
        at = _links(problem, prior, unknowns)
        prior, weight = prior.times(factor), new
    return Consistent(names, problem.scale @ unknowns, K, reduced, problem, prior, unknowns, best, noise, weight)


def _closest(
    matrix: Floats, right: Floats, prior: Prior, known: Known, at: Prior, weight: float, noise: float
) -> tuple[Problem, Floats]:
    """Return the solution closest to the prior, and its problem; where the solver gets stuck, it starts from there."""
    for k in range(RESTARTS + 1):
        problem = whitened(matrix, right, prior, known, at)
        try:
            return problem, problem.closest(weight, noise)
        except Stuck as stuck:
            if k == RESTARTS or stuck.at is None or not np.all(np.isfinite(stuck.at)):
                raise
            at = _links(problem, prior, stuck.at)
    raise AssertionError


def _links(problem: Problem, prior: Prior, unknowns: Floats) -> Prior:
    """Return the links of a solution; what is next to impossible of them comes from the prior."""
    values = (problem.scale @ unknowns)[: len(prior.matrices) * COUNT].reshape(-1, COUNT)
    links = zip(values, prior.matrices, strict=True)
    return Prior(tuple(None if P is None else filled(pseudo_inertia(x), P, LEAST) for x, P in links))


def _suggested(problem: Problem, unknowns: Floats, noise: float, weight: float) -> float:
    """Return the weight that the distance from the prior suggests.

    The weight is one over the square of the prior's relative error. MacKay's rule of empirical Bayes estimates it from
    the distance, twice the divergence, and from the number of directions that the data determine. So a good prior gets
    a high weight, and a bad one next to none.
    """
    seen = np.linalg.svd(problem.matrix / noise, compute_uv=False) ** 2
    determined = float(np.sum(seen / (seen + weight)))
    return float(np.clip(determined / (2.0 * max(problem.divergence(unknowns), 1.0 / MOST)), 1.0 / MOST, MOST))


def standard_errors(matrix: Floats, directions: Floats, noise: Floats) -> Floats:
    """Return the standard errors of linear forms in unknowns, for measurements matrix · unknowns with noise (a factor
    of its covariance); infinite for a form that the measurements do not determine.
    """
    left, values, rows = np.linalg.svd(matrix, full_matrices=False)
    kept = values > RANK * values.max(initial=0.0)
    along = directions @ rows[kept].T
    outside = np.linalg.norm(directions - along @ rows[kept], axis=1)
    errors = np.linalg.norm(along / values[kept] @ left[:, kept].T @ noise, axis=1)
    return np.where(outside > 1e-7 * np.linalg.norm(directions, axis=1), np.inf, errors)


def form_matrix(
    columns: Sequence[str], forms: Mapping[str, Mapping[str, Scalar] | LinearForm], links: Sequence[str]
) -> tuple[tuple[str, ...], Floats]:
    """Return the names of the standard parameters, and the columns as forms in these."""
    given = {name: dict(forms.get(name, {name: 1.0})) for name in columns}
    names = tuple(dict.fromkeys([*links, *(part for form in given.values() for part in form)]))
    places = {name: k for k, name in enumerate(names)}
    K = np.zeros((len(columns), len(names)))
    for row, form in zip(K, given.values(), strict=True):
        for name, factor in form.items():
            row[places[name]] = float(factor)
    return names, K
