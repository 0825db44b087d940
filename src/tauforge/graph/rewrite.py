"""The one walk that rebuilds a graph."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from .evaluate import topological
from .functions import rebuild
from .node import Node, symbol

Rule = Callable[[Node, Mapping[Node, Node]], Node]
"""Returns the replacement of a node, given the node and the replacements of its arguments."""


def built_anew(node: Node, new: Mapping[Node, Node]) -> Node:
    """Return a node with new arguments, simplified again; the node itself if they are unchanged."""
    args = tuple([new[a] for a in node.args])
    return node if args == node.args else rebuild(node.op, args)


def rewrite(order: Iterable[Node], rule: Rule) -> dict[Node, Node]:
    """Return the replacement of each node; arguments come before their users."""
    new: dict[Node, Node] = {}
    for node in order:
        new[node] = rule(node, new)
    return new


def replaced(outputs: Sequence[Node], by: Mapping[Node, Node]) -> dict[Node, Node]:
    """Return the replacement of each node that the outputs need, given the replacements of some."""
    order = topological(outputs, lambda node: () if node in by else node.args)
    return rewrite(order, lambda node, new: by[node] if node in by else built_anew(node, new))


def substitute(outputs: Sequence[Node], values: Mapping[str, Node]) -> list[Node]:
    """Return the outputs with symbols replaced, simplified again."""
    new = replaced(outputs, {symbol(name): value for name, value in values.items()})
    return [new[node] for node in outputs]
