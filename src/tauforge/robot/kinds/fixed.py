"""Fixed joints do not move."""

from __future__ import annotations

from typing import final

from ...spatial.inertia import NAMES
from .on_axes import OnAxes


@final
class Fixed(OnAxes):
    """The link stays at the constant frame."""

    __slots__ = ()

    number: int = 2
    word: str = "fixed"
    letter: str = ""
    coordinates: tuple[str, ...] = ()
    velocities: tuple[str, ...] = ()
    neutral: tuple[float, ...] = ()
    axes: tuple[int, ...] = ()
    units: tuple[str, str] = ("m", "N")
    spring: tuple[str, ...] = ("eta", "k", "rest")
    grouped: tuple[tuple[str, tuple[str, ...]], ...] = tuple((name, (name,)) for name in NAMES)
