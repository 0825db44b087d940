"""Parallel robots: a platform and the legs that carry it. W. Khalil, "Dynamic modeling of robots using recursive
Newton-Euler techniques" (ICINCO 2010), section 5.

The platform moves freely, as far as its passive joint on the base lets it, and the last joint of each leg is a cut. If
the platform's joint is the independent one, each leg is solved by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..errors import RobotError
from ..spatial.pose import HERE, Pose
from ..spatial.vector import UNITS, Vector, cross, dot
from .assemble import PLACE
from .base import given_vector
from .body import IDENTITY, Body
from .entries import by_joint
from .frames import frame
from .home import home_of
from .joint import Joint, constant_frame
from .kinds import KINDS, PRISMATIC
from .leg import Leg, placed
from .loop import Loop
from .robot import DOWN, Robot

TRANSLATION = "translation"
"""A platform that keeps its orientation: three prismatic joints."""
ROUNDED = 1e-6
"""Error of a rotation matrix that still counts as rounding."""


def parallel_robot(
    platform: Body,
    legs: Sequence[Leg],
    *,
    joint: str = "floating",
    home: Sequence[Any] = (0.0, 0.0, 0.0),
    name: str = "parallel_robot",
    gravity: Sequence[Any] = DOWN,
) -> Robot:
    """Return a parallel robot: a platform on legs that are attached to the base.

    Parameters
    ----------
    platform
        The platform, with its inertia in its own frame.
    legs
        The legs, each from ``leg`` or a ``Leg`` with any chain. Joints and links of the first one get the prefix
        ``leg1_``, and so on.
    joint
        How the platform can move: "floating", "planar" (in its plane of x and y), "translation", or another kind of
        joint, such as "spherical".
    home
        The platform's frame where the robot is assembled, in the frame of the base: its origin, or a 4x4 matrix. There
        the platform's coordinates are zero, and those of the legs are their ``Leg.home``: this is ``Robot.home``.
    name
        Name of the robot.
    gravity
        Acceleration of gravity in the base frame.
    """
    _check_parts(platform, legs)
    at = _pose(home)
    assembled = dict[str, float | tuple[float, ...]]()
    joints, bodies, frames, loops = list[Joint](), list[Body](), list[Joint](), list[Loop]()
    ends = []
    for number, own in enumerate(legs, 1):
        _check(own, number)
        first, chain = len(joints), own.chain
        add = _Prefix(f"leg{number}_", first)
        joints += map(add.joint, chain.joints)
        bodies += (replace(body, name=f"leg{number}_{body.name}") for body in chain.bodies)
        frames += map(add.joint, chain.frames)
        ends.append((add.joint(frame(chain, own.end)), _end(own)))
        if own.home:
            assembled |= {f"leg{number}_{joint}": x for joint, x in home_of(chain, own.home).items()}
    moved = _platform(platform, joint, at)
    joints += [replace(x, antecedent=len(joints) + k if k else 0) for k, x in enumerate(moved)]
    bodies += [*(Body(name=f"{x.name}_slide") for x in moved[:-1]), platform]
    kinds = {kind.word: kind for kind in KINDS}
    for number, (own, (cut, place)) in enumerate(zip(legs, ends, strict=True), 1):
        called = f"leg{number}_{own.name}"
        top = placed(constant_frame(f"{called}_frame", len(joints)), at, _turned(own.joint, at, place))
        loops.append(Loop(joint=replace(cut.as_kind(kinds[own.joint]), name=called), frame=top))
    return Robot(
        name=name,
        joints=tuple(joints),
        bodies=tuple(bodies),
        frames=tuple(frames),
        loops=tuple(loops),
        home=assembled,
        gravity=given_vector(tuple(gravity) if hasattr(gravity, "__len__") else gravity, f"gravity of {name}"),
    )


class _Prefix:
    """Renames and renumbers the joints of a leg."""

    def __init__(self, prefix: str, first: int) -> None:
        self.prefix, self.first = prefix, first

    def joint(self, joint: Joint) -> Joint:
        mimic = joint.mimic and joint.mimic.renumbered(lambda j: j + self.first)
        antecedent = joint.antecedent + self.first if joint.antecedent else 0
        return replace(joint, name=self.prefix + joint.name, antecedent=antecedent, mimic=mimic, variable="")


def _check_parts(platform: Body, legs: Sequence[Leg]) -> None:
    if not isinstance(platform, Body):
        raise RobotError(f"the platform is {platform!r}; it must be a tf.Body, with a name and an inertia")
    if not isinstance(legs, Sequence):
        raise RobotError(f"the legs are {legs!r}; give a list of them")
    if not legs:
        raise RobotError("a parallel robot needs legs; make them with tf.leg")


def _check(own: Leg, number: int) -> None:
    if not isinstance(own, Leg):
        raise RobotError(f"leg {number} is {own!r}; make it with tf.leg, or with tf.Leg from a Robot")
    if not isinstance(own.chain, Robot):
        raise RobotError(f"leg {number}: its chain is {own.chain!r}; it must be a Robot")
    words = [kind.word for kind in KINDS]
    if own.joint not in words:
        raise RobotError(f"leg {number} ends in a {own.joint!r} joint; there are {', '.join(words)}")
    if own.chain.loops or own.chain.base.floating or own.chain.tendons:
        raise RobotError(f"leg {number}: its chain cannot have closed loops, tendons or a floating base")
    if own.chain.symbols and any(key in PLACE for key, _ in own.chain.expressions()):
        raise RobotError(f"leg {number}: its lengths and angles must be numbers; bind its symbols")
    if own.home and len(own.home) != len(own.chain.coordinate_names):
        raise RobotError(
            f"leg {number}: home has {len(own.home)} coordinates; its chain has {len(own.chain.coordinate_names)}"
        )
    if not all(isinstance(x, float | int) for x in own.home):
        raise RobotError(f"leg {number}: home is {own.home!r}; it must be numbers")


def _end(own: Leg) -> Pose:
    """Return the pose of a leg's end where the robot is assembled, in the frame of the base."""
    chain = own.chain
    neutral = [x for joint in chain.joints if not joint.mimic for x in joint.kind.neutral]
    q = by_joint(chain, own.home or neutral)
    poses = [HERE]
    for j, joint in enumerate(chain.joints, 1):
        poses.append(poses[joint.antecedent].then(joint.pose(q[j])))
    last = frame(chain, own.end)
    return poses[last.antecedent].then(last.pose())


def _turned(kind: str, at: Pose, place: Pose) -> Pose:
    """Return the frame of a joint on the platform, with the platform's axes if the joint lets it have them."""
    z, up = (pose.in_numbers().R.forth(UNITS[2]) for pose in (place, at))
    same = kind == "revolute" and dot(z, up) > 1.0 - 1e-15
    return Pose(at.R, place.P) if kind == "spherical" or same else place


def _platform(platform: Body, joint: str, at: Pose) -> list[Joint]:
    """Return the passive joints on which a platform moves."""
    kinds = {kind.word: kind for kind in KINDS}
    name = platform.name
    if joint != TRANSLATION:
        if joint not in kinds:
            raise RobotError(f"the platform's joint is {joint!r}; it must be {TRANSLATION!r} or {', '.join(kinds)}")
        return [placed(Joint(name=name, antecedent=0).as_kind(kinds[joint]), HERE, at)]
    parts = [Joint(name=f"{name}_{axis}", antecedent=0).as_kind(KINDS[PRISMATIC]) for axis in "xyz"]
    turned = [replace(part, gamma=math.pi / 2, alpha=math.pi / 2) for part in parts]  # z is x, then y, then z
    return [placed(parts[0], HERE, at.then(turned[0].pose())), *turned[1:]]


def _pose(home: Sequence[Any]) -> Pose:
    """Return the pose of the platform from its origin or from a 4x4 matrix."""
    what = f"home is {home!r}; it must be a point or a 4x4 matrix, four rows of four numbers"
    try:
        square = len(home) == 4 and all(len(row) == 4 for row in home)
        flat = [float(x) for row in home for x in row] if square else [float(x) for x in home]
    except (TypeError, ValueError, OverflowError):
        raise RobotError(what) from None
    if not all(map(math.isfinite, flat)) or len(flat) not in (3, len(IDENTITY)):
        raise RobotError(what)
    if len(flat) == 3:
        return Pose(arm=Vector(*flat))
    x, y, z = (Vector(*flat[k : k + 3]) for k in (0, 4, 8))
    gaps = [dot(x, x) - 1, dot(y, y) - 1, dot(z, z) - 1, dot(x, y), dot(y, z), dot(z, x), dot(cross(x, y), z) - 1]
    if max(map(abs, gaps)) > ROUNDED or flat[12:] != [0.0, 0.0, 0.0, 1.0]:
        raise RobotError(f"home is {home!r}; its first three rows and columns must be a rotation, its last row 0 0 0 1")
    return Pose.of(flat)
