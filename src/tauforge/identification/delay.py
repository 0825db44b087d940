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
from scipy.linalg import solve_triangular

from .columns import Columns
from .estimate import DEPENDENT, Fit
from .factor import triangle
from .samples import Block, Samples

Floats = NDArray[np.float64]
MATERIAL = 0.1
"""The share of the residuals' sum of squares that a delay must explain to be believed."""
SHORTEST = 0.1
"""The shortest delay that matters, relative to the time between samples."""


class Delay(NamedTuple):
    """By how much the torques lag behind the motion, in seconds, what share of the residuals this explains, and the
    time between samples.
    """

    late: float
    share: float
    step: float

    @property
    def is_material(self) -> bool:
        """Whether it is more than what other errors of the model look like, and than clocks are exact."""
        return self.share > MATERIAL and abs(self.late) > SHORTEST * self.step


def delay(samples: Samples, fit: Fit) -> Delay:
    """Return the delay that the residuals of a fit show."""
    known, filters = np.flatnonzero(fit.determined), samples.sources[0].filters
    step, decimation = filters.step, filters.decimation
    products = reduce(add, samples.passed(partial(_products, columns=samples.columns, fit=fit, step=step * decimation)))
    own, by_error, size = products[known], products[-2], products[-1]
    T = triangle(fit.information[:, known])[: len(known)]
    new = size - float(np.sum(solve_triangular(T, own, trans="T") ** 2))  # what other columns do not tell of it
    if new <= DEPENDENT * size:
        return Delay(0.0, 0.0, step)
    error = float(np.sum((fit.R[:, -1] - fit.R[:, :-1] @ fit.values) ** 2))
    return Delay(float(by_error / new), float(by_error**2 / new / max(error, 1e-300)), step)


def _products(blocks: Iterable[Block], columns: Columns, fit: Fit, step: float) -> Floats:
    """Return the products of the delay's column with all columns, with the residuals, and with itself."""
    total = np.zeros(len(columns.names) + 2)
    for block in blocks:
        torque = columns.torque(fit.values, block.parts)
        if len(torque) < 2:
            continue
        late = -np.gradient(torque, step, axis=0) / fit.noise**2
        for own, Y, x in zip(columns.rows, block.parts, late.T, strict=True):
            total[list(own)] += x @ Y
        total[-2] += np.sum(late * (block.tau - torque))
        total[-1] += np.sum((late * fit.noise) ** 2)
    return total
