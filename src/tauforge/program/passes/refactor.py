"""A value written out as a polynomial in what other values need too, and factored again."""

from __future__ import annotations

from collections import Counter
from functools import partial
from random import Random

from ..network.change import Builder, Changes
from ..network.network import LEAF, PRODUCT, SUM, Definition, Fresh, Network
from ..network.turns import Term, as_turn, turned
from ..network.walk import walk
from .regroup import gathered, multiplied

TERMS = 24
FACTORS = 7
TURNED = 0.5
"""How often sines and cosines of sums are looked for."""


def refactor_value(net: Network, number: int, random: Random, fresh: Fresh, through: float = 0.0) -> Definition | None:
    """Return a value's polynomial, factored by what most of its terms share.

    What others need too is written out with the probability ``through``.
    """
    terms = _polynomial(net, number, random, through)
    if terms is None or len(terms) < 2:
        return None
    if random.random() < TURNED:
        whole = as_turn(net, number, terms, fresh)
        if whole:
            return whole
        terms = turned(net, terms, fresh)
        if any(number in factors for _, factors in terms):
            return None
    if len(terms) > 1:
        return _factored(net, number, terms, random, fresh)
    sign, factors = terms[0]
    if len(factors) < 2:
        return None
    return PRODUCT, multiplied(net, [*factors[1:]], sign, random, fresh), 2 * factors[0]


def _polynomial(net: Network, number: int, random: Random, through: float) -> list[Term] | None:
    """Return the terms of a value; None if there are too many."""
    found: dict[int, list[Term]] = {}

    def of(signed: int) -> list[Term]:
        own = found.get(signed >> 1) or [(0, (signed >> 1,))]
        return [(sign ^ 1, factors) for sign, factors in own] if signed & 1 else own

    inside = _inside(net, number, random, through)
    if len(inside) == 1:
        return None
    for i in inside:
        one, other = of(net.first[i]), of(net.second[i])
        products = [(s ^ t, tuple(sorted(x + y))) for s, x in one for t, y in other] if net.kind[i] == PRODUCT else []
        made = products or one + other
        if len(made) > TERMS or any(len(x) > FACTORS for _, x in made):
            if i == number:
                return None
            continue  # it stays a value of its own
        found[i] = made
    return _cancelled(found[number])


def _inside(net: Network, number: int, random: Random, through: float) -> list[int]:
    """Return the sums and products that only this value needs, and some others, and itself, arguments first."""
    order: list[int] = []
    seen: set[int] = set()
    outside: set[int] = set()
    stack = [number]

    def enters(i: int) -> bool:
        if i in seen or i in outside or net.kind[i] not in (SUM, PRODUCT):
            return False
        if net.uses[i] and not (through and len(order) + len(stack) < TERMS and random.random() < through):
            outside.add(i)
            return False
        return True

    while stack:
        i = stack[-1]
        waiting = [x >> 1 for x in (net.first[i], net.second[i]) if enters(x >> 1)]
        if i not in seen and waiting:
            stack += waiting
            continue
        stack.pop()
        if i not in seen:
            seen.add(i)
            order.append(i)
    return order


def _cancelled(terms: list[Term]) -> list[Term]:
    """Return terms without those that cancel."""
    left: Counter[tuple[int, ...]] = Counter()
    for sign, factors in terms:
        left[factors] += -1 if sign else 1
    return [(int(n < 0), factors) for factors, n in left.items() for _ in range(abs(n))]


def _factored(net: Network, number: int, terms: list[Term], random: Random, fresh: Fresh) -> Definition | None:
    """Return the sum of terms as a definition."""
    found = Counter(x for _, factors in terms for x in dict.fromkeys(factors))
    most = max(found.values(), default=0)
    if most < 2:
        items = [multiplied(net, [*factors], sign, random, fresh) for sign, factors in terms]
        if any(x >> 1 == number for x in items):
            return None
        random.shuffle(items)
        return gathered(net, number, items, random, fresh)
    least = max(2, most - (random.random() < 0.3))
    shared = random.choice([x for x, n in found.items() if n >= least])
    inside = [(sign, _without(factors, shared)) for sign, factors in terms if shared in factors]
    outside = [term for term in terms if shared not in term[1]]
    one = _sum(net, number, inside, random, fresh)
    if one is None or shared == number:
        return None
    if not outside:
        return PRODUCT, 2 * shared, one
    other = _sum(net, number, outside, random, fresh)
    made = net.make(PRODUCT, 2 * shared, one, fresh)
    if other is None or number in (made >> 1, other >> 1):
        return None
    return gathered(net, number, [made, other], random, fresh)


def _sum(net: Network, number: int, terms: list[Term], random: Random, fresh: Fresh) -> int | None:
    """Return the sum of terms as a signed value, one that exists if possible; None if it is the value itself."""
    if len(terms) == 1:
        made = multiplied(net, [*terms[0][1]], terms[0][0], random, fresh)
        return None if made >> 1 == number else made
    total = 0
    for sign, factors in terms:
        value = 1
        for i in factors:
            value = value * net.residue[i] % net.p
        total += -value if sign else value
    known = net.table.get(total % net.p)
    if known is not None and (net.uses[known >> 1] or net.kind[known >> 1] == LEAF or known >> 1 in fresh):
        return None if known >> 1 == number else known
    definition = _factored(net, number, terms, random, fresh)
    if definition is None:
        return None
    result = net.make(*definition, fresh)
    return None if result >> 1 == number else result


def _without(factors: tuple[int, ...], one: int) -> tuple[int, ...]:
    place = factors.index(one)
    return factors[:place] + factors[place + 1 :]


MOVES: dict[int, tuple[tuple[float, Builder], ...]] = {
    SUM: ((2, refactor_value), (1, partial(refactor_value, through=0.4))),
    PRODUCT: ((2, refactor_value), (1, partial(refactor_value, through=0.4))),
}


def refactor(changes: Changes, steps: int) -> int:
    """Write values out and factor them again, at random; return how much that saves."""
    return walk(changes, MOVES, steps)
