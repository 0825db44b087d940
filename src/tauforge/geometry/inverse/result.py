"""Solutions: all states in which a frame has its pose, and why there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]


@final
@dataclass(frozen=True, eq=False)
class Solutions:
    """All states in which a frame has its poses.

    Attributes
    ----------
    q
        Coordinates, (..., K, robot.coordinate_names): solutions first, then NaN.
    count
        How many solutions each pose has, (...).
    exact
        Whether they have the pose; if not, there is one solution, which comes nearest to it. (...).
    family
        Which solutions represent infinitely many, (..., K): some joints can move without moving the frame.
    why
        Finds the reasons, when they are asked for.
    """

    q: Floats
    count: NDArray[np.intp]
    exact: Truths
    family: Truths
    why: Callable[[], NDArray[Any]]

    @cached_property
    def reason(self) -> NDArray[Any]:
        """Why a pose has no solution, as text, (...); empty where it has one."""
        return self.why()

    def __repr__(self) -> str:
        some = f"{int(self.count.sum())} of {self.count.size} pose{'s' * (self.count.size != 1)}"
        return f"Solutions({some}; {int((self.count == 0).sum())} without any)"


def compacted(q: Floats, good: Truths, family: Truths, order: Floats | None) -> tuple[Floats, NDArray[np.intp], Truths]:
    """Return the good ones of states (k, K, n) first, in an order if one is given, their number, and families.

    The arrays given are overwritten.
    """
    count = np.count_nonzero(good, axis=1)
    K = int(count.max(initial=0))
    if order is not None:
        rank = np.argsort(np.where(good, order, np.inf), axis=1, kind="stable")
        q = np.take_along_axis(q, rank[..., None], axis=1)
        good, family = np.take_along_axis(good, rank, axis=1), np.take_along_axis(family, rank, axis=1)
    if good.shape[1] == K and good.all():
        return q, count, family
    places = np.arange(good.shape[1]) < count[:, None]
    mixed = np.flatnonzero((good != places).any(axis=1))
    if len(mixed):
        rank = np.argsort(~good[mixed], axis=1, kind="stable")
        q[mixed] = np.take_along_axis(q[mixed], rank[..., None], axis=1)
        family[mixed] = np.take_along_axis(family[mixed], rank, axis=1)
    q[~places], family[~places] = np.nan, False
    return q[:, :K], count, family[:, :K]
