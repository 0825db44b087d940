"""Centroidal momentum: the momentum of the whole robot about its centre of mass, and the matrix that gives it.

Everything that joint j carries is one composite body. Its momentum at unit speed, passed down to the base and taken
about the centre of mass, is a column of the matrix A in h = A q̇.
"""

from __future__ import annotations

from ..graph.node import Scalar
from ..program.array import outputs
from ..program.program import Program
from ..robot.robot import Robot
from ..spatial.vector import cross
from .centre_of_mass import prepare_masses
from .inertia_matrix import composites
from .registry import model
from .results import by_columns, program
from .routes import poses_of
from .state import State

ROWS = ("px", "py", "pz", "Lx", "Ly", "Lz")


@model("q -> A", "the momentum about the centre of mass is A qd")
def centroidal_matrix(robot: Robot) -> Program:
    """Return the Program ``q -> A`` (6, n): the momentum of unit speeds, linear first, in the base's axes."""
    robot, arrays, state = prepare_masses(robot, ("q",))
    rows = [state.coordinates.gathered(row) for row in zip(*momenta(robot, state), strict=True)]
    A = by_columns(state.coordinates, rows, ROWS, "momentum of unit speeds, in the base's axes")
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
        for unit in joint.kind.screws(state.q[j]):
            momentum, i = composite[j].times(unit), j
            while i:
                momentum = momentum.inward(poses[i - 1])
                i = robot.joints[i - 1].antecedent
            p, L = momentum
            columns.append((*p, *(L - cross(com, p))))
    return columns
