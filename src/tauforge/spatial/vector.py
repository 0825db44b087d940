"""Vectors of three scalars, and 3x3 matrices as rows of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Entry = Any
"""A number, an expression, or anything else with + - *."""


class Vector(tuple[Entry, Entry, Entry]):
    """Three scalars: numbers, expressions, or anything else with ``+ - *``."""

    __slots__ = ()

    def __new__(cls, x: Entry, y: Entry, z: Entry) -> Vector:
        return tuple.__new__(cls, (x, y, z))

    def __getnewargs__(self) -> tuple[Entry, ...]:
        return tuple(self)

    def __add__(self, other: Vector) -> Vector:  # type: ignore[override]
        return Vector(self[0] + other[0], self[1] + other[1], self[2] + other[2])

    def __sub__(self, other: Vector) -> Vector:
        return Vector(self[0] - other[0], self[1] - other[1], self[2] - other[2])

    def __mul__(self, scale: Entry) -> Vector:
        return Vector(self[0] * scale, self[1] * scale, self[2] * scale)

    __rmul__ = __mul__

    def __neg__(self) -> Vector:
        return Vector(-self[0], -self[1], -self[2])


Matrix = Sequence[Vector]
"""A 3x3 matrix as its three rows."""
ZERO = Vector(0.0, 0.0, 0.0)
UNITS = (Vector(1.0, 0.0, 0.0), Vector(0.0, 1.0, 0.0), Vector(0.0, 0.0, 1.0))
"""The axes of a frame; also the rows of the identity."""


def cross(a: Vector, b: Vector) -> Vector:
    return Vector(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a: Vector, b: Vector) -> Entry:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def times(matrix: Matrix, v: Vector) -> Vector:
    return Vector(dot(matrix[0], v), dot(matrix[1], v), dot(matrix[2], v))


def column(matrix: Matrix, k: int) -> Vector:
    return Vector(matrix[0][k], matrix[1][k], matrix[2][k])
