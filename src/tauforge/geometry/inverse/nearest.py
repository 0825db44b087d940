"""States that come nearest to poses which none has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..reach import Search
from .arm_angle import ARM_ANGLE
from .branches import SHARP
from .chain import Floats

if TYPE_CHECKING:
    from .arm import InverseGeometry

STARTS, FAR, BEST = 8, 2.0, 4
"""Starts besides the given one, how far from it they are, in metres and radians, and how many candidates are starts."""


def nearest_states(ik: InverseGeometry, T: Floats, near: Floats, limits: bool) -> Floats:
    """Return the states that come nearest to poses (k, 4, 4), with fixed joints where they are."""
    search = Search(ik._task, limits, ik.fixed)
    best, least = np.array(near), np.full(len(T), np.inf)
    axes, shifts = ik._arm.chain.axes, np.zeros((STARTS, near.shape[1]))
    places = [axes[k].place for k in ik._arm.chain.real if axes[k].name not in ik.fixed]
    shifts[:, places] = np.random.default_rng(0).uniform(-FAR, FAR, (STARTS, len(places)))
    for start in (near, *(near + shift for shift in shifts), *_branches(ik, T, near)):
        q, distance, angle = search.towards(search.inside(start), T)
        off = np.hypot(distance, angle)
        better = off < least
        best[better], least[better] = q[better], off[better]
    return best


def _branches(ik: InverseGeometry, T: Floats, near: Floats) -> list[Floats]:
    """Return the candidates for solutions that miss poses least: a pose may be out of reach by its rounding alone."""
    if ARM_ANGLE in ik.fixed:
        return []
    with np.errstate(all="ignore"):
        q = ik._compiled(T, near, SHARP).q if ik._arm.plan else ik._general.candidates(T, near)
    q, K = np.where(np.isfinite(q).all(axis=2, keepdims=True), q, near[:, None]), q.shape[1]
    error = ik._task.apart(q.reshape(-1, q.shape[2]), np.repeat(T, K, axis=0)).error
    order = np.argsort(np.linalg.norm(error, axis=1).reshape(len(T), K), axis=1)[:, :BEST]
    return [*np.take_along_axis(q, order[..., None], axis=1).swapaxes(0, 1)]
