"""Definitions by two values that exist already: n = a + b, n = a - b, n = a b.

Every pair of values is looked up by residue, so identities are found that no rule knows of.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping

from ..network.change import Builder, Changes
from ..network.network import PRODUCT, QUOTIENT, SUM, Definition, Network
from ..network.walk import SLACK

_TRIED = 20


def resubstitute(changes: Changes, steps: int = 0, deadline: float = math.inf) -> int:
    """Define values by two others where that frees more than one operation; return how much it saves.

    Parameters
    ----------
    steps
        For about so many values, a definition that costs no more is taken too, at random. It can make other changes
        possible.
    deadline
        The time of ``time.monotonic`` at which it ends, if not before.
    """
    net, random = changes.network, changes.random
    order = net.renumber(random if steps else None)
    inverses = {i: pow(net.residue[i], -1, net.p) for i in order if net.residue[i]}
    share = steps / max(1, len(order))
    saved = 0
    for number in reversed(order):
        if time.monotonic() > deadline:
            break
        if net.kind[number] in (SUM, PRODUCT, QUOTIENT) and net.uses[number]:
            free = share > 0 and random.random() < share
            if free or _saving(net, number):
                saved += _resubstituted(changes, number, inverses, free)
    return saved


def _independent(net: Network, number: int, order: Iterable[int]) -> dict[int, None]:
    """Return the values, in order, that do not depend on a value."""
    users = {number}
    found: dict[int, None] = {}
    for i in order:
        if i in users or net.first[i] >> 1 in users or net.second[i] >> 1 in users:
            users.add(i)
        else:
            found[i] = None
    return found


def _saving(net: Network, number: int) -> int:
    """Return the cost of what only this value needs."""
    freed: list[int] = []
    saving = net.drop(number, freed)
    net.take(number, ())
    return saving


def _resubstituted(changes: Changes, number: int, inverses: Mapping[int, int], free: bool) -> int:
    """Try all definitions of a value by two others; return what the first good one saves."""
    net = changes.network
    others = _independent(net, number, sorted(inverses, key=net.place.__getitem__))
    found = _pairs(net, number, others, inverses)
    if free:
        changes.random.shuffle(found)
    for definition in found[:_TRIED]:
        saved = changes.attempt(number, _already(definition), SLACK if free else -1, limit=math.inf)
        if saved is not None:
            net.renumber()
            return saved
    return 0


def _already(definition: Definition) -> Builder:
    return lambda *_: definition


def _pairs(net: Network, number: int, others: Mapping[int, None], inverses: Mapping[int, int]) -> list[Definition]:
    """Return all definitions of a value by two others."""
    p, table, residue, uses = net.p, net.table, net.residue, net.uses
    own = residue[number]
    found: list[Definition] = []

    def note(kind: int, one: int, other: int) -> None:
        if one >> 1 <= other >> 1 and uses[other >> 1] and other >> 1 in others:
            found.append((kind, one, other))

    for i in others:
        if not uses[i]:
            continue
        x = residue[i]
        key = own - x if own >= x else own - x + p
        if key in table:
            note(SUM, 2 * i, table[key])
        key = own + x if own + x < p else own + x - p
        if key in table:
            note(SUM, 2 * i + 1, table[key])
        key = own * inverses[i] % p
        if key in table:
            note(PRODUCT, 2 * i, table[key])
    return found
