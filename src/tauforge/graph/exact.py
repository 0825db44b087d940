"""Exact knowledge about constants while graphs are built.

A folded constant is a float and the operation that it comes from. The result of ``+ - * /`` on decimals is a rational
number, and the float is that number, rounded once. Each constant also has a residue in a prime field that is drawn anew
in each process. Two constants are equal if both float and residue are; a constant is zero if its residue is. (With a
fixed field, the author of the constants could deceive it.)
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from math import gcd
from threading import Lock
from typing import TYPE_CHECKING

from .angle import constant_form
from .field import Field
from .literal import Ratio
from .operations import ADD, COS, DIV, MUL, NEG, SIN

if TYPE_CHECKING:
    from .node import Node


def home() -> Field:
    """Return this process's field: about 2^90 elements, exact half degrees, and all fractions that floats can be."""
    return _fields[0] if _fields else _first()


_fields: list[Field] = []
_lock = Lock()


def _first() -> Field:
    with _lock:
        if not _fields:
            _fields.append(Field(secrets.token_hex(16), 90, 720, 10**341, rounds=16, rough=True))
    return _fields[0]


_BITS = 2048
"""How large numerator and denominator together can grow before a constant is treated as not rational."""


def rational(op: str, args: Sequence[Node]) -> Ratio | None:
    """Return the result of an operation on rational constants; None if it is not rational or has too many digits."""
    if op not in (ADD, MUL, NEG, DIV):
        return None
    first, last = args[0].rational, args[-1].rational
    if first is None or last is None:
        return None
    (a, b), (c, d) = first, last
    if op == ADD:
        top, bottom = a * d + b * c, b * d
    elif op == MUL:
        top, bottom = a * c, b * d
    elif op == NEG:
        top, bottom = -a, b
    else:
        top, bottom = (a * d, b * c) if c > 0 else (-a * d, -b * c)
    common = gcd(top, bottom)
    top, bottom = top // common, bottom // common
    return (top, bottom) if top.bit_length() + bottom.bit_length() <= _BITS else None


def residue(op: str, args: Sequence[Node]) -> int:
    """Return the residue of an operation on constants; if it is not algebraic, some unrelated number."""
    field = home()
    p, values = field.p, [a.residue for a in args]
    if op == ADD:
        return (values[0] + values[1]) % p
    if op == MUL:
        return values[0] * values[1] % p
    if op == NEG:
        return -values[0] % p
    if op == DIV:
        return values[0] * pow(values[1], -1, p) % p
    if op in (SIN, COS):
        angle = constant_form(args[0])
        turn = field.turn(*angle) if angle else None
        return int((turn or field.point("turn", *values))[op == SIN])
    return field.draw(op, *values)
