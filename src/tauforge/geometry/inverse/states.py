"""States of several poses, one under another: made exact by Newton steps, and duplicates removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...runtime.function import Function
from .chain import NOWHERE, Chain, Floats
from .refine import GOOD, SAME, steps, wrapped
from .result import Truths, gathered

ENOUGH = 1e-13
"""Error after one step, in metres and radians, from which on no other is needed."""


class States(NamedTuple):
    """States (m, n), and the number of the pose that each is for."""

    q: Floats
    pose: NDArray[np.intp]

    def some(self, which: Truths) -> States:
        """Return some of the states."""
        return States(self.q[which], self.pose[which])

    def padded(self, count: int) -> Floats:
        """Return the states as (count, K, n), by their poses; NaN where there is none."""
        return gathered(self.q, self.pose, count)


def joined(parts: Sequence[States], width: int) -> States:
    """Return several lots of states as one, with so many coordinates."""
    return States(
        np.concatenate([own.q[:, :width] for own in parts]) if parts else np.empty((0, width)),
        np.concatenate([own.pose for own in parts]) if parts else np.empty(0, dtype=np.intp),
    )


def exact(newton: Function, chain: Chain, near: States, T: Floats) -> States:
    """Return the solutions of poses (k, 4, 4) to which states lead."""
    goals = T[near.pose]
    q, _ = newton(near.q, goals)
    _, error = newton(q, goals)
    least = error[:, 0]
    more = np.flatnonzero(~(least < ENOUGH))
    if len(more):
        q[more], least[more] = steps(newton, near.q[more], goals[more])
    found = States(wrapped(chain, q), near.pose).some(least < GOOD)
    return found.some(distinct(chain, *found))


def distinct(chain: Chain, q: Floats, pose: NDArray[np.intp]) -> Truths:
    """Tell which states are not duplicates of others with the same pose."""
    turning = np.zeros(q.shape[1], dtype=bool)
    turning[[axis.place for axis in chain.axes if axis.place != NOWHERE and not axis.slides]] = True
    kept, weights = np.ones(len(q), dtype=bool), np.cos(np.arange(1.0, q.shape[1] + 1.0))
    key = np.where(turning, np.sin(q + weights), q) @ weights  # duplicates have almost the same one
    order = np.lexsort((key, pose))
    key, pose = key[order], pose[order]
    for gap in range(1, len(q)):
        near = np.flatnonzero((key[gap:] - key[:-gap] < len(weights) * SAME) & (pose[gap:] == pose[:-gap]))
        if not len(near):
            break
        first, second = order[near], order[near + gap]
        off = np.abs(q[first] - q[second])
        off = np.where(turning, np.abs(off - 2.0 * np.pi * np.round(off / (2.0 * np.pi))), off)
        same = (off.max(axis=1) < SAME) & kept[first]
        kept[second[same]] = False
    return kept
