"""Prime fields with a unit circle, in which graphs are evaluated exactly at random points.

For a prime ``p`` with ``p + 1`` divisible by 4, the points ``(c, s)`` with ``c² + s² = 1`` form a cyclic group of order
``p + 1``: adding angles is multiplying ``c + is``. An element whose order is ``cofactor`` serves as the angle
``2 pi / cofactor``, so that every multiple of it is exact: a quarter turn is ``(0, 1)``.
"""

import math
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from .literal import decimal, halfdegrees

Turn = tuple[Any, Any]
"""A point of the unit circle: cosine and sine of an angle, in the field or in an extension by roots."""
IDENTITY: Turn = (1, 0)

ROUNDS = 64
"""Rounds of the Miller-Rabin test; each accepts a composite number with a probability of at most 1/4."""
ATTEMPTS = 1000
"""The largest number of candidates tried for a prime, per bit."""
_SMALL = math.prod(n for n in range(3, 500) if all(n % k for k in range(2, math.isqrt(n) + 1)))


class Field:
    """A field of random prime order.

    Attributes
    ----------
    p
        The order, a prime of ``bits`` bits drawn from those with ``p + 1`` divisible by ``cofactor``.
    cofactor
        The full turn divided by this is exact; a multiple of 4.
    scale
        A radian is this many times a random angle, so that fractions with this denominator have values.
    rough
        Whether ``p + 1`` is the cofactor times a prime, so that no multiple of a random angle vanishes by chance.
    """

    def __init__(
        self, seed: str, bits: int, cofactor: int, scale: int, *, rounds: int = ROUNDS, rough: bool = False
    ) -> None:
        self.seed, self.cofactor, self.scale = seed, cofactor, scale
        self.p = self._prime(bits, rounds, rough)
        self.root = self._root_of_unity()
        self._half_degree = self.draw("pi")  # pi/360 as a length, not as an angle
        self._literals: dict[float, int] = {}
        self._turns: dict[tuple[Fraction, Fraction], Turn | None] = {}

    def literal(self, value: float) -> int:
        """Return the value of a float; some floats mean a multiple of pi/360."""
        known = self._literals.get(value)
        if known is None:
            k = halfdegrees(value)
            if k is None:
                number = decimal(value)
                known = number.numerator * pow(number.denominator, -1, self.p) % self.p
            else:
                known = k * self._half_degree % self.p
            self._literals[value] = known
        return known

    def turn(self, radians: Fraction, halves: Fraction) -> Turn | None:
        """Return the angle of given radians and multiples of pi; None if the scale does not cover its fractions."""
        key = radians, halves
        if key not in self._turns:
            self._turns[key] = self._turn(radians, halves)
        return self._turns[key]

    def _turn(self, radians: Fraction, halves: Fraction) -> Turn | None:
        result, steps = IDENTITY, halves * self.cofactor / 2
        if steps.denominator == 1:
            result = self.power(self.root, int(steps) % self.cofactor)
        elif (halves * self.scale).denominator == 1:  # an angle with no known relation to pi
            result = self.power(self.point("half"), int(halves * self.scale) % (self.p + 1))
        else:
            return None
        if (radians * self.scale).denominator != 1:
            return None
        return self.rotate(result, self.power(self.point("radian"), int(radians * self.scale) % (self.p + 1)))

    def draw(self, *what: object) -> int:
        """Return an element of the field that depends only on the seed and the arguments."""
        size = self.p.bit_length() // 8 + 17  # the remainder is then uniform up to 2^-128
        return self._stream(repr(what), size) % self.p

    def _stream(self, what: str, size: int) -> int:
        first = blake2b(f"{self.seed} {what}".encode()).digest()
        blocks = [first] + [blake2b(first + k.to_bytes(4)).digest() for k in range(1, -(-size // 64))]
        return int.from_bytes(b"".join(blocks)[:size])

    def _prime(self, bits: int, rounds: int, rough: bool) -> int:
        smallest, step = 1 << (bits - 1), self.cofactor
        start = self._stream("prime", bits // 8 + 17) % smallest
        for attempt in range(ATTEMPTS * bits):
            drawn = start + attempt * step if rough else self._stream(f"prime {attempt}", bits // 8 + 17) % smallest
            order = (smallest + drawn) // step
            p = order * step + step - 1
            if math.gcd(p * (order + 1 if rough else 1), _SMALL) > 1 or not self._is_prime(p, rounds):
                continue
            if not rough or (order % 2 == 0 and self._is_prime(order + 1, rounds)):
                return p
        raise ArithmeticError("no prime found")

    def _is_prime(self, n: int, rounds: int) -> bool:
        """Tell whether an odd number passes the Miller-Rabin test with random bases."""
        twos = (n - 1 & 1 - n).bit_length() - 1
        bases = (2, *(2 + self._stream(f"base {k}", n.bit_length() // 8 + 17) % (n - 3) for k in range(rounds)))
        for base in bases:
            x = pow(base, (n - 1) >> twos, n)
            if x in (1, n - 1):
                continue
            for _ in range(twos - 1):
                x = x * x % n
                if x == n - 1:
                    break
            else:
                return False
        return True

    def _root_of_unity(self) -> Turn:
        """Return a point whose order is the cofactor; a quarter of the circle is (0, 1)."""
        c, factors = self.cofactor, _prime_factors(self.cofactor)
        for attempt in range(10_000):
            root = self.power(self.point("root", attempt), (self.p + 1) // c)
            if all(self.power(root, c // q) != IDENTITY for q in factors):
                return root if self.power(root, c // 4) == (0, 1) else (root[0], -root[1] % self.p)
        raise ArithmeticError("no root of unity found")

    def point(self, *what: object) -> Turn:
        """Return a point of the circle that depends only on the seed and the arguments."""
        t = self.draw("point", *what)
        scale = pow(1 + t * t, -1, self.p)
        return (1 - t * t) * scale % self.p, 2 * t * scale % self.p

    def rotate(self, x: Turn, y: Turn) -> Turn:
        """Return the sum of two angles."""
        return (x[0] * y[0] - x[1] * y[1]) % self.p, (x[0] * y[1] + x[1] * y[0]) % self.p

    def power(self, x: Turn, n: int) -> Turn:
        """Return n times an angle."""
        if n < 0:
            x, n = (x[0], -x[1] % self.p), -n
        result = IDENTITY
        while n:
            if n & 1:
                result = self.rotate(result, x) if result is not IDENTITY else x
            n >>= 1
            x = self.rotate(x, x) if n else x
        return result

    def square_root(self, x: int) -> int | None:
        """Return one of the square roots, chosen by x alone; None if there is none."""
        root = pow(x, (self.p + 1) // 4, self.p)
        if root * root % self.p != x % self.p:
            return None
        return root if self.draw("branch", x) & 1 else -root % self.p


@lru_cache
def _prime_factors(n: int) -> tuple[int, ...]:
    found, q = [], 2
    while n > 1:
        if n % q == 0:
            found.append(q)
            while n % q == 0:
                n //= q
        q += 1
    return tuple(found)
