"""Triangles to pixels with NumPy alone: a depth buffer, normals and colours at each pixel, a second buffer for shadows.

The light, the floor and the shading are those of the page (player/renderer.js), so that pictures made with and without
a browser look alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .page import LIGHT, grid
from .scene import LENS, MARGIN, Scene
from .solids import Solid

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SAMPLES = 2_000_000
"""Pixels of triangles that are tried at once."""
FINER = 2
"""Pixels along each side of a pixel, for smooth edges."""
SHADOW = 700
"""Sides of the buffer for shadows, in pixels."""
SKY, INK = np.array([0.957, 0.965, 0.973]), np.array([0.20, 0.26, 0.33])
"""Colours of the background, and of the floor's grid and shadows."""


class Hits(NamedTuple):
    """The nearest triangle at each pixel, -1 where there is none; the depth, and the weights of two of its corners."""

    face: Ints
    depth: Floats
    weights: Floats


@dataclass(frozen=True)
class Camera:
    """Where the picture is seen from: the eye, the axes (right, up, toward the eye) and the scale of the picture."""

    eye: Floats
    axes: Floats
    scale: float
    width: int
    height: int

    def seen(self, points: Floats) -> tuple[Floats, Floats]:
        """Return pixels and the inverse of the distance along the view, which is linear in the picture."""
        p = (points - self.eye) @ self.axes.T
        inverse = 1.0 / np.maximum(-p[:, 2], 1e-9)
        x = 0.5 * self.width + self.scale * p[:, 0] * inverse
        y = 0.5 * self.height - self.scale * p[:, 1] * inverse
        return np.column_stack([x, y]), inverse


class Renderer:
    """Makes pictures of one scene, of one size, with its links at any poses."""

    def __init__(self, scene: Scene, width: int, height: int) -> None:
        self.scene, self.width, self.height = scene, width, height
        self.camera = _camera(scene, FINER * width, FINER * height)
        self.light = _light(scene)
        self.ground: _Ground | None = None

    def render(self, T: Floats) -> NDArray[np.uint8]:
        """Return the picture, (height, width, 3)."""
        camera, whole = self.camera, _joined(self.scene, T)
        pixels, inverse = camera.seen(whole.points)
        hits = rasterise(pixels, -inverse, whole.faces, camera.width, camera.height)
        shadow = _Shadow(self.scene, whole, self.light)
        self.ground = self.ground or _Ground(self.scene, camera, shadow)
        image = self.ground.drawn(shadow)
        _shade(image, whole, hits, inverse, camera, shadow, self.light)
        small = image.reshape(self.height, FINER, self.width, FINER, 3).mean(axis=(1, 3))
        found: NDArray[np.uint8] = np.round(np.clip(small, 0.0, 1.0) * 255).astype(np.uint8)
        return found


def rasterise(xy: Floats, depth: Floats, faces: Ints, width: int, height: int) -> Hits:
    """Return which triangle is nearest at the centre of each pixel; the depth is smaller for what is nearer."""
    nearest = np.full(width * height, np.inf)
    face = np.full(width * height, -1, dtype=np.int64)
    weights = np.zeros((width * height, 2))
    corners = xy[faces]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    twice = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    k, x, y = _covered(corners, twice, width, height)
    for start in range(0, len(k), SAMPLES):
        part = slice(start, start + SAMPLES)
        i, place = k[part], y[part] * width + x[part]
        dx, dy = x[part] + 0.5 - a[i, 0], y[part] + 0.5 - a[i, 1]
        u = (dx * (c[i, 1] - a[i, 1]) - dy * (c[i, 0] - a[i, 0])) / twice[i]
        v = (dy * (b[i, 0] - a[i, 0]) - dx * (b[i, 1] - a[i, 1])) / twice[i]
        z0, z1, z2 = (depth[faces[i, m]] for m in range(3))
        z = z0 + u * (z1 - z0) + v * (z2 - z0)
        np.minimum.at(nearest, place, z)
        won = np.flatnonzero(z <= nearest[place])
        face[place[won]] = i[won]
        weights[place[won], 0], weights[place[won], 1] = u[won], v[won]
    shape = (height, width)
    return Hits(face.reshape(shape), nearest.reshape(shape), weights.reshape(*shape, 2))


def _covered(corners: Floats, twice: Floats, width: int, height: int) -> tuple[Ints, Ints, Ints]:
    """Return the pixels whose centres are inside triangles: the number of the triangle, the column and the row.

    Each row of a triangle is the span between its edges, so that long thin triangles cost no more than others.
    """
    low = np.ceil(corners[:, :, 1].min(axis=1) - 0.5).clip(0)
    high = np.floor(corners[:, :, 1].max(axis=1) - 0.5).clip(max=height - 1)
    rows = np.where(np.abs(twice) > 1e-12, np.maximum(high - low + 1, 0), 0).astype(np.int64)
    k = np.repeat(np.arange(len(rows)), rows)
    y = (low[k] + np.arange(len(k)) - np.repeat(np.cumsum(rows) - rows, rows)).astype(np.int64)
    first, last = np.full(len(k), 0.5), np.full(len(k), width - 0.5)
    side = np.sign(twice)
    for m in range(3):
        p, d = corners[:, m], (corners[:, (m + 1) % 3] - corners[:, m]) * side[:, None]
        slope = -d[k, 1]  # of the distance to the edge, along the row
        rest = d[k, 0] * (y + 0.5 - p[k, 1]) + d[k, 1] * p[k, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            meet = -rest / slope
        first = np.where(slope > 0, np.maximum(first, meet), first)
        last = np.where(slope < 0, np.minimum(last, meet), last)
        last = np.where((slope == 0) & (rest < 0), -1.0, last)
    start = np.ceil(first - 0.5).astype(np.int64)
    count = np.maximum(np.floor(last - 0.5).astype(np.int64) - start + 1, 0)
    x = np.repeat(start, count) + np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(k, count), x, np.repeat(y, count)


def _camera(scene: Scene, width: int, height: int) -> Camera:
    """Return the camera of the page at its first place."""
    z = scene.up @ scene.eye
    x = np.cross([0.0, 0.0, 1.0], z)
    x /= np.linalg.norm(x)
    narrow = min(1.0, width / height)
    distance = scene.radius * MARGIN / math.sin(math.radians(LENS) / 2) / max(narrow, 0.2)
    scale = 0.5 * height / math.tan(math.radians(LENS) / 2)
    return Camera(scene.up @ scene.centre + distance * z, np.array([x, np.cross(z, x), z]), scale, width, height)


def _light(scene: Scene) -> Floats:
    """Return the direction to the light."""
    eye = scene.up @ scene.eye
    c, s = eye[:2] / np.linalg.norm(eye[:2])
    x, y, z = -LIGHT[0], LIGHT[1], LIGHT[2]
    found = np.array([c * x - s * y, s * x + c * y, z])
    unit: Floats = found / np.linalg.norm(found)
    return unit


def _joined(scene: Scene, T: Floats) -> Solid:
    """Return all links at their poses as one solid, with z upward."""
    from .solids import joined

    upright = np.eye(4)
    upright[:3, :3] = scene.up
    return joined([solid.moved(upright @ T[k]) for k, solid in enumerate(scene.links) if len(solid.faces)])


class _Shadow:
    """Tells how much light reaches a point: the depths of what is nearest to the light, seen from there."""

    def __init__(self, scene: Scene, whole: Solid, light: Floats) -> None:
        x = np.cross([0.0, 1.0, 0.0], light)
        x /= np.linalg.norm(x)
        self.axes = np.array([x, np.cross(light, x), light])
        self.centre = scene.up @ scene.centre
        self.radius = 1.05 * scene.radius
        p = self.placed(whole.points)
        self.depth = rasterise(p[:, :2], p[:, 2], whole.faces, SHADOW, SHADOW).depth.ravel()

    @property
    def blocked(self) -> Floats:
        """How much of the light is blocked on the floor, which is behind everything, with soft edges."""
        hidden = np.pad(np.isfinite(self.depth).reshape(SHADOW, SHADOW).astype(float), 2)
        across = np.sum([hidden[:, k : k + SHADOW] for k in range(5)], axis=0)
        found: Floats = np.sum([across[k : k + SHADOW] for k in range(5)], axis=0) / 25.0
        return found.ravel()

    def placed(self, points: Floats) -> Floats:
        """Return where points are in the buffer, in pixels, and their depth."""
        p = (points - self.centre) @ self.axes.T / self.radius
        return np.column_stack([(0.5 + 0.5 * p[:, 0]) * SHADOW, (0.5 - 0.5 * p[:, 1]) * SHADOW, -p[:, 2]])

    def lit(self, points: Floats) -> Floats:
        """Return the part of the light, from 0 to 1, with soft edges."""
        p = self.placed(points)
        total = np.zeros(len(p))
        for i in (-1.2, 0.0, 1.2):
            for j in (-1.2, 0.0, 1.2):
                x, y = np.floor(p[:, 0] + i).astype(np.int64), np.floor(p[:, 1] + j).astype(np.int64)
                inside = (x >= 0) & (x < SHADOW) & (y >= 0) & (y < SHADOW)
                place = np.where(inside, y * SHADOW + x, 0)
                total += ~inside | (p[:, 2] - 0.006 < self.depth[place])
        return total / 9.0


def _shade(
    image: Floats, whole: Solid, hits: Hits, inverse: Floats, camera: Camera, shadow: _Shadow, light: Floats
) -> None:
    """Write the colour of each pixel where there is a link."""
    where = hits.face >= 0
    corners = whole.faces[hits.face[where]]
    u, v = hits.weights[where].T
    share = np.column_stack([1.0 - u - v, u, v]) * inverse[corners]
    share /= share.sum(axis=1, keepdims=True)
    p, N, c = (
        (share[:, :, None] * values[corners]).sum(axis=1) for values in (whole.points, whole.normals, whole.colors)
    )
    N /= np.maximum(np.linalg.norm(N, axis=1, keepdims=True), 1e-12)
    V = camera.eye - p
    V /= np.linalg.norm(V, axis=1, keepdims=True)
    facing = (N * V).sum(axis=1)
    N[facing < 0] *= -1
    direct = np.maximum(N @ light, 0.0) * shadow.lit(p + 0.004 * shadow.radius * N)
    sky = (0.5 + 0.5 * N[:, 2])[:, None]
    ambient = (1.0 - sky) * np.array([0.24, 0.235, 0.23]) + sky * np.array([0.42, 0.44, 0.47])
    half = V + light
    half /= np.linalg.norm(half, axis=1, keepdims=True)
    shine = np.maximum((N * half).sum(axis=1), 0.0) ** 40 * 0.12 * (direct > 0.001)
    rim = (1.0 - np.abs(facing).clip(0, 1)) ** 4 * 0.06
    color = c**2.2 * (ambient + 0.60 * direct[:, None]) + (shine + rim)[:, None]
    image[where] = np.minimum(color, 1.0) ** (1 / 2.2)


class _Ground:
    """The floor behind the robot: the picture of its grid, and where in the buffer of shadows each pixel is."""

    def __init__(self, scene: Scene, camera: Camera, shadow: _Shadow) -> None:
        self.image = np.tile(SKY, (camera.height, camera.width, 1))
        self.place, self.dark = np.zeros(0, dtype=np.int64), np.zeros(0)
        self.pixels = np.zeros((camera.height, camera.width), dtype=bool)
        y, x = np.mgrid[0 : camera.height, 0 : camera.width] + 0.5
        right, up, back = camera.axes
        rays = (x - 0.5 * camera.width)[..., None] * right - (y - 0.5 * camera.height)[..., None] * up
        rays -= camera.scale * back
        down = camera.eye[2] - scene.floor
        if down <= 0.0:
            return
        with np.errstate(divide="ignore", invalid="ignore"):
            p = (camera.eye + rays * (-down / rays[..., 2])[..., None])[..., :2]
        away = np.linalg.norm(p - (scene.up @ scene.centre)[:2], axis=-1) / (5.0 * _reach(scene))
        seen = (rays[..., 2] < 0.0) & (away < 1.0)
        fade = np.where(seen, 1.0 - _step(away, 0.25, 1.0), 0.0)
        side = grid(scene.radius)
        line = np.maximum(0.16 * _grid(p / side, 0.6), 0.30 * _grid(p / (5 * side), 0.8)) * fade
        self.image += line[..., None] * (INK - self.image)
        spots = shadow.placed(np.column_stack([p[seen], np.full(int(seen.sum()), scene.floor)]))
        column, row = np.floor(spots[:, :2]).astype(np.int64).T
        near = (column >= 0) & (column < SHADOW) & (row >= 0) & (row < SHADOW)
        self.pixels[seen] = near
        self.place = (row * SHADOW + column)[near]
        self.dark = 0.34 * np.minimum(1.0, 2.0 * fade[self.pixels])

    def drawn(self, shadow: _Shadow) -> Floats:
        """Return the floor with the shadow of the robot."""
        image = self.image.copy()
        dark = (self.dark * shadow.blocked[self.place])[:, None]
        image[self.pixels] += dark * (INK - image[self.pixels])
        return image


def _reach(scene: Scene) -> float:
    return max(scene.radius, 0.6 * scene.radius * MARGIN / math.sin(math.radians(LENS) / 2))


def _grid(x: Floats, width: float) -> Floats:
    """Return how much of each pixel is a line of the grid."""
    w: Floats = np.abs(np.gradient(x, axis=0)) + np.abs(np.gradient(x, axis=1)) + 1e-12
    away = np.abs((x - 0.5) % 1.0 - 0.5) / w
    line: Floats = (1.0 - _step(away, max(width - 0.7, 0.0), width + 0.7)).max(axis=-1)
    found: Floats = line * (1.0 - _step(w.max(axis=-1), 0.15, 0.5))
    return np.nan_to_num(found)


def _step(x: Floats, low: float, high: float) -> Floats:
    s = ((x - low) / (high - low)).clip(0.0, 1.0)
    found: Floats = s * s * (3.0 - 2.0 * s)
    return found
