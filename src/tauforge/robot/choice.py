"""The joints chosen as independent, when robots are put together or joints are locked."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .robot import Robot


def choice_of_both(robot: Robot, other: Robot, renamed: Callable[[str], str]) -> tuple[str, ...]:
    """Return the independent joints of two robots that become one; none where no choice was made for either."""
    if not robot.chosen and not other.chosen:
        return ()
    return (*_degrees(robot, str), *_degrees(other, renamed))


def choice_without(robot: Robot, locked: Container[str]) -> tuple[str, ...]:
    """Return the independent joints that are left when some are locked; none, to find them again, if others are."""
    owner = {joint.name + part: joint.name for joint in robot.joints for part in joint.axes}
    names = {owner.get(name, name) for name in robot.chosen}
    if any(joint.name in locked and joint.name not in names for joint in robot.joints if not joint.mimic):
        return ()
    return tuple(name for name in robot.chosen if owner.get(name, name) not in locked)


def _degrees(robot: Robot, renamed: Callable[[str], str]) -> list[str]:
    """Return the independent joints: by name, or axis by axis where only some axes are independent."""
    degrees = set(robot.velocity_names)
    found = []
    for joint in sorted(robot.joints, key=lambda joint: _place(robot, joint.name)):
        own = [part for part in joint.axes if joint.name + part in degrees]
        if own and not joint.mimic:
            name = renamed(joint.name)
            found += [name] if len(own) == len(joint.axes) else [name + part for part in own]
    return found


def _place(robot: Robot, name: str) -> int:
    names = robot.independent
    return names.index(name) if name in names else len(names)
