"""Goals that leave a joint undetermined, or near which two branches are one: one state for each family of solutions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .chain import NOWHERE, Floats
from .refine import FINE, Refined, merged, steps
from .result import Truths

if TYPE_CHECKING:
    from .arm import InverseGeometry

TRIES = 24
"""Positions tried for joints that can be anywhere as far as their own step is concerned."""
TRIALS = 3
"""How often the best of these is bettered."""


def representatives(
    ik: InverseGeometry, T: Floats, near: Floats, q: Floats, good: Truths, family: Truths, error: Floats
) -> Refined:
    """Return solutions of goals (k) from branches (k, K): a branch with a joint that can be anywhere keeps it where it
    is, or moves it to where the following joints have a solution.
    """
    q, good, family, error = q.copy(), good.copy(), family.copy(), np.where(np.isnan(error), np.inf, error)
    lost = np.flatnonzero((family & ~good).any(axis=1))
    if len(lost):
        _moved(ik, T, near, q, good, family, error, lost)
    _refined(ik, T, q, good, error)
    return merged(ik._arm.chain, Refined(q, good, family))


def _moved(
    ik: InverseGeometry,
    T: Floats,
    near: Floats,
    q: Floats,
    good: Truths,
    family: Truths,
    error: Floats,
    lost: np.ndarray[tuple[int], np.dtype[np.intp]],
) -> None:
    """Try other positions of undetermined joints: first all around, then about the one that comes nearest."""
    places = [a.place for k, a in enumerate(ik._arm.chain.axes) if a.place != NOWHERE and k not in ik._arm.held]
    random = np.random.default_rng(0)
    width, centre = np.pi, np.repeat(near[lost][:, None], q.shape[1], axis=1)
    for _ in range(1 + TRIALS):
        for turn in (np.arange(TRIES) + 0.5) / TRIES * 2.0 - 1.0:
            for branch in range(q.shape[1]):
                some = lost[(family & ~good)[lost, branch]]
                if not len(some):
                    continue
                at = centre[np.searchsorted(lost, some), branch].copy()
                at[:, places] += width * turn * random.choice([-1.0, 1.0], len(places))
                _take(ik, T, at, some, branch, q, good, family, error)
        centre, width = q[lost].copy(), width * 2.0 / TRIES
        centre = np.where(np.isfinite(centre), centre, near[lost][:, None])


def _take(
    ik: InverseGeometry,
    T: Floats,
    at: Floats,
    some: np.ndarray[tuple[int], np.dtype[np.intp]],
    branch: int,
    q: Floats,
    good: Truths,
    family: Truths,
    error: Floats,
) -> None:
    with np.errstate(all="ignore"):
        new, off, _, free = ik._compiled(T[some], at)
    off = np.where(np.isnan(off), np.inf, off)
    better = off[:, branch] < error[some, branch]
    taken = some[better]
    q[taken, branch], error[taken, branch] = new[better, branch], off[better, branch]
    family[taken, branch] = free[better, branch] != 0.0
    good[taken, branch] = error[taken, branch] < FINE**2 * 1e4


def _refined(ik: InverseGeometry, T: Floats, q: Floats, good: Truths, error: Floats) -> None:
    from .arm import HOPELESS

    tried = (error < HOPELESS) & np.isfinite(q).all(axis=2) & (error > FINE**2)
    pose, branch = np.nonzero(tried)
    if len(pose):
        q[pose, branch], left = steps(ik._task, ik._arm.chain, q[pose, branch], T[pose])
        good[pose, branch] = left < 1e-11
