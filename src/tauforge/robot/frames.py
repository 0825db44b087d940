"""Frames by name: constant frames, those of links, the base's, and those that joints carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import RobotError, suggestion
from .joint import Joint, constant_frame

if TYPE_CHECKING:
    from .robot import Robot

BASE = "base"
"""Name of link 0's frame, unless a link or a constant frame has that name."""


def frame_name(robot: Robot, name: str) -> str:
    """Return the name of a frame that a joint carries, moving or fixed; a frame's own name, or an unknown one, is
    returned as it is, so that a name shared by a frame and a joint means the frame.
    """
    base = robot.base.body
    if name == BASE or name in robot.frame_names or (base and name == base.name):
        return name
    for frame in robot.frames:
        if frame.alias == name:
            return frame.name
    for joint, body in zip(robot.joints, robot.bodies, strict=True):
        if joint.name == name:
            return body.name
    return name


def frame(robot: Robot, name: str) -> Joint:
    """Return a frame by its name: a constant frame, a link's own, the base's, or the one that a joint carries."""
    wanted = frame_name(robot, name)
    for each in robot.frames:
        if each.name == wanted:
            return each
    for number, body in enumerate(robot.bodies, 1):
        if body.name == wanted:
            return constant_frame(wanted, number)
    if wanted == BASE or (robot.base.body and wanted == robot.base.body.name):
        return constant_frame(wanted, 0)
    raise RobotError(f"{robot.name} has no link, frame or joint {name!r}; {suggestion(name, known_frames(robot))}")


def known_frames(robot: Robot) -> list[str]:
    """Return all names by which frames can be called."""
    aliases = (frame.alias for frame in robot.frames if frame.alias)
    return list(dict.fromkeys((BASE, *robot.frame_names, *(joint.name for joint in robot.joints), *aliases)))
