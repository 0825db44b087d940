"""Hybrid dynamics: of each joint either the acceleration or the effort is known; the other is found.

The recursion of articulated bodies, Khalil 2010, section 3.3.2, equations (32)-(44). Where all efforts are known it is
direct dynamics; where all accelerations are, inverse dynamics. A wrench is f = A a + p: A the articulated inertia (J*
there), p minus its β*, a the acceleration of the link.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..errors import ProgramError
from ..graph.node import Scalar
from ..program.program import Program, inputs, outputs
from ..robot.joint import Joint
from ..robot.robot import Robot
from ..spatial.articulated import Articulated
from ..spatial.inertia import Inertia
from ..spatial.pose import HERE, Pose
from ..spatial.screw import STILL, UNLOADED, Twist, Wrench
from ..spatial.vector import ZERO, Vector, cross
from .frame import INPUTS, State, Values, prepare, program
from .joint_law import is_coupled, resistances
from .registry import model
from .singular import check_inertia, warn_if_singular


class Given(NamedTuple):
    """An axis of a joint once its unknown acceleration is eliminated: q̈ = (u - U a) / D."""

    s: Twist
    U: Wrench
    u: Scalar
    inverse: Scalar  # 1 / D


@dataclass
class Link:
    """What the walks leave at a link."""

    pose: Pose
    gamma: Twist  # acceleration from velocities alone, equation (34)
    A: Articulated
    p: Wrench
    eliminated: list[Given] = field(default_factory=list)


@model(
    "q, qd, qdd, tau -> efforts, accelerations",
    "of some joints the acceleration is known (--accelerated), of the others the effort",
    groups="auto",
    watch=warn_if_singular("accelerations"),
)
def hybrid_dynamics(
    robot: Robot,
    *,
    accelerated: Iterable[str] | str,
    parameters: str = "auto",
    external_wrenches: bool | str = False,
    reframe: bool = True,
) -> Program:
    """Return the Program ``q, qd, qdd, tau -> efforts, accelerations``.

    Parameters
    ----------
    accelerated
        Names of the joints whose acceleration is known, or "rigid" for those that have a motor and no spring.
        The input ``qdd`` and the output ``efforts`` are theirs, in joint order; the input ``tau`` and the output
        ``accelerations`` are those of the others.
    parameters, external_wrenches, reframe
        As in ``inverse_dynamics``.
    """
    robot, arrays, state = prepare(robot, "standard", ("q", "qd"), external_wrenches)
    rigid = [x.name for x in robot.joints if x.axes and x.mu and not x.eta and not x.mimic]
    chosen = set(rigid if accelerated == "rigid" else accelerated)
    if unknown := chosen - set(robot.joint_names):
        raise ProgramError(
            f"{robot.name} has no moving joint {', '.join(sorted(unknown))}; it has {', '.join(robot.joint_names)}"
        )
    free = frozenset(j for j, joint in enumerate(robot.joints, 1) if not joint.mimic)
    numbers = frozenset(j for j in free if robot.joints[j - 1].name in chosen)
    known, others = degrees(robot, numbers), degrees(robot, free - numbers)
    arrays["qdd"] = inputs("qdd", known, f"{INPUTS['qdd'][0]} that are known")
    arrays["tau"] = inputs("tau", others, f"{INPUTS['tau'][0]} that are known")
    nodes = {True: iter(arrays["qdd"].nodes), False: iter(arrays["tau"].nodes)}
    joints = enumerate(robot.joints, 1)
    given = [[], *([next(nodes[j in numbers]) for _ in (joint.axes if j in free else ())] for j, joint in joints)]
    qdd, tau = articulated(robot, replace(state, qdd=given, tau=given), numbers)
    efforts = [x for j in sorted(numbers) for x in tau[j]]
    accelerations = [x for j in sorted(free - numbers) for x in qdd[j]]
    results = {
        "efforts": outputs(efforts, [len(known)], [known], "efforts of the joints whose acceleration is known"),
        "accelerations": outputs(accelerations, [len(others)], [others], "accelerations of the other joints"),
    }
    return program("hybrid_dynamics", robot, arrays, results)


def free_base_dynamics(robot: Robot, external_wrenches: bool | str) -> Program:
    """Return the Program ``q, qd, qdd -> tau, base_acceleration`` of a robot on which nothing acts at its base."""
    if not robot.base.floating:
        raise ProgramError(f"{robot.name} stands on a fixed base; free_base needs robot.with_base('floating')")
    robot, arrays, state = prepare(robot, "standard", ("q", "qd"), external_wrenches)
    moved = frozenset(j for j, joint in enumerate(robot.joints, 1) if j > 1 and not joint.mimic)
    names = degrees(robot, moved)
    arrays["qdd"] = inputs("qdd", names, INPUTS["qdd"][0])
    nodes = iter(arrays["qdd"].nodes)
    given = [[], [], *([next(nodes) for _ in (() if joint.mimic else joint.axes)] for joint in robot.joints[1:])]
    qdd, tau = articulated(robot, replace(state, qdd=given), moved)
    labels = degrees(robot, frozenset([1]))
    results = {
        "tau": outputs([x for j in sorted(moved) for x in tau[j]], [len(names)], [names], INPUTS["tau"][0]),
        "base_acceleration": outputs(qdd[1], [6], [labels], "rate of the base's velocity, in its own frame"),
    }
    return program("inverse_dynamics", robot, arrays, results)


def degrees(robot: Robot, numbers: frozenset[int]) -> list[str]:
    """Return the names of the degrees of freedom of some joints, in joint order."""
    chosen = [joint for j, joint in enumerate(robot.joints, 1) if j in numbers]
    return [joint.name + part for joint in chosen for part in joint.axes]


def articulated(robot: Robot, state: State, accelerated: frozenset[int]) -> tuple[list[Values], list[Values]]:
    """Return accelerations and efforts by joint; those of ``accelerated`` joints are given in ``state.qdd``, else in
    ``tau``.
    """
    if is_coupled(robot):
        from .hybrid_by_matrices import solved

        return solved(robot, state, accelerated)
    links, against = outward(robot, state), resistances(robot, state)
    for j in range(len(robot.joints), 0, -1):
        joint, link = robot.joints[j - 1], links[j]
        if j in accelerated:
            link.p = link.p + link.A.times(joint.screw(state.q[j], state.qdd[j]))
        else:
            eliminate(joint, link, state.q[j], [tau - x for tau, x in zip(state.tau[j], against[j], strict=True)])
        parent = links[joint.antecedent]
        parent.p = parent.p + (link.p + link.A.times(link.gamma)).inward(link.pose)  # (39)
        parent.A = parent.A.plus(link.A.inward(link.pose))  # (40)
    base = robot.base
    at = [Twist(base.VP0 - robot.gravity, base.WP0)]
    qdd: list[Values] = [()]
    tau: list[Values] = [()]
    for j, joint in enumerate(robot.joints, 1):
        link = links[j]
        a = at[joint.antecedent].outward(link.pose) + link.gamma
        f = link.A.times(a) + link.p  # (42)
        own = list(state.qdd[j]) if j in accelerated else solve_axes(link, a)  # (41)
        parts = zip(joint.along(state.q[j], f), own, against[j], strict=True)
        tau.append(
            [x + joint.IA * qdd + resisting for x, qdd, resisting in parts] if j in accelerated else state.tau[j]
        )
        qdd.append(own)
        at.append(a + joint.screw(state.q[j], own))  # (43)
    return qdd, tau


def outward(robot: Robot, state: State) -> list[Link]:
    """Return what velocities make of each link: equations (34) and (35). Entry 0 is the base."""
    links = [Link(HERE, STILL, Articulated.rigid(Inertia()), UNLOADED)]
    W = [robot.base.W0]
    for j, (joint, body) in enumerate(zip(robot.joints, robot.bodies, strict=True), 1):
        pose, i = joint.pose(state.q[j]), joint.antecedent
        v, w = joint.screw(state.q[j], state.qd[j])
        WI = pose.R.back(W[i])
        linear = pose.R.back(cross(W[i], cross(W[i], pose.arm))) + cross(WI, v * 2.0) + cross(w, v)
        linear = linear + Vector(WI[0] * WI[2], WI[1] * WI[2], -WI[0] * WI[0] - WI[1] * WI[1]) * pose.r
        W.append(WI + w)
        momentum = body.inertia.times(Twist(ZERO, W[j]))
        p = Wrench(cross(W[j], momentum.f) + state.f[j], cross(W[j], momentum.n) + state.m[j])
        gamma = Twist(linear, cross(WI, w)) + joint.kind.drift(state.q[j], state.qd[j])
        links.append(Link(pose, gamma, Articulated.rigid(body.inertia), p))
    return links


def eliminate(joint: Joint, link: Link, q: Values, tau: Values) -> None:
    """Let the joint give way, one axis after the other: equations (36)-(38)."""
    for s, part, x in zip(joint.kind.screws(q), joint.axes, tau, strict=True):
        U = link.A.times(s)
        D = s.dot(U) + joint.IA
        check_inertia(joint.name + part, D)
        inverse = 1.0 / D
        u = x - s.dot(link.p)
        link.eliminated.append(Given(s, U, u, inverse))
        link.A = link.A.less(U, inverse)
        link.p = link.p + U * (u * inverse)


def solve_axes(link: Link, a: Twist) -> list[Scalar]:
    """Return the accelerations of a joint's axes, the last eliminated first."""
    found: list[Scalar] = []
    for given in reversed(link.eliminated):
        x = (given.u - a.dot(given.U)) * given.inverse
        found.insert(0, x)
        a = a + given.s * x
    return found
