"""The scalar graph: one immutable, hash-consed node type, simplified when it is built.

Two nodes of the same structure are the same object, so ``is`` is structural equality. The canonical form keeps the
signs outside: ``neg`` never stands inside a product, nor first in a sum, so that ``a - b`` and ``b - a`` share their
difference. The order of arguments follows a key made from the structure alone: it does not depend on what was built
before.
"""

from __future__ import annotations

import math
import threading
import weakref
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from hashlib import blake2b
from typing import Any

from ..errors import ExpressionError, ProgramError
from . import exact
from .angle import constant_form
from .operations import (  # by these names, too, they are what a node can be
    ABS as ABS,
)
from .operations import (
    ACOS as ACOS,
)
from .operations import (
    ADD as ADD,
)
from .operations import (
    ASIN as ASIN,
)
from .operations import (
    ATAN2 as ATAN2,
)
from .operations import (
    CONST as CONST,
)
from .operations import (
    COS as COS,
)
from .operations import (
    DIV as DIV,
)
from .operations import (
    MUL as MUL,
)
from .operations import (
    NEG as NEG,
)
from .operations import (
    OPERATIONS as OPERATIONS,
)
from .operations import (
    SIGN as SIGN,
)
from .operations import (
    SIN as SIN,
)
from .operations import (
    SQRT as SQRT,
)
from .operations import (
    SYMBOL as SYMBOL,
)

_MASK = (1 << 64) - 1
_SALT = {op: (2 * i + 3) * 0x9E3779B97F4A7C15 & _MASK for i, op in enumerate(OPERATIONS)}
_CONSTANT = _MASK + 1  # constants have the largest keys: they stand last in a sum


class Node:
    """A scalar expression. Build it with the functions below or with ``+ - * / **`` on other nodes and numbers."""

    __slots__ = ("__weakref__", "_residue", "args", "key", "op", "origin", "value")

    op: str
    args: tuple[Node, ...]
    value: Any  # a constant's float, a symbol's name, None for the others
    key: int
    origin: Origin | None  # the operation whose rounded result a constant is
    _residue: int | None

    @property
    def residue(self) -> int:
        """A constant's exact value in this process's field."""
        return exact.home().literal(self.value) if self._residue is None else self._residue

    @property
    def made(self) -> Origin:
        """Operation and arguments, those that a folded constant comes from too."""
        return self.origin or (self.op, self.args)

    def __add__(self, other: Scalar) -> Node:
        return add(self, as_node(other))

    def __radd__(self, other: Scalar) -> Node:
        return add(as_node(other), self)

    def __sub__(self, other: Scalar) -> Node:
        return add(self, neg(as_node(other)))

    def __rsub__(self, other: Scalar) -> Node:
        return add(as_node(other), neg(self))

    def __mul__(self, other: Scalar) -> Node:
        return mul(self, as_node(other))

    def __rmul__(self, other: Scalar) -> Node:
        return mul(as_node(other), self)

    def __truediv__(self, other: Scalar) -> Node:
        return div(self, as_node(other))

    def __rtruediv__(self, other: Scalar) -> Node:
        return div(as_node(other), self)

    def __neg__(self) -> Node:
        return neg(self)

    def __pos__(self) -> Node:
        return self

    def __pow__(self, exponent: float) -> Node:
        return power(self, exponent)

    def __float__(self) -> float:
        if self.op is not CONST:
            raise ExpressionError(f"{self} is no number: give its symbols values first, with bind(...)")
        return float(self.value)

    def __bool__(self) -> bool:
        raise TypeError("the truth of an expression is not known before its symbols have values")

    def __reduce__(self) -> tuple[object, ...]:
        return rebuild, (self.op, self.args, self.value, self.origin)

    def __copy__(self) -> Node:
        return self

    def __deepcopy__(self, memo: object) -> Node:
        return self

    def __repr__(self) -> str:
        from .text import to_text, written_size

        size = written_size(self)
        return to_text(self) if size < 1000 else f"<expression of {float(size):.3g} operations>"


Scalar = float | Node
"""A number or an expression: what every parameter of a robot may be, and what every recursion accepts."""

_table: dict[object, weakref.ref[Node]] = {}
_lock = threading.Lock()
_sweep_at = 100_000


Origin = tuple[str, tuple["Node", ...]]


def _intern(
    table_key: tuple[object, ...],
    op: str,
    args: tuple[Node, ...],
    value: Any = None,
    origin: Origin | None = None,
    residue: int | None = None,
) -> Node:
    """Return the one node of this structure."""
    reference = _table.get(table_key)
    node = reference() if reference is not None else None
    if node is not None:
        return node
    node = Node.__new__(Node)
    node.op, node.args, node.value, node.origin, node._residue = op, args, value, origin, residue
    if len(args) == 2:
        mixed = args[0].key * 0xD6E8FEB86659FD93 + args[1].key * 0xCA5A826395121157
        node.key = (mixed ^ (mixed >> 31)) + _SALT[op] & _MASK
    elif args:
        node.key = (args[0].key * 0xFF51AFD7ED558CCD ^ args[0].key >> 29) + _SALT[op] & _MASK
    else:
        digest = int.from_bytes(blake2b(str(value).encode(), digest_size=8).digest())
        node.key = digest + _CONSTANT if op is CONST else digest
    with _lock:
        reference = _table.get(table_key)
        known = reference() if reference is not None else None
        if known is not None:  # another thread was faster
            return known
        _table[table_key] = weakref.ref(node)
        if len(_table) > _sweep_at:
            _sweep()
    return node


def _sweep() -> None:
    """Forget dead nodes. Parents stand after their arguments, so one pass from the end frees whole graphs."""
    global _sweep_at
    keys = list(_table)
    while keys:
        table_key = keys.pop()
        if _table[table_key]() is None:
            del _table[table_key]
    _sweep_at = max(100_000, 2 * len(_table))


def symbol(name: str) -> Node:
    """Return the symbol of that name."""
    return _intern((SYMBOL, name), SYMBOL, (), name)


def constant(value: float) -> Node:
    """Return a float as a constant, whatever it was rounded from."""
    if not math.isfinite(value):
        raise ExpressionError("a constant is too large for a float")
    value = value + 0.0  # no negative zero
    return _intern((CONST, value), CONST, (), value)


def _folded(value: float, op: str, *args: Node) -> Node:
    """Return what an operation on constants gives: a float, and where that is rounded, what it comes from."""
    if not math.isfinite(value):
        raise ExpressionError("a constant is too large for a float")
    residue = exact.residue(op, args)
    if residue == 0 and abs(value) <= 1e-6 * max(1.0 if op in (SIN, COS) else abs(a.value) for a in args):
        return ZERO  # exactly zero, whatever rounding left
    if residue == exact.home().literal(value):
        return constant(value)
    return _intern((CONST, value, residue), CONST, (), value, (op, args), residue)


def as_node(x: Scalar) -> Node:
    """Return a number as a constant, a node as it is."""
    if isinstance(x, Node):
        return x
    value = float(x)
    if not math.isfinite(value):
        raise ExpressionError(f"{value} is no finite number")
    return _intern((CONST, value + 0.0), CONST, (), value + 0.0)


def is_zero(x: Scalar) -> bool:
    """Tell whether a scalar is the number zero; an expression that may turn out to be zero is not."""
    return x is ZERO if isinstance(x, Node) else x == 0


ZERO, ONE, TWO, MINUS_ONE = (as_node(x) for x in (0.0, 1.0, 2.0, -1.0))


def neg(a: Node) -> Node:
    if a.op is NEG:
        return a.args[0]
    if a.op is CONST:
        return _folded(-a.value, NEG, a) if a.origin else constant(-a.value)
    return _intern((NEG, a), NEG, (a,))


def add(a: Node, b: Node) -> Node:
    if a.op is CONST:
        a, b = b, a
    if b.op is CONST:
        if b is ZERO:
            return a
        if a.op is CONST:
            return _folded(a.value + b.value, ADD, a, b)
        if a.op is NEG:
            return neg(add(a.args[0], neg(b)))
        if a.op is ADD and a.args[1].op is CONST:
            return add(a.args[0], add(a.args[1], b))
        if a.op is MUL and b is MINUS_ONE and a.args[0] is a.args[1] and a.args[0].op in (SIN, COS):
            other = (_sin if a.args[0].op is COS else _cos)(a.args[0].args[0])
            return neg(mul(other, other))  # cos² - 1 = -sin²
        return _intern((ADD, a, b), ADD, (a, b))
    x, y = a.args[0] if a.op is NEG else a, b.args[0] if b.op is NEG else b
    if x is y:
        return ZERO if a is not b else mul(TWO, a)
    if y.key < x.key:
        x, y, a, b = y, x, b, a
    if a.op is NEG:
        return neg(add(x, neg(b)))
    return _intern((ADD, a, b), ADD, (a, b))


def mul(a: Node, b: Node) -> Node:
    if b.op is CONST:
        a, b = b, a
    if a.op is CONST:
        if a is ZERO or b is ZERO:
            return ZERO
        if a is ONE:
            return b
        if b.op is CONST:
            return _folded(a.value * b.value, MUL, a, b)
        if a.value < 0:
            return neg(mul(neg(a), b))
        if b.op is NEG:
            return neg(mul(a, b.args[0]))
        if b.op is MUL and b.args[0].op is CONST:
            return mul(mul(a, b.args[0]), b.args[1])
        return _intern((MUL, a, b), MUL, (a, b))
    if a.op is NEG:
        return neg(mul(a.args[0], b))
    if b.op is NEG:
        return neg(mul(a, b.args[0]))
    if b.key < a.key:
        a, b = b, a
    return _intern((MUL, a, b), MUL, (a, b))


def div(a: Node, b: Node) -> Node:
    if b.op is CONST:
        if b.value == 0:
            raise ExpressionError(f"division of {a} by zero")
        if not math.isfinite(1.0 / b.value):
            raise ExpressionError(f"division of {a} by {b}, whose inverse is too large for a float")
        return mul(a, _folded(1.0 / b.value, DIV, ONE, b))
    if a is ZERO:
        return ZERO
    if a is b:
        return ONE
    if a.op is NEG or (a.op is CONST and a.value < 0):
        return neg(div(neg(a), b))
    if b.op is NEG:
        return neg(div(a, b.args[0]))
    return _intern((DIV, a, b), DIV, (a, b))


def power(a: Node, exponent: float) -> Node:
    """Return an integer power, by squaring, or a half-integer one."""
    if float(exponent) == 0.5:
        return _sqrt(a)
    if not math.isfinite(exponent) or float(exponent) != int(exponent) or abs(exponent) > 64:
        raise ExpressionError(f"{a}**{exponent}: the exponent must be 0.5 or an integer up to 64")
    n = int(abs(exponent))
    result = ONE
    while n:
        if n & 1:
            result = mul(result, a)
        a, n = mul(a, a) if n > 1 else a, n >> 1
    return div(ONE, result) if exponent < 0 else result


def _quarters(angle: Node) -> tuple[Node, int]:
    """Split whole quarter turns off an angle."""
    part = angle.args[1] if angle.op is ADD and angle.args[1].op is CONST else angle
    exactly = constant_form(part) if part.op is CONST else None
    if exactly is None or exactly[0] or (2 * exactly[1]).denominator != 1:
        return angle, 0
    return angle.args[0] if part is not angle else ZERO, int(2 * exactly[1])


def _sin(a: Node) -> Node:
    if a.op is NEG:
        return neg(_sin(a.args[0]))
    a, quarters = _quarters(a)
    if quarters % 4:
        return (_cos(a), neg(_sin(a)), neg(_cos(a)))[quarters % 4 - 1]
    if a.op is CONST:
        return ZERO if a is ZERO else _folded(math.sin(a.value), SIN, a)
    return _intern((SIN, a), SIN, (a,))


def _cos(a: Node) -> Node:
    if a.op is NEG:
        a = a.args[0]
    a, quarters = _quarters(a)
    if quarters % 4:
        return (neg(_sin(a)), neg(_cos(a)), _sin(a))[quarters % 4 - 1]
    if a.op is CONST:
        return ONE if a is ZERO else _folded(math.cos(a.value), COS, a)
    return _intern((COS, a), COS, (a,))


def _sqrt(a: Node) -> Node:
    sign = _sign_of(a) if a.op is CONST else None
    if sign is not None:
        if sign < 0:
            raise ExpressionError(f"square root of {a}, which is negative")
        root = math.sqrt(abs(a.value))
        return constant(root) if not a.origin and Fraction(root) ** 2 == Fraction(a.value) else _folded(root, SQRT, a)
    if a.op is MUL and a.args[0] is a.args[1]:
        return _abs(a.args[0])
    return _intern((SQRT, a), SQRT, (a,))


def _sign_of(a: Node) -> int | None:
    """Return the sign of a constant, whatever rounding has made of its float; None where it cannot be told."""
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
    return a if a.op in (ABS, SQRT) else _intern((ABS, a), ABS, (a,))


def _sign(a: Node) -> Node:
    sign = _sign_of(a) if a.op is CONST else None
    if sign is not None:
        return as_node(float(sign))
    if a.op is NEG:
        return neg(_sign(a.args[0]))
    if _scaled(a):
        return _sign(a.args[1])
    return _intern((SIGN, a), SIGN, (a,))


def _arc(op: str, function: Callable[[float], float], a: Node) -> Node:
    if a.op is CONST:
        if abs(a.value) > 1:
            raise ExpressionError(f"{op}({a}): the argument must lie between -1 and 1")
        return _folded(function(a.value), op, a)
    if a.op is NEG and op is ASIN:
        return neg(_arc(op, function, a.args[0]))
    return _intern((op, a), op, (a,))


def _atan2(a: Node, b: Node) -> Node:
    if a.op is CONST and b.op is CONST:
        return _folded(math.atan2(a.value, b.value), ATAN2, a, b)
    return _intern((ATAN2, a, b), ATAN2, (a, b))


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
        return _atan2(as_node(y), as_node(x))
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
    SIN: _sin,
    COS: _cos,
    ASIN: partial(_arc, ASIN, math.asin),
    ACOS: partial(_arc, ACOS, math.acos),
    ATAN2: _atan2,
    ABS: _abs,
    SIGN: _sign,
}


def rebuild(op: str, args: tuple[Node, ...], value: Any = None, origin: Origin | None = None) -> Node:
    """Build a node from its parts, simplifying: what copying, substituting and unpickling use."""
    if op == SYMBOL:
        return symbol(value)
    if op == CONST:
        return rebuild(*origin) if origin else constant(value)
    if op in _BUILT:
        return _BUILT[op](*args)
    raise ProgramError(f"unknown operation {op!r}")
