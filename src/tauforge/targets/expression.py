"""Expression trees, ready to print: sums with signs, products, quotients and calls, over names and array elements.

The graph of a Program becomes such trees when it is cut into statements.
"""

from __future__ import annotations

from dataclasses import dataclass

Term = tuple[bool, "Expression"]
"""Whether a term is subtracted, and what it is."""


@dataclass(frozen=True, slots=True)
class Number:
    """A constant, never negative: signs are in sums."""

    value: float


@dataclass(frozen=True, slots=True)
class Variable:
    """A local variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Element:
    """A scalar of an input or output array: its indices from 0, and its place row by row."""

    array: str
    index: tuple[int, ...]
    place: int


@dataclass(frozen=True, slots=True)
class Call:
    """A function's value; ``function`` is the graph's operation."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Quotient:
    top: Expression
    bottom: Expression


@dataclass(frozen=True, slots=True)
class Product:
    """Two or more factors, none of them a product."""

    factors: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms with their signs, none of them a sum; a single subtracted term is a unary minus."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class List:
    """Values one after another, as an output of a language whose functions return lists."""

    items: tuple[Expression, ...]


Expression = Number | Variable | Element | Call | Quotient | Product | Sum | List


def total(terms: list[Term]) -> Sum:
    """Return a sum that absorbs nested sums: added terms first, then subtracted ones, each by name, then a number."""
    flat: list[Term] = []
    for negative, term in terms:
        flat += [(negative ^ sign, x) for sign, x in term.terms] if isinstance(term, Sum) else [(negative, term)]
    return Sum(tuple(sorted(flat, key=lambda term: (term[0], isinstance(term[1], Number), label(term[1])))))


def opposite(x: Sum) -> Sum:
    return total([(not negative, term) for negative, term in x.terms])


def negated(negative: bool, x: Expression) -> Expression:
    """Return an expression or its negative; the negative of ``a - b`` is ``b - a``, also if it is a factor."""
    if not negative:
        return x
    if isinstance(x, Sum):
        return opposite(x)
    if isinstance(x, Product):
        for i, factor in enumerate(x.factors):
            if isinstance(factor, Sum) and any(below for below, _ in factor.terms):
                return Product((*x.factors[:i], opposite(factor), *x.factors[i + 1 :]))
    return Sum(((True, x),))


def product(terms: list[Term]) -> Term:
    """Return a product with its sign: numbers first, then quotients, then the other factors by name."""
    negative = False
    factors: list[Expression] = []
    for sign, factor in terms:
        if isinstance(factor, Sum) and all(below for below, _ in factor.terms):  # the sign goes outside
            sign, factor = not sign, opposite(factor)
        negative ^= sign
        factors += factor.factors if isinstance(factor, Product) else [factor]
    factors.sort(key=lambda x: (not isinstance(x, Number), not isinstance(x, Quotient), label(x)))
    return negative, Product(tuple(factors))


def label(x: Expression) -> str:
    """Return a text to sort by; equal expressions have equal ones."""
    match x:
        case Variable(name):
            return name
        case Element(array, _, place):
            return f"{array}{place:06}"
        case Number(value):
            return repr(value)
        case Product(factors):
            return "*".join(map(label, factors))
        case Quotient(top, bottom):
            return f"{label(top)}/{label(bottom)}"
        case Call(function, arguments):
            return f"{function}({','.join(map(label, arguments))})"
        case List(items):
            return ",".join(map(label, items))
        case Sum(terms):
            return "(" + "".join("+-"[negative] + label(term) for negative, term in terms)
