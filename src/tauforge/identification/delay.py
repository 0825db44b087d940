"""How far torques and motion are out of step.

If the torques were measured d later than the motion, τ(t) = τ_model(t - d) ≈ Y β - d τ̇: to first order, d is one more
parameter, with minus the rate of the computed torques as its column. A few rounds of shifting and fitting find it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .estimate import Fit, solved
from .factor import triangle
from .samples import Samples

Floats = NDArray[np.float64]
SIGNIFICANT = 5.0
"""Standard errors from zero at which a delay is believed."""


def delay(samples: Samples, fit: Fit) -> tuple[float, float]:
    """Return by how much the torques lag behind the motion, and the standard error of this, in seconds."""
    columns = samples.columns
    count = len(columns.names)
    total: Floats | None = None
    rows = 0
    for k, source in enumerate(samples.sources):
        step = source.filters.step * source.filters.decimation
        for block in samples.blocks(k):
            if len(block.tau) < 4:
                continue
            torque = columns.torque(fit.values, block.parts)
            rate = -np.gradient(torque, step, axis=0)
            whole = columns.dense(block.parts)
            stacked = np.concatenate([whole, rate[..., None], block.tau[..., None]], axis=2) / fit.noise[
                :, None, None
            ].transpose(1, 0, 2)
            own = triangle(stacked.reshape(-1, count + 2))
            total = own if total is None else triangle(np.vstack([total, own]))
            rows += block.tau.size
    if total is None:
        return 0.0, np.inf
    use = np.concatenate([fit.determined, [True]])
    values, known = solved(total, use)
    if not known[-1]:
        return 0.0, np.inf
    places = np.flatnonzero(known)
    T = triangle(total[:, [*places, -1]])
    noise = abs(T[-1, -1]) / np.sqrt(max(rows - len(places), 1))
    return float(values[-1]), float(noise / abs(T[len(places) - 1, len(places) - 1]))
