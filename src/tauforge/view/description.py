"""A robot described in words: data for the command line or a web page to draw."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import ExpressionError
from ..graph.node import Node, Scalar, is_zero
from ..graph.text import number
from ..models.centre_of_mass import gathered
from ..parameters.base import grouped
from ..robot.joint import NO_LIMITS, Joint
from ..robot.kinds.kind import Kind
from ..robot.robot import Robot

_NEAR = 1e-9


@dataclass(frozen=True)
class Link:
    """A link and the joint that carries it, in words; a text is empty if there is nothing to say.

    Attributes
    ----------
    axis
        The direction of the joint's axis relative to that of the parent's joint, or to z of the base.
    range
        The range of the joint's coordinate.
    speed
        Its largest speed.
    effort
        Its largest torque or force.
    notes
        Anything else: which joint it follows, whether it is passive or elastic.
    parent
        The number of its parent link; None for the base.
    frames
        Names of the constant frames on it, such as those of fixed links that are part of it.
    """

    name: str
    joint: str = ""
    kind: str = ""
    axis: str = ""
    range: str = ""
    speed: str = ""
    effort: str = ""
    mass: str = ""
    notes: str = ""
    parent: int | None = None
    frames: tuple[str, ...] = ()


@dataclass(frozen=True)
class Closure:
    """A joint that closes a loop, its kind in words, and the two links that meet there."""

    joint: str
    kind: str
    links: tuple[str, str]


@dataclass(frozen=True)
class Description:
    """A robot's links by number (0 is the base), its loops, and the properties of the whole robot.

    Attributes
    ----------
    mass
        Mass of all links, including a fixed base; None if it is not a number.
    centre
        The centre of mass at zero coordinates, in the base frame; None if it is not three numbers.
    """

    links: tuple[Link, ...]
    loops: tuple[Closure, ...]
    mass: float | None
    centre: tuple[float, float, float] | None


@dataclass(frozen=True)
class FreedomCount:
    """How a mechanism with closed loops can move: at closed states, in numbers.

    Attributes
    ----------
    redundant
        How many of the loops' equations follow from the others.
    independent
        The axes that determine all others.
    actuated
        The joints with a motor.
    passive
        The joints without one.
    idle
        Independent axes of passive joints: motions that no motor determines.
    extra
        Actuated axes that depend on the independent ones, though the loops let them move.
    held
        Actuated axes that the loops keep from moving.
    """

    mobility: int
    redundant: int
    independent: tuple[str, ...]
    actuated: tuple[str, ...]
    passive: tuple[str, ...]
    idle: tuple[str, ...]
    extra: tuple[str, ...]
    held: tuple[str, ...]


@dataclass(frozen=True)
class BaseCount:
    """How many base inertial parameters a robot has, of how many standard ones, and how many rotor inertias."""

    base: int
    standard: int
    rotors: int


def _about_z(kind: Kind) -> str:
    """Return the word of a kind of joint, and what z of its frames means for it."""
    return kind.word + (" about z" if kind.word == "revolute" else " along z" if kind.word == "prismatic" else "")


def describe(robot: Robot) -> Description:
    """Return a robot's description."""
    links = tuple(_link(robot, number) for number in range(len(robot.joints) + 1))
    loops = tuple(
        Closure(
            loop.joint.name,
            _about_z(loop.joint.kind),
            (links[loop.joint.antecedent].name, links[loop.frame.antecedent].name),
        )
        for loop in robot.loops
    )
    return Description(links, loops, *_mass_and_centre(robot))


def describe_freedom(robot: Robot) -> FreedomCount:
    """Return how a mechanism with closed loops can move."""
    import numpy as np  # which most commands do without

    from ..models.loops.freedom import freedom

    with np.errstate(over="ignore", invalid="ignore"):  # lengths can be of any size
        found = freedom(robot.expanded())
    own = [joint for joint in robot.joints if joint.axes and not joint.mimic]
    actuated, passive = ([joint for joint in own if bool(joint.mu) is driven] for driven in (True, False))
    driven, undriven = ([joint.name + part for joint in some for part in joint.axes] for some in (actuated, passive))
    return FreedomCount(
        found.mobility,
        found.redundant,
        found.degrees,
        tuple(joint.name for joint in actuated),
        tuple(joint.name for joint in passive),
        tuple(name for name in found.degrees if name in undriven),
        tuple(name for name in driven if name not in {*found.degrees, *found.held}),
        tuple(name for name in driven if name in found.held),
    )


def count_base_parameters(robot: Robot) -> BaseCount:
    """Return how many base inertial parameters a robot has with its loops opened; this can take a while."""
    opened = robot.derived(loops=())
    base = grouped(opened)
    return BaseCount(base.count, 10 * len(opened.expanded().bodies), len(base.rotors))


def _mass_and_centre(robot: Robot) -> tuple[float | None, tuple[float, float, float] | None]:
    whole = robot.derived(loops=())
    whole = (whole.with_base("floating") if robot.base.body else whole).expanded()
    masses = [body.inertia.M for body in whole.bodies]
    if any(isinstance(mass, Node) for mass in masses):
        return None, None
    total = sum(map(float, masses))
    if not total or not math.isfinite(total):
        return (None if total else total), None
    try:
        at_zero = [joint.pose([joint.mimic.offset] if joint.mimic else ()) for joint in whole.joints]
        centre = gathered(whole, at_zero)[0][1]
    except ExpressionError:  # products of lengths are too large for a float
        return total, None
    if any(isinstance(x, Node) or not math.isfinite(x) for x in centre):
        return total, None
    x, y, z = map(float, centre)
    return total, (x, y, z)


def _link(robot: Robot, number: int) -> Link:
    name = _name(robot, number)
    frames = tuple(x.name for x in robot.frames if x.antecedent == number and x.name != name)
    base = robot.base
    if not number:
        kind = "floating" if base.floating else "mobile" if base.mobile else "fixed"
        return Link(name, kind=kind, mass=_mass(base.body.inertia.M) if base.body else "", frames=frames)
    joint, body = robot.joints[number - 1], robot.bodies[number - 1]
    return Link(
        name,
        joint.name,
        joint.kind.word,
        _axis(robot, joint),
        *_limits(joint),
        _mass(body.inertia.M),
        ", ".join(_notes(robot, joint)),
        joint.antecedent,
        frames,
    )


def _name(robot: Robot, number: int) -> str:
    if number:
        return robot.bodies[number - 1].name
    return robot.base.body.name if robot.base.body else "base"


def _axis(robot: Robot, joint: Joint) -> str:
    """Return the direction of a joint's axis relative to that of its parent's joint, or to z of the base."""
    if len(joint.axes) != 1:
        return ""
    if isinstance(joint.alpha, Node):
        return f"at {joint.alpha}"
    parallel, square = abs(math.sin(joint.alpha)) < _NEAR, abs(math.cos(joint.alpha)) < _NEAR
    angle = f"at {math.degrees(math.acos(abs(math.cos(joint.alpha)))):.4g}°"
    words = "parallel" if parallel else "perpendicular" if square else angle
    before = robot.joints[joint.antecedent - 1] if joint.antecedent else None
    turning = before and not is_zero(before.kind.turn) and not is_zero(joint.kind.turn)
    if turning and _is_near(joint.d) and (_is_near(joint.e) or not parallel):
        return "in line" if parallel else f"{words}, intersecting"
    return words


def _is_near(x: Scalar) -> bool:
    return not isinstance(x, Node) and abs(x) < _NEAR


def _limits(joint: Joint) -> tuple[str, str, str]:
    """Return the range, speed and effort of a joint."""
    limits, one = joint.limits, len(joint.axes) == 1
    length, force = joint.kind.units
    spread = (limits.lower, limits.upper) != (NO_LIMITS.lower, NO_LIMITS.upper)
    texts = (
        f"{limits.lower:.4g} … {limits.upper:.4g} {length}" if spread else "",
        f"{limits.velocity:.4g} {length}/s" if math.isfinite(limits.velocity) else "",
        f"{limits.effort:.4g} {force}" if math.isfinite(limits.effort) else "",
    )
    return texts if one else ("", "", "")


def _mass(M: Scalar) -> str:
    return str(M) if isinstance(M, Node) else f"{M:.4g} kg"


def _notes(robot: Robot, joint: Joint) -> Iterator[str]:
    if joint.mimic:
        offset, text = joint.mimic.offset, ""
        for j, ratio in joint.mimic.of:
            name, size = robot.joints[j - 1].name, abs(ratio) if text else ratio
            text += (" - " if ratio < 0 else " + ") if text else ""
            text += name if size == 1 else f"{number(size)} {name}"
        yield f"= {text}" + (f" {'-' if offset < 0 else '+'} {number(abs(offset))}" if offset else "")
    elif not joint.mu and joint.axes:
        yield "passive"
    if joint.eta:
        yield "elastic"
