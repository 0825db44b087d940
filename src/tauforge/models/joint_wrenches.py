"""The wrenches that joints transmit: what bearings and motors carry, and what holds closed loops together.

In a tree, Newton-Euler has them: the wrench of each link and everything it carries. The joints at which loops are cut
transmit the multipliers λ of the loops' equations J q̇_tree = 0. No motor drives the dependent joints p, so

    Γ_tree = (τ, 0) + Jᵀ λ,    hence    J_pᵀ λ = Γ_p

If a loop has more equations than dependent joints, λ is the solution with the least norm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ..errors import ProgramError
from ..graph.node import Scalar, is_zero
from ..program.array import outputs
from ..program.program import Program
from ..robot.body import WRENCH
from ..robot.robot import Robot
from ..spatial.least_squares import Equations
from ..spatial.pose import Pose
from ..spatial.screw import UNLOADED, Wrench
from ..spatial.solve import solve
from ..spatial.vector import ZERO, Vector, cross
from .coordinates import Coordinates, Row
from .inverse_dynamics import inertial_wrench, newton_euler
from .loops.closure import Sides, rows, with_sides
from .outward import forward, moving
from .prepare import prepare
from .registry import model
from .results import program
from .routes import Route, poses_of
from .state import State

Check = Callable[[Scalar], None]
"""Takes a divisor; raises an error if it is zero."""


@model("q, qd, qdd -> F", "wrenches that all joints transmit, those that close loops too")
def joint_wrenches(robot: Robot, *, external_wrenches: bool | str = False) -> Program:
    """Return the Program ``q, qd, qdd -> F``: the force and moment that each joint transmits to its link, (joints, 6).

    The wrench of a joint acts on its link, in the link's frame and at its origin; its motor's effort is part of it, and
    what rotor and friction take is not. After all joints come those that close loops: such a wrench acts on the link of
    the loop's second frame, in the first frame, which the joint would have at zero, and at its origin.

    Parameters
    ----------
    external_wrenches
        As in ``inverse_dynamics``.
    """
    robot, arrays, state = prepare(robot, ("q", "qd", "qdd"), external_wrenches)
    whole, sides = with_sides(robot)
    more = [()] * (2 * len(sides))
    f, m = ([*x, *([ZERO] * len(more))] for x in (state.f, state.m))
    state = replace(state, q=[*state.q, *more], qd=[*state.qd, *more], qdd=[*state.qdd, *more], f=f, m=m)
    cuts = cut_wrenches(robot, whole, sides, state) if sides else []
    at = [_meant(robot, j, wrench) for j, wrench in enumerate(transmitted(whole, state, sides, cuts)) if j]
    names = [joint.name for joint in robot.joints] + [side.loop.joint.name for side in sides]
    entries = [x for wrench in [*at[: len(robot.joints)], *cuts] for x in (*wrench.f, *wrench.n)]
    F = outputs(entries, [len(names), 6], [names, WRENCH], "wrench that each joint transmits")
    return program("joint_wrenches", robot, arrays, {"F": F})


def transmitted(robot: Robot, state: State, sides: Sequence[Sides], cuts: Sequence[Wrench]) -> list[Wrench]:
    """Return the wrench on each link and everything it carries: (18)-(30), with those of the cuts on both sides."""
    base, poses = robot.base, poses_of(robot, state)
    at, E = [moving(ZERO, base.W0, base.WP0, base.VP0 - robot.gravity)], [UNLOADED]
    for j, (joint, body) in enumerate(zip(robot.joints, robot.bodies, strict=True), 1):
        at.append(forward(at[joint.antecedent], joint, poses[j - 1], state.q[j], state.qd[j], state.qdd[j]))
        E.append(inertial_wrench(at[j], body.inertia)[0] + Wrench(state.f[j], state.m[j]))
    for side, cut in zip(sides, cuts, strict=True):
        way = Route.between(robot, poses, side.a, side.b)
        apart = way.point(ZERO)  # from B to A, in the axes of B
        f, n = way.direction(cut.f), way.direction(cut.n)
        E[side.a] = E[side.a] + cut
        E[side.b] = E[side.b] + Wrench(-f, -(n + cross(apart, f)))
    for j in range(len(robot.joints), 0, -1):
        antecedent = robot.joints[j - 1].antecedent
        E[antecedent] = E[antecedent] + E[j].inward(poses[j - 1])
    return E


def cut_wrenches(robot: Robot, whole: Robot, sides: Sequence[Sides], state: State) -> list[Wrench]:
    """Return the wrench that each cut transmits from A to B, in frame A and at its origin."""
    own = state.q[: len(robot.joints) + 1]
    tree = Coordinates.of_tree(robot)
    J = [tree.gathered_some(row) for row in rows(robot, own, whole=True)[0]]
    efforts = tree.gathered(newton_euler(whole, state))
    free = {tree.names.index(name) for name in robot.velocity_names}
    dependent = {place: efforts[place] for place in range(len(tree.names)) if place not in free}
    held = multipliers(robot, J, dependent)
    poses, found, at = poses_of(whole, state), list[Wrench](), 0
    for side in sides:
        six: list[Scalar] = [0.0] * 6
        for k in side.held:
            six[k], at = held[at], at + 1
        way = Route.between(whole, poses, side.b, side.a)
        f, n = Vector(*six[:3]), Vector(*six[3:])
        if side.crossed:  # z of A and x of B stay perpendicular
            x = way.direction(Vector(1.0, 0.0, 0.0))
            n, at = n + Vector(x[1], -x[0], 0.0) * held[at], at + 1
        meets = all(k in side.held for k in range(3))
        found.append(Wrench(f, n if meets else n + cross(way.point(ZERO), f)))
    return found


def multipliers(robot: Robot, J: Sequence[Row], efforts: Mapping[int, Scalar]) -> list[Scalar]:
    """Return λ in J_pᵀ λ = Γ_p, the one with the least norm; Γ_p is given by place."""
    check = partial(_check, robot)
    found: list[Scalar] = [0.0] * len(J)
    for names, numbers in _apart(J, list(efforts)):
        if len(names) == len(numbers):
            turned = [{i: J[i][name] for i in numbers if name in J[i]} for name in names]
            own = Equations(turned, numbers, check).solved({k: efforts[name] for k, name in enumerate(names)})
        else:
            y = _normal(J, names, numbers, efforts, check)
            own = {i: _dot(J[i], y) for i in numbers}
        for i, x in own.items():
            found[i] = x
    return found


def _apart(J: Sequence[Row], names: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """Return the unknowns and the equations in parts that do not depend on one another."""
    of = {name: k for k, name in enumerate(names)}  # the part of each unknown
    for row in J:
        own = {of[name] for name in row if name in of}
        if len(own) > 1:
            of = {name: min(own) if part in own else part for name, part in of.items()}
    parts = {part: [name for name in names if of[name] == part] for part in dict.fromkeys(of.values())}
    return [
        (own, [i for i, row in enumerate(J) if any(of.get(name) == part for name in row)])
        for part, own in parts.items()
    ]


def _normal(
    J: Sequence[Row], names: Sequence[int], numbers: Sequence[int], efforts: Mapping[int, Scalar], check: Check
) -> dict[int, Scalar]:
    """Return y in J_pᵀ J_p y = Γ_p for one block, so that λ = J_p y has the least norm."""
    columns = [{i: J[i][name] for i in numbers if name in J[i]} for name in names]
    N = [[_dot(a, b) for b in columns[: k + 1]] + [0.0] * (len(names) - k - 1) for k, a in enumerate(columns)]
    return dict(zip(names, solve(N, [efforts[name] for name in names], lambda _, x: check(x)), strict=True))


def _dot(a: Row, b: Row) -> Scalar:
    total: Scalar = 0.0
    for place, x in a.items():
        if place in b and not is_zero(x) and not is_zero(b[place]):
            total = total + x * b[place]
    return total


def _check(robot: Robot, divisor: Scalar) -> None:
    if is_zero(divisor):
        raise ProgramError(
            f"{robot.name}: the loops are singular wherever they are closed, so no forces are determined"
        )


def _meant(robot: Robot, number: int, wrench: Wrench) -> Wrench:
    """Return a wrench on a link, given in its own frame, in the frame that the link's name means."""
    for frame in robot.frames:
        if frame.antecedent == number <= len(robot.bodies) and frame.name == robot.bodies[number - 1].name:
            return _seen_from(frame.pose(), wrench)
    return wrench


def _seen_from(pose: Pose, wrench: Wrench) -> Wrench:
    f, n = wrench
    return Wrench(pose.R.back(f), pose.R.back(n - cross(pose.P, f)))
