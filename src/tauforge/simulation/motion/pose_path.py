"""Paths of a frame: straight lines and circular arcs, with orientations that turn about one axis (SLERP).

A path has stretches from rest to rest; on the k-th, its parameter goes from k to k + 1. Rates are by that parameter, as
twists in the axes of the base: velocity of the origin and angular velocity.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
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
    """A path through poses (k, 4, 4), from each to the next along a line, or along an arc through a point.

    About a pose with a radius, the path leaves one segment for the next without a corner. At all others it rests.

    Attributes
    ----------
    lengths
        Of the segments, in metres; the angles in radians where only the orientation changes.
    radii
        Of the poses; zero at both ends.
    stretches
        The segments from each rest to the next.
    """

    def __init__(self, poses: Floats, via: Sequence[Floats | None], radius: Any) -> None:
        self.poses = poses
        self._turns = rotation_vectors(poses[1:, :3, :3] @ np.swapaxes(poses[:-1, :3, :3], 1, 2))
        origins = poses[:, :3, 3]
        self._arcs = [
            None if point is None else _arc(k, origins[k], point, origins[k + 1]) for k, point in enumerate(via)
        ]
        self.lengths = np.array([self._length(k) for k in range(len(via))])
        self.radii = _radii(radius, self.lengths)
        rests = np.flatnonzero(self.radii == 0.0).tolist()
        self.stretches = [range(a, b) for a, b in pairwise(rests)]

    def __len__(self) -> int:
        return len(self.stretches)

    def __call__(self, k: int, u: Floats) -> Place:
        """Return the poses on a stretch, whose parameter is in proportion to the length."""
        own, whole = self.stretches[k], self.length(k)
        s, edges = u * whole, self.edges(k)[1:-1] * whole
        piece = np.searchsorted(edges, s, side="right")
        starts = np.concatenate([[0.0], np.cumsum(self.lengths[own])])
        found = Place(np.empty((len(u), 4, 4)), np.empty((len(u), 6)), np.empty((len(u), 6)))
        for p in np.unique(piece).tolist():
            here = piece == p
            if p % 2:
                part = self._corner(own[p // 2], s[here] - edges[p - 1])
            else:
                part = self._segment(own[p // 2], s[here] - starts[p // 2])
            for mine, new in zip(found, part, strict=True):
                mine[here] = new
        return Place(found.T, whole * found.V, whole**2 * found.A)

    def length(self, k: int) -> float:
        """Return the length of a stretch."""
        return float(self.lengths[self.stretches[k]].sum())

    def edges(self, k: int) -> Floats:
        """Return where on a stretch the third rates can jump, and its ends."""
        own = self.stretches[k]
        ends = np.cumsum(self.lengths[own])
        about = [end + sign * self.radii[j] for j, end in zip(own[1:], ends, strict=False) for sign in (-1.0, 1.0)]
        return np.array([0.0, *(x / ends[-1] for x in about), 1.0])

    def marks(self) -> Floats:
        """Return the parameter of the path at each pose."""
        shares = (k + np.cumsum(self.lengths[own]) / self.length(k) for k, own in enumerate(self.stretches))
        found: Floats = np.concatenate([[0.0], *shares])
        rests = self.radii == 0.0
        found[rests] = np.arange(float(rests.sum()))
        return found

    def segment_at(self, k: int, u: float) -> tuple[int, float]:
        """Return the segment at a place on a stretch, and which part of it has been passed there."""
        own = self.stretches[k]
        ends = np.cumsum(self.lengths[own])
        place = min(int(np.searchsorted(ends, u * ends[-1], side="right")), len(own) - 1)
        return own[place], 1.0 - float((ends[place] - u * ends[-1]) / self.lengths[own[place]])

    def _segment(self, j: int, s: Floats) -> Place:
        """Return the poses on a segment at lengths from its start, and their rates by the length."""
        m, arc, L = len(s), self._arcs[j], self.lengths[j]
        u = s / L
        T, V, A = np.tile(np.eye(4), (m, 1, 1)), np.zeros((m, 6)), np.zeros((m, 6))
        start, end = self.poses[j, :3, 3], self.poses[j + 1, :3, 3]
        if arc is None:
            T[:, :3, 3], V[:, :3] = start + u[:, None] * (end - start), end - start
        else:
            cosine, sine = np.cos(arc.angle * u)[:, None], np.sin(arc.angle * u)[:, None]
            out = cosine * arc.a + sine * arc.b
            T[:, :3, 3], V[:, :3] = arc.centre + out, arc.angle * (cosine * arc.b - sine * arc.a)
            A[:, :3] = -(arc.angle**2) * out
        T[:, :3, :3] = rotations(u[:, None] * self._turns[j]) @ self.poses[j, :3, :3]
        V[:, 3:] = self._turns[j]
        return Place(T, V / L, A / L**2)

    def _corner(self, j: int, x: Floats) -> Place:
        """Return the poses at lengths x in the curve from a segment to the next, 2 r long.

        The way on the first segment slows down to its end while that on the second speeds up; both displacements from
        the pose at the corner add up, and so do the turns, one after the other.
        """
        r, Tc = self.radii[j + 1], self.poses[j + 1]
        y = x / (2.0 * r)
        share, rise = (y * y * (3.0 - 2.0 * y))[:, None], (3.0 * y * (1.0 - y) / r)[:, None]
        way = 2.0 * r * (y**3 - y**4 / 2.0)
        T0, V0, A0 = self._segment(j, self.lengths[j] - r + x - way)
        T1, V1, A1 = self._segment(j + 1, way)
        V0, A0 = V0 * (1.0 - share), A0 * (1.0 - share) ** 2 - V0 * rise
        V1, A1 = V1 * share, A1 * share**2 + V1 * rise
        E = T1[:, :3, :3] @ Tc[:3, :3].T
        T, V, A = T0.copy(), V0 + V1, A0 + A1
        T[:, :3, :3], T[:, :3, 3] = E @ T0[:, :3, :3], T0[:, :3, 3] + T1[:, :3, 3] - Tc[:3, 3]
        turned, w = (np.einsum("kij,kj->ki", E, z[:, 3:]) for z in (A0, V0))
        V[:, 3:] = V1[:, 3:] + w
        A[:, 3:] = A1[:, 3:] + turned + np.cross(V1[:, 3:], w)
        return Place(T, V, A)

    def _length(self, k: int) -> float:
        arc = self._arcs[k]
        if arc is not None:
            return float(arc.angle * np.linalg.norm(arc.a))
        way = float(np.linalg.norm(self.poses[k + 1, :3, 3] - self.poses[k, :3, 3]))
        found = way or float(np.linalg.norm(self._turns[k]))
        if not found:
            raise ProgramError(f"the poses {k + 1} and {k + 2} are the same: leave one out")
        return found


def pose_path(task: Task, poses: Any, via: Any, radius: Any) -> PosePath:
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
    return PosePath(goals, points, radius)


def _radii(radius: Any, lengths: Floats) -> Floats:
    """Return the radius of each pose."""
    inner = len(lengths) - 1
    given = np.zeros(inner) if radius is None else numbers("radius", radius)
    if given.shape not in ((), (inner,)) or (given < 0.0).any():
        raise ProgramError(
            f"radius: give one for all poses between the first and the last, or {inner}, zero for rest, none negative"
        )
    found = np.concatenate([[0.0], np.broadcast_to(given, inner), [0.0]])
    if (tight := np.flatnonzero(found[1:] + found[:-1] > lengths * (1.0 + 1e-9))).size:
        k = int(tight[0])
        raise ProgramError(
            f"radius: the curves about the poses {k + 1} and {k + 2} overlap, which are only {lengths[k]:.4g} apart"
        )
    return found


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


def rotations(w: Floats) -> Floats:
    """Return the rotations by vectors (m, 3)."""
    angle = np.linalg.norm(w, axis=1)[:, None, None]
    x, y, z = w.T
    o = np.zeros_like(x)
    W = np.stack([o, -z, y, z, o, -x, -y, x, o], axis=1).reshape(-1, 3, 3)
    return np.asarray(np.eye(3) + np.sinc(angle / np.pi) * W + 0.5 * np.sinc(angle / (2.0 * np.pi)) ** 2 * (W @ W))
