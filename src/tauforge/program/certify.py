"""Proof that two Programs are equal, by exact evaluation at random points of a prime field."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from ..errors import CertificationError, ProgramError
from ..graph.evaluate import evaluate, exact_points
from ..graph.exact import M
from ..graph.node import ADD, COS, DIV, MUL, NEG, SIN, SQRT, SYMBOL, Node

if TYPE_CHECKING:
    from .program import Program


@dataclass(frozen=True)
class Certificate:
    """Two Programs agreed at ``points`` random points of a field of about 2⁹⁰ elements.

    ``probability`` bounds the chance that they differ all the same: (degree / |group|) to the power of ``points``, the
    degree being that of the outputs as rational functions of parameters, coordinates, and points on the unit circle.
    """

    points: int
    degree: int
    probability: float

    def __str__(self) -> str:
        return f"equal at {self.points} exact random points; chance of error below {self.probability:.1e}"


def certify(first: Program, second: Program, *, points: int, seed: int | None) -> Certificate:
    for what in ("inputs", "outputs"):
        ours, theirs = (
            {name: tuple(shape) for name, shape in getattr(p, what).items() if name != "parameters"}
            for p in (first, second)
        )
        if ours != theirs:
            raise ProgramError(
                f"{first.name} and {second.name} cannot be compared: their {what} are {ours} and {theirs}"
            )
    if points < 1:
        raise ProgramError("a certificate needs at least one point")
    seed = secrets.randbits(128) if seed is None else seed
    every = [node for program in (first, second) for array in program.results.values() for node in array.nodes]
    for point in exact_points(every, points, seed):
        for name, array in first.results.items():
            pairs = zip(point.residues(array.nodes), point.residues(second.results[name].nodes), strict=True)
            for i, (a, b) in enumerate(pairs):
                if a != b:
                    raise CertificationError(_counterexample(first, second, name, i, seed))
    degree = max(_degree(first), _degree(second))
    return Certificate(points, degree, min(1.0, 2 * degree / M) ** points)


def _degree(program: Program) -> int:
    """Bound the degree of numerator and denominator of the outputs' difference."""
    bound: dict[Node, tuple[int, int]] = {}
    for node in program.order:
        args = [bound[a] for a in node.args]
        if node.op is SYMBOL:
            bound[node] = 1, 0
        elif node.op in (SIN, COS):  # a point of the circle is a quadratic function over a quadratic one
            bound[node] = 2 * max(1, args[0][0]), 2 * max(1, args[0][0])
        elif node.op is MUL:
            bound[node] = args[0][0] + args[1][0], args[0][1] + args[1][1]
        elif node.op is ADD:
            (n1, d1), (n2, d2) = args
            bound[node] = (max(n1, n2), d1) if d1 == d2 else (max(n1 + d2, n2 + d1), d1 + d2)
        elif node.op is DIV:
            bound[node] = args[0][0] + args[1][1], args[0][1] + args[1][0]
        elif node.op in (NEG, SQRT):
            bound[node] = args[0]
        else:
            bound[node] = args[0] if args else (0, 0)
    return 2 * max((sum(bound[n]) for array in program.results.values() for n in array.nodes), default=0)


def _counterexample(first: Program, second: Program, name: str, index: int, seed: int) -> str:
    """Describe a difference in ordinary numbers, at a random state."""
    random = Random(seed)
    symbols = sorted({str(n.value) for p in (first, second) for n in p.order if n.op is SYMBOL})
    values = {symbol: round(random.uniform(-1, 1), 3) for symbol in symbols}
    place = f"{name}[{index}]"
    try:
        (a,), (b,) = (evaluate([p.results[name].nodes[index]], values) for p in (first, second))
        numbers = f"{first.name} gives {a!r} and {second.name} {b!r}"
        if abs(a - b) <= 1e-9 * abs(a):
            numbers += " (so they differ by no more than rounding: some constants were rounded before they came here)"
    except (ArithmeticError, ValueError):
        numbers = "they differ in exact arithmetic"
    shown = ", ".join(f"{k} = {v}" for k, v in list(values.items())[:40])
    hint = ""
    if set(first.parameters) != set(second.parameters):
        hint = ". They take different parameters; base.in_standard(program) writes base parameters in standard ones"
    return f"{first.name} and {second.name} are not equal: at {place} {numbers}, where {shown}{hint}"
