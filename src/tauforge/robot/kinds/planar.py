"""Planar joints move a link in the plane of x and y, and turn it about z."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from ...graph.functions import cos, sin
from ...graph.node import Scalar
from ...spatial.displacement import screwed, straightened
from ...spatial.quaternion import length
from ...spatial.rotation import Plane, about
from ...spatial.vector import Vector
from .kind import Values
from .on_axes import PARTS, OnAxes


@final
class Planar(OnAxes):
    """The coordinates are x, y and an angle about z; the velocities are in the link's frame."""

    __slots__ = ()

    number: int = 5
    word: str = "planar"
    coordinates: tuple[str, ...] = (".px", ".py", ".angle")
    velocities: tuple[str, ...] = (PARTS[0], PARTS[1], PARTS[5])
    neutral: tuple[float, ...] = (0.0, 0.0, 0.0)
    axes: tuple[int, ...] = (0, 1, 5)
    grouped: tuple[tuple[str, tuple[str, ...]], ...] = (("YY", ("XX", "YY")),)

    @property
    def is_flat(self) -> bool:
        return False

    def turns(self, q: Values) -> Sequence[Plane]:
        return [about(2, q[2])]

    def shift(self, q: Values) -> Vector:
        return Vector(q[0], q[1], 0.0)

    def tangent(self, q: Values) -> list[list[Scalar]]:
        c, s = cos(q[2]), sin(q[2])
        return [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]

    def step(self, q: Values, v: Values) -> list[Scalar]:
        along = about(2, q[2]).forth(screwed(Vector(v[0], v[1], 0.0), Vector(0.0, 0.0, v[2])))
        return [q[0] + along[0], q[1] + along[1], q[2] + v[2]]

    def difference(self, a: Values, b: Values) -> list[Scalar]:
        w = Vector(0.0, 0.0, b[2] - a[2])
        half = length(w) * 0.5
        way = about(2, a[2]).back(Vector(b[0] - a[0], b[1] - a[1], 0.0))
        return [*straightened(way, w, half * cos(half) / sin(half))[:2], w[2]]
