"""Revolute joints turn about z."""

from __future__ import annotations

from typing import final

from ...graph.node import Scalar
from .kind import Values
from .on_axes import OnAxes


@final
class Revolute(OnAxes):
    """The coordinate adds to θ."""

    __slots__ = ()

    number: int = 0
    word: str = "revolute"
    letter: str = "th"
    coordinates: tuple[str, ...] = ("",)
    velocities: tuple[str, ...] = ("",)
    neutral: tuple[float, ...] = (0.0,)
    axes: tuple[int, ...] = (5,)
    turn: Scalar = 1.0
    spring: tuple[str, ...] = ("eta", "k", "rest")
    grouped: tuple[tuple[str, tuple[str, ...]], ...] = (("YY", ("XX", "YY")), ("MZ", ("MZ",)), ("M", ("M",)))

    def offsets(self, q: Values) -> tuple[Scalar, Scalar]:
        return q[0], 0.0
