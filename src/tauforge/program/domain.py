"""The states for which a Program is meant, if these are not all: such as those in which a robot's loops are closed.

A proof of equality is then over these states, and a counterexample is one of them. See ``docs/theory/proofs.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ..graph.evaluate import symbols, topological
from ..graph.functions import cos, sin
from ..graph.node import ONE, ZERO, Node, as_node
from ..graph.operations import ADD, CONST, COS, MUL, NEG, SIN, SYMBOL
from ..graph.rewrite import built_anew


class Turn(NamedTuple):
    """Sine and cosine of an angle."""

    s: Node
    c: Node

    def plus(self, other: Turn) -> Turn:
        """Return the sum of two angles."""
        return Turn(self.s * other.c + self.c * other.s, self.c * other.c - self.s * other.s)

    def times(self, n: int) -> Turn:
        """Return a whole multiple of the angle."""
        way, total = (self if n > 0 else Turn(-self.s, self.c)), Turn(ZERO, ONE)
        for _ in range(abs(n)):
            total = total.plus(way)
        return total


class Solution(NamedTuple):
    """Some symbols, exactly, as functions of the others: lengths by their values, angles by their sines and cosines.

    Each may need those before it. ``text`` says what else the solution takes for granted, as "q3 = -q2".
    """

    steps: Mapping[str, Node | Turn]
    text: str = ""


class Domain(Protocol):
    """Which states a Program is for."""

    @property
    def text(self) -> str:
        """What holds in these states, such as "the loops of fourbar are closed"."""

    @property
    def equations(self) -> tuple[Node, ...]:
        """Expressions that are zero in these states."""

    def solutions(self) -> Sequence[Solution]:
        """Return exact solutions of the equations, those first that leave out least; none if none is known."""

    def states(self) -> Sequence[Mapping[str, float]]:
        """Return some of these states in floats: values for all symbols of the equations."""

    def bound(self, values: Mapping[str, Node]) -> Domain | None:
        """Return the same for a Program some of whose parameters have values."""


@dataclass(frozen=True)
class Both:
    """The states that two Programs are for."""

    first: Domain
    second: Domain

    @property
    def text(self) -> str:
        """What holds in these states."""
        return f"{self.first.text} and {self.second.text}"

    @property
    def equations(self) -> tuple[Node, ...]:
        """The equations of both."""
        return tuple(dict.fromkeys((*self.first.equations, *self.second.equations)))

    def solutions(self) -> Sequence[Solution]:
        """Return none: the solution of one says nothing of the other."""
        return []

    def states(self) -> Sequence[Mapping[str, float]]:
        """Return none: states of one need not be states of the other."""
        return []

    def bound(self, values: Mapping[str, Node]) -> Domain | None:
        """Return the same with values for some parameters."""
        return common(self.first.bound(values), self.second.bound(values))


def common(first: Domain | None, second: Domain | None) -> Domain | None:
    """Return the states that two Programs are for; None if these are all."""
    if first is None or second is None:
        return first or second
    return first if first is second or first.equations == second.equations else Both(first, second)


class Unresolved(ArithmeticError):
    """An angle is not a sum of whole multiples of those whose sine and cosine are known."""


def resolved(outputs: Sequence[Node], solution: Solution) -> list[Node]:
    """Return expressions in the symbols that a solution leaves free.

    An angle that appears outside sines and cosines stays a symbol of its own, of which nothing is known.
    """
    new: dict[Node, Node] = {}
    known: dict[str, Node | Turn] = {}

    def resolve(nodes: Sequence[Node]) -> list[Node]:
        for node in topological(nodes, lambda x: () if x in new else x.args):
            if node not in new:
                new[node] = _replacement(node, new, known)
        return [new[node] for node in nodes]

    for name, step in solution.steps.items():
        parts = resolve(step if isinstance(step, Turn) else [step])
        new.clear()  # what was resolved before this symbol was known
        known[name] = Turn(*parts) if isinstance(step, Turn) else parts[0]
    return resolve(outputs)


def _replacement(node: Node, new: Mapping[Node, Node], known: Mapping[str, Node | Turn]) -> Node:
    if node.op is SYMBOL:
        value = known.get(str(node.value))
        return value if isinstance(value, Node) else node
    if node.op not in (SIN, COS):
        return built_anew(node, new)
    if not any(isinstance(known.get(name), Turn) for name in symbols(node.args)):
        return built_anew(node, new)
    total, rest = Turn(ZERO, ONE), ZERO
    for term, times in _terms(node.args[0]).items():
        turn = known.get(str(term.value)) if term.op is SYMBOL else None
        if isinstance(turn, Turn):
            if times != int(times):
                raise Unresolved
            total = total.plus(turn.times(int(times)))
        elif any(isinstance(known.get(name), Turn) for name in symbols([term])):
            raise Unresolved
        else:
            rest = rest + new[term] * times
    total = total.plus(Turn(as_node(sin(rest)), as_node(cos(rest))))
    return total.s if node.op is SIN else total.c


def _terms(angle: Node) -> dict[Node, float]:
    """Return a sum as its terms and their factors."""
    found: dict[Node, float] = {}
    waiting = [(angle, 1.0)]
    while waiting:
        node, times = waiting.pop()
        if node.op is ADD:
            waiting += [(a, times) for a in node.args]
        elif node.op is NEG:
            waiting.append((node.args[0], -times))
        elif node.op is MUL and node.args[0].op is CONST and node.args[0].value == int(node.args[0].value):
            waiting.append((node.args[1], times * node.args[0].value))
        else:
            found[node] = found.get(node, 0.0) + times
    return found
