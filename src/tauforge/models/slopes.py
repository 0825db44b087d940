"""Derivatives of the inverse dynamics by composite bodies.

S. Singh, R. P. Russell, P. M. Wensing, "Efficient analytical derivatives of rigid-body dynamics using spatial vector
algebra" (IEEE RA-L 2022), with the moments of ``coriolis_matrix.py`` for their composite bodies. Moving joint j turns
everything it carries, which is the same as turning the motion of its parent the other way. The particles then have
other accelerations by δa = p + α × ρ + 2 y × (ω × ρ + ξ): about a revolute axis z, y = ω × z, p = v̇ × z, and
α = U z; along a prismatic one only p = U z remains. The torques of j's ancestors also change because the wrench on link
j is turned. The derivative with respect to velocities is twice the Coriolis matrix, whose coefficients are symmetric,
and that with respect to accelerations is the inertia matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from ..graph.derivative import jacobian
from ..graph.node import Scalar, as_node, is_zero
from ..program.optimise import AUTO, made
from ..program.program import Array, Program, outputs
from ..program.recipe import Recipe
from ..robot.joint import Joint
from ..robot.robot import Robot
from ..spatial.screw import Twist
from ..spatial.vector import ZERO, Vector, column, cross, dot
from .coordinates import Coordinates
from .coriolis_matrix import Carried, coriolis
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
    if not {*options} <= OPTIONS or not {*variables} <= {*VARIABLES} or not _is_plain(robot):
        return None
    build = partial(_built, variables=tuple(variables))
    return made(Recipe(inverse_dynamics, (robot,), options), build, AUTO, True)


def _is_plain(robot: Robot) -> bool:
    """Tell whether a robot is a tree of revolute and prismatic joints that each move by themselves."""
    return (
        not robot.loops
        and not robot.tendons
        and not robot.base.floating
        and Coordinates.of_tree(robot).is_identity
        and all(_kind(joint) is not None for joint in robot.joints)
        and all(is_zero(x) for body in robot.bodies for x in body.lift)
    )


def _kind(joint: Joint) -> str | None:
    """Return what a joint does: it turns or slides along z, or is fixed; None if it does anything else."""
    turns, slides = not is_zero(joint.kind.turn), not is_zero(joint.kind.slide)
    if not joint.axes:
        return "fixed"
    if not joint.kind.is_axial or turns == slides:
        return None
    return "turns" if turns else "slides"


def _built(robot: Robot, *, variables: Sequence[str]) -> Program:
    """Return the Program; the robot has the frames and the parameters that it uses."""
    robot, arrays, state = prepare(robot, ("q", "qd", "qdd"))
    names = state.coordinates.names
    found: dict[str, Rows] = {}
    carried = Carried.of(robot, state)
    if "q" in variables:
        found["q"] = by_coordinates(robot, state, carried)
    if "qd" in variables:
        found["qd"] = [[x * 2.0 for x in row] for row in coriolis(robot, state, carried)]
    if "qdd" in variables:
        found["qdd"] = composite_bodies(robot, state.q)
    against = [as_node(x) for own in resistances(robot, state) for x in own]
    results: dict[str, Array] = {}
    for name in variables:
        laws = jacobian(against, arrays[name].nodes)
        nodes: list[Scalar] = []
        for row, more in zip(found[name], laws, strict=True):
            nodes += [x + law for x, law in zip(row, more, strict=True)]
        meaning = f"derivative of tau with respect to {name}"
        results[f"dtau_d{name}"] = outputs(nodes, [len(names)] * 2, [names, names], meaning)
    return program("inverse_dynamics", robot, arrays, results)


class Turn(NamedTuple):
    """What moving a joint does to the accelerations of all that it carries: p, α and 2 y, at its link's origin."""

    p: Vector
    a: Vector
    y: Vector


def by_coordinates(robot: Robot, state: State, carried: Carried) -> Rows:
    """Return the derivatives of the torques with respect to coordinates, row by row."""
    at, _, E = loads(robot, state)
    axes, first = carried.axes, carried.first
    turns = [_turn(_kind(joint), at[j]) for j, joint in enumerate(robot.joints, 1)]
    D: Rows = [[0.0] * first[-1] for _ in range(first[-1])]
    for j, own in enumerate(axes, 1):
        if not own:
            continue
        turn, place, s = turns[j - 1], first[j], own[0].s
        ring = Twist(turn.p, turn.a - cross(at[j].W, turn.y))
        changed = carried.total[j].rate(Twist(ZERO, turn.y), ring, at[j].W) + s.cross_wrench(E[j])
        for i, wrench, row, swept in carried.inward(j, s, changed):
            if axes[i - 1]:
                D[first[i]][place] = axes[i - 1][0].s.dot(wrench)
                if i != j:
                    other = turns[i - 1]
                    D[place][first[i]] = Twist(other.p, other.a).dot(row) + dot(other.y, swept)
    return D


def _turn(kind: str | None, link: Motion) -> Turn:
    """Return what moving a joint does."""
    if kind == "turns":
        W, VP = link.W, link.VP
        return Turn(Vector(VP[1], -VP[0], 0.0), column(link.U, 2), Vector(W[1], -W[0], 0.0) * 2.0)
    return Turn(column(link.U, 2), ZERO, ZERO)
