"""Centroidal momentum: that of the whole robot about its centre of mass, and the matrix that gives it.

What joint j moves is one composite body; at unit speed its momentum, passed down to the base and taken about the centre
of mass, is a column of the matrix A, with h = A q̇.
"""

from __future__ import annotations

from ..graph.node import Scalar
from ..program.program import Program, outputs
from ..robot.joint import passed
from ..robot.robot import Robot
from ..spatial.vector import Vector, cross
from .centre_of_mass import prepare_masses
from .frame import State, folded, program
from .inertia_matrix import composites, wrench
from .registry import model
from .tree import poses_of

ROWS = ("px", "py", "pz", "Lx", "Ly", "Lz")


@model("q -> A", "the momentum about the centre of mass is A qd")
def centroidal_matrix(robot: Robot) -> Program:
    """Return the Program ``q -> A`` (6, n): the momentum of unit speeds, linear first, in the base's axes."""
    robot, arrays, state = prepare_masses(robot, ("q",))
    columns = momenta(robot, state)
    entries = [x for row in range(6) for x in folded(robot, [column[row] for column in columns])]
    A = outputs(entries, [6, robot.dof], [ROWS, robot.velocity_names], "momentum of unit speeds, in the base's axes")
    return program("centroidal_matrix", robot, arrays, {"A": A})


@model("q, qd -> h", "momentum about the centre of mass")
def centroidal_momentum(robot: Robot) -> Program:
    """Return the Program ``q, qd -> h`` (6): linear momentum, and angular momentum about the centre of mass."""
    robot, arrays, state = prepare_masses(robot, ("q", "qd"))
    speeds = [x for own in state.qd[1:] for x in own]
    total: list[Scalar] = [0.0] * 6
    for column, speed in zip(momenta(robot, state), speeds, strict=True):
        total = [a + x * speed for a, x in zip(total, column, strict=True)]
    h = outputs(total, [6], [ROWS], "momentum about the centre of mass, linear first, in the base's axes")
    return program("centroidal_momentum", robot, arrays, {"h": h})


def momenta(robot: Robot, state: State) -> list[tuple[Scalar, ...]]:
    """Return the momentum about the centre of mass for a unit speed along each axis of each joint."""
    poses = poses_of(robot, state)
    composite = composites(robot, poses)
    whole = composite[0]
    com = whole.first_moments * (1.0 / whole.M)
    columns: list[tuple[Scalar, ...]] = []
    for j, joint in enumerate(robot.joints, 1):
        for k in range(len(joint.axes)):
            f, n = wrench(composite[j], *joint.screw([float(i == k) for i in range(len(joint.axes))]))
            i = j
            while i:
                f, n = passed(poses[i - 1], f, n)
                i = robot.joints[i - 1].antecedent
            columns.append((*f, *about(com, f, n)))
    return columns


def about(com: Vector, p: Vector, L: Vector) -> Vector:
    """Return an angular momentum about the base's origin as one about the centre of mass."""
    return L - cross(com, p)
