"""Solutions of one step, over any scalar: cosines and sines without angles, and without branches in the code.

A measure with one unknown angle is A cos q + B sin q = C: type 2 in the list of Khalil and Dombre. A feature that is
carried gives both cosine and sine: type 3. Sliding joints have linear equations, type 1, and quadratic ones, which come
from type 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...graph.functions import absolute, sqrt
from ...graph.node import Node, Scalar
from ...graph.operations import CONST
from ...models.loops.closed_form.turning import positive
from ...spatial.vector import cross, dot
from .chain import Axis, Motion
from .loop import ANGLE, DISTANCE, PLANE, Equation, Loop, Way, back, ways
from .plan import Carry, Slide, Step

SMALL = 1e-60
"""What keeps a division from failing."""
ROUNDING = 1e-13
"""Constants below it are zero."""


class Found(NamedTuple):
    """A solution of a step.

    Attributes
    ----------
    motion
        The joint's motion.
    margin
        How far the goal is within reach, relative to the lengths involved; negative beyond.
    free
        1 if the joint can be anywhere, 0 if not.
    """

    motion: Motion
    margin: Scalar
    free: Scalar


LENGTHS = {ANGLE: 0, PLANE: 4, DISTANCE: 8}
"""How many lengths are multiplied in what determines a joint, by the kind of equation."""
BOTH = (1.0, -1.0)
"""The signs of a square root."""


def solutions(loop: Loop, step: Step, near: Motion, blur: Scalar, signs: Sequence[Scalar] = BOTH) -> list[Found]:
    """Return all solutions of a step, or those with some signs; a joint that can be anywhere is near a given motion.

    It can be anywhere if what determines it, the fourth power of a length relative to the arm's size, is below the
    blur.
    """
    axis = loop.chain.axes[step.joint]
    if isinstance(step.equation, Carry):
        return [_carried(loop, axis, step, step.equation, near, blur)]
    if isinstance(step.equation, Slide):
        return [_slid(loop, step.joint, step.equation, near, blur)]
    mine, sign, other = sides(loop, step.equation, step.joint)
    if axis.slides:
        return _slides(loop, axis, step.equation, mine, sign, other, near, blur, signs)
    return _turns(loop, axis, step.equation, mine, sign, other, near, blur, signs)


class Side(NamedTuple):
    """The way with the unknown joint, cut there: up to it, and beyond it."""

    before: Way
    beyond: Way


def sides(loop: Loop, equation: Equation, joint: int) -> tuple[Side, int, Way]:
    """Return the way that has the joint, the direction in which it is passed, and the other way."""
    direct, other = equation.ways(len(loop.chain.axes))
    mine, other = (direct, other) if any(k == joint for k, _ in direct) else (other, direct)
    at = next(i for i, (k, _) in enumerate(mine) if k == joint)
    return Side(mine[:at], mine[at + 1 :]), mine[at][1], other


def _carried(loop: Loop, axis: Axis, step: Step, carry: Carry, near: Motion, blur: Scalar) -> Found:
    feature = carry.feature
    v = loop.carried(carry.beyond, feature.vector, feature.is_point)
    w = loop.carried(carry.before, feature.vector, feature.is_point)
    if axis.slides:
        return Found(Motion(d=dot(axis.h, w - v)), 1.0, 0.0)
    if feature.is_point:
        v, w = v - axis.o, w - axis.o
    c = dot(v, w) - dot(axis.h, v) * dot(axis.h, w)
    s = dot(axis.h, cross(v, w))
    if step.steady:
        return Found(_unit(c, s), 1.0, 0.0)
    motion, free = _unit_or(c, s, near, blur * loop.chain.unit**4 if feature.is_point else blur)
    return Found(motion, 1.0, free)


def _slid(loop: Loop, joint: int, slide: Slide, near: Motion, blur: Scalar) -> Found:
    """Return how far a joint slides, from what the other ones that slide do not change."""
    n, axis, end = len(loop.chain.axes), loop.chain.axes[joint], loop.chain.end.P
    off = loop.carried(ways(n, joint, n)[1], end, True) - loop.carried(ways(n, joint + 1, n)[0], end, True)
    across = loop.across(joint, slide.others)
    share = dot(across, axis.h)
    return _slid_or(dot(across, off), share, share if len(slide.others) == 1 else share * share, near, blur)


def _slid_or(way: Scalar, share: Scalar, square: Scalar, near: Motion, blur: Scalar) -> Found:
    """Return a way divided by the share of a motion in it; another motion, and 1, if the share is rounding of zero."""
    if _is_constant(share):
        return Found(Motion(d=way * (1.0 / share)), 1.0, 0.0)
    some = positive(square * square - blur)
    none = 1.0 - some
    return Found(Motion(d=some * way * (1.0 / (some * share + none)) + none * near.d), 1.0, none)


def _unit(c: Scalar, s: Scalar) -> Motion:
    scale = 1.0 / sqrt(c * c + s * s)
    return Motion(c * scale, s * scale)


def _unit_or(c: Scalar, s: Scalar, near: Motion, blur: Scalar) -> tuple[Motion, Scalar]:
    """Return a cosine and sine of length one; those of another motion, and 1, if both are rounding of zero."""
    square = c * c + s * s
    some = positive(square - blur)
    none = 1.0 - some
    scale = 1.0 / sqrt(some * square + none)
    return Motion((some * c + none * near.c) * scale, (some * s + none * near.s) * scale), none


def _turns(
    loop: Loop,
    axis: Axis,
    equation: Equation,
    side: Side,
    sign: int,
    other: Way,
    near: Motion,
    blur: Scalar,
    signs: Sequence[Scalar],
) -> list[Found]:
    """Return both solutions of A cos q + B sin q = C."""
    b, a = equation.second, equation.first
    v = loop.carried(side.beyond, b.vector, b.is_point)
    far = loop.carried(other, b.vector, b.is_point)
    if equation.kind == DISTANCE:
        g = loop.carried(back(side.before), a.vector, True) - axis.o
        v = v - axis.o
    else:
        g = loop.carried(back(side.before), a.vector, False)
        v = v - axis.o if b.is_point else v
    h = axis.h
    gh, vh = dot(g, h), dot(v, h)
    g, v = g - h * gh, v - h * vh
    A, B = dot(g, v), dot(g, cross(h, v))
    square = A * A + B * B
    size = sqrt(square)
    if equation.kind == ANGLE and _is_constant(size):  # 1 - cos and 1 + cos without cancellation
        m, less, more = gh * vh, far - a.vector, far + a.vector
        C = dot(a.vector, far) - m
        over, under = _tidy(1.0 - m - size), _tidy(1.0 + m - size)
        inside = (0.5 * dot(less, less) - over) * (0.5 * dot(more, more) - under)
    elif equation.kind == DISTANCE:
        gap = far - a.vector
        left = dot(gap, gap) - (gh - vh) * (gh - vh)
        lg, lv = sqrt(dot(g, g)), sqrt(dot(v, v))
        C = 0.5 * (dot(g, g) + dot(v, v) - left)
        short, long = _tidy(lg - lv), lg + lv
        inside = 0.25 * (left - short * short) * (long * long - left)
    else:
        start = dot(a.vector, loop.carried(side.before, axis.o, True)) if b.is_point else 0.0
        C = dot(a.vector, far) - start - gh * vh
        inside = (size - C) * (size + C)
    reach = 0.5 * (inside + absolute(inside))
    root, found = sqrt(reach), []
    blur = blur * loop.chain.unit ** LENGTHS[equation.kind]
    margin = inside * (1.0 / (square + C * C + SMALL))
    for r in (root * x for x in signs):
        c, s = A * C - B * r, B * C + A * r
        motion, free = _unit_or(c, sign * s, near, blur)
        found.append(Found(motion, margin, free))
    return found


def _slides(
    loop: Loop,
    axis: Axis,
    equation: Equation,
    side: Side,
    sign: int,
    other: Way,
    near: Motion,
    blur: Scalar,
    signs: Sequence[Scalar],
) -> list[Found]:
    """Return the solution of a linear equation, or both of a quadratic one."""
    b, a = equation.second, equation.first
    v = loop.carried(side.beyond, b.vector, True)
    far = loop.carried(other, b.vector, True)
    if equation.kind == DISTANCE:
        off = v - loop.carried(back(side.before), a.vector, True)
        along, gap = dot(axis.h, off), far - a.vector
        across = off - axis.h * along
        wide = dot(across, across)
        inside = dot(gap, gap) - wide
        root = sqrt(0.5 * (inside + absolute(inside)))
        margin = inside * (1.0 / (dot(gap, gap) + wide + SMALL))
        return [Found(Motion(d=sign * (r - along)), margin, 0.0) for r in (root * x for x in signs)]
    g = loop.carried(back(side.before), a.vector, False)
    start = dot(a.vector, loop.carried(side.before, v, True))
    share = dot(g, axis.h)
    return [_slid_or(sign * (dot(a.vector, far) - start), share, share * share, near, blur)]


def _is_constant(x: Scalar) -> bool:
    return not isinstance(x, Node) or x.op is CONST


def _tidy(x: Scalar) -> Scalar:
    """Return a number, or zero for one that is rounding."""
    value = x.value if isinstance(x, Node) and x.op is CONST else x
    return 0.0 if isinstance(value, float) and abs(value) < ROUNDING else x
