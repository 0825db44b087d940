"""Long functions cut into parts, for languages that limit the size of a function and for compilers that are slow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .expression import Call, Element, Expression, List, Product, Quotient, Sum, Variable
from .language import Language
from .statements import Listing, Statement

Parts = list[list[Statement]]


def parts(listing: Listing, size: int, kept: str) -> tuple[Parts, int]:
    """Return a function's statements in parts of about ``size`` operations, and how many values they share.

    A value that a later part needs is an element of the array ``kept``. A part is either repeated or not: see
    ``first_repeated``.
    """
    once = len(listing.parameters) + len(listing.setup) if listing.loop else 0
    groups: Parts = [[]]
    room = size
    for place, statement in enumerate((*listing.parameters, *listing.setup, *listing.body, *listing.results)):
        if room <= 0 or (place == once and groups[-1]):
            groups.append([])
            room = size
        groups[-1].append(statement)
        room -= 1 + len(names(statement.value))
    born = {x.target.name: i for i, part in enumerate(groups) for x in part if isinstance(x.target, Variable)}
    crossing = dict.fromkeys(
        name for i, part in enumerate(groups) for x in part for name in names(x.value) if born.get(name, i) != i
    )
    places = {name: Element(kept, (i,), i) for i, name in enumerate(crossing)}

    def moved(x: Expression) -> Expression:
        return places.get(x.name, x) if isinstance(x, Variable) else x

    return [[_statement(x, places, moved) for x in part] for part in groups], len(places)


def first_repeated(listing: Listing, cut: Parts) -> int:
    """Return how many of a function's parts come before its loop; 0 if it has none."""
    once = len(listing.parameters) + len(listing.setup) if listing.loop else 0
    count = 0
    while once > 0:
        once -= len(cut[count])
        count += 1
    return count


def _statement(x: Statement, places: dict[str, Element], moved: Callable[[Expression], Expression]) -> Statement:
    target = places.get(x.target.name, x.target) if isinstance(x.target, Variable) else x.target
    return Statement(target, mapped(x.value, moved))


def written(part: Sequence[Statement], language: Language, indent: str) -> list[str]:
    """Return the lines of a part."""
    lines = []
    for x in part:
        template = language.define if isinstance(x.target, Variable) else language.assign
        lines += language.statement(template, language.text(x.target), x.value, indent)
    return lines


def names(x: Expression) -> list[str]:
    """Return the variables of an expression, each as often as it is used."""
    if isinstance(x, Variable):
        return [x.name]
    return [name for inner in _inside(x) for name in names(inner)]


def _inside(x: Expression) -> Sequence[Expression]:
    match x:
        case Sum(terms):
            return [term for _, term in terms]
        case Product(factors):
            return factors
        case Quotient(top, bottom):
            return [top, bottom]
        case Call(_, arguments):
            return arguments
        case List(items):
            return items
    return []


def mapped(x: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return an expression with its innermost parts changed."""
    match x:
        case Sum(terms):
            return Sum(tuple((negative, mapped(term, change)) for negative, term in terms))
        case Product(factors):
            return Product(tuple(mapped(factor, change) for factor in factors))
        case Quotient(top, bottom):
            return Quotient(mapped(top, change), mapped(bottom, change))
        case Call(function, arguments):
            return Call(function, tuple(mapped(argument, change) for argument in arguments))
        case List(items):
            return List(tuple(mapped(item, change) for item in items))
    return change(x)
