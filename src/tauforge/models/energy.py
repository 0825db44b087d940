"""Kinetic and potential energy."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ..program.program import Program, outputs
from ..robot.joint import Joint, Pose
from ..robot.robot import Body, Robot
from ..spatial.inertia import Inertia
from ..spatial.vector import Entry, Vector, cross, dot
from .frame import State, Values, prepare, program
from .inertia_matrix import composites, wrench
from .joint_law import along, stretch
from .registry import model


class Velocity(NamedTuple):
    """Velocity of a link's origin and its angular velocity, in the link's frame: the screw of equation (5)."""

    V: Vector
    W: Vector


@model("q, qd -> kinetic, potential", "energies of the whole robot", groups="asked")
def energy(robot: Robot, *, parameters: str = "auto", reframe: bool = True) -> Program:
    """Return the Program ``q, qd -> kinetic, potential``. The potential energy is zero where masses are at the base's
    origin.

    With base parameters the potential energy differs from the standard one by a constant.
    """
    robot, arrays, state = prepare(robot, "standard", ("q", "qd"))
    results = {
        "kinetic": outputs([kinetic(robot, state)], [], [], "kinetic energy, rotors included"),
        "potential": outputs([potential(robot, state)], [], [], "potential energy of gravity and springs"),
    }
    return program("energy", robot, arrays, results)


def kinetic(robot: Robot, state: State) -> Entry:
    """Return the kinetic energy: half of each link's momentum along its velocity."""
    total: Entry = 0.0
    for link, body in zip(velocities(robot, state)[1:], robot.bodies, strict=True):
        total = total + twice_kinetic(link, body.inertia)
    for joint, qd in zip(robot.joints, state.qd[1:], strict=True):
        for x in qd:
            total = total + joint.IA * x * x
    for tendon in robot.tendons:
        rate = along(tendon, state.qd)
        total = total + tendon.IA * rate * rate
    return total * 0.5


def twice_kinetic(link: Velocity, body: Inertia) -> Entry:
    momentum, angular = wrench(body, link.V, link.W)
    return dot(momentum, link.V) + dot(angular, link.W)


def potential(robot: Robot, state: State) -> Entry:
    """Return the potential energy: of the whole robot's first moments, gathered from the tips to the base."""
    poses = [joint.pose(q) for joint, q in zip(robot.joints, state.q[1:], strict=True)]
    heavy = robot.derived(bodies=tuple(replace(body, inertia=_weighing(body)) for body in robot.bodies))
    total = -dot(composites(heavy, poses)[0].first_moments, robot.gravity)
    for joint, q in zip(robot.joints, state.q[1:], strict=True):
        if joint.eta:
            for s in stretch(joint, q):
                total = total + joint.k * s * s * 0.5
    for tendon in robot.tendons:
        s = along(tendon, state.q) - tendon.rest
        total = total + tendon.k * s * s * 0.5
    return total


def _weighing(body: Body) -> Inertia:
    """Return a body's first moments and mass as far as gravity acts on them."""
    parts = zip(body.inertia[6:], body.lift, strict=True)
    return Inertia._make((*body.inertia[:6], *(x - lifted for x, lifted in parts)))


def velocities(robot: Robot, state: State) -> list[Velocity]:
    """Return the velocity of the base and of each link: equation (13)."""
    at = [Velocity(robot.base.V0, robot.base.W0)]
    for joint, q, qd in zip(robot.joints, state.q[1:], state.qd[1:], strict=True):
        at.append(forward_velocity(at[joint.antecedent], joint, joint.pose(q), qd))
    return at


def forward_velocity(i: Velocity, joint: Joint, pose: Pose, qd: Values) -> Velocity:
    """Return link j's velocity from that of its antecedent; the part r z of the offset is taken in frame j."""
    v, w = joint.screw(qd)
    W = pose.R.back(i.W)
    V = pose.R.back(i.V + cross(i.W, pose.arm)) + Vector(W[1] * pose.r, -W[0] * pose.r, 0.0)
    return Velocity(V + v, W + w)
