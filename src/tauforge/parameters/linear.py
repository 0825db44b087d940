"""Linear forms in the standard inertial parameters, which grouping adds up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..graph.node import Node, Scalar, as_node, is_zero
from ..graph.normal import reduced, scaled
from ..graph.operations import CONST, NEG
from ..spatial.articulated import rows
from ..spatial.inertia import Inertia
from ..spatial.pose import Pose
from ..spatial.vector import Vector, column


class LinearForm:
    """A sum of coefficients times named parameters. It supports ``+``, ``-`` and ``*`` by a scalar, so an
    :class:`Inertia` made of forms can be rotated and shifted like one made of numbers.
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[str, Scalar]) -> None:
        self.terms = {name: x for name, x in terms.items() if not is_zero(x)}

    def __add__(self, other: LinearForm) -> LinearForm:
        if not other.terms or not self.terms:
            return self if self.terms else other
        terms = dict(self.terms)
        for name, x in other.terms.items():
            terms[name] = terms[name] + x if name in terms else x
        return LinearForm(terms)

    def __sub__(self, other: LinearForm) -> LinearForm:
        return self + -other

    def __neg__(self) -> LinearForm:
        return LinearForm({name: -x for name, x in self.terms.items()})

    def __mul__(self, scale: Scalar) -> LinearForm:
        if not self.terms or is_zero(scale):
            return NOTHING
        return LinearForm({name: x * scale for name, x in self.terms.items()})

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __iter__(self) -> Iterator[tuple[str, Scalar]]:
        return iter(self.terms.items())

    def is_only(self, name: str) -> bool:
        """Tell whether the form is just that parameter."""
        return set(self.terms) == {name} and as_node(self.terms[name]) is as_node(1.0)

    def half(self) -> LinearForm:
        """Return half of the form, with no factor left before sums."""
        return LinearForm({name: scaled(as_node(x), 0.5) for name, x in self.terms.items()})

    def tidy(self) -> LinearForm:
        """Return the form with like terms merged in its coefficients and quotients reduced, for people to read."""
        return LinearForm({name: reduced(as_node(x)) for name, x in self.terms.items()})

    def value(self, of: Mapping[str, Scalar]) -> Node:
        """Return the sum with the parameters' values, with equal coefficients factored out, in alphabetical order."""
        together: dict[Node, list[str]] = {}
        signs: dict[str, int] = {}
        for name, x in sorted(self.terms.items()):
            coefficient = as_node(x)
            negative = coefficient.op is NEG or (coefficient.op is CONST and float(coefficient) < 0)
            plain = -coefficient if negative else coefficient
            signs[name] = -1 if negative else 1
            together.setdefault(plain, []).append(name)
        total: Scalar = 0.0
        for coefficient, names in together.items():
            part: Scalar = 0.0
            for name in sorted(names, key=lambda name: (-signs[name], name)):
                part = part + as_node(of[name]) if signs[name] > 0 else part - as_node(of[name])
            total = total + coefficient * part
        return as_node(total)


NOTHING = LinearForm({})


def forms_inward(body: Inertia, pose: Pose) -> Inertia:
    """Return the inertia of a link's body, made of forms, in the frame of its parent.

    Unlike with numbers, each element is rotated separately, so the relations contain sin² and not 1 - cos².
    """
    body = body.shifted(Vector(0.0, 0.0, pose.r))
    half = [pose.R.forth(row) for row in rows(body[:6])]
    x, y, z = (pose.R.forth(column(half, k)) for k in range(3))
    turned = Inertia(x[0], x[1], x[2], y[1], y[2], z[2], *pose.R.forth(body.first_moments), body.M)
    return turned.shifted(pose.arm)
