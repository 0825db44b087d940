"""The cost of a formulation "as published": its own sequence of operations on a general arm, without shortcuts.

The formulation runs on ``Counted`` numbers, which know neither zero nor one and share nothing: every product and every
sum that its file asks for is counted. The arm is serial, with revolute joints and general lengths, angles and inertial
parameters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from random import Random

from ..errors import ProgramError
from ..program.count import Operations
from ..robot.kinds import REVOLUTE
from ..spatial.inertia import Inertia
from ..spatial.rotation import Plane, Rotation
from ..spatial.vector import Entry, Vector
from . import FORMULATIONS, TABLES, configuration_space, find
from .chain import Chain, Link, pseudo_inertia
from .matrices import Rows

WITHOUT_MATRICES = ("luh-walker-paul", TABLES)
"""The formulations that need no matrix A: only sines and cosines, or nothing."""


class Tally:
    """Numbers of multiplications and additions so far."""

    mul = 0
    add = 0


class Counted:
    """A number that counts what is done with it. A change of sign is free."""

    __slots__ = ("tally", "value")

    def __init__(self, value: float, tally: Tally) -> None:
        self.value, self.tally = value, tally

    def __add__(self, other: Counted | float) -> Counted:
        self.tally.add += 1
        return Counted(self.value + _value(other), self.tally)

    __radd__ = __add__

    def __sub__(self, other: Counted | float) -> Counted:
        self.tally.add += 1
        return Counted(self.value - _value(other), self.tally)

    def __rsub__(self, other: float) -> Counted:
        self.tally.add += 1
        return Counted(other - self.value, self.tally)

    def __mul__(self, other: Counted | float) -> Counted:
        self.tally.mul += 1
        return Counted(self.value * _value(other), self.tally)

    __rmul__ = __mul__

    def __neg__(self) -> Counted:
        return Counted(-self.value, self.tally)

    def __float__(self) -> float:
        return self.value


def _value(x: Counted | float) -> float:
    return x.value if isinstance(x, Counted) else x


def count(name: str, joints: int = 6) -> Operations:
    """Return the operations of a formulation's own sequence on a general arm."""
    if name == "lagrange":
        raise ProgramError("Lagrange's equations are differentiated on the graph: not a sequence of operations")
    tally = Tally()
    chain = general(joints, tally)
    run = configuration_space.efforts if name == TABLES else find(name)[1].efforts
    if name in WITHOUT_MATRICES:
        tally.mul = 0  # what they are made from is not needed
    run(chain)
    return Operations(mul=tally.mul, add=tally.add)


def counted() -> list[str]:
    """Return the names of the formulations that have a sequence of operations to count."""
    return [*(name for name in FORMULATIONS if name != "lagrange"), TABLES]


def order(name: str, joints: range = range(2, 13)) -> int:
    """Return the power of the number of joints with which a formulation's cost grows."""
    return degree([count(name, n).total for n in joints])


def degree(costs: Sequence[int]) -> int:
    """Return the degree of the polynomial through evenly spaced values: its differences of a higher order vanish."""
    power = -1
    while any(costs):
        costs = [after - before for before, after in pairwise(costs)]
        power += 1
    return power


def general(joints: int, tally: Tally, seed: int = 0) -> Chain:
    """Return a general arm of revolute joints at a general state, in Counted numbers."""
    random = Random(seed)

    def number() -> Counted:
        return Counted(random.uniform(-1, 1), tally)

    links = []
    for j in range(joints):
        inertia = Inertia(*(number() for _ in Inertia._fields))
        bare = Inertia(*(x.value for x in inertia))
        K = [[Counted(x, tally) for x in row] for row in pseudo_inertia(bare)]  # constants: nothing to count
        theta, alpha = (random.uniform(-3, 3) for _ in range(2))
        c, s, ca, sa = (Counted(f(x), tally) for x in (theta, alpha) for f in (math.cos, math.sin))
        A = matrix(c, s, ca, sa, number(), number(), Counted(0.0, tally), Counted(1.0, tally))
        turn = Rotation([Plane(0, ca, sa), Plane(2, c, s)])  # type: ignore[arg-type]
        links.append(Link(j, REVOLUTE, A, turn, inertia, K, number(), number()))
    return Chain(tuple(links), Vector(number(), number(), number()))


def matrix(c: Entry, s: Entry, ca: Entry, sa: Entry, d: Entry, r: Entry, o: Entry, e: Entry) -> Rows:
    """Return A = Rot(x, α) Trans(x, d) Rot(z, θ) Trans(z, r): six products, as in Meghdari's (1)."""
    return [[c, -s, o, d], [ca * s, ca * c, -sa, -(r * sa)], [sa * s, sa * c, ca, r * ca], [o, o, o, e]]
