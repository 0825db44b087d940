"""Rotations as products of plane rotations: each costs four multiplications, a 3x3 matrix nine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..graph.functions import cos, sin
from ..graph.node import Scalar
from .vector import UNITS, Entry, Matrix, Vector, column, dot, times

Six = tuple[Entry, ...]
"""A symmetric matrix: XX XY XZ YY YZ ZZ."""
Rows = tuple[Vector, Vector, Vector]
"""The rows of a rotation matrix."""


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

    def of_symmetric(self, six: Six) -> Six:
        """Return R A Rᵀ for a symmetric matrix; its trace in the plane does not change, which saves a third of the
        products.
        """
        XX, XY, XZ, YY, YZ, ZZ = six
        c, s = self.c, self.s
        if self.axis == 0:
            YY, YZ, ZZ = _plane(YY, YZ, ZZ, c, s)
            XY, XZ = XY * c - XZ * s, XY * s + XZ * c
        elif self.axis == 1:
            ZZ, XZ, XX = _plane(ZZ, XZ, XX, c, s)
            YZ, XY = YZ * c - XY * s, YZ * s + XY * c
        else:
            XX, XY, YY = _plane(XX, XY, YY, c, s)
            XZ, YZ = XZ * c - YZ * s, XZ * s + YZ * c
        return XX, XY, XZ, YY, YZ, ZZ

    def of_matrix(self, rows: Matrix) -> Matrix:
        """Return R A Rᵀ for any matrix; its trace and its skew part in the plane do not change."""
        i, j, k = (self.axis + 1) % 3, (self.axis + 2) % 3, self.axis
        c, s = self.c, self.s
        half = [rows[i][n] * c - rows[j][n] * s for n in (i, j)]
        first, second = half[0] * c - half[1] * s, half[0] * s + half[1] * c
        new: list[list[Entry]] = [list(row) for row in rows]
        new[i][i], new[j][j] = first, (rows[i][i] + rows[j][j]) - first
        new[i][j], new[j][i] = second, second - (rows[i][j] - rows[j][i])
        new[i][k], new[j][k] = rows[i][k] * c - rows[j][k] * s, rows[i][k] * s + rows[j][k] * c
        new[k][i], new[k][j] = rows[k][i] * c - rows[k][j] * s, rows[k][i] * s + rows[k][j] * c
        return [Vector(*row) for row in new]

    def inverse(self) -> Plane:
        return Plane(self.axis, self.c, -self.s)


def _plane(a: Entry, b: Entry, d: Entry, c: Entry, s: Entry) -> tuple[Entry, Entry, Entry]:
    """Turn the symmetric matrix [[a, b], [b, d]]."""
    first, second = a * c - b * s, b * c - d * s
    turned = first * c - second * s
    return turned, first * s + second * c, (a + d) - turned


def _turn(axis: int, c: Scalar, s: Scalar, v: Vector) -> Vector:
    x, y, z = v
    if axis == 0:
        return Vector(x, y * c - z * s, y * s + z * c)
    if axis == 1:
        return Vector(x * c + z * s, y, z * c - x * s)
    return Vector(x * c - y * s, x * s + y * c, z)


class Turn(NamedTuple):
    """A rotation given by its matrix, for rotations that are not about a coordinate axis."""

    rows: Rows

    def forth(self, v: Vector) -> Vector:
        """Return R v."""
        return times(self.rows, v)

    def back(self, v: Vector) -> Vector:
        """Return Rᵀ v."""
        return times([column(self.rows, k) for k in range(3)], v)

    def of_symmetric(self, six: Six) -> Six:
        """Return R A Rᵀ of a symmetric matrix."""
        XX, XY, XZ, YY, YZ, ZZ = six
        x, y, z = self.rows
        a, b, c = Vector(XX, XY, XZ), Vector(XY, YY, YZ), Vector(XZ, YZ, ZZ)
        first, second, third = (Vector(dot(row, a), dot(row, b), dot(row, c)) for row in self.rows)  # R A
        return dot(x, first), dot(y, first), dot(z, first), dot(y, second), dot(z, second), dot(z, third)

    def of_matrix(self, rows: Matrix) -> Matrix:
        """Return R A Rᵀ of any matrix."""
        half = [self.forth(column(rows, k)) for k in range(3)]  # the columns of R A
        return [self.forth(column(half, k)) for k in range(3)]

    def then(self, other: Turn) -> Turn:
        """Return the product of both matrices."""
        (a, b, c), (x, y, z) = self.rows, other.inverse().rows
        return Turn(
            (
                Vector(dot(a, x), dot(a, y), dot(a, z)),
                Vector(dot(b, x), dot(b, y), dot(b, z)),
                Vector(dot(c, x), dot(c, y), dot(c, z)),
            )
        )

    def inverse(self) -> Turn:
        return Turn((column(self.rows, 0), column(self.rows, 1), column(self.rows, 2)))


class Rotation(tuple[Plane | Turn, ...]):
    """The product of rotations, from left to right."""

    __slots__ = ()

    @classmethod
    def of(cls, rows: Rows) -> Rotation:
        """Return the rotation with a matrix."""
        return cls((Turn(rows),))

    @property
    def rows(self) -> Rows:
        """The matrix by its rows."""
        if not self:
            return UNITS
        if len(self) == 1 and isinstance(self[0], Turn):
            return self[0].rows
        columns = [self.forth(unit) for unit in UNITS]
        return column(columns, 0), column(columns, 1), column(columns, 2)

    def then(self, other: Rotation) -> Rotation:
        """Return the product with a rotation; two matrices in a row become one."""
        if not self or not other:
            return self or other
        last, first = self[-1], other[0]
        if isinstance(last, Turn) and isinstance(first, Turn):
            return Rotation((*self[:-1], last.then(first), *other[1:]))
        return Rotation((*self, *other))

    def inverse(self) -> Rotation:
        """Return the rotation that undoes this one."""
        return Rotation(part.inverse() for part in reversed(self))

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

    def of_symmetric(self, six: Six) -> Six:
        """Return R A Rᵀ of a symmetric matrix given by its six elements."""
        for plane in reversed(self):
            six = plane.of_symmetric(six)
        return six

    def of_matrix(self, rows: Matrix) -> Matrix:
        """Return R A Rᵀ of any matrix."""
        for plane in reversed(self):
            rows = plane.of_matrix(rows)
        return rows


def about(axis: int, angle: Scalar) -> Plane:
    return Plane(axis, cos(angle), sin(angle))


def quaternion(q: Sequence[Scalar]) -> Turn:
    """Return the rotation by a quaternion (x, y, z, w) of any length but zero."""
    x, y, z, w = q
    scale = 2.0 / (x * x + y * y + z * z + w * w)
    sx, sy, sz = x * scale, y * scale, z * scale
    xx, xy, xz, yy, yz, zz = x * sx, x * sy, x * sz, y * sy, y * sz, z * sz
    wx, wy, wz = w * sx, w * sy, w * sz
    return Turn(
        (
            Vector(1.0 - (yy + zz), xy - wz, xz + wy),
            Vector(xy + wz, 1.0 - (xx + zz), yz - wx),
            Vector(xz - wy, yz + wx, 1.0 - (xx + yy)),
        )
    )
