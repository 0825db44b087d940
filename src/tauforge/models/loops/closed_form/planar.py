"""Loops with three unknown axes in a plane: triangles with three known sides, or with a side of unknown length.

Four-bars, five-bars, parallelograms, slider-cranks and their inversions are such loops, however many known joints they
have. With the axes where the unknown joints are at zero, the loop is e₁ e₂ e₃ = K: each e turns the plane about a point
or slides it. The first axis is at the origin and along z.
"""

from __future__ import annotations

from typing import NamedTuple

from ....graph.node import Scalar
from ....spatial.pose import Pose
from ....spatial.rotation import Rotation
from ....spatial.vector import UNITS, Vector, column, cross, dot
from .branch import Branch
from .constant import EXACT, constant, vanishes
from .cycle import BALL, SLIDE, TURN, Cycle, Unknown
from .turning import Turn, root, turned

Values = dict[int, Scalar]


class Flat(NamedTuple):
    """A vector in the plane."""

    x: Scalar
    y: Scalar

    def plus(self, other: Flat) -> Flat:
        return Flat(self.x + other.x, self.y + other.y)

    def minus(self, other: Flat) -> Flat:
        return Flat(self.x - other.x, self.y - other.y)

    def times(self, scale: Scalar) -> Flat:
        return Flat(self.x * scale, self.y * scale)

    def by(self, turn: Turn) -> Flat:
        """Return the vector turned, and times the turn's length."""
        return Flat(self.x * turn.c - self.y * turn.s, self.y * turn.c + self.x * turn.s)

    def dot(self, other: Flat) -> Scalar:
        return self.x * other.x + self.y * other.y

    def cross(self, other: Flat) -> Scalar:
        return self.x * other.y - self.y * other.x

    def to(self, other: Flat) -> Turn:
        """Return the turn that leads to the direction of another vector."""
        return Turn(self.cross(other), self.dot(other))


class Solved(NamedTuple):
    """Coordinates by their place in q, and whether the loop can be closed: 1 or 0."""

    values: Values
    exists: Scalar


class Plane(NamedTuple):
    """A planar loop.

    Attributes
    ----------
    unknowns
        Its three unknown axes, the first of them turning.
    directions
        1 or -1 for each that turns: whether it turns about z or the other way.
    points
        A point on each axis.
    slides
        The direction of each that slides.
    end
        Where K brings the point on the third axis.
    turn
        The angle of K.
    """

    unknowns: tuple[Unknown, ...]
    directions: tuple[int, ...]
    points: tuple[Flat, ...]
    slides: tuple[Flat, ...]
    end: Flat
    turn: Turn


def solve_planar(cycle: Cycle, before: Cycle, guess: list[Scalar], branch: Branch) -> Solved | None:
    """Return the unknown coordinates of a planar loop; None if the loop is not planar.

    Parameters
    ----------
    cycle, before
        The loop with what is known of it, and with the guess of that.
    guess
        Coordinates of all joints.
    branch
        Takes or gives the signs of roots.
    """
    plane, last = planar_loop(cycle), planar_loop(before)
    if plane is None or last is None:
        return None
    solve = (_triangle, _one_slide, _two_slides)[[x.motion for x in plane.unknowns].count(SLIDE)]
    return solve(plane, last, guess, branch)


def planar_loop(cycle: Cycle) -> Plane | None:
    """Return a cycle as a planar loop whose last axes are those that slide; None if it is not planar."""
    if len(cycle.unknowns) != 3:
        return None
    aligned = _with_axis(cycle)
    if aligned is None:
        return None
    sliding = [k for k, motion in enumerate(aligned.motions) if motion == SLIDE]
    if len(sliding) == 1:
        aligned = aligned.starting_at((sliding[0] + 1) % 3)
    elif len(sliding) == 2:
        aligned = aligned.starting_at(aligned.motions.index(TURN))
    elif len(sliding) == 3:
        return None
    return _plane(aligned)


def _with_axis(cycle: Cycle) -> Cycle | None:
    """Return the cycle with a ball, if there is one, as an axis across the plane."""
    if BALL not in cycle.motions:
        return cycle
    turns = [k for k, motion in enumerate(cycle.motions) if motion == TURN]
    if not turns:
        return None
    own = cycle.starting_at(turns[0])
    k = own.motions.index(BALL)
    before = _axes(own.between(0, k).R.back(UNITS[2]))
    after = _axes(own.between(k, len(own.poses)).R.forth(UNITS[2]))
    if before is None or after is None:
        return None
    poses = list(own.poses)
    poses[k - 1] = poses[k - 1].then(before)
    poses[k] = after.inverse().then(poses[k])
    unknowns = tuple(Unknown(TURN, None, x.sign) if x.motion == BALL else x for x in own.unknowns)
    return Cycle(unknowns, tuple(poses)).starting_at((k + 1) % 3)


def _axes(z: Vector) -> Pose | None:
    """Return a frame with a constant axis z."""
    numbers = [x for x in map(constant, z) if x is not None]
    if len(numbers) < 3:
        return None
    z = Vector(*(0.0 if abs(x) < EXACT else x for x in numbers))
    least = min(range(3), key=lambda i: abs(numbers[i]))
    across = cross(UNITS[least], z)
    x = across * (1.0 / dot(across, across) ** 0.5)
    columns = (x, cross(z, x), z)
    return Pose(Rotation.of((column(columns, 0), column(columns, 1), column(columns, 2))))


def _plane(cycle: Cycle) -> Plane | None:
    """Return a cycle as a planar loop; None if its axes are not all across a plane, or in it."""
    frames = [cycle.between(0, k) for k in range(3)]
    directions, slides = list[int](), list[Flat]()
    for unknown, frame in zip(cycle.unknowns, frames, strict=True):
        z = frame.R.forth(UNITS[2])
        across = constant(z[2])
        if across is None or abs(abs(across) - (unknown.motion == TURN)) > EXACT:
            return None
        directions.append(unknown.sign if across > 0 else -unknown.sign)
        slides.append(Flat(z[0] * unknown.sign, z[1] * unknown.sign))
    whole = cycle.between(0, 3)
    x = whole.R.back(UNITS[0])
    tilted = constant(whole.R.back(UNITS[2])[2])
    if tilted is None or tilted < 1.0 - EXACT:
        return None
    points = tuple(Flat(frame.P[0], frame.P[1]) for frame in frames)
    end = cycle.poses[2].inverse().P
    return Plane(cycle.unknowns, tuple(directions), points, tuple(slides), Flat(end[0], end[1]), Turn(x[1], x[0]))


def _triangle(plane: Plane, last: Plane, guess: list[Scalar], branch: Branch) -> Solved | None:
    """Solve a triangle with three known sides: circle and circle.

    The sign is that of its area, from any two sides that meet at a joint: with the angle of that joint, not with the
    angle between a side of the last state and the diagonal of the next one.
    """
    _, c2, c3 = plane.points
    u, t = c3.minus(c2), plane.end
    D, X = c2.dot(u), c2.cross(u)
    if vanishes(D) and vanishes(X):
        return None
    first, second, _ = plane.unknowns
    if first.place is None or second.place is None:
        return None
    k = 0.5 * (t.dot(t) - c2.dot(c2) - u.dot(u))
    # twice the area, as each of two joints has it in the guess
    before, after = Turn.of(guess[first.place], last.directions[0]), Turn.of(guess[second.place], last.directions[1])
    a, b = last.points[1], last.points[2].minus(last.points[1])
    size = 0.5 * (c2.dot(c2) + u.dot(u))
    phi2, scale, exists = turned(D, -X, k, size * size, branch, a.cross(b.by(after)), a.by(before).cross(last.end))
    phi1 = c2.times(scale).plus(u.by(phi2)).to(t)
    return Solved(_turns(plane, guess, [phi1, phi2]), exists)


def _one_slide(plane: Plane, last: Plane, guess: list[Scalar], branch: Branch) -> Solved | None:
    """Solve a triangle with a side of unknown length, the third axis: circle and line.

    The sign tells on which side of the foot of the perpendicular to the line the side of known length ends.
    """
    c2, d = plane.points[1], plane.slides[2]
    e = d.by(plane.turn)
    # R(φ₁) c₂ = m - q₃ e: K takes the point on the third axis to its end
    m = plane.end.minus(plane.points[2].minus(c2).by(plane.turn))
    along, across = m.dot(e), m.cross(e)
    square = c2.dot(c2)
    if vanishes(square):
        return None
    third = plane.unknowns[2]
    way, exists = root(square - across * across, square, square + m.dot(m), branch, *_ends(last, guess))
    q3 = along + way
    phi1 = c2.to(m.minus(e.times(q3)))
    found = _turns(plane, guess, [phi1, plane.turn.minus(phi1)])
    return Solved(found if third.place is None else {**found, third.place: q3}, exists)


def _ends(last: Plane, guess: list[Scalar]) -> list[Scalar]:
    """Return where the side of known length ends along the line, seen from the foot of the perpendicular: as each of
    the joints has it in the guess.
    """
    c2, d = last.points[1], last.slides[2]
    e, (first, second, third) = d.by(last.turn), last.unknowns
    found = list[Scalar]()
    if second.place is not None:
        found.append(-c2.dot(d.by(Turn.of(guess[second.place], last.directions[1]))))
    if first.place is not None:
        found.append(-c2.by(Turn.of(guess[first.place], last.directions[0])).dot(e))
    if third.place is not None:
        m = last.end.minus(last.points[2].minus(c2).by(last.turn))
        found.append(guess[third.place] - m.dot(e))
    return found


def _two_slides(plane: Plane, last: Plane, guess: list[Scalar], branch: Branch) -> Solved | None:
    """Solve a loop with two slides: line and line."""
    d2, d3 = (d.by(plane.turn) for d in plane.slides[1:])
    m = plane.end.minus(plane.points[2].by(plane.turn))
    size = d2.cross(d3)
    if vanishes(size):
        return None
    branch.watch(size * size)
    found = _turns(plane, guess, [plane.turn])
    for unknown, x in zip(plane.unknowns[1:], (m.cross(d3) / size, d2.cross(m) / size), strict=True):
        if unknown.place is not None:
            found[unknown.place] = x
    return Solved(found, 1.0)


def _turns(plane: Plane, guess: list[Scalar], turns: list[Turn]) -> Values:
    """Return the coordinates of the joints that turn; the last angle follows from that of K."""
    if len(turns) == 2 and plane.unknowns[2].motion == TURN:
        turns = [*turns, plane.turn.minus(turns[0].plus(turns[1]))]
    return {
        unknown.place: turn.near(guess[unknown.place], direction)
        for unknown, turn, direction in zip(plane.unknowns, turns, plane.directions, strict=False)
        if unknown.place is not None
    }
