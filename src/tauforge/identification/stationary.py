"""The covariance of estimates from few samples, if the noise of each torque is stationary.

The robust covariance of ``noise.py`` needs many more samples than there are parameters. With fewer, it is too small now
and then. If each torque's noise is stationary and independent of the others', its autocovariance γ alone determines
S = Σ YᵀΓY, and takes far fewer samples to estimate.

Residuals e = (1 - H) ε have lost what the estimates follow of the noise ε, and most of it at those low frequencies at
which the regressor, and so S, is large. Sums of their products are therefore too small, by different amounts at
different lags l, with the matrix D_l that adds products of samples l apart, C the covariance of the estimates and w
the noise by which each torque is weighted:

    E eᵀD_l e = n_l γ_l - 2 tr(D_l Y A⁻¹ Yᵀ Γ) / w² + tr(D_l Y C Yᵀ).

What was lost depends on γ, so that is found in a few rounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.signal import oaconvolve

from .samples import Block, Samples

Floats = NDArray[np.float64]
LEFT = 0.1
"""The part of a torque's squares that estimates leave at least."""
ROUNDS = 6
"""Rounds in which the noise's autocovariance is corrected; each adds a power of the part that estimates take."""


def stationary(samples: Samples, sums: Floats, counts: Floats, length: int, root: Floats, noise: Floats) -> Floats:
    """Return the covariance of the whitened scores BᵀYᵀW²e under stationary noise, summed over all samples.

    Parameters
    ----------
    sums
        Sums of products of each torque's residuals with later ones, (lags + 1, torques).
    counts
        How many products each has.
    length
        Over how many samples the noise remembers.
    root
        The inverse root B of the information, A⁻¹ = BBᵀ.
    noise
        By which each torque is weighted.
    """
    lags = np.arange(min(2 * length, len(sums) - 1) + 1)
    weights = np.clip(2.0 - lags / length, 0.0, 1.0)[:, None]  # flat up to the length, as in ``long_run``
    sums, counts = sums[: len(lags)], np.maximum(counts[: len(lags)], 1.0)
    own, covariance = sums / counts, np.eye(root.shape[1])
    for _ in range(ROUNDS):
        job = partial(_taken, kernels=own * weights, rows=samples.columns.rows, root=root, noise=noise)
        found = samples.passed(partial(job, covariance=covariance))
        spread = np.asarray(sum(each[0] for each in found))
        covariance = 0.5 * (spread + spread.T)
        own = np.minimum((sums + sum(each[1] for each in found)) / counts, sums[0] / counts[0] / LEFT)
    return covariance


def _taken(
    blocks: Iterable[Block],
    kernels: Floats,
    rows: Sequence[Sequence[int]],
    root: Floats,
    noise: Floats,
    covariance: Floats,
) -> tuple[Floats, Floats]:
    """Return BᵀYᵀW²ΓW²YB, and what the estimates take of the sums of products (lags + 1, channels)."""
    both, middle = np.concatenate([kernels[:0:-1], kernels]), len(kernels) - 1
    spread, taken = np.zeros((root.shape[1], root.shape[1])), np.zeros_like(kernels)
    for block in blocks:
        for k, (Y, own) in enumerate(zip(block.parts, rows, strict=True)):
            white = Y @ root[list(own)]
            noisy = oaconvolve(white, both[:, k, None], axes=0)[middle : middle + len(Y)] * block.counted[:, k, None]
            spread += white.T @ noisy / noise[k] ** 4
            followed, error = white / noise[k] ** 2, white @ covariance
            for lag in range(min(len(kernels), len(Y))):
                last = len(Y) - lag
                taken[lag, k] += np.vdot(followed[lag:], noisy[:last]) + np.vdot(followed[:last], noisy[lag:])
                taken[lag, k] -= np.vdot(error[:last], white[lag:])
    return spread, taken
