"""Quaternions (x, y, z, w): products, and conversion from and to rotation vectors.

A tiny number is added to sums of squares, so that no angle is zero and nothing is divided by zero. The functions of
these angles are even and flat at zero, so no result changes.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.functions import absolute, atan2, cos, sign, sin, sqrt
from ..graph.node import Scalar
from .vector import Vector, cross, dot

_TINY = 1e-37
"""Square of the smallest angle; representable in single precision too."""


def length(w: Vector) -> Scalar:
    """Return the length of a vector, kept slightly above zero."""
    return sqrt(dot(w, w) + _TINY)


def product(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    """Return the product of two quaternions (x, y, z, w)."""
    u, v = Vector(*a[:3]), Vector(*b[:3])
    return [*(v * a[3] + u * b[3] + cross(u, v)), a[3] * b[3] - dot(u, v)]


def normalised(q: Sequence[Scalar]) -> list[Scalar]:
    """Return a quaternion of length 1, so that rounding does not add up over many steps."""
    factor = 1.0 / sqrt(sum(x * x for x in q))
    return [x * factor for x in q]


def exponential(w: Vector) -> list[Scalar]:
    """Return the quaternion of the rotation vector w."""
    angle = length(w)
    return [*(w * (sin(angle * 0.5) / angle)), cos(angle * 0.5)]


def logarithm(q: Sequence[Scalar]) -> tuple[Vector, Scalar]:
    """Return the rotation vector of a quaternion, and half its angle times the cotangent of half its angle."""
    u, real = Vector(*q[:3]), absolute(q[3])
    sine = length(u)
    half = atan2(sine, real)
    way = sign(sign(q[3]) + 0.5)  # of the two quaternions of a rotation, the one with a positive real part
    return u * (2.0 * way * half / sine), half * real / sine
