"""Robots with other parameters: symbols in the place of numbers, or zeros."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import RobotError
from ..graph.node import Node, Scalar, is_zero, symbol
from ..graph.operations import SYMBOL
from ..spatial.inertia import Inertia
from .body import NO_LIFT, Body
from .joint import Joint
from .tendon import LAW
from .variables import unused

if TYPE_CHECKING:
    from .robot import Robot

_LENGTHS = {"b": "B", "d": "D", "e": "E", "r": "RL"}
"""The lengths of a joint, and the letters of their symbols."""
_DRIVE = ("IA", "FV", "FS")
_ON_JOINT = (*_DRIVE, "FO", "FA", "FB", "k")
"""What of a joint can be neglected."""


def symbols(j: int) -> Inertia:
    """Return the inertial parameters of link j as symbols."""
    return Inertia(*(symbol(f"{name}{j}") for name in Inertia._fields))


def symbolic(
    robot: Robot,
    *,
    inertia: bool = True,
    lengths: bool = False,
    actuators: bool = False,
    same: Mapping[str, Scalar] | None = None,
) -> Robot:
    """Return what ``Robot.symbolic`` promises.

    Lengths of cut joints and their frames get the numbers that follow those of the joints. ``same`` has the expressions
    of lengths that depend on others.
    """
    robot, known = robot.reframed, same or {}
    taken = set(robot.symbols)

    def named(x: Scalar, name: str) -> Scalar:
        if is_zero(x) or (isinstance(x, Node) and x.op is SYMBOL):
            return x
        return known[name] if name in known else symbol(unused(name, taken))

    def of_joint(joint: Joint, j: int) -> Joint:
        chosen = [(key, f"{letter}{j}") for key, letter in _LENGTHS.items() if lengths]
        chosen += [(key, f"{key}{j}") for key in _DRIVE if actuators]
        changes: dict[str, Any] = {key: named(getattr(joint, key), name) for key, name in chosen}
        return replace(joint, **changes)

    def of_body(body: Body, j: int) -> Body:
        return replace(body, inertia=symbols(j)) if inertia else body

    cuts = [joint for loop in robot.loops for joint in (loop.joint, loop.frame)]
    joints = [of_joint(joint, j) for j, joint in enumerate([*robot.joints, *cuts], 1)]
    own, ends = joints[: len(robot.joints)], joints[len(robot.joints) :]
    pairs = zip(robot.loops, ends[::2], ends[1::2], strict=True)
    floating = robot.base.body if robot.base.floating else None
    return replace(
        robot,
        joints=tuple(own),
        bodies=tuple(of_body(body, j) for j, body in enumerate(robot.bodies, 1)),
        loops=tuple(replace(loop, joint=joint, frame=frame) for loop, joint, frame in pairs),
        base=replace(robot.base, body=of_body(floating, 0)) if floating else robot.base,
    )


def neglected(robot: Robot, names: tuple[str, ...]) -> Robot:
    """Return what ``Robot.neglect`` promises."""
    allowed = (*Inertia._fields, *_ON_JOINT, "lift")
    for name in names:
        if name not in allowed:
            raise RobotError(f"{name!r} cannot be neglected; choose among {', '.join(allowed)}")
    on_joint: dict[str, Any] = {name: 0.0 for name in names if name in _ON_JOINT}
    on_tendon: dict[str, Any] = {name: 0.0 for name in on_joint if name in LAW}
    on_body = {name: 0.0 for name in names if name in Inertia._fields}
    lift: dict[str, Any] = {"lift": NO_LIFT} if "lift" in names else {}
    return robot.derived(
        joints=tuple(replace(joint, **on_joint) for joint in robot.joints),
        loops=tuple(replace(loop, joint=replace(loop.joint, **on_joint)) for loop in robot.loops),
        tendons=tuple(replace(tendon, **on_tendon) for tendon in robot.tendons),
        bodies=tuple(replace(body, inertia=body.inertia._replace(**on_body), **lift) for body in robot.bodies),
    )
