"""Determinant of the Jacobian, zero where a robot is singular, and manipulability, a distance from there.

Turning the axes multiplies the three linear rows of J, and the three angular ones, by a rotation, whose determinant is
one; moving the point adds multiples of angular rows to linear ones. So det J can be computed in the axes and at the
origin of any link, and the cheapest choice is taken: in the middle of an arm, few elements of J differ from zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from ..errors import ProgramError
from ..graph.functions import absolute, sqrt
from ..graph.node import Scalar, is_zero
from ..program.array import Array, outputs
from ..program.optimise import cheapest
from ..program.program import Program
from ..robot.robot import Robot
from ..spatial.determinant import determinant, maximal_minors
from ..spatial.vector import ZERO, Entry, Matrix, Vector, cross, times
from .jacobian import Point, axes_number, columns, given_point, jacobian, levers
from .link_motion import VELOCITY
from .prepare import prepare
from .registry import model
from .results import program
from .routes import frame_number, orientations, path, poses_of
from .state import State

Rows = list[list[Entry]]
MOST_MINORS = 100
"""With more maximal minors than this, the determinant of the Jacobian's square is cheaper."""


@model("q -> det", "determinant of the Jacobian of six joints")
def jacobian_determinant(
    robot: Robot,
    *,
    frame: str = "",
    rows: Sequence[str] = VELOCITY,
    point: Point = (0.0, 0.0, 0.0),
    axes: str | None = None,
) -> Program:
    """Return the Program ``q -> det``: the determinant of the Jacobian of a frame, for the joints that move it.

    Parameters
    ----------
    rows
        Which of vx, vy, vz, wx, wy, wz to take: as many as there are joints that move the frame.
    frame, point, axes
        As in ``jacobian``; with all six rows neither point nor axes change the determinant.
    """
    robot, arrays, jacobians = _jacobians(robot, frame, rows, point, axes, move_point=True)
    if len(jacobians[0]) != len(jacobians[0][0]):
        raise ProgramError(
            f"the Jacobian of {frame} has {len(rows)} rows and {len(jacobians[0][0])} joints move it, so it has no "
            f"determinant: choose as many of {', '.join(VELOCITY)} with rows=, or ask for the manipulability"
        )
    meaning = f"determinant of the Jacobian of {frame}"
    results = ({"det": outputs([determinant(J)], [], [], meaning)} for J in jacobians)
    return cheapest(program("jacobian_determinant", robot, arrays, result) for result in results)


@model("q -> w", "sqrt(det(J J')), the distance from singularities")
def manipulability(
    robot: Robot,
    *,
    frame: str = "",
    rows: Sequence[str] = VELOCITY,
    point: Point = (0.0, 0.0, 0.0),
    axes: str | None = None,
) -> Program:
    """Return the Program ``q -> w``: Yoshikawa's manipulability √det(J Jᵀ) of a frame, for the joints that move it.

    It is √det(Jᵀ J) if there are fewer joints than rows. The arguments are those of ``jacobian_determinant``.
    """
    robot, arrays, jacobians = _jacobians(robot, frame, rows, point, axes, move_point=False)
    results = ({"w": outputs([volume(J)], [], [], f"manipulability of {frame}")} for J in jacobians)
    return cheapest(program("manipulability", robot, arrays, result) for result in results)


def minors(robot: Robot, frame: str, rows: Sequence[str]) -> Program:
    """Return the Program ``q -> minors``: the largest minors of the Jacobian of a frame that are not always zero.

    In the axes and at the origin where they cost least: where all of them vanish, the frame is singular.
    """
    robot, arrays, jacobians = _jacobians(robot, frame, rows, (0.0, 0.0, 0.0), None, move_point=True)
    made = (maximal_minors(J) for J in jacobians)
    results = ({"minors": outputs(found, [len(found)], [], f"largest minors of {frame}")} for found in made)
    return cheapest(program("minors", robot, arrays, result) for result in results)


def moving_rows(robot: Robot, frame: str) -> tuple[str, ...]:
    """Return the rows of a frame's Jacobian that joints can change; the linear ones alone if no more joints move it."""
    J, n = jacobian(robot, frame=frame).results["J"].nodes, len(robot.velocity_names)
    rows = [J[n * i : n * (i + 1)] for i in range(len(VELOCITY))]
    some = tuple(name for name, row in zip(VELOCITY, rows, strict=True) if not all(map(is_zero, row)))
    moving = sum(not all(map(is_zero, column)) for column in zip(*rows, strict=True))
    linear = tuple(name for name in some if name.startswith("v"))
    return linear if moving <= len(linear) else some


def volume(J: Rows) -> Scalar:
    """Return √det(J Jᵀ) or √det(Jᵀ J).

    It is the root of the sum of the squares of the largest minors, which rounding cannot make negative, as it can the
    determinant. Only long chains have too many minors for this.
    """
    few, many = sorted((len(J), len(J[0])))
    if comb(many, few) > MOST_MINORS:
        return sqrt(absolute(determinant(square(J))))
    minors = maximal_minors(J)
    if len(minors) == 1:
        return absolute(minors[0])
    return sqrt(sum((x * x for x in minors), start=0.0))


def square(J: Rows) -> Rows:
    """Return J Jᵀ, or Jᵀ J if that is smaller."""
    lines = J if len(J) <= len(J[0]) else list(zip(*J, strict=True))
    return [[sum((x * y for x, y in zip(a, b, strict=True)), start=0.0) for b in lines] for a in lines]


def _jacobians(
    robot: Robot, frame: str, rows: Sequence[str], point: Point, axes: str | None, *, move_point: bool
) -> tuple[Robot, dict[str, Array], list[Rows]]:
    """Return the Jacobian of a frame in all axes, and for all points if the point can move, that leave its minors
    unchanged.
    """
    robot, arrays, state = prepare(robot, ("q",), frames=(frame, axes))
    number, asked, place = frame_number(robot, frame), axes_number(robot, axes, frame), given_point(point)
    chosen, links, poses = _row_numbers(rows), [0, *path(robot, number)], poses_of(robot, state)
    if not any(robot.joints[j - 1].axes for j in links[1:]):
        raise ProgramError(f"no joint moves {frame}: its Jacobian has no columns")
    made: list[Rows] = []
    for view in links if _whole(chosen) else [asked]:
        R = orientations(robot, poses, view)
        points = [(number, times(R[number], place))]
        if move_point and len(chosen) == len(VELOCITY):
            points = [(link, ZERO) for link in links]
        for link, start in points:
            made.append(_rows(robot, state, R, levers(robot, poses, R, link, start), number, chosen))
    if not made[0][0]:
        raise ProgramError(f"no independent joint moves {frame}, which the loops hold: its Jacobian has no columns")
    return robot, arrays, made


def _rows(
    robot: Robot, state: State, R: Sequence[Matrix], L: Sequence[Vector], frame: int, chosen: Sequence[int]
) -> Rows:
    """Return some rows of the Jacobian of a frame, with a column for each degree of freedom that moves it."""
    found = columns(robot, state, R, frame, lambda j, e: cross(times(R[j], e), L[j]))
    by_axis = ({c.degree: (*c.v, *c.w)[row] for c in found} for row in chosen)
    rows = map(state.coordinates.gathered_some, by_axis)
    places = sorted({place for c in found for place in state.coordinates.movers(c.degree)})  # in the order of qd
    return [[row.get(place, 0.0) for place in places] for row in rows]


def _whole(chosen: Sequence[int]) -> bool:
    """Tell whether the rows are all linear ones, all angular ones, or both, so that turning the axes mixes only
    these.
    """
    return all(len({*chosen} & {*part}) in (0, 3) for part in (range(3), range(3, 6)))


def _row_numbers(rows: Sequence[str]) -> list[int]:
    names = [rows] if isinstance(rows, str) else list(rows)
    wrong = [name for name in names if name not in VELOCITY or names.count(name) > 1]
    if wrong or not names:
        raise ProgramError(f"rows {names}: choose among {', '.join(VELOCITY)}, each at most once")
    return [VELOCITY.index(name) for name in names]
