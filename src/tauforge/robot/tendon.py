"""A tendon: a force along a sum of joint coordinates, just as a joint's spring, friction and motor act along one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..errors import RobotError
from ..graph.node import Scalar
from .joint import given

LAW = ("IA", "FV", "FS", "k", "rest")
"""The fields of a tendon that hold numbers or expressions."""


@dataclass(frozen=True, kw_only=True)
class Tendon:
    """A tendon whose length is a sum of joint coordinates, each times a coefficient.

    Attributes
    ----------
    joints
        Joints with one degree of freedom, each with its coefficient, such as the radius of a pulley: numbers, or names
        as in {"knuckle": 0.01, "middle": 0.008}, which a Robot replaces by numbers.
    IA
        Inertia along its length.
    FV
        Viscous friction.
    FS
        Coulomb friction.
    k
        Its stiffness; it can pull and push.
    rest
        The length at which it is relaxed.
    driven
        Whether a motor pulls it. Its torque along the length, or its force, is then among those of ``robot.motors``; a
        positive one drives the joints in the direction in which the length grows.
    """

    name: str
    joints: tuple[tuple[int, Scalar], ...]
    IA: Scalar = 0.0
    FV: Scalar = 0.0
    FS: Scalar = 0.0
    k: Scalar = 0.0
    rest: Scalar = 0.0
    driven: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise RobotError(f"the name of a tendon is {self.name!r}; it must be a text")
        for key in LAW:
            object.__setattr__(self, key, given(getattr(self, key), f"{key} of tendon {self.name!r}"))
        if not isinstance(self.driven, bool):
            raise RobotError(f"tendon {self.name!r}: driven is {self.driven!r}; it must be True or False")
        joints = tuple((j, given(x, f"a coefficient of tendon {self.name!r}")) for j, x in self._pairs())
        object.__setattr__(self, "joints", joints)

    def _pairs(self) -> list[tuple[Any, Any]]:
        """Return the joints with their coefficients, or say what they should be."""
        joints: Any = self.joints
        try:
            pairs = [(j, x) for j, x in (joints.items() if isinstance(joints, Mapping) else joints)]
        except (TypeError, ValueError):
            pairs = [(None, None)]
        if not all(isinstance(j, int | str) and not isinstance(j, bool) for j, _ in pairs):
            raise RobotError(
                f"tendon {self.name!r}: joints must be names or numbers with their coefficients, as in "
                f'{{"knuckle": 0.01, "middle": 0.008}}; they are {joints!r}'
            )
        return pairs

    def renumbered(self, number: Callable[[int], int]) -> Tendon:
        """Return the tendon along the same joints under new numbers."""
        return replace(self, joints=tuple((number(j), x) for j, x in self.joints))

    def shifted(self, by: int) -> Tendon:
        """Return the tendon with all joint numbers increased."""
        return self.renumbered(lambda j: j + by)
