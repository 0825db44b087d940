"""Spherical joints turn about any axis through a point: ball joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from ...graph.node import Scalar
from ...spatial.quaternion import exponential, logarithm, normalised, product
from ...spatial.rotation import Turn, quaternion
from ...spatial.vector import Vector
from .kind import Values
from .on_axes import PARTS, OnAxes


@final
class Spherical(OnAxes):
    """The coordinates are a quaternion (x, y, z, w); the velocity is the angular velocity in the link's frame."""

    __slots__ = ()

    number: int = 3
    word: str = "spherical"
    coordinates: tuple[str, ...] = (".x", ".y", ".z", ".w")
    velocities: tuple[str, ...] = PARTS[3:]
    neutral: tuple[float, ...] = (0.0, 0.0, 0.0, 1.0)
    axes: tuple[int, ...] = (3, 4, 5)
    spring: tuple[str, ...] = ("eta", "k")
    grouped: tuple[tuple[str, tuple[str, ...]], ...] = (("M", ("M",)),)

    def turns(self, q: Values) -> Sequence[Turn]:
        return [quaternion(q)]

    def tangent(self, q: Values) -> list[list[Scalar]]:
        return turning(q)

    def step(self, q: Values, v: Values) -> list[Scalar]:
        return normalised(product(q, exponential(Vector(*v))))

    def difference(self, a: Values, b: Values) -> list[Scalar]:
        return [*between(a, b)[0]]

    def stretch(self, q: Values, rest: Scalar) -> Values:
        return [*logarithm(q)[0]]


def turning(q: Values) -> list[list[Scalar]]:
    """Return how a quaternion changes with the angular velocity in the link's frame."""
    x, y, z, w = (0.5 * part for part in q)
    return [[w, -z, y], [z, w, -x], [-y, x, w], [-x, -y, -z]]


def between(a: Values, b: Values) -> tuple[Vector, Scalar]:
    """Return the rotation vector from one quaternion to another, and half its angle times the cotangent of half its
    angle.
    """
    return logarithm(product([-a[0], -a[1], -a[2], a[3]], b))
