"""Walks over graphs: topological order, numeric and exact evaluation, substitution."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from operator import attrgetter
from random import Random
from typing import Any

from ..errors import ExpressionError
from . import exact
from .exact import P, Turn
from .node import (
    ABS,
    ACOS,
    ADD,
    ASIN,
    ATAN2,
    CONST,
    COS,
    DIV,
    MUL,
    NEG,
    SIGN,
    SIN,
    SQRT,
    SYMBOL,
    Node,
    rebuild,
)


def topological(outputs: Iterable[Node], needs: Callable[[Node], Iterable[Node]] = attrgetter("args")) -> list[Node]:
    """Return every node that the outputs need, each once, arguments before their users."""
    order: list[Node] = []
    seen: set[Node] = set()
    for output in outputs:
        stack = [output]
        while stack:
            node = stack[-1]
            if node in seen:
                stack.pop()
                continue
            waiting = [a for a in needs(node) if a not in seen]
            if waiting:
                stack.extend(reversed(waiting))
            else:
                seen.add(node)
                order.append(stack.pop())
    return order


def symbols(outputs: Iterable[Node]) -> list[str]:
    """Return the names of the symbols that the outputs need, in order of appearance."""
    return [str(node.value) for node in topological(outputs) if node.op is SYMBOL]


def substitute(outputs: Sequence[Node], values: Mapping[str, Node]) -> list[Node]:
    """Return the outputs with symbols replaced, simplified again."""
    new: dict[Node, Node] = {}
    for node in topological(outputs):
        if node.op is SYMBOL:
            new[node] = values.get(str(node.value), node)
        else:
            args = tuple(new[a] for a in node.args)
            new[node] = node if args == node.args else rebuild(node.op, args)
    return [new[node] for node in outputs]


_NUMERIC: dict[str, Callable[..., Any]] = {
    ADD: lambda a, b: a + b,
    NEG: lambda a: -a,
    MUL: lambda a, b: a * b,
    DIV: lambda a, b: a / b,
    SQRT: math.sqrt,
    SIN: math.sin,
    COS: math.cos,
    ASIN: math.asin,
    ACOS: math.acos,
    ATAN2: math.atan2,
    ABS: abs,
    SIGN: lambda a: float(a > 0) - float(a < 0),
}


def evaluate(outputs: Sequence[Node], values: Mapping[str, float]) -> list[float]:
    """Return the outputs' values in floats."""
    known: dict[Node, float] = {}
    for node in topological(outputs):
        if node.op is CONST:
            known[node] = float(node)
        elif node.op is SYMBOL:
            try:
                known[node] = float(values[str(node.value)])
            except KeyError:
                raise ExpressionError(f"the symbol {node.value} has no value") from None
        else:
            known[node] = _NUMERIC[node.op](*(known[a] for a in node.args))
    return [known[node] for node in outputs]


_ATTEMPTS = 50_000


class NoRoot(ArithmeticError):
    """A square root or quotient has no value at this point of the field; another point is to be taken."""


class ExactPoint:
    """A random point of the field: each symbol has a value and, independently, an angle; both depend on the seed alone.

    Symbols that are called steady have the same value at all points, whatever the seed.
    """

    def __init__(self, seed: int, steady: Set[str] = frozenset(), steady_seed: int = 0) -> None:
        self._seed, self._steady, self._steady_seed = seed, steady, steady_seed
        self._values: dict[Node, int] = {}
        self._turns: dict[Node, Turn] = {}

    def residues(self, outputs: Sequence[Node]) -> list[int]:
        """Return the outputs' values in the field."""
        known = self._values
        self.visit(topological(outputs, lambda x: () if x in known else x.args))
        return [known[node] for node in outputs]

    def visit(self, order: Iterable[Node]) -> None:
        """Find the values of nodes that stand behind their arguments."""
        known = self._values
        for node in order:
            if node not in known:
                known[node] = self._value(node)

    def _random(self, node: Node, what: str) -> Random:
        seed = f"steady {self._steady_seed}" if node.value in self._steady else self._seed
        return Random(f"{seed} {what} {node.value}")

    def _value(self, node: Node) -> int:
        op, known = node.op, self._values
        if op is CONST:
            return node.exact.residue
        if op is SYMBOL:
            return self._random(node, "value").randrange(1, P)
        if op is SIN:
            return self._turn(node.args[0])[1]
        if op is COS:
            return self._turn(node.args[0])[0]
        args = [known[a] for a in node.args]
        if op is ADD:
            return (args[0] + args[1]) % P
        if op is MUL:
            return args[0] * args[1] % P
        if op is NEG:
            return -args[0] % P
        if op is DIV:
            if args[1] == 0:
                raise NoRoot
            return args[0] * pow(args[1], -1, P) % P
        if op is SQRT:
            root = exact.square_root(args[0])
            if root is None:
                raise NoRoot
            return root
        if op is ABS:
            return args[0] if exact.is_square(args[0]) else P - args[0]
        if op is SIGN:
            return 0 if args[0] == 0 else 1 if exact.is_square(args[0]) else P - 1
        return Random(f"{self._seed} {op} {args}").randrange(P)  # an inverse function's value is no algebraic one

    def _turn(self, angle: Node) -> Turn:
        """Return an expression as an angle: sums of angles and of their rational multiples stay exact."""
        if angle in self._turns:
            return self._turns[angle]
        op = angle.op
        if op is CONST:
            result = exact.turn(angle.exact)
        elif op is SYMBOL:
            result = exact.generic_turn(self._random(angle, "angle").randrange(P))
        elif op is ADD:
            result = exact.rotate(*(self._turn(a) for a in angle.args))
        elif op is NEG:
            c, s = self._turn(angle.args[0])
            result = c, -s % P
        elif op is MUL and angle.args[0].op is CONST:
            c, s = self._turn(angle.args[1])
            result = exact.multiple((c, s), self._factor(angle.args[0]))
        elif op is ATAN2:
            result = self._arc(*self.residues(angle.args))
        elif op is ASIN or op is ACOS:
            (x,) = self.residues(angle.args)
            other = self._root(1 - x * x)
            result = (other, x) if op is ASIN else (x, other)
        else:  # a function that is no angle: any fixed angle of its value will do
            result = exact.generic_turn(Random(f"{self._seed} turn {self.residues([angle])}").randrange(P))
        self._turns[angle] = result
        return result

    @staticmethod
    def _factor(node: Node) -> int:
        value = float(node)
        return int(value) if value == int(value) and abs(value) < 2**53 else exact.multiplier(node.exact)

    def _arc(self, y: int, x: int) -> Turn:
        scale = pow(self._root(x * x + y * y), -1, P)
        return x * scale % P, y * scale % P

    @staticmethod
    def _root(x: int) -> int:
        root = exact.square_root(x % P)
        if not root:
            raise NoRoot
        return root


def exact_points(nodes: Sequence[Node], count: int, seed: int = 0, steady: Set[str] = frozenset()) -> list[ExactPoint]:
    """Return points of the field at which all the nodes have values; half of all numbers have no square root there."""
    found: list[ExactPoint] = []
    steady_seed = seed
    order = topological(nodes)
    for attempt in range(_ATTEMPTS):
        point = ExactPoint(seed + attempt, steady, steady_seed)
        try:
            point.visit(order)
        except NoRoot:
            steady_seed += not found  # it may be the steady symbols that have no root
            continue
        found.append(point)
        if len(found) == count:
            return found
    raise ExpressionError(f"no point of the field has all the square roots of this graph, in {_ATTEMPTS} attempts")
