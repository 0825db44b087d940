"""The scalar graph: one immutable, hash-consed node type, simplified when it is built.

Two nodes of the same structure are the same object, so ``is`` is structural equality. The canonical form keeps signs
outside: ``neg`` is never inside a product, nor first in a sum, so ``a - b`` and ``b - a`` share their difference.
Arguments are ordered by a key that depends only on the structure, not on what was built before.
"""

from __future__ import annotations

import math
import threading
import weakref
from hashlib import blake2b
from typing import Any

from ..errors import ExpressionError
from . import exact
from .literal import Ratio, ratio
from .operations import ADD, CONST, COS, DIV, MUL, NEG, OPERATIONS, SIN, SQRT, SYMBOL

_MASK = (1 << 64) - 1
_SALT = {op: (2 * i + 3) * 0x9E3779B97F4A7C15 & _MASK for i, op in enumerate(OPERATIONS)}
_CONSTANT = _MASK + 1  # constants have the largest keys: they come last in a sum
_SALT_OF_CONSTANTS = b"\x04"
"""Any value would do. The order of sums in derivatives depends on it, and so do a few of their counts: see decision 13.
"""


class Node:
    """A scalar expression. Build it with ``+ - * / **`` on other nodes and numbers, or with ``functions``."""

    __slots__ = ("__weakref__", "_exactly", "args", "key", "op", "origin", "value")

    op: str
    args: tuple[Node, ...]
    value: Any  # a constant's float, a symbol's name, None for the others
    key: int
    origin: Origin | None  # the operation whose rounded result a constant is
    _exactly: tuple[int, Ratio | None] | None  # a folded constant's residue, and its value if that is rational

    @property
    def residue(self) -> int:
        """A constant's exact value in this process's field."""
        return exact.home().literal(self.value) if self._exactly is None else self._exactly[0]

    @property
    def rational(self) -> Ratio | None:
        """A constant's exact value; None if it is not rational or has too many digits."""
        return ratio(self.value) if self._exactly is None else self._exactly[1]

    @property
    def made(self) -> Origin:
        """Operation and arguments, including those that a folded constant comes from."""
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
            raise ExpressionError(f"{self} is not a number: give its symbols values first, with bind(...)")
        return float(self.value)

    def __bool__(self) -> bool:
        raise TypeError("an expression is neither true nor false before its symbols have values")

    def __reduce__(self) -> tuple[object, ...]:
        from .pickling import flattened, last

        return last, (flattened([self])[0],)

    def __copy__(self) -> Node:
        return self

    def __deepcopy__(self, memo: object) -> Node:
        return self

    def __repr__(self) -> str:
        from .text import to_text, written_size

        size = written_size(self)
        return to_text(self) if size < 1000 else f"<expression of {float(size):.3g} operations>"


Scalar = float | Node
"""A number or an expression: every parameter of a robot is one, and every recursion accepts it."""

_table: dict[object, weakref.ref[Node]] = {}
_lock = threading.Lock()
_sweep_at = 100_000


Origin = tuple[str, tuple["Node", ...]]


def interned(
    table_key: tuple[object, ...],
    op: str,
    args: tuple[Node, ...],
    value: Any = None,
    origin: Origin | None = None,
    exactly: tuple[int, Ratio | None] | None = None,
) -> Node:
    """Return the one node of this structure."""
    reference = _table.get(table_key)
    node = reference() if reference is not None else None
    if node is not None:
        return node
    node = Node.__new__(Node)
    node.op, node.args, node.value, node.origin, node._exactly = op, args, value, origin, exactly
    if len(args) == 2:
        mixed = args[0].key * 0xD6E8FEB86659FD93 + args[1].key * 0xCA5A826395121157
        node.key = (mixed ^ (mixed >> 31)) + _SALT[op] & _MASK
    elif args:
        node.key = (args[0].key * 0xFF51AFD7ED558CCD ^ args[0].key >> 29) + _SALT[op] & _MASK
    else:
        salt = _SALT_OF_CONSTANTS if op is CONST else b""
        digest = int.from_bytes(blake2b(str(value).encode(), digest_size=8, salt=salt).digest())
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
    """Forget dead nodes. Users come after their arguments, so one pass from the end frees whole graphs."""
    global _sweep_at
    keys = list(_table)
    while keys:
        table_key = keys.pop()
        if _table[table_key]() is None:
            del _table[table_key]
    _sweep_at = max(100_000, 2 * len(_table))


def symbol(name: str) -> Node:
    """Return the symbol of that name."""
    return interned((SYMBOL, name), SYMBOL, (), name)


def constant(value: float) -> Node:
    """Return a float as a constant, whatever it was rounded from."""
    if not math.isfinite(value):
        raise ExpressionError("a constant is too large for a float")
    value = value + 0.0  # no negative zero
    return interned((CONST, value), CONST, (), value)


def folded(value: float, op: str, *args: Node) -> Node:
    """Return the result of an operation on constants: a float and, if it is rounded, its origin.

    ``value`` is the result of the operation in floats; a rational result is rounded here, once.
    """
    rational = exact.rational(op, args)
    if rational is not None:
        try:
            value = rational[0] / rational[1]
        except OverflowError:
            value = math.inf
    if not math.isfinite(value):
        raise ExpressionError("a constant is too large for a float")
    residue = exact.residue(op, args)
    if residue == 0 and abs(value) <= 1e-6 * max(1.0 if op in (SIN, COS) else abs(a.value) for a in args):
        return ZERO  # exactly zero, whatever rounding left
    if residue == exact.home().literal(value):
        return constant(value)
    return interned((CONST, value, residue), CONST, (), value, (op, args), (residue, rational))


def as_node(x: Scalar) -> Node:
    """Return a number as a constant, a node as it is."""
    if isinstance(x, Node):
        return x
    value = float(x)
    if not math.isfinite(value):
        raise ExpressionError(f"{value} is not a finite number")
    return interned((CONST, value + 0.0), CONST, (), value + 0.0)


def is_zero(x: Scalar) -> bool:
    """Tell whether a scalar is the number zero; an expression that might evaluate to zero is not."""
    return x is ZERO if isinstance(x, Node) else x == 0


ZERO, ONE, TWO, MINUS_ONE = (as_node(x) for x in (0.0, 1.0, 2.0, -1.0))


def neg(a: Node) -> Node:
    if a.op is NEG:
        return a.args[0]
    if a.op is CONST:
        return folded(-a.value, NEG, a) if a.origin else constant(-a.value)
    return interned((NEG, a), NEG, (a,))


def add(a: Node, b: Node) -> Node:
    if a.op is CONST:
        a, b = b, a
    if b.op is CONST:
        if b is ZERO:
            return a
        if a.op is CONST:
            return folded(a.value + b.value, ADD, a, b)
        if a.op is NEG:
            return neg(add(a.args[0], neg(b)))
        if a.op is ADD and a.args[1].op is CONST:
            return add(a.args[0], add(a.args[1], b))
        if a.op is MUL and b is MINUS_ONE and a.args[0] is a.args[1] and a.args[0].op in (SIN, COS):
            from .functions import rebuild

            other = rebuild(SIN if a.args[0].op is COS else COS, a.args[0].args)
            return neg(mul(other, other))  # cos² - 1 = -sin²
        return interned((ADD, a, b), ADD, (a, b))
    x, y = a.args[0] if a.op is NEG else a, b.args[0] if b.op is NEG else b
    if x is y:
        return ZERO if a is not b else mul(TWO, a)
    rest = _rest(x, y, a is not x, b is not y)
    if rest is not None:
        return rest
    circle = _circle(x, y) if (a is x) is (b is y) else None
    if circle is not None:
        return circle if a is x else neg(circle)
    if y.key < x.key:
        x, y, a, b = y, x, b, a
    if a.op is NEG:
        return neg(add(x, neg(b)))
    return interned((ADD, a, b), ADD, (a, b))


def _rest(x: Node, y: Node, minus_x: bool, minus_y: bool) -> Node | None:
    """Return ±x ± y where one of them is a term of the other and cancels: (r + s) - r is s."""
    for total, term, minus in ((x, y, minus_x), (y, x, minus_y)):
        if total.op is ADD:
            for one, other in (total.args, total.args[::-1]):
                gone = one is term if minus_x is not minus_y else one.op is NEG and one.args[0] is term
                if gone:
                    return neg(other) if minus else other
    return None


def _circle(x: Node, y: Node) -> Node | None:
    """Return r² if it is the sum of two nodes, (r sin a)² + (r cos a)²."""
    if not (x.op is y.op is MUL and x.args[0] is x.args[1] and y.args[0] is y.args[1]):
        return None
    one, other = (part.args if part.op is MUL else (ONE, part) for part in (x.args[0], y.args[0]))
    for r, u in (one, one[::-1]):
        for s, v in (other, other[::-1]):
            if r is s and {u.op, v.op} == {SIN, COS} and u.args == v.args:
                return mul(r, r)
    return None


def mul(a: Node, b: Node) -> Node:
    if b.op is CONST:
        a, b = b, a
    if a.op is CONST:
        if a is ZERO or b is ZERO:
            return ZERO
        if a is ONE:
            return b
        if b.op is CONST:
            return folded(a.value * b.value, MUL, a, b)
        if a.value < 0:
            return neg(mul(neg(a), b))
        if b.op is NEG:
            return neg(mul(a, b.args[0]))
        if b.op is MUL and b.args[0].op is CONST:
            return mul(mul(a, b.args[0]), b.args[1])
        return interned((MUL, a, b), MUL, (a, b))
    if a.op is NEG:
        return neg(mul(a.args[0], b))
    if b.op is NEG:
        return neg(mul(a, b.args[0]))
    if b.key < a.key:
        a, b = b, a
    return interned((MUL, a, b), MUL, (a, b))


def div(a: Node, b: Node) -> Node:
    if b.op is CONST:
        if b.value == 0:
            raise ExpressionError(f"division of {a} by zero")
        if not math.isfinite(1.0 / b.value):
            raise ExpressionError(f"division of {a} by {b}, whose inverse is too large for a float")
        return mul(a, folded(1.0 / b.value, DIV, ONE, b))
    if a is ZERO:
        return ZERO
    if a is b:
        return ONE
    if a.op is NEG or (a.op is CONST and a.value < 0):
        return neg(div(neg(a), b))
    if b.op is NEG:
        return neg(div(a, b.args[0]))
    return interned((DIV, a, b), DIV, (a, b))


def power(a: Node, exponent: float) -> Node:
    """Return an integer power, by squaring, or a half-integer one."""
    if float(exponent) == 0.5:
        from .functions import rebuild

        return rebuild(SQRT, (a,))
    if not math.isfinite(exponent) or float(exponent) != int(exponent) or abs(exponent) > 64:
        raise ExpressionError(f"{a}**{exponent}: the exponent must be 0.5 or an integer up to 64")
    n = int(abs(exponent))
    result = ONE
    while n:
        if n & 1:
            result = mul(result, a)
        a, n = mul(a, a) if n > 1 else a, n >> 1
    return div(ONE, result) if exponent < 0 else result
