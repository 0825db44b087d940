"""How far torques and motion are out of step.

If the torques were measured d later than the motion, τ(t) = τ_model(t - d) ≈ Y β - d τ̇: to first order, d is one more
parameter, with minus the rate of the computed torques as its column. A few rounds of shifting and fitting find it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d

from .columns import Columns
from .estimate import QUIET, Fit, residuals, solved
from .factor import Factor, triangle
from .samples import Block, Samples
from .signals import OVERLAP

Floats = NDArray[np.float64]
MATERIAL = 0.1
"""The share of the residuals' sum of squares that a delay must explain to be believed."""
SIGNED = ("FS", "FB", "FL")
"""Terms of friction that turn with the velocity."""
TURN = 0.02
"""Change from one decimated sample to the next, relative to the largest friction, by which friction turns."""
SHORTEST = 0.1
"""The shortest delay that matters, relative to the time between samples."""


class Delay(NamedTuple):
    """By how much the torques lag behind the motion, in seconds, what share of the residuals this explains, the time
    between samples, and what is left of each torque, relative to it.
    """

    late: float
    share: float
    step: float
    left: Floats

    @property
    def is_material(self) -> bool:
        """Whether it is more than what other errors of the model look like, and than clocks are exact."""
        return self.share > MATERIAL and abs(self.late) > SHORTEST * self.step


def delay(samples: Samples, fit: Fit) -> Delay:
    """Return the delay that the residuals of a fit show."""
    columns, filters = samples.columns, samples.sources[0].filters
    count, step = len(columns.names), filters.step * filters.decimation
    factor = Factor.sum(samples.passed(partial(_with_rates, columns=columns, fit=fit, step=step)))
    rows = [(*own, count) for own in columns.rows]
    R = factor.whole(rows, count + 1, 1.0 / fit.noise)
    values, known = solved(R, np.concatenate([fit.determined, [True]]))
    sizes = np.array([factor.torque(k) for k in range(len(rows))])
    counted = sizes > QUIET * sizes.max()
    left = np.where(counted, residuals(factor, rows, np.append(fit.values, 0.0)) / np.where(counted, sizes, 1.0), 0.0)
    if not known[-1]:
        return Delay(0.0, 0.0, filters.step, left)
    late = triangle(R[:, [*np.flatnonzero(known), -1]])[-2:, -1]
    return Delay(float(values[-1]), float(late[0] ** 2 / max(float(np.sum(late**2)), 1e-300)), filters.step, left)


def _with_rates(blocks: Iterable[Block], columns: Columns, fit: Fit, step: float) -> Factor:
    """Return the factor of each torque's columns, with minus the rate of the computed torque as one more, without the
    samples at which friction turns.
    """
    signed = np.where([key in SIGNED for key, _ in columns.keys], fit.values, 0.0)
    found = []
    for block in blocks:
        torque = columns.torque(fit.values, block.parts)
        late = -np.gradient(torque, step, axis=0) if len(torque) > 1 else 0 * torque
        sliding = (~_turning(columns.torque(signed, block.parts))).astype(float)
        parts = [_beside(Y, late[:, k], sliding[:, k, None]) for k, Y in enumerate(block.parts)]
        found.append(Factor.of(parts, block.tau * sliding, sliding))
    return Factor.sum(found)


def _beside(Y: Floats, column: Floats, weights: Floats) -> Floats:
    """Return columns with one more after them, both times weights."""
    found = np.empty((len(Y), Y.shape[1] + 1))
    np.multiply(Y, weights, out=found[:, :-1])
    np.multiply(column, weights[:, 0], out=found[:, -1])
    return found


def _turning(friction: Floats) -> NDArray[np.bool_]:
    """Return where friction turns, or did so within the window of a decimated sample.

    Just when it turns is hardly known, since velocities near rest are noise: that says nothing about a delay.
    """
    change = np.abs(np.diff(friction, axis=0, append=friction[-1:]))
    turns = (change > TURN * np.abs(friction).max(axis=0)).astype(float)
    return np.asarray(maximum_filter1d(turns, 2 * OVERLAP + 1, axis=0) > 0.0)
