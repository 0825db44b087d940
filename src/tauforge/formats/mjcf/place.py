"""Poses as MuJoCo writes them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...robot.kinds import PRISMATIC, SPHERICAL
from ...robot.placement import angles, neat
from ...spatial.pose import Pose
from ...spatial.rotation import Plane, Rotation, Rows
from ...spatial.vector import ZERO, Vector
from ..angles import snapped

Array = NDArray[np.float64]


def joint_frame(kind: int, axis: Array, anchor: Array) -> Pose:
    """Return the pose of a joint on its body: at its anchor, with z along its axis; for a ball, in the body's axes.

    The anchor of a slide does not matter, so it is the body's origin.
    """
    turn = Rotation() if kind == SPHERICAL else Rotation.of(_facing(axis))
    return Pose(turn, ZERO if kind == PRISMATIC else Vector(*anchor.tolist()))


def _facing(axis: Array) -> Rows:
    """Return a rotation that takes z to an axis, with as many zeros as that allows."""
    large = int(np.argmax(abs(axis)))
    x = np.zeros(3)
    if np.count_nonzero(axis) == 1:
        x[(large + 1) % 3] = 1.0  # the next axis, so that z itself does not change
    else:
        other = int(np.argmin(abs(axis)))  # x is perpendicular to this coordinate axis and to the axis
        x = np.cross(np.eye(3)[other], axis)
        x /= np.linalg.norm(x)
    first, second, third = np.column_stack((x, np.cross(axis, x), axis)).tolist()
    return Vector(*first), Vector(*second), Vector(*third)


def pose(quaternion: Sequence[float], origin: Array, snap: float = 0.0) -> Pose:
    """Return the pose that MuJoCo writes as a quaternion (w, x, y, z) and an origin."""
    w, x, y, z = (float(part) for part in quaternion)
    rows = (
        Vector(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        Vector(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        Vector(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return Pose(Rotation.of(_snapped(rows, snap) if snap else rows), Vector(*origin.tolist()))


def _snapped(rows: Rows, snap: float) -> Rows:
    """Return a rotation in which each angle within ``snap`` of a quarter turn is that quarter turn."""
    before = gamma, alpha, theta = angles(rows)
    alpha = snapped(alpha, snap)
    if alpha in (0.0, math.pi, -math.pi):  # only the sum of the other two counts
        gamma, theta = 0.0, theta + gamma if alpha == 0.0 else theta - gamma
    gamma, theta = snapped(gamma, snap), snapped(theta, snap)
    if (gamma, alpha, theta) == before:
        return rows
    return Rotation([_turn(2, gamma), _turn(0, alpha), _turn(2, theta)]).rows


def _turn(axis: int, angle: float) -> Plane:
    """Return the rotation about a coordinate axis, exact at quarter turns."""
    c, s = math.cos(angle), math.sin(angle)
    if neat(angle) % (math.pi / 2) == 0.0:
        c, s = round(c), round(s)
    return Plane(axis, c, s)
