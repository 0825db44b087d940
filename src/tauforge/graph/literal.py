"""The meaning of a float that someone writes: a multiple of pi/360, or else the decimal that prints it.

``0.1`` is one tenth, not the binary fraction next to it. Each float has its own decimal, the shortest that is read back
as that float.
"""

import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

Ratio = tuple[int, int]
"""A rational number: numerator and positive denominator. Plain integers are several times faster than fractions."""


@lru_cache(maxsize=65536)
def halfdegrees(value: float) -> int | None:
    """Return k if a float means ``k pi/360``, where k is not 0 and at most ten turns.

    It does if it equals ``n*pi/d`` computed in floats, with the fraction in lowest terms: one float for each k.
    """
    k = round(value * (360 / math.pi)) if abs(value) < 63 else 0
    fraction = Fraction(k, 360)
    return k if k and fraction.numerator * math.pi / fraction.denominator == value else None


@lru_cache(maxsize=65536)
def decimal(value: float) -> Fraction:
    """Return the decimal that a float means, if it does not mean a multiple of pi/360."""
    return Fraction(Decimal(float.__repr__(value)))


@lru_cache(maxsize=65536)
def ratio(value: float) -> Ratio | None:
    """Return the decimal that a float means; None if it means a multiple of pi/360."""
    return None if halfdegrees(value) else decimal(value).as_integer_ratio()
