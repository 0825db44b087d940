"""How far torques and motion are out of step.

If the torques were measured d later than the motion, τ(t) = τ_model(t - d) ≈ Y β - d τ̇: to first order, d is one more
parameter, with minus the rate of the computed torques as its column. A few rounds of shifting and fitting find it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial, reduce
from operator import add
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .estimate import Fit, solved
from .factor import Factor, triangle
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
    columns = samples.columns
    count = len(columns.names)
    factor = reduce(add, samples.passed(partial(_with_rates, samples=samples, fit=fit)))
    R = factor.whole([(*own, count) for own in columns.rows], count + 1, 1.0 / fit.noise)
    values, known = solved(R, np.concatenate([fit.determined, [True]]))
    if not known[-1]:
        return Delay(0.0, 0.0)
    late = triangle(R[:, [*np.flatnonzero(known), -1]])[-2:, -1]
    return Delay(float(values[-1]), float(late[0] ** 2 / max(float(np.sum(late**2)), 1e-300)))


def _with_rates(blocks: Iterable[Block], samples: Samples, fit: Fit) -> Factor:
    """Return the factor of each torque's columns, with minus the rate of the computed torque as one more."""
    columns, filters = samples.columns, samples.sources[0].filters
    found = []
    for block in blocks:
        torque = columns.torque(fit.values, block.parts)
        late = -np.gradient(torque, filters.step * filters.decimation, axis=0) if len(torque) > 1 else 0 * torque
        parts = [np.column_stack([Y, late[:, k]]) for k, Y in enumerate(block.parts)]
        found.append(Factor.of(parts, block.tau))
    return reduce(add, found)
