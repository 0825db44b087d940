"""Legs of parallel robots: chains from the base to a joint of the platform, from a word such as "UPS" and points.

Everything is given where the robot is assembled, in the axes of the base: there all coordinates are zero.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from ..errors import RobotError
from ..graph.node import Scalar
from ..spatial.inertia import Inertia
from ..spatial.pose import HERE, Pose
from ..spatial.rotation import Rotation
from ..spatial.vector import UNITS, Vector, cross, dot
from .body import Body
from .joint import Joint, Mimic, constant_frame
from .kinds import KINDS, PRISMATIC, REVOLUTE, SPHERICAL
from .placement import placement
from .robot import Robot

Point = Sequence[float]
LETTERS = {"R": "revolute", "P": "prismatic", "U": "universal", "S": "spherical"}
"""The joints of a leg; Pa, a parallelogram, is one more."""
END = "end"
"""Name of the frame at the end of a leg."""
LENGTHS = ("b", "d", "e", "r")
_WORD = re.compile(r"(_?)(Pa|[RPUS])")
_TINY = 1e-12
_DIGITS, _ROUNDING = 11, 4e-15
"""Digits of a length that somebody wrote, and how far, as a part of the longest, rounding can take it from there."""
_PARALLEL = 1e-9


@dataclass(frozen=True, kw_only=True)
class Leg:
    """A leg of a parallel robot.

    Attributes
    ----------
    chain
        Its links, as a robot on the base of the whole.
    joint
        The kind of joint between its last frame and the platform: "spherical", "revolute", "universal", …
    end
        Name of that frame, in which the joint's axis is z.
    home
        Coordinates of the chain where the robot is assembled; zeros by default.
    name
        Name of the joint to the platform.
    """

    chain: Robot
    joint: str = "spherical"
    end: str = END
    home: tuple[float, ...] = ()
    name: str = "top"


def leg(
    word: str,
    points: Sequence[Point],
    *,
    axes: Sequence[Any] = (),
    links: Sequence[Any] = (),
    width: float = 0.0,
    IA: Scalar = 0.0,
    FV: Scalar = 0.0,
    FS: Scalar = 0.0,
) -> Leg:
    """Return a leg from a word for its joints and the points where they are.

    Parameters
    ----------
    word
        The joints from base to platform: R revolute, P prismatic, U universal, S spherical, Pa a parallelogram; the
        last one connects the leg to the platform. An underscore before a letter marks a motor, "U_PS"; by default the
        first R or P of the leg has it.
    points
        Where the joints are when the robot is assembled, in the frame of the base: one point per joint, but none for
        P. A parallelogram is at the middle of its first side.
    axes
        The direction of each joint's axis, or None: for R it is needed; P is along the leg by default; the first axis
        of U is by default along an axis of the base, and its second perpendicular to the leg; Pa turns by default
        about an axis perpendicular to its bars and to the axis before it.
    links
        The inertia of each link, one per joint but the last; none by default. Its frame is at the joint that carries
        the link, or for P at the next joint; x points along the link to the next joint; z is the joint's axis, made
        perpendicular to x (for P: that of the link before). For Pa it is the inertia of each of its two bars.
    width
        Distance of the bars of a parallelogram; zero for both in the middle.
    IA, FV, FS
        Rotor inertia, viscous and Coulomb friction of the motors.
    """
    made = _Chain(_letters(word), points, axes, links, width)
    motor = {"mu": 1, "IA": IA, "FV": FV, "FS": FS}
    joints = tuple(replace(joint, **motor) if joint.name in made.motors else joint for joint in made.joints)  # type: ignore[arg-type]
    chain = Robot(name=word.replace("_", ""), joints=joints, bodies=tuple(made.bodies), frames=(made.end,))
    return Leg(chain=chain, joint=LETTERS[made.steps[-1].letter], name=made.steps[-1].name)


@dataclass
class _Step:
    """A joint of a leg: its letter, name and motor, then its place, its axis and its link."""

    letter: str
    name: str
    motor: bool
    point: Vector = field(default_factory=lambda: UNITS[0])
    axis: Vector | None = None
    link: Inertia = field(default_factory=Inertia)


def _letters(word: str) -> list[_Step]:
    """Return the joints of a word."""
    parts = _WORD.findall(word) if isinstance(word, str) else []
    if "".join(a + b for a, b in parts) != word or len(parts) < 2:
        raise RobotError(f"{word!r} is not a leg; write two or more of R, P, U, S and Pa, such as 'UPS' or 'RRPaR'")
    letters = [letter for _, letter in parts]
    if letters[-1] == "Pa" or parts[-1][0]:
        raise RobotError(f"the last joint of the leg {word!r} must be a passive R, P, U or S of the platform")
    motors = [k for k, (mark, _) in enumerate(parts) if mark]
    if not motors:
        motors = [k for k, letter in enumerate(letters[:-1]) if letter in ("R", "P")][:1]
    names = []
    for k, letter in enumerate(letters):
        names.append(letter if letters.count(letter) == 1 else f"{letter}{letters[: k + 1].count(letter)}")
    return [_Step(letter, names[k], k in motors) for k, letter in enumerate(letters)]


class _Chain:
    """The joints and links of a leg, built one after another."""

    def __init__(
        self, steps: list[_Step], points: Sequence[Point], axes: Sequence[Any], links: Sequence[Any], width: float
    ) -> None:
        if isinstance(width, str) or not 0.0 <= width < math.inf:
            raise RobotError(f"the width of a parallelogram is {width!r}; it must be a length, or zero")
        self.steps, self.width = steps, float(width)
        self.joints: list[Joint] = []
        self.bodies: list[Body] = []
        self.motors: list[str] = []
        self.at, self.on = HERE, 0  # the last frame in the base's axes, and the number of its link
        self._place(points)
        self._links(links)
        self._axes(axes)
        for k in range(len(steps) - 1):
            self._add(k)
        last = steps[-1]
        at = self._frame(last.point, last.axis or column_z(self.at), None)
        if last.letter == "U":
            first = last.axis or column_z(self.at)
            at = _frame(last.point, first, cross(self._along(len(steps) - 2), first))
        self.end = placed(constant_frame(END, self.on), self.at, at)

    @property
    def _word(self) -> str:
        return "".join(step.letter for step in self.steps)

    def _place(self, points: Sequence[Point]) -> None:
        """Give each joint its point: a prismatic one that of the next joint."""
        wanted = sum(step.letter != "P" for step in self.steps)
        if not hasattr(points, "__len__"):
            raise RobotError(f"the points of the leg {self._word} are {points!r}; give {wanted} of them in a list")
        if len(points) != wanted:
            raise RobotError(
                f"the leg {self._word} has {len(points)} points; it needs {wanted}, one for each joint but those with P"
            )
        given = iter([_vector(point, f"a point of the leg {self._word}") for point in points])
        for step in self.steps:
            if step.letter != "P":
                step.point = next(given)
        if self.steps[-1].letter == "P":
            self.steps[-1].point = next(step.point for step in reversed(self.steps) if step.letter != "P")
        for k in reversed(range(len(self.steps) - 1)):
            if self.steps[k].letter == "P":
                self.steps[k].point = self.steps[k + 1].point

    def _links(self, links: Sequence[Any]) -> None:
        if isinstance(links, Inertia) or not hasattr(links, "__len__"):
            raise RobotError(f"the links of the leg {self._word} are {links!r}; give a list with an Inertia for each")
        if len(links) not in (0, len(self.steps) - 1):
            raise RobotError(
                f"the leg {self._word} has {len(links)} links; it needs {len(self.steps) - 1}, one for each joint but "
                "the last"
            )
        for step, link in zip(self.steps, links, strict=False):
            if not (link is None or hasattr(link, "__len__")):
                raise RobotError(f"the link of {step.name} in the leg {self._word} is {link!r}; it must be an Inertia")
            step.link = Body(name=step.name, inertia=Inertia() if link is None else link).inertia

    def _axes(self, axes: Sequence[Any]) -> None:
        """Give each joint its axis."""
        if not hasattr(axes, "__len__"):
            raise RobotError(f"the axes of the leg {self._word} are {axes!r}; give a list, as in axes=[(0, 1, 0), …]")
        if len(axes) > len(self.steps):
            raise RobotError(f"the leg {self._word} has {len(axes)} axes for {len(self.steps)} joints")
        given = [*axes, *[None] * (len(self.steps) - len(axes))]
        for k, (step, axis) in enumerate(zip(self.steps, given, strict=True)):
            what = f"the axis of {step.name} in the leg {self._word}"
            if axis is not None:
                step.axis = _unit(_vector(axis, what), what)
            elif step.letter == "R":
                before = [other.axis for other in self.steps[:k] if other.letter == "R"]
                if not before:
                    raise RobotError(f"{what} is missing; give it in axes, as in axes=[(0, 1, 0), …]")
                step.axis = before[-1]
            elif step.letter == "P":
                step.axis = _unit(self._along(k, self.steps[k - 1].point if k else None), what)
            elif step.letter == "U":
                along = self._along(min(k, len(self.steps) - 2))
                step.axis = min(UNITS, key=lambda unit: round(abs(dot(unit, along)), 9))
            elif step.letter == "Pa":
                before = [other.axis for other in self.steps[:k] if other.axis]
                if not before or before[-1] is None:
                    raise RobotError(f"{what} is missing; give it in axes")
                step.axis = _unit(cross(before[-1], self._along(k)), what)

    def _along(self, k: int, start: Vector | None = None) -> Vector:
        """Return the direction of the link that joint k carries."""
        first = start or self.steps[k].point
        way = next((s.point - first for s in self.steps[k + 1 :] if _length(s.point - first) > _TINY), None)
        if way is not None:
            return way * (1.0 / _length(way))
        return self.steps[k].axis or UNITS[0]

    def _add(self, k: int) -> None:
        """Add the joints and links of one letter."""
        step = self.steps[k]
        axis, along = step.axis or UNITS[2], self._along(k)
        if step.motor:
            self.motors += [f"{step.name}1", f"{step.name}2"] if step.letter == "U" else [step.name]
        if step.letter == "U":
            second = _unit(cross(along, axis), f"the second axis of {step.name} in the leg {self._word}")
            self._joint(f"{step.name}1", REVOLUTE, _frame(step.point, axis, second))
            self._joint(f"{step.name}2", REVOLUTE, _frame(step.point, second, cross(along, second)))
            self._link(step, axis, along)
        elif step.letter == "Pa":
            self._parallelogram(step, axis, along, self.steps[k + 1].point)
        else:
            kind = {"R": REVOLUTE, "P": PRISMATIC, "S": SPHERICAL}[step.letter]
            following = self.steps[k + 1].axis if k + 1 < len(self.steps) else None
            at = self._frame(step.point, axis if step.letter != "S" else along, following)
            self._joint(step.name, kind, at)
            self._link(step, axis, step.axis if step.letter == "P" and step.axis else along)

    def _parallelogram(self, step: _Step, axis: Vector, along: Vector, end: Vector) -> None:
        """Add two bars that turn together, and what they carry, which does not turn: Khalil and Kleinfinger's γ is
        constant there, so joints that follow the first one need no loop.
        """
        bars = f"the bars of {step.name} in the leg {self._word}"
        if _length(end - step.point) < _TINY:
            raise RobotError(f"{bars} have no length; the points of {step.name} and of the next joint must differ")
        if _length(cross(axis, along)) < _PARALLEL:
            raise RobotError(f"{bars} lie along its axis; give an axis across them")
        side = cross(axis, along) * (0.5 * self.width)
        before, base, first = self.at, self.on, len(self.joints) + 1
        signs = [1.0, -1.0] if self.width else [1.0]
        link = step.link if self.width else step.link.plus(step.link)
        for sign in signs:
            self.at, self.on = before, base
            place = _frame(step.point + side * sign, axis, cross(cross(axis, along), axis))
            name = step.name if sign > 0 else f"{step.name}_bar"
            self._joint(name, REVOLUTE, place, None if sign > 0 else Mimic(joint=first))
            self._link(replace(step, link=link), axis, along, step.point + side * sign)
        if self.width:  # the far side is carried by the first bar
            self.at, self.on = _frame(step.point + side, axis, cross(cross(axis, along), axis)), first
        place = _frame(end, axis, cross(cross(axis, along), axis))
        shift = Pose(place.R, end + side)
        self._joint(f"{step.name}_side", REVOLUTE, shift, Mimic(joint=first, ratio=-1.0))

    def _joint(self, name: str, kind: int, at: Pose, mimic: Mimic | None = None) -> None:
        joint = Joint(name=name, antecedent=self.on, mimic=mimic).as_kind(KINDS[kind])
        self.joints.append(placed(joint, self.at, at))
        self.bodies.append(Body(name=f"{name}_link"))
        self.at, self.on = at, len(self.joints)

    def _link(self, step: _Step, axis: Vector, along: Vector, point: Vector | None = None) -> None:
        """Give the last link its inertia, from the frame along the link to the joint's."""
        side = axis if _length(cross(axis, along)) > _PARALLEL else None
        if side is None:
            others = [other.axis for other in self.steps if other.axis and _length(cross(other.axis, along)) > 1e-3]
            side = others[0] if others else min(UNITS, key=lambda unit: abs(dot(unit, along)))
        z = _unit(side - along * dot(side, along), step.name)
        own = Pose(_rotation(along, z), point or step.point)
        if any(not isinstance(x, float) or x for x in step.link):
            inertia = step.link.inward(relative(self.at, own))
            self.bodies[-1] = replace(self.bodies[-1], inertia=inertia)

    def _frame(self, point: Vector, z: Vector, following: Vector | None) -> Pose:
        """Return a frame with a given z whose x is perpendicular to the next axis too, or else to the last frame's."""
        for other in (following, column_z(self.at)):
            if other is not None and _length(cross(z, other)) > 1e-3:
                return _frame(point, z, cross(z, other))
        x = self.at.R.forth(UNITS[0])
        return _frame(point, z, x if _length(cross(z, x)) > 1e-3 else min(UNITS, key=lambda unit: abs(dot(unit, z))))


def column_z(at: Pose) -> Vector:
    """Return the axis z of a frame."""
    return at.R.forth(UNITS[2])


def placed(joint: Joint, before: Pose, at: Pose) -> Joint:
    """Return a joint with a given frame at zero, on a link whose frame is known too."""
    longest, found = _longest(before, at), placement(relative(before, at))
    tidy: dict[str, Any] = {key: _short(x, longest) if key in LENGTHS else _whole(x) for key, x in found.items()}
    return replace(joint, **tidy)


def relative(before: Pose, at: Pose) -> Pose:
    """Return the pose of one frame in another, without the rounding errors of right angles and round lengths."""
    pose = before.inverse().then(at).in_numbers()
    x, y, z = (Vector(*map(_neat, row)) for row in pose.R.rows)
    longest = _longest(before, at)
    return Pose(Rotation.of((x, y, z)), Vector(*(_short(p, longest) for p in pose.P)))


def _longest(*poses: Pose) -> float:
    return max(1e-300, *(abs(float(x)) for pose in poses for x in pose.P))


def _short(x: float, longest: float) -> float:
    """Return the length with few digits that a length is, but for the rounding errors of the longest."""
    if abs(x) < _TINY * longest:
        return 0.0
    short = round(x, _DIGITS - math.ceil(math.log10(longest)))
    return short if abs(x - short) < _ROUNDING * longest else x


def _whole(angle: float) -> float:
    """Return the whole number of half degrees that an angle is, but for rounding errors: their sines are exact."""
    turned = Fraction(round(angle * 360 / math.pi), 360)
    whole = turned.numerator * math.pi / turned.denominator
    return whole if abs(angle - whole) < _ROUNDING else angle


def _neat(x: float) -> float:
    return float(round(x)) if abs(x - round(x)) < _TINY else x


def _frame(point: Vector, z: Vector, x: Vector) -> Pose:
    """Return a frame at a point with a given z, its x as near to the given one as it can be."""
    z = z * (1.0 / _length(z))
    x = x - z * dot(x, z)
    return Pose(_rotation(x * (1.0 / _length(x)), z), point)


def _rotation(x: Vector, z: Vector) -> Rotation:
    """Return the rotation to a frame whose axes x and z are given."""
    y = cross(z, x)
    rows = [Vector(*map(_neat, (x[k], y[k], z[k]))) for k in range(3)]
    return Rotation.of((rows[0], rows[1], rows[2]))


def _length(v: Vector) -> float:
    return math.hypot(*v)


def _unit(v: Vector, what: str) -> Vector:
    length = _length(v)
    if length < _PARALLEL:
        raise RobotError(f"{what} has no direction; give another axis or other points")
    return Vector(*(_neat(x / length) for x in v))


def _vector(x: Any, what: str) -> Vector:
    try:
        found = Vector(*map(float, x))
    except (TypeError, ValueError, OverflowError):
        raise RobotError(f"{what} is {x!r}; it must be three numbers") from None
    if not all(map(math.isfinite, found)):
        raise RobotError(f"{what} is {x!r}; its numbers must be finite")
    return found
