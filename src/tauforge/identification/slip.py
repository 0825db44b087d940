"""The direction of friction along a recorded motion, which remembers where the joint came from.

Near rest the sign of a measured velocity is noise, but friction is not: a joint that has stopped is still held by it.
Friction builds up over a short displacement after each reversal, as Dahl (1968) models it,

    dh/dx = (sign(dx) - h sign(dx)²) / δ,    hence h → sign(ẋ) over some δ, and h stays as it is at rest.

With h from -1 to 1 in the place of sign(ẋ), Coulomb friction stays linear in FS, and equals FS sign(ẋ) while the joint
moves one way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_LARGEST = 500.0
"""Displacement over δ in one step of the sum below: its exponential is still a float."""


def slip(velocities: Floats, step: float, width: Floats | float, start: Floats | None = None) -> Floats:
    """Return the directions of friction (samples, axes) along velocities at equal time steps.

    ``width`` is δ of each axis; ``start`` the directions before the first sample, by default none.
    """
    moved = np.abs(velocities) * (step / np.broadcast_to(width, velocities.shape[1:]))
    signs = np.sign(velocities)
    found = np.empty_like(velocities)
    for k in range(velocities.shape[1]):
        found[:, k] = _along(moved[:, k], signs[:, k], 0.0 if start is None else float(start[k]))
    return found


def _along(moved: Floats, signs: Floats, h: float) -> Floats:
    """Return one axis' directions: the solution of dh/ds = sign - h over the way s."""
    moved = np.minimum(moved, 50.0)
    way = np.cumsum(moved)
    found = np.empty_like(moved)
    gained = signs * -np.expm1(-moved)
    first = 0
    while first < len(moved):
        before = way[first - 1] if first else 0.0
        end = int(np.searchsorted(way, before + _LARGEST, side="right"))
        end = max(end, first + 1)
        grown = np.exp(way[first:end] - before)
        found[first:end] = (h + np.cumsum(gained[first:end] * grown)) / grown
        h = float(found[end - 1])
        first = end
    return found
