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
from ..robot.joint import VELOCITIES, Joint, Pose, passed
from ..robot.robot import Robot
from ..spatial.articulated import Articulated
from ..spatial.inertia import Inertia
from ..spatial.rotation import Rotation
from ..spatial.vector import ZERO, Vector, cross, dot
from .frame import INPUTS, State, Values, prepare, program
from .inertia_matrix import wrench
from .joint_law import is_coupled, resistances
from .registry import model
from .solve import check_inertia, warn_if_singular

Screw = tuple[Vector, Vector]
"""Linear and angular part of an acceleration, force and moment of a wrench."""


class Given(NamedTuple):
    """An axis of a joint once its unknown acceleration is eliminated: q̈ = (u - U a) / D."""

    axis: int
    U: Screw
    u: Scalar
    inverse: Scalar  # 1 / D


@dataclass
class Link:
    """What the walks leave at a link."""

    pose: Pose
    gamma: Screw  # acceleration from velocities alone, equation (34)
    A: Articulated
    p: Screw
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
    return [joint.name + part for joint in chosen for part in VELOCITIES[joint.sigma]]


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
            link.p = add(link.p, link.A.times(*joint.screw(state.qdd[j])))
        else:
            eliminate(joint, link, [tau - x for tau, x in zip(state.tau[j], against[j], strict=True)])
        parent = links[joint.antecedent]
        parent.p = add(parent.p, passed(link.pose, *add(link.p, link.A.times(*link.gamma))))  # (39)
        parent.A = parent.A.plus(carried(link.pose, link.A))  # (40)
    base = robot.base
    at: list[Screw] = [(base.VP0 - robot.gravity, base.WP0)]
    qdd: list[Values] = [()]
    tau: list[Values] = [()]
    for j, joint in enumerate(robot.joints, 1):
        link = links[j]
        a = add(brought(link.pose, at[joint.antecedent]), link.gamma)
        f = add(link.A.times(*a), link.p)  # (42)
        own = list(state.qdd[j]) if j in accelerated else solve_axes(joint, link, a)  # (41)
        parts = zip(joint.along(*f), own, against[j], strict=True)
        tau.append(
            [x + joint.IA * qdd + resisting for x, qdd, resisting in parts] if j in accelerated else state.tau[j]
        )
        qdd.append(own)
        at.append(add(a, joint.screw(own)))  # (43)
    return qdd, tau


def outward(robot: Robot, state: State) -> list[Link]:
    """Return what velocities make of each link: equations (34) and (35). Entry 0 is the base."""
    unused = Pose(Rotation(), ZERO, 0.0)  # the base stands on nothing
    links = [Link(unused, (ZERO, ZERO), Articulated.rigid(Inertia()), (ZERO, ZERO))]
    W = [robot.base.W0]
    for j, (joint, body) in enumerate(zip(robot.joints, robot.bodies, strict=True), 1):
        pose, i = joint.pose(state.q[j]), joint.antecedent
        v, w = joint.screw(state.qd[j])
        WI = pose.R.back(W[i])
        linear = pose.R.back(cross(W[i], cross(W[i], pose.arm))) + cross(WI, v * 2.0) + cross(w, v)
        linear = linear + Vector(WI[0] * WI[2], WI[1] * WI[2], -WI[0] * WI[0] - WI[1] * WI[1]) * pose.r
        W.append(WI + w)
        momentum = wrench(body.inertia, ZERO, W[j])
        p = (cross(W[j], momentum[0]) + state.f[j], cross(W[j], momentum[1]) + state.m[j])
        links.append(Link(pose, (linear, cross(WI, w)), Articulated.rigid(body.inertia), p))
    return links


def eliminate(joint: Joint, link: Link, tau: Values) -> None:
    """Let the joint give way, one axis after the other: equations (36)-(38)."""
    for axis, part, x in zip(joint.axes, VELOCITIES[joint.sigma], tau, strict=True):
        U = link.A.axis(axis)
        D = (*U[0], *U[1])[axis] + joint.IA
        check_inertia(joint.name + part, D)
        inverse = 1.0 / D
        u = x - (*link.p[0], *link.p[1])[axis]
        link.eliminated.append(Given(axis, U, u, inverse))
        link.A = link.A.less(*U, inverse)
        link.p = add(link.p, (U[0] * (u * inverse), U[1] * (u * inverse)))


def solve_axes(joint: Joint, link: Link, a: Screw) -> list[Scalar]:
    """Return the accelerations of a joint's axes, the last eliminated first."""
    found: list[Scalar] = []
    for given in reversed(link.eliminated):
        x = (given.u - (dot(given.U[0], a[0]) + dot(given.U[1], a[1]))) * given.inverse
        found.insert(0, x)
        parts: list[Scalar] = [0.0] * 6
        parts[given.axis] = x
        a = add(a, (Vector(*parts[:3]), Vector(*parts[3:])))
    return found


def add(a: Screw, b: Screw) -> Screw:
    return a[0] + b[0], a[1] + b[1]


def brought(pose: Pose, a: Screw) -> Screw:
    """Return an acceleration of the antecedent as one of the link: the transformation of equation (17)."""
    w = pose.R.back(a[1])
    return pose.R.back(a[0] + cross(a[1], pose.arm)) + Vector(w[1] * pose.r, -w[0] * pose.r, 0.0), w


def carried(pose: Pose, A: Articulated) -> Articulated:
    """Return an articulated inertia in the frame of the antecedent."""
    return A.shifted(Vector(0.0, 0.0, pose.r)).rotated(pose.R).shifted(pose.arm)
