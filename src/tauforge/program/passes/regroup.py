"""Sums and products grouped in another way, so that parts of them are values that exist already.

``(a + b) + c`` becomes ``a + (b + c)`` where something else needs ``b + c``; ``a b + a c`` becomes ``a (b + c)``; and
``a (b + c) + d c`` becomes ``a b + (a + d) c``.
"""

from __future__ import annotations

from functools import partial
from random import Random
from typing import NamedTuple

from ..network.change import Builder, Changes
from ..network.network import PRODUCT, SUM, Definition, Fresh, Network
from ..network.walk import walk

TERMS = 14
"""How many terms or factors are looked at together."""
FACTORS = 6


Apart = dict[int, tuple[list[int], int]]
"""The factors and the sign of each signed product."""


class Shared(NamedTuple):
    """Two terms, by their places in a list, with the factors that they share and the others with their signs."""

    one: int
    other: int
    factors: list[int]
    rest: tuple[list[int], int]
    other_rest: tuple[list[int], int]


def parts(net: Network, number: int, kind: int, random: Random, through: float) -> list[int]:
    """Return the terms of a sum or the factors of a product, signed.

    Partial sums that only this one needs are taken apart, and others with the probability ``through``.
    """
    found: list[int] = []
    stack = [net.first[number], net.second[number]]
    while stack:
        signed = stack.pop()
        i = signed >> 1
        if (
            net.kind[i] == kind
            and len(found) + len(stack) < TERMS
            and (not net.uses[i] or (through and random.random() < through))
        ):
            sign = signed & 1
            stack.append(net.first[i] ^ sign)
            stack.append(net.second[i] ^ sign if kind == SUM else net.second[i])
        else:
            found.append(signed)
    return found


def regroup_sum(
    net: Network, number: int, random: Random, fresh: Fresh, through: float = 0.0, expand: float = 0.0
) -> Definition | None:
    """Return a sum grouped in another way. Some of its products are multiplied out first."""
    terms = parts(net, number, SUM, random, through)
    if expand:
        terms = _expanded(net, terms, random, fresh, expand)
    random.shuffle(terms)
    return gathered(net, number, terms, random, fresh)


def gathered(net: Network, number: int, terms: list[int], random: Random, fresh: Fresh) -> Definition | None:
    """Return the sum of terms, as a definition, with known partial sums and common factors used first."""
    apart: Apart = {}
    while len(terms) > 2:
        if _with_known_pair(net, number, terms, SUM, random, fresh):
            continue
        shared = _shared(net, terms, apart)
        if shared:
            chosen = random.choice(shared)
            factor, rest = _taken_out(net, chosen, random, fresh)
            made = net.make(PRODUCT, factor, rest, fresh)
            if number in (factor >> 1, rest >> 1, made >> 1):
                return None
            terms[chosen.one] = made
            del terms[chosen.other]
        else:
            one, other = sorted(random.sample(range(len(terms)), 2))
            terms[one] = net.make(SUM, terms[one], terms[other], fresh)
            if terms[one] >> 1 == number:
                return None
            del terms[other]
    if len(terms) < 2:
        return None
    shared = _shared(net, terms, apart)
    return (PRODUCT, *_taken_out(net, shared[0], random, fresh)) if shared else (SUM, terms[0], terms[1])


def _with_known_pair(net: Network, number: int, items: list[int], kind: int, random: Random, fresh: Fresh) -> bool:
    """Replace two terms or factors by their sum or product if that exists already; tell whether one did."""
    values, table, p, limit = [net.value(x) for x in items], net.table, net.p, net.place[number]
    found = []
    for i, x in enumerate(values):
        for j in range(i):
            known = table.get((x + values[j] if kind == SUM else x * values[j]) % p)
            if known is not None:
                k = known >> 1
                if k != number and (not net.kind[k] or (net.uses[k] and (net.place[k] < limit or k in fresh))):
                    found.append((i, j, known))
    if not found:
        return False
    i, j, known = random.choice(found)
    items[i] = known
    del items[j]
    if not net.residue[known >> 1]:
        items.remove(known)  # they cancel
    return True


def _expanded(net: Network, terms: list[int], random: Random, fresh: Fresh, chance: float) -> list[int]:
    """Return terms with some products of sums multiplied out."""
    found: list[int] = []
    for signed in terms:
        i = signed >> 1
        if net.kind[i] == PRODUCT and len(found) < TERMS and random.random() < chance:
            x, y = net.first[i], net.second[i]
            if net.kind[y >> 1] != SUM or (net.kind[x >> 1] == SUM and random.random() < 0.5):
                x, y = y, x
            if net.kind[y >> 1] == SUM:
                sign = (y ^ signed) & 1
                found.append(net.make(PRODUCT, x, net.first[y >> 1] ^ sign, fresh))
                found.append(net.make(PRODUCT, x, net.second[y >> 1] ^ sign, fresh))
                continue
        found.append(signed)
    return found


def _factors(net: Network, signed: int) -> tuple[list[int], int]:
    """Return the factors of a product, and its sign."""
    found: list[int] = []
    stack, sign = [signed], 0
    while stack:
        signed = stack.pop()
        i = signed >> 1
        sign ^= signed & 1
        size = len(found) + len(stack)
        if net.kind[i] == PRODUCT and (size < 3 or (size < FACTORS and not net.uses[i])):
            stack.append(net.first[i])
            stack.append(net.second[i])
        else:
            found.append(i)
    return found, sign


def _shared(net: Network, terms: list[int], apart: Apart) -> list[Shared]:
    """Return all pairs of products that have common factors; ``apart`` remembers the factors of each."""
    kind = net.kind
    places = [k for k, x in enumerate(terms) if kind[x >> 1] == PRODUCT]
    if len(places) < 2:
        return []
    for k in places:
        if terms[k] not in apart:
            apart[terms[k]] = _factors(net, terms[k])
    products = [(k, *apart[terms[k]]) for k in places]
    found = []
    for n, (i, factors, sign) in enumerate(products):
        own = {*factors}
        for j, others, other_sign in products[:n]:
            if own.isdisjoint(others):
                continue
            common, rest, left = [], [], list(others)
            for x in factors:
                if x in left:
                    left.remove(x)
                    common.append(x)
                else:
                    rest.append(x)
            if rest or left:
                found.append(Shared(i, j, common, (rest, sign), (left, other_sign)))
    return found


def _taken_out(net: Network, shared: Shared, random: Random, fresh: Fresh) -> tuple[int, int]:
    """Return the common factor of two terms, and the sum that it is multiplied by."""
    one, other = (multiplied(net, *rest, random, fresh) for rest in (shared.rest, shared.other_rest))
    return multiplied(net, shared.factors, 0, random, fresh), net.make(SUM, one, other, fresh)


def multiplied(net: Network, factors: list[int], sign: int, random: Random, fresh: Fresh) -> int:
    """Return a signed product of values, made of products that exist where possible."""
    items = [2 * i for i in factors]
    while len(items) > 1:
        found = []
        for i, x in enumerate(items):
            for j in range(i):
                known = net.table.get(net.value(x) * net.value(items[j]) % net.p)
                if known is not None and net.uses[known >> 1]:
                    found.append((i, j, known))
        if found:
            i, j, made = random.choice(found)
        else:
            j, i = sorted(random.sample(range(len(items)), 2))
            made = net.make(PRODUCT, items[i], items[j], fresh)
        items[i] = made
        del items[j]
    return (items[0] if items else net.one) ^ sign


def regroup_product(net: Network, number: int, random: Random, fresh: Fresh, through: float = 0.0) -> Definition | None:
    """Return a product with its factors grouped in another way."""
    factors = parts(net, number, PRODUCT, random, through)
    random.shuffle(factors)
    while len(factors) > 2:
        if not _with_known_pair(net, number, factors, PRODUCT, random, fresh):
            one, other = sorted(random.sample(range(len(factors)), 2))
            factors[one] = net.make(PRODUCT, factors[one], factors[other], fresh)
            if factors[one] >> 1 == number:
                return None
            del factors[other]
    return (PRODUCT, factors[0], factors[1]) if len(factors) == 2 else None


def multiply_out(net: Network, number: int, random: Random, fresh: Fresh) -> Definition | None:
    """Return a product with a sum as a sum of products."""
    x, y = net.first[number], net.second[number]
    if net.kind[y >> 1] != SUM:
        x, y = y, x
    if net.kind[y >> 1] != SUM:
        return None
    i, sign = y >> 1, y & 1
    one, other = (net.make(PRODUCT, x, each ^ sign, fresh) for each in (net.first[i], net.second[i]))
    return SUM, one, other


MOVES: dict[int, tuple[tuple[float, Builder], ...]] = {
    SUM: (
        (4, regroup_sum),
        (2, partial(regroup_sum, through=0.3)),
        (3, partial(regroup_sum, through=0.1, expand=0.4)),
    ),
    PRODUCT: ((4, regroup_product), (2, partial(regroup_product, through=0.4)), (2, multiply_out)),
}
"""The ways to group sums and products, and how often each is tried."""


def regroup(changes: Changes, steps: int) -> int:
    """Group sums and products in other ways at random; return how much that saves."""
    return walk(changes, MOVES, steps)
