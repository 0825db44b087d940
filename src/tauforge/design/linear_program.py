"""A linear program, solved by SciPy; the solution is made unique, computed to the last digits and checked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_NEAR = 1e-9  # smaller values are zero
_ROUNDING = 1e-12  # how far a solution may miss the conditions


def minimum(A: Floats, b: Floats, limits: Floats, most: Floats) -> Floats | None:
    """Return x ≥ 0 of least sum with A x = b and limits x ≤ most, or None if there is none.

    If there are several, it prefers early entries. A second program finds it: by complementary slackness, an x that
    meets the conditions has the least sum if and only if it is zero where the first program has a reduced cost, and
    reaches the limits that have a price.
    """
    from scipy.optimize import linprog

    unit = np.maximum(most, 1.0)
    limits, most = limits / unit[:, None], most / unit
    found = linprog(np.ones(A.shape[1]), limits, most, A, b, method="highs-ds")
    if found.x is None:
        return None
    x: Floats = found.x
    free, priced = found.lower.marginals < _NEAR, found.ineqlin.marginals < -_NEAR
    if free.any():
        equal, right = np.vstack([A, limits[priced]]), np.concatenate([b, most[priced]])
        later = np.sqrt(np.arange(1.0, len(x) + 1.0))
        found = linprog(later[free], limits[~priced][:, free], most[~priced], equal[:, free], right, method="highs-ds")
        if found.x is not None:
            x[free] = found.x
    return _refined(x, np.vstack([A, limits]), np.concatenate([b, most]), len(b))


def _refined(x: Floats, rows: Floats, right: Floats, equalities: int) -> Floats | None:
    """Return a vertex recomputed from the given numbers, or None if it still misses the conditions."""
    size = max(1.0, float(np.abs(x).max(initial=0.0)))
    chosen, active = x > _NEAR * size, rows @ x > right - _NEAR * size
    active[:equalities] = True
    exact = np.zeros(len(x))
    exact[chosen] = np.linalg.lstsq(rows[active][:, chosen], right[active], rcond=None)[0]
    beyond = rows @ exact - right
    beyond[:equalities] = np.abs(beyond[:equalities])
    met = exact.min(initial=0.0) >= 0.0 and beyond.max(initial=0.0) <= _ROUNDING * size
    return exact if met else None
