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
    """By how much the torques of a recording lag behind the motion, in seconds, what share of its residuals this
    explains, and the time between its samples.
    """

    late: float
    share: float
    step: float

    @property
    def is_material(self) -> bool:
        """Whether it is more than what other errors of the model look like, and than clocks are exact."""
        return self.share > MATERIAL and abs(self.late) > SHORTEST * self.step


def delays(samples: Samples, fit: Fit) -> tuple[list[Delay], Floats]:
    """Return the delay of each recording that the residuals of a fit show, and what is left of each torque, relative
    to it.

    Each recording has a column of its own beside those of the parameters, which all share.
    """
    columns, recordings = samples.columns, samples.recordings()
    count, more = len(columns.names), len(recordings)
    factors, wholes = [], []
    for k, own in enumerate(recordings):
        filters = own.sources[0].filters
        job = partial(_with_rates, columns=columns, fit=fit, step=filters.step * filters.decimation)
        factors.append(Factor.sum(own.passed(job)))
        rows = [(*places, count + k) for places in columns.rows]
        wholes.append(factors[-1].whole(rows, count + more, 1.0 / fit.noise))
    R = triangle(np.vstack(wholes))
    values, known = solved(R, np.concatenate([fit.determined, np.ones(more, dtype=bool)]))
    found = []
    for k, whole in enumerate(wholes):
        step, late = recordings[k].sources[0].filters.step, float(values[count + k])
        if not known[count + k]:
            found.append(Delay(0.0, 0.0, step))
            continue
        others = [int(place) for place in np.flatnonzero(known) if place != count + k]
        explained = float(triangle(R[:, [*others, count + k, -1]])[-2, -1]) ** 2
        left = float(np.sum((whole[:, -1] - whole[:, :-1] @ values) ** 2))
        found.append(Delay(late, explained / max(explained + left, 1e-300), step))
    return found, _shares(Factor.sum(factors), columns, fit.values)


def _shares(factor: Factor, columns: Columns, values: Floats) -> Floats:
    """Return what values leave of each torque, relative to it; nothing of one that is zero."""
    sizes = np.array([factor.torque(k) for k in range(len(columns.rows))])
    counted = sizes > QUIET * sizes.max()
    rows = [(*own, -1) for own in columns.rows]  # after the columns, that of the delay
    left = residuals(factor, rows, np.append(values, 0.0))
    return np.where(counted, left / np.where(counted, sizes, 1.0), 0.0)


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
