"""Poses: where a frame lies on another, over any scalar, and what is seen from there."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph.node import Scalar
from .rotation import Rotation
from .vector import Vector, cross


@dataclass(frozen=True, slots=True)
class Pose:
    """A frame j on its antecedent i: rotation ⁱRⱼ, and the origin as ``arm`` in the axes of i plus ``r`` along zⱼ."""

    R: Rotation
    arm: Vector
    r: Scalar

    @property
    def P(self) -> Vector:
        """The origin ⁱPⱼ in the antecedent's axes."""
        return self.arm + self.R.forth(Vector(0.0, 0.0, self.r))

    def forth(self, p: Vector) -> Vector:
        """Return a point of the frame in coordinates of its antecedent."""
        return self.R.forth(p + Vector(0.0, 0.0, self.r)) + self.arm

    def back(self, p: Vector) -> Vector:
        """Return a point of the antecedent in coordinates of the frame."""
        return self.R.back(p - self.arm) - Vector(0.0, 0.0, self.r)


def passed(pose: Pose, f: Vector, n: Vector) -> tuple[Vector, Vector]:
    """Return a wrench on a frame in the axes and at the origin of its antecedent: (28) and (30) of Khalil (2010)."""
    arm = n + Vector(-f[1] * pose.r, f[0] * pose.r, 0.0)
    f = pose.R.forth(f)
    return f, pose.R.forth(arm) + cross(pose.arm, f)
