"""Universal joints turn about two axes at right angles that meet: Cardan joints."""

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

    The link's frame is there where both are zero; x stays its second axis, and z is its first axis while the second
    angle is zero. This is Pinocchio's universal joint of the axes z and x, and two hinges in one body of MJCF, about
    z and then about x.
    """

    __slots__ = ()

    number: int = 7
    word: str = "universal"
    coordinates: tuple[str, ...] = (".first", ".second")
    velocities: tuple[str, ...] = (".first", ".second")
    neutral: tuple[float, ...] = (0.0, 0.0)
    grouped: tuple[tuple[str, tuple[str, ...]], ...] = (("M", ("M",)),)

    def offsets(self, q: Values) -> tuple[Scalar, Scalar]:
        return q[0], 0.0

    def turns(self, q: Values) -> Sequence[Plane]:
        return [about(0, q[1])]

    def screws(self, q: Values) -> Sequence[Twist]:
        first = Vector(0.0, sin(q[1]), cos(q[1]))  # z of the constant frame, in the link's frame
        return [Twist(ZERO, first), Twist(ZERO, Vector(1.0, 0.0, 0.0))]

    def screw_rates(self, q: Values, qd: Values) -> Sequence[Twist]:
        return [Twist(ZERO, Vector(0.0, cos(q[1]) * qd[1], -sin(q[1]) * qd[1])), STILL]
