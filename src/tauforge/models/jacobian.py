"""Jacobian of a frame, which gives its velocity from the joints' velocities, V = J q̇; its rate, and the product J̇ q̇.

A joint's column is the velocity of the frame when only that joint moves, at unit speed. For joint k, with the unit
vectors e of its axes, in the requested axes, and the lever L from its origin to the point:

    revolute (e × L, e)    prismatic (e, 0)

Its rate follows from the columns themselves. Let ω be the angular velocity of link k relative to those axes, and u the
velocity of the point relative to link k, which is the sum of the columns of the joints beyond k times q̇:

    (ω × (e × L) + e × u, ω × e)    and    (ω × e, 0)

An axis that moves in its own link, such as the first one of a universal joint, adds the column of its rate there.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..errors import ExpressionError, ProgramError
from ..graph.node import Scalar, as_node
from ..graph.parse import as_scalar
from ..program.array import Array, outputs
from ..program.optimise import cheapest
from ..program.program import Program
from ..robot.robot import Robot
from ..spatial.pose import Pose
from ..spatial.screw import STILL, Twist
from ..spatial.vector import ZERO, Matrix, Vector, column, cross, times
from .inertia_matrix import first_degrees
from .link_motion import VELOCITY
from .prepare import prepare
from .registry import model
from .results import by_columns, program
from .routes import Route, frame_number, orientations, path, poses_of, spread
from .state import State, Values

Point = Sequence[Scalar | str]
"""A point's coordinates: numbers, expressions, or expressions as text."""
OWN = "frame"
"""Selects the axes of the frame itself."""


class Column(NamedTuple):
    """The linear and angular velocity that one axis gives the frame, with its link and its place among all axes; and,
    if the axis moves in the link's frame, the rates of both due to that motion.
    """

    v: Vector
    w: Vector
    link: int
    degree: int
    rate: Twist | None = None

    def plus(self, rate: Twist | None) -> Column:
        """Return the column with such a rate added."""
        return self if rate is None else self._replace(v=self.v + rate.v, w=self.w + rate.w)


class Motion(NamedTuple):
    """Velocity and angular velocity of a link, and their rates as seen from the base."""

    V: Vector
    W: Vector
    VP: Vector
    WP: Vector

    def seen_at(self, P: Vector) -> Motion:
        """Return the motion at another point of the link, P away."""
        swing = cross(self.W, P)
        return self._replace(V=self.V + swing, VP=self.VP + cross(self.WP, P) + cross(self.W, swing))


REST = Motion(ZERO, ZERO, ZERO, ZERO)


@model("q -> J", "Jacobian of a link (--frame)")
def jacobian(robot: Robot, *, frame: str = "", point: Point = (0.0, 0.0, 0.0), axes: str | None = None) -> Program:
    """Return the Program ``q -> J``: the Jacobian (6, n) of a frame, linear part first, so that V = J q̇.

    Columns of joints that do not move the frame are zero. The pose of the base (``robot.base.pose``) is not applied.

    Parameters
    ----------
    frame
        Name of a link or of a constant frame; by default the only constant frame on the last link, or that link.
    point
        The point whose velocity you want, in that frame.
    axes
        The axes in which velocities are expressed: "frame" for the frame's own, or the name of any link or frame; by
        default those of the base.
    """
    robot, arrays, state = prepare(robot, ("q",), frames=(frame, axes))
    number, seen_from = frame_number(robot, frame), axes_number(robot, axes, frame)
    ways = both_ways(robot, state, poses_of(robot, state), number, given_point(point), seen_from)
    results = ({"J": by_degree(robot, state, J, f"Jacobian of {frame}")} for J in ways)
    return cheapest(program("jacobian", robot, arrays, result) for result in results)


@model("q, qd -> Jd", "time derivative of a link's Jacobian")
def jacobian_rate(robot: Robot, *, frame: str = "", point: Point = (0.0, 0.0, 0.0), axes: str | None = None) -> Program:
    """Return the Program ``q, qd -> Jd``: the time derivative (6, n) of each element of the Jacobian.

    The arguments are those of ``jacobian``.
    """
    robot, arrays, state = prepare(robot, ("q", "qd"), frames=(frame, axes))
    number, seen_from = frame_number(robot, frame), axes_number(robot, axes, frame)
    poses = poses_of(robot, state)
    W, qd = spins(robot, poses, state, seen_from), [x for own in state.qd for x in own]
    ways = both_ways(robot, state, poses, number, given_point(point), seen_from)
    meaning = f"rate of the Jacobian of {frame}"
    results = ({"Jd": by_degree(robot, state, rates(J, W, qd), meaning, J)} for J in ways)
    return cheapest(program("jacobian_rate", robot, arrays, result) for result in results)


@model("q, qd -> Jdqd", "time derivative of a link's Jacobian, times qd")
def jacobian_bias(robot: Robot, *, frame: str = "", point: Point = (0.0, 0.0, 0.0), axes: str | None = None) -> Program:
    """Return the Program ``q, qd -> Jdqd``: the product J̇ q̇ in V̇ = J q̈ + J̇ q̇, without the matrix.

    The arguments are those of ``jacobian``. In the axes of the base, it is the acceleration of the point and the
    angular acceleration when no joint accelerates.
    """
    robot, arrays, state = prepare(robot, ("q", "qd"), frames=(frame, axes))
    number, seen_from = frame_number(robot, frame), axes_number(robot, axes, frame)
    place, meaning = given_point(point), f"rate of the Jacobian of {frame}, times qd"
    ways = itertools.product((bias_by_links, bias_by_columns), [0, *path(robot, number)])
    drift = drifting(robot, state, number, place, seen_from)
    twists = (way(robot, state, number, place, seen_from, view) + drift for way, view in ways)
    results = ({"Jdqd": outputs([*v, *w], [6], [VELOCITY], meaning)} for v, w in twists)
    return cheapest(program("jacobian_bias", robot, arrays, result) for result in results)


def both_ways(
    robot: Robot, state: State, poses: Sequence[Pose], frame: int, point: Vector, seen_from: int
) -> tuple[list[Column], list[Column]]:
    """Return the columns with the cross products e × L taken in the requested axes, and in each link's own.

    Which is cheaper depends on where the zeros of the geometry are.
    """
    R = orientations(robot, poses, seen_from)
    L = levers(robot, poses, R, frame, times(R[frame], point))
    own = spread(robot, frame, point, lambda p, j: poses[j - 1].forth(p), lambda p, j: poses[j - 1].back(p))
    return (
        columns(robot, state, R, frame, lambda j, e: cross(times(R[j], e), L[j])),
        columns(robot, state, R, frame, lambda j, e: times(R[j], cross(e, own[j]))),
    )


def levers(robot: Robot, poses: Sequence[Pose], R: Sequence[Matrix], link: int, point: Vector) -> list[Vector]:
    """Return the vector from each link's origin to a point, which is given relative to the origin of one of them."""
    steps = offsets(robot, poses, R)
    return spread(robot, link, point, lambda L, j: L + steps[j], lambda L, j: L - steps[j])


def offsets(robot: Robot, poses: Sequence[Pose], R: Sequence[Matrix]) -> list[Vector]:
    """Return the vector from the origin of each link's parent to its own, in the axes of R."""
    joints = enumerate(zip(robot.joints, poses, strict=True), 1)
    return [ZERO, *(column(R[j], 2) * pose.r + times(R[joint.antecedent], pose.arm) for j, (joint, pose) in joints)]


def columns(
    robot: Robot, state: State, R: Sequence[Matrix], frame: int, swing: Callable[[int, Vector], Vector]
) -> list[Column]:
    """Return the columns of the joints that move a frame, from the base outward.

    ``swing(j, e)`` is the velocity of the point when link j turns at unit speed about the axis e of its frame.
    """
    first, found = first_degrees(robot), []
    for j in path(robot, frame):
        kind = robot.joints[j - 1].kind
        parts = (kind.screws(state.q[j]), kind.screw_rates(state.q[j], state.qd[j]))
        own, moved = ([Twist(times(R[j], v) + swing(j, w), times(R[j], w)) for v, w in part] for part in parts)
        found += [Column(*s, j, first[j] + k, moved[k] if moved else None) for k, s in enumerate(own)]
    return found


def rates(J: Sequence[Column], W: Sequence[Vector], qd: Values) -> list[Column]:
    """Return the time derivatives of columns; W are the angular velocities of the links."""
    return [
        Column(cross(W[link], v) + cross(w, u), cross(W[link], w), link, degree).plus(rate)
        for (v, w, link, degree, rate), u in zip(J, beyond(moving(J, qd)), strict=True)
    ]


def moving(J: Sequence[Column], qd: Values) -> list[Column]:
    """Return columns times the joints' velocities."""
    return [
        Column(v * qd[degree], w * qd[degree], link, degree, rate and rate * qd[degree])
        for v, w, link, degree, rate in J
    ]


def beyond(moved: Sequence[Column]) -> list[Vector]:
    """Return for each column the velocity of the point relative to its link, due to the joints beyond it."""
    found, u = [], ZERO
    for _, same in itertools.groupby(reversed(moved), key=lambda column: column.link):
        own = list(same)
        found += [u] * len(own)
        u = sum((column.v for column in own), start=u)
    return found[::-1]


def spins(robot: Robot, poses: Sequence[Pose], state: State, seen_from: int) -> list[Vector]:
    """Return the angular velocity of each link relative to one frame, in its axes."""
    R = orientations(robot, poses, seen_from)

    def turn(j: int) -> Vector:
        return times(R[j], robot.joints[j - 1].screw(state.q[j], state.qd[j]).w)

    return spread(robot, seen_from, ZERO, lambda W, j: W - turn(j), lambda W, j: W + turn(j))


def bias_by_links(robot: Robot, state: State, frame: int, point: Vector, seen_from: int, view: int) -> Twist:
    """Return J̇ q̇: the acceleration without q̈, less the effect of rotating axes on its components.

    Equations (18)-(21), with all links in the axes of one, the view: in the middle of an arm many components are zero.
    """
    poses = poses_of(robot, state)
    R = orientations(robot, poses, view)
    P = offsets(robot, poses, R)
    at = [REST]
    for j, joint in enumerate(robot.joints, 1):
        v, w = (times(R[j], part) for part in joint.screw(state.q[j], state.qd[j]))
        drift = joint.kind.drift(state.q[j], state.qd[j])
        vd, wd = drift if drift is STILL else (times(R[j], part) for part in drift)
        i = at[joint.antecedent].seen_at(P[j])
        V, VP = i.V + v, i.VP + cross(i.W, v * 2.0) + cross(w, v) + vd
        at.append(Motion(V, i.W + w, VP, i.WP + cross(i.W, w) + wd))
    link, W = at[frame].seen_at(times(R[frame], point)), at[seen_from].W
    way = Route.between(robot, poses, view, seen_from)
    return Twist(way.direction(link.VP - cross(W, link.V)), way.direction(link.WP - cross(W, link.W)))


def bias_by_columns(robot: Robot, state: State, frame: int, point: Vector, seen_from: int, view: int) -> Twist:
    """Return J̇ q̇ as the sum of the columns' rates times q̇, computed in the axes of the view."""
    poses = poses_of(robot, state)
    R, W = orientations(robot, poses, view), spins(robot, poses, state, view)
    L = levers(robot, poses, R, frame, times(R[frame], point))
    qd = [x for own in state.qd for x in own]
    moved = moving(columns(robot, state, R, frame, lambda j, e: cross(times(R[j], e), L[j])), qd)
    total = STILL
    for (v, w, j, _, rate), u in zip(moved, beyond(moved), strict=True):
        W_j = W[j] - W[seen_from]
        total = Twist(total.v + cross(W_j, v) + cross(w, u), total.w + cross(W_j, w)) + (rate or STILL)
    way = Route.between(robot, poses, view, seen_from)
    return Twist(way.direction(total.v), way.direction(total.w))


def drifting(robot: Robot, state: State, frame: int, point: Vector, seen_from: int) -> Twist:
    """Return what Ġ q̇, the joints' acceleration when no degree of freedom accelerates, adds to J̇ q̇."""
    total = STILL
    if state.coordinates.drift:
        J = both_ways(robot, state, poses_of(robot, state), frame, point, seen_from)[0]
        for v, w, *_ in moving(J, [x for own in state.qdd for x in own]):
            total = total + Twist(v, w)
    return total


def by_degree(robot: Robot, state: State, found: Sequence[Column], meaning: str, rated: Sequence[Column] = ()) -> Array:
    """Return columns as an output by degree of freedom, A G; ``rated`` holds the columns B of A G + B Ġ."""
    coordinates = state.coordinates
    rows = [coordinates.gathered(row) for row in by_axis(robot, found)]
    if rated and coordinates.rate:
        rate = coordinates.rate(state.qd)
        more = (coordinates.gathered(row, rate) for row in by_axis(robot, rated))
        rows = [[a + b for a, b in zip(*pair, strict=True)] for pair in zip(rows, more, strict=True)]
    return by_columns(coordinates, rows, VELOCITY, meaning)


def by_axis(robot: Robot, found: Sequence[Column]) -> list[list[Scalar]]:
    """Return columns as six rows with an entry for each axis of each joint, with zeros where a joint has none."""
    rows: list[list[Scalar]] = [[0.0] * first_degrees(robot)[-1] for _ in VELOCITY]
    for v, w, _, degree, *_ in found:
        for row, x in zip(rows, (*v, *w), strict=True):
            row[degree] = x
    return rows


def axes_number(robot: Robot, axes: str | None, frame: str) -> int:
    """Return the number of the link whose axes are requested."""
    return frame_number(robot, frame if axes == OWN else axes)


def given_point(point: Point) -> Vector:
    """Return a point as the caller gave it."""
    try:
        coordinates = [as_node(as_scalar(x)) for x in point]
    except ExpressionError as error:
        raise ProgramError(f"point {point!r}: {error}") from None
    if len(coordinates) != 3:
        raise ProgramError(f"point {point!r} has {len(coordinates)} coordinates; it must have three")
    return Vector(*coordinates)
