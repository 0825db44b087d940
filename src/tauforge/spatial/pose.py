"""Poses: where a frame lies on another, over any scalar, and what is seen from there."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph.node import Scalar
from .rotation import Rotation
from .vector import Vector


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
