"""Exact evaluation at random points of a prime field.

Each symbol has a random value and, independently, a random angle. Operations that are not rational are unknown
functions: the same argument gives the same random element. Roots are treated in one of two ways:

- *formal*, for proofs: the root of ``u`` is a new number ``r`` of which only ``r² = u`` is known, so equality holds for
both signs. All points are evaluated together. Arguments that differ by a constant factor at all of them are
  recognised: ``sign(7 x)`` is ``sign(x)``, ``sqrt(49 u)`` is ``7 sqrt(u)``.
- *sampled*, for ranks and searches: one of the two roots in the field. If there is none, another point must be drawn.
  An inverse function of constants would have its root at all points or at none, so it is an angle of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

from ..errors import ExpressionError
from . import intervals
from .angle import PI, RADIANS, Form, Monomial, form, numbered
from .evaluate import topological
from .exact import home
from .field import IDENTITY, Field, Turn
from .node import ONE, Node
from .operations import ABS, ACOS, ADD, ASIN, ATAN2, CONST, COS, DIV, MUL, NEG, SIGN, SIN, SQRT, SYMBOL
from .positive import NONNEGATIVE, POSITIVE, bounds
from .surd import NoInverse, Surd, TooManyRoots, Value, inverse, leading

Values = tuple[Value, ...]
"""A node's value at each point."""

MULTIPLES = 64
"""The largest multiple of an inverse function for which its sine and cosine are used."""


class NoRoot(ArithmeticError):
    """A number has no square root at this point of the field; another point must be taken."""


@dataclass
class _Class:
    """Arguments of a function that are constant multiples of one another: the first of them, and a name.

    ``scale`` is a coefficient of the first at the first point; ``root`` the first one's root, once it is needed.
    """

    args: tuple[Node, ...]
    scale: int
    name: object
    root: Values | None = None


class Points:
    """Random points of a field, and the values of nodes there.

    Parameters
    ----------
    field
        The field. For sampled roots it must be this process's own, in which constants have their residues already.
    names
        The names that distinguish the points from others of the same field.
    scale
        A symbol's angle is this many times a random one, so that fractions with this denominator have values.
    steady
        Names of symbols that have the same value at several points, and names that distinguish these values from
        others.
    formal
        Whether roots are formal or sampled (see the module).
    products
        Whether ``abs(u)`` is ``u sign(u)``, or the root of ``u²``. Both are true, and each proves equalities that the
        other does not.
    """

    def __init__(
        self,
        field: Field,
        names: Sequence[object],
        scale: int = 1,
        *,
        steady: tuple[Set[str], object] = (frozenset(), None),
        formal: bool = True,
        products: bool = False,
    ) -> None:
        self.field, self._names, self._scale, self._steady = field, names, scale, steady
        self._formal, self._products = formal, products
        self._values: dict[Node, Values] = {}
        self._turns: dict[object, tuple[Turn, ...]] = {}
        self._atoms: dict[object, int] = {None: 0}  # the variables of angles by value; pi comes first
        self._arcs: dict[int, Node] = {}
        self._classes: dict[object, _Class] = {}
        self._constants: list[tuple[int, intervals.Interval, Values]] = []  # with roots: residue, value, root
        self._squares: list[list[Value]] = [[] for _ in names]
        self._bounds: dict[Node, int] = {}

    def values(self, outputs: Sequence[Node]) -> list[Values]:
        """Return the outputs' values at each point."""
        known = self._values
        self.visit(topological(outputs, lambda x: () if x in known else self._made(x)[1]))
        return [known[node] for node in outputs]

    def visit(self, order: Iterable[Node]) -> None:
        """Compute the values of nodes; arguments come before their users."""
        known, p = self._values, self.field.p
        for node in order:
            if node in known:
                continue
            op, args = self._made(node)
            if op is ADD:
                known[node] = tuple([(x + y) % p for x, y in zip(known[args[0]], known[args[1]], strict=True)])
            elif op is MUL:
                known[node] = tuple([x * y % p for x, y in zip(known[args[0]], known[args[1]], strict=True)])
            elif op is NEG:
                known[node] = tuple([-x % p for x in known[args[0]]])
            else:
                known[node] = self._other(node, op, args)

    def _made(self, node: Node) -> tuple[str, tuple[Node, ...]]:
        return node.made if self._formal else (node.op, node.args)

    def _other(self, node: Node, op: str, args: tuple[Node, ...]) -> Values:
        """Return the values of a node that is neither a sum nor a product."""
        known, p = self._values, self.field.p
        if op is CONST:
            return (self.field.literal(node.value) if self._formal else node.residue,) * len(self._names)
        if op is SYMBOL:
            return tuple([1 + self.field.draw(name, node.value) % (p - 1) for name in self._places(node.value)])
        if op is DIV:
            return tuple([x * inverse(y, p) % p for x, y in zip(known[args[0]], known[args[1]], strict=True)])
        if op is SIN or op is COS:
            return tuple([turn[op is SIN] for turn in self._turn(args[0])])
        if op is SQRT:
            return self._root(args[0])
        if op is ABS:
            return self._abs(args[0])
        if op is SIGN:
            return self._sign(args[0])
        own, factor = self._class(op, args)
        return self._unknown(op, own.name, self._sign_of(factor, args, own) if op is ATAN2 else factor)

    def _places(self, symbol: str) -> Sequence[object]:
        """Return the key that distinguishes a symbol's values at the points."""
        steady, name = self._steady
        return [name] * len(self._names) if symbol in steady else self._names

    def _unknown(self, op: str, name: Any, *what: object) -> Values:
        """Return the values of an unknown function.

        If points are sampled, ``name`` holds the arguments' values, and steady values remain steady.
        """
        if self._formal:
            return tuple([self.field.draw(i, op, name, *what) for i in range(len(self._names))])
        return tuple([self.field.draw(op, at_point, *what) for at_point in zip(*name, strict=True)])

    # Signs, roots and inverse functions: unknown functions of classes of arguments.

    def _class(self, op: str, args: tuple[Node, ...]) -> tuple[_Class, int]:
        """Return the class of some arguments, and the constant by which they differ from the first ones there."""
        p, values = self.field.p, [self._values[a] for a in args]
        if not self._formal:
            return _Class(args, 1, tuple(values)), 1
        scales, shapes = [], []
        for at_point in zip(*values, strict=True):
            scale = next((leading(x) for x in at_point if leading(x)), 0)
            over = pow(scale, -1, p) if scale else 0
            scales.append(scale)
            shapes.append(tuple([x * over % p for x in at_point]))
        if not all(scales):
            if any(scales):
                raise NoInverse  # zero at one point, by chance
            return _Class(args, 0, "zero"), 0
        over = pow(scales[0], -1, p)
        key = op, tuple(shapes), tuple([x * over % p for x in scales])
        own = self._classes.setdefault(key, _Class(args, scales[0], len(self._classes)))
        return own, scales[0] * pow(own.scale, -1, p) % p

    def _ratio(self, args: tuple[Node, ...], own: _Class) -> intervals.Interval | None:
        """Return the constant by which arguments differ from the first of their class, in real numbers."""
        k = next(k for k, a in enumerate(args) if any(self._values[a]))
        return intervals.ratio(args[k], own.args[k])

    def _sign_of(self, factor: int, args: tuple[Node, ...], own: _Class) -> int:
        """Return the sign of a constant factor; if it is not known, the factor itself, which serves as a name."""
        if factor in (0, 1):
            return factor
        if factor == self.field.p - 1:
            return -1
        quotient = self._ratio(args, own)
        return factor if quotient is None else 1 if quotient > 0 else -1

    def _sign(self, node: Node) -> Values:
        if self._bound(node) == POSITIVE:
            return (1,) * len(self._names)
        own, factor = self._class(SIGN, (node,))
        sign = self._sign_of(factor, (node,), own)
        if abs(sign) > 1:
            return self._unknown(SIGN, own.name, sign)
        return tuple([x * sign % self.field.p for x in self._unknown(SIGN, own.name)])

    def _abs(self, node: Node) -> Values:
        values, p = self._values[node], self.field.p
        if self._bound(node) >= NONNEGATIVE:
            return values
        if not self._formal:
            return self._unknown(ABS, (values,))
        if self._products:
            return tuple([x * e % p for x, e in zip(values, self._sign(node), strict=True)])
        return self._root(node * node)

    def _bound(self, node: Node) -> int:
        """Return the sign of a node as far as it is known."""
        if node not in self._bounds:
            self._bounds |= bounds(topological([node]))
        return self._bounds[node]

    def _root(self, node: Node) -> Values:
        """Return the root of a node: the root of the first node of its class times that of the factor between them."""
        (values,) = self.values([node])
        if not self._formal:
            return tuple([self._sampled_root(x) for x in values])
        if len(set(values)) == 1 and isinstance(values[0], int):
            return self._root_of_constant(values[0], intervals.ratio(node, ONE)) if values[0] else values
        own, factor = self._class(SQRT, (node,))
        quotient = intervals.ratio(node, own.args[0]) if factor != 1 else None
        if factor != 1 and (quotient is None or quotient < 0):
            own = self._classes.setdefault((own.name, factor), _Class((node,), factor, len(self._classes)))
        if own.root is None:
            own.root = self._new_root(self._values[own.args[0]])
        if quotient is None or quotient < 0:
            return own.root
        scale = self._root_of_constant(factor, quotient)
        return tuple([x * y % self.field.p for x, y in zip(scale, own.root, strict=True)])

    def _new_root(self, values: Values) -> Values:
        """Return a new formal root."""
        made = tuple([Surd({1 << len(squares): 1}, squares) for squares in self._squares])
        for squares, value in zip(self._squares, values, strict=True):
            squares.append(value)
        return made

    def _root_of_constant(self, residue: int, value: intervals.Interval | None) -> Values:
        """Return the root of a constant: a rational number if possible, or a rational multiple of a known root."""
        p, ones = self.field.p, (1,) * len(self._names)
        if value is None or not value > 0:
            return self._new_root((residue,) * len(ones))
        for other, size, root in [(1, 1, ones), *self._constants]:
            nearest = intervals.root_guess(value, size)
            for guess in (nearest, nearest.limit_denominator(10**6)) if nearest else ():
                times = guess.numerator * pow(guess.denominator, -1, p) % p
                if times * times * other % p == residue:
                    return tuple([x * times % p for x in root])
        root = self._new_root((residue,) * len(ones))
        self._constants.append((residue, value, root))
        return root

    def _sampled_root(self, x: int) -> int:
        root = self.field.square_root(x)
        if root is None:
            raise NoRoot
        return root

    # Angles.

    def _turn(self, angle: Node) -> tuple[Turn, ...]:
        """Return an expression as an angle, at each point."""
        if angle not in self._turns:
            polynomial = self._polynomial(angle)
            radians, halves = (polynomial.pop(monomial, Fraction(0)) for monomial in (RADIANS, PI))
            known = self.field.turn(radians, halves) or self.field.point("constant", radians, halves)
            total: tuple[Turn, ...] = (known,) * len(self._names)
            for part in polynomial.items():
                if part not in self._turns:
                    self._turns[part] = self._multiple(*part)
                both = zip(total, self._turns[part], strict=True)
                total = tuple([y if x is IDENTITY else self.field.rotate(x, y) for x, y in both])
            self._turns[angle] = total
        return self._turns[angle]

    def _polynomial(self, angle: Node) -> Form:
        """Return an angle as a polynomial; variables with equal values count as one."""
        merged: Form = {}
        numbers: dict[Node, int] = {}
        found = form(angle, lambda node: numbers.setdefault(node, len(numbers) + 1))
        by_value = [0, *map(self._atom, numbers)]
        for monomial, x in found.items():
            key = tuple(sorted(by_value[number] for number in monomial))
            merged[key] = merged.get(key, Fraction(0)) + x
        return {monomial: x for monomial, x in merged.items() if x}

    def _atom(self, node: Node) -> int:
        """Return the number of a variable of an angle: a symbol by its name, anything else by its value."""
        key = str(node.value) if node.op is SYMBOL else self.values([node])[0]
        number = self._atoms.setdefault(key, len(self._atoms))
        if node.made[0] in (ASIN, ACOS, ATAN2) and (self._formal or node.args):
            self._arcs.setdefault(number, node)
        return number

    def _multiple(self, monomial: Monomial, times: Fraction) -> tuple[Turn, ...]:
        """Return a multiple of a product of variables, as an angle at each point."""
        whole = times.denominator == 1 and abs(times) <= MULTIPLES
        if len(monomial) == 1 and monomial[0] in self._arcs and whole:
            return tuple([self.field.power(turn, int(times)) for turn in self._arc(self._arcs[monomial[0]])])
        keys = list(self._atoms)
        names: list[Any] = [keys[number] for number in monomial]
        scaled = times * self._scale
        turns = []
        for i in range(len(self._names)):
            what = tuple(self._name_at(i, key) for key in names)
            if scaled.denominator == 1:
                turns.append(self.field.power(self.field.point(what), int(scaled) % (self.field.p + 1)))
            else:
                turns.append(self.field.point(what, times))
        return tuple(turns)

    def _name_at(self, i: int, key: Any) -> object:
        """Return the name that distinguishes a variable of angles at one point from others, and, unless steady, from
        itself at other points.
        """
        if isinstance(key, str):
            return self._places(key)[i], key
        return None if key is None else (i, key) if self._formal else (key[i],)

    def _arc(self, node: Node) -> list[Turn]:
        """Return an inverse function as an angle: its sine and cosine are known."""
        p, (op, args) = self.field.p, node.made
        if op is ATAN2:
            y, x = args
            lengths = [inverse(r, p) for r in self._root(x * x + y * y)]
            return [(a * over % p, b * over % p) for b, a, over in zip(*self.values([y, x]), lengths, strict=True)]
        own, other = self.values([args[0]])[0], self._root(1 - args[0] * args[0])
        both = zip(other, own, strict=True) if op is ASIN else zip(own, other, strict=True)
        return list(both)


def angle_scale(order: Iterable[Node]) -> int:
    """Return the least common denominator of the multiples in which symbols appear in angles."""
    scale = 1
    for node in order:
        if node.op is SIN or node.op is COS:
            polynomial = form(node.args[0], numbered())
            scale = lcm(scale, *(x.denominator for monomial, x in polynomial.items() if monomial not in (RADIANS, PI)))
    return scale


def vanish(nodes: Sequence[Node]) -> bool:
    """Tell whether expressions are zero whatever their symbols are, as far as can be proved."""
    points = Points(home(), [("vanish", 0), ("vanish", 1)], angle_scale(topological(nodes)))
    try:
        return not any(map(any, points.values(nodes)))
    except (NoInverse, TooManyRoots):
        return False


_ATTEMPTS = 50_000
_ROOTED = (SQRT, ASIN, ACOS, ATAN2)


@dataclass(frozen=True)
class Point:
    """One of several points."""

    points: Points
    number: int

    def residues(self, outputs: Sequence[Node]) -> list[int]:
        """Return the outputs' values here."""
        return [values[self.number] for values in self.points.values(outputs)]


def exact_points(nodes: Sequence[Node], count: int, seed: int = 0, steady: Set[str] = frozenset()) -> list[Point]:
    """Return points of this process's field at which all the nodes have values, with sampled roots.

    Half of all numbers have no square root there; in that case another point is drawn. Steady symbols are the same at
    all points.
    """
    found: list[Point] = []
    steady_seed = 0
    order = topological(nodes)
    scale = angle_scale(order)
    together = 1 if any(node.op in _ROOTED for node in order) else count  # all at once if no root can be missing
    for attempt in range(_ATTEMPTS):
        names = [(seed, attempt, k) for k in range(together)]
        points = Points(home(), names, scale, steady=(steady, (seed, "steady", steady_seed)), formal=False)
        try:
            points.visit(order)
        except (NoRoot, NoInverse):
            steady_seed += not found  # perhaps the steady symbols have no root
            continue
        found += [Point(points, k) for k in range(together)]
        if len(found) >= count:
            return found[:count]
    raise ExpressionError(f"no point of the field has all the square roots of this graph, in {_ATTEMPTS} attempts")
