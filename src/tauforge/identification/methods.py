"""The ways to estimate: each makes a Fit of samples, and the covariance of its values.

"ordinary" and "weighted" least squares need one pass over the samples. "huber" weighs samples down that fit badly.
"total" takes the regressor to be as noisy as the torques. "iv" and "didim" use the motion of the simulated robot, which
has no noise: the regressor along it is the instrument of "iv" (Janot, Vandanjon and Gautier, 2014), and the regressor
of "didim" (Gautier, Janot and Vandanjon, 2013), which needs no positions at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial, reduce
from operator import add
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import IdentificationError
from .columns import Columns
from .estimate import QUIET, Fit, Flags, independent, inverse_of, residuals, total, weighted
from .factor import Factor, triangle
from .noise import LAGS, autocorrelation, combined, correlated, long_run, memory, robust, scores
from .samples import Block, Samples

Floats = NDArray[np.float64]
HUBER = 1.345
"""Standard deviations beyond which a residual counts less; for normal noise this costs 5 % of the efficiency."""
ROUNDS = 20
"""Rounds of reweighting and of simulation, at most."""
PRIOR = 20.0
"""Samples of the common noise that each recording's own counts for, besides its own."""
SETTLED = 1e-3
"""Change of the values, in standard errors, that ends the rounds."""
RUN_IN = 0.1
"""The share of a recording over which the simulated robot settles, as its start is known only with noise."""
Simulate = Callable[[Floats], Samples]
"""Returns the samples along the simulated motion of the robot with given values."""


class Estimate(NamedTuple):
    """A fit and the covariance of its values."""

    fit: Fit
    covariance: Floats


def by_recording(samples: Samples) -> Samples:
    """Return the samples with a weight for each channel of each recording, from what the common estimate leaves of it.

    The mean of the weights' inverse squares is one, so that the noise of a channel is still that of all its samples.
    The logarithm of a recording's noise is drawn to the common one's, as much as ``PRIOR`` samples would, so that a
    short one that the estimates follow does not count too much.
    """
    parts, columns = samples.recordings(), samples.columns
    if len(parts) < 2:
        return samples
    factors = [part.factor() for part in parts]
    counts = np.array([factor.counts for factor in factors])
    weights = np.ones(counts.shape)
    for _ in range(ROUNDS):
        fit = weighted(Factor.sum(map(Factor.times, factors, weights)), columns)
        root = inverse_of(fit.information, fit.determined)
        squares, free = np.zeros(counts.shape), counts.copy()
        for r, factor in enumerate(factors):
            for k, (T, own) in enumerate(zip(factor.triangles, columns.rows, strict=True)):
                squares[r, k] = np.sum((T[:, -1] - T[:, :-1] @ fit.values[list(own)]) ** 2)
                free[r, k] -= np.sum((T[:, :-1] @ root[list(own)] * weights[r, k] / fit.noise[k]) ** 2)
        common = squares.sum(axis=0) / np.maximum(counts.sum(axis=0), 1.0)
        free, least = np.maximum(free, 0.0), np.maximum(QUIET**2 * common, 1e-300)
        own = np.log(np.maximum(squares / np.maximum(free, 1.0), least))
        variance = np.exp((free * own + PRIOR * np.log(np.maximum(common, least))) / (free + PRIOR))
        mean = (variance * counts).sum(axis=0) / np.maximum(counts.sum(axis=0), 1.0)
        before = weights
        weights = np.sqrt(mean / variance)
        if np.allclose(before, weights, rtol=0.01):
            break
    return samples.changed(sources=[replace(x, weights=weights[x.number]) for x in samples.sources])


def ordinary(samples: Samples, use: Flags, simulate: Simulate | None) -> Estimate:
    """Return the estimate in which all torques count alike."""
    fit = weighted(samples.factor(), samples.columns, use, weigh=False)
    return Estimate(fit, robust(samples, fit))


def by_noise(samples: Samples, use: Flags, simulate: Simulate | None) -> Estimate:
    """Return the estimate in which each torque counts by the inverse of its noise."""
    fit = weighted(samples.factor(), samples.columns, use)
    return Estimate(fit, robust(samples, fit))


def huber(samples: Samples, use: Flags, simulate: Simulate | None) -> Estimate:
    """Return the estimate in which samples that fit badly count less."""
    columns, fit = samples.columns, weighted(samples.factor(), samples.columns, use)
    for _ in range(ROUNDS):
        spread = np.median(np.vstack(samples.passed(partial(_medians, columns=columns, values=fit.values))), axis=0)
        weigh = partial(huber_weights, columns=columns, values=fit.values, spread=np.maximum(1.4826 * spread, 1e-300))
        before, fit = fit, weighted(samples.factor(weigh), columns, use)
        change = np.linalg.norm(fit.information @ (fit.values - before.values))
        if change < SETTLED * np.sqrt(len(fit.values)):
            break
    inliers = samples.factor(partial(_inliers, **weigh.keywords)).whole(
        columns.rows, len(columns.names), 1.0 / fit.noise
    )[:-1, :-1]
    clear = np.array_equal(independent(inliers, fit.determined), fit.determined)
    root = inverse_of(inliers, fit.determined) if clear else None
    covariance = robust(samples, fit, partial(_influence, spread=weigh.keywords["spread"]), root)
    return Estimate(replace(fit, noise=residuals(samples.factor(), columns.rows, fit.values)), covariance)


def _medians(blocks: Iterable[Block], columns: Columns, values: Floats) -> Floats:
    return np.asarray(np.median([np.median(np.abs(x.residual(columns, values)), axis=0) for x in blocks], axis=0))


def huber_weights(block: Block, columns: Columns, values: Floats, spread: Floats) -> Floats:
    """Return the square roots of Huber's weights (samples, torques)."""
    size = np.abs(block.residual(columns, values)) / spread
    return np.asarray(np.sqrt(np.minimum(1.0, HUBER / np.maximum(size, 1e-300))))


def _inliers(block: Block, columns: Columns, values: Floats, spread: Floats) -> Floats:
    """Return 1 where Huber's function ψ has slope 1, and 0 where it is constant (samples, channels)."""
    return np.asarray(np.abs(block.residual(columns, values)) <= HUBER * spread, dtype=float)


def _influence(block: Block, columns: Columns, values: Floats, spread: Floats) -> Floats:
    """Return Huber's function ψ of the residuals (samples, channels)."""
    return np.asarray(np.clip(block.residual(columns, values), -HUBER * spread, HUBER * spread) * block.counted)


def total_least_squares(samples: Samples, use: Flags, simulate: Simulate | None) -> Estimate:
    """Return the estimate in which the regressor is as noisy as the torques; errors are those of least squares."""
    fit = weighted(samples.factor(), samples.columns, use)
    values, determined = total(fit.R, use)
    found = replace(fit, values=values, determined=determined)
    return Estimate(found, robust(samples, found))


def didim(samples: Samples, use: Flags, simulate: Simulate | None) -> Estimate:
    """Return the estimate with which the simulated robot's torques are nearest to the measured ones."""

    def step(model: Samples, _: Estimate) -> Estimate:
        late = [source.without_start(RUN_IN) for source in model.sources]
        return by_noise(model.changed(sources=late), use, None)

    return _rounds(samples, use, simulate, step)


def instrumental(samples: Samples, use: Flags, simulate: Simulate | None) -> Estimate:
    """Return the estimate whose residuals are independent of the simulated motion."""
    return _rounds(samples, use, simulate, partial(_instrumental, samples, use))


def _rounds(
    samples: Samples, use: Flags, simulate: Simulate | None, step: Callable[[Samples, Estimate], Estimate]
) -> Estimate:
    """Return the estimate after some rounds of simulation, each with the values of the one before."""
    if simulate is None:
        raise IdentificationError(
            "methods iv and didim simulate the robot under its controller: give controller=…, such as tf.pd_control(…);"
            " iv also takes recordings with a reference"
        )
    found = by_noise(samples, use, None)
    for _ in range(ROUNDS):
        before, found = found, step(simulate(found.fit.values), found)
        known = np.flatnonzero(found.fit.determined)
        change = np.abs(found.fit.values - before.fit.values)[known]
        if np.all(change < 0.1 * np.sqrt(np.diag(found.covariance))[known]):
            break
    return found


def _instrumental(samples: Samples, use: Flags, model: Samples, before: Estimate) -> Estimate:
    """Return (ZᵀW²Y)⁻¹ ZᵀW²τ, with the regressor Z along the simulated motion."""
    columns, noise = samples.columns, before.fit.noise
    pairs = [
        (z, _sliding(columns, y, z))
        for k in range(len(samples.sources))
        for z, y in zip(model.blocks(k), samples.blocks(k), strict=True)
    ]
    products = [_products(columns, z, y, noise) for z, y in pairs]
    ZY, Zt = (reduce(add, x) for x in zip(*products, strict=True))
    fit = weighted(model.factor(), columns, use)
    places = np.flatnonzero(fit.determined)
    inverse = np.zeros_like(ZY)
    inverse[np.ix_(places, places)] = np.linalg.inv(ZY[np.ix_(places, places)])
    values = inverse @ Zt
    errors = [y.residual(columns, values) for _, y in pairs]
    length = memory(autocorrelation(correlated(errors, LAGS)))
    root, factor = inverse_of(fit.information, fit.determined), triangle(fit.information[:, places])[: len(places)]
    white = (scores(columns, z.parts, e, noise) @ root for (z, _), e in zip(pairs, errors, strict=True))
    spread = sum(long_run(each, length) for each in white)
    gain = inverse[:, places] @ factor.T  # the estimates' errors from whitened scores
    own = np.sqrt(sum((e**2).sum(axis=0) for e in errors) / sum(y.counted.sum(axis=0) for _, y in pairs))
    found = replace(fit, values=values, noise=np.maximum(own, 1e-300))
    return Estimate(found, np.asarray(gain @ combined(np.asarray(spread)) @ gain.T))


def _sliding(columns: Columns, measured: Block, simulated: Block) -> Block:
    """Return a block whose directions of friction are those of the simulated motion.

    A sign of noisy velocities would be wrong near each reversal, always towards zero, which no instrument corrects.
    Samples that either motion leaves out near rest do not count.
    """
    moving, parts = measured.counted * simulated.counted, []
    for row, (own, Y, Z) in enumerate(zip(columns.rows, measured.parts, simulated.parts, strict=True)):
        signed = np.array([columns.keys[k][0] in ("FS", "FB", "FL") for k in own])
        parts.append(np.where(signed, Z, Y) * moving[:, row, None])
    return Block(parts, measured.tau * moving, moving)


def _products(columns: Columns, z: Block, y: Block, noise: Floats) -> tuple[Floats, Floats]:
    """Return ZᵀW²Y and ZᵀW²τ of a block."""
    Z, Y = columns.dense(z.parts) / noise[:, None], columns.dense(y.parts) / noise[:, None]
    Z, Y = (x.reshape(-1, x.shape[-1]) for x in (Z, Y))
    return Z.T @ Y, Z.T @ (y.tau / noise).ravel()


METHODS = {
    "ordinary": ordinary,
    "weighted": by_noise,
    "huber": huber,
    "total": total_least_squares,
    "iv": instrumental,
    "didim": didim,
}
"""The ways to estimate."""
