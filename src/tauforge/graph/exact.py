"""Exact arithmetic in a large prime field, in which equality of two graphs can be decided.

A graph of ``+ - * /`` is a rational function of its inputs. Evaluated at random points of the field of ``P`` elements,
two different functions of degree ``d`` agree with a probability of at most ``d / P`` (Schwartz and Zippel).

Angles. The points ``(c, s)`` with ``c² + s² = 1`` form a cyclic group of order ``P + 1``: adding angles is multiplying
``c + is``. ``P`` is chosen so that ``P + 1 = 720 M`` with ``M`` prime. Hence every multiple of half a degree is an
exact element (a quarter turn is ``(0, 1)``), and a variable angle, taken from the subgroup of the odd order ``M``, can
be divided by any integer in one way only.

Constants. A constant is a float and, beside it, an exact triple ``(residue, halfdegrees, rest)``: its value in the
field, and, should it be used as an angle, ``halfdegrees * pi/360`` plus a number that is ``rest`` modulo ``M``. Sums
and products of constants are folded in both, so that rounding in the floats never blurs a proof.
"""

import math
from functools import lru_cache
from typing import NamedTuple

P = 1237940039285380274897225519
"""The field's prime, just below 2⁹⁰ (three 30-bit digits of a Python integer)."""
M = (P + 1) // 720
"""The prime order of the group that variable angles are taken from."""

Turn = tuple[int, int]
"""A point of the unit circle: cosine and sine of an angle."""

IDENTITY: Turn = (1, 0)
HALF_DEGREE: Turn = (1054199816549410832810303950, 1217390337230878615438775252)
_PI = 0x2B7E151628AED2A6ABF7158  # what pi, used as a length and not as an angle, is in the field
_PI_REST = 0x9E3779B97F4A7C15F39  # and what it is modulo M where a fraction of pi is no multiple of half a degree
_HALF = pow(2, -1, P), pow(2, -1, M)


class Exact(NamedTuple):
    """What is known exactly of a constant (see the module)."""

    residue: int
    halfdegrees: int = 0
    rest: int = 0


@lru_cache(maxsize=65536)
def literal(value: float) -> Exact:
    """Return the exact value of a float; the float nearest to a multiple of pi/360 stands for that multiple."""
    k = halfdegrees(value, 4e-16)
    if k is not None:
        return Exact(k * _PI * pow(360, -1, P) % P, k)
    numerator, denominator = value.as_integer_ratio()
    power = denominator.bit_length() - 1
    return Exact(numerator * pow(_HALF[0], power, P) % P, 0, numerator * pow(_HALF[1], power, M) % M)


def halfdegrees(value: float, tolerance: float) -> int | None:
    """Return k where ``value`` is ``k * pi/360`` within a relative tolerance, k not 0 and at most ten turns."""
    k = round(value * (360 / math.pi)) if abs(value) < 63 else 0
    return k if k and abs(value - k * math.pi / 360) <= tolerance * abs(value) else None


def add(x: Exact, y: Exact) -> Exact:
    return Exact((x.residue + y.residue) % P, x.halfdegrees + y.halfdegrees, (x.rest + y.rest) % M)


def negate(x: Exact) -> Exact:
    return Exact(-x.residue % P, -x.halfdegrees, -x.rest % M)


def multiply(x: Exact, x_value: float, y: Exact, y_value: float) -> Exact:
    """Return the product; as an angle it is exact where at least one factor is no fraction of pi."""
    if x.halfdegrees and y.halfdegrees:  # pi², which is no angle that anyone means
        k, rest = 0, x.rest * y.rest + x.halfdegrees * y.halfdegrees * _PI_REST
    else:
        if y.halfdegrees:
            x, x_value, y, y_value = y, y_value, x, x_value
        k, rest = 0, x.rest * y.rest
        if x.halfdegrees:
            scaled = x.halfdegrees * y_value
            if abs(scaled) < 1e9 and abs(scaled - round(scaled)) < 1e-9:
                k = round(scaled)
            else:
                rest += (multiplier(x) - x.rest) * y.rest
    return Exact(x.residue * y.residue % P, k, rest % M)


def reciprocal(x: Exact) -> Exact:
    residue = pow(x.residue, -1, P)
    return Exact(residue, 0, pow(x.rest, -1, M)) if x.rest and not x.halfdegrees else opaque(residue)


def multiplier(x: Exact) -> int:
    """Return a constant as what an angle is multiplied by, modulo M; pi is any fixed number there."""
    return (x.rest + x.halfdegrees * pow(360, -1, M) * _PI_REST) % M


def opaque(residue: int) -> Exact:
    """Return a constant that is no sum of a rational number and a fraction of pi; as an angle it is just some angle."""
    return Exact(residue, 0, residue % M)


def rotate(x: Turn, y: Turn) -> Turn:
    """Return the sum of two angles."""
    return (x[0] * y[0] - x[1] * y[1]) % P, (x[0] * y[1] + x[1] * y[0]) % P


def multiple(x: Turn, n: int) -> Turn:
    """Return n times an angle."""
    if n < 0:
        x, n = (x[0], -x[1] % P), -n
    result = IDENTITY
    while n:
        if n & 1:
            result = rotate(result, x)
        x, n = rotate(x, x), n >> 1
    return result


def generic_turn(seed: int) -> Turn:
    """Return an angle of the group of order M from a number, any number, as its seed."""
    t = seed % P
    scale = pow(1 + t * t, -1, P)
    return multiple(((1 - t * t) * scale % P, 2 * t * scale % P), 720)


_RADIAN = generic_turn(0x243F6A8885A308D313198A2)


@lru_cache(maxsize=65536)
def turn(x: Exact) -> Turn:
    """Return a constant as an angle."""
    return rotate(multiple(HALF_DEGREE, x.halfdegrees), multiple(_RADIAN, x.rest))


def is_square(x: int) -> bool:
    return pow(x, (P - 1) // 2, P) in (0, 1)


def square_root(x: int) -> int | None:
    """Return the root that is itself a square, the field's notion of positive; None where there is no root."""
    root = pow(x, (P + 1) // 4, P)
    if root * root % P != x % P:
        return None
    return root if is_square(root) else P - root
