"""Node -> text that the parser reads back to the same node, and the normal form that makes this so."""

import math
from collections.abc import Callable
from fractions import Fraction

from .evaluate import topological
from .node import ADD, CONST, DIV, MUL, NEG, ONE, SYMBOL, ZERO, Node, Scalar, as_node, constant, rebuild

_SUM, _PRODUCT, _ATOM = 1, 2, 3  # how tightly a text binds
_Text = tuple[str, int]


def to_text(x: Scalar, pi: str = "pi") -> str:
    """Write a number or an expression, terms and factors in alphabetical order."""
    if not isinstance(x, Node):
        return number(float(x), pi)
    done: dict[Node, _Text] = {}
    for node in _whole_sums(x):
        done[node] = _write(node, done, pi)
    return done[x][0]


def literal(x: Scalar) -> Scalar:
    """Return a scalar as reading its text gives it: constants are their floats, sums are gathered and in order."""
    if not isinstance(x, Node) or x.op is CONST:
        return float(x)
    made = _normal(x, lambda node: constant(float(node)))
    return float(made) if made.op is CONST else made


def gathered(x: Node) -> Node:
    """Return an expression with like terms of its sums together, its constants as exact as they are."""
    return _normal(x, lambda node: node)


def _normal(x: Node, of_constant: Callable[[Node], Node]) -> Node:
    new: dict[Node, Node] = {}
    texts: dict[Node, _Text] = {}
    for node in _whole_sums(x):
        if node.op in (ADD, NEG):
            parts, rest = terms(node)
            total: Scalar = 0.0
            for part in sorted(parts, key=lambda part: texts[part]):
                total = total + new[part] * of_constant(parts[part])
            made = as_node(total + of_constant(rest))
        else:
            made = rebuild(node.op, tuple(new[a] for a in node.args), node.value, node.origin)
        new[node] = of_constant(made) if made.op is CONST else made
        texts[node] = _write(node, texts, "pi")
    return new[x]


def terms(node: Node) -> tuple[dict[Node, Node], Node]:
    """Return what a sum adds up, nested sums too: how often each term stands there, and the constant."""
    times: dict[Node, Node] = {node: ONE}
    for part in reversed(topological([node], lambda x: x.args if x.op in (ADD, NEG) else ())):
        if part.op in (ADD, NEG):
            factor = times.pop(part)
            factor = -factor if part.op is NEG else factor
            for a in part.args:
                times[a] = times[a] + factor if a in times else factor
    rest = ZERO
    found: dict[Node, Node] = {}
    for part, factor in times.items():
        if part.op is CONST:
            rest = rest + factor * part
            continue
        if part.op is MUL and part.args[0].op is CONST:
            factor, part = factor * part.args[0], part.args[1]
        found[part] = found[part] + factor if part in found else factor
    return {part: factor for part, factor in found.items() if factor is not ZERO}, rest


def _whole_sums(x: Node) -> list[Node]:
    """Return the nodes of an expression, arguments first; of nested sums only the outermost."""
    return topological([x], lambda node: terms(node)[0] if node.op in (ADD, NEG) else node.args)


def written_size(x: Node) -> int:
    """Return the number of operations in an expression's text, where what is shared stands again and again."""
    size: dict[Node, int] = {}
    for node in topological([x]):
        size[node] = min(10**9, 1 + sum(size[a] for a in node.args))
    return size[x]


def number(value: float, pi: str = "pi") -> str:
    """Write a float so that reading gives it back; simple fractions of pi by name."""
    fraction = Fraction(value / math.pi).limit_denominator(360)
    top, bottom = abs(fraction.numerator), fraction.denominator
    if 0 < top < 1000 and top * math.pi / bottom == abs(value) == float(as_node(math.pi) * top / bottom):
        return f"{'-' * (value < 0)}{'' if top == 1 else f'{top}*'}{pi}{'' if bottom == 1 else f'/{bottom}'}"
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _write(node: Node, done: dict[Node, _Text], pi: str) -> _Text:
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


def _write_sum(node: Node, wrapped: Callable[[Node, int], str], pi: str) -> _Text:
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
