"""The one walk that builds a graph anew."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from .evaluate import topological
from .functions import rebuild
from .node import Node, symbol

Rule = Callable[[Node, Mapping[Node, Node]], Node]
"""Makes what takes a node's place, given the node and what takes its arguments' places."""


def built_anew(node: Node, new: Mapping[Node, Node]) -> Node:
    """Return a node on new arguments, simplified again; the node itself where they are the old ones."""
    args = tuple([new[a] for a in node.args])
    return node if args == node.args else rebuild(node.op, args)


def rewrite(order: Iterable[Node], rule: Rule) -> dict[Node, Node]:
    """Return what takes the place of each of some nodes, which stand behind their arguments."""
    new: dict[Node, Node] = {}
    for node in order:
        new[node] = rule(node, new)
    return new


def replaced(outputs: Sequence[Node], by: Mapping[Node, Node]) -> dict[Node, Node]:
    """Return what takes the place of each node that the outputs need where some are replaced by others."""
    order = topological(outputs, lambda node: () if node in by else node.args)
    return rewrite(order, lambda node, new: by[node] if node in by else built_anew(node, new))


def substitute(outputs: Sequence[Node], values: Mapping[str, Node]) -> list[Node]:
    """Return the outputs with symbols replaced, simplified again."""
    new = replaced(outputs, {symbol(name): value for name, value in values.items()})
    return [new[node] for node in outputs]
