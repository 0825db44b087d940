"""What a kind of joint is: how many coordinates it has, how its link moves with them, and along which screws."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from ...graph.node import Scalar, is_zero
from ...spatial.rotation import Plane, Turn
from ...spatial.screw import STILL, Twist, Wrench
from ...spatial.vector import ZERO, Vector

if TYPE_CHECKING:
    from ..joint import Joint

Values = Sequence[Scalar]
"""A joint's coordinates, velocities or accelerations; empty for a fixed joint."""


class Kind(ABC):
    """A kind of joint.

    The link moves from the joint's constant frame, which the geometric parameters define. A kind whose coordinates are
    the integrals of its velocities, and whose screws are constant in the link's frame, needs only ``screws`` and the
    methods that move the frame: ``offsets``, ``turns`` and ``shift``.

    Attributes
    ----------
    number
        Its number in a joint's description, ``sigma``.
    word
        Its name.
    letter
        The default name of a coordinate, before the joint's number: th in th1.
    coordinates
        The suffixes of the coordinates' names, after the joint's name: a position, a quaternion (x, y, z, w), an angle.
    velocities
        The suffixes of the velocities' names, one per degree of freedom.
    neutral
        The coordinates at which the link is at the constant frame.
    units
        Units of the only coordinate and of its torque or force.
    turn
        How far the link turns about z per unit of its only coordinate; zero for kinds with several.
    slide
        How far it slides along z, likewise.
    parameters
        The fields of a joint that only this kind uses.
    spring
        The fields of an elastic joint that this kind uses.
    grouped
        Inertial parameters that the joint's motion does not change, so they can be moved to the parent: each with the
        parameters that only together remain unchanged, such as XX and YY in equal parts about z.
    crossed
        Whether it keeps z of the constant frame perpendicular to x of the link.
    """

    __slots__ = ()

    number: int
    word: str
    letter: str = "q"
    coordinates: tuple[str, ...]
    velocities: tuple[str, ...]
    neutral: tuple[float, ...]
    units: tuple[str, str] = ("rad", "N m")
    turn: Scalar = 0.0
    slide: Scalar = 0.0
    parameters: tuple[str, ...] = ()
    spring: tuple[str, ...] = ()
    grouped: tuple[tuple[str, tuple[str, ...]], ...] = ()
    crossed: bool = False

    def of(self, joint: Joint) -> Self:
        """Return the kind with the parameters of one joint."""
        return self

    @property
    def is_axial(self) -> bool:
        """Whether one coordinate moves the link, along or about the axis z."""
        return not (is_zero(self.turn) and is_zero(self.slide))

    @property
    def held(self) -> tuple[int, ...] | None:
        """What the joint does not allow, where a loop is cut at it: the components that are zero of the link's motion
        seen from the constant frame, (vx, vy, vz, ωx, ωy, ωz). None if loops cannot be cut at such a joint.
        """
        return None

    @property
    def is_flat(self) -> bool:
        """Whether the velocities are the rates of the coordinates."""
        return len(self.coordinates) == len(self.velocities)

    def offsets(self, q: Values) -> tuple[Scalar, Scalar]:
        """Return what the coordinates add to θ and r of the constant frame."""
        return 0.0, 0.0

    def turns(self, q: Values) -> Sequence[Plane | Turn]:
        """Return the rotations that come after the constant frame and its offsets."""
        return ()

    def shift(self, q: Values) -> Vector:
        """Return how far the origin moves in the axes of the constant frame."""
        return ZERO

    @abstractmethod
    def screws(self, q: Values) -> Sequence[Twist]:
        """Return the motion subspace S: the link's velocity for each velocity of the joint, in the link's frame."""

    def screw_rates(self, q: Values, qd: Values) -> Sequence[Twist]:
        """Return the time derivative of S in the link's frame, column by column; none if S is constant."""
        return ()

    def screw(self, q: Values, values: Values) -> Twist:
        """Return S times velocities or accelerations."""
        return _combined(self.screws(q), values)

    def drift(self, q: Values, qd: Values) -> Twist:
        """Return Ṡ q̇, the acceleration in the link's frame that the velocities alone cause."""
        return _combined(self.screw_rates(q, qd), qd)

    def acceleration(self, q: Values, qd: Values, qdd: Values) -> Twist:
        """Return the time derivative of S q̇ in the link's frame: S q̈ + Ṡ q̇."""
        return self.screw(q, qdd) + self.drift(q, qd)

    def along(self, q: Values, wrench: Wrench) -> tuple[Scalar, ...]:
        """Return Sᵀ times a wrench: the part of it that the joint's motor balances."""
        return tuple(s.dot(wrench) for s in self.screws(q))

    def tangent(self, q: Values) -> list[list[Scalar]]:
        """Return how the coordinates change with the velocities, one row per coordinate."""
        count = len(self.velocities)
        return [[float(i == k) for k in range(count)] for i in range(count)]

    def step(self, q: Values, v: Values) -> list[Scalar]:
        """Return the coordinates to which a constant velocity leads in a unit of time."""
        return [a + b for a, b in zip(q, v, strict=True)]

    def difference(self, a: Values, b: Values) -> list[Scalar]:
        """Return the constant velocity that leads from coordinates a to b in a unit of time."""
        return [y - x for x, y in zip(a, b, strict=True)]

    def stretch(self, q: Values, rest: Scalar) -> Values:
        """Return how far a spring is from rest, along each degree of freedom."""
        return [x - rest for x in q]


def _combined(screws: Sequence[Twist], values: Values) -> Twist:
    total = STILL
    for s, x in zip(screws, values, strict=bool(screws)):
        total = total + s * x
    return total
