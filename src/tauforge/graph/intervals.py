"""Evaluation in real numbers with intervals that contain the true value, as narrow as needed.

Constants have their exact meaning: folded ones are computed again from their origin, a float is the decimal that prints
it, and ``n*pi/d`` is that fraction of pi.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

from .evaluate import symbols, topological
from .literal import decimal, halfdegrees
from .node import Node
from .operations import ABS, ACOS, ADD, ASIN, ATAN2, CONST, COS, DIV, MUL, NEG, SIGN, SIN, SQRT, SYMBOL

DIGITS = (40, 120, 400, 1500)
"""Decimal digits to try, one after another."""
SOLVED, ROUNDS = 30, 12
"""Decimal digits of a solution of equations, and Newton steps at the most."""
ROUNDED = 1e-12
"""What the digits of a description leave of an equation that follows from others."""

Interval = Any
"""An interval of mpmath."""


class Undefined(ArithmeticError):
    """An expression has no value here, or none that intervals can determine: a division by zero, a negative root."""


@cache
def _library() -> Any:
    from mpmath.ctx_iv import MPIntervalContext

    return MPIntervalContext()


def evaluate(outputs: Sequence[Node], state: Mapping[str, Any], digits: int) -> list[Interval]:
    """Return intervals that contain the values of the outputs in a state, whose entries can be intervals too."""
    iv = _library()
    iv.dps = digits
    known: dict[Node, Interval] = {}
    for node in topological(outputs, lambda x: x.made[1]):
        op, args = node.made
        if op is SYMBOL:
            known[node] = iv.mpf(state[str(node.value)])
        elif op is CONST:
            k = halfdegrees(node.value)
            known[node] = iv.mpf(repr(node.value)) if k is None else iv.pi * k / 360
        else:
            known[node] = _operation(iv, op, [known[a] for a in args])
    return [known[node] for node in outputs]


def solution(
    equations: Sequence[Node],
    slopes: Sequence[Node],
    all_equations: Sequence[Node],
    unknown: Sequence[str],
    inverse: Sequence[Sequence[float]],
    state: Mapping[str, float],
) -> dict[str, Any] | None:
    """Return a state with narrow intervals for its unknowns that contain a solution of as many equations; or None.

    With Y near the inverse of the slopes J at x, Krawczyk's K(X) = x - Y f(x) + (1 - Y J(X)) (X - x) lies within X only
    if X contains a zero of f.

    Parameters
    ----------
    equations, slopes
        As many equations as unknowns, and their derivatives, row by row.
    all_equations
        What must be zero too, but for what rounding leaves of equations of which some follow from others.
    inverse
        The inverse of the slopes, about.
    state
        Where to start.
    """
    iv = _library()
    n = len(unknown)
    x: dict[str, Any] = {**state}
    iv.dps = 2 * SOLVED
    for name in unknown:
        x[name] = iv.mpf(state[name])
    for _ in range(ROUNDS):
        left = [float(each.mid) for each in evaluate(equations, x, 2 * SOLVED)]
        step = [sum(a * b for a, b in zip(row, left, strict=True)) for row in inverse]
        for name, move in zip(unknown, step, strict=True):
            x[name] = iv.mpf((x[name] - iv.mpf(move)).mid)
        if max(map(abs, step), default=0.0) < 10.0 ** (-SOLVED - 5):
            break
    width = iv.mpf(10) ** -SOLVED
    box = x | {name: x[name] + iv.mpf([-1, 1]) * width for name in unknown}
    left, J = evaluate(equations, x, 2 * SOLVED), evaluate(slopes, box, 2 * SOLVED)
    Y = [[iv.mpf(a) for a in row] for row in inverse]
    for i, name in enumerate(unknown):
        move = sum((Y[i][m] * left[m] for m in range(n)), start=iv.mpf(0))
        for k in range(n):
            slope = (1 if i == k else 0) - sum((Y[i][m] * J[m * n + k] for m in range(n)), start=iv.mpf(0))
            move = move - slope * iv.mpf([-1, 1]) * width
        if x[name] - move not in box[name]:
            return None
    whole = evaluate(all_equations, box, 2 * SOLVED)
    return box if all(abs(each) < ROUNDED for each in whole) else None


def _operation(iv: Any, op: str, args: list[Interval]) -> Interval:
    x = args[0]
    if op is ADD:
        return x + args[1]
    if op is MUL:
        return x * args[1]
    if op is NEG:
        return -x
    if op is SIN:
        return iv.sin(x)
    if op is COS:
        return iv.cos(x)
    if op is DIV:
        if 0 in args[1]:
            raise Undefined
        return x / args[1]
    if op is ABS:
        return abs(x)
    if op is SIGN:
        return iv.mpf(_sign(x))
    if op is SQRT:
        return _root(iv, x)
    if op is ATAN2:
        if 0 in x and not (x == 0 and _sign(args[1]) > 0) and not args[1] > 0:
            if x == 0 and _sign(args[1]) < 0:
                return iv.pi + 0
            raise Undefined
        return iv.atan2(x, args[1])
    if op is ASIN or op is ACOS:
        if not abs(x) <= 1:
            raise Undefined
        other = _root(iv, 1 - x * x)
        return iv.atan2(x, other) if op is ASIN else iv.atan2(other, x)
    try:
        return getattr(iv, op)(*args)
    except (AttributeError, ValueError, ArithmeticError):  # mpmath's intervals lack the function, or it has no value
        raise Undefined from None


def _root(iv: Any, x: Interval) -> Interval:
    if x == 0:
        return x
    if not x > 0:
        raise Undefined
    return iv.sqrt(x)


def _sign(x: Interval) -> int:
    if x > 0:
        return 1
    if x < 0:
        return -1
    if x == 0:
        return 0
    raise Undefined


def written(x: Interval, digits: int) -> str:
    """Return the lower end of an interval as a decimal number."""
    from mpmath import mp, nstr

    return str(nstr(mp.make_mpf(x._mpi_[0]), digits))


def sign(node: Node) -> int | None:
    """Return the sign of a constant; None if it cannot be determined, because the constant may be zero."""
    for digits in DIGITS:
        try:
            return _sign(evaluate([node], {}, digits)[0])
        except Undefined:
            continue
    return None


def root_guess(x: Interval, of: Interval) -> Fraction | None:
    """Return a guess of the square root of the quotient of two positive numbers; None if it is out of range."""
    try:
        guess = float(_library().sqrt(x / of).mid)
    except (ArithmeticError, ValueError):
        return None
    return decimal(guess) if 0 < guess < math.inf else None


def ratio(numerator: Node, denominator: Node) -> Interval | None:
    """Return the quotient of two expressions, one of which is a constant times the other; None if no state gives it."""
    random = Random(0)
    names = symbols([numerator, denominator])
    for attempt in range(16):
        state = {name: random.uniform(0.1, 2) * random.choice((1, 1, -1)) for name in names}
        try:
            quotient = _operation(_library(), DIV, evaluate([numerator, denominator], state, DIGITS[attempt % 2]))
            if _sign(quotient):
                return quotient
        except Undefined:
            continue
    return None
