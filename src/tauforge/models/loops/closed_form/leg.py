"""Legs that end in a ball joint: three unknown axes that bring a point to a given place.

Two axes that turn meet in a point; they bring one vector to another (Paden and Kahan's second problem). The third axis,
before or after them, sets the distance from that point: a slide, or a turn.
"""

from __future__ import annotations

from typing import NamedTuple

from ....graph.node import Scalar
from ....spatial.vector import UNITS, Vector, cross, dot
from .branch import Branch
from .constant import vanishes
from .cycle import BALL, SLIDE, TURN, Cycle, Unknown
from .planar import Solved, Values
from .turning import Turn, root, turned


class Axis(NamedTuple):
    """An unknown axis where all are at zero: its direction, along which its coordinate counts, and a point on it."""

    unknown: Unknown
    z: Vector
    point: Vector

    def guessed(self, guess: list[Scalar]) -> Scalar:
        assert self.unknown.place is not None
        return guess[self.unknown.place]


class Way(NamedTuple):
    """A leg seen from one of its ends: its three axes, its tip there, and where the tip should be."""

    axes: list[Axis]
    tip: Vector
    target: Vector

    @classmethod
    def of(cls, cycle: Cycle) -> Way:
        frames = [cycle.between(0, k) for k in range(4)]
        axes = [
            Axis(unknown, frame.R.forth(UNITS[2]) * unknown.sign, frame.P)
            for unknown, frame in zip(cycle.unknowns[:3], frames, strict=False)
        ]
        return cls(axes, frames[3].P, cycle.poses[3].inverse().P)


def solve_leg(cycle: Cycle, before: Cycle, guess: list[Scalar], branch: Branch) -> Solved | None:
    """Return the unknown coordinates of a leg; None if the loop is not such a leg.

    The arguments are those of ``solve_planar``.
    """
    if len(cycle.unknowns) != 4 or cycle.motions[3] != BALL:
        return None
    for now, then in ((cycle, before), (cycle.reversed(), before.reversed())):
        way, last = Way.of(now), Way.of(then)
        found = _distance_last(way, last, guess, branch) or _distance_first(way, last, guess, branch)
        if found is not None:
            return found
    return None


def _distance_last(way: Way, last: Way, guess: list[Scalar], branch: Branch) -> Solved | None:
    """Solve two turns about a point, then a slide."""
    first, second, third = way.axes
    centre, before = _meeting(first, second), _meeting(*last.axes[:2])
    if centre is None or before is None or third.unknown.motion != SLIDE:
        return None
    c, t, d = way.tip - centre, way.target - centre, third.z
    along = dot(c, d)
    reach, size = dot(t, t), dot(t, t) + dot(c, c)
    slid, z = third.guessed(guess), last.axes[2].z
    w = last.tip - before
    length, exists = root(reach - dot(c, c) + along * along, reach, size, branch, slid + dot(w, z))
    q3 = length - along
    sides = _sides((last.axes[0], last.axes[1]), w + z * slid, last.target - before, guess)
    found, both = _two_turns(first, second, c + d * q3, t, guess, branch, *sides)
    assert third.unknown.place is not None
    return Solved({**found, third.unknown.place: q3}, exists * both)


def _distance_first(way: Way, last: Way, guess: list[Scalar], branch: Branch) -> Solved | None:
    """Solve a slide or a turn, then two turns about a point."""
    first, second, third = way.axes
    centre, before = _meeting(second, third), _meeting(*last.axes[1:])
    if centre is None or before is None or first.unknown.place is None:
        return None
    c, z, target = way.tip - centre, first.z, way.target
    length = dot(c, c)
    then, was = last.axes[0], last.target - before
    if first.unknown.motion == SLIDE:
        t = target - centre
        along = dot(t, z)
        square = length - dot(t, t) + along * along
        slid, exists = root(square, length, length + dot(t, t), branch, first.guessed(guess) - dot(was, then.z))
        own = along + slid
        rest = t - z * own
        was = was - then.z * first.guessed(guess)
    else:  # |Rᵀ t - centre| = length, and t · R centre = E cos φ + F sin φ + what lies along the axis
        flat = centre - z * dot(centre, z)
        k = 0.5 * (dot(target, target) + dot(centre, centre) - length) - dot(target, z) * dot(centre, z)
        if all(map(vanishes, flat)):
            return None
        E, F = dot(target, flat), dot(target, cross(z, flat))
        flat = before - then.z * dot(before, then.z)
        turn = Turn.of(first.guessed(guess), 1)
        side = dot(last.target, flat) * turn.s - dot(last.target, cross(then.z, flat)) * turn.c
        size = 0.5 * (dot(centre, centre) + dot(target, target))
        phi, scale, exists = turned(E, F, k, size * size, branch, side)
        own = phi.near(first.guessed(guess), 1)
        back = Turn(-phi.s / scale, phi.c / scale)
        rest = _rotated(target, z, back, 1.0) - centre
        was = _rotated(last.target, then.z, Turn(-turn.s, turn.c), 1.0) - before
    sides = _sides((last.axes[1], last.axes[2]), last.tip - before, was, guess)
    found, both = _two_turns(second, third, c, rest, guess, branch, *sides)
    return Solved({**found, first.unknown.place: own}, exists * both)


def _meeting(first: Axis, second: Axis) -> Vector | None:
    """Return the point in which two axes that turn meet, if it is one of the points given on them."""
    if first.unknown.motion != TURN or second.unknown.motion != TURN:
        return None
    way = second.point - first.point
    if all(map(vanishes, cross(way, second.z))):
        return first.point
    return second.point if all(map(vanishes, cross(way, first.z))) else None


def _two_turns(
    a: Axis, b: Axis, w: Vector, t: Vector, guess: list[Scalar], branch: Branch, *sides: Scalar
) -> tuple[Values, Scalar]:
    """Return the turns about two axes through the origin that bring w to t, both of the same length."""
    along = dot(b.z, w)
    tilt = dot(a.z, b.z)
    E, F = dot(a.z, w) - along * tilt, dot(a.z, cross(b.z, w))
    k = dot(a.z, t) - along * tilt
    phi, scale, exists = turned(E, F, k, dot(w, w), branch, *sides)
    v = _rotated(w, b.z, phi, scale)
    other = Turn(dot(a.z, cross(v, t)), dot(v, t) - dot(a.z, v) * dot(a.z, t))
    assert a.unknown.place is not None and b.unknown.place is not None  # noqa: PT018
    found = {a.unknown.place: other.near(a.guessed(guess), 1), b.unknown.place: phi.near(b.guessed(guess), 1)}
    return found, exists


def _sides(axes: tuple[Axis, Axis], w: Vector, t: Vector, guess: list[Scalar]) -> list[Scalar]:
    """Return what tells the two pairs of turns about a and b apart, as each of the two has it in the guess: on which
    side of the plane of both axes w is once it is turned about b, and t before it is turned back about a.
    """
    a, b = axes
    z = _rotated(b.z, a.z, Turn.of(a.guessed(guess), 1), 1.0)
    v = _rotated(w, b.z, Turn.of(b.guessed(guess), 1), 1.0)
    return [-dot(a.z, cross(b.z, v)), -dot(a.z, cross(z, t))]


def _rotated(v: Vector, z: Vector, turn: Turn, scale: Scalar) -> Vector:
    """Return a vector turned about an axis, and times the turn's length, which is given too."""
    along: Vector = z * dot(z, v)
    return along * scale + ((v - along) * turn.c + cross(z, v) * turn.s)
