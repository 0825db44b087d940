"""The argument of a sine or cosine, as a polynomial with rational coefficients: ``(x + pi)/2`` is ``x/2 + pi/2``.

Its variables are pi and *atoms*: symbols, and anything that is not a sum or a product. A term without variables is a
number of radians.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from .literal import decimal, halfdegrees
from .operations import ADD, CONST, DIV, MUL, NEG

if TYPE_CHECKING:
    from .node import Node

Monomial = tuple[int, ...]
"""A product of variables, as their numbers in order; pi has the number 0."""
Form = dict[Monomial, Fraction]
"""A polynomial: the coefficient of each product that appears."""

RADIANS: Monomial = ()
PI: Monomial = (0,)

_TERMS, _DEGREE, _BITS = 512, 8, 2048
"""How large a polynomial can grow before its expression becomes an atom."""


def form(angle: Node, atom: Callable[[Node], int]) -> Form:
    """Return an angle as a polynomial; ``atom`` gives the numbers of its variables."""
    found: dict[Node, Form] = {}
    stack = [angle]
    while stack:
        node = stack[-1]
        op, args = node.made
        waiting = [a for a in args if a not in found] if op in (ADD, NEG, MUL, DIV) else []
        if node not in found and waiting:
            stack += waiting
            continue
        if node not in found:
            made = _combined(node, op, [found[a] for a in args] if op in (ADD, NEG, MUL, DIV) else [])
            found[node] = {(atom(node),): Fraction(1)} if made is None else made
        stack.pop()
    return found[angle]


def numbered() -> Callable[[Node], int]:
    """Return a function that numbers atoms from 1."""
    numbers: dict[Node, int] = {}
    return lambda node: numbers.setdefault(node, len(numbers) + 1)


def constant_form(node: Node) -> tuple[Fraction, Fraction] | None:
    """Return a constant's radians and its multiple of pi, if it is a sum of those."""
    if node.origin is None:
        k = halfdegrees(node.value)
        return (decimal(node.value), Fraction(0)) if k is None else (Fraction(0), Fraction(k, 360))
    found = form(node, numbered())
    if not found.keys() <= {RADIANS, PI}:
        return None
    return found.get(RADIANS, Fraction(0)), found.get(PI, Fraction(0))


def _combined(node: Node, op: str, args: list[Form]) -> Form | None:
    """Return the polynomial of a sum, a product or a number; None if it is an atom."""
    made: Form
    if op == CONST:
        k = halfdegrees(node.value)
        made = {RADIANS: decimal(node.value)} if k is None else {PI: Fraction(k, 360)}
    elif op == ADD:
        made = dict(args[0])
        for monomial, x in args[1].items():
            made[monomial] = made.get(monomial, Fraction(0)) + x
    elif op == NEG:
        made = {monomial: -x for monomial, x in args[0].items()}
    elif op == MUL and len(args[0]) * len(args[1]) <= _TERMS:
        made = {}
        for one, x in args[0].items():
            for two, y in args[1].items():
                monomial = tuple(sorted((*one, *two)))
                made[monomial] = made.get(monomial, Fraction(0)) + x * y
    elif op == DIV and args[1].keys() == {RADIANS} and args[1][RADIANS]:
        made = {monomial: x / args[1][RADIANS] for monomial, x in args[0].items()}
    else:
        return None
    made = {monomial: x for monomial, x in made.items() if x}
    return made if _is_small(made) else None


def _is_small(made: Mapping[Monomial, Fraction]) -> bool:
    return len(made) <= _TERMS and all(
        len(monomial) <= _DEGREE and x.numerator.bit_length() + x.denominator.bit_length() <= _BITS
        for monomial, x in made.items()
    )
