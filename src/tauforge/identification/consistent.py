"""Physically consistent parameters: of all possible robots that fit the measurements, the one closest to the prior.

The torques determine the base parameters only, and these with errors. So they belong to many robots: some possible,
with a positive pseudo-inertia of every link (Traversaro and others, 2016; Wensing, Kim and Slotine, 2018), most not.
Two convex problems choose one. The first finds how well a possible robot can fit. The second finds the possible robot
closest to the prior, in the geometric divergence of Lee, Wensing and Park (2020), among those that fit as well, up to
what the measurements can tell: its multiplier is the weight that a regularisation would need.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import TauforgeError
from ..graph.node import Scalar
from ..parameters.linear import LinearForm
from ..spatial.inertia import NAMES
from .prior import Prior
from .problem import EXACT, Inequality, Problem, whitened
from .pseudo_inertia import COUNT, SIZE, Floats, pseudo_inertia

HARM = 0.01
"""By how much the prior may increase the residual's length, at most, relative to that of the best possible robot."""
SETTLED = 0.05
"""A change of the prior's common factor that ends the search for it."""
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
        The factor, one column per name.
    z
        Its right-hand side.
    rest
        Sum of squares of the residual of the unconstrained estimate.
    rows
        Number of equations that were reduced.
    """

    names: tuple[str, ...]
    R: Floats
    z: Floats
    rest: float
    rows: int

    @property
    def freedom(self) -> int:
        """Number of equations that are left over."""
        return max(self.rows - len(self.names), 1)


@dataclass(frozen=True)
class Consistent:
    """Standard parameters of a possible robot, and what the measurements say about each.

    Attributes
    ----------
    names
        Names of the standard parameters: ten per link, then rotors, friction and whatever else has a column.
    values
        Their values.
    columns
        Names of the parameters that the measurements determine: base parameters, friction.
    noise
        Standard deviation of the weighted residual.
    """

    names: tuple[str, ...]
    values: Floats
    columns: tuple[str, ...]
    forms: Floats
    reduced: Reduced
    problem: Problem
    prior: Prior
    unknowns: Floats
    best: float
    noise: float

    @property
    def base(self) -> Floats:
        """The base parameters and friction, in the order of ``columns``."""
        return np.asarray(self.forms @ self.values)

    @property
    def harm(self) -> float:
        """By how much the residual is longer than that of the unconstrained estimate, as a part of it."""
        return _longer(self.reduced.rest, self.problem.residual(self.unknowns))

    @property
    def least_harm(self) -> float:
        """By how much it would be longer at least, whatever the possible robot."""
        return _longer(self.reduced.rest, self.best)

    @cached_property
    def errors(self) -> Floats:
        """Standard errors from the measurements alone; infinite for a parameter that they do not determine."""
        return standard_errors(self.problem.matrix, self.problem.scale) * self.noise

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Names of the parameters that the measurements alone do not determine."""
        return tuple(name for name, x in zip(self.names, self.errors, strict=True) if np.isinf(x))

    def interval(self, name: str) -> tuple[float, float]:
        """Return the least and the greatest value that a possible robot can have, if it fits the measurements within
        their 95 % confidence and is within the bounds; a parameter that nothing limits has infinite ones.
        """
        if name not in self.names:
            raise TauforgeError(f"no parameter {name!r}; choose among {', '.join(self.names)}")
        direction = self.problem.scale[self.names.index(name)]
        if not np.any(direction):
            return 0.0, 0.0
        radius = float(np.sqrt(self.best + PROFILE * self.noise**2))
        low, high = self.problem.least(direction, radius), -self.problem.least(-direction, radius)
        return low, high

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
    """
    links = [f"{name}{j}" for j in range(first, first + len(prior.matrices)) for name in NAMES]
    names, K = _matrix(reduced.names, forms, links)
    scalars = names[len(links) :]
    known = [(others or {}).get(name, 0.0) for name in scalars]
    signs = [name.startswith(tuple(positive)) for name in scalars]
    rows = np.array([[item.row.get(name, 0.0) for name in names] for item in bounds]).reshape(-1, len(names))
    limits = rows, np.array([item.offset for item in bounds])
    reach = EXACT * float(np.linalg.norm(reduced.z)) / np.sqrt(len(reduced.names))
    noise = max(float(np.sqrt(reduced.rest / reduced.freedom)), reach)
    problem = whitened(reduced.R @ K, reduced.z, prior, known, signs, limits)
    best = problem.residual(problem.fit(noise))
    noise = max(float(np.sqrt((reduced.rest + best) / reduced.freedom)), reach)
    slack = noise**2 * min(len(reduced.names), ((1.0 + HARM) ** 2 - 1.0) * reduced.freedom)
    radius = float(np.sqrt(best + slack))
    unknowns = problem.closest(radius)
    while prior.scaled:
        factor = float(np.mean([unknowns[start + k] for start in problem.links for k in (0, 2, 5, 9)]))
        if abs(factor - 1.0) < SETTLED:
            break
        prior = prior.times(factor)
        problem = whitened(reduced.R @ K, reduced.z, prior, known, signs, limits)
        unknowns = problem.closest(radius)
    values = problem.scale @ unknowns
    return Consistent(names, values, reduced.names, K, reduced, problem, prior, unknowns, best, noise)


def standard_errors(matrix: Floats, directions: Floats) -> Floats:
    """Return the standard errors of linear forms in unknowns, for measurements matrix · unknowns with unit noise;
    infinite for a form that the measurements do not determine.
    """
    _, values, rows = np.linalg.svd(matrix, full_matrices=False)
    kept = values > values[0] * 1e-10 if len(values) else values > 0.0
    along = directions @ rows[kept].T
    outside = np.linalg.norm(directions - along @ rows[kept], axis=1)
    errors = np.linalg.norm(along / values[kept], axis=1)
    return np.where(outside > 1e-7 * np.linalg.norm(directions, axis=1), np.inf, errors)


def _matrix(
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


def _longer(rest: float, more: float) -> float:
    return float(np.sqrt(1.0 + more / rest) - 1.0) if rest else 0.0
