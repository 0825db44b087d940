"""Helical joints turn about z and slide along it at the same time, like a nut on a screw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, final

from ...graph.node import Scalar, is_zero
from ...spatial.screw import Twist
from ...spatial.vector import Vector
from .kind import Kind, Values
from .revolute import Revolute

if TYPE_CHECKING:
    from ..joint import Joint


@final
class Helical(Kind):
    """The coordinate is the angle: it adds to θ, and the pitch (metres per radian) times it to r."""

    __slots__ = ("grouped", "slide")

    number: int = 6
    word: str = "helical"
    letter: str = "th"
    coordinates: tuple[str, ...] = ("",)
    velocities: tuple[str, ...] = ("",)
    neutral: tuple[float, ...] = (0.0,)
    turn: Scalar = 1.0
    parameters: tuple[str, ...] = ("pitch",)
    spring: tuple[str, ...] = ("eta", "k", "rest")

    def __init__(self, pitch: Scalar = 0.0) -> None:
        self.slide = pitch
        self.grouped = Revolute.grouped if is_zero(pitch) else Revolute.grouped[:1]  # MZ and M slide

    def of(self, joint: Joint) -> Helical:
        return Helical(joint.pitch)

    def offsets(self, q: Values) -> tuple[Scalar, Scalar]:
        return q[0], q[0] * self.slide

    def screws(self, q: Values) -> Sequence[Twist]:
        return [Twist(Vector(0.0, 0.0, self.slide), Vector(0.0, 0.0, 1.0))]
