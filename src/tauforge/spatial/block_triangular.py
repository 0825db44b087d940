"""The order in which linear equations can be solved part by part: Dulmage and Mendelsohn (1958).

Only where coefficients are zero matters. Each part has its own unknowns and may contain those of parts before it.
Parts have as many equations as unknowns; those with more equations come first, and share no unknown with one another.
The whole has one solution exactly if each part has one: dividing the work loses no regular state.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

Name = TypeVar("Name", bound=Hashable)
Graph = Mapping[int, Sequence[int]]


class Part(NamedTuple):
    """Numbers of some equations, and numbers of the unknowns that they determine."""

    equations: list[int]
    unknowns: list[int]


def parts(rows: Sequence[Iterable[Name]], names: Sequence[Name]) -> list[Part] | None:
    """Return the parts in their order; None if no values of the coefficients can make the solution unique.

    ``rows`` has the unknowns of each equation.
    """
    number = {name: k for k, name in enumerate(names)}
    filled = [[number[name] for name in row] for row in rows]
    row_of = matching(filled, len(names))
    if row_of is None:
        return None
    taken = set(row_of)
    over_rows, over = _reached([i for i in range(len(filled)) if i not in taken], filled, row_of)
    found = _connected([(i, filled[i]) for i in over_rows if filled[i]])
    square = [k for k in range(len(names)) if k not in over]
    needs = {k: [other for other in filled[row_of[k]] if other != k and other not in over] for k in square}
    return found + [Part(sorted(row_of[k] for k in own), sorted(own)) for own in strongly_connected(needs)]


def matching(rows: Sequence[Sequence[int]], count: int) -> list[int] | None:
    """Return an equation for each unknown, all different, in which it occurs; None if there are none."""
    row_of, column_of = [-1] * count, [-1] * len(rows)
    columns: list[list[int]] = [[] for _ in range(count)]
    for i, row in enumerate(rows):
        for k in row:
            columns[k].append(i)
    for start in range(count):
        came: dict[int, int] = {}  # for each equation, the unknown from which it was reached
        ahead, end = [start], -1
        while ahead and end < 0:
            k = ahead.pop()
            for i in columns[k]:
                if i not in came:
                    came[i] = k
                    if column_of[i] < 0:
                        end = i
                        break
                    ahead.append(column_of[i])
        if end < 0:
            return None
        while end >= 0:
            k = came[end]
            row_of[k], column_of[end], end = end, k, row_of[k]
    return row_of


def strongly_connected(needs: Graph) -> list[list[int]]:
    """Return the strongly connected parts of a graph, each after those that it needs (Tarjan 1972)."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack, on_stack, found = list[int](), set[int](), list[list[int]]()
    for root in needs:
        if root in number:
            continue
        work = [(root, iter(needs[root]))]
        number[root] = low[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        while work:
            k, rest = work[-1]
            for other in rest:
                if other not in number:
                    number[other] = low[other] = len(number)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(needs[other])))
                    break
                if other in on_stack:
                    low[k] = min(low[k], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[k])
                if low[k] == number[k]:
                    own = [stack.pop()]
                    while own[-1] != k:
                        own.append(stack.pop())
                    found.append(own)
                    on_stack.difference_update(own)
    return found


def _reached(start: Sequence[int], rows: Sequence[Sequence[int]], row_of: Sequence[int]) -> tuple[list[int], set[int]]:
    """Return the equations and unknowns on alternating paths from equations that are left over."""
    seen, found, ahead = set(start), set[int](), list(start)
    while ahead:
        for k in rows[ahead.pop()]:
            found.add(k)
            if row_of[k] not in seen:
                seen.add(row_of[k])
                ahead.append(row_of[k])
    return sorted(seen), found


def _connected(rows: Sequence[tuple[int, Sequence[int]]]) -> list[Part]:
    """Return numbered equations in groups that share no unknown."""
    where: dict[int, list[int]] = {}  # the places of the equations in which each unknown occurs
    for place, (_, row) in enumerate(rows):
        for k in row:
            where.setdefault(k, []).append(place)
    found, seen = list[Part](), set[int]()
    for first in range(len(rows)):
        if first in seen:
            continue
        seen.add(first)
        own, ahead, unknowns = [first], [first], set[int]()
        while ahead:
            for k in rows[ahead.pop()][1]:
                if k not in unknowns:
                    unknowns.add(k)
                    new = [place for place in where[k] if place not in seen]
                    seen.update(new)
                    own += new
                    ahead += new
        found.append(Part(sorted(rows[place][0] for place in own), sorted(unknowns)))
    return found
