"""Poses as MuJoCo has them, and the frames that stand there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...robot.kinds import PRISMATIC, SPHERICAL
from ...robot.placement import angles, neat, placement
from ...spatial.vector import Vector
from ..angles import snapped

Array = NDArray[np.float64]


class Place(NamedTuple):
    """A pose: rotation matrix and origin."""

    R: Array
    P: Array

    def then(self, other: Place) -> Place:
        """Return the pose of a frame on this frame."""
        return Place(self.R @ other.R, self.P + self.R @ other.P)

    def inverse(self) -> Place:
        return Place(self.R.T, -self.R.T @ self.P)

    def parameters(self) -> dict[str, Any]:
        """Return the fields of a joint that stands here."""
        return placement([Vector(*row) for row in self.R.tolist()], Vector(*self.P.tolist()))

    @property
    def is_origin(self) -> bool:
        return not self.P.any() and np.array_equal(self.R, np.eye(3))


HERE = Place(np.eye(3), np.zeros(3))


def joint_frame(kind: int, axis: Array, anchor: Array) -> Place:
    """Return where a joint stands on its body: at its anchor, z along its axis; a ball in the body's axes.

    The anchor of a slide does not matter, so it is the body's origin.
    """
    return Place(np.eye(3) if kind == SPHERICAL else _facing(axis), np.zeros(3) if kind == PRISMATIC else anchor.copy())


def _facing(axis: Array) -> Array:
    """Return a rotation that takes z to an axis, with as many zeros as that allows."""
    large = int(np.argmax(abs(axis)))
    x = np.zeros(3)
    if np.count_nonzero(axis) == 1:
        x[(large + 1) % 3] = 1.0  # the next axis, so that z itself stays as it is
    else:
        other = int(np.argmin(abs(axis)))  # x at right angles to the axis of the least component, and to the axis
        x = np.cross(np.eye(3)[other], axis)
        x /= np.linalg.norm(x)
    return np.column_stack((x, np.cross(axis, x), axis))


def pose(quaternion: Sequence[float], origin: Array, snap: float = 0.0) -> Place:
    """Return the pose that MuJoCo writes as a quaternion (w, x, y, z) and an origin."""
    w, x, y, z = (float(part) for part in quaternion)
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return Place(_snapped(R, snap) if snap else R, np.array(origin, dtype=float))


def _snapped(R: Array, snap: float) -> Array:
    """Return a rotation, each angle of which that is within ``snap`` of a quarter turn is that turn."""
    before = gamma, alpha, theta = angles([Vector(*row) for row in R.tolist()])
    alpha = snapped(alpha, snap)
    if alpha in (0.0, math.pi, -math.pi):  # only the sum of the other two counts
        gamma, theta = 0.0, theta + gamma if alpha == 0.0 else theta - gamma
    gamma, theta = snapped(gamma, snap), snapped(theta, snap)
    if (gamma, alpha, theta) == before:
        return R
    return _turn(2, gamma) @ _turn(0, alpha) @ _turn(2, theta)


def _turn(axis: int, angle: float) -> Array:
    """Return the rotation about a coordinate axis, exact at quarter turns."""
    c, s = math.cos(angle), math.sin(angle)
    if neat(angle) % (math.pi / 2) == 0.0:
        c, s = round(c), round(s)
    R = np.eye(3)
    i, k = (axis + 1) % 3, (axis + 2) % 3
    R[i, i], R[i, k], R[k, i], R[k, k] = c, -s, s, c
    return R
