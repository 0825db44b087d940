"""Screws: motions and forces of a rigid body as pairs of vectors, in a frame's axes and at its origin, over any scalar.

Linear part first, as in Khalil (2010): V = (v, ω) and F = (f, n). A twist goes outward, from a link's parent to the
link; a wrench goes inward. The offset of a pose has a part ``arm`` in the parent's axes and a part ``r`` along the
link's z; each is used in its own axes, where it has the most zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .pose import Pose
from .vector import ZERO, Entry, Vector, cross, dot


class Wrench(NamedTuple):
    """A force f and a moment n; or a momentum, linear and angular."""

    f: Vector
    n: Vector

    @classmethod
    def of(cls, six: Sequence[Entry]) -> Wrench:
        """Return the wrench of six components, force first."""
        return cls(Vector(*six[:3]), Vector(*six[3:]))

    def __add__(self, other: Wrench) -> Wrench:  # type: ignore[override]
        return Wrench(self.f + other.f, self.n + other.n)

    def __mul__(self, scale: Entry) -> Wrench:
        return Wrench(self.f * scale, self.n * scale)

    def inward(self, pose: Pose) -> Wrench:
        """Return a wrench on a link in the axes and at the origin of its parent: (28) and (30)."""
        f, r = self.f, pose.r
        n = pose.R.forth(self.n + Vector(-f[1] * r, f[0] * r, 0.0))
        f = pose.R.forth(f)
        return Wrench(f, n + cross(pose.arm, f))


class Twist(NamedTuple):
    """A velocity v of the origin and an angular velocity w; or the accelerations, v̇ and ω̇."""

    v: Vector
    w: Vector

    @classmethod
    def of(cls, six: Sequence[Entry]) -> Twist:
        """Return the twist of six components, linear first."""
        return cls(Vector(*six[:3]), Vector(*six[3:]))

    def __add__(self, other: Twist) -> Twist:  # type: ignore[override]
        return Twist(self.v + other.v, self.w + other.w)

    def __mul__(self, scale: Entry) -> Twist:
        return Twist(self.v * scale, self.w * scale)

    def outward(self, pose: Pose) -> Twist:
        """Return the twist of a link that moves with its parent, from the parent's twist: the matrix of (17)."""
        w, r = pose.R.back(self.w), pose.r
        return Twist(pose.R.back(self.v + cross(self.w, pose.arm)) + Vector(w[1] * r, -w[0] * r, 0.0), w)

    def cross(self, other: Twist) -> Twist:
        """Return V × S: how a twist S that moves along with V changes."""
        return Twist(cross(self.w, other.v) + cross(self.v, other.w), cross(self.w, other.w))

    def cross_wrench(self, other: Wrench) -> Wrench:
        """Return V ×* F: how a wrench or a momentum F that moves along with V changes."""
        return Wrench(cross(self.w, other.f), cross(self.v, other.f) + cross(self.w, other.n))

    def dot(self, other: Wrench) -> Entry:
        """Return the power of a wrench."""
        return dot(other.f, self.v) + dot(other.n, self.w)


STILL = Twist(ZERO, ZERO)
UNLOADED = Wrench(ZERO, ZERO)
