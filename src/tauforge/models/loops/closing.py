"""Closing loops as a Program: the coordinates of all joints from those of the independent ones.

Loops are closed in closed form if they are triangles and legs, one after another: see closed_form. All others are
closed by Newton steps, repeated in the code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ...graph.node import Node, Scalar, as_node, symbol
from ...program.array import Array, Shape, inputs, outputs
from ...program.program import Program
from ...program.repeat import Repeat
from ...robot.entries import places
from ...robot.robot import Robot
from ..registry import model
from ..results import program
from ..state import INPUTS
from .closed_form.branch import Branch
from .newton_step import newton_step

STEPS = 50
"""Newton steps at the most."""


@model("q_active, guess -> q, closed", "all joints from the independent ones, with the loops closed")
def closing(robot: Robot) -> Program:
    """Return the Program ``q_active, guess -> q, closed``: coordinates of all joints with the loops closed.

    ``q_active`` has the coordinates of the independent joints, ``guess`` those of all joints, closed, as the last state
    of a motion: the result is assembled in the same way, and joints that turn stay within half a turn of it. ``closed``
    is 1; where no position of the other joints closes the loops it is 0, and those joints have no number.

    Loops that are triangles in a plane, or legs that end in a ball joint, are closed in closed form, one after another.
    For all others, the Program is one damped Newton step from ``guess``, and ``Program.repeat`` says how the step is
    repeated: code and compiled functions contain the loop.
    """
    robot = robot.expanded().map(as_node)
    active = active_places(robot)
    arrays = _inputs(robot, active)
    found = in_closed_form(robot, active, arrays, Branch())
    if found is not None:
        return program("closing", robot, arrays, _results(robot, *found))
    q = list(arrays["guess"].nodes)
    for place, node in zip(active, arrays["q_active"].nodes, strict=True):
        q[place] = node
    stepped = _results(robot, *newton_step(robot, q, robot.velocity_names))
    repeat = Repeat("q", "guess", "closed", STEPS)
    return replace(program("closing", robot, arrays, stepped), repeat=repeat)


def _inputs(robot: Robot, active: Sequence[int]) -> dict[str, Array]:
    names = [robot.coordinate_names[place] for place in active]
    return {
        "q_active": inputs("q_active", names, "coordinates of the independent joints"),
        "guess": inputs("guess", robot.coordinate_names, "coordinates of all joints, whose branch is kept"),
    }


class Assembly(NamedTuple):
    """A closed form whose signs are given: every way to assemble the loops.

    Attributes
    ----------
    program
        ``q_active, guess, signs -> q, closed, margins, sides``: what ``Branch`` has.
    signs
        How many signs there are.
    loops
        The loop of each margin, by name.
    """

    program: Program
    signs: int
    loops: tuple[str, ...]


def assembly(robot: Robot) -> Assembly | None:
    """Return the closed form of a robot's loops with given signs; None if they are closed by steps."""
    if not robot.loops or closing(robot).repeat:
        return None
    from .closed_form.order import solved_in_order

    robot = robot.expanded().map(as_node)
    active = active_places(robot)
    arrays = _inputs(robot, active)
    branch = Branch(lambda k: symbol(f"signs[{k}]"))
    given, guess = arrays["q_active"].nodes, arrays["guess"].nodes
    solved = solved_in_order(robot, dict(zip(active, given, strict=True)), guess, branch)
    assert solved
    count = len(branch.sides)
    known = dict(zip(active, given, strict=True)) | solved.values
    signs = [f"sign{k}" for k in range(1, count + 1)]
    if count:
        arrays["signs"] = inputs("signs", signs, "1 or -1 for each root")
    results = _results(robot, [as_node(known[place]) for place in range(len(guess))], solved.exists)
    for name, values in (("margins", branch.margins), ("sides", branch.sides)):
        labels = [f"{name}{k}" for k in range(1, len(values) + 1)]
        results[name] = outputs(values, [len(values)], [labels], "what tells branches apart")
    return Assembly(program("assembly", robot, arrays, results), count, tuple(branch.loops))


def in_closed_form(
    robot: Robot, active: Sequence[int], arrays: dict[str, Array], branch: Branch
) -> tuple[Sequence[Scalar], Scalar] | None:
    """Return the coordinates and the flag in closed form; None if there is none."""
    given, guess = arrays["q_active"].nodes, arrays["guess"].nodes
    known: dict[int, Scalar] = dict(zip(active, given, strict=True))
    if not robot.loops:
        return [known[place] for place in range(len(guess))], 1.0
    from .closed_form.order import is_right, solved_in_order
    from .freedom import freedom

    solved = solved_in_order(robot, known, guess, branch)
    if solved is None:
        return None
    q = [as_node((known | solved.values)[place]) for place in range(len(guess))]
    return (q, solved.exists) if is_right(robot, freedom(robot), [*given, *guess], active, q) else None


def active_places(robot: Robot) -> list[int]:
    """Return where in q the coordinates of the independent joints are, in their order.

    A joint with several degrees of freedom, not all of them independent, has none.
    """
    free, first = {*robot.velocity_names}, places(robot)
    number = {joint.name: j for j, joint in enumerate(robot.joints, 1)}
    found: list[int] = []
    for name in robot.independent:
        joint, start = robot.joints[number[name] - 1], first[number[name]]
        if start is not None and free.issuperset(name + part for part in joint.axes):
            found += range(start, start + len(joint.kind.coordinates))
    return found


def _results(robot: Robot, q: Sequence[Scalar], closed: Scalar) -> dict[str, Array]:
    names = robot.coordinate_names
    flag: tuple[Node, ...] = (as_node(closed),)
    return {
        "q": outputs(q, [len(names)], [names], INPUTS["q"][0]),
        "closed": Array(Shape([]), flag, "1 if the loops are closed, 0 if not"),
    }
