"""Loop: where a chain of links closes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..errors import RobotError
from .joint import Joint
from .kinds import FIXED, KINDS

if TYPE_CHECKING:
    from .robot import Robot


@dataclass(frozen=True, kw_only=True)
class Loop:
    """A closed loop, cut at one passive joint: frame k is attached to one link, the constant frame k+B to the other."""

    joint: Joint
    frame: Joint


def looped(robot: Robot, first: str, second: str, kind: str, name: str | None) -> Robot:
    """Return the robot with one more loop, which a joint closes between two frames."""
    words = {each.word: each for each in KINDS}
    if kind not in words:
        raise RobotError(f"{robot.name}: {kind!r} is not a kind of joint; there are {', '.join(words)}")
    called = name or f"{first}_{second}"
    ends = (frame_at(robot, first), frame_at(robot, second))
    if ends[0].antecedent == ends[1].antecedent:
        raise RobotError(f"{robot.name}: {first!r} and {second!r} are on the same link, so no loop closes between them")
    joint = replace(ends[0].as_kind(words[kind]), name=called)
    loop = Loop(joint=joint, frame=replace(ends[1], name=f"{called}_frame", mu=0))
    return replace(robot, loops=(*robot.loops, loop))


def frame_at(robot: Robot, name: str) -> Joint:
    """Return a constant frame, the frame of a link, or the frame that a joint carries, by its name."""
    for frame in robot.frames:
        if frame.name == name:
            return frame
    for number, (joint, body) in enumerate(zip(robot.joints, robot.bodies, strict=True), 1):
        if body.name == name:
            return Joint(name=name, antecedent=number).as_kind(KINDS[FIXED])
        if joint.name == name:
            return frame_at(robot, body.name)
    if name == "base" or (robot.base.body and robot.base.body.name == name):
        return Joint(name=name, antecedent=0).as_kind(KINDS[FIXED])
    known = ", ".join(["base", *robot.frame_names, *(joint.name for joint in robot.joints)])
    raise RobotError(f"{robot.name} has no link, frame or joint {name!r}; it has {known}")
