"""Displacements at constant velocity in the moving frame, and the velocities that cause them."""

from __future__ import annotations

from ..graph.functions import sin
from ..graph.node import Scalar
from .quaternion import length
from .vector import Vector, cross


def screwed(v: Vector, w: Vector) -> Vector:
    """Return the displacement in a unit of time at constant velocity in the moving frame.

    v + (1 - cos θ)/θ² w × v + (θ - sin θ)/θ³ w × (w × v)
    """
    angle = length(w)
    half = sin(angle * 0.5) / angle
    swing = cross(w, v)
    return v + swing * (2.0 * half * half) + cross(w, swing) * ((1.0 - sin(angle) / angle) / (angle * angle))


def straightened(p: Vector, w: Vector, cotangent: Scalar) -> Vector:
    """Return the velocity that leads to a displacement: the inverse of the function above.

    p - w × p / 2 + (1 - θ/2 cot θ/2)/θ² w × (w × p)
    """
    swing = cross(w, p)
    return p - swing * 0.5 + cross(w, swing) * ((1.0 - cotangent) / (length(w) * length(w)))
