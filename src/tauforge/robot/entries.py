"""Which joint each entry of q and qd belongs to: a mimic joint has none of its own and follows its master."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..graph.node import Scalar

if TYPE_CHECKING:
    from .robot import Robot


def owners(robot: Robot) -> tuple[int, ...]:
    """Return the numbers of the joints that have their own entries in q."""
    return tuple(j for j, joint in enumerate(robot.joints, 1) if not joint.mimic)


def places(robot: Robot) -> list[int | None]:
    """Return where in q each joint's first coordinate is, by its number; None if the joint follows another."""
    found: list[int | None] = [None] * (len(robot.joints) + 1)
    at = 0
    for j in owners(robot):
        found[j] = at
        at += len(robot.joints[j - 1].kind.coordinates)
    return found


def followed(robot: Robot) -> list[int]:
    """Return the number of the joint that each joint follows, by its number; its own if it follows none."""
    return [0, *(joint.mimic.joint if joint.mimic else j for j, joint in enumerate(robot.joints, 1))]


def axis_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of the axes of the joints that have their own entries in q."""
    return tuple(robot.joints[j - 1].name + part for j in owners(robot) for part in robot.joints[j - 1].axes)


def by_joint(robot: Robot, q: Sequence[Scalar]) -> list[Sequence[Scalar]]:
    """Return the coordinates of each joint by its number; entry 0 is unused."""
    entries = iter(q)
    own = {j: [next(entries) for _ in robot.joints[j - 1].kind.coordinates] for j in owners(robot)}
    found: list[Sequence[Scalar]] = [()]
    for j, joint in enumerate(robot.joints, 1):
        mimic = joint.mimic
        found.append([own[mimic.joint][0] * mimic.ratio + mimic.offset] if mimic else own[j])
    return found


def degrees(robot: Robot) -> list[tuple[int, float]]:
    """Return, for each axis of each joint, the index in qd of the velocity that moves it, and the ratio (of a mimic
    joint).
    """
    first: dict[int, int] = {}
    place = 0
    for j in owners(robot):
        first[j] = place
        place += len(robot.joints[j - 1].axes)
    found: list[tuple[int, float]] = []
    for j, joint in enumerate(robot.joints, 1):
        if joint.mimic:
            found.append((first[joint.mimic.joint], joint.mimic.ratio))
        else:
            found += [(first[j] + k, 1.0) for k in range(len(joint.axes))]
    return found
