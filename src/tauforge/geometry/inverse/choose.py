"""Solutions within limits: whole turns added or left out, near a given state."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import ProgramError
from ..joint_limits import LimitedJoint, limited_sums
from ..reach import bounds
from .chain import Floats
from .result import Truths

if TYPE_CHECKING:
    from .arrange import Arm

ROUNDING = 1e-9
"""By how much a joint may be beyond its limit."""
TURN = 2.0 * np.pi
MOST = 1_000_000
"""How many combinations of whole turns are tried."""


class Range(NamedTuple):
    """Names of joints, their places in q, whether they turn, and their limits; and whether any of them can be beyond
    these between -π and π.
    """

    names: tuple[str, ...]
    places: NDArray[np.intp]
    turning: Truths
    lower: Floats
    upper: Floats
    is_limited: bool
    sums: tuple[LimitedJoint, ...] = ()

    @classmethod
    def of(cls, arm: Arm) -> Range:
        """Return the ranges of an arm's joints."""
        axes, own = [arm.chain.axes[k] for k in arm.chain.real], bounds(arm.robot)
        rows = [int(np.flatnonzero(own.places == axis.place)[0]) for axis in axes]
        turning = np.array([not axis.slides for axis in axes])
        names = tuple(axis.name for axis in axes)
        lower, upper, edge = own.lower[rows], own.upper[rows], np.where(turning, np.pi, np.inf)
        is_limited = bool((lower > -edge).any() or (upper < edge).any())
        sums = limited_sums(arm.robot)
        return cls(names, own.places[rows], turning, lower, upper, is_limited or bool(sums), sums)

    def holds(self, q: Floats) -> bool:
        """Tell whether all states are within the limits."""
        at = q[..., self.places]
        return bool((at >= self.lower).all() and (at <= self.upper).all() and self.keeps_sums(q).all())

    def keeps_sums(self, q: Floats) -> Truths:
        """Tell which states (..., n) leave the joints that follow several others within their limits."""
        kept: Truths = np.ones(q.shape[:-1], dtype=bool)
        for joint in self.sums:
            at = joint.position(q)
            kept &= (at >= joint.limits.lower - ROUNDING) & (at <= joint.limits.upper + ROUNDING)
        return kept


def chosen(
    own: Range, q: Floats, good: Truths, family: Truths, near: Floats, sort: bool, limits: bool, turns: bool
) -> tuple[Floats, Truths, Truths]:
    """Return solutions (k, K, n) with angles near those given, those beyond limits left out, and turns added."""
    places, turning, lower, upper = own.places, own.turning, own.lower, own.upper
    if not limits:
        lower, upper = np.full(len(places), -np.inf), np.full(len(places), np.inf)
    q, at = q.copy(), q[..., places]
    if sort:
        at = np.where(turning, at + TURN * np.round((near[:, None, places] - at) / TURN), at)
    with np.errstate(invalid="ignore"):
        at = at + np.where(turning & (at < lower - ROUNDING), np.ceil((lower - ROUNDING - at) / TURN) * TURN, 0.0)
        at = at - np.where(turning & (at > upper + ROUNDING), np.ceil((at - upper - ROUNDING) / TURN) * TURN, 0.0)
        good = good & ((at >= lower - ROUNDING) & (at <= upper + ROUNDING)).all(axis=2)
    q[..., places] = np.clip(at, lower, upper)
    if turns:
        q, good, family = _turned(q, good, family, places[turning], lower[turning], upper[turning])
    return q, good & own.keeps_sums(q) if limits else good, family


def _turned(
    q: Floats,
    good: Truths,
    family: Truths,
    places: NDArray[np.intp],
    lower: Floats,
    upper: Floats,
) -> tuple[Floats, Truths, Truths]:
    """Return solutions with all that differ by whole turns and are within limits, or within a turn without limits."""
    low, high = np.minimum(-TURN, upper - TURN), np.maximum(TURN, lower + TURN)
    lower, upper = np.where(np.isfinite(lower), lower, low), np.where(np.isfinite(upper), upper, high)
    kept = [(q, good, family)]
    turns = np.floor(upper / TURN - lower / TURN + ROUNDING)
    if np.log(2.0 * turns + 1.0).sum() > np.log(MOST):
        raise ProgramError(
            f"turns=True: the limits allow {turns.max():.6g} turns of a joint, and more than {MOST:,} combinations of "
            "turns; narrow them, or leave it out"
        )
    most = turns.astype(int)
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
