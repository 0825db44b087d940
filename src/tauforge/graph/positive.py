"""The sign of an expression as far as its structure shows it: sums of squares and the like."""

from collections.abc import Iterable

from .node import Node
from .operations import ABS, ADD, CONST, DIV, MUL, SQRT

NONNEGATIVE, POSITIVE = 1, 2


def bounds(order: Iterable[Node]) -> dict[Node, int]:
    """Return POSITIVE, NONNEGATIVE or 0 (unknown) for each node; arguments come first."""
    found: dict[Node, int] = {}
    for node in order:
        args = [found[a] for a in node.args]
        if node.op is CONST:
            found[node] = POSITIVE if node.origin is None and node.value > 0 else 0
        elif node.op is ADD:
            found[node] = max(args) if min(args) else 0
        elif node.op is MUL and node.args[0] is node.args[1]:
            found[node] = max(args[0], NONNEGATIVE)
        elif node.op is MUL or node.op is DIV:
            found[node] = min(args)
        elif node.op is SQRT or node.op is ABS:
            found[node] = max(args[0], NONNEGATIVE)
        else:
            found[node] = 0
    return found
