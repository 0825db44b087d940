"""Bias, gravity and friction: the parts of the joint torques that do not depend on accelerations."""

from __future__ import annotations

from dataclasses import replace

from ..program.program import Program
from ..program.ways import BaseSet
from ..robot.robot import Robot
from ..spatial.vector import ZERO
from .classical import DEFAULT, classical
from .coordinates import INDEPENDENT
from .inverse_dynamics import newton_euler
from .joint_law import resistances
from .outward import Choices
from .prepare import prepare
from .registry import SUMS, model
from .results import program, vector


@model("q, qd -> h", "Coriolis, centrifugal, gravity and friction torques", groups="auto", choices=SUMS)
def bias(
    robot: Robot,
    *,
    parameters: str | BaseSet = "auto",
    formulation: str = DEFAULT,
    external_wrenches: bool | str = False,
    coordinates: str = INDEPENDENT,
    reframe: bool = True,
    sums: bool = False,
) -> Program:
    """Return the Program ``q, qd -> h``: Coriolis, centrifugal, gravity, friction and spring torques, h in τ = M q̈ +
    h. Options are as in ``inverse_dynamics``; with ``coordinates="all"``, h is that of the tree, with the loops open.
    """
    if formulation != DEFAULT:
        return classical("bias", robot, formulation, external_wrenches, coordinates=coordinates)
    robot, arrays, state = prepare(robot, ("q", "qd"), external_wrenches, coordinates=coordinates)
    h = newton_euler(robot, state, choices=Choices(sums=sums))
    results = {"h": vector(state.coordinates, h, "Coriolis, centrifugal, gravity and friction torques")}
    return program("bias", robot, arrays, results)


def at_rest(robot: Robot) -> Robot:
    """Return the robot on a base that does not move."""
    if robot.base.is_still:
        return robot
    return robot.derived(base=replace(robot.base, W0=ZERO, WP0=ZERO, V0=ZERO, VP0=ZERO))


@model("q -> g", "torques that hold the robot at rest", groups="auto", of=at_rest)
def gravity(
    robot: Robot, *, parameters: str | BaseSet = "auto", formulation: str = DEFAULT, reframe: bool = True
) -> Program:
    """Return the Program ``q -> g``: the torques that hold the robot at rest."""
    if formulation != DEFAULT:
        return classical("gravity", robot, formulation)
    robot, arrays, state = prepare(robot, ("q",))
    g = vector(state.coordinates, newton_euler(robot.neglect("k", "FO"), state), "gravity torques")
    return program("gravity", robot, arrays, {"g": g})


@model("qd -> f", "Coulomb and viscous friction")
def friction(robot: Robot) -> Program:
    """Return the Program ``qd -> f``: the torques of Coulomb and viscous friction.

    With closed loops it takes ``q`` too, on which the velocities of the other joints depend.
    """
    robot, arrays, state = prepare(robot, ("q", "qd") if robot.loops else ("qd",))
    slack = robot.derived(
        joints=tuple(replace(joint, eta=0) for joint in robot.joints),
        tendons=robot.neglect("k").tendons,
    )
    f = [x for own in resistances(slack, state) for x in own]
    return program("friction", robot, arrays, {"f": vector(state.coordinates, f, "friction efforts")})
