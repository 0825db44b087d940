"""Functions of scalars: on floats they compute, on nodes they build the simplified node."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from ..errors import ExpressionError, ProgramError
from .angle import constant_form
from .node import ONE, ZERO, Node, Scalar, add, as_node, constant, div, folded, interned, mul, neg, symbol
from .operations import ABS, ACOS, ADD, ASIN, ATAN2, CONST, COS, DIV, LIBRARY, MUL, NEG, SIGN, SIN, SQRT, SYMBOL

HALF = as_node(0.5)
_QUARTER = Fraction(1, 2)
"""A quarter turn, as a part of half a turn."""


def _quarters(angle: Node) -> tuple[Node, int]:
    """Split whole quarter turns off an angle."""
    part = angle.args[1] if angle.op is ADD and angle.args[1].op is CONST else angle
    exactly = constant_form(part) if part.op is CONST else None
    if exactly is None or exactly[0] or (2 * exactly[1]).denominator != 1:
        return angle, 0
    return angle.args[0] if part is not angle else ZERO, int(2 * exactly[1])


def _constant_wave(op: str, angle: Node) -> Node:
    """Return the sine or cosine of a constant angle: 1/2 where it is that, the only fraction between 0 and 1 that it
    can be for a fraction of a turn.
    """
    exactly = constant_form(angle)
    if exactly and not exactly[0]:
        twelfths = (exactly[1] + (_QUARTER if op is COS else 0)) * 6
        if twelfths.denominator == 1 and twelfths % 6 in (1, 5):
            return HALF if twelfths % 12 < 6 else neg(HALF)
    return folded((math.sin if op is SIN else math.cos)(angle.value), op, angle)


def _sin(a: Node) -> Node:
    if a.op is NEG:
        return neg(_sin(a.args[0]))
    a, quarters = _quarters(a)
    if quarters % 4:
        return (_cos(a), neg(_sin(a)), neg(_cos(a)))[quarters % 4 - 1]
    if a.op is CONST:
        return ZERO if a is ZERO else _constant_wave(SIN, a)
    return interned((SIN, a), SIN, (a,))


def _cos(a: Node) -> Node:
    if a.op is NEG:
        a = a.args[0]
    a, quarters = _quarters(a)
    if quarters % 4:
        return (neg(_sin(a)), neg(_cos(a)), _sin(a))[quarters % 4 - 1]
    if a.op is CONST:
        return ONE if a is ZERO else _constant_wave(COS, a)
    return interned((COS, a), COS, (a,))


def _sqrt(a: Node) -> Node:
    sign = _sign_of(a) if a.op is CONST else None
    if sign is not None:
        if sign < 0:
            raise ExpressionError(f"square root of {a}, which is negative")
        root = constant(math.sqrt(abs(a.value)))
        exactly = root.rational and tuple(x * x for x in root.rational) == a.rational
        return root if exactly else folded(root.value, SQRT, a)
    if a.op is MUL and a.args[0] is a.args[1]:
        return _abs(a.args[0])
    return interned((SQRT, a), SQRT, (a,))


def _sign_of(a: Node) -> int | None:
    """Return the exact sign of a constant, despite the rounding of its float; None if it cannot be determined."""
    if a.origin:
        from .intervals import sign

        return sign(a)
    return int(a.value > 0) - int(a.value < 0)


def _scaled(a: Node) -> bool:
    """Tell whether an expression is a positive constant times another."""
    return a.op is MUL and a.args[0].op is CONST and _sign_of(a.args[0]) == 1


def _abs(a: Node) -> Node:
    sign = _sign_of(a) if a.op is CONST else None
    if sign is not None:
        return neg(a) if sign < 0 else a
    if a.op is NEG:
        a = a.args[0]
    if _scaled(a):
        return mul(a.args[0], _abs(a.args[1]))
    return a if a.op in (ABS, SQRT) else interned((ABS, a), ABS, (a,))


def _sign(a: Node) -> Node:
    sign = _sign_of(a) if a.op is CONST else None
    if sign is not None:
        return as_node(float(sign))
    if a.op is NEG:
        return neg(_sign(a.args[0]))
    if _scaled(a):
        return _sign(a.args[1])
    return interned((SIGN, a), SIGN, (a,))


def _arc(op: str, function: Callable[[float], float], a: Node) -> Node:
    if a.op is CONST:
        if abs(a.value) > 1:
            raise ExpressionError(f"{op}({a}): the argument must lie between -1 and 1")
        return folded(function(a.value), op, a)
    if a.op is NEG and op is ASIN:
        return neg(_arc(op, function, a.args[0]))
    return interned((op, a), op, (a,))


def _of_library(op: str, *args: Node) -> Node:
    """Return a function of the library for which there are no rules."""
    if any(a.op is not CONST for a in args):
        return interned((op, *args), op, args)
    try:
        return folded(getattr(math, op)(*(a.value for a in args)), op, *args)
    except (ValueError, OverflowError):
        raise ExpressionError(f"{op}({', '.join(map(str, args))}) has no value") from None


def sin(x: Scalar) -> Scalar:
    return _sin(x) if isinstance(x, Node) else math.sin(x)


def cos(x: Scalar) -> Scalar:
    return _cos(x) if isinstance(x, Node) else math.cos(x)


def tan(x: Scalar) -> Scalar:
    return sin(x) / cos(x)


def sqrt(x: Scalar) -> Scalar:
    return _sqrt(x) if isinstance(x, Node) else math.sqrt(x)


def asin(x: Scalar) -> Scalar:
    return _arc(ASIN, math.asin, x) if isinstance(x, Node) else math.asin(x)


def acos(x: Scalar) -> Scalar:
    return _arc(ACOS, math.acos, x) if isinstance(x, Node) else math.acos(x)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    if isinstance(y, Node) or isinstance(x, Node):
        return _of_library(ATAN2, as_node(y), as_node(x))
    return math.atan2(y, x)


def absolute(x: Scalar) -> Scalar:
    return _abs(x) if isinstance(x, Node) else abs(x)


def sign(x: Scalar) -> Scalar:
    return _sign(x) if isinstance(x, Node) else float(x > 0) - float(x < 0)


_BUILT: dict[str, Callable[..., Node]] = {
    ADD: add,
    NEG: neg,
    MUL: mul,
    DIV: div,
    SQRT: _sqrt,
    **{op: partial(_of_library, op) for op in LIBRARY},
    SIN: _sin,
    COS: _cos,
    ASIN: partial(_arc, ASIN, math.asin),
    ACOS: partial(_arc, ACOS, math.acos),
    ABS: _abs,
    SIGN: _sign,
}


def rebuild(op: str, args: tuple[Node, ...], value: Any = None) -> Node:
    """Return the simplified node of an operation; used for copying, substitution and unpickling."""
    if op == SYMBOL:
        return symbol(value)
    if op == CONST:
        return constant(value)
    if op in _BUILT:
        return _BUILT[op](*args)
    raise ProgramError(f"unknown operation {op!r}")
