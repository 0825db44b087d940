"""Prismatic joints slide along z."""

from __future__ import annotations

from typing import final

from ...graph.node import Scalar
from ...spatial.inertia import NAMES
from .kind import Values
from .on_axes import OnAxes


@final
class Prismatic(OnAxes):
    """The coordinate adds to r."""

    __slots__ = ()

    number: int = 1
    word: str = "prismatic"
    letter: str = "r"
    coordinates: tuple[str, ...] = ("",)
    velocities: tuple[str, ...] = ("",)
    neutral: tuple[float, ...] = (0.0,)
    axes: tuple[int, ...] = (2,)
    units: tuple[str, str] = ("m", "N")
    slide: Scalar = 1.0
    spring: tuple[str, ...] = ("eta", "k", "rest")
    grouped: tuple[tuple[str, tuple[str, ...]], ...] = tuple((name, (name,)) for name in NAMES[:6])

    def offsets(self, q: Values) -> tuple[Scalar, Scalar]:
        return 0.0, q[0]
