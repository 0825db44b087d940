"""Loop: where a chain of links closes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..errors import RobotError
from .frames import frame
from .joint import Joint
from .kinds import KINDS

if TYPE_CHECKING:
    from .robot import Robot


@dataclass(frozen=True, kw_only=True)
class Loop:
    """A closed loop, cut at one passive joint: frame k is attached to one link, the constant frame k+B to the other."""

    joint: Joint
    frame: Joint


def looped(
    robot: Robot, first: str, second: str, kind: str, name: str | None, ends: tuple[Joint, Joint] | None = None
) -> Robot:
    """Return the robot with one more loop, which a joint closes between two frames, by default those of these names."""
    words = {each.word: each for each in KINDS}
    if kind not in words:
        raise RobotError(
            f"{robot.name}: {kind!r} is not a kind of joint; there are {', '.join(words)}; a revolute one turns about "
            "z of both frames, a prismatic one slides along it"
        )
    called = name or f"{first}_{second}"
    ends = ends or (frame(robot, first), frame(robot, second))
    if ends[0].antecedent == ends[1].antecedent:
        raise RobotError(f"{robot.name}: {first!r} and {second!r} are on the same link, so no loop closes between them")
    joint = replace(ends[0].as_kind(words[kind]), name=called, alias="")
    loop = Loop(joint=joint, frame=replace(ends[1], name=f"{called}_frame", alias=""))
    return replace(robot, loops=(*robot.loops, loop))
