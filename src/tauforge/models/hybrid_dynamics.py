"""Hybrid dynamics: given the acceleration or the torque of each joint, find the other.

The recursion of articulated bodies, Khalil 2010, section 3.3.2, equations (32)-(44). With all torques known, this is
direct dynamics; with all accelerations known, inverse dynamics. A wrench is f = A a + p, with the articulated inertia A
(J* in the paper), p = -β*, and the link's acceleration a.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..errors import ProgramError
from ..graph.node import Scalar
from ..program.array import inputs, outputs
from ..program.program import Program
from ..program.ways import BaseSet
from ..robot.joint import Joint
from ..robot.robot import Robot
from ..spatial.articulated import Articulated
from ..spatial.inertia import Inertia
from ..spatial.pose import HERE, Pose
from ..spatial.screw import STILL, UNLOADED, Twist, Wrench
from ..spatial.vector import ZERO, Vector, cross
from .coordinates import ALL, INDEPENDENT
from .joint_law import is_coupled, resistances
from .prepare import prepare
from .registry import model
from .results import program
from .singular import check_inertia, warn_if_singular
from .state import INPUTS, State, Values


class Given(NamedTuple):
    """A joint's axis after its unknown acceleration has been eliminated: q̈ = (u - U a) / D."""

    s: Twist
    U: Wrench
    u: Scalar
    inverse: Scalar  # 1 / D


@dataclass
class Link:
    """The results of the walks at one link."""

    pose: Pose
    gamma: Twist  # acceleration from velocities alone, equation (34)
    A: Articulated
    p: Wrench
    eliminated: list[Given] = field(default_factory=list)


@model(
    "q, qd, qdd, tau -> efforts, accelerations",
    "given some joints' accelerations (--accelerated) and the others' torques",
    groups="auto",
    watch=warn_if_singular("accelerations"),
)
def hybrid_dynamics(
    robot: Robot,
    *,
    accelerated: Iterable[str] | str,
    parameters: str | BaseSet = "auto",
    external_wrenches: bool | str = False,
    coordinates: str = INDEPENDENT,
    reframe: bool = True,
) -> Program:
    """Return the Program ``q, qd, qdd, tau -> efforts, accelerations``.

    Parameters
    ----------
    accelerated
        Names of the joints whose acceleration is known, or "rigid" for those with a motor and without a spring.
        The input ``qdd`` and the output ``efforts`` are theirs, in the order of ``qd``; the input ``tau`` and the
        output ``accelerations`` are those of the others. Torques are those of joints: motors that act on several, by
        tendons or a coupling, need not be known or unknown as the joints are, and act as Rᵀ times theirs.
    parameters, external_wrenches, coordinates, reframe
        As in ``inverse_dynamics``. In all coordinates of closed loops, every axis has an entry in one of the inputs.
    """
    robot, arrays, state = prepare(robot, ("q", "qd"), external_wrenches, coordinates=coordinates)
    free = frozenset(state.coordinates.independent)
    rigid = [x.name for j, x in enumerate(robot.joints, 1) if j in free and x.axes and x.mu and not x.eta]
    chosen = set(rigid if accelerated == "rigid" else accelerated)
    if unknown := chosen - set(robot.joint_names):
        raise ProgramError(
            f"{robot.name} has no moving joint {', '.join(sorted(unknown))}; it has {', '.join(robot.joint_names)}"
        )
    numbers = frozenset(j for j in free if robot.joints[j - 1].name in chosen)
    if dependent := chosen - {robot.joints[j - 1].name for j in numbers}:
        raise ProgramError(
            f"{robot.name}: the loops determine the acceleration of {', '.join(sorted(dependent))}; choose among the "
            f"independent joints, {', '.join(robot.joints[j - 1].name for j in state.coordinates.independent)}"
        )
    names, order = state.coordinates.own(state.coordinates.names), state.coordinates.independent
    known = [name for j in order if j in numbers for name in names[j]]
    others = [name for j in order if j not in numbers for name in names[j]]
    arrays["qdd"] = inputs("qdd", known, f"{INPUTS['qdd'][0]} that are known")
    arrays["tau"] = inputs("tau", others, f"{INPUTS['tau'][0]} that are known")
    nodes = {True: iter(arrays["qdd"].nodes), False: iter(arrays["tau"].nodes)}
    given: list[Values] = [()] * len(names)
    for j in order:
        given[j] = [next(nodes[j in numbers]) for _ in names[j]]
    solved = _in_all_coordinates if coordinates == ALL and robot.loops else articulated
    found = solved(robot, state, given, numbers)
    efforts = [x for j in order if j in numbers for x in found[j]]
    accelerations = [x for j in order if j not in numbers for x in found[j]]
    results = {
        "efforts": outputs(efforts, [len(known)], [known], "torques of the joints whose acceleration is known"),
        "accelerations": outputs(accelerations, [len(others)], [others], "accelerations of the other joints"),
    }
    return program("hybrid_dynamics", robot, arrays, results)


def _in_all_coordinates(
    robot: Robot, state: State, given: Sequence[Values], accelerated: frozenset[int]
) -> list[Values]:
    """Return torques or accelerations by joint, as ``articulated`` does, in all coordinates of closed loops."""
    from .loops.constrained_dynamics import partly_accelerated

    entries = enumerate((j in accelerated, x) for j in state.coordinates.independent for x in given[j])
    known, tau = dict[int, Scalar](), dict[int, Scalar]()
    for axis, (moved, x) in entries:
        (known if moved else tau)[axis] = x
    efforts, accelerations = partly_accelerated(robot, state, known, tau)
    found = efforts | accelerations
    return state.coordinates.own([found[axis] for axis in range(len(found))])


def free_base_dynamics(robot: Robot, external_wrenches: bool | str) -> Program:
    """Return the Program ``q, qd, qdd -> tau, base_acceleration`` of a robot with no wrench on its base."""
    if not robot.base.floating:
        raise ProgramError(f"{robot.name} has a fixed base; free_base needs robot.with_base('floating')")
    robot, arrays, state = prepare(robot, ("q", "qd"), external_wrenches)
    _, *moved = state.coordinates.independent  # the base is first
    labels, names = state.coordinates.names[:6], state.coordinates.names[6:]
    arrays["qdd"] = inputs("qdd", names, INPUTS["qdd"][0])
    given = state.coordinates.own([*[0.0] * 6, *arrays["qdd"].nodes])
    found = articulated(robot, state, given, frozenset(moved))
    results = {
        "tau": outputs([x for j in moved for x in found[j]], [len(names)], [names], INPUTS["tau"][0]),
        "base_acceleration": outputs(found[1], [6], [labels], "rate of the base's velocity, in its own frame"),
    }
    return program("inverse_dynamics", robot, arrays, results)


def articulated(robot: Robot, state: State, given: Sequence[Values], accelerated: frozenset[int]) -> list[Values]:
    """Return the torques of the joints in ``accelerated``, whose accelerations are given, and the accelerations of the
    others, whose torques are given; both by joint number.
    """
    if is_coupled(robot, state.coordinates):
        from .hybrid_by_matrices import solved

        return solved(robot, state, given, accelerated)
    links, against = outward(robot, state), resistances(robot, state)
    for j in range(len(robot.joints), 0, -1):
        joint, link = robot.joints[j - 1], links[j]
        if j in accelerated:
            link.p = link.p + link.A.times(joint.screw(state.q[j], given[j]))
        else:
            eliminate(joint, link, state.q[j], [tau - x for tau, x in zip(given[j], against[j], strict=True)])
        parent = links[joint.antecedent]
        parent.p = parent.p + (link.p + link.A.times(link.gamma)).inward(link.pose)  # (39)
        parent.A = parent.A.plus(link.A.inward(link.pose))  # (40)
    base = robot.base
    at = [Twist(base.VP0 - robot.gravity, base.WP0)]
    found: list[Values] = [()]
    for j, joint in enumerate(robot.joints, 1):
        link = links[j]
        a = at[joint.antecedent].outward(link.pose) + link.gamma
        f = link.A.times(a) + link.p  # (42)
        qdd = given[j] if j in accelerated else solve_axes(link, a)  # (41)
        parts = zip(joint.along(state.q[j], f), qdd, against[j], strict=True)
        found.append([x + joint.IA * own + resisting for x, own, resisting in parts] if j in accelerated else qdd)
        at.append(a + joint.screw(state.q[j], qdd))  # (43)
    return found


def outward(robot: Robot, state: State) -> list[Link]:
    """Return the velocity terms of each link: equations (34) and (35). Entry 0 is the base."""
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
    """Eliminate the joint's unknown accelerations, axis by axis: equations (36)-(38)."""
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
