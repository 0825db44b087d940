"""Kinetic and potential energy."""

from __future__ import annotations

from dataclasses import replace

from ..program.array import outputs
from ..program.program import Program
from ..program.ways import BaseSet
from ..robot.body import Body
from ..robot.robot import Robot
from ..spatial.inertia import Inertia
from ..spatial.screw import Twist
from ..spatial.vector import Entry, dot
from .inertia_matrix import composites
from .joint_law import along, stretch
from .prepare import prepare
from .registry import model
from .results import program
from .state import State


@model("q, qd -> kinetic, potential", "energies of the whole robot", groups="asked")
def energy(robot: Robot, *, parameters: str | BaseSet = "auto", reframe: bool = True) -> Program:
    """Return the Program ``q, qd -> kinetic, potential``. A mass at the origin of the base has no potential energy.

    With base parameters the potential energy differs from the standard one by a constant.
    """
    robot, arrays, state = prepare(robot, ("q", "qd"))
    results = {
        "kinetic": outputs([kinetic(robot, state)], [], [], "kinetic energy, rotors included"),
        "potential": outputs([potential(robot, state)], [], [], "potential energy of gravity and springs"),
    }
    return program("energy", robot, arrays, results)


def kinetic(robot: Robot, state: State) -> Entry:
    """Return the kinetic energy: half the product of each link's momentum and velocity."""
    total: Entry = 0.0
    for V, body in zip(velocities(robot, state)[1:], robot.bodies, strict=True):
        total = total + twice_kinetic(V, body.inertia)
    for joint, qd in zip(robot.joints, state.qd[1:], strict=True):
        for x in qd:
            total = total + joint.IA * x * x
    for tendon in robot.tendons:
        rate = along(tendon, state.qd)
        total = total + tendon.IA * rate * rate
    return total * 0.5


def twice_kinetic(V: Twist, body: Inertia) -> Entry:
    return V.dot(body.times(V))


def potential(robot: Robot, state: State) -> Entry:
    """Return the potential energy, from the first moments of the whole robot, summed from the tips to the base."""
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
    """Return the part of a body's first moments and mass on which gravity acts."""
    parts = zip(body.inertia[6:], body.lift, strict=True)
    return Inertia._make((*body.inertia[:6], *(x - lifted for x, lifted in parts)))


def velocities(robot: Robot, state: State) -> list[Twist]:
    """Return the velocity of the base and of each link, in its own frame: equation (13)."""
    V = [Twist(robot.base.V0, robot.base.W0)]
    for joint, q, qd in zip(robot.joints, state.q[1:], state.qd[1:], strict=True):
        V.append(V[joint.antecedent].outward(joint.pose(q)) + joint.screw(q, qd))
    return V
