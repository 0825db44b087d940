"""Sums and products grouped so that what is ready first is combined first: the same operations on a shorter path."""

from __future__ import annotations

from random import Random

from ..network.change import Changes
from ..network.cost import CYCLES
from ..network.network import CALL, LEAF, PRODUCT, QUOTIENT, SUM, Definition, Fresh, Network
from ..network.walk import SLACK
from .regroup import parts

_OPERATIONS = {SUM: "add", PRODUCT: "mul", QUOTIENT: "div"}


def balance(changes: Changes, steps: int = 0) -> int:
    """Shorten the longest paths of a network; return how much that saves, which is nothing as a rule."""
    net = changes.network
    saved = 0
    ready: dict[int, float] = {}
    for number in net.renumber():
        if net.kind[number] in (SUM, PRODUCT) and net.uses[number]:

            def build(net: Network, number: int, random: Random, fresh: Fresh) -> Definition | None:
                return _balanced(net, number, ready, fresh)

            saved += changes.attempt(number, build, SLACK) or 0
        _arrive(net, number, ready)
    return saved


def _arrive(net: Network, number: int, ready: dict[int, float]) -> float:
    """Note when a value is ready, in cycles, and return that."""
    if number not in ready:
        kind = net.kind[number]
        args = [x >> 1 for x in (net.first[number], net.second[number]) if x >= 0]
        own = (
            0.0
            if kind == LEAF or net.fixed[number]
            else CYCLES.get(str(net.head[number]) if kind == CALL else _OPERATIONS[kind], 0.0)
        )
        ready[number] = own + max((_arrive(net, i, ready) for i in args), default=0.0)
    return ready[number]


def _balanced(net: Network, number: int, ready: dict[int, float], fresh: Fresh) -> Definition | None:
    """Return a sum or a product, with its parts combined in the order in which they are ready."""
    kind = net.kind[number]
    items = parts(net, number, kind, Random(0), 0.0)
    if len(items) < 3:
        return None
    times = {x: _arrive(net, x >> 1, ready) for x in items}
    while len(items) > 2:
        items.sort(key=times.__getitem__, reverse=True)
        one, other = items.pop(), items.pop()
        made = net.make(kind, one, other, fresh)
        if made >> 1 == number:
            return None
        times[made] = max(times[one], times[other]) + CYCLES[_OPERATIONS[kind]]
        items.append(made)
    return kind, items[0], items[1]
