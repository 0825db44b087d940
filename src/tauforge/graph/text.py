"""Node -> text that the parser reads back to the same node, and the normal form that makes this so."""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

from .evaluate import topological
from .node import ADD, CONST, DIV, MUL, NEG, SYMBOL, Node, Scalar, as_node, constant, rebuild

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
    new: dict[Node, Node] = {}
    texts: dict[Node, _Text] = {}
    for node in _whole_sums(x):
        if node.op in (ADD, NEG):
            parts, rest = terms(node)
            total: Scalar = 0.0
            for part in sorted(parts, key=lambda part: texts[part]):
                factor = parts[part]
                total = total + new[part] * factor if factor > 0 else total - new[part] * -factor
            made = as_node(total + rest)
        else:
            made = rebuild(node.op, tuple(new[a] for a in node.args), node.value)
        new[node] = constant(float(made)) if made.op is CONST else made
        texts[node] = _write(node, texts, "pi")
    return float(new[x]) if new[x].op is CONST else new[x]


def terms(node: Node) -> tuple[dict[Node, float], float]:
    """Return what a sum adds up, nested sums too: how often each term stands there, and the constant."""
    times: dict[Node, float] = {node: 1.0}
    for part in reversed(topological([node], lambda x: x.args if x.op in (ADD, NEG) else ())):
        if part.op in (ADD, NEG):
            factor = times.pop(part) * (-1.0 if part.op is NEG else 1.0)
            for a in part.args:
                times[a] = times.get(a, 0.0) + factor
    rest = 0.0
    found: dict[Node, float] = {}
    for part, factor in times.items():
        if part.op is CONST:
            rest += factor * float(part)
            continue
        if part.op is MUL and part.args[0].op is CONST:
            factor, part = factor * float(part.args[0]), part.args[1]
        found[part] = found.get(part, 0.0) + factor
    return {part: factor for part, factor in found.items() if factor}, rest


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
    if 0 < top < 1000 and top * math.pi / bottom == abs(value):
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
    parts, rest = terms(node)
    signed: Iterable[tuple[bool, str]] = sorted(
        (
            factor < 0,
            wrapped(part, _PRODUCT) if abs(factor) == 1 else f"{number(abs(factor), pi)}*{wrapped(part, _ATOM)}",
        )
        for part, factor in parts.items()
    )
    text = ""
    for negative, part in [*signed, *([(rest < 0, number(abs(rest), pi))] if rest or not parts else [])]:
        text += ((" - " if negative else " + ") if text else "-" * negative) + part
    alone = len(parts) == 1 and not rest
    return text, _PRODUCT if alone and not text.startswith("-") else _SUM
