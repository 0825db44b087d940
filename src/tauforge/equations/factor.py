"""Polynomials -> expressions with common factors taken out, the shortest of several ways to do so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from math import gcd
from operator import is_, itemgetter
from typing import Any

from ..graph.node import ONE, ZERO, Node, div, mul, neg
from ..targets.expression import Call, Expression, Number, Product, Quotient, Sum
from .polynomial import Powers, multiplied
from .waves import Products

Rank = Callable[[Node], tuple[Any, ...]]
"""Where a factor is written: its kind first, as people order them, then its place among its kind."""
MOTION = 3
"""The last kind of factor: velocities, accelerations and torques."""

WAVE = 2
"""The kind before it: sines and cosines."""

_SEVERAL = 30
"""With more terms than these, fewer ways are tried."""
_RATIO = 9
"""The largest whole number that is left in a sum from which a number is taken out."""


@dataclass(frozen=True, slots=True)
class Constant(Number):
    """A number with its exact value."""

    node: Node


class Factoring:
    """Writes polynomials as expressions. ``spelled`` gives the expression of a factor, ``rank`` its place."""

    def __init__(self, spelled: Callable[[Node], Expression], rank: Rank) -> None:
        self._spelled, self._rank = spelled, rank
        self._motion: set[Expression] = set()
        self._sizes: dict[int, tuple[Expression, int]] = {}
        self._known: dict[frozenset[tuple[Powers, Node]], Expression] = {}

    def expression(self, form: Products) -> Expression:
        """Return a polynomial as an expression."""
        key = frozenset(form.items())
        if key not in self._known:
            self._known[key] = self._made(form)
        return self._known[key]

    def _made(self, form: Products) -> Expression:
        if not form:
            return Constant(0.0, ZERO)
        scale, common, rest = taken_out(form)
        if common and 2 * sum(float(x) < 0 for x in rest.values()) > len(rest):
            scale, rest = neg(scale), {powers: neg(x) for powers, x in rest.items()}
        if len(rest) == 1:
            ((powers, x),) = rest.items()
            return self._product(mul(scale, x), multiplied(common, powers))
        return self._product(scale, common, self._sum(rest))

    def _product(self, scale: Node, powers: Powers, *sums: Expression) -> Expression:
        """Return a constant times factors times sums, in the order in which people write them."""
        placed = [(self._rank(node), [self._spelled(node)] * n) for node, n in powers]
        self._motion.update(parts[0] for rank, parts in placed if rank[0] == MOTION)
        for x in sums:
            negative, parts = _above_and_below(x)
            scale = neg(scale) if negative else scale
            if isinstance(parts[0], Constant):
                scale = mul(scale, parts[0].node)
                parts = parts[1:]
            placed += [((MOTION if self._moves(part) else WAVE, -1), [part]) for part in parts]
        placed.sort(key=itemgetter(0))  # a sum comes before the single factors of its kind
        factors = [x for _, several in placed for x in several]
        below = [_split(x.bottom) for x in factors if isinstance(x, Quotient)]
        bottoms = [x for _, parts in below for x in parts]
        above = [x for x in factors if not isinstance(x, Quotient)]
        scale = neg(scale) if sum(negative for negative, _ in below) % 2 else scale
        size = scale if float(scale) >= 0 else neg(scale)
        if size is not ONE or not above:
            above.insert(0, Constant(float(size), size))
        made = _joined(above)
        if bottoms:
            made = Quotient(made, _joined(bottoms))
        if size is scale:
            return made
        return Sum(tuple((not below, x) for below, x in made.terms)) if isinstance(made, Sum) else Sum(((True, made),))

    def _moves(self, x: Expression) -> bool:
        """Tell whether an expression has velocities and the like in it."""
        match x:
            case Sum(terms):
                return any(self._moves(term) for _, term in terms)
            case Product(factors):
                return any(map(self._moves, factors))
        return x in self._motion

    def _sum(self, form: Products) -> Expression:
        """Return a sum of several terms without a common factor, in the shortest way found."""
        kinds = sorted({self._rank(node)[0] for powers in form for node, _ in powers}, reverse=True)
        flat = total(self._product(x, powers) for powers, x in self._ordered(form))
        ways = [self._by(form, self._of_kind(kind)) for kind in kinds]
        if kinds and kinds[0] == MOTION and ways[0] is not None:
            return ways[0]  # by velocities first, as people do
        if len(form) <= _SEVERAL:
            ways += [self._by(form, partial(is_, one)) for one in _frequent(form)]
        return min([flat, *(way for way in ways if way is not None)], key=self._leaves)

    def _leaves(self, x: Expression) -> int:
        """Return the same as ``leaves``; parts that several expressions share are counted once."""
        if id(x) not in self._sizes:
            self._sizes[id(x)] = x, sum(map(self._leaves, _parts(x))) or 1
        return self._sizes[id(x)][1]

    def _of_kind(self, kind: int) -> Callable[[Node], bool]:
        return lambda node: bool(self._rank(node)[0] == kind)

    def _by(self, form: Products, chosen: Callable[[Node], bool]) -> Expression | None:
        """Return a sum by the products of chosen factors, those with the same cofactor together."""
        parts: dict[Powers, Products] = {}
        for powers, x in form.items():
            outer = tuple(pair for pair in powers if chosen(pair[0]))
            parts.setdefault(outer, {})[tuple(pair for pair in powers if not chosen(pair[0]))] = x
        cofactors: dict[frozenset[tuple[Powers, Node]], tuple[Products, Products]] = {}
        for outer, inner in parts.items():
            scale, monic = self._monic(inner)
            cofactors.setdefault(frozenset(monic.items()), ({}, monic))[0][outer] = scale
        if len(cofactors) == len(form) or len(parts) == 1 or (len(cofactors) == 1 and len(parts) == len(form)):
            return None  # nothing would be together
        terms = [self._pair(outer, inner) for outer, inner in cofactors.values()]
        return total(x for _, x in sorted(terms, key=itemgetter(0)))

    def _pair(self, outer: Products, inner: Products) -> tuple[tuple[Any, ...], Expression]:
        """Return the product of a sum of chosen factors and their cofactor, with its place in the whole sum."""
        place = min(self._place(powers) for powers in outer)
        if len(outer) == 1:
            ((powers, x),) = outer.items()
            return place, self.expression({multiplied(powers, p): mul(x, y) for p, y in inner.items()})
        return place, self._product(ONE, (), self.expression(outer), self.expression(inner))

    def _monic(self, form: Products) -> tuple[Node, Products]:
        """Return a polynomial with its first term's constant taken out."""
        _, scale = self._ordered(form)[0]
        return scale, {powers: div(x, scale) for powers, x in form.items()}

    def _ordered(self, form: Products) -> list[tuple[Powers, Node]]:
        return sorted(form.items(), key=lambda pair: self._place(pair[0]))

    def _place(self, powers: Powers) -> tuple[Any, ...]:
        """Return where a term is written in a sum: accelerations, velocities, then what has few sines and cosines."""
        ranks = sorted((self._rank(node) for node, n in powers for _ in range(n)), reverse=True)
        moving = ranks[:1] if ranks and ranks[0][0] == MOTION else [(MOTION + 1,)]
        return moving, ranks[0][0] if ranks else -1, sum(r[0] == WAVE for r in ranks), ranks


def taken_out(form: Products) -> tuple[Node, Powers, Products]:
    """Return the constant and the factors that all terms share, and what is left."""
    shared = dict(next(iter(form)))
    for powers in form:
        own = dict(powers)
        shared = {node: min(n, own[node]) for node, n in shared.items() if node in own}
    scale = _number(list(form.values()))
    rest = {
        tuple((node, n - shared.get(node, 0)) for node, n in powers if n > shared.get(node, 0)): div(x, scale)
        for powers, x in form.items()
    }
    return scale, tuple(sorted(shared.items(), key=lambda pair: pair[0].key)), rest


def _number(constants: Sequence[Node]) -> Node:
    """Return the constant to take out of a sum: one that leaves small whole numbers, and no sum of minus signs."""
    sign = neg(ONE) if all(float(x) < 0 for x in constants) else ONE
    sizes = [x if float(x) > 0 else neg(x) for x in constants]
    smallest = min(sizes, key=float)
    if all(x is smallest for x in sizes):
        return mul(sign, smallest)
    ratios = [Fraction(*x.rational) / Fraction(*smallest.rational) for x in sizes if x.rational and smallest.rational]
    if len(ratios) < len(sizes):
        return sign
    common = Fraction(1, reduce(lambda a, b: a * b // gcd(a, b), (r.denominator for r in ratios)))
    whole = [r / common for r in ratios]
    unit = Fraction(*smallest.rational) * common  # type: ignore[misc]
    if max(whole) > _RATIO or sum(w != 1 for w in whole) >= sum(x is not ONE for x in sizes):
        return sign
    made = div(smallest, ONE / (ONE * float(common))) if common != 1 else smallest
    return mul(sign, made) if made.rational == unit.as_integer_ratio() else sign


def _frequent(form: Products) -> list[Node]:
    """Return the factors that most terms have."""
    times: dict[Node, int] = {}
    for powers in form:
        for node, _ in powers:
            times[node] = times.get(node, 0) + 1
    return sorted((node for node, n in times.items() if n > 1), key=lambda node: -times[node])[:3]


def _split(x: Expression) -> tuple[bool, tuple[Expression, ...]]:
    """Return whether a factor is the negative of a product, and the product's factors."""
    negative = isinstance(x, Sum) and all(below for below, _ in x.terms)
    if isinstance(x, Sum) and negative:
        x = Sum(tuple((False, term) for _, term in x.terms)) if len(x.terms) > 1 else x.terms[0][1]
    return negative, x.factors if isinstance(x, Product) else (x,)


def _above_and_below(x: Expression) -> tuple[bool, tuple[Expression, ...]]:
    """Return the same of a quotient too: the factors above its bar, then one over what is below."""
    negative, parts = _split(x)
    if not isinstance(parts[0], Quotient):
        return negative, parts
    less, above = _split(parts[0].top)
    return negative is not less, (*above, Quotient(Number(1.0), parts[0].bottom))


def _joined(factors: Sequence[Expression]) -> Expression:
    return factors[0] if len(factors) == 1 else Product(tuple(factors))


def total(terms: Iterable[Expression]) -> Expression:
    """Return a sum of expressions in their order, but not with a minus first if another term has none."""
    flat = [pair for x in terms for pair in (x.terms if isinstance(x, Sum) else ((False, x),))]
    first = next((i for i, (negative, _) in enumerate(flat) if not negative), 0)
    flat.insert(0, flat.pop(first))
    return Sum(tuple(flat)) if len(flat) > 1 or flat[0][0] else flat[0][1]


def leaves(x: Expression) -> int:
    """Return how many names and numbers an expression shows."""
    return sum(map(leaves, _parts(x))) or 1


def _parts(x: Expression) -> tuple[Expression, ...]:
    match x:
        case Sum(terms):
            return tuple(term for _, term in terms)
        case Product(parts) | Call(_, parts):
            return parts
        case Quotient(top, bottom):
            return top, bottom
    return ()
