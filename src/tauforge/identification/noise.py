"""What the residuals tell of the noise: how long it remembers, and the covariance of the estimates under it.

Residuals of real robots, and of filtered signals, are correlated over time and between joints. Standard errors that
take samples as independent are then too small. The covariance here is the robust one of Newey and West (1987),
A⁻¹ S A⁻ᵀ, where S is the long-run covariance of the scores, estimated from overlapping windows of two lengths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft

from .columns import Columns
from .estimate import Fit, inverse_of
from .samples import Block, Samples
from .stationary import stationary

Floats = NDArray[np.float64]
LAGS = 200
"""Longest memory of the noise that is looked for, in decimated samples."""
PerSample = Callable[[Block], Floats]
"""Residuals or scores of a block's samples."""
Score = Callable[..., Floats]
"""Returns what an estimate makes of a block's residuals, with ``columns`` and ``values``."""
ENOUGH = 20
"""Samples per parameter, in multiples of the noise's memory, from which the robust covariance needs no support."""
GONE = 0.05
"""Autocorrelation below which nothing is remembered."""
ROUNDING = 1e-13
"""Variance of scores in some direction, relative to the largest, that is rounding."""


def correlated(residuals: Iterable[Floats], lags: int = LAGS) -> Floats:
    """Return the sums of products (lags + 1, torques) of residuals with later ones; they come in blocks."""
    total: Floats | float = 0.0
    for e in residuals:
        most = min(lags, len(e) - 1)
        size = next_fast_len(len(e) + most, real=True)
        waves = rfft(e.T, size)
        own = np.zeros((lags + 1, e.shape[1]))
        own[: most + 1] = irfft(waves.real**2 + waves.imag**2, size).T[: most + 1]
        total = total + own
    return np.asarray(total)


def autocorrelation(sums: Floats) -> Floats:
    """Return the autocorrelation (lags + 1, torques) from sums of products."""
    return np.asarray(sums / np.maximum(sums[0], 1e-300))


def memory(correlation: Floats) -> int:
    """Return over how many samples the noise remembers: the lag at which its mean autocorrelation is gone."""
    mean = correlation.mean(axis=1)
    gone = int(np.argmax(mean < GONE)) if np.any(mean < GONE) else len(mean) - 1
    return max(1, gone)


def robust(samples: Samples, fit: Fit, score: Score | None = None, root: Floats | None = None) -> Floats:
    """Return the covariance of a fit under noise that is correlated over time and between channels.

    All sums are over whitened scores: with the inverse root B of the information, BBᵀ = A⁻¹, those of Bᵀs. Their
    covariance is near the unit matrix however ill-conditioned the information is, so that no direction is lost in the
    rounding of others.

    Parameters
    ----------
    score
        What the estimate makes of the residuals (samples, channels) of a block; by default the residuals themselves.
    root
        The inverse root (parameters, determined parameters) of the information; by default the fit's own.
    """
    residual = partial(score or residual_at, columns=samples.columns, values=fit.values)
    root = inverse_of(fit.information, fit.determined) if root is None else root
    own = partial(scores_at, columns=samples.columns, residual=residual, noise=fit.noise, root=root)
    sums = products(samples, residual)
    covariance = np.asarray(root @ score_covariance(samples, sums, own) @ root.T)
    counts = np.asarray(sum(samples.passed(_pairs)))
    covariances = sums / np.maximum(counts, 1.0)
    length = min(memory(autocorrelation(covariances)), LAGS // 2)
    if counts[0].min() > ENOUGH * length * len(root):
        return covariance
    return widened(covariance, root @ stationary(samples, sums, counts, length, root, fit.noise) @ root.T)


def widened(covariance: Floats, other: Floats) -> Floats:
    """Return a covariance with no variance smaller than that of another."""
    own = np.maximum(np.diag(covariance), 1e-300)
    growth = np.sqrt(np.maximum(np.diag(other) / own, 1.0))
    return np.asarray(covariance * np.outer(growth, growth))


def products(samples: Samples, residual: PerSample) -> Floats:
    """Return the sums of products of residuals with later ones, over all samples; see ``correlated``."""
    return np.asarray(sum(samples.passed(partial(_correlated, residual=residual))))


def score_covariance(samples: Samples, sums: Floats, own: PerSample) -> Floats:
    """Return the long-run covariance of scores (samples, scores), summed over all samples, over as many of them as
    residuals with these sums of products remember.
    """
    length = memory(autocorrelation(sums))
    return combined(np.asarray(sum(samples.passed(partial(_long_run, scores=own, length=length)))))


def residual_at(block: Block, columns: Columns, values: Floats) -> Floats:
    """Return measured minus computed torques."""
    return block.residual(columns, values)


def scores_at(block: Block, columns: Columns, residual: PerSample, noise: Floats, root: Floats) -> Floats:
    """Return the whitened scores BᵀYᵀW²e (samples, determined parameters) of each sample of a block."""
    return np.asarray(scores(columns, block.parts, residual(block), noise) @ root)


def _pairs(blocks: Iterable[Block]) -> Floats:
    """Return how many products go into each sum of ``correlated``."""
    lags = np.arange(LAGS + 1)[:, None]
    every = (
        np.maximum(len(x.tau) - lags, 0) * np.ones_like(x.tau[0]) if x.moving is None else correlated([x.moving])
        for x in blocks
    )
    return np.asarray(sum(every))


def _correlated(blocks: Iterable[Block], residual: PerSample) -> Floats:
    return correlated(map(residual, blocks))


def _long_run(blocks: Iterable[Block], scores: PerSample, length: int) -> Floats:
    return np.asarray(sum(long_run(scores(block), length) for block in blocks))


def long_run(s: Floats, length: int) -> Floats:
    """Return what ``combined`` needs of scores (samples, parameters); such arrays add up."""
    sums = np.zeros((len(s) + 1, s.shape[1]))
    np.cumsum(s, axis=0, out=sums[1:])
    return np.stack([_by_windows(sums, length), _by_windows(sums, 2 * length)])


def combined(both: Floats) -> Floats:
    """Return the long-run covariance of scores, summed over the samples.

    Windows weigh products of samples less, the further these are apart, and so miss a part of the covariance. Twice
    that of windows of double length, less that of single ones, weighs all up to the length fully (Politis and Romano,
    1995). No combination gets less than half of what the longer windows tell of it.
    """
    narrow, wide = both
    squares, directions = np.linalg.eigh(wide)
    seen = squares > ROUNDING * squares.max(initial=0.0)
    lengths, directions = np.sqrt(squares[seen]), directions[:, seen]
    values, vectors = np.linalg.eigh(directions.T @ narrow @ directions / np.outer(lengths, lengths))
    root = (directions * lengths) @ vectors
    return np.asarray((root * np.maximum(2.0 - values, 0.5)) @ root.T)


def _by_windows(sums: Floats, length: int) -> Floats:
    """Return the covariance of the sums over all windows, per sample of these, summed over the samples.

    ``sums`` are those of the samples before each, so that windows are differences.
    """
    samples = len(sums) - 1
    own = max(1, min(length, samples // 4))
    windows = sums[own:] - sums[:-own]
    return np.asarray(windows.T @ windows * (samples / (own * len(windows))))


def scores(columns: Columns, parts: list[Floats], residual: Floats, noise: Floats) -> Floats:
    """Return the scores Yᵀ W² e of each sample."""
    weighted = residual / noise**2
    found = np.zeros((len(weighted), len(columns.names)))
    for k, (runs, Y) in enumerate(zip(columns.runs, parts, strict=True)):
        for place, own in runs:
            found[:, place] += Y[:, own] * weighted[:, k, None]
    return found
