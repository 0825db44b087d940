"""What is left between frames and their goals, and between the ends of open loops, with exact slopes, as graphs.

A turn is its rotation vector φ. With ω the frame's angular velocity in the goal's axes, φ changes by

    φ' = ω - ½ φ × ω + c φ × (φ × ω),    c = 1/θ² - (1 + cos θ) / (2 θ sin θ)

so that |φ|² changes by 2 φ·ω: for a whole rotation, the Jacobian of ω alone gives the exact gradient, and is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...graph.functions import atan2, sqrt
from ...graph.node import Node, Scalar, as_node, is_zero
from ...models.coordinates import Coordinates
from ...models.jacobian import jacobian
from ...models.loops.closure import rows as loop_rows
from ...models.loops.newton_step import opening
from ...models.transforms import transforms
from ...program.array import Array
from ...robot.entries import by_joint
from ...robot.robot import Robot
from ...spatial.vector import Vector, cross
from ..close_loops import refuse_symbols
from .goal import ANGULAR, LINEAR, NUMBERS, Aim

Row = list[Scalar]
CLOSE = 10.0
"""Weight of loops beside goals: where goals are out of reach, loops stay closed rather than goals met."""
TINY = 1e-30
"""Keeps the sine of an angle from zero, which divides it; too small to change any result."""


class Left(NamedTuple):
    """Errors to make up for, their slopes along the velocities, and the sums of squares of lengths and of angles."""

    e: list[Scalar]
    J: list[Row]
    distance: Scalar
    angle: Scalar

    @property
    def square(self) -> Scalar:
        return self.distance + self.angle


def open_tree(robot: Robot) -> Robot:
    """Return the tree that is left of a robot with its loops open: all its joints can then move."""
    return robot.expanded().derived(loops=(), chosen=()) if robot.loops else robot


def left_of(tree: Robot, aim: Aim, q: Array, goal: Sequence[Node]) -> Left:
    """Return what is left between a frame and its goal."""
    where, slopes = transforms(tree, frames=aim.frame), jacobian(tree, frame=aim.frame)
    refuse_symbols(tree, where)
    T, entries, n = where.results["T"].nodes, slopes.results["J"].nodes, len(tree.velocity_names)
    R, P = [Vector(*T[4 * i : 4 * i + 3]) for i in range(3)], Vector(T[3], T[7], T[11])
    G, origin = [Vector(*goal[3 * i : 3 * i + 3]) for i in range(3)], Vector(*goal[9:NUMBERS])
    J: list[Row] = [[*entries[n * i : n * (i + 1)]] for i in range(6)]
    whole = {*LINEAR} <= {*aim.parts}, {*ANGULAR} <= {*aim.parts}
    e, rows, way = list[Scalar](), list[Row](), origin - P
    chosen = [LINEAR.index(part) for part in aim.parts if part in LINEAR]
    own, turned = ([*way], J[:3]) if whole[0] else ([_dot(g, way) for g in _columns(G)], _turned(G, J[:3]))
    e, rows = [own[k] for k in chosen], [turned[k] for k in chosen]
    distance: Scalar = _squares(e)
    angle: Scalar = 0.0
    if "direction" in aim.parts:
        more, slopes_more, angle = _direction(R, G, J[3:])
        e, rows = e + more, rows + slopes_more
    elif any(part in ANGULAR for part in aim.parts):
        more, slopes_more, angle = _turn(R, G, J[3:], None if whole[1] else aim.parts)
        e, rows = e + more, rows + slopes_more
    return Left([x * aim.weight for x in e], [[x * aim.weight for x in row] for row in rows],
                distance * aim.weight**2, angle * aim.weight**2)  # fmt: skip


def left_open(robot: Robot, q: Array) -> Left:
    """Return what is left open at the loops of a robot."""
    robot = robot.expanded().map(as_node)
    tree, own = Coordinates.of_tree(robot), by_joint(robot, q.nodes)
    gap, n = opening(robot, own), len(tree.names)
    J = [tree.gathered_some(row) for row in loop_rows(robot, own, whole=True)[0]]
    rows: list[Row] = [[row.get(k, 0.0) for k in range(n)] for row in J]
    e = [-x * CLOSE for x in gap.parts]
    return Left(e, [[x * CLOSE for x in row] for row in rows], gap.square * CLOSE**2, 0.0)


def joined(parts: Sequence[Left]) -> Left:
    """Return errors of equal priority as one, without those that no joint can change."""
    pairs = [(x, row) for part in parts for x, row in zip(part.e, part.J, strict=True) if not all(map(is_zero, row))]
    distance = sum((part.distance for part in parts), start=as_node(0.0))
    angle = sum((part.angle for part in parts), start=as_node(0.0))
    return Left([x for x, _ in pairs], [row for _, row in pairs], distance, angle)


def _turn(
    R: Sequence[Vector], G: Sequence[Vector], J: list[Row], parts: Sequence[str] | None
) -> tuple[list[Scalar], list[Row], Scalar]:
    """Return the rotation vector to the goal, or some of its entries in the goal's axes, with slopes and square."""
    if parts is None:
        D = [[_dot(G[i], R[k]) for k in range(3)] for i in range(3)]  # G Rᵀ, seen from the base
        sine, cosine = _sine(D)
        size = sqrt(_squares(sine) + TINY)
        angle = atan2(size, cosine)
        return [x * (angle / size) for x in sine], J, angle * angle
    D = [[_dot(g, r) for r in _columns(R)] for g in _columns(G)]  # Gᵀ R, seen from the goal
    sine, cosine = _sine(D)
    size = sqrt(_squares(sine) + TINY)
    angle = atan2(size, cosine)
    phi = sine * (angle / size)
    c = (1.0 - 0.5 * (angle / size) * (1.0 + cosine)) / (angle * angle)
    columns = [Vector(*column) for column in zip(*_turned(G, J), strict=True)]
    moved = [w - cross(phi, w) * 0.5 + cross(phi, cross(phi, w)) * c for w in columns]
    chosen = [ANGULAR.index(part) for part in parts if part in ANGULAR]
    e = [-phi[k] for k in chosen]
    return e, [[column[k] for column in moved] for k in chosen], _squares(e)


def _direction(R: Sequence[Vector], G: Sequence[Vector], J: list[Row]) -> tuple[list[Scalar], list[Row], Scalar]:
    """Return the rotation vector from the frame's z axis to the goal's, across it, with slopes and square."""
    z, wanted = _columns(R)[2], _columns(G)[2]
    sine, cosine = cross(z, wanted), _dot(z, wanted)
    size = sqrt(_squares(sine) + TINY)
    angle = atan2(size, cosine)
    columns = [Vector(*column) for column in zip(*J, strict=True)]
    across = [w - z * _dot(z, w) for w in columns]
    return [x * (angle / size) for x in sine], [[w[k] for w in across] for k in range(3)], angle * angle


def _sine(D: Sequence[Sequence[Scalar]]) -> tuple[Vector, Scalar]:
    """Return the axis of a rotation times the sine of its angle, and the cosine."""
    axis = Vector(D[2][1] - D[1][2], D[0][2] - D[2][0], D[1][0] - D[0][1]) * 0.5
    return axis, 0.5 * (D[0][0] + D[1][1] + D[2][2] - 1.0)


def _turned(G: Sequence[Vector], J: Sequence[Row]) -> list[Row]:
    """Return rows of a Jacobian in the goal's axes."""
    return [[_dot(g, column) for column in zip(*J, strict=True)] for g in _columns(G)]


def _columns(M: Sequence[Vector]) -> list[Vector]:
    return [Vector(M[0][k], M[1][k], M[2][k]) for k in range(3)]


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return sum((x * y for x, y in zip(a, b, strict=True)), start=as_node(0.0))


def _squares(x: Sequence[Scalar]) -> Scalar:
    return _dot(x, x)
