"""A joint in the description of Khalil and Kleinfinger: where a link's frame is and how it moves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, SupportsFloat

from ..errors import ExpressionError, RobotError, suggestion
from ..graph.node import Node, Scalar, is_zero
from ..graph.parse import as_scalar
from ..spatial.pose import Pose
from ..spatial.rotation import Rotation, about
from ..spatial.screw import Twist, Wrench
from ..spatial.vector import Vector
from .kinds import FIXED, KINDS, PARAMETERS, REVOLUTE, WORDS
from .kinds.kind import Kind, Values
from .placement import placement

FREE = ("QP", "QDP", "GAM")
"""The fields for which None or a plain symbol means an input of the models."""
ACTUATOR = ("IA", "FV", "FS", "FO", "FA", "FB", "VB")
"""The fields of rotor inertia and friction."""
NEEDED = ("gamma", "b", "alpha", "d", "e", "theta", "r", *PARAMETERS, *ACTUATOR, "k", "rest")
SCALARS = (*NEEDED, *FREE)
"""The fields of a joint that hold numbers or expressions."""
_PLACE = ("gamma", "b", "alpha", "d", "e", "theta", "r")
_needed = itemgetter(*NEEDED)
LINK, WORLD = "link", "world"
"""Whose coordinates a joint is placed in by ``Joint.at``."""


@dataclass(frozen=True, init=False)
class Mimic:
    """How a joint follows others: its coordinate is a sum of theirs, each times a ratio, plus an offset.

    ``Mimic({"m1": 0.5, "m2": 0.5}, offset=0.1)`` follows two joints, ``Mimic(joint="m1", ratio=2.0)`` one. A joint is
    given by its name or number. A Robot replaces names by numbers, and joints that follow others by those.

    Attributes
    ----------
    of
        Numbers of the joints that it follows, each with its ratio.
    offset
        Its coordinate where theirs are zero.
    """

    of: tuple[tuple[int, float], ...]  # names too, until the joint is part of a Robot
    offset: float = 0.0

    def __init__(
        self,
        of: Mapping[Any, float] | Iterable[tuple[Any, float]] | None = None,
        offset: float = 0.0,
        *,
        joint: int | str | None = None,
        ratio: float | None = None,
    ) -> None:
        if (of is None) == (joint is None):
            raise RobotError(f"a Mimic needs the joints that it follows with their ratios, {_MIMIC}, or one joint=…")
        if of is not None and ratio is not None:
            raise RobotError(f"ratio={ratio!r} belongs to joint=…; here each joint has its own, {_MIMIC}")
        only = {joint: 1.0 if ratio is None else ratio}
        object.__setattr__(self, "of", _terms(only if of is None else of))
        object.__setattr__(self, "offset", _real(offset, "offset of a Mimic"))

    @property
    def joint(self) -> int:
        """The only joint that it follows."""
        return self._only[0]

    @property
    def ratio(self) -> float:
        """The ratio to the only joint that it follows."""
        return self._only[1]

    @property
    def is_sum(self) -> bool:
        """Whether it follows several joints."""
        return len(self.of) > 1

    @property
    def _only(self) -> tuple[int, float]:
        if len(self.of) != 1:
            raise RobotError(f"a joint follows {len(self.of)} others here; only one was expected")
        return self.of[0]

    def renumbered(self, number: Callable[[int], int]) -> Mimic:
        """Return how the joint follows the same others under new numbers."""
        return Mimic(tuple((number(j), ratio) for j, ratio in self.of), self.offset)

    def value(self, values: Callable[[int], Any]) -> Any:
        """Return the joint's coordinate from those of the joints that it follows."""
        return self.rate(values) + self.offset

    def rate(self, values: Callable[[int], Any]) -> Any:
        """Return the joint's velocity from those of the joints that it follows."""
        terms = [values(j) * ratio for j, ratio in self.of]
        return sum(terms[1:], start=terms[0])


_MIMIC = 'as in {"m1": 0.5, "m2": 0.5}'


def _terms(of: object) -> tuple[tuple[Any, float], ...]:
    """Return the joints that a joint follows with their ratios, or say what they should be."""
    try:
        pairs = [(key, x) for key, x in (of.items() if isinstance(of, Mapping) else of)]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        pairs = []
    if not pairs or not all(isinstance(key, int | str) and not isinstance(key, bool) for key, _ in pairs):
        raise RobotError(f"mimic must be joints, by name or number, with their ratios, {_MIMIC}; it is {of!r}")
    return tuple((key, _real(x, f"ratio to joint {key!r} in a Mimic")) for key, x in pairs)


def _real(x: object, what: str) -> float:
    """Return a number as a float."""
    if isinstance(x, bool) or not isinstance(x, SupportsFloat) or isinstance(x, Node):
        raise RobotError(f"the {what} is {x!r}; it must be a number")
    try:
        return float(x)
    except (TypeError, ValueError, OverflowError):
        raise RobotError(f"the {what} is not a number that a float can hold") from None


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The range of a joint's coordinate, its largest speed and its largest effort."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf

    def __post_init__(self) -> None:
        for key, x in vars(self).items():
            if type(x) is not float:
                object.__setattr__(self, key, _real(x, f"{key} limit of a joint"))


NO_LIMITS = Limits()


def are_numbers(values: Sequence[Any]) -> bool:
    """Tell whether parameters are finite floats already, as almost all of a file's are."""
    return set(map(type, values)) == {float} and all(map(math.isfinite, values))


def given(x: object, place: str) -> Scalar:
    """Return a parameter as a float or a Node, or raise an error that says where it is and what is wrong."""
    try:
        return as_scalar(x)
    except ExpressionError as error:
        raise RobotError(f"{place}: {error}") from None


@dataclass(frozen=True, kw_only=True)
class Joint:
    """Joint j, which attaches link j to its antecedent, the parent link.

    The link's frame follows from its antecedent's by Rot(z, γ) Trans(z, b) Rot(x, α) Trans(x, d) Rot(z, θ) Trans(z, r).
    The joint coordinate q adds to θ (revolute) or to r (prismatic), or to both (helical, ``pitch`` times q to r); these
    fields then hold the offset. A freely placed frame can have any pose: ``e`` moves it along y after the first
    rotation, γ. Joints with several degrees of freedom move from that frame; each kind defines its coordinates and
    velocities.

    Attributes
    ----------
    antecedent
        Number of the parent link; 0 is the base.
    sigma
        The number of its kind: 0 revolute, 1 prismatic, 2 fixed; the page on joints lists the others. You can give
        the word instead, such as "prismatic".
    pitch
        How far a helical joint slides along z as it turns about it, in metres per radian.
    mu
        1 if a motor drives the joint.
    mimic
        The joints that it follows with their ratios, if it is not independent: {"m1": 0.5, "m2": 0.5}, or a ``Mimic``
        with an offset. Its coordinate is the sum.
    limits
        Its range, speed and effort; models do not use them.
    variable
        Name of the joint coordinate in a file; a Robot fills in th1, r2, ... where it is empty.
    IA
        Inertia of rotor and transmission.
    FV
        Viscous friction.
    FS
        Coulomb friction.
    FO
        Offset of Coulomb friction: a constant torque, as of a drive whose friction differs between both directions.
    FA
        Asymmetric viscous friction, times |q̇|: by how much viscous friction in the positive direction exceeds FV.
    FB
        Breakaway friction, by which friction near rest exceeds FS: FB sign(q̇) / (1 + (q̇/VB)²), the Stribeck effect.
    VB
        The speed at which half of the breakaway friction is left.
    eta
        1 if the joint is elastic.
    k
        Its stiffness.
    rest
        The coordinate at which its spring is relaxed; for a spherical joint, always the unturned position.
    QP
        Prescribed velocity; None or a plain symbol leaves it free.
    QDP
        Acceleration, likewise.
    GAM
        Effort, likewise.
    alias
        Another name of a constant frame: that of the fixed joint which holds it, as in a URDF.
    relative_to
        For ``Joint.at``: whose coordinates its pose is in until it is part of a Robot, which makes them those of its
        antecedent.
    """

    name: str
    antecedent: int
    sigma: int = REVOLUTE  # or a word, of which a number is made
    gamma: Scalar = 0.0
    b: Scalar = 0.0
    alpha: Scalar = 0.0
    d: Scalar = 0.0
    e: Scalar = 0.0
    theta: Scalar = 0.0
    r: Scalar = 0.0
    pitch: Scalar = 0.0
    mu: int = 1
    variable: str = ""
    IA: Scalar = 0.0
    FV: Scalar = 0.0
    FS: Scalar = 0.0
    FO: Scalar = 0.0
    FA: Scalar = 0.0
    FB: Scalar = 0.0
    VB: Scalar = 0.0
    eta: int = 0
    k: Scalar = 0.0
    rest: Scalar = 0.0
    QP: Scalar | None = None
    QDP: Scalar | None = None
    GAM: Scalar | None = None
    mimic: Mimic | None = None  # or a mapping, of which a Mimic is made
    limits: Limits = NO_LIMITS
    alias: str = ""
    relative_to: str = ""

    def __post_init__(self) -> None:
        values = vars(self)
        if not isinstance(self.name, str):
            raise RobotError(f"the name of a joint is {self.name!r}; it must be a text")
        if isinstance(self.sigma, str):
            object.__setattr__(self, "sigma", _number(self.sigma, self.name))
        if self.mimic is not None and not isinstance(self.mimic, Mimic):
            object.__setattr__(self, "mimic", _mimic(self.mimic, self.name))
        if not isinstance(self.limits, Limits):
            raise RobotError(
                f"joint {self.name!r}: limits must be a tf.Limits, as in tf.Limits(lower=-1.0, upper=1.0); "
                f"they are {self.limits!r}"
            )
        if are_numbers(_needed(values)) and self.QP is self.QDP is self.GAM is None:
            return
        for key in SCALARS:
            if (x := values[key]) is not None or key not in FREE:
                object.__setattr__(self, key, given(x, f"{key} of joint {self.name!r}"))

    @classmethod
    def at(
        cls,
        name: str,
        *,
        on: str | int,
        xyz: Sequence[float] = (0.0, 0.0, 0.0),
        rpy: Sequence[float] = (0.0, 0.0, 0.0),
        axis: str | Sequence[float] = "z",
        relative_to: str = LINK,
        **fields: Any,
    ) -> Joint:
        """Return a joint at a point, about or along an axis: its pose where all coordinates are zero.

        The frame of its link is there, with z along the axis. A Robot computes the joint's geometric parameters, and
        its models can choose other frames for the links, as for a URDF.

        Parameters
        ----------
        on
            Name of the link that it is attached to, or of the joint that carries that; "base", or a number.
        xyz, rpy
            Its origin, and roll, pitch and yaw about fixed axes (rad): in the frame of that link, or of the base.
        axis
            The axis in the frame that rpy has turned: "x", "y", "z", "-x", …, or a vector of any length.
        relative_to
            "link", or "world" for coordinates of the base's frame.
        fields
            Other fields of the joint, such as ``sigma="prismatic"`` or ``limits``.
        """
        from .placed import check_relative_to, pose_at

        where = f"joint {name!r}"
        check_relative_to(where, relative_to)
        if own := [key for key in ("antecedent", *_PLACE) if key in fields]:
            raise RobotError(f"{where}: Joint.at takes no {own[0]}; xyz, rpy and axis place the joint")
        joint = cls(name=name, antecedent=on, **fields)  # type: ignore[arg-type]  # a Robot makes a number of a name
        place: dict[str, Any] = {**dict.fromkeys(_PLACE, 0.0), **placement(pose_at(where, xyz, rpy, axis))}
        return replace(joint, **place, relative_to=relative_to)

    @property
    def kind(self) -> Kind:
        """The kind of joint, which defines its coordinates and how it moves."""
        return KINDS[self.sigma].of(self)

    @property
    def axes(self) -> tuple[str, ...]:
        """The suffixes of the names of the joint's velocities, one per degree of freedom."""
        return KINDS[self.sigma].velocities

    def screw(self, q: Values, values: Values) -> Twist:
        """Return a joint's velocity or acceleration, in the link's frame."""
        return self.kind.screw(q, values)

    def along(self, q: Values, wrench: Wrench) -> tuple[Scalar, ...]:
        """Return the components of a wrench that act along the joint's axes."""
        return self.kind.along(q, wrench)

    def as_kind(self, kind: Kind) -> Joint:
        """Return a passive joint of another kind at the same place."""
        own: dict[str, Any] = {key: 0.0 for key in PARAMETERS if key not in kind.parameters}
        return replace(self, sigma=kind.number, mu=0, variable="", **own)

    def pose(self, q: Values = ()) -> Pose:
        """Return the pose of the link's frame relative to its antecedent's, at the coordinates q; by default its
        constant frame.
        """
        kind = self.kind
        theta, r = self.theta, self.r
        if q:
            offset, slide = kind.offsets(q)
            theta, r = theta + offset, r + slide
        twist, turn = about(2, self.gamma), about(0, self.alpha)
        arm = twist.forth(Vector(self.d, self.e, self.b))
        if is_zero(turn.s):  # parallel axes: one rotation by the sum of both angles
            pose = Pose(Rotation([turn, about(2, theta + self.gamma * turn.c)]), arm, r)
        else:
            pose = Pose(Rotation([twist, turn, about(2, theta)]), arm, r)
        if not q or not (turns := kind.turns(q)):
            return pose
        return Pose(Rotation([*pose.R, *turns]), pose.P + pose.R.forth(kind.shift(q)), 0.0)


def _number(word: str, name: str) -> int:
    """Return the number of a kind of joint from its word."""
    if word not in WORDS:
        raise RobotError(f"joint {name!r}: sigma is {word!r}; {suggestion(word, WORDS)}")
    return WORDS.index(word)


def _mimic(given: object, name: str) -> Mimic:
    if not isinstance(given, Mapping):
        raise RobotError(
            f"joint {name!r}: mimic must be the joints that it follows with their ratios, {_MIMIC}, or a tf.Mimic; "
            f"it is {given!r}"
        )
    return Mimic(given)


def constant_frame(name: str, antecedent: int, *, alias: str = "", **place: Scalar) -> Joint:
    """Return a constant frame on a link, placed by a joint's geometric parameters."""
    return Joint(name=name, antecedent=antecedent, sigma=FIXED, mu=0, alias=alias, **place)  # type: ignore[arg-type]
