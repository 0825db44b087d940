"""Loops found in long straight-line code, such as that of a chain of many similar links.

Nodes that do the same for different links are a *family*. They are recognised by what surrounds them in the graph: the
operations that they are made from and those that use them, up to some distance, ignoring numbers. A loop runs over
several families at once, with one member of each per turn. Each sweep of a recursion is a loop.

The result is right even if a guess is wrong: in each turn, an operand is either the member of another family in the
same turn, or is fetched from wherever this turn's operand is. If no order of loops and other nodes computes every
operand before it is needed, there are no loops.

In the graph's canonical form, signs depend on the keys of names, which differ from link to link. So a family computes
its members up to sign: each node is its family's value or the negative of it. Links are similar if their numbers have
the same signs and the same zeros.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graph.node import Node, neg
from ..graph.operations import ADD, CONST, DIV, MUL, NEG, OPERATIONS, SIGN, SYMBOL

DISTANCE = 8
"""The distance up to which the surroundings of nodes are compared."""
TURNS = 8
"""The smallest number of turns for which a loop is made."""
_NUMBER = {op: i for i, op in enumerate(OPERATIONS)}
_MIX = np.uint64(0x9E3779B97F4A7C15)
_OTHER = np.uint64(0xC2B2AE3D27D4EB4F)


class Row(NamedTuple):
    """One operation of a loop: an operand is the number of an earlier row, or the nodes that it is in each turn.

    ``minus`` subtracts the second operand, or negates a single one. ``family`` has the members of all turns, and others
    before and after them, which are computed outside the loop.
    """

    op: str
    minus: bool
    operands: tuple[int | tuple[Node, ...], ...]
    members: tuple[Node, ...]
    family: tuple[Node, ...]


class Loop(NamedTuple):
    """Rows that are computed one after another, over and over."""

    turns: int
    rows: tuple[Row, ...]


class Rolled(NamedTuple):
    """Steps in order, single nodes and loops; and the nodes for which loops compute the negative."""

    steps: list[Node | Loop]
    negative: frozenset[Node]


class _Family:
    """Members in the order of computation, and the sources of operands: a family, and a shift among its members."""

    def __init__(self, members: list[Node], minus: bool) -> None:
        self.members, self.minus = members, minus
        self.sources: list[tuple[_Family, int] | None] = []
        self.first, self.last = 0, len(members) - 1  # of those whose operands come from there
        self.level = self.offset = 0


def roll(nodes: Sequence[Node], places: Mapping[Node, int]) -> Rolled | None:
    """Return nodes, arguments first, as loops and single ones; None if there is no loop.

    ``places`` distinguishes the kinds of known values: nodes that can replace each other have the same number.
    """
    graph = _Graph([node for node in nodes if node.op is not NEG], places)
    families = graph.families()
    if not families or not _levelled(families, graph):
        return None
    loops = [loop for level in {f.level: 0 for f in families} if (loop := _loop(families, level, graph))]
    steps = _ordered(graph, loops) if loops else None
    if steps is None:
        return None
    return Rolled(steps, frozenset(node for node, sign in graph.sign.items() if sign < 0))


class _Graph:
    """The nodes with what is needed to compare them; ``operands`` are in an order that depends on surroundings."""

    def __init__(self, nodes: Sequence[Node], places: Mapping[Node, int]) -> None:
        self.nodes = nodes
        self.number = {node: i for i, node in enumerate(nodes)}
        self.home: dict[Node, tuple[_Family, int]] = {}
        leaves: dict[Node, int] = {}
        ends: list[int] = []  # numbers of each node's first and last argument, those of leaves after those of nodes
        signs: list[int] = []
        for node in nodes:
            for a in (node.args[0], node.args[-1]):
                signs.append(-1 if a.op is NEG else 1)
                a = a.args[0] if a.op is NEG else a
                k = self.number.get(a)
                ends.append(leaves.setdefault(a, len(nodes) + len(leaves)) if k is None else k)
        pairs = np.array(ends, np.int64).reshape(-1, 2)
        ordered = np.array([node.op not in (ADD, MUL) for node in nodes], np.uint64)
        own = [_NUMBER[node.op] for node in nodes]
        own += [len(OPERATIONS) + (0 if leaf.op is CONST else 1 + places[leaf]) for leaf in leaves]
        seen = _surroundings(np.array(own, np.uint64), pairs, ordered)
        self.depth = [0] * len(seen)
        self.index = [0] * len(nodes) + [_index(leaf) for leaf in leaves]
        self.operands, self.minus, known = self._compared([*nodes, *leaves], ends, signs, seen.tolist())
        self.sign = dict(zip(nodes, known, strict=False))
        signed = np.zeros(len(seen), np.uint64)
        signed[: len(nodes)] = self.minus
        self.kind: list[int] = _surroundings(seen * np.uint64(2) + signed, pairs, ordered).tolist()

    def _compared(
        self, every: list[Node], ends: list[int], signs: list[int], around: list[int]
    ) -> tuple[list[tuple[Node, ...]], list[bool], list[int]]:
        """Return the nodes' operands, in an order that depends on their surroundings, and the resulting signs.

        Also return, for each node, whether its operands are subtracted.
        """
        depth, index = self.depth, self.index
        known = [1] * len(every)
        operands: list[tuple[Node, ...]] = []
        subtracted: list[bool] = []
        for i, node in enumerate(self.nodes):
            op, a, b = node.op, ends[2 * i], ends[2 * i + 1]
            first, last = signs[2 * i] * known[a], signs[2 * i + 1] * known[b]
            if (op is ADD or op is MUL) and self._precedes(b, a, every, around):
                a, b, first, last = b, a, last, first
            pair: tuple[Node, ...] = (every[a], every[b]) if len(node.args) == 2 else (every[a],)
            minus = False
            if op is ADD:
                known[i], minus = first, first != last
                if minus and pair[1].op is CONST:  # which has the sign of the number
                    pair, minus = (pair[0], neg(pair[1])), False
            elif op is MUL or op is DIV:
                known[i] = first * last
            elif op is SIGN:
                known[i] = first
            else:
                minus = first < 0
            subtracted.append(minus)
            operands.append(pair)
            depth[i] = max(depth[a], depth[b]) + 1
            index[i] = max(index[a], index[b])
        return operands, subtracted, known

    def _precedes(self, a: int, b: int, every: list[Node], around: list[int]) -> bool:
        """Tell whether an operand comes before the other; numbers come last."""
        if every[a].op is CONST or every[b].op is CONST:
            return every[a].op is not CONST
        return (around[a], self.depth[a], self.index[a]) < (around[b], self.depth[b], self.index[b])

    def families(self) -> list[_Family]:
        """Return the families that are large enough, with the sources of their operands."""
        groups: dict[tuple[int, str, bool], list[int]] = {}
        for i, kind in enumerate(self.kind[: len(self.nodes)]):
            groups.setdefault((kind, self.nodes[i].op, self.minus[i]), []).append(i)
        found = []
        for (_, _, minus), numbers in groups.items():
            if len(numbers) >= TURNS:
                numbers.sort(key=lambda i: (self.depth[i], self.index[i]))
                family = _Family([self.nodes[i] for i in numbers], minus)
                found.append(family)
                for k, i in enumerate(numbers):
                    self.home[self.nodes[i]] = family, k
        for family in found:
            self._find_sources(family)
        return [family for family in found if family.last - family.first + 1 >= TURNS]

    def _find_sources(self, family: _Family) -> None:
        rows = [self.operands[self.number[node]] for node in family.members]
        for operand in zip(*rows, strict=True):
            homes = [self.home.get(a) for a in operand]
            shifts = Counter((id(home[0]), home[1] - k) for k, home in enumerate(homes) if home)
            source = None
            if shifts:
                ((name, shift), often) = shifts.most_common(1)[0]
                fits = [k for k, home in enumerate(homes) if home and (id(home[0]), home[1] - k) == (name, shift)]
                if often == fits[-1] - fits[0] + 1 and 2 * often > len(rows):
                    source = homes[fits[0]][0], shift  # type: ignore[index]
                    family.first, family.last = max(family.first, fits[0]), min(family.last, fits[-1])
            family.sources.append(source)


def _surroundings(own: NDArray[Any], pairs: NDArray[Any], ordered: NDArray[Any]) -> NDArray[Any]:
    """Return a number for each node and leaf that depends on what surrounds it, up to a distance.

    ``own`` distinguishes nodes that differ by themselves, ``pairs`` has each node's first and last argument,
    ``ordered`` those whose order matters.
    """
    base, count = _mixed(own + np.uint64(7)), len(pairs)
    first, second = pairs.T
    seen: NDArray[Any] = base
    for _ in range(DISTANCE):
        made: NDArray[Any] = _mixed(seen[first]) + _mixed(seen[second]) * (np.uint64(1) + ordered * _OTHER)
        user = _mixed(seen[:count] ^ _OTHER)
        used = np.zeros(len(seen), np.uint64)
        np.add.at(used, first, user)
        np.add.at(used, second, user * (np.uint64(1) + ordered))
        new = base.copy()
        new[:count] = _mixed(base[:count] + _mixed(made) + used[:count] * _MIX)
        seen = new
    return seen


def _index(leaf: Node) -> int:
    """Return the index of an input in its array, or that of the input of a sine or cosine."""
    while leaf.args:
        leaf = leaf.args[-1] if leaf.args[0].op is CONST else leaf.args[0]
    text = str(leaf.value) if leaf.op is SYMBOL else ""
    return int(text[text.index("[") + 1 : -1]) if text.endswith("]") and text[text.index("[") + 1 : -1].isdigit() else 0


def _mixed(x: NDArray[Any]) -> NDArray[Any]:
    """Return numbers that depend on each of the bits."""
    for shift, factor in ((29, _MIX), (32, _OTHER), (29, _MIX)):
        x = (x ^ (x >> np.uint64(shift))) * factor
    return x


def _levelled(families: list[_Family], graph: _Graph) -> bool:
    """Give each family its loop, and the turn of its first member there; tell whether that is possible."""
    usual = {id(family) for family in families}
    for family in families:
        family.sources = [s if s and id(s[0]) in usual else None for s in family.sources]
    needs = []
    for family in families:
        others = {
            id(home[0]): home[0]
            for node in family.members[family.first : family.last + 1]
            for a, source in zip(graph.operands[graph.number[node]], family.sources, strict=True)
            if source is None and (home := graph.home.get(a)) and id(home[0]) in usual
        }
        needs.append([*others.values()])
    for _ in range(len(families) + 1):
        changed = False
        for family, later in zip(families, needs, strict=True):
            level = max([family.level, *(s[0].level for s in family.sources if s), *(o.level + 1 for o in later)])
            changed |= level != family.level
            family.level = level
        if not changed:
            break
        if max(family.level for family in families) > 8:
            return False
    for _ in range(len(families) + 1):
        changed = False
        for family in families:
            inside = [s[0].offset + s[1] for s in family.sources if s and s[0].level == family.level]
            offset = max([family.offset, *inside])
            changed |= offset != family.offset
            family.offset = offset
        if not changed:
            return True
    return False


def _loop(families: list[_Family], level: int, graph: _Graph) -> Loop | None:
    """Return the loop of a level; None if it would be too short."""
    own = [family for family in families if family.level == level]
    size = max(family.last - family.first for family in own)
    own = [family for family in own if family.last - family.first >= 0.7 * size]
    start = max(family.first + family.offset for family in own)
    end = min(family.last + family.offset for family in own)
    turns = end - start + 1
    if turns < TURNS:
        return None
    middle = (start + end) // 2
    own.sort(key=lambda f: graph.depth[graph.number[f.members[middle - f.offset]]])
    place = {id(family): i for i, family in enumerate(own)}
    rows = []
    for family in own:
        members = tuple(family.members[start - family.offset : end - family.offset + 1])
        operands: list[int | tuple[Node, ...]] = []
        for p, source in enumerate(family.sources):
            if source and id(source[0]) in place and source[0].offset + source[1] == family.offset:
                operands.append(place[id(source[0])])
            else:
                operands.append(tuple(graph.operands[graph.number[node]][p] for node in members))
        op = members[0].op
        rows.append(Row(op, family.minus, tuple(operands), members, tuple(family.members)))
    return Loop(turns, tuple(rows))


def _ordered(graph: _Graph, loops: list[Loop]) -> list[Node | Loop] | None:
    """Return single nodes and loops in an order in which operands come first; None if there is none."""
    count = len(graph.nodes)
    unit = list(range(count))
    for k, loop in enumerate(loops):
        for row in loop.rows:
            for node in row.members:
                unit[graph.number[node]] = count + k
    users: dict[int, set[int]] = {}
    waiting: Counter[int] = Counter()
    for i in range(count):
        for a in graph.operands[i]:
            j = graph.number.get(a)
            if j is not None and unit[j] != unit[i] and unit[i] not in users.setdefault(unit[j], set()):
                users[unit[j]].add(unit[i])
                waiting[unit[i]] += 1
    if not all(map(_runs, loops)):
        return None
    ready = [u for u in {*unit} if not waiting[u]]
    heapq.heapify(ready)
    steps: list[Node | Loop] = []
    while ready:
        u = heapq.heappop(ready)
        steps.append(graph.nodes[u] if u < count else loops[u - count])
        for user in users.get(u, ()):
            waiting[user] -= 1
            if not waiting[user]:
                heapq.heappush(ready, user)
    return steps if len(steps) == len({*unit}) else None


def _runs(loop: Loop) -> bool:
    """Tell whether everything that a loop fetches from its own members was computed in an earlier turn."""
    turn = {node: t for row in loop.rows for t, node in enumerate(row.members)}
    for i, row in enumerate(loop.rows):
        for operand in row.operands:
            if isinstance(operand, int):
                if operand >= i:
                    return False
            elif any(turn.get(a, -1) >= t for t, a in enumerate(operand)):
                return False
    return True
