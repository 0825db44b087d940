"""One damped Newton step that closes loops, for joints of any kind: the body of an iteration without branches.

With e what is left open and J its slope along the unknown axes, the step is -(JᵀJ + λ)⁻¹ Jᵀ e. The damping λ goes with
|e|², so that steps are careful while the loops are far from closed and Newton's own in the end, where each squares the
error (Yamashita and Fukushima 2001). Long steps are shortened.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...graph.functions import atan2, sqrt
from ...graph.node import Scalar, is_zero
from ...robot.entries import by_joint, owners
from ...robot.robot import Robot
from ...spatial.solve import solve
from ..coordinates import Coordinates, Row
from .closed_form.turning import positive
from .closure import TURN, gaps, rows, with_sides

DAMPING, LEAST = 1e-2, 1e-14
"""Damping as a part of the squared error, and what is added to it."""
FAR = 0.5
"""No joint moves farther in one step, in metres or radians."""
TOLERANCE = 1e-10
"""Error of a loop, in metres and radians, from which a step leads to a closed one: it squares the error."""
TINY = 1e-30
"""Keeps the sine of an angle from zero, which divides it; too small to change any result."""


class Opening(NamedTuple):
    """What is left open at all loops: lengths and angles, one for each equation, and the sum of their squares."""

    parts: list[Scalar]
    square: Scalar


def opening(robot: Robot, q: Sequence[Sequence[Scalar]]) -> Opening:
    """Return what is left open, angles instead of their sines, which vanish at half a turn too."""
    parts, total = list[Scalar](), list[Scalar]()
    for side, gap in zip(with_sides(robot)[1], gaps(robot, q), strict=True):
        turning = [x for k, x in zip(side.held, gap.parts, strict=False) if k in TURN]
        scale: Scalar = 1.0
        if turning:
            sine = sqrt(_squares(turning) + TINY)
            angle = atan2(sine, gap.cosine)
            scale = angle / sine
            total.append(angle * angle)
        for k, x in zip((*side.held, None), gap.parts, strict=False):
            parts.append(x * scale if k in TURN else x)
            if k not in TURN:
                total.append(x * x)
    return Opening(parts, _sum(total))


def newton_step(robot: Robot, q: Sequence[Scalar], held: Sequence[str]) -> tuple[list[Scalar], Scalar]:
    """Return the coordinates after a step along all axes but those held, and 1 if the loops are closed then, or 0."""
    tree, own = Coordinates.of_tree(robot), by_joint(robot, q)
    unknown = [place for place, name in enumerate(tree.names) if name not in {*held}]
    e = opening(robot, own)
    J: list[Row] = [tree.gathered_some(row) for row in rows(robot, own, whole=True)[0]]
    columns = [[row.get(place, 0.0) for row in J] for place in unknown]
    damping = e.square * DAMPING + LEAST
    N = [[_dot(a, b) for b in columns[: i + 1]] + [0.0] * (len(columns) - i - 1) for i, a in enumerate(columns)]
    for i, row in enumerate(N):
        row[i] = row[i] + damping
    x = solve(N, [-_dot(a, e.parts) for a in columns], lambda *_: None)
    shorter = 1.0 / sqrt(_squares(x) * FAR**-2 + 1.0)
    step: list[Scalar] = [0.0] * len(tree.names)
    for place, way in zip(unknown, x, strict=True):
        step[place] = way * shorter
    closed = positive(TOLERANCE**2 - e.square)
    return moved(robot, own, step), closed


def moved(robot: Robot, q: Sequence[Sequence[Scalar]], step: Sequence[Scalar]) -> list[Scalar]:
    """Return the coordinates after a step along each axis."""
    at, found = 0, list[Scalar]()
    for j in owners(robot):
        joint = robot.joints[j - 1]
        own = step[at : at + len(joint.axes)]
        at += len(joint.axes)
        found += q[j] if all(map(is_zero, own)) else joint.kind.step(q[j], own)
    return found


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return _sum([x * y for x, y in zip(a, b, strict=True) if not is_zero(x) and not is_zero(y)])


def _squares(x: Sequence[Scalar]) -> Scalar:
    return _dot(x, x)


def _sum(terms: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for x in terms:
        total = total + x
    return total
