"""How numbers are shown in closed forms: short decimals, small fractions, at most six digits."""

from __future__ import annotations

from fractions import Fraction

from ..targets.expression import Call, Expression, Number, Product, Quotient, Sum

_DENOMINATOR = 100
"""The largest denominator of a fraction."""
_SHORT = 6
"""Digits of a number."""


def shown(x: Expression) -> Expression:
    """Return an expression with fractions as quotients: a third of c2 is c2/3."""
    match x:
        case Sum(terms):
            return Sum(tuple((negative, shown(term)) for negative, term in terms))
        case Call(function, arguments):
            return Call(function, tuple(map(shown, arguments)))
        case Quotient(top, bottom):
            return Quotient(shown(top), shown(bottom))
        case Number(value):
            return _quotient(value, ())
        case Product(factors):
            first, rest = factors[0], tuple(map(shown, factors[1:]))
            return _quotient(first.value, rest) if isinstance(first, Number) else Product((shown(first), *rest))
    return x


def over(x: Expression) -> Expression:
    """Return an expression with quotients that are factors over the whole product, for one line: a b/c, not 1/c a b."""
    match x:
        case Sum(terms):
            return Sum(tuple((negative, over(term)) for negative, term in terms))
        case Call(function, arguments):
            return Call(function, tuple(map(over, arguments)))
        case Quotient(top, bottom):
            return Quotient(over(top), over(bottom))
        case Product(factors):
            parts = [over(factor) for factor in factors]
            bottoms = [part.bottom for part in parts if isinstance(part, Quotient)]
            tops = [part.top if isinstance(part, Quotient) else part for part in parts]
            whole = _times([top for top in tops if top != Number(1.0)] or [Number(1.0)])
            return Quotient(whole, _times(bottoms)) if bottoms else Product(tuple(parts))
    return x


def _times(factors: list[Expression]) -> Expression:
    flat = [y for x in factors for y in (x.factors if isinstance(x, Product) else (x,))]
    return flat[0] if len(flat) == 1 else Product(tuple(flat))


def _quotient(value: float, rest: tuple[Expression, ...]) -> Expression:
    """Return a number times factors, as a quotient if the number is a fraction that is no short decimal."""
    top, bottom = fraction(value)
    above = rest if rest and number(top) == "1" else (Number(top), *rest)
    made = above[0] if len(above) == 1 else Product(above)
    return made if bottom == 1 else Quotient(made, Number(float(bottom)))


def fraction(value: float) -> tuple[float, int]:
    """Return a number as a top and a bottom, the latter 1 unless it is a fraction with few digits."""
    found = Fraction(value).limit_denominator(_DENOMINATOR)
    if len(number(value)) <= 5 or not found or abs(float(found) - value) > 1e-14 * abs(value):
        return value, 1
    return float(found.numerator), found.denominator


def number(value: float) -> str:
    """Return a number with at most six digits."""
    return f"{value:.{_SHORT}g}"


def rounded(x: Expression) -> bool:
    """Tell whether an expression has a number of which only the first digits are shown."""
    match x:
        case Sum(terms):
            return any(rounded(term) for _, term in terms)
        case Call(_, parts) | Product(parts):
            return any(map(rounded, parts))
        case Quotient(top, bottom):
            return rounded(top) or rounded(bottom)
        case Number(value):
            return abs(float(number(value)) - value) > 1e-15 * abs(value)
    return False
