"""Capsule: a link's hull for keeping links apart, and the distances between many of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from ...errors import IdentificationError
from ...graph.node import Node, as_node
from ...models.routes import frame_number
from ...models.transforms import transforms
from ...program.array import Array
from ...robot.robot import Robot
from .pullback import Pullback

Floats = NDArray[np.float64]
Point = tuple[float, float, float]
ORIGIN: Point = (0.0, 0.0, 0.0)
NEAR = 1e-12
"""Squared length, in square metres, of a segment that is a point."""


@final
@dataclass(frozen=True)
class Capsule:
    """All points within a radius of a segment in a link's frame; of a point, if both ends are the same: a sphere.

    Attributes
    ----------
    link
        Name of the link or frame, or "base".
    radius
        In metres.
    start
        One end of the segment, by default the frame's origin.
    end
        The other end; by default the start.
    """

    link: str
    radius: float
    start: Point = ORIGIN
    end: Point | None = None

    def __post_init__(self) -> None:
        for name, point in (("start", self.start), ("end", self.end)):
            own = np.zeros(3) if point is None else np.asarray(point, dtype=float)
            if own.shape != (3,) or not np.isfinite(own).all():
                raise IdentificationError(f"capsule of {self.link}: {name} is three finite numbers, not {point!r}")
        if not np.isfinite(self.radius) or self.radius < 0.0:
            raise IdentificationError(f"capsule of {self.link}: the radius is {self.radius!r}; it cannot be negative")

    @property
    def ends(self) -> tuple[Point, Point]:
        """Both ends of the segment."""
        return self.start, self.start if self.end is None else self.end


class Distances:
    """How far pairs of capsules are from touching, at many states."""

    def __init__(self, robot: Robot, pairs: list[tuple[Capsule, Capsule]]) -> None:
        each = list(dict.fromkeys(capsule for pair in pairs for capsule in pair))
        for capsule in each:
            frame_number(robot.with_frames(capsule.link), capsule.link)
        frames = list(dict.fromkeys(capsule.link for capsule in each))
        made = transforms(robot, frames=frames)
        T = np.array(made.results["T"].nodes, dtype=object).reshape(len(frames), 4, 4)
        points = [x for capsule in each for x in _placed(T[frames.index(capsule.link)], capsule)]
        arguments: dict[str, Array] = {"q": made.arguments["q"]}
        self._points = Pullback(f"{robot.name}_points", arguments, points)
        self._pairs = np.array([[each.index(a), each.index(b)] for a, b in pairs])
        self.radii = np.array([a.radius + b.radius for a, b in pairs])

    def values(self, q: Floats) -> Floats:
        """Return the distance of each pair less both radii, (samples, pairs)."""
        return np.asarray(self._between(q)[0])

    def slopes(self, weights: Floats, q: Floats) -> Floats:
        """Return the slopes by q of a number, from those by the distances."""
        _, s, u, direction = self._between(q)
        by = np.zeros((len(q), int(self._pairs.max()) + 1, 2, 3))
        push = weights[..., None] * direction
        for side, part, sign in ((0, s, 1.0), (1, u, -1.0)):
            ends = np.stack([1.0 - part, part], axis=-1)[..., None] * (sign * push)[..., None, :]
            for k, place in enumerate(self._pairs[:, side]):
                by[:, place] += ends[:, k]
        return self._points.slopes(by.reshape(len(q), -1), q)[0]

    def _between(self, q: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return distances, the nearest points as parts of both segments, and the direction between them."""
        ends = self._points.values(q).reshape(len(q), -1, 2, 3)
        one, two = ends[:, self._pairs[:, 0]], ends[:, self._pairs[:, 1]]
        s, u = nearest(one, two)
        gap = (one[..., 0, :] + s[..., None] * (one[..., 1, :] - one[..., 0, :])) - (
            two[..., 0, :] + u[..., None] * (two[..., 1, :] - two[..., 0, :])
        )
        length = np.linalg.norm(gap, axis=-1)
        return length - self.radii, s, u, gap / np.maximum(length, 1e-9)[..., None]


def nearest(one: Floats, two: Floats) -> tuple[Floats, Floats]:
    """Return where two segments, (..., 2, 3) each, are nearest to each other: parts of their lengths from 0 to 1."""
    d, e = one[..., 1, :] - one[..., 0, :], two[..., 1, :] - two[..., 0, :]
    r = one[..., 0, :] - two[..., 0, :]
    a, b, c = (np.sum(x * y, axis=-1) for x, y in ((d, d), (d, e), (e, e)))
    f, g = np.sum(d * r, axis=-1), np.sum(e * r, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = a * c - b * b
        s = np.where(apart > NEAR * a * c, np.clip((b * g - c * f) / apart, 0.0, 1.0), 0.0)
        u = np.where(c > NEAR, (b * s + g) / c, 0.0)
        s = np.where(a > NEAR, np.clip((b * np.clip(u, 0.0, 1.0) - f) / a, 0.0, 1.0), 0.0)
    return s, np.clip(u, 0.0, 1.0)


def _placed(T: NDArray[np.object_], capsule: Capsule) -> list[Node]:
    """Return both ends of a capsule in the base frame."""
    return [as_node(T[i, 0] * x + T[i, 1] * y + T[i, 2] * z + T[i, 3]) for x, y, z in capsule.ends for i in range(3)]
