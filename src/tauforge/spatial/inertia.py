"""The ten inertial parameters of a rigid body, over any scalar."""

from __future__ import annotations

from operator import add
from typing import NamedTuple

from .pose import Pose
from .rotation import Rotation
from .screw import Twist, Wrench
from .vector import Entry, Vector, cross


class Inertia(NamedTuple):
    """Inertia matrix about the frame's origin, first moments and mass, in the frame's axes.

    The off-diagonal parameters are entries of the matrix (``XY`` is minus the integral of xy), as in Khalil's papers.
    """

    XX: Entry = 0.0
    XY: Entry = 0.0
    XZ: Entry = 0.0
    YY: Entry = 0.0
    YZ: Entry = 0.0
    ZZ: Entry = 0.0
    MX: Entry = 0.0
    MY: Entry = 0.0
    MZ: Entry = 0.0
    M: Entry = 0.0

    @property
    def first_moments(self) -> Vector:
        return Vector(self.MX, self.MY, self.MZ)

    def plus(self, other: Inertia) -> Inertia:
        """Return the inertia of both bodies together."""
        return Inertia._make(map(add, self, other))

    def rotated(self, R: Rotation) -> Inertia:
        """Return the same body's inertia in the axes of the frame that R leads to (R J Rᵀ)."""
        return Inertia._make((*R.of_symmetric(self[:6]), *R.forth(self.first_moments), self.M))

    def shifted(self, P: Vector) -> Inertia:
        """Return the same body's inertia about a point; P is the position of the present origin seen from there."""
        s, m = self.first_moments, self.M
        along = [s[k] * P[k] * 2.0 for k in range(3)]
        x2, y2, z2 = (p * p for p in P)
        return Inertia(
            self.XX + (along[1] + along[2]) + m * (y2 + z2),
            self.XY - (s[1] * P[0] + s[0] * P[1]) - m * (P[0] * P[1]),
            self.XZ - (s[2] * P[0] + s[0] * P[2]) - m * (P[0] * P[2]),
            self.YY + (along[0] + along[2]) + m * (x2 + z2),
            self.YZ - (s[2] * P[1] + s[1] * P[2]) - m * (P[1] * P[2]),
            self.ZZ + (along[0] + along[1]) + m * (x2 + y2),
            *(s + Vector(m * P[0], m * P[1], m * P[2])),
            m,
        )

    def inward(self, pose: Pose) -> Inertia:
        """Return the inertia of a link's body in the frame of its parent."""
        return self.shifted(Vector(0.0, 0.0, pose.r)).rotated(pose.R).shifted(pose.arm)

    def times(self, twist: Twist) -> Wrench:
        """Return the momentum of the body at a velocity, or the wrench that gives it an acceleration from rest."""
        XX, XY, XZ, YY, YZ, ZZ, *_ = self
        (v, w), S = twist, self.first_moments
        J = (Vector(XX, XY, XZ), Vector(XY, YY, YZ), Vector(XZ, YZ, ZZ))
        moment = J[0] * w[0] + J[1] * w[1] + J[2] * w[2]
        return Wrench(v * self.M + cross(w, S), cross(S, v) + moment)


NAMES = Inertia._fields
"""The ten parameters' names in their order."""
