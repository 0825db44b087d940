"""The closed form of a Program: every output as one expression, as a textbook writes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, reduce
from typing import Any

from ..errors import CertificationError, ExpressionError
from ..graph.collector import collector_paused
from ..graph.functions import rebuild
from ..graph.node import Node, add, as_node, div, mul, neg, symbol
from ..graph.operations import ADD, CONST, COS, DIV, SIN, SYMBOL
from ..program.program import PARAMETERS, Program, natural
from ..targets.expression import Call, Element, Expression, Number, Product, Quotient, Sum, Variable
from ..targets.statements import indices
from .factor import MOTION, Constant, Factoring, leaves
from .polynomial import LONGEST, TooLong, polynomials
from .waves import Products, products

PER_ENTRY, PER_PROGRAM = 60, 400
"""Names and numbers that an entry and a whole Program can show and still be read."""
SHORT = 600
"""Terms of polynomials that can still become readable."""


@dataclass(frozen=True)
class Closed:
    """Closed forms of a Program's outputs.

    Attributes
    ----------
    program
        The Program that they equal.
    outputs
        Name of each output -> its entries, row by row.
    waves
        Name of a short sine or cosine, such as c12 -> the function and its angle.
    """

    program: Program
    outputs: Mapping[str, tuple[Expression, ...]]
    waves: Mapping[str, Call]

    @property
    def readable(self) -> bool:
        """Whether every entry, and all of them together, are short enough to read."""
        sizes = [leaves(x) for entries in self.outputs.values() for x in dict.fromkeys(entries)]
        return max(sizes, default=0) <= PER_ENTRY and sum(sizes) <= PER_PROGRAM

    def as_program(self) -> Program:
        """Return the expressions as a Program with the same inputs: what they say, word for word."""
        known = {
            (name, place): node
            for name, array in self.program.arguments.items()
            for place, node in enumerate(array.nodes)
        }
        results = {
            name: replace(array, nodes=tuple(_node(x, known, self.waves) for x in self.outputs[name]))
            for name, array in self.program.results.items()
        }
        return Program(self.program.name, self.program.arguments, results)


@collector_paused()
def closed(program: Program, longest: int = LONGEST, capital: bool = False) -> Closed:
    """Return the closed form of a Program, proved equal to it, over polynomials of at most so many terms.

    Sines and cosines are called s1 and c1, or S1 and C1 if they are to be capital.

    Raises
    ------
    TooLong
        If it would have too many terms, or if it cannot be proved.
    """
    made = written(program, longest, capital)
    try:
        made.as_program().certify(program)
    except CertificationError as error:
        raise TooLong(f"{program.name}: its closed form could not be proved ({error}); take style='steps'") from None
    return made


@collector_paused()
def written(program: Program, longest: int = LONGEST, capital: bool = False) -> Closed:
    """Return the same without the proof."""
    if program.repeat:
        raise TooLong(f"{program.name} is repeated until it is done: it has no closed form; take style='steps'")
    inputs = [(key, a) for key, a in program.arguments.items() if key != PARAMETERS]
    alike = {f"{key}{i}" for key, a in inputs for i in range(1, len(a.nodes) + 1)}.intersection(program.parameters)
    if alike:
        raise TooLong(
            f"{program.name}: the parameter {min(alike)} looks like an input; call it otherwise, or take style='steps'"
        )
    names = _Names(program, longest, capital)
    outputs = {node: None for array in program.results.values() for node in array.nodes}
    try:
        forms = names.forms(outputs)
    except ExpressionError as error:  # a power of a power of a constant
        raise TooLong(f"{program.name}: {error}; take style='steps'") from None
    writer = Factoring(names.spelled, names.rank)
    texts = {node: writer.expression(form) for node, form in forms.items()}
    entries = {name: tuple(texts[node] for node in array.nodes) for name, array in program.results.items()}
    return Closed(program, entries, names.waves)


class _Names:
    """What factors are called, and where they are written."""

    def __init__(self, program: Program, longest: int, capital: bool) -> None:
        self._longest, self._capital = longest, capital
        self.waves: dict[str, Call] = {}
        self._places: dict[Node, Element] = {}
        for name, array in program.arguments.items():
            for place, (index, node) in enumerate(zip(indices(array), array.nodes, strict=True)):
                if name != PARAMETERS:
                    self._places[node] = Element(name, index, place)
        coordinates = program.arguments.get("q")
        self._joints = {node: j for j, node in enumerate(coordinates.nodes, 1)} if coordinates else {}
        self._moving = {node for node, x in self._places.items() if x.array != "q"} if self._joints else set()
        self._taken = {*program.parameters, *program.arguments, *program.results}
        self.spelled, self.rank = cache(self._spelled), cache(self._rank)

    def forms(self, outputs: Mapping[Node, None]) -> dict[Node, Products]:
        made = polynomials(outputs, self._longest)
        if sum(map(len, made.values())) > self._longest:
            raise TooLong(f"a closed form would need more than {self._longest} terms; take style='steps'")
        return dict(zip(made, products([*made.values()], [*self._joints]), strict=True))

    def _spelled(self, node: Node) -> Expression:
        """Return the expression of a factor."""
        if node in self._places:
            return self._places[node]
        if node.op is SYMBOL:
            return Variable(str(node.value))
        if node.op is CONST:
            return Constant(float(node), node)
        if node.op is DIV:
            return Quotient(Number(1.0), self.closed(node.args[1]))
        call = Call(node.op, tuple(self.closed(a) for a in node.args))
        short = self._short(node)
        if short:
            self.waves[short] = call
            return Variable(short)
        return call

    def closed(self, node: Node) -> Expression:
        """Return the closed form of an argument of a function."""
        ((_, form),) = self.forms({node: None}).items()
        return Factoring(self.spelled, self.rank).expression(form)

    def _short(self, node: Node) -> str:
        """Return c12 for the cosine of the sum of the first two joints; nothing if there is no such name."""
        if node.op not in (SIN, COS):
            return ""
        joints = self._sum_of_joints(node.args[0])
        letter = node.op[0].upper() if self._capital else node.op[0]
        name = letter + ("_" if any(j > 9 for j in joints) else "").join(map(str, joints))
        return name if joints and name not in self._taken else ""

    def _sum_of_joints(self, angle: Node) -> list[int]:
        if angle in self._joints:
            return [self._joints[angle]]
        if angle.op is not ADD:
            return []
        parts = [self._sum_of_joints(a) for a in angle.args]
        return sorted(parts[0] + parts[1]) if all(parts) else []

    def _rank(self, node: Node) -> tuple[Any, ...]:
        """Return where a factor is written: quotients, parameters, coordinates, sines and cosines, velocities."""
        if node in self._moving:
            x = self._places[node]
            return MOTION, {"qdd": 0}.get(x.array, 1), x.array, x.place
        if node in self._joints:
            return 1, 0, "", self._joints[node]
        if node.op in (SIN, COS):
            joints = self._sum_of_joints(node.args[0])
            return 2, len(joints), str(joints or node), node.op == SIN
        kind = 0 if node.op is SYMBOL else 1
        return kind, 0, natural(str(node.value)) if kind == 0 else str(node), 0


def _node(x: Expression, known: Mapping[tuple[str, int], Node], waves: Mapping[str, Call]) -> Node:
    """Return an expression as a graph."""

    def of(part: Expression) -> Node:
        return _node(part, known, waves)

    match x:
        case Constant():
            return x.node
        case Number(value):
            return as_node(value)
        case Variable(name):
            return of(waves[name]) if name in waves else symbol(name)
        case Element(array, _, place):
            return known[array, place]
        case Sum(terms):
            return reduce(add, (neg(of(term)) if negative else of(term) for negative, term in terms))
        case Product(factors):
            return reduce(mul, map(of, factors))
        case Quotient(top, bottom):
            return div(of(top), of(bottom))
        case Call(function, arguments):
            return rebuild(function, tuple(map(of, arguments)))
        case _:
            raise TypeError(f"{x} is not one value")
