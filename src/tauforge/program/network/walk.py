"""A walk through equal networks: one change of one value after another, at random."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from itertools import accumulate

from .change import Builder, Changes
from .network import PRODUCT, SUM, Network

Moves = Mapping[int, Sequence[tuple[float, Builder]]]
"""For each kind of definition, the changes that are tried, each with its weight."""
ORDERED = 4
"""After how many steps for each value all are put in another order, which allows other changes."""
SLACK = 5
"""How much a change may cost: it may move operations from set-up to each evaluation, but not add any."""


def walk(changes: Changes, moves: Moves, steps: int, heat: float = 0.0, deadline: float = float("inf")) -> int:
    """Try changes of random values; return how much they save.

    Parameters
    ----------
    heat
        See ``Changes.attempt``.
    deadline
        The time of ``time.monotonic`` at which it ends, if not before.
    """
    net, random = changes.network, changes.random
    weights = {kind: [*accumulate(weight for weight, _ in each)] for kind, each in moves.items()}
    saved, until = 0, 0
    pool: list[int] = []
    for step in range(steps):
        if changes.crowded or step >= until:
            changes.crowded = False
            pool = [i for i in net.renumber(random) if net.kind[i] in moves]
            changes.fresh.clear()
            until = step + ORDERED * len(pool)
            if not pool or time.monotonic() > deadline:
                break
        if changes.fresh:
            pool += changes.fresh
            changes.fresh.clear()
        number = pool[int(random.random() * len(pool))]
        kind = net.kind[number]
        if net.uses[number] and kind in moves and not _is_plain(net, number):
            build = random.choices([x for _, x in moves[kind]], cum_weights=weights[kind])[0]
            saved += changes.attempt(number, build, SLACK, heat) or 0
    return saved


def _is_plain(net: Network, number: int) -> bool:
    """Tell whether a value is the sum or the product of two that are neither sums nor products: nothing can change."""
    return net.kind[net.first[number] >> 1] not in (SUM, PRODUCT) and net.kind[net.second[number] >> 1] not in (
        SUM,
        PRODUCT,
    )
