"""A tendon: a force along a sum of joint coordinates, just as a joint's spring and friction act along one."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
        Numbers of joints with one degree of freedom, each with its coefficient.
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
    """

    name: str
    joints: tuple[tuple[int, Scalar], ...]
    IA: Scalar = 0.0
    FV: Scalar = 0.0
    FS: Scalar = 0.0
    k: Scalar = 0.0
    rest: Scalar = 0.0

    def __post_init__(self) -> None:
        for key in LAW:
            object.__setattr__(self, key, given(getattr(self, key), f"{key} of tendon {self.name!r}"))
        joints = tuple((j, given(x, f"a coefficient of tendon {self.name!r}")) for j, x in self.joints)
        object.__setattr__(self, "joints", joints)

    def shifted(self, by: int) -> Tendon:
        """Return the tendon with all joint numbers increased."""
        return replace(self, joints=tuple((j + by, x) for j, x in self.joints))
