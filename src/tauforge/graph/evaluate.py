"""Walks over graphs: topological order, evaluation in floats."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from ..errors import ExpressionError
from .node import Node
from .operations import ABS, ADD, ATAN2, CONST, DIV, LIBRARY, MUL, NEG, SIGN, SQRT, SYMBOL


def topological(outputs: Iterable[Node], needs: Callable[[Node], Iterable[Node]] = attrgetter("args")) -> list[Node]:
    """Return every node that the outputs need, each once, arguments before their users."""
    order: list[Node] = []
    seen: set[Node] = set()
    for output in outputs:
        stack = [output]
        while stack:
            node = stack[-1]
            if node in seen:
                stack.pop()
                continue
            waiting = [a for a in needs(node) if a not in seen]
            if waiting:
                stack.extend(reversed(waiting))
            else:
                seen.add(node)
                order.append(stack.pop())
    return order


def symbols(outputs: Iterable[Node]) -> list[str]:
    """Return the names of the symbols that the outputs need, in order of appearance."""
    return [str(node.value) for node in topological(outputs) if node.op is SYMBOL]


_NUMERIC: dict[str, Callable[..., Any]] = {
    ADD: lambda a, b: a + b,
    NEG: lambda a: -a,
    MUL: lambda a, b: a * b,
    DIV: lambda a, b: a / b,
    SQRT: math.sqrt,
    **{name: getattr(math, name) for name in LIBRARY},
    ATAN2: lambda y, x: math.atan2(y + 0.0, x + 0.0),  # as in real numbers, there is no negative zero
    ABS: abs,
    SIGN: lambda a: float(a > 0) - float(a < 0),
}


def evaluate(outputs: Sequence[Node], values: Mapping[str, float]) -> list[float]:
    """Return the outputs' values in floats."""
    known: dict[Node, float] = {}
    for node in topological(outputs):
        if node.op is CONST:
            known[node] = float(node)
        elif node.op is SYMBOL:
            try:
                known[node] = float(values[str(node.value)])
            except KeyError:
                raise ExpressionError(f"the symbol {node.value} has no value") from None
        else:
            known[node] = _NUMERIC[node.op](*(known[a] for a in node.args))
    return [known[node] for node in outputs]
