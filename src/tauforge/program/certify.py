"""Proof that two Programs are equal, or a state in which they differ.

The theory, with its lemma and its bound, is in ``docs/theory/proofs.md``.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..errors import CertificationError, ExpressionError, ProgramError, Undecided
from ..graph.error_bound import Bounds
from ..graph.evaluate import topological
from ..graph.field import Field
from ..graph.node import ZERO, Node
from ..graph.operations import ABS, SIGN
from ..graph.points import Points
from ..graph.surd import MOST, NoInverse, TooManyRoots
from .domain import Both, Domain, Solution, Unresolved, common, resolved
from .refute import Counterexample, Place, counterexample, counterexample_in, obstacles

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
    where
        What holds in the states that the proof is over, as "the loops of sr400 are closed"; empty if these are all.
    """

    points: int
    degree: int
    probability: float
    where: str = ""

    def __str__(self) -> str:
        where = f" where {self.where}" if self.where else ""
        return f"equal at {self.points} exact random points{where}; chance of error below {self.probability:.1e}"


def certify(first: Program, second: Program, *, points: int, seed: int | None) -> Certificate:
    _check(first, second, points)
    pairs = [
        (Place(name, array.shape, i), a, b)
        for name, array in first.results.items()
        for i, (a, b) in enumerate(zip(array.nodes, second.results[name].nodes, strict=True))
        if a is not b
    ]
    given = secrets.token_hex(16) if seed is None else str(seed)
    everywhere = _proof(pairs, given, points)
    domain = common(first.domain, second.domain)
    if not everywhere.left:
        return Certificate(points, everywhere.degree, everywhere.chance)
    if domain is None:
        raise _failure(first, second, everywhere, counterexample(everywhere.left, _order(pairs)))
    obstacle = f"no exact form is known of the states in which {domain.text}"
    chance = everywhere.chance
    for number, solution in enumerate(domain.solutions()):
        inside = _inside(everywhere.left, domain, solution, f"{given} inside {number}", points)
        chance += inside.chance if inside else 0.0
        if inside and not inside.left:
            where = ": ".join(filter(None, (domain.text, solution.text)))
            return Certificate(points, max(everywhere.degree, inside.degree), chance, where)
        obstacle = f"the exact form of the states in which {domain.text} does not prove it"
    if isinstance(domain, Both):
        obstacle = f"no state is known in which {domain.text}"
    found, agree = counterexample_in(everywhere.left, domain)
    if agree:
        obstacle = f"that they agree in {agree} of these states to within rounding proves nothing, and {obstacle}"
    raise _failure(first, second, replace(everywhere, obstacle=obstacle), found)


@dataclass(frozen=True)
class _Proof:
    """What a proof left open, and why; the degree, and the chance of error."""

    left: list[tuple[Place, Node, Node]]
    obstacle: str
    degree: int
    chance: float


def _order(pairs: Sequence[tuple[Place, Node, Node]]) -> list[Node]:
    """Return what the pairs need, with what folded constants come from."""
    return topological([node for _, *both in pairs for node in both], lambda node: node.made[1])


def _proof(pairs: list[tuple[Place, Node, Node]], given: str, points: int) -> _Proof:
    """Return what remains of some pairs when those that are equal wherever they have values are gone."""
    order = _order(pairs)
    bounds = Bounds(order)
    degree, bits, chance = bounds.field([node for _, *both in pairs for node in both])
    kinds = {node.op for node in order}
    left, obstacle = pairs, ""
    ways: tuple[bool, ...] = (False, True) if {ABS, SIGN} <= kinds else (False,)
    if bits > LARGEST:
        ways, obstacle = (), f"a proof would need a field of {bits} bits, and at most {LARGEST} are taken"
    for products in ways:
        left, obstacle = _unequal(left, bounds, bits, f"{given} {products}", points, products)
        chance *= 1 + products
        if not left:
            break
    return _Proof(left, obstacle, degree, float(chance))


def _inside(
    pairs: Sequence[tuple[Place, Node, Node]], domain: Domain, solution: Solution, given: str, points: int
) -> _Proof | None:
    """Return what remains of some pairs, and of the equations, with a solution of these; None if it does not fit in."""
    flat = [node for _, *both in pairs for node in both]
    try:
        new = resolved([*flat, *domain.equations], solution)
    except (Unresolved, ExpressionError):
        return None
    both = zip(new[: len(flat) : 2], new[1 : len(flat) : 2], strict=True)
    inner = [(place, a, b) for (place, _, _), (a, b) in zip(pairs, both, strict=True)]
    closed = Place("equations", (len(domain.equations),), 0)
    inner += [(replace(closed, number=k), x, ZERO) for k, x in enumerate(new[len(flat) :])]
    return _proof([pair for pair in inner if pair[1] is not pair[2]], given, points)


def _check(first: Program, second: Program, points: int) -> None:
    if not isinstance(second, type(first)):
        raise ProgramError(f"{first.name} can be compared with another Program, not with {second!r}")
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


def _failure(first: Program, second: Program, proof: _Proof, found: Counterexample | None) -> CertificationError:
    names = f"{first.name} and {second.name}"
    if found is None:
        place = proof.left[0][0]
        return Undecided(
            f"{names}: {place} is neither proved equal nor shown to differ. "
            f"No state was found in which they differ; {proof.obstacle or obstacles(proof.left)}"
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
