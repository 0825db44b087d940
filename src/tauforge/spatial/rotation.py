"""Rotations as products of plane rotations: each costs four multiplications where a 3x3 matrix costs nine."""

from __future__ import annotations

from typing import NamedTuple

from ..graph.node import Scalar, cos, sin
from .vector import Vector


class Plane(NamedTuple):
    """A rotation about one coordinate axis (0, 1, 2) by an angle of the given cosine and sine."""

    axis: int
    c: Scalar
    s: Scalar

    def forth(self, v: Vector) -> Vector:
        """Return R v."""
        return _turn(self.axis, self.c, self.s, v)

    def back(self, v: Vector) -> Vector:
        """Return Rᵀ v."""
        return _turn(self.axis, self.c, -self.s, v)


def _turn(axis: int, c: Scalar, s: Scalar, v: Vector) -> Vector:
    x, y, z = v
    if axis == 0:
        return Vector(x, y * c - z * s, y * s + z * c)
    if axis == 1:
        return Vector(x * c + z * s, y, z * c - x * s)
    return Vector(x * c - y * s, x * s + y * c, z)


class Rotation(tuple[Plane, ...]):
    """The product of plane rotations, from left to right."""

    __slots__ = ()

    def forth(self, v: Vector) -> Vector:
        """Return R v: from the rotated frame's axes to the first frame's."""
        for plane in reversed(self):
            v = plane.forth(v)
        return v

    def back(self, v: Vector) -> Vector:
        """Return Rᵀ v: from the first frame's axes to the rotated frame's."""
        for plane in self:
            v = plane.back(v)
        return v


def about(axis: int, angle: Scalar) -> Plane:
    return Plane(axis, cos(angle), sin(angle))
