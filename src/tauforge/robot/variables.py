"""The names that a Robot fills in for joint coordinates, so that every moving joint has one."""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from ..graph.evaluate import symbols
from ..graph.node import Node
from ..graph.operations import SYMBOL
from .joint import FREE, Joint

if TYPE_CHECKING:
    from .loop import Loop
    from .robot import Robot


def with_variables(robot: Robot) -> tuple[tuple[Joint, ...], tuple[Loop, ...]]:
    """Return joints and loops with a variable for each moving joint, and None in place of plain default symbols.

    Cut joints are numbered after those of the tree.
    """
    cut = [loop.joint for loop in robot.loops]
    moving = [joint for joint in (*robot.joints, *cut) if joint.axes]
    taken: set[str] = set()
    if not all(joint.variable for joint in moving):
        taken.update(symbols(x for _, x in robot.expressions()))
        taken.update(joint.variable for joint in moving)
    numbered = [_with_variable(joint, j, taken) for j, joint in enumerate((*robot.joints, *cut), 1)]
    count = len(robot.joints)
    loops = [replace(loop, joint=joint) for loop, joint in zip(robot.loops, numbered[count:], strict=True)]
    return tuple(numbered[:count]), tuple(loops)


def default_variable(joint: Joint, number: int) -> str:
    """Return the default name of a joint's coordinate."""
    return f"{joint.kind.letter}{number}" if joint.axes else ""


def unused(name: str, taken: Collection[str]) -> str:
    """Return a name that is not taken yet: the given one, with underscores if needed."""
    while name in taken:
        name += "_"
    return name


def is_plain(x: object) -> bool:
    """Tell whether a velocity, an acceleration or a torque is just a symbol, which means that it is an input."""
    return isinstance(x, Node) and x.op is SYMBOL


def _with_variable(joint: Joint, number: int, taken: set[str]) -> Joint:
    variable = joint.variable
    if not joint.axes:
        variable = ""
    elif not variable:
        variable = unused(default_variable(joint, number), taken)
        taken.add(variable)
    changes: dict[str, str | None] = {} if variable == joint.variable else {"variable": variable}
    for key in FREE:
        value = getattr(joint, key)
        if is_plain(value) and str(value).rstrip("_") == f"{key}{number}":
            changes[key] = None
    if not changes:
        return joint
    completed = copy(joint)  # not replace: everything else has been checked
    vars(completed).update(changes)
    return completed
