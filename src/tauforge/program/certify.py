"""Proof that two Programs are equal, or a state in which they differ.

The theory, with its lemma and its bound, is in ``docs/theory/proofs.md``.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import CertificationError, ProgramError, Undecided
from ..graph.error_bound import Bounds
from ..graph.evaluate import topological
from ..graph.field import Field
from ..graph.node import Node
from ..graph.operations import ABS, SIGN
from ..graph.points import Points
from ..graph.surd import MOST, NoInverse, TooManyRoots
from .refute import Place, counterexample, obstacles

if TYPE_CHECKING:
    from .program import Program

LARGEST = 1500
"""Largest number of bits of a field; only absurd fractions of angles need more."""
_ATTEMPTS = 8


@dataclass(frozen=True)
class Certificate:
    """Two Programs are equal: they agreed at random points of a random prime field.

    Attributes
    ----------
    points
        The number of points.
    degree
        A bound on the degree of the outputs' differences, as polynomials in the random values.
    probability
        A bound on the chance that the Programs differ after all.
    """

    points: int
    degree: int
    probability: float

    def __str__(self) -> str:
        return f"equal at {self.points} exact random points; chance of error below {self.probability:.1e}"


def certify(first: Program, second: Program, *, points: int, seed: int | None) -> Certificate:
    _check(first, second, points)
    pairs = [
        (Place(name, array.shape, i), a, b)
        for name, array in first.results.items()
        for i, (a, b) in enumerate(zip(array.nodes, second.results[name].nodes, strict=True))
        if a is not b
    ]
    nodes = [node for _, *both in pairs for node in both]
    order = topological(nodes, lambda node: node.made[1])
    bounds = Bounds(order)
    degree, bits, chance = bounds.field(nodes)
    given = secrets.token_hex(16) if seed is None else str(seed)
    kinds = {node.op for node in order}
    left, obstacle = pairs, ""
    ways: tuple[bool, ...] = (False, True) if {ABS, SIGN} <= kinds else (False,)
    if bits > LARGEST:
        ways, obstacle = (), f"a proof would need a field of {bits} bits, and at most {LARGEST} are taken"
    for products in ways:
        left, obstacle = _unequal(left, bounds, bits, f"{given} {products}", points, products)
        chance *= 1 + products
        if not left:
            return Certificate(points, degree, float(chance))
    raise _failure(first, second, left, order, obstacle)


def _check(first: Program, second: Program, points: int) -> None:
    if first.repeat != second.repeat:
        raise ProgramError(
            f"{first.name} and {second.name} are not repeated in the same way, so they cannot be compared"
        )
    for what in ("inputs", "outputs"):
        ours, theirs = (
            {name: tuple(shape) for name, shape in getattr(p, what).items() if name != "parameters"}
            for p in (first, second)
        )
        if what == "inputs":  # a Program does not depend on an input that it does not have
            common = ours.keys() & theirs.keys()
            ours, theirs = ({name: shapes[name] for name in common} for shapes in (ours, theirs))
        if ours != theirs:
            raise ProgramError(
                f"{first.name} and {second.name} cannot be compared: their {what} are {ours} and {theirs}"
            )
    if not isinstance(points, int) or points < 2:
        raise ProgramError(f"points is {points!r}; it must be 2 or more, to tell constants from functions")
    places: dict[Node, tuple[str, int]] = {}
    for program in (first, second):
        for name, array in program.arguments.items():
            for i, node in enumerate(array.nodes):
                if name != "parameters" and places.setdefault(node, (name, i)) != (name, i):
                    raise ProgramError(
                        f"{first.name} and {second.name} cannot be compared: {node} is entry {i} of {name} in one, and "
                        f"entry {places[node][1]} of {places[node][0]} in the other"
                    )


def _unequal(
    pairs: Sequence[tuple[Place, Node, Node]], bounds: Bounds, bits: int, seed: str, points: int, products: bool
) -> tuple[list[tuple[Place, Node, Node]], str]:
    """Return the pairs that are not proved equal, and the obstacle if they could not be evaluated."""
    angles = bounds.angles
    for attempt in range(_ATTEMPTS):
        field = Field(f"{seed} {attempt}", bits, angles.cofactor, angles.radians)
        drawn = Points(field, range(points), angles.symbols, products=products)
        try:
            values = [drawn.values([a, b]) for _, a, b in pairs]
        except NoInverse:  # by chance, or because a divisor vanishes
            continue
        except TooManyRoots:
            return list(pairs), f"a number holds more than {MOST} independent square roots"
        return [pair for pair, (a, b) in zip(pairs, values, strict=True) if a != b], ""
    return list(pairs), "a divisor is zero, whatever the state, or for one of the signs of its roots"


def _failure(
    first: Program, second: Program, left: Sequence[tuple[Place, Node, Node]], order: Sequence[Node], obstacle: str
) -> CertificationError:
    names = f"{first.name} and {second.name}"
    found = counterexample(left, order)
    if found is None:
        place = left[0][0]
        return Undecided(
            f"{names}: {place} is neither proved equal nor shown to differ. "
            f"No state was found in which they differ; {obstacle or obstacles(left)}"
        )
    hint = ""
    if set(first.parameters) != set(second.parameters):
        hint = ". They take different parameters; base.in_standard(program) writes base parameters in standard ones"
    error = CertificationError(
        f"{names} are not equal: at {found.place} {first.name} gives {found.first} and {second.name} {found.second}"
        f"{found.shown()}{hint}"
    )
    error.state = dict(found.state)
    return error
