"""Angles by their sine and cosine times any positive length, and the equation that most loops come down to.

A solution depends on a sign, the way in which the loop is assembled: see branch.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ....graph.functions import absolute, atan2, cos, sign, sin, sqrt
from ....graph.node import Scalar
from .branch import Branch

ROUNDING = 1e-14
"""How far beyond its reach, as a part of it, a loop still counts as stretched: what rounding may amount to."""
HUGE = 1e30
"""Squared four times it is too large for a double, once for a single."""


class Turn(NamedTuple):
    """An angle: its sine and cosine, both times the same positive length."""

    s: Scalar
    c: Scalar

    def plus(self, other: Turn) -> Turn:
        return Turn(self.s * other.c + self.c * other.s, self.c * other.c - self.s * other.s)

    def minus(self, other: Turn) -> Turn:
        return self.plus(Turn(-other.s, other.c))

    def near(self, guess: Scalar, direction: int) -> Scalar:
        """Return the coordinate of a joint that turns by this angle, in either direction, within half a turn of a
        guess.
        """
        way = self.minus(Turn.of(guess, direction))
        return guess + direction * atan2(way.s, way.c)

    @classmethod
    def of(cls, q: Scalar, direction: int) -> Turn:
        """Return the angle by which a joint at a coordinate turns."""
        return cls(direction * sin(q), cos(q))


class Root(NamedTuple):
    """A square root with a sign, and whether there is one: 1 or 0.

    The root is 0 where there is none, so that what follows has a value.
    """

    value: Scalar
    exists: Scalar


def root(square: Scalar, scale: Scalar, size: Scalar, branch: Branch, *sides: Scalar) -> Root:
    """Return the root of a difference of squares, the first of which is ``scale``, with the sign of ``sides``.

    ``size`` is not less than that square, and does not vanish with it.
    """
    branch.watch(square / size)
    square = square + ROUNDING * scale
    exists = positive(square)
    return Root(branch.sign(*sides) * sqrt(0.5 * (square + absolute(square))), exists)


def positive(x: Scalar) -> Scalar:
    """Return 1 for a positive number; 0 for any other, and where there is no number."""
    side = sign(x)
    return 0.5 * absolute(side + absolute(side))  # the outer one leaves no negative zero


def turned(
    E: Scalar, F: Scalar, k: Scalar, size: Scalar, branch: Branch, *sides: Scalar
) -> tuple[Turn, Scalar, Scalar]:
    """Return the angle in E cos φ + F sin φ = k, its length, and whether there is one: 1 or 0.

    Of the two angles it is the one for which E sin φ - F cos φ has the sign of ``sides``, which all have the same.
    ``size`` is as for ``root``.
    """
    square = E * E + F * F
    s, exists = root(square - k * k, square, size, branch, *sides)
    return Turn(k * F + s * E, k * E - s * F), square, exists


def finite(values: Sequence[Scalar]) -> Scalar:
    """Return 1 if all values are finite, 0 if not."""
    total: Scalar = 0.0
    for x in values:
        total = total + x
    return positive(HUGE - absolute(total))


def unless_closed(closed: Scalar) -> Scalar:
    """Return zero where a flag is 1, and no number where it is 0: infinity times zero, which every language computes.

    A root of a negative number would be an error in Python, and complex in MATLAB.
    """
    far = (1.0 - closed) * HUGE
    for _ in range(4):
        far = far * far
    return absolute(far) * closed  # without abs, it would be a product whose order a target could change
