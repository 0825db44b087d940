"""Universal joints turn about two perpendicular axes that intersect: Cardan joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from ...graph.functions import cos, sin
from ...graph.node import Scalar
from ...spatial.rotation import Plane, about
from ...spatial.screw import STILL, Twist
from ...spatial.vector import ZERO, Vector
from .kind import Kind, Values


@final
class Universal(Kind):
    """The coordinates are two angles: about z of the constant frame, then about x of the frame so turned.

    The link's frame is the constant frame when both are zero; its x is always the second axis, and its z is the first
    axis as long as the second angle is zero. This is Pinocchio's universal joint with the axes z and x, and in MJCF two
    hinges in one body, about z and then about x.
    """

    __slots__ = ()

    number: int = 7
    word: str = "universal"
    coordinates: tuple[str, ...] = (".first", ".second")
    velocities: tuple[str, ...] = (".first", ".second")
    neutral: tuple[float, ...] = (0.0, 0.0)
    grouped: tuple[tuple[str, tuple[str, ...]], ...] = (("M", ("M",)),)
    crossed: bool = True

    @property
    def held(self) -> tuple[int, ...]:
        return 0, 1, 2

    def offsets(self, q: Values) -> tuple[Scalar, Scalar]:
        return q[0], 0.0

    def turns(self, q: Values) -> Sequence[Plane]:
        return [about(0, q[1])]

    def screws(self, q: Values) -> Sequence[Twist]:
        first = Vector(0.0, sin(q[1]), cos(q[1]))  # z of the constant frame, in the link's frame
        return [Twist(ZERO, first), Twist(ZERO, Vector(1.0, 0.0, 0.0))]

    def screw_rates(self, q: Values, qd: Values) -> Sequence[Twist]:
        return [Twist(ZERO, Vector(0.0, cos(q[1]) * qd[1], -sin(q[1]) * qd[1])), STILL]
