"""Solutions: all states in which a frame has its pose, and why there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]


class Found(NamedTuple):
    """What is known about solutions besides their coordinates, and what finds the reasons when they are asked for, or
    these themselves.
    """

    counts: NDArray[np.intp]
    exact: Truths
    family: Truths
    why: Callable[[], NDArray[Any]] | NDArray[Any]


@final
class Solutions:
    """All states in which a frame has its poses.

    Attributes
    ----------
    q
        Coordinates, (..., K, robot.coordinate_names): solutions first, then NaN.
    """

    __slots__ = ("_found", "q")

    def __init__(self, q: Floats, found: Found | Callable[[], NDArray[Any]]) -> None:
        """Take what was found, or for one pose with exact solutions only, what says why there is none."""
        self.q, self._found = q, found

    def _all(self) -> Found:
        if not isinstance(self._found, Found):
            K = len(self.q)
            self._found = Found(np.array(K), np.array(True), np.zeros(K, dtype=bool), self._found)
        return self._found

    @property
    def count(self) -> NDArray[np.intp]:
        """How many solutions each pose has, (...)."""
        return self._all().counts

    @property
    def exact(self) -> Truths:
        """Whether they have the pose; if not, there is one solution, which comes nearest to it. (...)."""
        return self._all().exact

    @property
    def family(self) -> Truths:
        """Which solutions represent infinitely many, (..., K): some joints can move without moving the frame."""
        return self._all().family

    @property
    def reason(self) -> NDArray[Any]:
        """Why a pose has no solution, as text, (...); empty where it has one."""
        found = self._all()
        if callable(found.why):
            self._found = found = found._replace(why=found.why())
        return found.why  # type: ignore[return-value]

    def __repr__(self) -> str:
        some = f"{int(self.count.sum())} of {self.count.size} pose{'s' * (self.count.size != 1)}"
        return f"Solutions({some}; {int((self.count == 0).sum())} without any)"


def compacted(q: Floats, good: Truths, family: Truths, order: Floats | None) -> tuple[Floats, NDArray[np.intp], Truths]:
    """Return the good ones of states (k, K, n) first, in an order if one is given, their number, and families.

    The arrays given are overwritten.
    """
    room, n = q.shape[1:]
    count = (good.astype(float) @ np.ones(room)).astype(np.intp)  # several times faster than counting
    if order is not None:
        rank = np.argsort(np.where(good, order, np.inf), axis=1, kind="stable")
        q = np.take_along_axis(q, rank[..., None], axis=1)
        good, family = np.take_along_axis(good, rank, axis=1), np.take_along_axis(family, rank, axis=1)
    if good.all():
        return q, count, family
    if room < len(count):
        places = np.tri(room + 1, room, -1, dtype=bool).take(count, axis=0)  # several times faster than comparing
    else:
        places = np.arange(room) < count[:, None]  # a table of all counts could exceed the memory
    start, end = np.flatnonzero(good), np.flatnonzero(places)  # as many of each, pose by pose
    moved, empty = np.flatnonzero(start != end), np.flatnonzero(~places)
    start, end = start[moved], end[moved]
    q, family = np.ascontiguousarray(q), np.ascontiguousarray(family)
    whole = np.dtype((np.void, n * q.itemsize))  # a row as one entry, which NumPy moves faster than n
    rows, flags = q.reshape(-1).view(whole), family.reshape(-1)
    rows[end], flags[end] = rows[start], flags[start]
    rows[empty], flags[empty] = np.full(n, np.nan).view(whole), False
    K = int(count.max(initial=0))
    return q[:, :K], count, family[:, :K]


def gathered(q: Floats, pose: NDArray[np.intp], count: int) -> Floats:
    """Return states (m, n) as (k, K, n), by their poses; NaN where there is none."""
    order = np.argsort(pose, kind="stable")
    pose, q = pose[order], q[order]
    first = np.searchsorted(pose, np.arange(count))
    place = np.arange(len(pose)) - first[pose]
    found = np.full((count, int(place.max(initial=0)) + 1, q.shape[1]), np.nan)
    found[pose, place] = q
    return found
