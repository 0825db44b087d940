"""Legs that end in a ball joint: three unknown axes that bring a point to a given place.

Two axes that turn meet in a point; they bring one vector to another (Paden and Kahan's second problem). The third axis,
before or after them, sets the distance from that point: a slide, or a turn.
"""

from __future__ import annotations

from typing import NamedTuple

from ....graph.node import Scalar
from ....spatial.vector import UNITS, Vector, cross, dot
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


def solve_leg(cycle: Cycle, guess: list[Scalar]) -> Solved | None:
    """Return the unknown coordinates of a leg; None if the loop is not such a leg."""
    if len(cycle.unknowns) != 4 or cycle.motions[3] != BALL:
        return None
    for way in (cycle, cycle.reversed()):
        frames = [way.between(0, k) for k in range(4)]
        axes = [
            Axis(unknown, frame.R.forth(UNITS[2]) * unknown.sign, frame.P)
            for unknown, frame in zip(way.unknowns[:3], frames, strict=False)
        ]
        target = way.poses[3].inverse().P
        found = _distance_last(axes, frames[3].P, target, guess) or _distance_first(axes, frames[3].P, target, guess)
        if found is not None:
            return found
    return None


def _distance_last(axes: list[Axis], tip: Vector, target: Vector, guess: list[Scalar]) -> Solved | None:
    """Solve two turns about a point, then a slide."""
    first, second, third = axes
    centre = _meeting(first, second)
    if centre is None or third.unknown.motion != SLIDE:
        return None
    c, t, d = tip - centre, target - centre, third.z
    along = dot(c, d)
    reach = dot(t, t)
    way, exists = root(reach - dot(c, c) + along * along, reach, third.guessed(guess) + along)
    q3 = way - along
    found, both = _two_turns(first, second, c + d * q3, t, guess)
    assert third.unknown.place is not None
    return Solved({**found, third.unknown.place: q3}, exists * both)


def _distance_first(axes: list[Axis], tip: Vector, target: Vector, guess: list[Scalar]) -> Solved | None:
    """Solve a slide or a turn, then two turns about a point."""
    first, second, third = axes
    centre = _meeting(second, third)
    if centre is None or first.unknown.place is None:
        return None
    c, z = tip - centre, first.z
    length = dot(c, c)
    if first.unknown.motion == SLIDE:
        t = target - centre
        along = dot(t, z)
        square = length - dot(t, t) + along * along
        way, exists = root(square, length, first.guessed(guess) - along)
        own = along + way
        rest = t - z * own
    else:  # |Rᵀ t - centre| = length, and t · R centre = E cos φ + F sin φ + what lies along the axis
        flat = centre - z * dot(centre, z)
        k = 0.5 * (dot(target, target) + dot(centre, centre) - length) - dot(target, z) * dot(centre, z)
        if all(map(vanishes, flat)):
            return None
        E, F = dot(target, flat), dot(target, cross(z, flat))
        phi, scale, exists = turned(E, F, k, _side(E, F, first, guess))
        own = phi.near(first.guessed(guess), 1)
        back = Turn(-phi.s / scale, phi.c / scale)
        rest = _rotated(target, z, back, 1.0) - centre
    found, both = _two_turns(second, third, c, rest, guess)
    return Solved({**found, first.unknown.place: own}, exists * both)


def _meeting(first: Axis, second: Axis) -> Vector | None:
    """Return the point in which two axes that turn meet, if it is one of the points given on them."""
    if first.unknown.motion != TURN or second.unknown.motion != TURN:
        return None
    way = second.point - first.point
    if all(map(vanishes, cross(way, second.z))):
        return first.point
    return second.point if all(map(vanishes, cross(way, first.z))) else None


def _two_turns(a: Axis, b: Axis, w: Vector, t: Vector, guess: list[Scalar]) -> tuple[Values, Scalar]:
    """Return the turns about two axes through the origin that bring w to t, both of the same length."""
    along = dot(b.z, w)
    tilt = dot(a.z, b.z)
    E, F = dot(a.z, w) - along * tilt, dot(a.z, cross(b.z, w))
    k = dot(a.z, t) - along * tilt
    phi, scale, exists = turned(E, F, k, _side(E, F, b, guess))
    v = _rotated(w, b.z, phi, scale)
    other = Turn(dot(a.z, cross(v, t)), dot(v, t) - dot(a.z, v) * dot(a.z, t))
    assert a.unknown.place is not None and b.unknown.place is not None  # noqa: PT018
    found = {a.unknown.place: other.near(a.guessed(guess), 1), b.unknown.place: phi.near(b.guessed(guess), 1)}
    return found, exists


def _side(E: Scalar, F: Scalar, axis: Axis, guess: list[Scalar]) -> Scalar:
    """Return what tells the two angles of an equation apart, as the guess has it."""
    s, c = Turn.of(axis.guessed(guess), 1)
    return E * s - F * c


def _rotated(v: Vector, z: Vector, turn: Turn, scale: Scalar) -> Vector:
    """Return a vector turned about an axis, and times the turn's length, which is given too."""
    along: Vector = z * dot(z, v)
    return along * scale + ((v - along) * turn.c + cross(z, v) * turn.s)
