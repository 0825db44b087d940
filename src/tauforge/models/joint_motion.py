"""Velocities and accelerations of all joints, those that follow others or that closed loops determine too."""

from __future__ import annotations

from ..program.array import outputs
from ..program.program import Program
from ..robot.robot import Robot
from .prepare import prepare
from .registry import model
from .results import program


@model("q, qd, qdd -> velocities, accelerations", "motion of all joints, the dependent ones too")
def joint_motion(robot: Robot) -> Program:
    """Return the Program ``q, qd, qdd -> velocities, accelerations`` of all joints, in joint order.

    With closed loops, ``qd`` and ``qdd`` are those of the independent joints: q̇_tree = G q̇ and q̈_tree = G q̈ + Ġ q̇. The
    derivative of the velocities by ``qd`` is the matrix G. In a tree, only joints that follow others are added.
    """
    robot, arrays, state = prepare(robot, ("q", "qd", "qdd"))
    names = [joint.name + axis for joint in robot.joints for axis in joint.axes]
    velocities, accelerations = ([x for own in values[1:] for x in own] for values in (state.qd, state.qdd))
    results = {
        "velocities": outputs(velocities, [len(names)], [names], "velocities of all joints"),
        "accelerations": outputs(accelerations, [len(names)], [names], "accelerations of all joints"),
    }
    return program("joint_motion", robot, arrays, results)
