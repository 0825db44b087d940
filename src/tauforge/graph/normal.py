"""Normal forms: one expression for all those that differ only in the order of sums or in like terms."""

from collections.abc import Callable, Mapping

from .node import Node, Scalar, as_node, constant
from .operations import ADD, CONST, NEG
from .rewrite import built_anew, rewrite
from .sums import terms, whole_sums
from .text import texts


def literal(x: Scalar) -> Scalar:
    """Return a scalar as it would be read from its text: constants as floats, sums merged and ordered."""
    if not isinstance(x, Node) or x.op is CONST:
        return float(x)
    made = _normal(x, lambda node: constant(float(node)))
    return float(made) if made.op is CONST else made


def gathered(x: Node) -> Node:
    """Return an expression with the like terms of its sums merged and its constants still exact."""
    return _normal(x, lambda node: node)


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
