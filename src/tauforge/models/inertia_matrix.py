"""Inertia matrix: the joint torques of unit accelerations, by composite bodies.

Walker and Orin (1982). From the tips to the base, link j and everything it carries are one rigid body. The wrench that
gives it a unit acceleration of joint j is passed down from parent to parent, and the torques of their joints are the
elements of a row. The matrix is symmetric, and zero between joints on different branches: only one half is computed,
without those zeros.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.node import Scalar
from ..program.program import Program
from ..program.ways import BaseSet
from ..robot.robot import Robot
from ..spatial.inertia import Inertia
from ..spatial.pose import Pose
from .classical import DEFAULT, classical
from .coordinates import INDEPENDENT
from .joint_law import tendon_inertia
from .prepare import prepare
from .registry import model
from .results import matrix, program
from .state import Values

Rows = list[list[Scalar]]


@model("q -> M", "inertia matrix", groups="auto")
def inertia_matrix(
    robot: Robot,
    *,
    parameters: str | BaseSet = "auto",
    formulation: str = DEFAULT,
    coordinates: str = INDEPENDENT,
    reframe: bool = True,
) -> Program:
    """Return the Program ``q -> M``, the inertia matrix; rotor inertias are on its diagonal, tendons add theirs.

    With ``coordinates="all"``, that of a robot with closed loops is the one of its tree, with the loops open.
    """
    if formulation != DEFAULT:
        return classical("inertia_matrix", robot, formulation, coordinates=coordinates)
    robot, arrays, state = prepare(robot, ("q",), coordinates=coordinates)
    M = matrix(state.coordinates, state.coordinates.symmetric(composite_bodies(robot, state.q)), "inertia matrix")
    return program("inertia_matrix", robot, arrays, {"M": M})


def composite_bodies(robot: Robot, q: Sequence[Values]) -> Rows:
    """Return the inertia matrix row by row, with one row per axis of each joint."""
    poses = [joint.pose(x) for joint, x in zip(robot.joints, q[1:], strict=True)]
    composite = composites(robot, poses)
    first = first_degrees(robot)
    M: Rows = [[0.0] * first[-1] for _ in range(first[-1])]
    for j, joint in enumerate(robot.joints, 1):
        for row, unit in enumerate(joint.kind.screws(q[j]), first[j]):
            F, i = composite[j].times(unit), j
            while i:
                for column, x in enumerate(robot.joints[i - 1].along(q[i], F), first[i]):
                    M[row][column] = M[column][row] = x + joint.IA if row == column else x
                F = F.inward(poses[i - 1])  # (28), (30)
                i = robot.joints[i - 1].antecedent
    for (i, k), x in tendon_inertia(robot).items():
        M[first[i]][first[k]] = M[first[i]][first[k]] + x
    return M


def composites(robot: Robot, poses: Sequence[Pose]) -> list[Inertia]:
    """Return the inertia of each link and everything it carries, in its frame; entry 0 is the whole robot's."""
    total = [Inertia(), *(body.inertia for body in robot.bodies)]
    for j in range(len(robot.joints), 0, -1):
        i = robot.joints[j - 1].antecedent
        total[i] = total[i].plus(total[j].inward(poses[j - 1]))
    return total


def first_degrees(robot: Robot) -> list[int]:
    """Return the index of each joint's first axis among all axes, and finally the number of axes.

    Entry 0 is unused.
    """
    places = [0, 0]
    for joint in robot.joints:
        places.append(places[-1] + len(joint.axes))
    return places
