"""Poses: the position and orientation of a frame relative to another, over any scalar, and points seen from both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..graph.node import Scalar, is_zero
from .rotation import Rotation
from .vector import UNITS, ZERO, Entry, Vector


class Pose(NamedTuple):
    """A frame j relative to its parent i: rotation ⁱRⱼ, and the origin as ``arm`` in the axes of i plus ``r`` along
    zⱼ.
    """

    R: Rotation = Rotation()
    arm: Vector = ZERO
    r: Scalar = 0.0

    @classmethod
    def of(cls, T: Sequence[Entry]) -> Pose:
        """Return the pose of a homogeneous matrix, given row by row."""
        return cls(Rotation.of((Vector(*T[0:3]), Vector(*T[4:7]), Vector(*T[8:11]))), Vector(T[3], T[7], T[11]))

    @property
    def P(self) -> Vector:
        """The origin ⁱPⱼ in the parent's axes."""
        R, arm, r = self
        return arm if r == 0.0 else arm + R.forth(Vector(0.0, 0.0, r))

    @property
    def homogeneous(self) -> tuple[Entry, ...]:
        """The 4x4 matrix ⁱTⱼ, row by row."""
        (x, y, z), P = self.R.rows, self.P
        return (*x, P[0], *y, P[1], *z, P[2], 0.0, 0.0, 0.0, 1.0)

    @property
    def is_identity(self) -> bool:
        """Whether both frames are the same."""
        return all(map(is_zero, self.P)) and self.R.rows == UNITS

    def forth(self, p: Vector) -> Vector:
        """Return a point of the frame in coordinates of its parent."""
        return self.R.forth(p + Vector(0.0, 0.0, self.r)) + self.arm

    def back(self, p: Vector) -> Vector:
        """Return a point of the parent in coordinates of the frame."""
        return self.R.back(p - self.arm) - Vector(0.0, 0.0, self.r)

    def then(self, other: Pose) -> Pose:
        """Return the pose, relative to this frame's parent, of a frame given relative to this one."""
        if self is HERE or other is HERE:
            return self if other is HERE else other
        R = self.R
        return Pose(R.then(other.R), self.P + R.forth(other.P))

    def inverse(self) -> Pose:
        """Return the pose of the parent relative to the frame."""
        R = self.R.inverse()
        return Pose(R, R.forth(-self.P))

    def in_numbers(self) -> Pose:
        """Return the same pose, as a matrix of floats; raise an ExpressionError if a symbol has no value."""
        x, y, z = (Vector(*map(float, row)) for row in self.R.rows)
        return Pose(Rotation.of((x, y, z)), Vector(*map(float, self.P)))


HERE = Pose()
"""The pose of a frame relative to itself."""
