"""The starting point of the classical formulations: links, each with its matrix relative to its parent, over any
scalar.

The papers put a link's frame at its far end (Denavit and Hartenberg, equation (1) of Meghdari); here, as everywhere in
Tauforge, it lies on the joint's own axis z (Khalil and Kleinfinger). So ∂A/∂q = A Q with a constant Q: its columns are
columns of A and cost nothing. Inertial parameters are about the frame's origin, not about the centre of mass: the same
equations then hold for base parameters, and for a link without mass.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ..errors import ProgramError
from ..graph.node import as_node, is_zero
from ..models.state import State
from ..robot.entries import owners
from ..robot.kinds import FIXED, PRISMATIC, REVOLUTE
from ..robot.robot import Robot
from ..spatial.inertia import Inertia
from ..spatial.pose import Pose
from ..spatial.rotation import Rotation
from ..spatial.vector import Entry, Vector, column
from .matrices import NULL, Rows


class Link(NamedTuple):
    """Link j and its parent i: the homogeneous matrix A = ⁱTⱼ, the link's inertia, and its joint's rates."""

    antecedent: int
    kind: int
    A: Rows
    turn: Rotation  # the rotation in A, as the product of plane rotations
    inertia: Inertia
    K: Rows  # the 4x4 inertia matrix of the Lagrangian papers, their Jⱼ: ∫ x xᵀ dm of x = (position, 1)
    qd: Entry
    qdd: Entry

    @property
    def revolute(self) -> bool:
        return self.kind == REVOLUTE

    @property
    def prismatic(self) -> bool:
        return self.kind == PRISMATIC

    @property
    def R(self) -> tuple[Vector, Vector, Vector]:
        """The rotation ⁱRⱼ by its rows."""
        x, y, z = (Vector(*row[:3]) for row in self.A[:3])
        return x, y, z

    @property
    def P(self) -> Vector:
        """The origin ⁱPⱼ."""
        return Vector(self.A[0][3], self.A[1][3], self.A[2][3])

    @property
    def axis(self) -> Vector:
        """The joint's axis zⱼ in the parent's axes."""
        return column(self.R, 2)

    @property
    def z(self) -> Vector:
        """The joint's axis in the link's own axes."""
        return Vector(self.A[3][0], self.A[3][0], self.A[3][3])  # 0, 0, 1

    @property
    def dA(self) -> Rows:
        """∂A/∂q: columns of A."""
        if self.revolute:
            return [[row[1], -row[0], self.A[3][0], self.A[3][0]] for row in self.A]
        return [[self.A[3][0]] * 3 + [row[2]] for row in self.A] if self.prismatic else NULL

    @property
    def ddA(self) -> Rows:
        """∂²A/∂q²."""
        return [[-row[0], -row[1], self.A[3][0], self.A[3][0]] for row in self.A] if self.revolute else NULL

    @property
    def J(self) -> tuple[Vector, Vector, Vector]:
        """The inertia matrix about the frame's origin."""
        XX, XY, XZ, YY, YZ, ZZ = self.inertia[:6]
        return Vector(XX, XY, XZ), Vector(XY, YY, YZ), Vector(XZ, YZ, ZZ)

    @property
    def S(self) -> Vector:
        """The first moments, mass times centre of mass."""
        return self.inertia.first_moments

    @property
    def m(self) -> Entry:
        return self.inertia.M


@dataclass(frozen=True)
class Chain:
    """Links 1, 2, …, each after its parent, where 0 is the base; gravity in the base's axes."""

    links: tuple[Link, ...]
    gravity: Vector
    source: tuple[Robot, State] | None = None

    @classmethod
    def of(cls, robot: Robot, state: State) -> Chain:
        """Return a robot's links at a state."""
        links = []
        for j, (joint, body) in enumerate(zip(robot.joints, robot.bodies, strict=True), 1):
            pose = joint.pose(state.q[j])
            qd, qdd = (x[j][0] if joint.axes else 0.0 for x in (state.qd, state.qdd))
            A, K = homogeneous(pose), pseudo_inertia(body.inertia)
            links.append(Link(joint.antecedent, joint.sigma, A, pose.R, body.inertia, K, qd, qdd))
        return cls(tuple(links), robot.gravity, (robot, state))

    def __getitem__(self, j: int) -> Link:
        return self.links[j - 1]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the moving joints."""
        joints = self.source[0].joints if self.source else ()
        return tuple(joints[j - 1].name if joints else f"joint{j}" for j in self.moving)

    @property
    def numbers(self) -> range:
        """Numbers of all links, from the base to the tips."""
        return range(1, len(self.links) + 1)

    @property
    def g(self) -> list[Entry]:
        """Gravity as in the Lagrangian papers, for 4x4 matrices: a direction, so its fourth entry is zero."""
        return [*self.gravity, self.links[0].A[3][0]]

    @cached_property
    def moving(self) -> tuple[int, ...]:
        """Numbers of the links whose joint moves, in the order of q."""
        return tuple(j for j in self.numbers if self[j].kind != FIXED)

    @cached_property
    def carriers(self) -> tuple[tuple[int, ...], ...]:
        """For each link, the moving joints that carry it, from the base outward and including its own; entry 0 is the
        base's.
        """
        found: list[tuple[int, ...]] = [()]
        for j in self.numbers:
            found.append(found[self[j].antecedent] + ((j,) if j in self.moving else ()))
        return tuple(found)

    def carried(self, *joints: int) -> list[int]:
        """Return the links that are carried by all of the given joints, from the base to the tips."""
        return [j for j in self.numbers if set(joints) <= set(self.carriers[j])]

    def rows(self, entries: dict[tuple[int, int], Entry]) -> list[list[Entry]]:
        """Return a matrix over the moving joints from its entries; those that are not given are zero."""
        return [[entries.get((i, k), 0.0) for k in self.moving] for i in self.moving]


def homogeneous(pose: Pose) -> Rows:
    columns = [pose.R.forth(Vector(*(float(i == k) for i in range(3)))) for k in range(3)]
    rows = [[*(c[i] for c in columns), pose.P[i]] for i in range(3)]
    return [[as_node(x) for x in row] for row in (*rows, [0.0, 0.0, 0.0, 1.0])]


def pseudo_inertia(body: Inertia) -> Rows:
    """Return the 4x4 inertia matrix: ½ tr(I) 1 - I, bordered by first moments and mass."""
    XX, XY, XZ, YY, YZ, ZZ, MX, MY, MZ, M = body
    half = (XX + YY + ZZ) * 0.5
    return [
        [half - XX, -XY, -XZ, MX],
        [-XY, half - YY, -YZ, MY],
        [-XZ, -YZ, half - ZZ, MZ],
        [MX, MY, MZ, M],
    ]


def check(robot: Robot, formulation: str, paper: str, *, followers: bool = True) -> None:
    """Refuse a robot that a formulation's paper does not cover, or with joints that others move unless allowed."""
    fix = "formulation='newton-euler' takes it"
    if robot.loops and not followers:
        raise ProgramError(
            f"{robot.name} has closed loops, which {formulation!r} cannot handle; robot.tree() opens them"
        )
    independent = owners(robot)
    for j, joint in enumerate(robot.joints, 1):
        if j not in independent and not followers:
            raise ProgramError(
                f"{robot.name}: joint {joint.name!r} follows another, which {formulation!r} cannot handle"
            )
        if joint.sigma not in (REVOLUTE, PRISMATIC, FIXED):
            raise ProgramError(
                f"{robot.name}: joint {joint.name!r} is {joint.kind.word}, and {formulation!r} ({paper}) is for "
                f"revolute and prismatic joints; {fix}"
            )
    base = robot.base
    if not all(is_zero(x) for motion in (base.W0, base.WP0, base.V0, base.VP0) for x in motion):
        raise ProgramError(f"{robot.name}: its base moves, and {formulation!r} ({paper}) is for a base at rest; {fix}")
