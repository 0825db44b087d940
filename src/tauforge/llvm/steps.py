"""The steps of a Program's code in order: operations, calls of the kernel and loops.

The kernel computes sines, cosines and their inverses, as many as possible with one call, before the operations that
need them: a call in between would require saving every register.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from typing import NamedTuple

from ..graph.evaluate import topological
from ..graph.node import Node
from ..graph.operations import CONST, COS, NEG
from .loops import Loop
from .trigonometry import SERVICE, SERVICES


class Call(NamedTuple):
    """A call of the kernel: arguments of the groups start at slot ``given``, results at ``made``."""

    service: str
    groups: Sequence[tuple[Node, ...]]
    given: int
    made: int


Step = Node | Call | Loop


def operands(node: Node) -> tuple[Node, ...]:
    """Return the arguments of a node without their signs: negation is not a separate step."""
    args = node.args
    for a in args:
        if a.op is NEG:
            return tuple(map(bare, args))
    return args


def bare(node: Node) -> Node:
    """Return a node without its sign."""
    return node.args[0] if node.op is NEG else node


def made_by(step: Step) -> Sequence[Node]:
    """Return the nodes that a step computes; those of a call have their slots already."""
    if isinstance(step, Loop):
        return [node for row in step.rows for node in row.members]
    return [step] if isinstance(step, Node) else []


def needed_by(step: Step) -> Iterable[Node]:
    """Return the nodes that a step fetches."""
    if isinstance(step, Node):
        return operands(step)
    if isinstance(step, Call):
        return (bare(a) for group in step.groups for a in group)
    return (a for row in step.rows for x in row.operands if not isinstance(x, int) for a in x)


def steps_of(order: Sequence[Node], slots: dict[Node, int], entries: count[int]) -> list[Step]:
    """Return the steps in order: first what the kernel's functions need, call by call, then the rest."""
    level: dict[Node, int] = {}
    waves: dict[int, dict[str, dict[tuple[Node, ...], list[Node]]]] = {}
    for node in order:
        depth = 0
        for a in operands(node):
            depth = max(depth, level.get(a, 0))
        if node.op in SERVICE:
            depth += 1
            wave = waves.setdefault(depth, {}).setdefault(SERVICE[node.op], {})
            wave.setdefault(node.args, []).append(node)
        if depth:
            level[node] = depth
    steps: list[Step] = []
    done = set(slots)

    def compute(nodes: Iterable[Node]) -> None:
        for node in topological(nodes, lambda x: () if x in done else operands(x)):
            if node not in done and node.op not in (CONST, NEG):
                done.add(node)
                steps.append(node)

    for _, calls in sorted(waves.items()):
        for name, groups in calls.items():
            compute(a for group in groups for a in group)
            taken, filled = SERVICES[name]
            first = next(entries)
            places = [first, *(next(entries) for _ in range((taken + filled) * len(groups) - 1))]
            call = Call(name, list(groups), first, places[taken * len(groups)])
            for i, nodes in enumerate(groups.values()):
                for node in nodes:
                    slots[node] = call.made + filled * i + (node.op is COS)
            done.update(node for nodes in groups.values() for node in nodes)
            steps.append(call)
    return [*steps, *(node for node in order if node not in done)]
