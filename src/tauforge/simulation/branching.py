"""Where the motion of a mechanism can go on in more than one way: its loops' equations lose rank, as in a parallelogram
whose bars are in line.

A step passes such a state if the determinant of the equations' rows J, completed by the directions in which the
mechanism could move before the step, changes its sign. Near that state, the equations J q̇ = 0 and their second order
leave two planes of velocities: the mechanism moves in one, and could also move in the other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import final

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError
from ..graph.node import as_node
from ..models.loops.closure import loop_closure
from ..models.loops.constraints import dependencies
from ..program.array import Array, Shape
from ..program.program import Program
from ..robot.entries import axis_names
from ..robot.robot import Robot
from ..runtime.function import Function
from .constrained import held

Floats = NDArray[np.float64]
NEAR = 0.3
"""Margin of the loops' equations below which steps are looked at."""
HALVINGS = 50
"""Bisections of a step that passes a singular state."""
TAKES_PART = 0.3
"""Part of the largest entry above which an equation or a joint is named."""
NAMED = 4
"""How many joints are named."""


@final
class Branches(ProgramError):
    """The mechanism has come to a state in which its motion branches.

    Attributes
    ----------
    t
        When, in seconds since the start.
    y
        The state then, with nq coordinates and n velocities of all joints first.
    """

    def __init__(self, robot: Robot, t: float, said: str, y: Floats, nq: int, n: int) -> None:
        super().__init__(
            f"at t = {said} s the mechanism is singular: {ways(robot, y[:nq], y[nq : nq + n])}; through='inertia' goes "
            "on with the present velocities, and an event can stop the simulation before"
        )
        self.t, self.y = t, y


def passed(robot: Robot, before: Floats, after: Floats, between: Callable[[float], Floats]) -> float | None:
    """Return the part of a step after which it has passed a singular state, from coordinates; None if it has not."""
    kept, closure = list(dependencies(robot.expanded()).kept), _closure(robot)

    def J(q: Floats) -> Floats:
        rows = np.asarray(closure(q).J)[kept]
        found: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
        return found

    first = J(before)
    free = np.linalg.svd(first)[2][len(first) :]

    def sign(q: Floats) -> float:
        return float(np.linalg.slogdet(np.concatenate([J(q), free]))[0])

    start = sign(before)
    if sign(after) == start:
        return None
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if sign(between(middle)) == start else (low, middle)
    return 0.5 * (low + high)


def ways(robot: Robot, q: Floats, qd: Floats) -> str:
    """Return the loops that no longer hold, and the ways on, in words."""
    known = dependencies(robot.expanded())
    J = np.asarray(_closure(robot)(q).J)[list(known.kept)]
    u, _, V = np.linalg.svd(J)
    weak, free = np.abs(u[:, -1]), V[len(J) - 1 :]
    labels = [_closure(robot).outputs["error"].labels[0][k] for k in known.kept]
    loops = dict.fromkeys(labels[k].rpartition(".")[0] for k in np.flatnonzero(weak > TAKES_PART * weak.max()))
    names = axis_names(robot.expanded())
    said = (
        f"the equations of {', '.join(map(repr, loops))} depend on one another, and its motion can go on in more than "
        "one way"
    )
    other = _other(robot, q, free, free @ qd, u[:, -1])
    present = free.T @ (free @ qd)
    if other is None:
        return f"{said}, now with {_moving(names, present, present)}"
    changed = np.abs(other - present)
    return f"{said}: on with {_moving(names, present, changed)}, or with {_moving(names, other, changed)}"


def _moving(names: tuple[str, ...], qd: Floats, size: Floats) -> str:
    """Return the velocities of the joints that matter most, in words."""
    order = sorted(np.argsort(-np.abs(size))[:NAMED])
    return ", ".join(f"{names[k]} {qd[k]:.3g}" for k in order)


def _other(robot: Robot, q: Floats, free: Floats, x: Floats, weak: Floats) -> Floats | None:
    """Return the velocities of all joints in the other plane that are nearest to the present ones, if there are two."""
    drift = _drift(robot)

    def second(x: Floats) -> float:
        return float(weak @ drift(q, free.T @ x))

    one = np.eye(len(free))
    own = [second(row) for row in one]
    B = np.array([[0.5 * (second(a + b) - own[i] - own[j]) for j, b in enumerate(one)] for i, a in enumerate(one)])
    values, vectors = np.linalg.eigh(B)
    if not values[0] < -1e-6 * np.abs(values).max() < 1e-6 * np.abs(values).max() < values[-1]:
        return None
    p, n = np.sqrt(values[-1]) * vectors[:, -1], np.sqrt(-values[0]) * vectors[:, 0]
    a, b = p + n, p - n
    away = max((a, b), key=lambda normal: abs(normal @ x))  # the present velocities are not in its plane
    found: Floats = free.T @ (x - (away @ x) / (away @ away) * away)
    return found


@lru_cache(maxsize=32)
def _closure(robot: Robot) -> Function:
    return loop_closure(robot).compile()


@lru_cache(maxsize=32)
def _drift(robot: Robot) -> Function:
    """Return J̇ q̇ of the equations that are needed, compiled once."""
    known = held(robot)

    rows = tuple(as_node(x) for x in known.constraints.drift)
    results = {"drift": Array(Shape([len(rows)]), rows)}
    return Program("drift", {name: known.arguments[name] for name in ("q", "qd")}, results).compile()
