"""From degrees of freedom to joints and back: a mimic joint's coordinates follow from its master's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..graph.node import Scalar
from ..program.program import Array, outputs
from ..robot.joint import COORDINATES
from ..robot.robot import Robot
from .state import Values


def spread(robot: Robot, entries: Sequence[Scalar], coordinates: bool = False) -> list[Values]:
    """Return velocities or the like, or coordinates, by joint number; a mimic joint's follow from its master's."""
    rest = iter(entries)
    counts = (() if j.mimic else COORDINATES[j.sigma] if coordinates else j.axes for j in robot.joints)
    free = [[next(rest) for _ in own] for own in counts]
    values: list[Values] = [()]
    for own, joint in zip(free, robot.joints, strict=True):
        if joint.mimic:
            x = free[joint.mimic.joint - 1][0] * joint.mimic.ratio
            own = [x + joint.mimic.offset if coordinates else x]
        values.append(own)
    return values


def folded(robot: Robot, values: Sequence[Any]) -> list[Any]:
    """Return what stands for each axis of each joint, gathered by degree of freedom: a mimic joint's goes to its
    master's, times the ratio.
    """
    if not any(joint.mimic for joint in robot.joints):
        return list(values)
    total: list[Any] = [None] * robot.dof
    for (place, ratio), x in zip(robot.degrees, values, strict=True):
        total[place] = x * ratio if total[place] is None else total[place] + x * ratio
    return total


def folded_twice(robot: Robot, rows: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """Return a matrix with a row and a column for each axis of each joint, gathered along both."""
    by_column = [folded(robot, row) for row in rows]
    return [list(row) for row in zip(*(folded(robot, column) for column in zip(*by_column, strict=True)), strict=True)]


def with_tangent(robot: Robot, q: Array) -> Array:
    """Return the coordinates with how they change with qd: blocks along the diagonal, one for each joint."""
    if all(len(joint.axes) <= 1 for joint in robot.joints):
        return q
    rows: list[list[Scalar]] = []
    first = 0
    for joint, own in zip(robot.joints, spread(robot, q.nodes, coordinates=True)[1:], strict=True):
        if joint.mimic:
            continue
        behind = robot.dof - first - len(joint.axes)
        rows += [[*[0.0] * first, *row, *[0.0] * behind] for row in joint.tangent(own)]
        first += len(joint.axes)
    entries = [x for row in rows for x in row]
    labels = [robot.coordinate_names, robot.velocity_names]
    return replace(q, tangent=outputs(entries, [len(rows), robot.dof], labels, "dq/dt by qd"))
