"""Bounds on what random evaluation can miss: degrees and heights of the nodes as rational functions.

A node is a fraction of polynomials with integer coefficients in the values drawn at random. A numerator has a *degree*
and a *height*: the binary logarithm of the sum of its coefficients' absolute values. A denominator is a product of
powers of 2, of 10 and of the program's divisors, and is kept as such, so that adding fractions with equal denominators
does not multiply it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import NamedTuple

from .angle import PI, RADIANS, form, numbered
from .field import ATTEMPTS, ROUNDS
from .literal import decimal, halfdegrees
from .node import Node
from .operations import ABS, ACOS, ADD, ASIN, ATAN2, CONST, COS, DIV, MUL, NEG, SIN, SQRT, SYMBOL
from .points import MULTIPLES
from .surd import MOST

LARGEST_COFACTOR = 10_000
"""The largest cofactor for which the known bounds on primes in arithmetic progressions are sharp enough."""

_SECURITY = 110
"""Bits beyond what degrees and heights require; the chance of an error is then about 2^-110."""
_BITS = 120
"""The smallest field's."""
_ARCS = (ASIN, ACOS, ATAN2)
_WITH_ROOTS = (SQRT, ABS, *_ARCS)
_TWO, _TEN, _RATIONAL = "2", "10", "rational"
_FACTOR = 2200
"""Largest number of bits of a float's numerator and denominator."""
Powers = Mapping[object, int]
"""How often each divisor occurs in a denominator."""


@dataclass(frozen=True, slots=True)
class Size:
    """Degree and height of a polynomial; operators give those of products and sums."""

    degree: int
    height: int

    def __mul__(self, other: Size) -> Size:
        return Size(self.degree + other.degree, self.height + other.height)

    def __add__(self, other: Size) -> Size:
        return Size(max(self.degree, other.degree), max(self.height, other.height) + 1)

    def power(self, n: int) -> Size:
        return Size(self.degree * n, self.height * n)


class Fractional(NamedTuple):
    """Bounds of a fraction: its numerator's size, and its denominator's powers."""

    numerator: Size
    denominator: Powers


class Angles(NamedTuple):
    """What a field must provide: exact fractions of a turn, and denominators of radians and of multiples of symbols."""

    cofactor: int
    radians: int
    symbols: int

    @staticmethod
    def of(order: Iterable[Node]) -> Angles:
        """Return what the sines and cosines among some nodes need."""
        cofactor, radians, symbols = 4, 1, 1
        for node in order:
            op, args = node.made
            if op not in (SIN, COS):
                continue
            for monomial, x in form(args[0], numbered()).items():
                if monomial == PI and math.lcm(cofactor, 2 * x.denominator) <= LARGEST_COFACTOR:
                    cofactor = math.lcm(cofactor, 2 * x.denominator)
                elif monomial in (PI, RADIANS):
                    radians = math.lcm(radians, x.denominator)
                else:
                    symbols = math.lcm(symbols, x.denominator)
        return Angles(cofactor, radians, symbols)


class Bounds:
    """Bounds for all the nodes of some programs, arguments first."""

    def __init__(self, order: Iterable[Node]) -> None:
        order = list(order)
        self.angles = Angles.of(order)
        self._roots = sum(node.made[0] in _WITH_ROOTS for node in order)
        self._divisors: dict[object, Size] = {_TWO: Size(0, 1), _TEN: Size(0, 4), _RATIONAL: Size(0, _FACTOR)}
        self._found: dict[Node, Fractional] = {}
        self._unknown: set[Node] = set()
        for node in order:
            self._found[node] = self._of(node, *node.made)

    def field(self, outputs: Sequence[Node]) -> tuple[int, int, Fraction]:
        """Return the degree of the outputs' differences, and the bits of a field that is large enough, with its bound.

        It bounds the probability that an evaluation mistakes two different functions for equal: two outputs, or two
        arguments of unknown functions. The page on proofs derives it.
        """
        sizes = [self._whole(self._found[node]) for node in {*outputs, *self._unknown}]
        degree, height = (  # of cross products, at most of sums of squares, times a guessed factor
            8 * (max((getattr(size, k) for size in sizes), default=0) + 1) + _FACTOR * (k == "height")
            for k in ("degree", "height")
        )
        comparisons = len(outputs) + 4 * (len(self._unknown) + 1) ** 2
        points = 4 * comparisons * degree
        primes = 4 * comparisons * height * self.angles.cofactor**2
        bits = max(_BITS, (points + primes).bit_length() + _SECURITY)
        return degree, bits, Fraction(points + primes, 1 << (bits - 1)) + Fraction(ATTEMPTS * bits, 4**ROUNDS)

    def _whole(self, x: Fractional) -> Size:
        """Return the size of the product of numerator and denominator."""
        return x.numerator * self._product(x.denominator)

    def _product(self, powers: Powers) -> Size:
        sizes = [(self._divisors[key], power) for key, power in powers.items()]
        return Size(sum(s.degree * n for s, n in sizes), sum(s.height * n for s, n in sizes))

    def _of(self, node: Node, op: str, nodes: tuple[Node, ...]) -> Fractional:
        args = [self._found[a] for a in nodes]
        if op is SYMBOL:
            return Fractional(Size(1, 0), {})
        if op is CONST:
            return _number(node.value)
        if op is NEG:
            return args[0]
        if op is MUL:
            return self._times(*args)
        if op is ADD:
            return self._plus(*args)
        if op is DIV:
            return self._over(nodes[1], *args)
        if op is SIN or op is COS:
            return self._turn(nodes[0])
        self._unknown |= {*nodes}
        if op is SQRT:
            return self._root(args[0])
        return self._root(self._times(args[0], args[0])) if op is ABS else Fractional(Size(1, 0), {})

    def _times(self, x: Fractional, y: Fractional) -> Fractional:
        numerator = x.numerator * y.numerator
        if not x.denominator or not y.denominator:
            return Fractional(numerator, x.denominator or y.denominator)
        powers = dict(x.denominator)
        for key, n in y.denominator.items():
            powers[key] = powers.get(key, 0) + n
        return Fractional(numerator, powers)

    def _plus(self, x: Fractional, y: Fractional) -> Fractional:
        if x.denominator == y.denominator:
            return Fractional(x.numerator + y.numerator, x.denominator)
        powers = dict(x.denominator)
        for key, n in y.denominator.items():
            powers[key] = max(powers.get(key, 0), n)
        one, other = (
            part.numerator * self._product({key: n - part.denominator.get(key, 0) for key, n in powers.items()})
            for part in (x, y)
        )
        return Fractional(one + other, powers)

    def _over(self, divisor: object, x: Fractional, y: Fractional) -> Fractional:
        """Return a quotient's bounds; the inverse of a number with roots is a product with one factor per choice of
        signs.
        """
        signs = 1 << min(self._roots, MOST)
        self._divisors[divisor] = y.numerator.power(signs)
        inverse = y.numerator.power(signs - 1) * self._product(y.denominator)
        return self._times(x, Fractional(inverse, {divisor: 1}))

    def _root(self, x: Fractional) -> Fractional:
        """Return bounds of a root, such that the bounds of its square hold for the radicand.

        It can be a rational number times the root of another one.
        """
        size = self._whole(x) * Size(0, _FACTOR)
        return self._times(Fractional(size, x.denominator), Fractional(Size(0, 0), {_RATIONAL: 1}))

    def _turn(self, angle: Node) -> Fractional:
        """Return bounds of an angle's sine and cosine.

        A random point of the circle is ``z``, and its cosine ``(z + 1/z)/2``; n times its angle is ``z^n``.
        """
        atoms: list[Node] = [angle]  # the first is pi

        def atom(node: Node) -> int:
            atoms.append(node)
            return len(atoms) - 1

        drawn, arcs = 0, Fractional(Size(0, 0), {})
        for monomial, x in form(angle, atom).items():
            if monomial == PI and (x * self.angles.cofactor / 2).denominator == 1:
                continue
            own = atoms[monomial[0]] if len(monomial) == 1 and monomial != PI else None
            if own is not None and own.made[0] in _ARCS and x.denominator == 1 and abs(x) <= MULTIPLES:
                for _ in range(abs(int(x))):
                    arcs = self._times(arcs, self._arc(own))
            scale = self.angles.radians if monomial in (PI, RADIANS) else self.angles.symbols
            drawn += math.ceil(abs(x) * scale)
        self._unknown |= {node for node in atoms[1:] if node.op is not SYMBOL}
        return self._times(Fractional(Size(2 * drawn, 1), {_TWO: 1}), arcs)

    def _arc(self, node: Node) -> Fractional:
        """Return bounds of sine and cosine of an inverse function, ``y/r`` and ``x/r`` with ``r² = x² + y²``."""
        args = [self._found[a] for a in node.made[1]]
        one = Fractional(Size(0, 0), {})
        x, y = args if len(args) == 2 else (args[0], one)
        squares = self._plus(self._times(x, x), self._times(y, y))
        radius = self._root(squares)
        quotient = self._over((node, "radius"), self._plus(self._plus(x, y), radius), radius)
        return Fractional(quotient.numerator * Size(0, 1), quotient.denominator)  # sums of products of two


def _number(value: float) -> Fractional:
    """Return the bounds of a literal: an integer over a power of 10, or a multiple of pi/360, which is random."""
    k = halfdegrees(value)
    if k is not None:
        return Fractional(Size(1, k.bit_length()), {})
    number = decimal(value)
    places = next(k for k in count() if 10**k % number.denominator == 0)
    return Fractional(Size(0, int(number * 10**places).bit_length()), {_TEN: places} if places else {})
