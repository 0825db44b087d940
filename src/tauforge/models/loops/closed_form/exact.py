"""Loops closed exactly: sines and cosines of unknown joints as functions of known ones, with both signs of roots.

``order.py`` closes loops for computation: near a guess, and with room for rounding. A proof needs neither: a root means
both ways in which a triangle can be assembled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import pi

from ....graph.functions import cos, sin, sqrt
from ....graph.node import Node, as_node, symbol
from ....program.domain import Solution, Turn
from ....robot.entries import places
from ....robot.robot import Robot
from ..closure import with_sides
from . import turning
from .constant import vanishes
from .cycle import SLIDE, TURN, cycle
from .order import known_by_joint
from .planar import Plane, planar_loop

ANGLE = 1e-7
"""How far an angle in numbers may be from the fraction of a turn, or from the decimal, that it is taken for."""


def exact_solution(
    robot: Robot, active: Sequence[int], together: Mapping[int, tuple[Mapping[int, int], float]]
) -> Solution | None:
    """Return the coordinates that loops determine; None if not all have a form that is exact.

    Parameters
    ----------
    robot
        The robot, whose scalars are nodes.
    active
        Where the independent coordinates are in q.
    together
        Joints that turn along with others: by places, the factors of these and an angle.
    """
    tree, sides = with_sides(robot)
    first, names = places(tree), robot.coordinate_names
    q = [symbol(f"q[{k}]") for k in range(len(names))]
    steps: dict[str, Node | Turn] = {}
    texts = list[str]()
    for place, (factors, angle) in together.items():
        total = _angle(angle)
        for k, factor in factors.items():
            total = total + q[k] * float(factor)
        steps[f"q[{place}]"] = Turn(as_node(sin(total)), as_node(cos(total)))
        texts.append(f"{names[place]} = {_sum(factors, names, angle)}")
    known = {*active, *together}
    waiting = list(sides)
    while waiting:
        values = {place: q[place] for place in known}
        for side in waiting:
            own = cycle(tree, side, known_by_joint(tree, values), first)
            if own is None:
                continue
            unknown = [x.place for x in own.unknowns if x.place is not None]
            if unknown:
                plane = planar_loop(own)
                solved = plane and _solved(plane)
                if not solved:
                    continue
                steps |= {f"q[{place}]": solved[place] for place in unknown}
                known |= {*unknown}
            waiting.remove(side)
            break
        else:
            return None
    return Solution(steps, ", ".join(texts)) if known == {*range(len(names))} else None


def _angle(x: float) -> Node:
    """Return an angle as the nearest multiple of half a degree if it is one, or as a short decimal."""
    halves = round(x * 360.0 / pi)
    if abs(x - halves * pi / 360.0) < ANGLE:
        part = Fraction(halves, 360)
        return as_node(part.numerator * pi / part.denominator)
    return as_node(next(short for k in range(1, 18) if abs((short := round(x, k)) - x) < ANGLE))


def _sum(factors: Mapping[int, int], names: Sequence[str], angle: float) -> str:
    """Return a sum of angles as text."""
    terms = [f"{'-' if x < 0 else '+'} {'' if abs(x) == 1 else f'{abs(x)}*'}{names[k]}" for k, x in factors.items()]
    if abs(angle) > ANGLE:
        terms.append(f"{'-' if angle < 0 else '+'} {abs(angle):.6g}")
    return " ".join(terms).removeprefix("+ ").replace("- ", "-", 1) if terms else "0"


def _solved(plane: Plane) -> dict[int | None, Node | Turn] | None:
    """Return a triangle's unknown coordinates by their place."""
    sliding = [unknown.motion for unknown in plane.unknowns].count(SLIDE)
    solve = (_triangle, _one_slide, _two_slides)[sliding]
    return solve(plane)


def _triangle(plane: Plane) -> dict[int | None, Node | Turn] | None:
    """Solve a triangle with three known sides, as ``planar`` does."""
    _, c2, c3 = plane.points
    u, t = c3.minus(c2), plane.end
    D, X = c2.dot(u), c2.cross(u)
    k = 0.5 * (t.dot(t) - c2.dot(c2) - u.dot(u))
    square = D * D + X * X
    if vanishes(square):
        return None
    root = sqrt(square - k * k)
    # D cos φ₂ - X sin φ₂ = k
    second = Turn(as_node((root * D - k * X) / square), as_node((k * D + root * X) / square))
    w = c2.plus(u.by(turning.Turn(*second)))
    size = t.dot(t)
    first = Turn(as_node(w.cross(t) / size), as_node(w.dot(t) / size))
    return _turned(plane, [first, second])


def _one_slide(plane: Plane) -> dict[int | None, Node | Turn] | None:
    """Solve a triangle with a side of unknown length, the third axis, as ``planar`` does."""
    c2, d = plane.points[1], plane.slides[2]
    e = d.by(plane.turn)
    m = plane.end.minus(plane.points[2].minus(c2).by(plane.turn))
    along, across, square = m.dot(e), m.cross(e), c2.dot(c2)
    if vanishes(square):
        return None
    q3 = along + sqrt(square - across * across)
    w = m.minus(e.times(q3))
    first = Turn(as_node(c2.cross(w) / square), as_node(c2.dot(w) / square))
    whole = Turn(as_node(plane.turn.s), as_node(plane.turn.c))
    found = _turned(plane, [first, whole.plus(first.times(-1))])
    return found | {plane.unknowns[2].place: as_node(q3)}


def _two_slides(plane: Plane) -> dict[int | None, Node | Turn] | None:
    """Solve a loop with two slides, as ``planar`` does."""
    d2, d3 = (d.by(plane.turn) for d in plane.slides[1:])
    m = plane.end.minus(plane.points[2].by(plane.turn))
    size = d2.cross(d3)
    if vanishes(size):
        return None
    found = _turned(plane, [Turn(as_node(plane.turn.s), as_node(plane.turn.c))])
    lengths = (m.cross(d3) / size, d2.cross(m) / size)
    return found | {x.place: as_node(y) for x, y in zip(plane.unknowns[1:], lengths, strict=True)}


def _turned(plane: Plane, turns: list[Turn]) -> dict[int | None, Node | Turn]:
    """Return the joints that turn; the last angle follows from that of the whole loop."""
    if len(turns) == 2 and plane.unknowns[2].motion == TURN:
        whole = Turn(as_node(plane.turn.s), as_node(plane.turn.c))
        turns = [*turns, whole.plus(turns[0].plus(turns[1]).times(-1))]
    both = zip(plane.unknowns, turns, plane.directions, strict=False)
    return {unknown.place: turn if way > 0 else turn.times(-1) for unknown, turn, way in both}
