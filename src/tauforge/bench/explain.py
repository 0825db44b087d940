"""Where the operations of a robot's inverse dynamics are spent, and what each choice saves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ..graph.node import Node
from ..graph.operations import ADD, DIV, MUL, NEG, SQRT
from ..models.inverse_dynamics import inverse_dynamics, newton_euler
from ..models.outward import Choices
from ..models.prepare import prepare
from ..models.results import program as made
from ..models.results import vector
from ..parameters.base import base_parameters
from ..program.program import Program
from ..robot.entries import owners
from ..robot.robot import Robot

STEPS = {
    "velocity": ("WI", "W"),
    "acceleration": ("WP",),
    "products": ("DV", "U"),
    "origin": ("VP",),
    "force": ("F", "E"),
    "moment": ("No", "N"),
    "torque": ("tau",),
    "set-up": (),
}
"""The steps of the recursion, each with the papers' names of its results."""
_STEP = {letters: step for step, names in STEPS.items() for letters in names}
_NAME = re.compile(r"(?:(WI|WP|W|VP|F|No|E|N)\d|(DV|U)\d\d)(\d+)")
_COUNTED = (ADD, MUL, DIV, SQRT)


@dataclass(frozen=True)
class Choice:
    """One way to need fewer operations, and what the inverse dynamics costs with it and with all before it.

    Attributes
    ----------
    name
        What is chosen; the first is the recursion without any choice.
    total
        The number of operations, set-up included.
    saved
        How many fewer than without it.
    """

    name: str
    total: int
    saved: int


def spent(robot: Robot, parameters: str = "least") -> dict[str, Counter[str]]:
    """Return the operations of a tree's inverse dynamics by link, then by step.

    Each operation belongs to the first value with a name of the papers that needs it: what passes the wrench of a link
    to its parent belongs to the parent. Operations on parameters alone are ``set-up``, of the link that needs them
    first.
    """
    robot = _tree(robot)
    program, bodies = inverse_dynamics(robot, parameters=parameters, reframe=False), robot.expanded().bodies
    found = {body.name: Counter[str]() for body in bodies}
    seen: set[Node] = set()
    for node, (link, step) in _ends(program, robot.expanded()).items():
        own, stack = found[bodies[link - 1].name], [node]
        while stack:
            x = stack.pop()
            if x not in seen:
                seen.add(x)
                own["set-up" if x in program.setup else step] += x.op in _COUNTED
                stack += x.args
    return found


def _ends(program: Program, robot: Robot) -> dict[Node, tuple[int, str]]:
    """Return the values with names, in the order of the recursion, and then the torques: the link and the step of
    each.
    """
    found: dict[Node, tuple[int, str]] = {}
    computed = {*program.order}
    for node, name in program.names.items():
        match, plain = _NAME.fullmatch(name), node.args[0] if node.op is NEG else node
        if match and plain in computed:
            found.setdefault(plain, (int(match[3]), _STEP[match[1] or match[2]]))
    links = [j for j in owners(robot) for _ in robot.joints[j - 1].axes]
    for node, link in zip(program.results["tau"].nodes, links, strict=True):
        found.setdefault(node, (link, "torque"))
    return found


def _tree(robot: Robot) -> Robot:
    """Return a robot with its loops open and its frames chosen."""
    return (robot.tree() if robot.loops else robot).reframed


def choices(robot: Robot, effort: str | float = "quick") -> Iterator[Choice]:
    """Yield the choices that make an inverse dynamics cheap, each on top of those before it.

    Closed loops are open: this is about the tree.
    """
    before: int | None = None
    for name, total in _ladder(robot.tree() if robot.loops else robot, effort):
        yield Choice(name, total, (before or total) - total)
        before = total


def _ladder(robot: Robot, effort: str | float) -> Iterator[tuple[str, int]]:
    """Yield choices and totals."""
    plain, parts, columns, sums = (
        Choices(columns=False, parts=False),
        Choices(columns=False),
        Choices(),
        Choices(sums=True),
    )
    yield "plain recursion, parameters and frames as described", _total(robot, plain)
    yield "offsets along two axes in two parts", _total(robot, parts)
    yield "the axis' column of U turned outward, not the angular acceleration", _total(robot, columns)
    if robot.reframed is not robot:
        robot = _tree(robot)
        yield "frames with more zeros", _total(robot, columns)
    base = base_parameters(robot)
    yield "base parameters", _total(base.robot, columns)
    yield "links as plates: ZZ = XX + YY", _total(base.least(tips=False, masses=False).robot, columns)
    yield "frames of last links turned and shifted", _total(base.least(masses=False).robot, columns)
    least = base.least().robot
    yield "masses moved along axes to children", _total(least, columns)
    yield "sines and cosines of sums of angles", _total(least, sums)
    best = inverse_dynamics(robot, parameters="least").optimise(effort)
    yield f"search, effort {effort}", best.count().total


def _total(robot: Robot, choices: Choices) -> int:
    """Return the operations of the recursion with some choices."""
    robot, arrays, state = prepare(robot, ("q", "qd", "qdd"))
    tau = vector(state.coordinates, newton_euler(robot, state, choices=choices), "")
    return made("inverse_dynamics", robot, arrays, {"tau": tau}).count().total
