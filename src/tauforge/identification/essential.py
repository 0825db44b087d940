"""Essential parameters: those without which the torques fit worse than their noise allows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .columns import Columns
from .estimate import Flags, weighted
from .factor import Factor

Floats = NDArray[np.float64]
LOSS = 1.02
"""By how much the residuals may grow in all, as a factor."""


def essential(factor: Factor, columns: Columns, covariance: Floats, use: Flags) -> Flags:
    """Return which parameters are needed.

    The parameter with the largest relative error goes first, as Pham and Gautier (1991) do, until the residuals grow.
    """
    first = weighted(factor, columns, use)
    keep = first.determined.copy()
    inflation = np.diag(covariance) / np.maximum(np.diag(first.covariance()), 1e-300)
    while keep.sum() > 1:
        fit = weighted(factor, columns, keep)
        errors = np.sqrt(np.diag(fit.covariance()) * np.maximum(inflation, 1.0))
        ratio = np.where(keep, errors / np.maximum(np.abs(fit.values), 1e-300), 0.0)
        worst = int(np.argmax(ratio))
        if ratio[worst] < 0.5:  # two standard errors from zero
            return keep
        less = keep.copy()
        less[worst] = False
        if np.exp(np.mean(np.log(weighted(factor, columns, less).noise / first.noise))) > LOSS:
            return keep
        keep = less
    return keep
