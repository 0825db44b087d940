"""Whole sums: the terms of nested additions."""

from .evaluate import topological
from .node import ONE, ZERO, Node
from .operations import ADD, CONST, MUL, NEG


def terms(node: Node) -> tuple[dict[Node, Node], Node]:
    """Return the terms of a sum and of the sums nested in it: how often each occurs, and the constant."""
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


def whole_sums(x: Node) -> list[Node]:
    """Return the nodes of an expression, arguments first; of nested sums, only the outermost."""
    return topological([x], lambda node: terms(node)[0] if node.op in (ADD, NEG) else node.args)
