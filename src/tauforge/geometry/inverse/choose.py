"""Solutions within limits: whole turns added or left out, near a given state."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ..reach import bounds
from .chain import NOWHERE, Floats
from .result import Truths

if TYPE_CHECKING:
    from .arm import Arm

ROUNDING = 1e-9
"""By how much a joint may be beyond its limit."""
TURN = 2.0 * np.pi


def chosen(
    arm: Arm, q: Floats, good: Truths, family: Truths, near: Floats, sort: bool, limits: bool, turns: bool
) -> tuple[Floats, Truths, Truths]:
    """Return solutions (k, K, n) with angles near those given, those beyond limits left out, and turns added."""
    places = np.array([axis.place for axis in arm.chain.axes if axis.place != NOWHERE])
    turning = np.array([not axis.slides for axis in arm.chain.axes if axis.place != NOWHERE])
    lower, upper = _limits(arm, places, limits)
    if not turns and not sort and not np.isfinite([lower, upper]).any():
        return q, good, family
    q, own = q.copy(), q[..., places]
    if sort:
        own = np.where(turning, own + TURN * np.round((near[:, None, places] - own) / TURN), own)
    up = np.where(turning & (own < lower - ROUNDING), np.ceil((lower - ROUNDING - own) / TURN) * TURN, 0.0)
    own = own + up
    down = np.where(turning & (own > upper + ROUNDING), np.ceil((own - upper - ROUNDING) / TURN) * TURN, 0.0)
    own = own - down
    with np.errstate(invalid="ignore"):
        good = good & ((own >= lower - ROUNDING) & (own <= upper + ROUNDING)).all(axis=2)
    q[..., places] = np.clip(own, lower, upper)
    return _turned(q, good, family, places[turning], lower[turning], upper[turning]) if turns else (q, good, family)


def _limits(arm: Arm, places: np.ndarray[tuple[int], np.dtype[np.intp]], limits: bool) -> tuple[Floats, Floats]:
    if not limits:
        return np.full(len(places), -np.inf), np.full(len(places), np.inf)
    own = bounds(arm.robot)
    rows = [int(np.flatnonzero(own.places == place)[0]) for place in places]
    return own.lower[rows], own.upper[rows]


def _turned(
    q: Floats,
    good: Truths,
    family: Truths,
    places: np.ndarray[tuple[int], np.dtype[np.intp]],
    lower: Floats,
    upper: Floats,
) -> tuple[Floats, Truths, Truths]:
    """Return solutions with all that differ by whole turns and are within limits, or within a turn without limits."""
    lower, upper = np.where(np.isfinite(lower), lower, -TURN), np.where(np.isfinite(upper), upper, TURN)
    kept = [(q, good, family)]
    most = np.floor((upper - lower) / TURN + ROUNDING).astype(int)
    for shift in product(*(range(-k, k + 1) for k in most)):
        if not any(shift):
            continue
        moved = q.copy()
        moved[..., places] += TURN * np.array(shift)
        own = moved[..., places]
        with np.errstate(invalid="ignore"):
            fits = good & ((own >= lower - ROUNDING) & (own <= upper + ROUNDING)).all(axis=2)
        if fits.any():
            kept.append((moved, fits, family))
    return tuple(np.concatenate(parts, axis=1) for parts in zip(*kept, strict=True))  # type: ignore[return-value]
