"""Solids as triangles: boxes, turned profiles, hulls of balls; smoothed, coloured, moved and joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Color = tuple[float, float, float]
SIDES = 32
"""Sides of a circle."""
CREASE = 0.75
"""Cosine of the angle between faces from which on their common edge is sharp."""
SAME = 1e-7
"""Distance of corners that are one, as a part of the solid's size."""


@dataclass(frozen=True, eq=False)
class Solid:
    """Triangles with a normal and a colour at each corner.

    Attributes
    ----------
    points
        Corners, (n, 3).
    normals
        Unit normals there.
    colors
        Red, green and blue there, from 0 to 1.
    faces
        Numbers of the corners of each triangle, (m, 3), counterclockwise seen from outside.
    """

    points: Floats
    normals: Floats
    colors: Floats
    faces: Ints

    def moved(self, T: Floats) -> Solid:
        """Return the solid at a pose."""
        return Solid(self.points @ T[:3, :3].T + T[:3, 3], self.normals @ T[:3, :3].T, self.colors, self.faces)


NOTHING = Solid(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))


def joined(solids: Sequence[Solid]) -> Solid:
    """Return several solids as one."""
    if not solids:
        return NOTHING
    first = np.cumsum([0, *(len(each.points) for each in solids)])
    faces = [each.faces + start for each, start in zip(solids, first[:-1], strict=True)]
    parts = ([getattr(each, key) for each in solids] for key in ("points", "normals", "colors"))
    points, normals, colors = (np.concatenate(part) for part in parts)
    return Solid(points, normals, colors, np.concatenate(faces))


def smooth(points: Floats, faces: Ints, color: ArrayLike) -> Solid:
    """Return triangles with normals that are averaged across all edges but sharp ones.

    The colour is that of all, or one for each triangle.
    """
    size = float(np.ptp(points, axis=0).max()) or 1.0
    _, kept, place = np.unique(np.round(points / (SAME * size)), axis=0, return_index=True, return_inverse=True)
    points, faces = points[kept], place.reshape(-1)[faces]
    sides = points[faces]
    across = np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0])
    doubled = np.linalg.norm(across, axis=1)
    real = doubled > 1e-14 * size * size
    faces, across, doubled = faces[real], across[real], doubled[real]
    if not len(faces):
        return NOTHING
    each = np.broadcast_to(np.asarray(color, dtype=float), (len(real), 3))[real]
    normals = _corner_normals(faces, across, across / doubled[:, None])
    key = np.column_stack([faces.ravel(), np.round(normals * 500), np.repeat(np.round(each * 255), 3, axis=0)])
    _, first, place = np.unique(key.astype(np.int64), axis=0, return_index=True, return_inverse=True)
    corners = faces.ravel()[first]
    return Solid(points[corners], normals[first], each[first // 3], place.reshape(-1, 3))


def _corner_normals(faces: Ints, weighted: Floats, unit: Floats) -> Floats:
    """Return the normal at each corner of each triangle: the mean of those around it that are not across a crease."""
    order = np.argsort(faces.ravel(), kind="stable")
    counts = np.bincount(faces.ravel())
    starts = np.cumsum(counts) - counts
    owner = faces.ravel()[order]
    many = np.minimum(counts, 64)[owner]  # of thousands of triangles around a pole, some are enough
    mine = np.repeat(np.arange(len(order)), many)
    step = np.arange(len(mine)) - np.repeat(np.cumsum(many) - many, many)
    other = order[np.repeat(starts[owner], many) + step * np.repeat(counts[owner], many) // np.repeat(many, many)]
    a, b = order[mine] // 3, other // 3
    near = (unit[a] * unit[b]).sum(axis=1) > CREASE
    found = np.zeros((len(order), 3))
    for k in range(3):
        found[:, k] = np.bincount(order[mine[near]], weighted[b[near], k], minlength=len(order))
    own = np.repeat(unit, 3, axis=0)
    length = np.linalg.norm(found, axis=1)
    good = length > 1e-12 * max(float(length.max()), 1e-300)
    own[good] = found[good] / length[good, None]
    return own


def box(edges: Sequence[float], color: ArrayLike) -> Solid:
    """Return a box around the origin."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * np.array(edges)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return smooth(corners, np.array([[q[0], q[i], q[i + 1]] for q in quads for i in (1, 2)]), color)


def turned(profile: Sequence[tuple[float, float]], color: ArrayLike, sides: int = SIDES) -> Solid:
    """Return a profile (radius, z), given from top to bottom, turned about z."""
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    points = np.concatenate([np.column_stack([r * ring, np.full(sides, z)]) for r, z in profile])
    here, after = np.arange(sides), (np.arange(sides) + 1) % sides
    faces = []
    for k in range(len(profile) - 1):
        a, b = k * sides, (k + 1) * sides
        faces += [np.column_stack([a + here, b + here, b + after]), np.column_stack([a + here, b + after, a + after])]
    return smooth(points, np.concatenate(faces), color)


def cylinder(radius: float, length: float, color: ArrayLike, bevel: float = 0.0) -> Solid:
    """Return a cylinder along z around the origin, with bevelled edges if asked."""
    half, cut = 0.5 * length, min(bevel, 0.4 * radius, 0.4 * length)
    edge = [(radius - cut, half), (radius, half - cut)] if cut else [(radius, half)]
    below = [(r, -z) for r, z in reversed(edge)]
    return turned([(0.0, half), *edge, *below, (0.0, -half)], color)


def capsule(radius: float, length: float, color: ArrayLike) -> Solid:
    """Return a cylinder along z with half a ball at each end; its length is that between the centres of the balls."""
    turn = np.linspace(0.0, 0.5 * np.pi, 9)
    top = [(radius * np.sin(a), 0.5 * length + radius * np.cos(a)) for a in turn]
    return turned([*top, *((r, -z) for r, z in reversed(top))], color)


def ball(radii: Sequence[float], color: ArrayLike) -> Solid:
    """Return an ellipsoid around the origin."""
    unit = capsule(1.0, 0.0, color)
    return smooth(unit.points * np.array(radii), unit.faces, color)


def hull(points: Sequence[Floats], radii: Sequence[float], color: ArrayLike) -> Solid:
    """Return the convex hull of balls: a tapered capsule around two, a rounded plate around three or more."""
    if len(points) == 2:
        return _tapered(points[0], points[1], radii[0], radii[1], color)
    from scipy.spatial import ConvexHull

    unit = capsule(1.0, 0.0, color).points
    cloud = np.concatenate([point + radius * unit for point, radius in zip(points, radii, strict=True)])
    found = ConvexHull(cloud)
    faces = found.simplices.astype(np.int64)
    sides = cloud[faces]
    outward = np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0])
    flipped = (outward * found.equations[:, :3]).sum(axis=1) < 0
    faces[flipped] = faces[flipped][:, ::-1]
    return smooth(cloud, faces, color)


def _tapered(start: Floats, end: Floats, first: float, last: float, color: ArrayLike) -> Solid:
    """Return the hull of two balls."""
    length = float(np.linalg.norm(end - start))
    if length <= abs(first - last):  # one ball is inside the other
        at, radius = (start, first) if first > last else (end, last)
        return ball((radius,) * 3, color).moved(facing(np.zeros(3), at))
    lean = float(np.arccos((first - last) / length))  # from the axis to where the cone touches the balls
    top = [(last * np.sin(a), length + last * np.cos(a)) for a in np.linspace(0.0, lean, 10)]
    bottom = [(first * np.sin(a), first * np.cos(a)) for a in np.linspace(lean, np.pi, 10)]
    return turned([*top, *bottom], color).moved(facing(end - start, start))


def between(start: Floats, end: Floats) -> Floats:
    """Return the pose in the middle of two points, with z from the first to the second."""
    T = facing(end - start)
    T[:3, 3] = 0.5 * (start + end)
    return T


def facing(z: Floats, at: ArrayLike = (0.0, 0.0, 0.0)) -> Floats:
    """Return a pose at a point with z in a direction."""
    length = float(np.linalg.norm(z))
    z = z / length if length else np.array([0.0, 0.0, 1.0])
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    T = np.eye(4)
    T[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    T[:3, 3] = at
    return T
