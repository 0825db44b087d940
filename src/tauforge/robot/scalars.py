"""All scalars of a robot: those that are expressions, and the robot with each of them changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from random import Random
from typing import TYPE_CHECKING, Any

from ..graph.evaluate import evaluate
from ..graph.node import Node, Scalar, as_node
from ..spatial.inertia import Inertia
from ..spatial.vector import Vector
from .base import BASE_MOTION
from .body import LIFT, WRENCH, Body
from .joint import SCALARS, Joint
from .loop import Loop
from .tendon import LAW, Tendon

if TYPE_CHECKING:
    from .robot import Robot

BODY = (*Inertia._fields, *WRENCH, *LIFT)
"""Names of a body's scalars."""


def expressions(robot: Robot) -> Iterator[tuple[str, Node]]:
    """Yield every parameter that is a Node, with the name of the field that holds it."""
    of_joint = itemgetter(*SCALARS)
    for joint in (*robot.joints, *(j for loop in robot.loops for j in (loop.joint, loop.frame)), *robot.frames):
        yield from _nodes(SCALARS, of_joint(vars(joint)))
    for body in (*robot.bodies, *([robot.base.body] if robot.base.body else [])):
        yield from _nodes(BODY, (*body.inertia, *body.wrench, *body.lift))
    for tendon in robot.tendons:
        terms = [("joints", x) for _, x in tendon.joints] + [(key, getattr(tendon, key)) for key in LAW]
        yield from ((key, value) for key, value in terms if isinstance(value, Node))
    base = {"gravity": robot.gravity, **{key: getattr(robot.base, key) for key in (*BASE_MOTION, "pose")}}
    yield from ((key, value) for key, values in base.items() for value in values if isinstance(value, Node))


def _nodes(names: Sequence[str], values: Sequence[Any]) -> Iterable[tuple[str, Node]]:
    """Return the values that are Nodes, with their names; most robots have none."""
    if Node not in map(type, values):
        return ()
    return [(key, value) for key, value in zip(names, values, strict=True) if isinstance(value, Node)]


def mapped(robot: Robot, change: Callable[[Scalar], Scalar]) -> Robot:
    """Return the robot with every parameter changed by a function."""

    def of_joint(joint: Joint) -> Joint:
        values = {key: getattr(joint, key) for key in SCALARS}
        changed: dict[str, Any] = {key: change(x) for key, x in values.items() if x is not None}
        return replace(joint, **changed)

    def of_body(body: Body) -> Body:
        return replace(
            body,
            inertia=Inertia(*map(change, body.inertia)),
            wrench=tuple(map(change, body.wrench)),
            lift=tuple(map(change, body.lift)),
        )

    def of_tendon(tendon: Tendon) -> Tendon:
        law: dict[str, Any] = {key: change(getattr(tendon, key)) for key in LAW}
        return replace(tendon, joints=tuple((j, change(x)) for j, x in tendon.joints), **law)

    motion: dict[str, Any] = {key: Vector(*map(change, getattr(robot.base, key))) for key in BASE_MOTION}
    base = replace(
        robot.base,
        pose=tuple(map(change, robot.base.pose)),
        **motion,
        body=of_body(robot.base.body) if robot.base.body else None,
    )
    return robot.derived(
        joints=tuple(map(of_joint, robot.joints)),
        bodies=tuple(map(of_body, robot.bodies)),
        gravity=Vector(*map(change, robot.gravity)),
        loops=tuple(Loop(joint=of_joint(x.joint), frame=of_joint(x.frame)) for x in robot.loops),
        base=base,
        frames=tuple(map(of_joint, robot.frames)),
        tendons=tuple(map(of_tendon, robot.tendons)),
    )


def randomised(robot: Robot, random: Random) -> Robot:
    """Return the robot with random numbers for its symbols."""
    values = {name: random.uniform(0.5, 1.5) for name in robot.symbols}
    return mapped(robot, lambda x: evaluate([as_node(x)], values)[0])
