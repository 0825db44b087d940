"""Normal forms: one expression for all those that differ only in the order of sums or in like terms."""

from collections.abc import Callable, Iterable, Mapping

from .evaluate import topological
from .node import ONE, Node, Scalar, as_node, constant, is_zero
from .operations import ADD, CONST, DIV, MUL, NEG
from .rewrite import built_anew, rewrite
from .sums import terms, whole_sums
from .text import texts, to_text, written_size


def literal(x: Scalar) -> Scalar:
    """Return a scalar as it would be read from its text: constants as floats, sums merged and ordered."""
    if not isinstance(x, Node) or x.op is CONST:
        return float(x)
    made = _normal(x, lambda node: constant(float(node)))
    return float(made) if made.op is CONST else made


def gathered(x: Node) -> Node:
    """Return an expression with the like terms of its sums merged and its constants still exact."""
    return _normal(x, lambda node: node)


MANY = 100
"""Number of terms up to which products of sums are multiplied out."""
_Powers = frozenset[tuple[Node, int]]


def reduced(x: Node) -> Node:
    """Return an expression with like terms merged and, where that makes it shorter, products multiplied out and what
    is above and below a bar cancelled.
    """
    order = topological([x])
    kinds = {node.op for node in order}
    merged = gathered(x) if ADD in kinds else x
    if DIV not in kinds:
        return merged
    found: dict[Node, dict[_Powers, Node]] = {}
    for node in order:
        found[node] = made = _monomials(node, found)
        if len(made) > MANY:
            return merged
    total: Scalar = 0.0
    for powers, factor in found[x].items():
        ends: list[Scalar] = [1.0, 1.0]
        for base, exponent in sorted(powers, key=lambda power: to_text(power[0])):
            below = exponent < 0
            ends[below] = ends[below] * base ** abs(exponent)
        total = total + as_node(ends[0]) / as_node(ends[1]) * factor
    return min(merged, gathered(as_node(total)), key=written_size)


def _monomials(node: Node, of: Mapping[Node, Mapping[_Powers, Node]]) -> dict[_Powers, Node]:
    """Return a node as a sum of products of powers, each with its factor, from the sums of its arguments."""
    if node.op is CONST:
        return {frozenset(): node}
    given = [of[a] for a in node.args]
    if node.op is NEG:
        return {powers: -factor for powers, factor in given[0].items()}
    if node.op is ADD:
        return _added((*given[0].items(), *given[1].items()))
    if node.op is MUL:
        return _added((_times(p, q), a * b) for p, a in given[0].items() for q, b in given[1].items())
    if node.op is DIV:
        if len(given[1]) == 1:
            ((below, b),) = given[1].items()
        else:
            below, b = frozenset({(node.args[1], 1)}), ONE
        inverse = frozenset((base, -exponent) for base, exponent in below)
        return _added((_times(powers, inverse), a / b) for powers, a in given[0].items())
    return {frozenset({(node, 1)}): ONE}


def _added(products: Iterable[tuple[_Powers, Node]]) -> dict[_Powers, Node]:
    total: dict[_Powers, Node] = {}
    for powers, factor in products:
        total[powers] = total[powers] + factor if powers in total else factor
    return {powers: factor for powers, factor in total.items() if not is_zero(factor)}


def _times(one: _Powers, other: _Powers) -> _Powers:
    powers = dict(one)
    for base, exponent in other:
        powers[base] = powers.get(base, 0) + exponent
    return frozenset((base, exponent) for base, exponent in powers.items() if exponent)


def scaled(x: Node, factor: float) -> Node:
    """Return a multiple of an expression; each term of a sum is multiplied by the factor."""
    parts, rest = terms(gathered(x))
    total: Scalar = rest * factor
    for part, coefficient in parts.items():
        total = total + part * (coefficient * factor)
    return as_node(total)


def _normal(x: Node, of_constant: Callable[[Node], Node]) -> Node:
    written = texts(x)

    def rule(node: Node, new: Mapping[Node, Node]) -> Node:
        if node.op in (ADD, NEG):
            parts, rest = terms(node)
            total: Scalar = 0.0
            for part in sorted(parts, key=lambda part: written[part]):
                total = total + new[part] * of_constant(parts[part])
            made = as_node(total + of_constant(rest))
        else:
            made = built_anew(node, new)
        return of_constant(made) if made.op is CONST else made

    return rewrite(whole_sums(x), rule)[x]
