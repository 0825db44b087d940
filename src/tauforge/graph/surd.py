"""Numbers with formal square roots: ``a + b r + c s + d r s`` with ``r² = u``, ``s² = v``.

Two such numbers are equal only if they are equal whatever the sign of each root.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST = 10
"""How many roots one number can hold; it has up to 2^MOST coefficients."""

Value = Any
"""An element of the field, or a Surd over it."""


class NoInverse(ArithmeticError):
    """A number that is zero, or zero for some signs of its roots, has no inverse."""


class TooManyRoots(ArithmeticError):
    """A number would hold more than ``MOST`` independent roots."""


class Surd:
    """A number with roots; ``parts`` holds the coefficient of each product of roots; each root is a bit of its key.

    ``squares`` holds the square of each root, in which only roots with smaller bits appear. Arithmetic does not reduce;
    ``% p`` does, and gives a plain integer if no root is left.
    """

    __slots__ = ("parts", "squares")

    def __init__(self, parts: Mapping[int, int], squares: list[Value]) -> None:
        self.parts, self.squares = parts, squares

    def __add__(self, other: Value) -> Surd:
        parts = dict(self.parts)
        for mask, x in _parts(other).items():
            parts[mask] = parts.get(mask, 0) + x
        return Surd(parts, self.squares)

    __radd__ = __add__

    def __neg__(self) -> Surd:
        return Surd({mask: -x for mask, x in self.parts.items()}, self.squares)

    def __sub__(self, other: Value) -> Surd:
        return self.__add__(-other)

    def __rsub__(self, other: Value) -> Surd:
        return (-self).__add__(other)

    def __mul__(self, other: Value) -> Surd:
        if not isinstance(other, Surd):
            return Surd({mask: x * other for mask, x in self.parts.items()}, self.squares)
        total: Surd = Surd({}, self.squares)
        for one, x in self.parts.items():
            for two, y in other.parts.items():
                if (one | two).bit_count() > MOST:
                    raise TooManyRoots
                term, twice = Surd({one ^ two: x * y}, self.squares), one & two
                while twice:
                    term = term * self.squares[twice.bit_length() - 1]
                    twice &= ~(1 << (twice.bit_length() - 1))
                total = total + term
            if len(total.parts) > 1 << MOST:
                raise TooManyRoots
        return total

    __rmul__ = __mul__

    def __mod__(self, p: int) -> Value:
        parts = {mask: x % p for mask, x in sorted(self.parts.items()) if x % p}
        return Surd(parts, self.squares) if any(parts) else parts.get(0, 0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Surd) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(tuple(self.parts.items()))

    def __repr__(self) -> str:
        return f"Surd({dict(self.parts)})"


def _parts(x: Value) -> Mapping[int, int]:
    return x.parts if isinstance(x, Surd) else {0: x}


def leading(x: Value) -> int:
    """Return the first coefficient of a reduced number, which is zero only if the number is."""
    return next(iter(x.parts.values())) if isinstance(x, Surd) else x


def inverse(x: Value, p: int) -> Value:
    """Return 1/x."""
    if not isinstance(x, Surd):
        if x == 0:
            raise NoInverse
        return pow(x, -1, p)
    top = 1 << (max(x.parts).bit_length() - 1)
    rest = Surd({mask: a for mask, a in x.parts.items() if not mask & top}, x.squares)
    with_top = Surd({mask: a for mask, a in x.parts.items() if mask & top}, x.squares)
    norm = (rest * rest - with_top * with_top) % p
    return (rest - with_top) * inverse(norm, p) % p
