"""States in real numbers in which two expressions differ by more than rounding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from ..graph import intervals
from ..graph.derivative import jacobian
from ..graph.evaluate import evaluate, symbols, topological
from ..graph.node import Node, symbol
from ..graph.operations import COS, FUNCTIONS, SIN, SYMBOL
from ..graph.text import to_text, written_size
from .domain import Domain

_NODES = 2_000_000
"""Roughly how many nodes are evaluated in floats in the search for a state."""
_FEW = 40
"""How many pairs are examined one by one if some pair has no value."""
_SHOWN = 60
"""Symbols whose values a message shows."""
APART = 1e-9
"""Relative difference in floats that rounding of a state that satisfies equations does not explain."""
SINGULAR = 1e-7
"""Length of a column, as a part of the largest entry, below which it depends on others."""
_NOT_RATIONAL = {*FUNCTIONS} - {SIN, COS}


@dataclass(frozen=True)
class Place:
    """An entry of an output: its name, its shape, and the entry's number row by row."""

    name: str
    shape: tuple[int, ...]
    number: int

    def __str__(self) -> str:
        index, rest = [], self.number
        for n in reversed(self.shape):
            rest, k = divmod(rest, n)
            index.append(str(k))
        return f"{self.name}[{', '.join(reversed(index))}]" if index else self.name


@dataclass(frozen=True)
class Counterexample:
    """A state, and what two expressions give there."""

    place: Place
    state: Mapping[str, float]
    first: str
    second: str

    def shown(self) -> str:
        """Return the state as the end of a sentence."""
        if not self.state:
            return ""
        shown = ", where " + ", ".join(f"{name} = {value!r}" for name, value in list(self.state.items())[:_SHOWN])
        more = len(self.state) - _SHOWN
        return f"{shown}, and {more} more (the error's attribute state holds all)" if more > 0 else shown


Pair = tuple[Place, Node, Node]


def counterexample(pairs: Sequence[Pair], order: Sequence[Node]) -> Counterexample | None:
    """Return a state in which one of the pairs certainly differs; None if none is found."""
    names = sorted(str(node.value) for node in order if node.op is SYMBOL)
    tries = max(6, min(60, _NODES // len(order)))
    ranked: list[tuple[float, int, dict[str, float]]] = []
    for number, state in enumerate(_states(names, tries)):
        ranked.append((-_difference(pairs, state), number, state))
    ranked.sort(key=lambda x: x[:2])
    for _, _, state in ranked[:4]:
        found = _confirmed(pairs, state)
        if found:
            return found
    return None


def counterexample_in(pairs: Sequence[Pair], domain: Domain) -> tuple[Counterexample | None, int]:
    """Return a state of a domain in which one of the pairs certainly differs, and in how many they do not."""
    names = sorted(symbols([node for _, *both in pairs for node in both]))
    random, ranked, agree = Random(0), list[tuple[float, int, dict[str, float]]](), 0
    for number, known in enumerate(domain.states()):
        state = {name: round(random.uniform(-1.0, 1.0), 3) for name in names} | dict(known)
        difference = _difference(pairs, state)
        agree += 0.0 <= difference < APART
        ranked.append((-difference, number, state))
    for difference, _, state in sorted(ranked, key=lambda x: x[:2])[:4]:
        box = enclosed(domain.equations, state) if -difference >= APART else None
        found = _confirmed(pairs, box) if box else None
        if found:
            own = {**dict.fromkeys(symbols(domain.equations)), **found.state}
            return replace(found, state={name: state[name] for name in own}), agree
    return None, agree


def enclosed(equations: Sequence[Node], state: Mapping[str, float]) -> dict[str, Any] | None:
    """Return narrow intervals round a state in which there is an exact solution of equations; None if this fails.

    As many unknowns as the equations have rank are solved for, from as many equations, by Newton steps; Krawczyk's
    operator then shows that their intervals contain a solution. The other equations, which follow from these, must be
    zero there but for rounding.
    """
    import numpy as np

    names = symbols(equations)
    slopes = jacobian(list(equations), [symbol(name) for name in names])
    J = np.array(evaluate([x for row in slopes for x in row], state)).reshape(len(equations), len(names))
    size = np.abs(J).max(initial=0.0)
    columns, rest = list[int](), J.copy()
    while rest.size and len(columns) < len(names):  # a basis of the columns, the longest first
        lengths = np.linalg.norm(rest, axis=0)
        k = int(np.argmax(lengths))
        if lengths[k] <= SINGULAR * size:
            break
        columns.append(k)
        unit = rest[:, k] / lengths[k]
        rest -= np.outer(unit, unit @ rest)
    rows, rest = list[int](), J[:, columns].T.copy()
    for _ in columns:
        lengths = np.linalg.norm(rest, axis=0)
        k = int(np.argmax(lengths))
        if lengths[k] <= SINGULAR * size:
            return None
        rows.append(k)
        unit = rest[:, k] / lengths[k]
        rest -= np.outer(unit, unit @ rest)
    unknown, chosen = [names[k] for k in columns], [equations[k] for k in rows]
    inverse = np.linalg.inv(J[np.ix_(rows, columns)])
    return intervals.solution(
        chosen,
        [slopes[i][k] for i in rows for k in columns],
        equations,
        unknown,
        [[float(x) for x in row] for row in inverse],
        state,
    )


def _states(names: Sequence[str], count: int) -> Iterator[dict[str, float]]:
    """Yield random states: of all sizes and signs, positive ones, and some that contain zeros and ones."""
    random = Random(0)
    for number in range(count):
        low, high = ((-1.0, 1.0), (0.1, 2.0), (-3.2, 3.2), (-20.0, 20.0), (-1000.0, 1000.0))[number % 5]
        state = {name: round(random.uniform(low, high), 3) for name in names}
        if number % 2:
            few = random.choice((0.2, 0.5))
            state = {name: random.choice((0.0, 1.0, -1.0)) if random.random() < few else x for name, x in state.items()}
        yield state


def _difference(pairs: Sequence[Pair], state: Mapping[str, float]) -> float:
    """Return the largest relative difference in floats; -1 if no pair has a value."""
    try:
        values = evaluate([node for _, *both in pairs for node in both], state)
    except (ArithmeticError, ValueError):  # of one pair; others may have values
        return max((_difference([pair], state) for pair in pairs), default=-1.0) if 1 < len(pairs) <= _FEW else -1.0
    both = zip(values[::2], values[1::2], strict=True)
    return max(abs(a - b) / (abs(a) + abs(b)) if a != b else 0.0 for a, b in both)


def _confirmed(pairs: Sequence[Pair], state: Mapping[str, Any]) -> Counterexample | None:
    """Return the pair that differs most in a state, if intervals that contain the true values do not overlap.

    Entries of the state can be intervals.
    """
    for digits in intervals.DIGITS:
        try:
            values = intervals.evaluate([node for _, *both in pairs for node in both], state, digits)
        except intervals.Undefined:
            if 1 < len(pairs) <= _FEW:
                return next(filter(None, (_confirmed([pair], state) for pair in pairs)), None)
            continue
        for (place, a, b), x, y in zip(pairs, values[::2], values[1::2], strict=True):
            if x < y or y < x:
                own = {*symbols([a, b])}
                return Counterexample(place, {k: v for k, v in state.items() if k in own}, *_apart(x, y))
    return None


def _apart(x: intervals.Interval, y: intervals.Interval) -> tuple[str, str]:
    """Return two numbers as text, with enough digits to tell them apart."""
    for digits in (17, 30, *intervals.DIGITS):
        one, other = intervals.written(x, digits), intervals.written(y, digits)
        if one != other:
            break
    return one, other


def obstacles(pairs: Sequence[Pair]) -> str:
    """Say why expressions that seem equal could not be proved so."""
    order = topological((node for _, *both in pairs for node in both), lambda node: node.made[1])
    found = [node for node in order if node.made[0] in _NOT_RATIONAL]
    found += [node for node in order if node.made[0] in (SIN, COS) and not found]
    shown = [_written(*node.made) for node in found if written_size(node) < 20][:4]
    if shown:
        return f"a proof takes {', '.join(shown)} as unknown functions of their arguments, and would need to know more"
    return "the difference may be too small to detect"


def _written(op: str, args: Sequence[Node]) -> str:
    return f"{op}({', '.join(map(to_text, args))})"
