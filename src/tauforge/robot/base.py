"""Base: link 0, to which the robot is attached, and its motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import RobotError
from ..graph.node import Scalar, is_zero
from ..spatial.vector import ZERO, Vector
from .body import IDENTITY, Body
from .joint import given

BASE_LINK = "base_link"
"""The default name of the base's body."""
BASE_MOTION = ("W0", "WP0", "V0", "VP0")
"""Names of the base's velocities and accelerations: angular, then linear."""


@dataclass(frozen=True, kw_only=True)
class Base:
    """The base: its pose (4x4, row by row), velocities and accelerations, and its body if it moves freely."""

    pose: tuple[Scalar, ...] = IDENTITY
    W0: Vector = ZERO
    WP0: Vector = ZERO
    V0: Vector = ZERO
    VP0: Vector = ZERO
    floating: bool = False
    mobile: bool = False
    body: Body | None = None

    def __post_init__(self) -> None:
        for key in (key for key in BASE_MOTION if getattr(self, key) is not ZERO):
            object.__setattr__(self, key, given_vector(getattr(self, key), f"{key} of the base"))
        if len(self.pose) != 16:
            raise RobotError("the pose of the base must be a 4x4 matrix, given as 16 numbers row by row")
        if self.pose is not IDENTITY:
            object.__setattr__(self, "pose", tuple(given(x, "pose of the base") for x in self.pose))

    @property
    def is_still(self) -> bool:
        """Whether the description prescribes no motion of the base."""
        return all(is_zero(x) for key in BASE_MOTION for x in getattr(self, key))


def given_vector(x: Sequence[object], place: str) -> Vector:
    """Return three parameters as a Vector, or raise an error that says where they are and what is wrong."""
    if not isinstance(x, Sequence) or len(x) != 3:
        raise RobotError(f"{place} is {x!r}; it must be three numbers or expressions")
    return Vector(*(given(component, place) for component in x))
