"""The covariance of estimates from few samples, if the noise of each torque is stationary.

The robust covariance of ``noise.py`` needs many more samples than there are parameters. With fewer, it is too small now
and then. If each torque's noise is stationary and independent of the others', its autocovariance γ alone determines
S = Σ YᵀΓY, and takes far fewer samples to estimate. Residuals are smaller than the noise, since the estimates follow
it; that is corrected for.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.signal import oaconvolve

from .samples import Block, Samples

Floats = NDArray[np.float64]
LEFT = 0.1
"""The part of a torque's samples that estimates leave at least."""


def stationary(
    samples: Samples, covariances: Floats, counts: Floats, length: int, bread: Floats, noise: Floats
) -> Floats:
    """Return the covariance of the scores under stationary noise, summed over all samples.

    Parameters
    ----------
    covariances
        Of each torque's residuals, (lags + 1, torques).
    counts
        Samples of each torque that count.
    length
        Over how many samples the noise remembers.
    bread
        The inverse of the information.
    noise
        By which each torque is weighted.
    """
    lags = np.arange(min(2 * length, len(covariances) - 1) + 1)
    weights = np.clip(2.0 - lags / length, 0.0, 1.0)  # flat up to the length, as in ``long_run``
    kernels = covariances[: len(lags)] * weights[:, None]
    found = samples.passed(partial(_products, kernels=np.concatenate([kernels[:0:-1], kernels])))
    total = np.zeros_like(bread)
    for k, own in enumerate(samples.columns.rows):
        place = np.ix_(list(own), list(own))
        spread = np.asarray(sum(each[k] for each in found))
        along = np.sum(bread[place] * spread) / noise[k] ** 2  # what the estimates take of the residuals' squares
        left = max(1.0 - along / max(counts[k] * covariances[0, k], 1e-300), LEFT)
        total[place] += (spread + spread.T) * (0.5 / (noise[k] ** 4 * left))
    return total


def _products(blocks: Iterable[Block], kernels: Floats) -> list[Floats]:
    """Return YᵀΓY of each torque."""
    found: list[Floats] = []
    middle = len(kernels) // 2
    for block in blocks:
        each = [
            np.asarray(Y.T @ oaconvolve(Y, kernels[:, k, None], axes=0)[middle : middle + len(Y)])
            for k, Y in enumerate(block.parts)
        ]
        found = [a + b for a, b in zip(found, each, strict=True)] if found else each
    return found
