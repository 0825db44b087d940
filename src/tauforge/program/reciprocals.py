"""Quotients with the same divisor by one division: sums of them, and others, since a product takes a quarter of a
division's time.
"""

from __future__ import annotations

from collections import Counter

from ..graph.functions import rebuild
from ..graph.node import Node
from ..graph.operations import ADD, DIV, NEG
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


def with_sums_divided(program: Program) -> Program:
    """Return an equal Program in which sums of quotients with the same divisor are divided once."""
    if sum(node.op is DIV for node in program.order) < 2:
        return program
    uses = Counter(a for node in program.order for a in {*node.args})
    uses.update({node for array in program.results.values() for node in array.nodes})
    new: dict[Node, Node] = {}
    for node in program.order:
        args = tuple(new[a] for a in node.args)
        if node.op is ADD and all(uses[a] == 1 and uses[_plain(a)] == 1 for a in node.args):
            new[node] = _added(*args)
        else:
            new[node] = rebuild(node.op, args) if args != node.args else node
    return program.with_nodes(new)


def _added(a: Node, b: Node) -> Node:
    """Return a sum; that of two quotients with the same divisor as one quotient."""
    x, y = _plain(a), _plain(b)
    if not x.op is y.op is DIV or x.args[1] is not y.args[1]:
        return a + b
    above, below = x.args[0], x.args[1]
    return _added(above if x is a else -above, y.args[0] if y is b else -y.args[0]) / below


def _plain(node: Node) -> Node:
    """Return a node without its sign."""
    return node.args[0] if node.op is NEG else node
