"""Articulated inertia: the wrench that accelerates a link whose children are free to move at their joints."""

from __future__ import annotations

from typing import NamedTuple

from .inertia import Inertia
from .pose import Pose
from .rotation import Rotation, Six
from .screw import Twist, Wrench
from .vector import Entry, Matrix, Vector, column, cross, dot

_PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # rows and columns of six elements


class Articulated(NamedTuple):
    """The symmetric 6x6 matrix [[M, H], [Hᵀ, J]], which gives force and moment from linear and angular acceleration."""

    M: Six
    H: Matrix
    J: Six

    @classmethod
    def rigid(cls, body: Inertia) -> Articulated:
        """Return the matrix of equation (11)."""
        m, (x, y, z) = body.M, body.first_moments
        H = (Vector(0.0, z, -y), Vector(-z, 0.0, x), Vector(y, -x, 0.0))
        return cls((m, 0.0, 0.0, m, 0.0, m), H, body[:6])

    def times(self, a: Twist) -> Wrench:
        """Return the wrench of an acceleration."""
        (v, w), M, J = a, rows(self.M), rows(self.J)
        f = Vector(*(dot(M[k], v) + dot(self.H[k], w) for k in range(3)))
        return Wrench(f, Vector(*(dot(column(self.H, k), v) + dot(J[k], w) for k in range(3))))

    def plus(self, other: Articulated) -> Articulated:
        H = tuple(a + b for a, b in zip(self.H, other.H, strict=True))
        return Articulated(_sum(self.M, other.M), H, _sum(self.J, other.J))

    def less(self, U: Wrench, scale: Entry) -> Articulated:
        """Return the matrix minus scale times the outer product of a wrench with itself: equation (37)."""
        (f, n), (sf, sn) = U, U * scale
        M = tuple(a - f[i] * sf[j] for a, (i, j) in zip(self.M, _PAIRS, strict=True))
        J = tuple(a - n[i] * sn[j] for a, (i, j) in zip(self.J, _PAIRS, strict=True))
        H = tuple(row - sn * f[i] for i, row in enumerate(self.H))
        return Articulated(M, H, J)

    def rotated(self, R: Rotation) -> Articulated:
        """Return the same matrix in the axes of the frame that R leads to."""
        half = [R.forth(row) for row in self.H]
        columns = [R.forth(Vector(*(row[k] for row in half))) for k in range(3)]
        H = tuple(Vector(*(c[k] for c in columns)) for k in range(3))
        return Articulated(R.of_symmetric(self.M), H, R.of_symmetric(self.J))

    def shifted(self, P: Vector) -> Articulated:
        """Return the same matrix about a point; P is the position of the present origin seen from there."""
        M = rows(self.M)  # H' = H - M P̂ and J' = J - Hᵀ P̂ + P̂ H', for v̇ at the old origin is v̇ - P̂ ω̇
        H = tuple(row + cross(P, M[k]) for k, row in enumerate(self.H))
        left = [cross(P, column(self.H, k)) for k in range(3)]
        right = [cross(P, column(H, k)) for k in range(3)]
        J = tuple(a + left[i][j] + right[j][i] for a, (i, j) in zip(self.J, _PAIRS, strict=True))
        return Articulated(self.M, H, J)

    def inward(self, pose: Pose) -> Articulated:
        """Return the matrix of a link in the frame of its parent."""
        return self.shifted(Vector(0.0, 0.0, pose.r)).rotated(pose.R).shifted(pose.arm)


def rows(six: Six) -> Matrix:
    """Return a symmetric matrix in full."""
    XX, XY, XZ, YY, YZ, ZZ = six
    return Vector(XX, XY, XZ), Vector(XY, YY, YZ), Vector(XZ, YZ, ZZ)


def _sum(a: Six, b: Six) -> Six:
    return tuple(x + y for x, y in zip(a, b, strict=True))
