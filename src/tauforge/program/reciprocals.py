"""Quotients with the same divisor by one division: a product takes a quarter of a division's time."""

from __future__ import annotations

from collections import Counter

from ..graph.functions import rebuild
from ..graph.node import Node
from ..graph.operations import DIV
from .program import Program


def with_reciprocals(program: Program) -> Program:
    """Return an equal Program in which divisors of several quotients are inverted once."""
    uses = Counter(node.args[1] for node in program.order if node.op is DIV)
    if all(count < 2 for count in uses.values()):
        return program
    new: dict[Node, Node] = {}
    for node in program.order:
        args = tuple(new[a] for a in node.args)
        if node.op is DIV and uses[node.args[1]] > 1:
            new[node] = args[0] * (1.0 / args[1])
        else:
            new[node] = rebuild(node.op, args) if args != node.args else node
    return program.with_nodes(new)
