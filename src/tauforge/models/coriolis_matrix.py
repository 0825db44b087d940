"""Coriolis matrix: C(q, q̇) such that C q̇ are the Coriolis and centrifugal torques and Ṁ - 2C is skew-symmetric.

If J holds the velocities of a particle for unit velocities of the joints, then M = Σ m Jᵀ J and C = Σ m Jᵀ J̇, whose
coefficients of q̇ are the Christoffel symbols. As for the inertia matrix, link j and everything it carries are one
body, but its parts move relative to the link: with velocities ξ at ρ. An axis with the screw (v, w) at the origin O of
the link gives them J = v + w × ρ and J̇ = v̇ + ẇ × ρ + w × (ω × ρ + ξ). The moments Σ m J̇ and Σ m ρ × J̇ are passed
inward and give a column of C, down to the base. What remains of the row of this axis needs J and the J̇ of its
ancestors: v̇ · Σ m J + ẇ · Σ m ρ × J + w · Σ m (ρ̇ × J), which are passed inward too.

For few joints, derivatives of the finished inertia matrix often cost less: they are the Christoffel symbols too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..errors import ProgramError
from ..graph.derivative import jacobian
from ..graph.node import Node, Scalar, as_node
from ..program.optimise import cheapest
from ..program.program import Program
from ..program.ways import BaseSet
from ..robot.joint import Joint
from ..robot.robot import Robot
from ..spatial.moments import Moments
from ..spatial.pose import Pose
from ..spatial.screw import STILL, Twist, Wrench
from ..spatial.vector import Vector, cross, dot
from .classical import DEFAULT, classical
from .inertia_matrix import Rows, composite_bodies, first_degrees
from .prepare import prepare
from .registry import model
from .results import matrix, program
from .routes import poses_of
from .state import State, Values

METHODS = ("composite", "christoffel")
FEW = 8
"""Up to how many degrees of freedom Christoffel symbols are tried: their number grows with the third power."""


@model("q, qd -> C", "Coriolis matrix; Mdot - 2C is skew-symmetric", groups="auto", choices={"method": METHODS})
def coriolis_matrix(
    robot: Robot,
    *,
    parameters: str | BaseSet = "auto",
    formulation: str = DEFAULT,
    method: str = "auto",
    reframe: bool = True,
) -> Program:
    """Return the Program ``q, qd -> C``, such that C q̇ plus gravity and friction is the bias, and Ṁ - 2C is skew.

    Parameters
    ----------
    method
        "composite", by composite bodies; "christoffel", by derivatives of the inertia matrix, for joints whose
        coordinates have the velocities as rates; or "auto" for the one with fewer operations, of which the second is
        tried for few joints.
    parameters, formulation, reframe
        As in ``inverse_dynamics``.
    """
    if method not in ("auto", *METHODS):
        raise ProgramError(f"unknown method {method!r}; choose among 'auto', {', '.join(map(repr, METHODS))}")
    if formulation != DEFAULT:
        if method != "auto":
            raise ProgramError(f"method is for formulation={DEFAULT!r}; {formulation!r} has its own")
        return classical("coriolis_matrix", robot, formulation)
    robot, arrays, state = prepare(robot, ("q", "qd"))
    plain, ways = _is_plain(robot, state), list[Rows]()
    if method == "christoffel" and not plain:
        raise ProgramError(
            f"{robot.name} has closed loops, followers, a moving base or joints whose coordinates do not have the "
            "velocities as rates; take method='composite'"
        )
    if method != "christoffel":
        whole = coriolis(robot, state)
        ways.append(state.coordinates.coriolis(whole, lambda: composite_bodies(robot, state.q), state.qd))
    if method == "christoffel" or (method == "auto" and plain and len(state.coordinates.names) <= FEW):
        ways.append(christoffel(robot, state, arrays["q"].nodes))
    made = ({"C": matrix(state.coordinates, rows, "Coriolis matrix")} for rows in ways)
    return cheapest(program("coriolis_matrix", robot, arrays, results) for results in made)


def _is_plain(robot: Robot, state: State) -> bool:
    """Tell whether the rates of the coordinates are the velocities, and the only ones."""
    flat = all(joint.kind.is_flat for joint in robot.joints)
    return flat and state.coordinates.is_identity and robot.base.is_still and not robot.base.floating


def christoffel(robot: Robot, state: State, q: Sequence[Node]) -> Rows:
    """Return the Coriolis matrix by the Christoffel symbols ½ (∂Mᵢⱼ/∂qₖ + ∂Mᵢₖ/∂qⱼ - ∂Mⱼₖ/∂qᵢ), times q̇ₖ."""
    M = composite_bodies(robot, state.q)
    n = range(len(M))
    places = {(i, j): i * (i + 1) // 2 + j for i in n for j in n[: i + 1]}
    slopes = jacobian([as_node(M[i][j]) for i, j in places], q)
    qd = [x for own in state.qd for x in own]

    def slope(i: int, j: int, k: int) -> Node:
        return slopes[places[max(i, j), min(i, j)]][k]

    def entry(i: int, j: int) -> Scalar:
        symbols = ((slope(i, j, k) + slope(i, k, j) - slope(j, k, i)) * 0.5 for k in n)
        return sum((x * rate for x, rate in zip(symbols, qd, strict=True)), start=as_node(0.0))

    return [[entry(i, j) for j in n] for i in n]


class Axis(NamedTuple):
    """One axis of a joint, at the origin and in the axes of its link: its screw, and how this changes."""

    s: Twist
    ring: Twist  # its rate in the link's axes
    rate: Twist  # its rate as seen from the base, for a link with an angular velocity


class Carried(NamedTuple):
    """What the walk inward needs: for each link its poses, velocities and axes, and the moments of all it carries.

    ``total`` and ``W`` have an entry for the base, which comes first.
    """

    robot: Robot
    first: list[int]
    poses: Sequence[Pose]
    W: list[Vector]
    speeds: list[Twist]
    axes: list[list[Axis]]
    total: list[Moments]

    @classmethod
    def of(cls, robot: Robot, state: State) -> Carried:
        """Return this for a robot in some state."""
        poses, W = poses_of(robot, state), _angular_velocities(robot, state)
        speeds = [joint.screw(q, qd) for joint, q, qd in zip(robot.joints, state.q[1:], state.qd[1:], strict=True)]
        axes = [_axes(joint, state.q[j], state.qd[j], W[j]) for j, joint in enumerate(robot.joints, 1)]
        return cls(robot, first_degrees(robot), poses, W, speeds, axes, _carried(robot, poses, speeds))

    def inward(self, j: int, s: Twist, column: Wrench) -> Iterator[tuple[int, Wrench, Wrench, Vector]]:
        """Yield link j and its ancestors, each with a wrench on link j, with Σ m J of an axis s, and with Σ m (ρ̇ × J),
        at its origin and in its axes.
        """
        row, swept, i = self.total[j].impulse(s), self.total[j].swept(s, self.W[j]), j
        while i:
            yield i, column, row, swept
            pose, speed, antecedent = self.poses[i - 1], self.speeds[i - 1], self.robot.joints[i - 1].antecedent
            turned = self.W[i] - speed.w  # the angular velocity of the parent in this link's axes
            swept = pose.R.forth(swept + cross(Vector(turned[1] * pose.r, -turned[0] * pose.r, 0.0) + speed.v, row.f))
            column, row = column.inward(pose), row.inward(pose)
            swept = swept + cross(cross(self.W[antecedent], pose.arm), row.f)
            i = antecedent


def coriolis(robot: Robot, state: State, carried: Carried | None = None) -> Rows:
    """Return the Coriolis matrix row by row, with one row per axis of each joint."""
    known = carried or Carried.of(robot, state)
    first, axes = known.first, known.axes
    C: Rows = [[0.0] * first[-1] for _ in range(first[-1])]
    for j, own in enumerate(axes, 1):
        for place, (s, ring, _) in enumerate(own, first[j]):
            for i, column, row, swept in known.inward(j, s, known.total[j].rate(s, ring, known.W[j])):
                for other, at in enumerate(axes[i - 1], first[i]):
                    C[other][place] = at.s.dot(column)
                    if i != j:
                        C[place][other] = at.rate.dot(row) + dot(at.s.w, swept)
    return C


def _axes(joint: Joint, q: Values, qd: Values, W: Vector) -> list[Axis]:
    """Return the axes of a joint."""
    screws = joint.kind.screws(q)
    rings = joint.kind.screw_rates(q, qd) or [STILL] * len(screws)
    return [
        Axis(s, ring, Twist(ring.v + cross(W, s.v), ring.w + cross(W, s.w)))
        for s, ring in zip(screws, rings, strict=True)
    ]


def _angular_velocities(robot: Robot, state: State) -> list[Vector]:
    """Return the angular velocity of the base and of each link, in its own axes."""
    W = [robot.base.W0]
    for joint, q, qd in zip(robot.joints, state.q[1:], state.qd[1:], strict=True):
        W.append(joint.pose(q).R.back(W[joint.antecedent]) + joint.screw(q, qd).w)
    return W


def _carried(robot: Robot, poses: Sequence[Pose], speeds: Sequence[Twist]) -> list[Moments]:
    """Return the moments of each link and everything it carries; entry 0 is unused."""
    total = [Moments.rigid(body.inertia) for body in (robot.bodies[0], *robot.bodies)]
    for j in range(len(robot.joints), 0, -1):
        i = robot.joints[j - 1].antecedent
        if i:
            total[i] = total[i].plus(total[j].inward(poses[j - 1], speeds[j - 1]))
    return total
