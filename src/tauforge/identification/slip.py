"""The direction of friction along a recorded motion, which remembers where a joint at rest came from.

Near rest the sign of a measured velocity is noise, but friction is not: a joint that has stopped is still held by it.
Friction builds up over a short displacement after each reversal, as Dahl (1968) models it,

    dh/dx = (1 - h sign(ẋ)) / δ,    hence h → sign(ẋ) over some δ, and h stays as it is at rest.

With h from -1 to 1 in the place of sign(ẋ), Coulomb friction stays linear in FS. A joint that is faster than the noise
of its velocity surely slides: there h is the sign, as in a Robot's own friction, so identified values belong to both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .signals import Filters

Floats = NDArray[np.float64]
MEMORY = 10.0
"""Displacement over which friction turns near rest, in multiples of the positions' noise."""
FINEST = 1e-12
"""The shortest such displacement."""
STILL = 5.0
"""Speed below which an axis is at rest, in multiples of the velocities' noise."""
_FORGOTTEN = 1e-12
"""What is left of a direction that can be neglected."""


def along(velocities: Floats, filters: Filters, step: float, before: Floats | None = None) -> Floats:
    """Return the directions of friction along a motion whose positions are as noisy as those of a recording."""
    width, slow = (float(np.median(x)) for x in (filters.noise, filters.velocity_noise))
    return slip(velocities, step, max(MEMORY * width, FINEST), STILL * slow, before)


def slip(velocities: Floats, step: float, width: float, threshold: float, start: Floats | None = None) -> Floats:
    """Return the directions of friction (samples, axes) along velocities at equal time steps.

    ``width`` is δ, ``threshold`` the speed from which an axis slides, and ``start`` the directions before the first
    sample, by default none. Each sample changes the direction to a h + b; these changes are composed over ever longer
    spans: 1, 2, 4, … samples. Where an axis slides, a is zero, and nothing is left to compose.
    """
    along = np.ascontiguousarray(velocities.T)
    a, b = np.zeros_like(along), np.sign(along)
    near = np.flatnonzero(np.abs(along) <= threshold)
    a.flat[near] = np.exp(np.abs(along.flat[near]) * (-step / width))
    b.flat[near] *= 1.0 - a.flat[near]
    if start is not None:
        b[:, 0] += a[:, 0] * start
    a[:, 0] = 0.0
    a, b, span = a.ravel(), b.ravel(), 1
    near = near[a[near] > _FORGOTTEN]
    while len(near):
        later = a[near]
        b[near] += later * b[near - span]
        a[near] = later * a[near - span]
        near = near[a[near] > _FORGOTTEN]
        span *= 2
    return b.reshape(along.shape).T
