"""A joint in the description of Khalil and Kleinfinger: where a link's frame stands and how it moves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import ExpressionError, RobotError
from ..graph.functions import cos, sin
from ..graph.node import Scalar, is_zero
from ..graph.parse import as_scalar
from ..spatial.pose import Pose
from ..spatial.rotation import Rotation, about, quaternion
from ..spatial.screw import Twist, Wrench
from ..spatial.vector import Vector

REVOLUTE, PRISMATIC, FIXED, SPHERICAL, FLOATING, PLANAR = KINDS = range(6)
WORDS = ("revolute", "prismatic", "fixed", "spherical", "floating", "planar")
"""What the kinds of joints are called."""
AXES = {
    REVOLUTE: (5,),
    PRISMATIC: (2,),
    FIXED: (),
    SPHERICAL: (3, 4, 5),
    FLOATING: (0, 1, 2, 3, 4, 5),
    PLANAR: (0, 1, 5),
}
"""Along which of the six axes (vx, vy, vz, ωx, ωy, ωz) of its own frame each kind of joint moves."""
COORDINATES = {
    REVOLUTE: ("",),
    PRISMATIC: ("",),
    FIXED: (),
    SPHERICAL: (".x", ".y", ".z", ".w"),
    FLOATING: (".px", ".py", ".pz", ".x", ".y", ".z", ".w"),
    PLANAR: (".px", ".py", ".angle"),
}
"""What each kind's coordinates are called after the joint: a position, a quaternion (x, y, z, w), an angle."""
_PARTS = (".vx", ".vy", ".vz", ".wx", ".wy", ".wz")
VELOCITIES = {kind: ("",) if len(axes) == 1 else tuple(_PARTS[k] for k in axes) for kind, axes in AXES.items()}
"""What each kind's velocities are called, which are components in the link's own frame."""
FREE = ("QP", "QDP", "GAM")
"""What is an input of the models where a joint has None or a plain symbol there."""
SCALARS = ("gamma", "b", "alpha", "d", "e", "theta", "r", "IA", "FV", "FS", "k", "rest", *FREE)
"""The fields of a joint that hold numbers or expressions."""


@dataclass(frozen=True, kw_only=True)
class Mimic:
    """How a joint follows another: its coordinate is that of the joint of a number times ratio, plus offset."""

    joint: int
    ratio: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Between which coordinates a joint may move, how fast, and with how much effort at most."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf


NO_LIMITS = Limits()


def is_number(x: object) -> bool:
    """Tell whether a parameter is a finite float already, as almost all of a file's are."""
    return type(x) is float and math.isfinite(x)


def given(x: object, place: str) -> Scalar:
    """Return a parameter as a float or a Node, or say where it stands and why it is none."""
    try:
        return as_scalar(x)
    except ExpressionError as error:
        raise RobotError(f"{place}: {error}") from None


@dataclass(frozen=True, kw_only=True)
class Joint:
    """Joint j, which carries link j on its antecedent link.

    The link's frame follows from its antecedent's by Rot(z, γ) Trans(z, b) Rot(x, α) Trans(x, d) Rot(z, θ) Trans(z, r).
    The joint coordinate q adds to θ (revolute) or to r (prismatic): what these fields hold there is the offset.
    A frame that is given freely may stand at any pose: ``e`` moves it along y after the first turn, γ.
    Joints of several degrees of freedom move from that frame: spherical by a quaternion (x, y, z, w), floating by a
    position and a quaternion, planar by x, y and an angle about z. Their velocities are components in the link's frame.

    Attributes
    ----------
    antecedent
        Number of the link that it stands on, 0 being the base.
    sigma
        0 revolute, 1 prismatic, 2 fixed, 3 spherical, 4 floating, 5 planar.
    mu
        1 if a motor drives the joint.
    mimic
        Which joint it follows, if it has no freedom of its own.
    limits
        Where it may be and what it may do; models do not use them.
    variable
        Name of the joint coordinate in a file; a Robot fills in th1, r2, ... where it is empty.
    IA
        Inertia of rotor and transmission.
    FV
        Viscous friction.
    FS
        Coulomb friction.
    eta
        1 if the joint is elastic.
    k
        Its stiffness.
    rest
        The coordinate at which its spring is relaxed; that of a spherical joint is relaxed where it is not turned.
    QP
        Velocity where a file fixes it; None or a plain symbol leaves it free.
    QDP
        Acceleration, likewise.
    GAM
        Effort, likewise.
    """

    name: str
    antecedent: int
    sigma: int = REVOLUTE
    gamma: Scalar = 0.0
    b: Scalar = 0.0
    alpha: Scalar = 0.0
    d: Scalar = 0.0
    e: Scalar = 0.0
    theta: Scalar = 0.0
    r: Scalar = 0.0
    mu: int = 1
    variable: str = ""
    IA: Scalar = 0.0
    FV: Scalar = 0.0
    FS: Scalar = 0.0
    eta: int = 0
    k: Scalar = 0.0
    rest: Scalar = 0.0
    QP: Scalar | None = None
    QDP: Scalar | None = None
    GAM: Scalar | None = None
    mimic: Mimic | None = None
    limits: Limits = NO_LIMITS

    def __post_init__(self) -> None:
        values = vars(self)
        for key in SCALARS:
            if not is_number(x := values[key]) and (x is not None or key not in FREE):
                object.__setattr__(self, key, given(x, f"{key} of joint {self.name!r}"))

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes of the link's frame along which the joint moves; as many as it has degrees of freedom."""
        return AXES[self.sigma]

    def screw(self, values: Sequence[Scalar]) -> Twist:
        """Return a joint's velocity or acceleration, in the link's frame."""
        parts: list[Scalar] = [0.0] * 6
        for axis, x in zip(self.axes, values, strict=True):
            parts[axis] = x
        return Twist.of(parts)

    @property
    def units(self) -> list[Twist]:
        """The velocities of a unit speed along each of the axes, in the link's frame."""
        count = len(self.axes)
        return [self.screw([float(i == k) for i in range(count)]) for k in range(count)]

    def along(self, wrench: Wrench) -> tuple[Scalar, ...]:
        """Return the components of a wrench that the joint's motor balances."""
        six = (*wrench.f, *wrench.n)
        return tuple(six[axis] for axis in self.axes)

    def pose(self, q: Sequence[Scalar] = ()) -> Pose:
        """Return the pose of the link's frame in its antecedent's, at the coordinates q or at zero."""
        theta = self.theta + q[0] if self.sigma == REVOLUTE and q else self.theta
        r = self.r + q[0] if self.sigma == PRISMATIC and q else self.r
        twist, turn = about(2, self.gamma), about(0, self.alpha)
        arm = twist.forth(Vector(self.d, self.e, self.b))
        if is_zero(turn.s):  # parallel axes: one rotation by the sum of both angles
            pose = Pose(Rotation([turn, about(2, theta + self.gamma * turn.c)]), arm, r)
        else:
            pose = Pose(Rotation([twist, turn, about(2, theta)]), arm, r)
        return self._moved(pose, q) if self.sigma in (SPHERICAL, FLOATING, PLANAR) and q else pose

    def tangent(self, q: Sequence[Scalar]) -> list[list[Scalar]]:
        """Return how the coordinates change with the velocities: a row for each coordinate."""
        if self.sigma == PLANAR:
            c, s = cos(q[2]), sin(q[2])
            return [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
        if self.sigma not in (SPHERICAL, FLOATING):
            return [[1.0]] * len(self.axes)
        x, y, z, w = (0.5 * part for part in q[-4:])
        turning: list[list[Scalar]] = [[w, -z, y], [z, w, -x], [-y, x, w], [-x, -y, -z]]
        if self.sigma == SPHERICAL:
            return turning
        return [[*row, 0.0, 0.0, 0.0] for row in quaternion(q[-4:]).rows] + [[0.0, 0.0, 0.0, *row] for row in turning]

    def _moved(self, start: Pose, q: Sequence[Scalar]) -> Pose:
        """Return the pose of a joint of several degrees of freedom, which moves from a constant one."""
        if self.sigma == PLANAR:
            return Pose(Rotation([*start.R, about(2, q[2])]), start.P + start.R.forth(Vector(q[0], q[1], 0.0)), 0.0)
        arm = start.P + start.R.forth(Vector(*q[:3])) if self.sigma == FLOATING else start.P
        return Pose(Rotation([*start.R, quaternion(q[-4:])]), arm, 0.0)
