"""Derivatives of the inverse dynamics by composite bodies.

S. Singh, R. P. Russell, P. M. Wensing, "Efficient analytical derivatives of rigid-body dynamics using spatial vector
algebra" (IEEE RA-L 2022), with the moments of ``coriolis_matrix.py`` for their composite bodies. If axis j moves by a
little, all particles that it carries move by J = v + w × ρ, where (v, w) is its screw at the origin O of its link, and
their accelerations change by J̈ = v̈ + ẅ × ρ + 2 ẇ × ρ̇ + w × ρ̈; if it moves faster by a little, by 2 J̇. A descendant
turns along with its forces, so that it feels only J̈ - w × a, where a = VP + ρ̈ is the acceleration less gravity and VP
that of O. What matters is in both cases a :class:`Change` α + β × ρ + γ × ρ̇.

The torque of a descendant i changes by α · Σ m Jᵢ + β · Σ m ρ × Jᵢ + γ · Σ m ρ̇ × Jᵢ; those of j and its ancestors
change by the wrench of the same change, passed inward, and for a change of q by the wrench E on all that j carries,
which is turned too. A floating base has its velocities in its own axes: their changes are δVP = e × v and ω × e, and
turning it is felt as turning gravity. The derivative with respect to accelerations is the inertia matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from inspect import signature
from typing import Any, NamedTuple

from ..graph.derivative import jacobian
from ..graph.node import Scalar, as_node, is_zero
from ..program.array import Array, outputs
from ..program.derivative import along
from ..program.optimise import made
from ..program.program import Program
from ..program.recipe import Recipe
from ..program.ways import AUTO
from ..robot.joint import FREE, Joint
from ..robot.kinds.floating import Floating
from ..robot.robot import Robot
from ..spatial.moments import Moments
from ..spatial.screw import UNLOADED, Twist, Wrench
from ..spatial.vector import ZERO, Vector, cross, dot, times
from .coordinates import Coordinates
from .coriolis_matrix import Carried
from .inertia_matrix import Rows, composite_bodies
from .inverse_dynamics import inverse_dynamics, loads
from .joint_law import resistances
from .outward import Motion
from .prepare import prepare
from .results import program
from .state import State

OPTIONS = {"parameters", "reframe"}
"""The options of the inverse dynamics that this way of taking derivatives knows."""
VARIABLES = ("q", "qd", "qdd")


def slopes(robot: Robot, variables: Sequence[str], options: Mapping[str, Any]) -> Program | None:
    """Return the derivatives of tau with respect to some of q, qd and qdd; None if this way is not for the robot."""
    usual = signature(inverse_dynamics).parameters
    options = {name: x for name, x in options.items() if x != usual[name].default}
    if not {*options} <= OPTIONS or not {*variables} <= {*VARIABLES} or not _is_plain(robot):
        return None
    build = partial(_built, variables=tuple(variables))
    return made(Recipe(inverse_dynamics, (robot,), options), build, AUTO, True)


def _is_plain(robot: Robot) -> bool:
    """Tell whether a robot is a tree of axes that each move by themselves, perhaps on a floating base."""
    whole = robot.expanded()
    return (
        not whole.loops
        and not whole.tendons
        and Coordinates.of_tree(whole).is_identity
        and all(_is_known(joint, whole) for joint in whole.joints)
        and all(is_zero(x) for body in whole.bodies for x in body.lift)
    )


def _is_known(joint: Joint, robot: Robot) -> bool:
    """Tell whether a joint's changes are known: it moves along or about z, is fixed, or holds a floating base."""
    if any(getattr(joint, key) is not None for key in FREE):
        return False
    if _floats(joint):
        rigid = all(is_zero(x) for x in (joint.FV, joint.FS, joint.eta))
        return joint.antecedent == 0 and robot.base.is_still and rigid
    return not joint.axes or joint.kind.is_axial


def _floats(joint: Joint) -> bool:
    return isinstance(joint.kind, Floating)


def _built(robot: Robot, *, variables: Sequence[str]) -> Program:
    """Return the Program; the robot has the frames and the parameters that it uses."""
    robot, arrays, state = prepare(robot, ("q", "qd", "qdd"))
    names = state.coordinates.names
    found: dict[str, Rows] = {}
    carried = Carried.of(robot, state)
    if "q" in variables:
        found["q"] = _rows(carried, _moved(robot, state, carried))
    if "qd" in variables:
        twice = [1.0 if _floats(joint) else 2.0 for joint in robot.joints for _ in joint.axes]
        rows = _rows(carried, _faster(robot, carried))
        found["qd"] = [[x * factor for x, factor in zip(row, twice, strict=True)] for row in rows]
    if "qdd" in variables:
        found["qdd"] = composite_bodies(robot, state.q)
    against = [as_node(x) for own in resistances(robot, state) for x in own]
    results: dict[str, Array] = {}
    for name in variables:
        laws = jacobian(against, arrays[name].nodes)
        tangent = arrays[name].tangent
        laws = along(laws, tangent) if tangent else laws
        nodes: list[Scalar] = []
        for row, more in zip(found[name], laws, strict=True):
            nodes += [x + law for x, law in zip(row, more, strict=True)]
        meaning = f"derivative of tau with respect to {name}"
        results[f"dtau_d{name}"] = outputs(nodes, [len(names)] * 2, [names, names], meaning)
    return program("inverse_dynamics", robot, arrays, results)


class Change(NamedTuple):
    """A change α + β × ρ + γ × ρ̇ of accelerations, and one of the wrench on everything that moves."""

    a: Vector = ZERO
    b: Vector = ZERO
    c: Vector = ZERO
    turned: Wrench = UNLOADED

    def column(self, moments: Moments, W: Vector) -> Wrench:
        """Return what the change adds up to for a link with the angular velocity W and all that it carries."""
        return moments.rate(Twist(ZERO, self.c), Twist(self.a, self.b - cross(W, self.c)), W) + self.turned

    def row(self, impulse: Wrench, swept: Vector) -> Scalar:
        """Return the change of a descendant's torque from its sums Σ m J, Σ m ρ × J and Σ m ρ̇ × J."""
        product: Scalar = Twist(self.a, self.b).dot(impulse) + dot(self.c, swept)
        return product


def _rows(carried: Carried, changes: Sequence[Sequence[Change]]) -> Rows:
    """Return the derivatives of all torques, row by row, from the changes that each axis makes."""
    axes, first = carried.axes, carried.first
    D: Rows = [[0.0] * first[-1] for _ in range(first[-1])]
    for j, own in enumerate(axes, 1):
        for place, (axis, change) in enumerate(zip(own, changes[j - 1], strict=True), first[j]):
            column = change.column(carried.total[j], carried.W[j])
            for i, wrench, row, swept in carried.inward(j, axis.s, column):
                above = zip(axes[i - 1], changes[i - 1], strict=True)
                for other, (ancestor, its) in enumerate(above, first[i]):
                    D[other][place] = ancestor.s.dot(wrench)
                    if i != j:
                        D[place][other] = its.row(row, swept)
    return D


def _moved(robot: Robot, state: State, carried: Carried) -> list[list[Change]]:
    """Return what changes as each axis moves."""
    at, _, E = loads(robot, state)
    made: list[list[Change]] = []
    for j, own in enumerate(carried.axes, 1):
        if _floats(robot.joints[j - 1]):
            g = carried.poses[j - 1].R.back(robot.gravity)
            made.append([Change(cross(axis.s.w, g)) for axis in own])
        else:
            made.append([_turned(axis.s, at[j], E[j]) for axis in own])
    return made


def _turned(s: Twist, link: Motion, E: Wrench) -> Change:
    """Return what changes as an axis moves whose screw is constant in its link's frame."""
    v, w = (times(link.U, x) for x in s)  # v̈ and ẅ
    return Change(v - cross(s.w, link.VP), w, cross(link.W, s.w) * 2.0, s.cross_wrench(E))


def _faster(robot: Robot, carried: Carried) -> list[list[Change]]:
    """Return what changes as each axis moves faster; of axes that are constant in their links, half of it, J̇."""
    made: list[list[Change]] = []
    for j, own in enumerate(carried.axes, 1):
        if _floats(robot.joints[j - 1]):
            made.append([_flown(axis.s, carried.W[j], carried.speeds[j - 1].v) for axis in own])
        else:
            made.append([Change(*axis.rate, axis.s.w) for axis in own])
    return made


def _flown(s: Twist, W: Vector, v: Vector) -> Change:
    """Return what changes as a floating base moves faster."""
    return Change(cross(s.w, v) + cross(W, s.v), cross(W, s.w), s.w * 2.0)
