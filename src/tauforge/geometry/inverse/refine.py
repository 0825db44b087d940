"""Candidates made exact: Newton steps on the arm itself, and duplicates removed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...runtime.function import Function
from .chain import NOWHERE, Chain, Floats
from .result import Truths, compacted

STEPS, WORSE = 25, 4.0
"""Newton steps at the most, and how many times larger the error may become in one."""
FINE, GOOD = 1e-15, 1e-11
"""Error at which steps end, and at which a state is a solution, in metres and radians."""
NEAR, ROUNDING, FAILURES = 1e-8, 1e-13, 4
"""Errors below which a state is near a solution, and is one up to rounding; between them, so many steps may fail."""
SAME = 1e-6
"""States that differ by less are one solution."""


class Refined(NamedTuple):
    """States (k, K, n), which of them are solutions, and which represent infinitely many, (k, K)."""

    q: Floats
    good: Truths
    family: Truths


def refine(newton: Function, chain: Chain, T: Floats, q: Floats) -> Refined:
    """Return the solutions to which candidates (k, K, n) lead; NaN where there is none."""
    K = q.shape[1]
    flat, goals = q.reshape(-1, q.shape[2]).copy(), np.repeat(T, K, axis=0)
    tried = np.flatnonzero(np.isfinite(flat).all(axis=1))
    error = np.full(len(flat), np.inf)
    flat[tried], error[tried] = steps(newton, flat[tried], goals[tried])
    good = (error < GOOD).reshape(len(q), K)
    found = wrapped(chain, flat).reshape(q.shape)
    return merged(chain, Refined(found, good, np.zeros_like(good)))


def steps(newton: Function, q: Floats, goals: Floats) -> tuple[Floats, Floats]:
    """Return states after Newton steps, and the errors left.

    Along a direction that is weakly determined, a step goes far and makes the error larger, before the following ones
    make it smaller than it was: near a solution, some steps may fail.
    """
    best, least, left = q.copy(), np.full(len(q), np.inf), np.arange(len(q))
    at, to, failed = q, goals, np.zeros(len(q), dtype=int)
    for _ in range(STEPS):
        if not len(left):
            break
        after, error = newton(at, to)
        error = np.nan_to_num(error[:, 0], nan=np.inf)
        last = least[left]
        failed = np.where(error < 0.5 * last, 0, failed + 1)
        better = error < last
        best[left[better]], least[left[better]] = at[better], error[better]
        patience = np.where(last < ROUNDING, 1, FAILURES)
        going = (error > FINE) & np.where(last < NEAR, failed < patience, error < WORSE * last)
        left, at, to, failed = left[going], after[going], to[going], failed[going]
    return best, least


def wrapped(chain: Chain, q: Floats) -> Floats:
    """Return states with angles between -π and π."""
    places = [axis.place for axis in chain.axes if axis.place != NOWHERE and not axis.slides]
    found = q.copy()
    turned = q[:, places]
    found[:, places] = np.where(np.abs(turned) > np.pi, turned - 2 * np.pi * np.round(turned / (2 * np.pi)), turned)
    return found


def merged(chain: Chain, found: Refined) -> Refined:
    """Return solutions without duplicates."""
    q, good, family = found
    turning = np.zeros(q.shape[2], dtype=bool)
    turning[[axis.place for axis in chain.axes if axis.place != NOWHERE and not axis.slides]] = True
    good, family = good.copy(), family.copy()
    for k in range(1, q.shape[1]):
        with np.errstate(invalid="ignore"):
            off = np.abs(q[:, :k] - q[:, k : k + 1])
            off = np.where(turning, np.abs(off - 2 * np.pi * np.round(off / (2 * np.pi))), off)
            same = (off.max(axis=2) < SAME) & good[:, :k] & good[:, k : k + 1]
        family[:, :k] |= same & family[:, k : k + 1]
        good[:, k] &= ~same.any(axis=1)
    return Refined(q, good, family)


def joined(chain: Chain, found: Refined, more: Refined, left: NDArray[np.intp]) -> Refined:
    """Return solutions with more of some poses, and without duplicates."""
    both = (np.concatenate([x[left], y], axis=1) for x, y in zip(found, more, strict=True))
    q, count, family = compacted(*merged(chain, Refined(*both)), None)
    whole, good, free = found
    if (more_room := q.shape[1] - whole.shape[1]) > 0:
        room = ((0, 0), (0, more_room))
        whole = np.pad(whole, (*room, (0, 0)), constant_values=np.nan)
        good, free = np.pad(good, room), np.pad(free, room)
    K = q.shape[1]
    whole[left, :K], free[left, :K] = q, family
    good[left] = np.arange(good.shape[1]) < count[:, None]
    return Refined(whole, good, free)


def nearest_rotations(T: Floats) -> Floats:
    """Return poses with their matrices replaced by the nearest rotations."""
    found = T.copy()
    U, _, V = np.linalg.svd(T[..., :3, :3])
    found[..., :3, :3] = U @ V
    return found
