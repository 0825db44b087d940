"""How far torques and motion are out of step.

If the torques were measured d later than the motion, τ(t) = τ_model(t - d) ≈ Y β - d τ̇: to first order, d is one more
parameter, with minus the rate of the computed torques as its column. A few rounds of shifting and fitting find it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial, reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .estimate import Fit, solved
from .factor import triangle
from .samples import Block, Samples

Floats = NDArray[np.float64]
MATERIAL = 0.1
"""The share of the residuals' sum of squares that a delay must explain to be believed."""


class Delay(NamedTuple):
    """By how much the torques lag behind the motion, in seconds, and what share of the residuals this explains."""

    late: float
    share: float

    @property
    def is_material(self) -> bool:
        """Whether it is more than what other errors of the model look like."""
        return self.share > MATERIAL


def delay(samples: Samples, fit: Fit) -> Delay:
    """Return the delay that the residuals of a fit show."""
    R = reduce(_together, samples.passed(partial(_with_rates, samples=samples, fit=fit)))
    values, known = solved(R, np.concatenate([fit.determined, [True]]))
    if not known[-1]:
        return Delay(0.0, 0.0)
    late = triangle(R[:, [*np.flatnonzero(known), -1]])[-2:, -1]
    return Delay(float(values[-1]), float(late[0] ** 2 / max(float(np.sum(late**2)), 1e-300)))


def _with_rates(blocks: Iterable[Block], samples: Samples, fit: Fit) -> Floats:
    """Return the factor of the columns, minus the rates of the computed torques, and the torques, all weighted."""
    columns, step = samples.columns, samples.sources[0].filters.step * samples.sources[0].filters.decimation
    found = np.zeros((1, len(columns.names) + 2))
    for block in blocks:
        if len(block.tau) > 3:
            rate = -np.gradient(columns.torque(fit.values, block.parts), step, axis=0)
            parts = (columns.dense(block.parts), rate[..., None], block.tau[..., None])
            whole = np.concatenate(parts, axis=2) / fit.noise[:, None]
            found = _together(found, whole.reshape(-1, whole.shape[2]))
    return found


def _together(one: Floats, other: Floats) -> Floats:
    return triangle(np.vstack([one, other]))
