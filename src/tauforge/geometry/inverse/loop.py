"""The loop of joints that a goal closes, and equations between features of two links: two ways round, one value.

With X = T M⁻¹, the joints satisfy E₁ E₂ … Eₙ = X: from any link to any other there is a way through the joints between
them, and one the other way round, through base, goal and frame. What is measured between a feature of the first link
and one of the second is the same on both. A feature that lies on the axis of a joint does not notice how far this joint
has moved: such equations have few unknowns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from ...spatial.pose import Pose
from ...spatial.vector import Vector, column, cross, dot
from .chain import REST, Axis, Chain, Motions, across, meeting

GOAL = -1
"""The step of a way that leads from the base to the frame at its goal."""
ANGLE, PLANE, DISTANCE = "angle", "plane", "distance"
"""What an equation compares: the cosine between two directions, a point's height above a plane, a squared distance."""


class Feature(NamedTuple):
    """A direction or a point of a link, where all joints are at zero.

    Attributes
    ----------
    name
        How it is called in explanations.
    link
        The number of joints before it.
    vector
        The direction, or the point, in the base frame.
    is_point
        Which of both it is.
    """

    name: str
    link: int
    vector: Vector
    is_point: bool


Way = tuple[tuple[int, int], ...]
"""Steps between two links: numbers of joints from 0, or GOAL, each with 1, or -1 if it is passed backwards."""


def ways(links: int, i: int, j: int) -> tuple[Way, Way]:
    """Return the way from link i to link j through the joints between them, and the way round."""
    if i > j:
        direct, other = ways(links, j, i)
        return back(direct), back(other)
    direct = tuple((k, 1) for k in range(i, j))
    before, beyond = reversed(range(i)), reversed(range(j, links))
    return direct, (*((k, -1) for k in before), (GOAL, 1), *((k, -1) for k in beyond))


def back(way: Way) -> Way:
    """Return the same way from its end to its start."""
    return tuple((k, -sign) for k, sign in reversed(way))


@dataclass(frozen=True)
class Loop:
    """A chain with its frame at a goal T, and the motions of joints that are known; the others are at rest."""

    chain: Chain
    goal: Pose
    known: Motions

    def carried(self, way: Way, v: Vector, is_point: bool) -> Vector:
        """Return a feature of the link at a way's end as seen at its start."""
        for k, sign in reversed(way):
            if k == GOAL:
                v = self._through_goal(v, is_point, sign)
                continue
            axis, motion = self.chain.axes[k], self.known.get(k, REST)
            if motion is not REST:
                motion = motion if sign > 0 else motion.inverse()
                v = axis.moved(motion, v) if is_point else axis.turned(motion, v)
        return v

    def _through_goal(self, v: Vector, is_point: bool, sign: int) -> Vector:
        first, last = (self.chain.end, self.goal) if sign > 0 else (self.goal, self.chain.end)
        return last.forth(first.back(v)) if is_point else last.R.forth(first.R.back(v))

    def across(self, joint: int, others: tuple[int, ...]) -> Vector:
        """Return the direction along which a joint that slides moves the frame and one or two others do not."""
        n, h = len(self.chain.axes), self.chain.axes[joint].h
        first, *more = (self.carried(ways(n, joint, j)[0], self.chain.axes[j].h, False) for j in others)
        found: Vector = cross(first, more[0]) if more else h - first * dot(first, h)
        return found

    def error(self) -> Any:
        """Return the sum of squares by which the frame misses its goal: in its origin, relative to large arms' size,
        and in two of its axes, or in those that joints which follow it leave.
        """
        M, n, total = self.chain.end, len(self.chain.axes), 0.0
        whole = ways(n, 0, n)[0]
        for k in self.chain.measured:
            off = self.carried(whole, column(M.R.rows, k), False) - column(self.goal.R.rows, k)
            total = total + dot(off, off)
        off = self.carried(whole, M.P, True) - self.goal.P
        return total + dot(off, off) * (1.0 / self.chain.scale**2)


@dataclass(frozen=True)
class Equation:
    """A measure between a feature of one link and one of another: the same on both ways."""

    kind: str
    first: Feature
    second: Feature

    def ways(self, links: int) -> tuple[Way, Way]:
        return ways(links, self.first.link, self.second.link)

    def measured(self, loop: Loop, way: Way) -> Any:
        """Return the measure along one way."""
        a, b = self.first.vector, loop.carried(way, self.second.vector, self.second.is_point)
        if self.kind == DISTANCE:
            return dot(b - a, b - a)
        return dot(a, b)

    def difference(self, loop: Loop) -> Any:
        """Return how the measures differ; zero where the loop is closed."""
        direct, other = self.ways(len(loop.chain.axes))
        return self.measured(loop, direct) - self.measured(loop, other)

    def __str__(self) -> str:
        if self.kind == ANGLE:
            return f"angle between {self.first.name} and {self.second.name}"
        if self.kind == PLANE:
            return f"height of {self.second.name} along {self.first.name}"
        return f"distance from {self.first.name} to {self.second.name}"


def features(chain: Chain, numbers: Chain, tolerance: float) -> list[Feature]:
    """Return the directions of axes, points on them, and points where neighbours meet."""
    found = list[Feature]()
    for k, (axis, own) in enumerate(zip(chain.axes, numbers.axes, strict=True)):
        found.append(Feature(f"z({axis.name})", k + 1, axis.h, False))
        if axis.slides:
            continue
        before, after = (meets(numbers.axes, k, k + step, tolerance) for step in (-1, 1))
        if after:
            point = meeting(chain.axes[k + 1], axis)
            found.append(Feature(f"{axis.name}∩{chain.axes[k + 1].name}", k + 1, point, True))
        if not after and not before:
            found.append(Feature(f"o({axis.name})", k + 1, axis.o, True))
        found.append(Feature(f"x({axis.name})", k + 1, across(axis.h, own.h), False))
    if not any(feature.is_point for feature in found):
        found.append(Feature("origin", len(chain.axes), chain.end.P, True))
    return found


def meets(axes: tuple[Axis, ...], k: int, other: int, tolerance: float) -> bool:
    """Tell whether two neighbouring axes that turn meet in one point."""
    if not 0 <= other < len(axes) or axes[k].slides or axes[other].slides:
        return False
    a, b = axes[k], axes[other]
    n = cross(a.h, b.h)
    size = dot(n, n) ** 0.5
    return bool(size > 1e-3 and abs(dot(n, b.o - a.o)) <= tolerance * size)
