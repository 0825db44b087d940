"""Loops closed one after another: each is a triangle or a leg once the joints of those before it are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

import numpy as np

from ....graph.evaluate import evaluate
from ....graph.node import Node, Scalar, as_node
from ....robot.entries import by_joint, followed, owners, places
from ....robot.robot import Robot
from ....robot.scalars import randomised
from ..closure import with_sides
from ..freedom import DRAWS, Floats, Freedom, error
from ..newton import is_closed
from .branch import Branch
from .cycle import cycle
from .leg import solve_leg
from .planar import Solved, solve_planar
from .turning import finite, unless_closed

TRIALS, SPREAD = 6, 0.2
"""States at which a solution is tried, and how far the first is from a closed one; each other is half as far."""
SMALL = 1e-9
"""Error of a closed loop at those states, as a part of the loop's size."""


def solved_in_order(robot: Robot, known: Mapping[int, Scalar], guess: Sequence[Node], branch: Branch) -> Solved | None:
    """Return the unknown coordinates of a robot, whose scalars are nodes, by their place in q.

    ``known`` has the others. None if a loop is neither a triangle nor a leg once those before it are closed.
    """
    tree, sides = with_sides(robot)
    first = places(tree)
    values, exists, waiting = dict(known), as_node(1.0), list(sides)
    while waiting:
        q, last = known_by_joint(tree, values), known_by_joint(tree, {place: guess[place] for place in values})
        for side in waiting:
            own, before = cycle(tree, side, q, first), cycle(tree, side, last, first)
            if own is None or before is None:
                continue
            if not any(x.place is not None for x in own.unknowns):
                waiting.remove(side)  # closed by the others, or never: the trial tells
                break
            found = solve_planar(own, before, [*guess], branch) or solve_leg(own, before, [*guess], branch)
            if found:
                branch.name(side.loop.joint.name)
                values |= found.values
                exists = exists * found.exists
                waiting.remove(side)
                break
        else:
            return None
    unknown = [place for place in range(len(guess)) if place not in known]
    if any(place not in values for place in unknown):
        return None
    exists = exists * finite([values[place] for place in unknown])
    lost = unless_closed(exists)
    return Solved({place: values[place] + lost for place in unknown}, exists)


def is_right(robot: Robot, found: Freedom, given: Sequence[Node], active: Sequence[int], q: Sequence[Node]) -> bool:
    """Tell whether a solution closes the loops near a closed state, and stays at that state if it is the guess.

    Parameters
    ----------
    robot
        The robot whose loops are closed.
    found
        A closed state of it; symbols have the values of that state.
    given
        The inputs of the solution: the active coordinates, then the guess.
    active
        Where the active coordinates are in q.
    q
        The solution.
    """
    numeric, values = _drawn(robot, found.q)
    random, closed = Random(2), 0
    for trial in range(TRIALS):
        far = SPREAD * 0.5**trial if trial else 0.0
        own = [found.q[place] + random.uniform(-far, far) for place in active]
        inputs = dict(zip((str(node.value) for node in given), [*own, *found.q], strict=True))
        try:
            reached = np.array(evaluate(list(q), values | inputs))
        except (ArithmeticError, ValueError):
            return False
        if np.isnan(reached).any():
            continue
        closed += 1
        if np.abs(error(numeric, reached)).max() > SMALL * max(1.0, float(np.abs(reached).max())):
            return False
        if not trial and np.abs(reached - found.q).max() > np.sqrt(SMALL):
            return False
    return closed > TRIALS // 3


def _drawn(robot: Robot, q: Floats) -> tuple[Robot, dict[str, float]]:
    """Return the robot with the numbers for its symbols with which a state is closed, and these numbers."""
    for draw in range(1, DRAWS + 1):
        numeric, random = randomised(robot, Random(draw)), Random(draw)
        if is_closed(error(numeric, q)[None]).all():
            break
    return numeric, {name: random.uniform(0.5, 1.5) for name in robot.symbols}


def known_by_joint(robot: Robot, values: Mapping[int, Scalar]) -> list[Sequence[Scalar] | None]:
    """Return the coordinates of each joint by its number; None where one is unknown."""
    first, unknown = places(robot), as_node(0.0)
    sizes = [0, *(len(joint.kind.coordinates) for joint in robot.joints)]
    count = sum(sizes[j] for j in owners(robot))
    q = by_joint(robot, [values.get(place, unknown) for place in range(count)])
    found: list[Sequence[Scalar] | None] = [()]
    for j, leaders in enumerate(followed(robot)[1:], 1):
        entries = [(first[k] or 0) + i for k in leaders for i in range(sizes[k])]
        found.append(q[j] if all(k in values for k in entries) else None)
    return found
