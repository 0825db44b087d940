"""Taking common factors out of sums: a b + a c becomes a (b + c), which saves a multiplication."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...graph.node import ONE, ZERO, Node
from ...graph.operations import ADD, MUL, NEG
from ...graph.rewrite import built_anew, rewrite
from ..program import Program


class Term(NamedTuple):
    """A product that a sum adds, or subtracts."""

    factors: tuple[Node, ...]
    minus: bool


def factor(program: Program) -> Program:
    """Return the Program with common factors taken out of its sums.

    Only products and partial sums that nothing else uses are taken apart, so no operation is done twice.
    """
    uses = Counter(_unsigned(a) for node in program.order if node.op is not NEG for a in node.args)
    uses.update(_unsigned(node) for array in program.results.values() for node in array.nodes)
    alone = {node for node, count in uses.items() if count == 1}

    def rule(node: Node, new: Mapping[Node, Node]) -> Node:
        if node.op is ADD:
            terms = [Term(tuple(new[x] for x in term.factors), term.minus) for term in _terms(node, alone)]
            if _most_common(terms) is not None:
                return _factored(terms)
        return built_anew(node, new)

    return program.with_nodes(rewrite(program.order, rule))


def _unsigned(node: Node) -> Node:
    """Return a node without its sign: who uses the opposite of a value uses the value."""
    return node.args[0] if node.op is NEG else node


def _terms(total: Node, alone: set[Node]) -> Iterator[Term]:
    """Yield the terms of a sum, including those of partial sums that only it uses."""
    stack = [(a, False) for a in reversed(total.args)]
    while stack:
        node, minus = stack.pop()
        if node.op is NEG:
            stack.append((node.args[0], not minus))
        elif node.op is ADD and node in alone:
            stack += [(a, minus) for a in reversed(node.args)]
        else:
            yield Term(tuple(_factors(node, alone)), minus)


def _factors(product: Node, alone: set[Node]) -> Iterator[Node]:
    """Yield the factors of a product that only its sum uses, including those of partial products that only it uses."""
    stack = [product]
    while stack:
        node = stack.pop()
        if node.op is MUL and node in alone:
            stack += reversed(node.args)
        else:
            yield node


def _most_common(terms: list[Term]) -> Node | None:
    """Return the factor that most terms share, if at least two do; of several, the first."""
    found = Counter(x for term in terms for x in dict.fromkeys(term.factors))
    best = max(found, key=found.__getitem__, default=None)  # no term may have a factor left
    return best if best is not None and found[best] > 1 else None


def _factored(terms: list[Term]) -> Node:
    """Return the sum of terms, with a common factor in front of those that have it."""
    shared = _most_common(terms)
    if shared is None:
        total = ZERO
        for factors, minus in terms:
            product = ONE
            for x in factors:
                product = product * x
            total = total - product if minus else total + product
        return total
    inside = [Term(_without(term.factors, shared), term.minus) for term in terms if shared in term.factors]
    outside = [term for term in terms if shared not in term.factors]
    return shared * _factored(inside) + (_factored(outside) if outside else ZERO)


def _without(factors: tuple[Node, ...], one: Node) -> tuple[Node, ...]:
    """Return factors with one of them left out once."""
    place = factors.index(one)
    return factors[:place] + factors[place + 1 :]
