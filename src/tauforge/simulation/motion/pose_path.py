"""Paths of a frame: straight lines and circular arcs, with orientations that turn about one axis (SLERP).

A path has segments; on the k-th, its parameter goes from k to k + 1. Rates are by that parameter, as twists in the axes
of the base: velocity of the origin and angular velocity.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, final

import numpy as np

from ...errors import ProgramError
from ...geometry.task import Task, rotation_vectors
from .checks import Floats, numbers


class Place(NamedTuple):
    """Poses (m, 4, 4) along a path, with their twists and the rates of these, (m, 6) each."""

    T: Floats
    V: Floats
    A: Floats


class Arc(NamedTuple):
    """An arc of a circle: centre + cos(angle u) a + sin(angle u) b for u from 0 to 1."""

    centre: Floats
    a: Floats
    b: Floats
    angle: float


@final
class PosePath:
    """A path through poses (k, 4, 4), from each to the next along a line, or along an arc through a point."""

    def __init__(self, poses: Floats, via: Sequence[Floats | None]) -> None:
        self.poses = poses
        self.turns = rotation_vectors(poses[1:, :3, :3] @ np.swapaxes(poses[:-1, :3, :3], 1, 2))
        origins = poses[:, :3, 3]
        self._arcs = [
            None if point is None else _arc(k, origins[k], point, origins[k + 1]) for k, point in enumerate(via)
        ]

    def __len__(self) -> int:
        return len(self.poses) - 1

    def __call__(self, k: int, u: Floats) -> Place:
        """Return the poses on a segment."""
        m, arc = len(u), self._arcs[k]
        T, V, A = np.tile(np.eye(4), (m, 1, 1)), np.zeros((m, 6)), np.zeros((m, 6))
        start, end = self.poses[k, :3, 3], self.poses[k + 1, :3, 3]
        if arc is None:
            T[:, :3, 3], V[:, :3] = start + u[:, None] * (end - start), end - start
        else:
            c, s = np.cos(arc.angle * u)[:, None], np.sin(arc.angle * u)[:, None]
            out = c * arc.a + s * arc.b
            T[:, :3, 3], V[:, :3] = arc.centre + out, arc.angle * (c * arc.b - s * arc.a)
            A[:, :3] = -(arc.angle**2) * out
        T[:, :3, :3] = _rotations(u[:, None] * self.turns[k]) @ self.poses[k, :3, :3]
        V[:, 3:] = self.turns[k]
        return Place(T, V, A)

    def length(self, k: int) -> float:
        """Return the length of a segment, in metres; the angle in radians where only the orientation changes."""
        arc = self._arcs[k]
        if arc is not None:
            return float(arc.angle * np.linalg.norm(arc.a))
        way = float(np.linalg.norm(self.poses[k + 1, :3, 3] - self.poses[k, :3, 3]))
        return way or float(np.linalg.norm(self.turns[k]))


def pose_path(task: Task, poses: Any, via: Any) -> PosePath:
    """Return a path from what a user gives."""
    goals = task.goals(poses, "poses")
    if goals.ndim != 3 or len(goals) < 2:
        raise ProgramError(f"poses: give at least two, an array (poses, 4, 4), not {np.shape(poses)}")
    if via is None:
        points: list[Floats | None] = [None] * (len(goals) - 1)
    else:
        if not isinstance(via, Sequence) or len(via) != len(goals) - 1:
            raise ProgramError(
                f"via: give {len(goals) - 1} entries, one for each segment: a point (3), or None for a line"
            )
        points = [None if point is None else numbers("via", point) for point in via]
        if any(point is not None and point.shape != (3,) for point in points):
            raise ProgramError("via: a point has three coordinates")
    path = PosePath(goals, points)
    for k in range(len(path)):
        if not path.length(k):
            raise ProgramError(f"the poses {k + 1} and {k + 2} are the same: leave one out")
    return path


def _arc(k: int, start: Floats, via: Floats, end: Floats) -> Arc:
    """Return the arc from start to end that passes through a third point."""
    u, w = via - start, end - start
    normal = np.cross(u, w)
    area = float(normal @ normal)
    if area <= (1e-9 * float(np.linalg.norm(u) * np.linalg.norm(w))) ** 2 or not area:
        raise ProgramError(f"via: the points of segment {k + 1} lie on a line, through which there is no circle")
    centre = start + (np.cross(normal, u) * (w @ w) + np.cross(w, normal) * (u @ u)) / (2.0 * area)
    a, axis = start - centre, normal / np.sqrt(area)
    b = np.cross(axis, a)
    x, y = float((end - centre) @ a), float((end - centre) @ b)
    return Arc(centre, a, b, float(np.arctan2(y, x) % (2.0 * np.pi)))


def _rotations(w: Floats) -> Floats:
    """Return the rotations by vectors (m, 3)."""
    angle = np.linalg.norm(w, axis=1)[:, None, None]
    x, y, z = w.T
    o = np.zeros_like(x)
    W = np.stack([o, -z, y, z, o, -x, -y, x, o], axis=1).reshape(-1, 3, 3)
    return np.asarray(np.eye(3) + np.sinc(angle / np.pi) * W + 0.5 * np.sinc(angle / (2.0 * np.pi)) ** 2 * (W @ W))
