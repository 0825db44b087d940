"""Which joint each entry of q and qd belongs to: a joint that follows others has none of its own."""

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


def followed(robot: Robot) -> list[tuple[int, ...]]:
    """Return the numbers of the joints that each joint follows, by its number; its own if it follows none."""
    joints = enumerate(robot.joints, 1)
    return [(), *(tuple(k for k, _ in joint.mimic.of) if joint.mimic else (j,) for j, joint in joints)]


def axis_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of the axes of the joints that have their own entries in q."""
    return tuple(robot.joints[j - 1].name + part for j in owners(robot) for part in robot.joints[j - 1].axes)


def by_joint(robot: Robot, q: Sequence[Scalar]) -> list[Sequence[Scalar]]:
    """Return the coordinates of each joint by its number; entry 0 is unused."""
    entries = iter(q)
    own = {j: [next(entries) for _ in robot.joints[j - 1].kind.coordinates] for j in owners(robot)}
    found: list[Sequence[Scalar]] = [()]
    for j, joint in enumerate(robot.joints, 1):
        found.append([joint.mimic.value(lambda k: own[k][0])] if joint.mimic else own[j])
    return found


def velocity_rows(robot: Robot) -> list[dict[int, float]]:
    """Return, for each axis of each joint, the indices in qd of the velocities that move it, each with its ratio."""
    first: dict[int, int] = {}
    place = 0
    for j in owners(robot):
        first[j] = place
        place += len(robot.joints[j - 1].axes)
    rows: list[dict[int, float]] = []
    for j, joint in enumerate(robot.joints, 1):
        if joint.mimic:
            rows.append({first[k]: ratio for k, ratio in joint.mimic.of})
        else:
            rows += [{first[j] + k: 1.0} for k in range(len(joint.axes))]
    return rows
