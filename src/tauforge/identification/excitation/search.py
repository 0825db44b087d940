"""The search from one start: an augmented Lagrangian, whose steps L-BFGS takes with exact gradients.

Limits that a step exceeds get a price for each sample, raised from round to round until they are kept. The smooth
measure of the condition number gets sharper from stage to stage, and at the end the motion shrinks into its limits
where it still exceeds them, also between the samples.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from .information import Measure, by_condition, by_determinant
from .limits import MotionLimits
from .problem import Grid, Problem
from .series import Series

Floats = NDArray[np.float64]
SHARPNESS = ((1.0, 0.1), (4.0, 0.03), (16.0, 0.01), (64.0, 0.003))
"""Of the measures of the condition number, one after another, with the share of the determinant in each."""
STAGES: dict[str, tuple[Measure, ...]] = {
    "determinant": (by_determinant, by_determinant),
    "condition": tuple(by_condition(*x) for x in SHARPNESS),
}
"""What is made small, one after another, for each criterion."""
ROUNDS, STEPS = 3, 80
"""Rounds of prices in each stage, and steps in each round."""
PRICE, DEARER, DEAREST = 0.3, 2.0, 30.0
"""The first weight of squared excesses, how it grows in each round, and how far."""
MARGIN = 0.012
"""Part of a limit by which peaks between the samples can exceed it."""
DRAWS = 20
"""Random motions of which the best is the start of a search."""
COARSE, PER_HARMONIC, FINER = 10, 20, 10
"""Samples per period of the highest harmonic, in all stages but the last and in that, and how many times as many check
the result.
"""
HALVINGS = 20
"""Steps of bisection for the size of a motion that keeps its limits."""
INSIDE = 5e-4
"""Part of a limit that is left for peaks between the finest samples."""


def search(problem: Problem, series: Series, criterion: str, rng: np.random.Generator) -> Floats:
    """Return the free numbers of a motion that keeps the limits and is locally best; NaN if none keeps them."""
    grid = Grid(series, COARSE * series.harmonics)
    x = first(problem, series, grid, rng)
    prices: list[Floats] | None = None
    weight = PRICE
    stages = STAGES[criterion]
    for left, measure in zip(reversed(range(len(stages))), stages, strict=True):
        if not left:
            grid, prices = Grid(series, PER_HARMONIC * series.harmonics), None
        for _ in range(ROUNDS):
            x, prices = improved(problem, grid, measure, x, prices, weight)
            weight = min(DEARER * weight, DEAREST)
        weight = max(weight / DEARER, PRICE)
    return kept(problem, series, x)


def improved(
    problem: Problem, grid: Grid, measure: Measure, x: Floats, prices: list[Floats] | None, weight: float
) -> tuple[Floats, list[Floats]]:
    """Return a better motion for these prices, and the prices that follow from it."""

    def total(x: Floats) -> tuple[float, Floats]:
        value, slopes, states = problem.objective(measure, grid, x)
        for k, excess in enumerate(problem.excesses(states, MARGIN)):
            paid = np.maximum(weight * excess.values + (prices[k] if prices else 0.0), 0.0)
            value += float(paid @ paid) / (2.0 * weight)
            if paid.any():
                slopes = slopes + grid.slopes(excess.slopes(paid))
        return value, slopes

    found = minimize(total, x, jac=True, method="L-BFGS-B", options={"maxiter": STEPS, "maxcor": 20})
    excesses = problem.excesses(grid.states(found.x), MARGIN)
    before: list[Floats | float] = [*prices] if prices else [0.0] * len(excesses)
    return found.x, [np.maximum(weight * e.values + p, 0.0) for e, p in zip(excesses, before, strict=True)]


def first(problem: Problem, series: Series, grid: Grid, rng: np.random.Generator) -> Floats:
    """Return the random motion, of some within the limits of motion, that tells most."""
    drawn = [random_motion(series, problem.limits, grid, rng) for _ in range(DRAWS)]
    values = [by_determinant(problem.matrix(grid, x))[0] for x in drawn]
    return drawn[int(np.argmin(values))]


def random_motion(series: Series, limits: MotionLimits, grid: Grid, rng: np.random.Generator) -> Floats:
    """Return a random motion that uses the range, speed and acceleration of each joint as far as one of them allows.

    Velocities have normally distributed coefficients; the centre is anywhere where the motion fits in.
    """
    x = rng.normal(size=series.size)
    coefficients = series.coefficients(x)
    if series.start is None:
        coefficients[:, 0] = 0.0
        x = series.free(coefficients)
    q, qd, qdd = grid.states(x)
    if series.start is None:
        reach = np.ptp(q, axis=0) / (limits.upper - limits.lower)
    else:
        with np.errstate(divide="ignore"):
            above = (q.max(axis=0) - series.start) / np.maximum(limits.upper - series.start, 1e-9)
            reach = np.maximum(above, (series.start - q.min(axis=0)) / np.maximum(series.start - limits.lower, 1e-9))
    most = np.maximum(np.abs(qd).max(axis=0) / limits.velocity, np.abs(qdd).max(axis=0) / limits.acceleration)
    factor = 1.0 / np.maximum(most, reach)
    x = (x.reshape(len(factor), -1) * factor[:, None]).ravel()
    if series.start is not None:
        return np.asarray(x)
    q = q * factor
    low, high = limits.lower - q.min(axis=0), limits.upper - q.max(axis=0)
    bounded = np.isfinite(low) & np.isfinite(high)
    centre: Floats = np.where(
        bounded, np.where(bounded, low, 0.0) + rng.random(len(low)) * np.where(bounded, high - low, 0.0), 0.0
    )
    one_sided = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high, 0.0))
    coefficients = series.coefficients(x)
    coefficients[:, 0] = np.where(bounded, centre, one_sided)
    return series.free(coefficients)


def kept(problem: Problem, series: Series, x: Floats) -> Floats:
    """Return the motion, made smaller about its centre as far as its limits require; NaN if rest exceeds them too."""
    fine = Grid(series, FINER * PER_HARMONIC * series.harmonics)
    rest = series.resting(x, problem.limits.lower, problem.limits.upper)

    def fits(size: float) -> bool:
        return problem.worst(fine.states(rest + size * (x - rest))) <= -INSIDE

    if fits(1.0):
        return x
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if fits(middle) else (low, middle)
    return rest + low * (x - rest) if low > 0.0 else np.full_like(x, np.nan)
