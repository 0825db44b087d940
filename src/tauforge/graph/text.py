"""Node -> text that the parser reads back to the same node."""

import math
from fractions import Fraction

from .evaluate import topological
from .node import ADD, CONST, DIV, MUL, NEG, SYMBOL, Node, Scalar, as_node, constant, neg, rebuild

_SUM, _PRODUCT, _ATOM = 1, 2, 3  # how tightly a text binds
_Text = tuple[str, int]


def to_text(x: Scalar, pi: str = "pi") -> str:
    """Write a number or an expression, terms and factors in alphabetical order."""
    if not isinstance(x, Node):
        return number(float(x), pi)
    done: dict[Node, _Text] = {}
    for node in topological([x]):
        done[node] = _write(node, done, pi)
    return done[x][0]


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


def terms(node: Node) -> list[tuple[Node, bool]]:
    """Return the terms of a sum, nested ones too, each with whether it is subtracted."""
    found: list[tuple[Node, bool]] = []
    stack = [(node, False)]
    while stack:
        term, negative = stack.pop()
        if term.op is ADD:
            stack += [(a, negative) for a in reversed(term.args)]
        elif term.op is NEG:
            stack.append((term.args[0], not negative))
        elif term.op is CONST:
            found.append((neg(term) if negative else term, False))
        else:
            found.append((term, negative))
    return found


def literal(x: Scalar) -> Scalar:
    """Return a scalar as reading its text gives it: constants are their floats, sums stand in alphabetical order."""
    if not isinstance(x, Node) or x.op is CONST:
        return float(x)
    new: dict[Node, Node] = {}
    for node in topological([x]):
        if node.op is SYMBOL:
            new[node] = node
        elif node.op is CONST:
            new[node] = constant(float(node))
        elif node.op is ADD:
            new[node] = _sorted_sum(new[node.args[0]] + new[node.args[1]])
        else:
            made = rebuild(node.op, tuple(new[a] for a in node.args))
            new[node] = constant(float(made)) if made.op is CONST else made
    return float(new[x]) if new[x].op is CONST else new[x]


def _sorted_sum(node: Node) -> Node:
    parts = terms(node)
    if len(parts) == 1:
        return node
    result: Scalar = 0.0
    for term, negative in sorted(parts, key=lambda term: (term[0].op is CONST, term[1], to_text(term[0]))):
        result = result - term if negative else result + term
    made = as_node(result)
    return constant(float(made)) if made.op is CONST else made


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
    if op is NEG and args[0].op is not ADD:
        return "-" + wrapped(args[0], _PRODUCT), _SUM
    if op is NEG or op is ADD:
        ordered = sorted(
            terms(node), key=lambda term: (term[0].op is CONST, term[1], term[0].op is CONST or done[term[0]][0])
        )
        text = ""
        for term, negative in ordered:
            if term.op is CONST:
                negative, part = float(term) < 0, number(abs(float(term)), pi)
            else:
                part = wrapped(term, _PRODUCT)
            text += ((" - " if negative else " + ") if text else "-" * negative) + part
        return text, _SUM
    if op is MUL:
        first, second = sorted(args, key=lambda x: (x.op is not MUL, x.op is not CONST, done[x][0]))
        if first is second:
            return f"{wrapped(first, _ATOM)}**2", _PRODUCT
        return f"{wrapped(first, _PRODUCT)}*{wrapped(second, _ATOM)}", _PRODUCT
    if op is DIV:
        return f"{wrapped(args[0], _PRODUCT)}/{wrapped(args[1], _ATOM)}", _PRODUCT
    return f"{op}({', '.join(done[a][0] for a in args)})", _ATOM
