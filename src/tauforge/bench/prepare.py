"""The robot and the states of a comparison, the same for every library."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from ..graph.node import Node, is_zero
from ..robot.base import BASE_MOTION, Base
from ..robot.body import NO_LIFT, NO_WRENCH, Body
from ..robot.joint import FREE, NO_LIMITS, Joint
from ..robot.robot import Robot
from ..spatial.inertia import Inertia
from ..spatial.vector import Vector


def prepared(robot: Robot) -> tuple[Robot, list[str]]:
    """Return a robot that all libraries can represent, and what was changed, in words."""
    notes = [words for words, there in _left_out(robot) if there]
    made_up = [body.name for body in robot.bodies if any(isinstance(x, Node) for x in body.inertia)]
    if made_up or robot.symbols:
        notes.append("symbols have random values")
    random = Random(1)
    tree = robot.tree()
    base = Base(floating=robot.base.floating, body=_plain(robot.base.body, random) if robot.base.body else None)
    tree = replace(
        tree,
        joints=tuple(_rigid(joint) for joint in tree.joints),
        bodies=tuple(_plain(body, random) for body in tree.bodies),
        base=base,
        frames=(),
        tendons=(),
    )
    tree = tree.bind({name: random.uniform(0.1, 1.0) for name in tree.symbols}).map(float)
    return depth_first(replace(tree.merged().expanded(), frames=())), notes


def _left_out(robot: Robot) -> Iterator[tuple[str, bool]]:
    """Yield what is left out, in words, and whether the robot has it."""
    joints = robot.joints
    yield "loops are open", bool(robot.loops)
    yield "mimic joints move freely", any(joint.mimic for joint in joints)
    yield "without friction", any(not (is_zero(joint.FV) and is_zero(joint.FS)) for joint in joints)
    yield "joints are stiff", any(joint.eta for joint in joints)
    yield "without tendons", bool(robot.tendons)
    yield "gravity acts on all of each link", any(not is_zero(x) for body in robot.bodies for x in body.lift)
    yield (
        "the base does not move by itself",
        any(not is_zero(x) for key in BASE_MOTION for x in getattr(robot.base, key)),
    )


def _rigid(joint: Joint) -> Joint:
    free: dict[str, Any] = dict.fromkeys(FREE)
    return replace(joint, FV=0.0, FS=0.0, eta=0, k=0.0, rest=0.0, limits=NO_LIMITS, **free)


def _plain(body: Body, random: Random) -> Body:
    """Return a body without wrench and visuals, and with a made-up inertia if it has symbols."""
    symbolic = any(isinstance(x, Node) for x in body.inertia)
    return replace(
        body, inertia=solid(random) if symbolic else body.inertia, wrench=NO_WRENCH, lift=NO_LIFT, visuals=()
    )


def solid(random: Random) -> Inertia:
    """Return the inertia of a few point masses, which is always physically possible."""
    total = Inertia()
    for _ in range(5):
        place = Vector(*(random.uniform(-0.2, 0.2) for _ in range(3)))
        total = total.plus(Inertia(M=random.uniform(0.1, 1)).shifted(place))
    return total


def depth_first(robot: Robot) -> Robot:
    """Return the robot with its links numbered branch by branch, as MuJoCo does and Pinocchio's derivatives need."""
    order: list[int] = []
    stack = [0]
    while stack:
        order.append(stack.pop())
        stack += reversed(robot.children(order[-1]))
    number = {link: place for place, link in enumerate(order)}
    old = [robot.joints[j - 1] for j in order[1:]]
    joints = tuple(replace(joint, antecedent=number[joint.antecedent]) for joint in old)
    return replace(robot, joints=joints, bodies=tuple(robot.bodies[j - 1] for j in order[1:]))


def states(robot: Robot, count: int, seed: int = 0) -> list[Any]:
    """Return random coordinates, with unit quaternions, velocities and accelerations."""
    random = np.random.default_rng(seed)
    names = robot.coordinate_names
    q = random.uniform(-2, 2, (count, len(names)))
    for i in (i for i, name in enumerate(names) if name.endswith(".x")):
        q[:, i : i + 4] /= np.linalg.norm(q[:, i : i + 4], axis=1)[:, None]
    return [q, *random.uniform(-2, 2, (2, count, robot.dof))]
