"""States that come nearest to poses which none has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..reach import Search
from .chain import Floats

if TYPE_CHECKING:
    from .arm import InverseGeometry

STARTS, FAR = 8, 2.0
"""Starts besides the given one, and how far from it they are, in metres and radians."""


def nearest_states(ik: InverseGeometry, T: Floats, near: Floats, limits: bool) -> Floats:
    """Return the states that come nearest to poses (k, 4, 4), with fixed joints where they are."""
    search = Search(ik._task, limits, ik.fixed)
    best, least = np.array(near), np.full(len(T), np.inf)
    axes, shifts = ik._arm.chain.axes, np.zeros((STARTS, near.shape[1]))
    places = [axes[k].place for k in ik._arm.chain.real if axes[k].name not in ik.fixed]
    shifts[:, places] = np.random.default_rng(0).uniform(-FAR, FAR, (STARTS, len(places)))
    for shift in (0.0, *shifts):
        q, distance, angle = search.towards(search.inside(near + shift), T)
        off = np.hypot(distance, angle)
        better = off < least
        best[better], least[better] = q[better], off[better]
    return best
