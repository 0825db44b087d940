"""Graphs as flat lists of plain data, which can be pickled however deep the graph is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .evaluate import topological
from .functions import rebuild
from .node import Node

Row = tuple[str, tuple[int, ...], Any]
"""A node's operation, the places of its arguments, and its value; a folded constant is the operation it comes from."""


def flattened(nodes: Iterable[Node]) -> tuple[tuple[Row, ...], dict[Node, int]]:
    """Return the rows of all that some nodes need, arguments first, and each one's place."""
    order = topological(nodes, lambda node: node.made[1])
    place = {node: i for i, node in enumerate(order)}
    return tuple((node.made[0], tuple(place[a] for a in node.made[1]), node.value) for node in order), place


def restored(rows: Iterable[Row]) -> list[Node]:
    """Return the nodes of all rows again."""
    nodes: list[Node] = []
    for op, args, value in rows:
        nodes.append(rebuild(op, tuple(nodes[i] for i in args), value))
    return nodes


def last(rows: Iterable[Row]) -> Node:
    """Return the node that needs all others."""
    return restored(rows)[-1]
