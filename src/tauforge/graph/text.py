"""Node -> text; the parser reads an expression in normal form back as the same node."""

import math
from collections.abc import Callable
from fractions import Fraction

from .evaluate import topological
from .node import Node, Scalar, as_node
from .operations import ADD, CONST, DIV, MUL, NEG, SYMBOL
from .sums import terms, whole_sums

_SUM, _PRODUCT, _ATOM = 1, 2, 3  # how tightly a text binds
Text = tuple[str, int]
"""A text, and how tightly it binds."""


def to_text(x: Scalar, pi: str = "pi") -> str:
    """Write a number or an expression, terms and factors in alphabetical order."""
    return texts(x, pi)[x][0] if isinstance(x, Node) else number(float(x), pi)


def texts(x: Node, pi: str = "pi") -> dict[Node, Text]:
    """Return the texts of an expression and of all its parts; of nested sums, only the outermost."""
    done: dict[Node, Text] = {}
    for node in whole_sums(x):
        done[node] = _write(node, done, pi)
    return done


def written_size(x: Node) -> int:
    """Return the number of operations in an expression's text, in which shared parts are repeated."""
    size: dict[Node, int] = {}
    for node in topological([x]):
        size[node] = min(10**9, 1 + sum(size[a] for a in node.args))
    return size[x]


def number(value: float, pi: str = "pi") -> str:
    """Return a float as text that reads back as the same float; simple fractions of pi by name."""
    fraction = Fraction(value / math.pi).limit_denominator(360)
    top, bottom = abs(fraction.numerator), fraction.denominator
    if 0 < top < 1000 and top * math.pi / bottom == abs(value) == float(as_node(math.pi) * top / bottom):
        return f"{'-' * (value < 0)}{'' if top == 1 else f'{top}*'}{pi}{'' if bottom == 1 else f'/{bottom}'}"
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _write(node: Node, done: dict[Node, Text], pi: str) -> Text:
    def wrapped(x: Node, at_least: int) -> str:
        text, binding = done[x]
        return text if binding >= at_least else f"({text})"

    op, args = node.op, node.args
    if op is SYMBOL:
        return str(node.value), _ATOM
    if op is CONST:
        text = number(float(node), pi)
        return text, _SUM if text.startswith("-") else _PRODUCT if "/" in text or "*" in text else _ATOM
    if op in (NEG, ADD):
        return _write_sum(node, wrapped, pi)
    if op is MUL:
        first, second = sorted(args, key=lambda x: (x.op is not MUL, x.op is not CONST, done[x][0]))
        if first is second:
            return f"{wrapped(first, _ATOM)}**2", _PRODUCT
        return f"{wrapped(first, _PRODUCT)}*{wrapped(second, _ATOM)}", _PRODUCT
    if op is DIV:
        return f"{wrapped(args[0], _PRODUCT)}/{wrapped(args[1], _ATOM)}", _PRODUCT
    return f"{op}({', '.join(done[a][0] for a in args)})", _ATOM


def _write_sum(node: Node, wrapped: Callable[[Node, int], str], pi: str) -> Text:
    """Write positive terms first, each kind in alphabetical order, the constant last."""
    parts, constant_part = terms(node)
    rest = float(constant_part)
    signed: list[tuple[bool, str]] = []
    for part, factor in parts.items():
        size = abs(float(factor))
        text = wrapped(part, _PRODUCT) if size == 1 else f"{number(size, pi)}*{wrapped(part, _ATOM)}"
        signed.append((float(factor) < 0, text))
    text = ""
    for negative, piece in [*sorted(signed), *([(rest < 0, number(abs(rest), pi))] if rest or not parts else [])]:
        text += ((" - " if negative else " + ") if text else "-" * negative) + piece
    alone = len(parts) == 1 and not rest
    return text, _PRODUCT if alone and not text.startswith("-") else _SUM
