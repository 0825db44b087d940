"""Kinds that move along axes of the link's own frame: S picks some of the six unit screws."""

from __future__ import annotations

from collections.abc import Sequence

from ...graph.node import Scalar
from ...spatial.screw import Twist, Wrench
from .kind import Kind, Values

PARTS = (".vx", ".vy", ".vz", ".wx", ".wy", ".wz")
"""The suffixes of the names of velocities along the six axes."""


class OnAxes(Kind):
    """A kind whose velocities are components of the link's velocity in its frame.

    Attributes
    ----------
    axes
        The indices of these components among (vx, vy, vz, ωx, ωy, ωz).
    """

    __slots__ = ()

    axes: tuple[int, ...]

    @property
    def held(self) -> tuple[int, ...]:
        """All components but those along the axes, which turn the link about z, in all directions, or not at all."""
        return tuple(k for k in range(6) if k not in self.axes)

    def screws(self, q: Values) -> Sequence[Twist]:
        return [Twist.of([float(i == axis) for i in range(6)]) for axis in self.axes]

    def screw(self, q: Values, values: Values) -> Twist:
        parts: list[Scalar] = [0.0] * 6
        for axis, x in zip(self.axes, values, strict=True):
            parts[axis] = x
        return Twist.of(parts)

    def acceleration(self, q: Values, qd: Values, qdd: Values) -> Twist:
        return self.screw(q, qdd)

    def along(self, q: Values, wrench: Wrench) -> tuple[Scalar, ...]:
        six = (*wrench.f, *wrench.n)
        return tuple(six[axis] for axis in self.axes)
