"""What the residuals tell of the noise: how long it remembers, and the covariance of the estimates under it.

Residuals of real robots, and of filtered signals, are correlated over time and between joints. Standard errors that
take samples as independent are then too small. The covariance here is the robust one of Newey and West (1987),
A⁻¹ S A⁻ᵀ, where S is the long-run covariance of the scores, estimated from overlapping windows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from .columns import Columns
from .samples import Block

Floats = NDArray[np.float64]
LAGS = 200
"""Longest memory of the noise that is looked for, in decimated samples."""


def autocorrelation(residuals: Iterable[Floats], lags: int = LAGS) -> Floats:
    """Return the autocorrelation (lags + 1, torques) of residuals that come in blocks."""
    total: Floats | None = None
    for e in residuals:
        most = min(lags, len(e) - 1)
        size = 1 << int(2 * len(e) - 1).bit_length()
        spectrum = np.fft.rfft(e, size, axis=0)
        own = np.fft.irfft(np.abs(spectrum) ** 2, size, axis=0)[: most + 1]
        total = np.zeros((lags + 1, e.shape[1])) if total is None else total
        total[: most + 1] += own
    assert total is not None
    return total / np.maximum(total[0], 1e-300)


def memory(correlation: Floats) -> int:
    """Return over how many samples the noise remembers: until its mean autocorrelation is gone."""
    mean = correlation.mean(axis=1)
    gone = int(np.argmax(mean < 0.05)) if np.any(mean < 0.05) else len(mean) - 1
    return max(1, 2 * gone)


def long_run(blocks: Iterable[Block], scores: Callable[[Block], Floats], length: int) -> Floats:
    """Return the long-run covariance of the scores (samples, parameters), summed over all samples."""
    total: Floats | None = None
    for block in blocks:
        s = scores(block)
        own = max(1, min(length, len(s) // 4))
        sums = np.cumsum(np.vstack([np.zeros((1, s.shape[1])), s]), axis=0)
        windows = sums[own:] - sums[:-own]
        part = windows.T @ windows * (len(s) / (own * len(windows)))
        total = part if total is None else total + part
    assert total is not None
    return total


def scores_of(columns: Columns, values: Floats, noise: Floats) -> Callable[[Block], Floats]:
    """Return what computes the scores of weighted least squares: for each sample Yᵀ W² e."""

    def scores(block: Block) -> Floats:
        weighted = block.residual(columns, values) / noise**2
        found = np.zeros((len(weighted), len(columns.names)))
        for k, (own, Y) in enumerate(zip(columns.rows, block.parts, strict=True)):
            found[:, list(own)] += Y * weighted[:, k, None]
        return found

    return scores
