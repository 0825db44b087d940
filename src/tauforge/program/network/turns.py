"""Sines and cosines of sums: cos a cos b - sin a sin b is cos(a + b), and sin a cos b + cos a sin b is sin(a + b)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...graph.operations import COS, SIN
from .network import CALL, OPPOSITE, SUM, Definition, Fresh, Network

Term = tuple[int, tuple[int, ...]]
"""The sign of a product and its factors, in order."""


def turned(net: Network, terms: list[Term], fresh: Fresh) -> list[Term]:
    """Return the terms of a sum, with pairs of them replaced by sines and cosines of sums."""
    terms = list(terms)
    found = True
    while found:
        found = False
        for i, j in _pairs(net, terms):
            made = _turn(net, terms[i], terms[j], fresh)
            if made:
                terms[i] = made
                del terms[j]
                found = True
                break
    return terms


def _pairs(net: Network, terms: list[Term]) -> Iterator[tuple[int, int]]:
    """Yield the places of terms with two sines or cosines each, as pairs."""
    with_two = [k for k, (_, factors) in enumerate(terms) if sum(_is_turn(net, i) for i in factors) >= 2]
    return ((i, j) for n, j in enumerate(with_two) for i in with_two[:n])


def _is_turn(net: Network, number: int) -> bool:
    return net.kind[number] == CALL and net.head[number] in (SIN, COS)


class Turn(NamedTuple):
    """A sine or cosine of the sum of two signed angles, its sign, its residue, and the factors that it multiplies.

    ``products`` are the two products whose sum it is, each with its sign.
    """

    head: str
    angles: tuple[int, int]
    sign: int
    residue: int
    factors: list[int]
    products: tuple[tuple[int, int, int], tuple[int, int, int]]


def as_turn(net: Network, number: int, terms: list[Term], fresh: Fresh) -> Definition | None:
    """Return the definition of a value by a sine or cosine of a sum, if its terms are those of one."""
    found = _recognised(net, *terms) if len(terms) == 2 else None
    if found is None or found.factors:
        return None
    net.head[number] = OPPOSITE + found.head if found.sign else found.head
    return CALL, net.make(SUM, *found.angles, fresh), -1


def _turn(net: Network, one: Term, other: Term, fresh: Fresh) -> Term | None:
    """Return the sum of two terms as one with the sine or cosine of a sum, or of a difference; None if it is not."""
    found = _recognised(net, one, other)
    if found is None:
        return None
    known = net.table.get(found.residue)
    if known is None:
        angle = net.make(SUM, *found.angles, fresh)
        number = net.new(found.residue, (CALL, angle, -1), False, found.head)
        net.samples.turn(number, *found.products)
        fresh[number] = None
        known = 2 * number
    return found.sign ^ (known & 1), tuple(sorted((*found.factors, known >> 1)))


def _recognised(net: Network, one: Term, other: Term) -> Turn | None:
    """Return two terms as a factor times the sine or cosine of a sum; None if they are not."""
    common, rest, left = [], [], list(other[1])
    for i in one[1]:
        if i in left:
            left.remove(i)
            common.append(i)
        else:
            rest.append(i)
    if len(rest) != 2 or len(left) != 2 or not all(_is_turn(net, i) for i in (*rest, *left)):
        return None
    a, b = rest
    for c, d in (left, left[::-1]):
        pairs = ((a, c), (b, d))
        if all(net.first[x] == net.first[y] and net.head[x] != net.head[y] for x, y in pairs):
            alike = net.head[a] == net.head[b]  # cos cos and sin sin: a cosine; sin cos and cos sin: a sine
            minus = one[0] ^ other[0]
            sign = one[0] if net.head[a] == (COS if alike else SIN) else other[0]
            angles = net.first[a], net.first[b] ^ (minus ^ alike)
            products = (one[0] ^ sign, a, b), (other[0] ^ sign, c, d)
            residue = sum((-1 if s else 1) * net.residue[x] * net.residue[y] for s, x, y in products) % net.p
            return Turn(COS if alike else SIN, angles, sign, residue, common, products)
    return None
