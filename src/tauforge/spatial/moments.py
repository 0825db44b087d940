"""Moments of mass and of momentum of moving particles, over any scalar."""

from __future__ import annotations

from typing import NamedTuple

from ..graph.node import as_node
from .inertia import Inertia
from .pose import Pose
from .rotation import Rotation, Six
from .screw import Twist, Wrench
from .vector import ZERO, Entry, Matrix, Vector, column, cross, times


class Moments(NamedTuple):
    """What particles at ρ, that move with ξ relative to a link, add up to in the frame of this link.

    Attributes
    ----------
    M
        The mass, Σ m.
    S
        Σ m ρ.
    K
        Σ m ρ ρᵀ as XX XY XZ YY YZ ZZ.
    p
        Σ m ξ.
    X
        Σ m ξ ρᵀ.
    """

    M: Entry
    S: Vector
    K: Six
    p: Vector = ZERO
    X: Matrix = (ZERO, ZERO, ZERO)

    @classmethod
    def rigid(cls, body: Inertia) -> Moments:
        """Return the moments of a body that moves with the link."""
        XX, XY, XZ, YY, YZ, ZZ = (as_node(x) for x in body[:6])
        if XX + YY is ZZ:
            K = (YY, -XY, -XZ, XX, -YZ, as_node(0.0))
        else:
            half = (XX + YY + ZZ) * 0.5
            K = (half - XX, -XY, -XZ, half - YY, -YZ, half - ZZ)
        return cls(body.M, body.first_moments, K)

    def plus(self, other: Moments) -> Moments:
        """Return the moments of both sets of particles."""
        K = tuple(a + b for a, b in zip(self.K, other.K, strict=True))
        X = tuple(a + b for a, b in zip(self.X, other.X, strict=True))
        return Moments(self.M + other.M, self.S + other.S, K, self.p + other.p, X)

    def inward(self, pose: Pose, velocity: Twist) -> Moments:
        """Return the moments of what a link carries in the frame of its parent.

        ``velocity`` is that of the link relative to its parent, in the frame of the link.
        """
        moving = self._replace(p=self.p + self.momentum(velocity), X=_sum(self.X, self.flow(velocity)))
        return moving.shifted(Vector(0.0, 0.0, pose.r)).turned(pose.R).shifted(pose.arm)

    def momentum(self, twist: Twist) -> Vector:
        """Return Σ m (v + w × ρ)."""
        moved: Vector = cross(twist.w, self.S) + twist.v * self.M
        return moved

    def flow(self, twist: Twist) -> Matrix:
        """Return Σ m (v + w × ρ) ρᵀ."""
        turning = [cross(twist.w, row) for row in _rows(self.K)]
        return [self.S * twist.v[k] + column(turning, k) for k in range(3)]

    def shifted(self, P: Vector) -> Moments:
        """Return the moments about a point; P is the position of the present origin seen from there."""
        M, (x, y, z), K, p, X = self
        a, b, c = x + P[0] * M, y + P[1] * M, z + P[2] * M
        added = (
            (x + a) * P[0], y * P[0] + a * P[1], z * P[0] + a * P[2],
            (y + b) * P[1], z * P[1] + b * P[2], (z + c) * P[2],
        )  # fmt: skip
        X = [row + P * p[k] for k, row in enumerate(X)]
        return Moments(M, Vector(a, b, c), tuple(k + new for k, new in zip(K, added, strict=True)), p, X)

    def turned(self, R: Rotation) -> Moments:
        """Return the moments in the axes of the frame that R leads to."""
        return Moments(self.M, R.forth(self.S), R.of_symmetric(self.K), R.forth(self.p), R.of_matrix(self.X))

    def impulse(self, s: Twist) -> Wrench:
        """Return Σ m J and Σ m ρ × J of the velocities J = v + w × ρ, with s = (v, w)."""
        return Wrench(self.momentum(s), cross(self.S, s.v) + _across(_rows(self.K), s.w))

    def rate(self, s: Twist, ring: Twist, W: Vector) -> Wrench:
        """Return Σ m J̇ and Σ m ρ × J̇ if the link has the angular velocity W, and s changes by ``ring`` in its frame.

        J̇ = v̇ + ẇ × ρ + w × (W × ρ + ξ), where v̇ and ẇ also have W × v and W × w.
        """
        v, (_, w) = ring.v + cross(W, s.v), s
        force = v * self.M + cross(ring.w, self.S) + cross(W, cross(w, self.S)) + cross(w, self.p)
        moment = cross(self.S, v) + _across(_rows(self.K), ring.w) - cross(w, times(_rows(self.K), W))
        return Wrench(force, moment + _across(self.X, w))

    def swept(self, s: Twist, W: Vector) -> Vector:
        """Return Σ m (W × ρ + ξ) × J."""
        turned = [column(self.X, k) for k in range(3)]
        moving = cross(cross(W, self.S) + self.p, s.v)
        return moving + times(_rows(self.K), cross(W, s.w)) + _across(turned, s.w)


def _rows(six: Six) -> Matrix:
    XX, XY, XZ, YY, YZ, ZZ = six
    return Vector(XX, XY, XZ), Vector(XY, YY, YZ), Vector(XZ, YZ, ZZ)


def _sum(a: Matrix, b: Matrix) -> Matrix:
    return [x + y for x, y in zip(a, b, strict=True)]


def _across(a: Matrix, w: Vector) -> Vector:
    """Return w tr(a) - a w, without what cancels: Σ ρ × (w × ξ) from Σ ξ ρᵀ."""
    return Vector(
        w[0] * (a[1][1] + a[2][2]) - a[0][1] * w[1] - a[0][2] * w[2],
        w[1] * (a[0][0] + a[2][2]) - a[1][0] * w[0] - a[1][2] * w[2],
        w[2] * (a[0][0] + a[1][1]) - a[2][0] * w[0] - a[2][1] * w[1],
    )
