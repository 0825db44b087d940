"""Candidates made exact: Newton steps on the arm itself, and duplicates removed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..task import Task
from .chain import NOWHERE, Chain, Floats
from .result import Truths

STEPS, FAR = 12, 0.5
"""Newton steps at the most, and the largest of a joint, in metres or radians."""
FINE, GOOD = 1e-13, 1e-11
"""Error at which steps end, and at which a state is a solution, in metres and radians."""
SAME = 1e-6
"""States that differ by less are one solution."""
LEAST = 1e-15
"""Squares of singular values below it, relative to all, hardly count in a step."""


class Refined(NamedTuple):
    """States (k, K, n), which of them are solutions, and which represent infinitely many, (k, K)."""

    q: Floats
    good: Truths
    family: Truths


def refine(task: Task, chain: Chain, T: Floats, q: Floats) -> Refined:
    """Return the solutions to which candidates (k, K, n) lead; NaN where there is none."""
    K = q.shape[1]
    flat, goals = q.reshape(-1, q.shape[2]).copy(), np.repeat(T, K, axis=0)
    tried = np.flatnonzero(np.isfinite(flat).all(axis=1))
    error = np.full(len(flat), np.inf)
    flat[tried], error[tried] = steps(task, chain, flat[tried], goals[tried])
    good = (error < GOOD).reshape(-1, K)
    found = _wrapped(chain, flat).reshape(q.shape)
    return merged(chain, Refined(found, good, np.zeros_like(good)))


def steps(task: Task, chain: Chain, q: Floats, goals: Floats) -> tuple[Floats, Floats]:
    """Return states after Newton steps of the chain's joints, and the errors left."""
    places = [axis.place for axis in chain.axes if axis.place != NOWHERE]
    q, left = q.copy(), np.arange(len(q))
    best, least = q.copy(), np.full(len(q), np.inf)
    for _ in range(STEPS):
        if not len(left):
            break
        apart = task.apart(q[left], goals[left])
        error = np.maximum(apart.distance, apart.angle)
        better = error < least[left]
        best[left[better]], least[left[better]] = q[left[better]], error[better]
        going = (error > FINE) & (error < 4.0 * np.maximum(least[left], 1e-9))
        left, J, off = left[going], apart.slopes[going][:, :, places], apart.error[going]
        if not len(left):
            break
        move = _newton(J, off)
        move *= np.minimum(1.0, FAR / np.maximum(np.abs(move).max(axis=1, initial=0.0), 1e-300))[:, None]
        q[left[:, None], places] += move
    return best, least


def _newton(J: Floats, off: Floats) -> Floats:
    """Return the least steps of joints that make up for errors (k, rows); hardly any along singular directions."""
    Jt = np.swapaxes(J, 1, 2)
    few = J.shape[2] < J.shape[1]
    N = Jt @ J if few else J @ Jt
    size = np.trace(N, axis1=1, axis2=2)
    N += (LEAST * np.maximum(size, 1e-6))[:, None, None] * np.eye(N.shape[1])
    if few:
        return np.asarray(np.linalg.solve(N, Jt @ off[..., None])[..., 0])
    return np.asarray((Jt @ np.linalg.solve(N, off[..., None]))[..., 0])


def _wrapped(chain: Chain, q: Floats) -> Floats:
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


def nearest_rotations(T: Floats) -> Floats:
    """Return poses with their matrices replaced by the nearest rotations."""
    found = T.copy()
    U, _, V = np.linalg.svd(T[..., :3, :3])
    found[..., :3, :3] = U @ V
    return found
