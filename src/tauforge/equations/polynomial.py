"""Program -> polynomials: every output as a sum of terms over symbols, sines and cosines, in a normal form.

A term is a constant, a product of powers, and one wave per angle. Waves are cos(k q) and sin(k q): products of waves of
one angle are sums of such waves, so sin² + cos² is 1 by itself, and equal outputs have equal polynomials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ..errors import ProgramError
from ..graph.evaluate import topological
from ..graph.functions import HALF, cos, rebuild, sin
from ..graph.node import ONE, ZERO, Node, add, as_node, div, mul, neg
from ..graph.operations import ADD, CONST, COS, DIV, MUL, NEG, OPERATIONS, SIN, SYMBOL

Powers = tuple[tuple[Node, int], ...]
"""Factors of a term with their powers, by key. A factor is a symbol or a value that is not a polynomial."""
Wave = tuple[Node, int, str]
"""An angle, how often it is taken, and SIN or COS."""
Term = tuple[Powers, tuple[Wave, ...]]
Polynomial = dict[Term, Node]
"""Terms with their constants, none of them zero."""

UNIT: Term = ((), ())
LONGEST = 2000
"""How many terms a polynomial can have, unless fewer are asked for."""


class TooLong(ProgramError):
    """A closed form would have too many terms."""


def polynomials(outputs: Iterable[Node], longest: int = LONGEST) -> dict[Node, Polynomial]:
    """Return every output as a polynomial; TooLong is raised if one would have too many terms."""
    outputs = dict.fromkeys(outputs)
    made: dict[Node, Polynomial] = {}
    for node in topological(outputs):
        made[node] = _POLYNOMIALS[node.op](node, made)
        _bounded(len(made[node]), longest)
    return {node: made[node] for node in outputs}


def _bounded(size: int, longest: int) -> None:
    if size > longest:
        raise TooLong(f"a closed form would need more than {longest} terms; take style='steps'")


def _sum(node: Node, made: Mapping[Node, Polynomial]) -> Polynomial:
    return collected(pair for a in node.args for pair in made[a].items())


def _negative(node: Node, made: Mapping[Node, Polynomial]) -> Polynomial:
    return {term: neg(x) for term, x in made[node.args[0]].items()}


def _product(node: Node, made: Mapping[Node, Polynomial]) -> Polynomial:
    a, b = (made[x] for x in node.args)
    return times(a, b)


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    _bounded(len(a) * len(b), 10 * LONGEST)
    return collected(
        ((multiplied(p, r), waves), mul(mul(x, y), part))
        for (p, v), x in a.items()
        for (r, w), y in b.items()
        for waves, part in _crossed(v, w)
    )


def _quotient(node: Node, made: Mapping[Node, Polynomial]) -> Polynomial:
    top, bottom = node.args
    return times(made[top], _alone(div(ONE, bottom), made))


def _wave(node: Node, made: Mapping[Node, Polynomial]) -> Polynomial:
    """Return a sine or cosine: of whole multiples of symbols as waves, of anything else as it is."""
    turns, rest = _turns(made[node.args[0]])
    if not turns:
        return _alone(node, made)
    waves = {SIN: _alone(as_node(sin(rest)), made), COS: _alone(as_node(cos(rest)), made)}
    for angle, k in turns.items():
        own: dict[str, Polynomial] = {
            op: {((), ((angle, abs(k), op),)): ONE if op is COS or k > 0 else neg(ONE)} for op in (SIN, COS)
        }
        first, second = times(waves[SIN], own[SIN]), times(waves[COS], own[SIN])
        waves = {
            COS: _added(times(waves[COS], own[COS]), {term: neg(x) for term, x in first.items()}),
            SIN: _added(times(waves[SIN], own[COS]), second),
        }
    return waves[node.op]


def _turns(angle: Polynomial) -> tuple[dict[Node, int], Node]:
    """Split an angle into whole multiples of symbols and the rest."""
    turns: dict[Node, int] = {}
    rest = ZERO
    for (powers, waves), x in angle.items():
        single = not waves and len(powers) == 1 and powers[0][1] == 1 and powers[0][0].op is SYMBOL
        if single and x.rational and x.rational[1] == 1:
            turns[powers[0][0]] = x.rational[0]
        else:
            rest = add(rest, mul(x, as_nodes(powers, waves)))
    return turns, rest


def as_nodes(powers: Powers, waves: Iterable[Wave]) -> Node:
    """Return the product of powers and waves."""
    made = ONE
    for factor, n in powers:
        made = mul(made, factor**n)
    for angle, k, op in waves:
        made = mul(made, rebuild(op, (mul(as_node(k), angle),)))
    return made


def _alone(node: Node, made: Mapping[Node, Polynomial]) -> Polynomial:
    """Return a constant or a factor by itself."""
    if node is ZERO:
        return {}
    if node.op is CONST:
        return {UNIT: node}
    if node.op is NEG:
        return {term: neg(x) for term, x in _alone(node.args[0], made).items()}
    return {(((node, 1),), ()): ONE}


_POLYNOMIALS: dict[str, Callable[[Node, Mapping[Node, Polynomial]], Polynomial]] = {
    **dict.fromkeys(OPERATIONS, _alone),
    ADD: _sum,
    NEG: _negative,
    MUL: _product,
    DIV: _quotient,
    SIN: _wave,
    COS: _wave,
}


def collected(pairs: Iterable[tuple[Term, Node]]) -> Polynomial:
    """Return the sum of terms, like ones together."""
    found: Polynomial = {}
    for term, x in pairs:
        found[term] = add(found[term], x) if term in found else x
    return {term: x for term, x in found.items() if x is not ZERO}


def _added(a: Polynomial, b: Polynomial) -> Polynomial:
    return collected([*a.items(), *b.items()])


def multiplied(a: Powers, b: Powers) -> Powers:
    """Return the product of powers; x and 1/x cancel."""
    if not a or not b:
        return a or b
    found = dict(a)
    for factor, n in b:
        found[factor] = found.get(factor, 0) + n
    for below in [x for x in found if x.op is DIV and x.args[1] in found]:  # 1/x is a factor of its own
        n = min(found[below], found[below.args[1]])
        found[below], found[below.args[1]] = found[below] - n, found[below.args[1]] - n
        found = {factor: n for factor, n in found.items() if n}
    return tuple(sorted(found.items(), key=lambda pair: pair[0].key))


def _crossed(v: tuple[Wave, ...], w: tuple[Wave, ...]) -> list[tuple[tuple[Wave, ...], Node]]:
    """Return the product of the waves of several angles as a sum of such products, with their constants."""
    if not v or not w:
        return [(v or w, ONE)]
    first = {angle: (k, op) for angle, k, op in v}
    made: list[tuple[tuple[Wave, ...], Node]] = [(tuple(x for x in v if x[0] not in {y[0] for y in w}), ONE)]
    for angle, k, op in w:
        if angle not in first:
            made = [((*waves, (angle, k, op)), x) for waves, x in made]
            continue
        parts = _beaten(*first[angle], k, op)
        made = [((*waves, *((angle, *p) for p in part)), mul(x, y)) for waves, x in made for part, y in parts]
    return [(tuple(sorted(waves, key=lambda x: x[0].key)), x) for waves, x in made]


def _beaten(a: int, first: str, b: int, second: str) -> list[tuple[tuple[tuple[int, str], ...], Node]]:
    """Return the product of two waves of one angle as a sum: cos a cos b = (cos(a - b) + cos(a + b))/2 and so on."""
    if first is second:
        op, near, far = COS, HALF, HALF if first is COS else neg(HALF)
    else:
        op, far = SIN, HALF
        near = HALF if first is SIN else neg(HALF)  # sin a cos b = (sin(a - b) + sin(a + b))/2
    difference = a - b
    if op is SIN and difference < 0:
        near = neg(near)
    made: list[tuple[tuple[tuple[int, str], ...], Node]] = [(((a + b, op),), far)]
    if difference:
        made.append((((abs(difference), op),), near))
    elif op is COS:
        made.append(((), near))
    return made
