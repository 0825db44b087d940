"""Exact differentiation of graphs.

Every operation has a slope with respect to each of its arguments; the derivative of an output with respect to an input
is the sum, over all paths through the graph, of the products of the slopes along the path. Forward mode carries these
sums from the inputs upward, reverse mode from the outputs downward: the same steps, transposed. Both are sparse: a node
has entries only for the inputs that it depends on, or only for the outputs that depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ..errors import ProgramError
from .evaluate import topological
from .functions import cos, sign, sin, sqrt
from .node import ONE, ZERO, Node, add, as_node, div, mul, neg
from .operations import ABS, ACOS, ADD, ASIN, ATAN2, CONST, COS, DIV, MUL, NEG, SIGN, SIN, SQRT, SYMBOL

MODES = ("auto", "forward", "reverse")

_Slopes = tuple[tuple[Node, Node], ...]  # arguments of an operation, each with the derivative with respect to it
_Graph = dict[Node, _Slopes]  # the nodes between inputs and outputs, arguments first
_Step = tuple[Node, Node, Node]  # target, slope, source: the target gets slope times the source's value

_MINUS_ONE, _HALF = as_node(-1.0), as_node(0.5)
_FREE = (ONE, _MINUS_ONE)  # slopes that need no multiplication
LARGE = 10_000
"""Operations: if all ways to a derivative together need fewer, all are built and counted, in about 50 ms."""


def jacobian(outputs: Sequence[Node], inputs: Sequence[Node], mode: str = "auto") -> list[list[Node]]:
    """Return the derivatives of each output, row by row, with respect to each input symbol.

    Parameters
    ----------
    mode
        "forward", "reverse", or "auto" for the one that needs fewer operations.
    """
    if mode not in MODES:
        raise ProgramError(f"unknown mode {mode!r}; choose among {', '.join(map(repr, MODES))}")
    graph = _linearised(outputs, inputs)
    if mode == "auto":
        return _cheapest(graph, outputs, inputs)
    return _BUILD[mode](graph, outputs, inputs)


def forward_product(outputs: Sequence[Node], inputs: Sequence[Node], directions: Sequence[Node]) -> list[Node]:
    """Return how fast each output changes as the inputs move in given directions: J v without J."""
    seeds = {x: {0: v} for x, v in zip(inputs, directions, strict=True) if v is not ZERO}
    found = _carried(_upward(_linearised(outputs, inputs)), seeds)
    return [found.get(y, {}).get(0, ZERO) for y in outputs]


def reverse_product(outputs: Sequence[Node], inputs: Sequence[Node], weights: Sequence[Node]) -> list[Node]:
    """Return the gradient of the weighted sum of all outputs: wᵀ J without J."""
    seeds: dict[Node, dict[int, Node]] = {}
    for y, w in zip(outputs, weights, strict=True):
        seeds[y] = {0: add(seeds[y][0], w) if y in seeds else w}
    found = _carried(_downward(_linearised(outputs, inputs)), seeds)
    return [found.get(x, {}).get(0, ZERO) for x in inputs]


def _cheapest(graph: _Graph, outputs: Sequence[Node], inputs: Sequence[Node]) -> list[list[Node]]:
    """Return the derivatives in the mode that needs fewer operations."""
    estimates = _estimates(graph, outputs, inputs)
    if sum(estimates.values()) > LARGE:
        return _BUILD[min(estimates, key=lambda mode: estimates[mode])](graph, outputs, inputs)
    return min((build(graph, outputs, inputs) for build in _BUILD.values()), key=_operations)


def estimate(outputs: Sequence[Node], inputs: Sequence[Node]) -> int:
    """Return about how many operations both modes together need."""
    return sum(_estimates(_linearised(outputs, inputs), outputs, inputs).values())


def _estimates(graph: _Graph, outputs: Sequence[Node], inputs: Sequence[Node]) -> dict[str, int]:
    return {
        "forward": _estimate(_upward(graph), _numbered(inputs)),
        "reverse": _estimate(_downward(graph), _numbered(outputs)),
    }


def _forward(graph: _Graph, outputs: Sequence[Node], inputs: Sequence[Node]) -> list[list[Node]]:
    tangents = _carried(_upward(graph), _units(inputs))
    rows = [tangents.get(y, {}) for y in outputs]
    return [[row.get(column, ZERO) for column in range(len(inputs))] for row in rows]


def _reverse(graph: _Graph, outputs: Sequence[Node], inputs: Sequence[Node]) -> list[list[Node]]:
    adjoints = _carried(_downward(graph), _units(outputs))
    columns = [adjoints.get(x, {}) for x in inputs]
    return [[column.get(row, ZERO) for column in columns] for row in range(len(outputs))]


_BUILD: dict[str, Callable[[_Graph, Sequence[Node], Sequence[Node]], list[list[Node]]]] = {
    "forward": _forward,
    "reverse": _reverse,
}


def _linearised(outputs: Sequence[Node], inputs: Sequence[Node]) -> _Graph:
    """Return the nodes that outputs need and that depend on inputs, with their slopes."""
    graph: _Graph = dict.fromkeys(inputs, ())
    for node in topological(outputs):
        if any(a in graph for a in node.args):
            slopes = tuple((a, slope) for a, slope in _SLOPES[node.op](node) if a in graph)
            if slopes:
                graph[node] = slopes
    return graph


def _upward(graph: _Graph) -> Iterator[_Step]:
    return ((node, slope, a) for node, slopes in graph.items() for a, slope in slopes)


def _downward(graph: _Graph) -> Iterator[_Step]:
    return ((a, slope, node) for node, slopes in reversed(graph.items()) for a, slope in slopes)


def _numbered(nodes: Sequence[Node]) -> dict[Node, list[int]]:
    """Return the places of each node; an output can have several."""
    places: dict[Node, list[int]] = {}
    for place, node in enumerate(nodes):
        places.setdefault(node, []).append(place)
    return places


def _units(nodes: Sequence[Node]) -> dict[Node, dict[int, Node]]:
    """Return what to carry from each node for its derivatives alone: one, at its place."""
    return {node: dict.fromkeys(places, ONE) for node, places in _numbered(nodes).items()}


def _carried(steps: Iterator[_Step], seeds: Mapping[Node, dict[int, Node]]) -> dict[Node, dict[int, Node]]:
    """Return for each node the sums, over the paths from each seed, of the seed times the slopes."""
    found = {node: {**parts} for node, parts in seeds.items()}
    for target, slope, source in steps:
        parts = found.get(source)
        if parts:
            sums = found.setdefault(target, {})
            for k, part in parts.items():
                term = part if slope is ONE else neg(part) if slope is _MINUS_ONE else mul(slope, part)
                sums[k] = add(sums[k], term) if k in sums else term
    return found


def _estimate(steps: Iterator[_Step], starts: Mapping[Node, Sequence[int]]) -> int:
    """Count the operations that carrying the sums would take, ignoring simplification and sharing.

    It is the same walk, with bit sets of starts instead of sums.
    """
    units = {node: sum(1 << k for k in places) for node, places in starts.items()}  # sums that are just 1
    reached = dict(units)
    operations = 0
    for target, slope, source in steps:
        new, old = reached.get(source, 0), reached.get(target, 0)
        if slope not in _FREE:
            operations += (new & ~units.get(source, 0)).bit_count()
        operations += (new & old).bit_count()
        reached[target] = new | old
    return operations


def _operations(rows: Sequence[Sequence[Node]]) -> int:
    """Count the operations that some nodes need, each distinct one once."""
    return sum(node.op not in (CONST, SYMBOL, NEG) for node in topological({x: None for row in rows for x in row}))


def _of_product(y: Node) -> _Slopes:
    a, b = y.args
    return ((a, b), (b, a)) if a is not b else ((a, mul(as_node(2.0), a)),)


def _of_quotient(y: Node) -> _Slopes:
    a, b = y.args
    reciprocal = div(ONE, b)  # one division for all directions
    return (a, reciprocal), (b, neg(mul(y, reciprocal)))


def _of_arcsine(y: Node) -> _Slopes:
    (a,) = y.args
    return ((a, as_node(1.0 / sqrt(1.0 - a * a))),)


def _of_arctangent(y: Node) -> _Slopes:
    a, b = y.args
    reciprocal = div(ONE, a * a + b * b)
    return (a, mul(b, reciprocal)), (b, neg(mul(a, reciprocal)))


_SLOPES: dict[str, Callable[[Node], _Slopes]] = {
    ADD: lambda y: ((y.args[0], ONE), (y.args[1], ONE)),
    NEG: lambda y: ((y.args[0], _MINUS_ONE),),
    MUL: _of_product,
    DIV: _of_quotient,
    SQRT: lambda y: ((y.args[0], div(_HALF, y)),),
    SIN: lambda y: ((y.args[0], as_node(cos(y.args[0]))),),
    COS: lambda y: ((y.args[0], as_node(-sin(y.args[0]))),),
    ASIN: _of_arcsine,
    ACOS: lambda y: tuple((a, neg(slope)) for a, slope in _of_arcsine(y)),
    ATAN2: _of_arctangent,
    ABS: lambda y: ((y.args[0], as_node(sign(y.args[0]))),),
    SIGN: lambda y: (),  # 0 on either side of its jump
}
