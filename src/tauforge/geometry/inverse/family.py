"""Goals that leave a joint undetermined, or near which two branches are one: one state for each family of solutions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .branches import BLURRED, HOPELESS, SHARP
from .chain import Floats
from .refine import FINE, GOOD, Refined, merged, steps

if TYPE_CHECKING:
    from .arm import InverseGeometry

TRIES, ROUNDS = 24, 4
"""Positions tried of joints that their own step leaves undetermined: all around, then closer to the best."""


def representatives(ik: InverseGeometry, T: Floats, near: Floats) -> Refined:
    """Return solutions of goals (k): a branch with a joint that can be anywhere keeps it where it is, or moves it to
    where the following joints have a solution.
    """
    sharp, blurred = (_branches(ik, T, near, blur) for blur in (SHARP, BLURRED))
    better = blurred.family & blurred.good
    q = np.where(better[..., None], blurred.q, sharp.q)
    good, family = sharp.good | better, np.where(better, True, sharp.family)
    return merged(ik._arm.chain, Refined(q, good, family))


def _branches(ik: InverseGeometry, T: Floats, near: Floats, blur: float) -> Refined:
    """Return the branches for one size of what counts as rounding, refined."""
    q, error, family = _solved(ik, T, near, blur)
    places = [ik._arm.chain.axes[k].place for k in ik._arm.chain.real if k not in ik._arm.held]
    random, width, centre = np.random.default_rng(0), np.pi, np.repeat(near[:, None], q.shape[1], axis=1)
    for _ in range(ROUNDS):
        if not (family & (error > GOOD**2)).any():
            break
        for turn in (np.arange(TRIES) + 0.5) / TRIES * 2.0 - 1.0:
            for branch in range(q.shape[1]):
                some = np.flatnonzero(family[:, branch] & (error[:, branch] > GOOD**2))
                if len(some):
                    at = centre[some, branch].copy()
                    at[:, places] += width * turn * random.choice([-1.0, 1.0], len(places))
                    _bettered(branch, some, (q, error, family), _solved(ik, T[some], at, blur))
        centre[..., : q.shape[2]] = np.where(np.isfinite(q), q, near[:, None, : q.shape[2]])
        width *= 2.0 / TRIES
    tried = (error < HOPELESS) & (error > FINE**2) & np.isfinite(q).all(axis=2)
    left = np.sqrt(error)
    rows = np.nonzero(tried)
    if len(rows[0]):
        q[rows], left[rows] = steps(ik._task, ik._arm.chain, q[rows], T[rows[0]])
    return Refined(q, left < GOOD, family)


Tried = tuple[Floats, Floats, NDArray[np.bool_]]


def _solved(ik: InverseGeometry, T: Floats, near: Floats, blur: float) -> Tried:
    with np.errstate(all="ignore"):
        found = ik._compiled(T, near, blur)
    return found.q, np.where(np.isnan(found.error), np.inf, found.error), found.free != 0.0


def _bettered(branch: int, some: NDArray[np.intp], known: Tried, new: Tried) -> None:
    """Take the new results of a branch where their errors are smaller."""
    better = new[1][:, branch] < known[1][some, branch]
    for mine, own in zip(known, new, strict=True):
        mine[some[better], branch] = own[better, branch]
