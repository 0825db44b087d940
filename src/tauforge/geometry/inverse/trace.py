"""The scalar equations of each step, in letters: what the derivation prints and what the tests put numbers in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...graph.node import Scalar, as_node, symbol
from ...spatial.pose import Pose
from ...spatial.vector import Vector, column, cross, dot
from .chain import Axis, crossed
from .letters import LONG, SHORT, Definition, Letters, Told
from .loop import DISTANCE, Equation, Feature, Way, back, ways
from .plan import Carry, Slide, Step
from .solve import Side, sides

TURN, BOTH, LINEAR, SQUARE = "turn", "both", "linear", "square"
"""Forms of equations: X S + Y C = Z, two of these, X r = Y, and (r + X)² = Z."""


@dataclass
class Traced:
    """The equation of a step.

    Attributes
    ----------
    step
        The step.
    form
        One of TURN, BOTH, LINEAR, SQUARE.
    links
        The first and the last link that it compares, and what is compared.
    values
        Its coefficients X, Y, Z, as the form has them.
    free
        What must not lie on the joint's axis, or along it, if the equation is to determine the joint.
    definitions
        Vectors that got a name.
    sign
        -1 if the joint is passed backwards.
    """

    step: Step
    form: str
    links: tuple[int, int]
    values: dict[str, Any]
    free: list[str] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    sign: int = 1


def traced(letters: Letters, steps: Sequence[Step]) -> list[Traced]:
    """Return the equations of all steps, in order."""
    found = []
    for step in steps:
        letters.new = []
        loop = _shoulder(letters, step) if step.part else Told.of(letters, step)
        own = _of(loop, step)
        own.values = {name: letters.simple(x) for name, x in own.values.items()}
        own.definitions = letters.new
        found.append(own)
    return found


def _shoulder(letters: Letters, step: Step) -> Told:
    """Return the loop of the first three joints alone, whose goal has letters for the rotation of the upper arm."""
    part = step.part
    assert part
    rows = [Vector(*(symbol(name) for name in row)) for row in letters.upper()]
    R = Pose.of([x for row in rows for x in (*row, 0.0)]).R
    known = {k: letters.motion(k) for k in step.needs if k < len(part.chain.axes)}
    return Told(part.chain, Pose(R, part.S - R.forth(part.S)), known, letters)


def _of(loop: Told, step: Step) -> Traced:
    equation, axis = step.equation, loop.chain.axes[step.joint]
    if isinstance(equation, Carry):
        return _carried(loop, step, equation, axis)
    if isinstance(equation, Slide):
        return _slid(loop, step, equation, axis)
    side, sign, other = sides(loop, equation, step.joint)
    if not axis.slides:
        return _turned(loop, step, equation, axis, side, sign, other)
    return _moved(loop, step, equation, axis, side, sign, other)


def _links(equation: Equation) -> tuple[int, int]:
    i, j = equation.first.link, equation.second.link
    return min(i, j), max(i, j)


def _local(loop: Told, v: Vector, joint: int, is_point: bool) -> tuple[Scalar, Scalar]:
    """Return the components of a vector across a joint's axis, in the joint's frame."""
    at = loop.letters.frames[joint + 1]
    v = v - at.P if is_point else v
    return dot(column(at.R.rows, 0), v), dot(column(at.R.rows, 1), v)


def _carried(loop: Told, step: Step, carry: Carry, axis: Axis) -> Traced:
    feature, k = _plain(loop, carry.feature), step.joint
    v = loop.told(carry.beyond, feature.vector, feature.is_point, feature.name)
    w = loop.told(carry.before, feature.vector, feature.is_point, feature.name)
    links = (k, feature.link) if feature.link > k else (feature.link, k + 1)
    if axis.slides:
        return Traced(step, LINEAR, links, {"X": as_node(1.0), "Y": as_node(dot(axis.h, w - v))})
    (vx, vy), (wx, wy) = (_local(loop, x, k, feature.is_point) for x in (v, w))
    free = [] if step.steady or not loop.letters.varies([vx, vy]) else [_on(feature, axis)]
    names = {"X1": -vy, "Y1": vx, "Z1": wx, "X2": vx, "Y2": vy, "Z2": wy}
    return Traced(step, BOTH, links, names, free)


def _plain(loop: Told, feature: Feature) -> Feature:
    """Return a direction across an axis without the root that makes its length one: its length does not matter."""
    if feature.is_point or not feature.name.startswith("x") or not loop.letters.robot.symbols:
        return feature
    own = feature.link - 1
    return feature._replace(vector=crossed(loop.chain.axes[own].h, loop.chain.numbers().axes[own].h))


def _on(feature: Feature, axis: Axis) -> str:
    return f"{feature.name} lies on the axis of {axis.name}" if feature.is_point else _along(feature, axis)


def _along(feature: Feature, axis: Axis) -> str:
    return f"{feature.name} is parallel to the axis of {axis.name}"


def _turned(loop: Told, step: Step, equation: Equation, axis: Axis, side: Side, sign: int, other: Way) -> Traced:
    """Return A cos q + B sin q = C; multiplied by the sign, so that its first solution is the code's."""
    a, b, h, letters = equation.first, equation.second, axis.h, loop.letters
    near = equation.kind == DISTANCE
    v = loop.told(side.beyond, b.vector, b.is_point, b.name)
    g = loop.told(back(side.before), a.vector, near, a.name)
    far = loop.told(other, b.vector, b.is_point, b.name)
    if near:  # squares follow
        v = letters.named(v, True, step.joint + (sign > 0), SHORT, b.name)
        g = letters.named(g, True, step.joint + (sign < 0), SHORT, a.name)
    v = v - axis.o if b.is_point else v
    g = g - axis.o if near else g
    along = dot(g, h) * dot(v, h)
    A, B = dot(g, v) - along, dot(g, cross(h, v))
    if near:
        gap = far - a.vector
        A, B, C = 2.0 * A, 2.0 * B, dot(g, g) + dot(v, v) - dot(gap, gap) - 2.0 * along
    else:
        start = dot(a.vector, loop.told(side.before, axis.o, True, axis.name)) if b.is_point else 0.0
        C = dot(a.vector, far) - start - along
    free = [_on(x, axis) if near or x.is_point else _along(x, axis) for x, y in ((a, g), (b, v)) if letters.varies(y)]
    return Traced(step, TURN, _links(equation), {"X": B, "Y": sign * A, "Z": sign * C}, free, sign=sign)


def _moved(loop: Told, step: Step, equation: Equation, axis: Axis, side: Side, sign: int, other: Way) -> Traced:
    a, b, h = equation.first, equation.second, axis.h
    v = loop.told(side.beyond, b.vector, True, b.name)
    far = loop.told(other, b.vector, True, b.name)
    if equation.kind == DISTANCE:
        off = v - loop.told(back(side.before), a.vector, True, a.name)
        link = step.joint + (sign > 0)
        off = loop.letters.named(off, False, link, SHORT, f"way from {a.name} to {b.name}")
        along, gap = dot(h, off), far - a.vector
        across = off - h * along
        values = {"X": sign * along, "Z": dot(gap, gap) - dot(across, across)}
        return Traced(step, SQUARE, _links(equation), values, sign=sign)
    g = loop.told(back(side.before), a.vector, False, a.name)
    start = dot(a.vector, loop.told(side.before, v, True, b.name))
    X, Y = sign * dot(g, h), dot(a.vector, far) - start
    free = [f"{a.name} is perpendicular to the axis of {axis.name}"] if loop.letters.varies([X]) else []
    return Traced(step, LINEAR, _links(equation), {"X": X, "Y": Y}, free)


def _slid(loop: Told, step: Step, slide: Slide, axis: Axis) -> Traced:
    n, k, end = len(loop.chain.axes), step.joint, loop.chain.end.P
    off = loop.told(ways(n, k, n)[1], end, True, "origin") - loop.told(ways(n, k + 1, n)[0], end, True, "origin")
    across = loop.across(k, slide.others)
    across = loop.letters.named(across, False, k, LONG, "direction across the other sliding joints")
    values = {"X": dot(across, axis.h), "Y": dot(across, off)}
    lost = [f"the axis of {axis.name} is not independent of those of the other sliding joints"]
    return Traced(step, LINEAR, (k, n), values, lost * loop.letters.varies([values["X"]]))
