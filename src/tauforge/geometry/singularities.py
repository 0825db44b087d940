"""Where an arm is singular, as an equation: the factors of the determinant of its Jacobian.

With t = tan(q/2) for every angle, the determinant is a polynomial over (1 + t²)ᵏ, and polynomials have unique factors.
A factor of even degree in each t is a trigonometric polynomial again; factors of odd degree, such as the two halves of
sin q = 2 sin(q/2) cos(q/2), are joined. If the Jacobian is not square, what counts is where all its largest minors
vanish: their common factors, and what is left of each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add, mul
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from ..equations.polynomial import polynomials
from ..equations.with_sympy import called
from ..errors import ExpressionError, ProgramError
from ..graph.evaluate import topological
from ..graph.functions import cos, sin, sqrt
from ..graph.node import Node, Scalar, as_node, is_zero
from ..graph.operations import CONST, COS
from ..graph.parse import as_scalar
from ..models.jacobian import jacobian
from ..models.link_motion import VELOCITY
from ..models.manipulability import minors, moving_rows
from ..models.registry import check_robot
from ..models.routes import tip
from ..program.array import outputs
from ..program.certify import Certificate
from ..program.program import Program
from ..robot.robot import Robot

Floats = NDArray[np.float64]
MOST = 40
"""Minors at the most: beyond these, factors would take long and say little."""
TRIED = 1000
"""Minors that are looked at, as many are always zero."""
ROOTS = {2: (4,), 3: (6,), 6: (4, 6)}
"""Roots that SymPy makes of cosines of π/4 and π/6: products of 2 cos(π/k), which proofs know."""
SAMPLES, WORK, WIDTH = 2000, 20_000_000, 1e-5
"""Random states that may show that a factor vanishes somewhere; waves that are evaluated at most to prove that it does
not; and the smallest box of states, in radians."""
LONG = 99
"""Coefficients beyond this come from lengths with several digits, and are divided by a power of ten."""


@final
@dataclass(frozen=True, eq=False)
class Singularities:
    """Where an arm is singular: where one of the factors vanishes.

    Attributes
    ----------
    robot
        The name of the robot.
    frame
        The frame whose Jacobian is meant.
    rows
        The rows of the Jacobian.
    factors
        Programs of the factors, each with an output ``factor``, and how often each occurs.
    rest
        If the Jacobian is not square, what is left of its largest minors: the arm is also singular where all of these
        vanish. Empty for square ones, and if all minors but one are always zero.
    minors
        The Program of all largest minors; of the determinant alone, if the Jacobian is square.
    """

    robot: str
    frame: str
    rows: tuple[str, ...]
    factors: tuple[tuple[Program, int], ...]
    rest: tuple[Program, ...]
    minors: Program

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The factors as text, without their powers."""
        return tuple(_shown(program) for program, _ in self.factors)

    @cached_property
    def conditions(self) -> tuple[str, ...]:
        """Where the arm is singular, as equations: of all factors but those that are proved never to vanish."""
        return tuple(
            f"{text} = 0"
            for text, (program, _) in zip(self.texts, self.factors, strict=True)
            if _moves(program) and not never_vanishes(program)
        )

    def __str__(self) -> str:
        powers = {1: "", 2: "²", 3: "³"}
        parts = list[str]()
        for text, (_, power) in sorted(zip(self.texts, self.factors, strict=True), key=lambda x: _moves(x[1][0])):
            apart = " + " in text or " - " in text or (parts and not text[0].isalpha())
            parts.append((f"({text})" if apart else text) + powers.get(power, f"^{power}"))
        product = " ".join(parts) or "1"
        if product.startswith("-1 "):
            product = f"-{product[3:]}"
        if not self.rest:
            return f"det J = {product}"
        return f"common factors of {len(self.rest)} minors: {product}"

    def __repr__(self) -> str:
        return f"Singularities({self.robot!r}, frame={self.frame!r}: {len(self.factors)} factors)"

    def certify(self) -> Certificate:
        """Prove that each minor is the product of the factors and what is left of it."""
        product: Any = 1.0
        for program, power in self.factors:
            for _ in range(power):
                product = program.results["factor"].nodes[0] * product
        rest = [program.results["factor"].nodes[0] for program in self.rest] or [as_node(1.0)]
        made = [product * x for x in rest]
        shape = self.minors.results["minors"].shape
        results = {"minors": outputs(made, shape, [], "")}
        return Program("factors", self.minors.arguments, results).certify(self.minors)


def singularities(robot: Robot, *, frame: str = "", rows: Sequence[str] | None = None) -> Singularities:
    """Return the factors of the determinant of a frame's Jacobian, by SymPy: the arm is singular where one vanishes.

    Parameters
    ----------
    frame
        Name of a link or of a constant frame; by default the end of the arm.
    rows
        Which of vx, vy, vz, wx, wy, wz to take. By default, all that the joints can change; for three joints, the
        linear ones.
    """
    check_robot(robot)
    if robot.loops:
        raise ProgramError(f"{robot.name} has closed loops; tf.singularity(robot, q) judges its states")
    if not isinstance(frame, str):
        raise ProgramError(f"frame={frame!r}; give the name of a link or of a constant frame")
    frame = frame or tip(robot)
    if rows is not None and not isinstance(rows, (str, list, tuple)):
        raise ProgramError(f"rows={rows!r}; give some of {', '.join(VELOCITY)}")
    chosen = moving_rows(robot, frame) if rows is None else (rows,) if isinstance(rows, str) else tuple(rows)
    if rows is None and not chosen:
        raise ProgramError(f"no joint moves {frame}: its Jacobian has no columns")
    if (count := _most_minors(robot, frame, len(chosen))) > TRIED:
        raise ProgramError(f"the Jacobian of {frame} has {count} largest minors; choose fewer rows, or fix joints")
    program = minors(robot, frame, chosen)
    if (count := program.results["minors"].shape.size) > MOST:
        raise ProgramError(f"the Jacobian of {frame} has {count} largest minors; choose fewer rows, or fix joints")
    if not count:
        raise _never(frame, chosen)
    found = _Factors.of(program)
    factors = [(_program(program, x), power) for x, power in found.common]
    rest = () if count == 1 else tuple(_program(program, x) for x in found.rest)
    if not any(found.rest):
        raise _never(frame, chosen)
    if count == 1 and found.rest[0] != 1:
        factors.insert(0, (_program(program, found.rest[0]), 1))
    return Singularities(robot.name, frame, chosen, tuple(factors), rest, program)


def _most_minors(robot: Robot, frame: str, rows: int) -> int:
    """Return how many largest minors so many rows of a Jacobian have, with those that are always zero."""
    J, n = jacobian(robot, frame=frame).results["J"].nodes, len(robot.velocity_names)
    moving = sum(any(not is_zero(x) for x in J[k::n]) for k in range(n))
    return math.comb(max(moving, rows), min(moving, rows))


def _never(frame: str, rows: Sequence[str]) -> ProgramError:
    return ProgramError(f"the Jacobian of {frame} never has full rank in the rows {', '.join(rows)}; choose others")


class _Factors(NamedTuple):
    """Common factors with their powers, and what is left of each minor, as expressions of SymPy."""

    common: list[tuple[Any, int]]
    rest: list[Any]

    @classmethod
    def of(cls, program: Program) -> _Factors:
        expressions = list(program.to_sympy()["minors"])
        import sympy

        spread = [sympy.expand(sympy.expand_trig(e)) for e in expressions]
        if not all(angle.is_Symbol for angle in _angles(sympy, spread)):
            raise ProgramError(f"{program.name}: its angles are not those of joints alone, so it is not a polynomial")
        spread = [_reduced(sympy, e, _angles(sympy, [e], constant=True)) for e in spread]
        if not any(spread):
            return cls([], spread)
        angles = _angles(sympy, spread)
        half = _Halves(sympy, {angle: sympy.Dummy(f"t_{angle}") for angle in angles})
        polynomials, degrees = half.polynomials(spread)
        shared = polynomials[0] if len(polynomials) == 1 else sympy.gcd_list(polynomials)
        size = half.size(shared)
        lacking = [degree - max(half.size(p)[i] for p in polynomials) for i, degree in enumerate(degrees)]
        number, parts = sympy.factor_list(shared)
        halves = [
            (half.unit, tuple(int(k == i) for k in range(len(size)))) for i, n in enumerate(lacking) for _ in range(n)
        ]
        halves += [(x, half.size(x)) for x, power in parts for _ in range(power)]
        whole, left, over = _paired(sympy, halves, len(size))
        common, product = dict[Any, int](), number
        for x, own in whole:
            content, factor = half.turned(x, own)
            product *= content
            if factor != 1:
                common[factor] = common.get(factor, 0) + 1
        over = tuple(d - a - b + c for d, a, b, c in zip(degrees, size, lacking, over, strict=True))
        rest = []
        for p in polynomials:
            content, factor = half.turned(sympy.expand(sympy.cancel(p / shared) * left), over)
            rest.append(product * content * factor)
        return cls([*common.items()], rest)


Sized = tuple[Any, tuple[int, ...]]
"""A polynomial in all t, and its degrees."""


def _paired(sympy: Any, halves: Sequence[Sized], count: int) -> tuple[list[Sized], Any, tuple[int, ...]]:
    """Return polynomials of even degrees, joined from those of odd ones; what cannot be paired, and its degrees."""
    whole, odd = list[Sized](), dict[tuple[int, ...], Sized]()
    for x, size in halves:
        key = tuple(d % 2 for d in size)
        if any(key) and key in odd:
            other, before = odd.pop(key)
            x, size = x * other, tuple(a + b for a, b in zip(size, before, strict=True))
            key = tuple(d % 2 for d in size)
        if any(key):
            odd[key] = (x, size)
        else:
            whole.append((x, size))
    left, over = sympy.Integer(1), (0,) * count
    for x, size in odd.values():
        left, over = left * x, tuple(a + b for a, b in zip(over, size, strict=True))
    return whole, left, over


class _Halves:
    """From sines and cosines to polynomials in t = tan(q/2), and back."""

    def __init__(self, sympy: Any, t: Mapping[Any, Any]) -> None:
        self.sympy, self.t, self.unit = sympy, t, sympy.Integer(1)

    def size(self, p: Any) -> tuple[int, ...]:
        """Return the degrees of a polynomial."""
        return tuple(int(self.sympy.degree(p, t)) if p.has(t) else 0 for t in self.t.values())

    def polynomials(self, expressions: Sequence[Any]) -> tuple[list[Any], tuple[int, ...]]:
        """Return numerators, all over the same powers of 1 + t², and twice these powers."""
        sympy, pairs = self.sympy, [(self.sympy.cos(angle), self.sympy.sin(angle)) for angle in self.t]
        if not pairs:
            return [sympy.expand(e) for e in expressions], ()
        flat = [sympy.Poly(e, *(x for pair in pairs for x in pair)) for e in expressions]
        powers = [max(m[2 * i] + m[2 * i + 1] for p in flat for m in p.monoms()) for i in range(len(pairs))]
        found = []
        for p in flat:
            total: Any = 0
            for monomial, factor in p.terms():
                term = factor
                for i, t in enumerate(self.t.values()):
                    c, s = monomial[2 * i : 2 * i + 2]
                    term *= (1 - t**2) ** c * (2 * t) ** s * (1 + t**2) ** (powers[i] - c - s)
                total += term
            found.append(sympy.expand(total))
        return found, tuple(2 * power for power in powers)

    def turned(self, x: Any, size: Sequence[int]) -> tuple[Any, Any]:
        """Return a polynomial of even degrees as sines and cosines: a number, and an expression without one."""
        sympy, total = self.sympy, self.sympy.Integer(0)
        for powers, factor in sympy.Poly(x, *self.t.values()).terms() if self.t else [((), x)]:
            term = factor
            for angle, power, degree in zip(self.t, powers, size, strict=True):
                c, s = sympy.cos(angle), sympy.sin(angle)
                both = min(power, degree - power)
                term *= (s / 2) ** both
                term *= ((1 - c) / 2) ** ((power - both) // 2) * ((1 + c) / 2) ** ((degree - power - both) // 2)
            total += term
        content, rest = _reduced(sympy, total, list(self.t)).as_content_primitive()
        if rest.could_extract_minus_sign():
            content, rest = -content, -rest
        largest = max((abs(x) for x in rest.as_coefficients_dict().values()), default=1)
        scale = sympy.Integer(10) ** len(str(int(largest))) if largest > LONG else sympy.Integer(1)
        return content * scale, sympy.expand(rest / scale)


def _angles(sympy: Any, expressions: Sequence[Any], constant: bool = False) -> list[Any]:
    """Return what sines and cosines are taken of; also constant angles on request."""
    waves = {x for e in expressions for x in e.atoms(sympy.sin, sympy.cos) if constant or x.free_symbols}
    return sorted({x.args[0] for x in waves}, key=str)


def _reduced(sympy: Any, e: Any, angles: Sequence[Any]) -> Any:
    """Return an expression with sin² replaced by 1 - cos²."""
    e = sympy.expand(e)
    for angle in angles:
        s, c = sympy.sin(angle), sympy.cos(angle)
        if e.has(s):
            terms = sympy.Poly(e, s).terms()
            e = sympy.expand(sum(k * (1 - c**2) ** (m // 2) * s ** (m % 2) for (m,), k in terms))
    return e


def _program(source: Program, expression: Any) -> Program:
    """Return a factor as a Program with the inputs of its source."""
    known = {}
    for name, array in source.arguments.items():
        for place, node in enumerate(array.nodes, 1):
            known[called(name, place, node, len(array.shape))] = node
    result = outputs([as_node(_node(expression, known))], [], [], "factor")
    return Program("factor", source.arguments, {"factor": result})


def _node(e: Any, known: Mapping[str, Node]) -> Scalar:
    """Return an expression of SymPy as a graph."""
    if e.is_Symbol:
        return known[str(e)]
    if e.is_Rational:  # as nodes, which remember what a constant such as sin(3/10) comes from
        try:
            over, under = (as_node(as_scalar(str(x))) for x in (e.p, e.q))
        except ExpressionError:
            raise ProgramError("a factor has a number that is too large, or too small, for a float") from None
        return over / under if e.q != 1 else over
    if e.is_Pow and 2 * e.exp == 1:
        turns = ROOTS.get(e.base)
        return reduce(mul, [2.0 * cos(as_node(math.pi / k)) for k in turns]) if turns else sqrt(_node(e.base, known))
    if e.is_Pow and e.exp.is_Integer and e.exp > 0:
        return reduce(mul, [_node(e.base, known)] * int(e.exp))
    parts = [_node(x, known) for x in e.args]
    made = {"Add": lambda: reduce(add, parts), "Mul": lambda: reduce(mul, parts),
            "sin": lambda: sin(parts[0]), "cos": lambda: cos(parts[0])}.get(type(e).__name__)  # fmt: skip
    if made is None:
        raise ProgramError(f"a factor has {type(e).__name__} of numbers, which is not a polynomial: {e}")
    return made()


def _moves(program: Program) -> bool:
    """Tell whether a factor depends on the joints."""
    return any(node in {*program.arguments["q"].nodes} for node in topological(program.results["factor"].nodes))


def _shown(program: Program) -> str:
    """Return a factor as text on one line."""
    text = str(program.equations(style="closed")).partition("\n\n")[0]
    return " ".join(text.partition("=")[2].split())


def never_vanishes(program: Program) -> bool:
    """Tell whether a factor is proved to have no zero, whatever the joints' angles.

    A factor is a sum of waves A cos(k·q + p). From the middle of a box with half the sides h, it changes by at most
    |gradient|·h + ½ Σ A (|k|·h)²: where it is larger than that, it has no zero in the box. Other boxes are halved. A
    factor with lengths that are symbols or coordinates is not decided, nor one that touches zero.
    """
    waves = _waves(program)
    if waves is None:
        return False
    constant, amplitudes, turns, phases = waves
    size = abs(constant) + amplitudes.sum()
    rounding = 1e-12 * size
    if abs(constant) > amplitudes.sum() + rounding:
        return True
    n, sizes = turns.shape[1], np.abs(turns)
    random = np.random.default_rng(0).uniform(-np.pi, np.pi, (SAMPLES, n))
    values = constant + np.cos(random @ turns.T + phases) @ amplitudes
    side = np.sign(values[0])
    if (values * side <= rounding).any():
        return False
    middles, half, seen = np.zeros((1, n)), np.full((1, n), np.pi), 0
    while len(middles):
        seen += len(middles)
        if seen * len(amplitudes) > WORK or half.max(axis=1).min() < WIDTH:
            return False
        angles = middles @ turns.T + phases
        values = constant + np.cos(angles) @ amplitudes
        if (values * side <= rounding).any():
            return False
        slope = np.abs((np.sin(angles) * amplitudes) @ turns)
        change = (slope * half).sum(axis=1) + 0.5 * (half @ sizes.T) ** 2 @ amplitudes
        late = values * side <= change + rounding
        middles, half = middles[late], half[late]
        widest = (half * sizes.max(axis=0)).argmax(axis=1)
        step = np.zeros_like(half)
        step[np.arange(len(half)), widest] = 0.5 * half[np.arange(len(half)), widest]
        middles, half = np.concatenate([middles - step, middles + step]), np.concatenate([half - step, half - step])
    return True


def _waves(program: Program) -> tuple[float, Floats, Floats, Floats] | None:
    """Return a factor as a constant, and amplitudes, whole numbers of turns of the joints, and phases of waves.

    None if it has anything but numbers and waves of the joints.
    """
    node, joints = program.results["factor"].nodes[0], program.arguments["q"].nodes
    try:
        terms = polynomials([node])[node]
    except ProgramError:
        return None
    found: dict[tuple[int, ...], complex] = {}
    for (powers, waves), x in terms.items():
        if powers or x.op is not CONST or any(angle not in joints for angle, _, _ in waves):
            return None
        spread: dict[tuple[int, ...], complex] = {(0,) * len(joints): complex(float(x.value))}
        for angle, k, op in waves:  # cos = (e + 1/e) / 2, sin = (e - 1/e) / 2i
            place, up, down = joints.index(angle), 0.5 if op is COS else -0.5j, 0.5 if op is COS else 0.5j
            spread = {
                (*turns[:place], turns[place] + sign * k, *turns[place + 1 :]): value * part
                for turns, value in spread.items()
                for sign, part in ((1, up), (-1, down))
            }
        for turns, value in spread.items():
            found[turns] = found.get(turns, 0.0) + value
    none = (0,) * len(joints)
    constant = found.pop(none, 0.0).real
    first = [turns for turns in found if turns > none]  # the others are their conjugates
    values = np.array([2.0 * found[turns] for turns in first], dtype=complex)
    whole: Floats = np.array(first, dtype=float).reshape(-1, len(joints))
    return constant, np.abs(values), whole[:, whole.any(axis=0)], np.angle(values)
