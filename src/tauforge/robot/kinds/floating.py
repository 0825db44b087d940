"""Floating joints leave a link free to move and turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from ...graph.node import Scalar
from ...spatial.displacement import screwed, straightened
from ...spatial.quaternion import exponential, normalised, product
from ...spatial.rotation import Turn, quaternion
from ...spatial.vector import Vector
from .kind import Values
from .on_axes import PARTS, OnAxes
from .spherical import between, turning


@final
class Floating(OnAxes):
    """The coordinates are a position and a quaternion (x, y, z, w); the velocities are in the link's frame."""

    __slots__ = ()

    number: int = 4
    word: str = "floating"
    coordinates: tuple[str, ...] = (".px", ".py", ".pz", ".x", ".y", ".z", ".w")
    velocities: tuple[str, ...] = PARTS
    neutral: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    axes: tuple[int, ...] = (0, 1, 2, 3, 4, 5)

    def turns(self, q: Values) -> Sequence[Turn]:
        return [quaternion(q[3:])]

    def shift(self, q: Values) -> Vector:
        return Vector(*q[:3])

    def tangent(self, q: Values) -> list[list[Scalar]]:
        moving: list[list[Scalar]] = [[*row, 0.0, 0.0, 0.0] for row in quaternion(q[3:]).rows]
        return moving + [[0.0, 0.0, 0.0, *row] for row in turning(q[3:])]

    def step(self, q: Values, v: Values) -> list[Scalar]:
        linear, w = Vector(*v[:3]), Vector(*v[3:])
        turned = normalised(product(q[3:], exponential(w)))
        return [*(Vector(*q[:3]) + quaternion(q[3:]).forth(screwed(linear, w))), *turned]

    def difference(self, a: Values, b: Values) -> list[Scalar]:
        w, cotangent = between(a[3:], b[3:])
        way = quaternion(a[3:]).back(Vector(*b[:3]) - Vector(*a[:3]))
        return [*straightened(way, w, cotangent), *w]
