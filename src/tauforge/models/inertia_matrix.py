"""Inertia matrix: the joint efforts of unit accelerations, by composite bodies.

Walker and Orin (1982). From the tips to the base, link j and all that it carries are one rigid body; the wrench that a
unit acceleration of joint j asks of it is passed down to its antecedents, whose efforts are the elements of a row. The
matrix is symmetric, and zero for joints on different branches: neither half is computed twice, nor are those zeros.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.node import Scalar
from ..program.program import Program
from ..robot.joint import Pose, passed
from ..robot.robot import Robot
from ..spatial.inertia import Inertia
from ..spatial.vector import Vector, cross
from .formulations import DEFAULT
from .frame import Values, matrix, prepare, program
from .joint_law import tendon_inertia
from .registry import model

Rows = list[list[Scalar]]


@model("q -> M", "inertia matrix", groups="auto")
def inertia_matrix(
    robot: Robot, *, parameters: str = "auto", formulation: str = DEFAULT, reframe: bool = True
) -> Program:
    """Return the Program ``q -> M``, the inertia matrix; rotor inertias stand on its diagonal, tendons add theirs."""
    if formulation != DEFAULT:
        from .formulations import programs

        return programs.inertia_matrix(robot, formulation, "standard")
    robot, arrays, state = prepare(robot, "standard", ("q",))
    M = matrix(robot, composite_bodies(robot, state.q), "inertia matrix")
    return program("inertia_matrix", robot, arrays, {"M": M})


def composite_bodies(robot: Robot, q: Sequence[Values]) -> Rows:
    """Return the inertia matrix row by row, with one for each axis of each joint."""
    poses = [joint.pose(x) for joint, x in zip(robot.joints, q[1:], strict=True)]
    composite = composites(robot, poses)
    first = first_degrees(robot)
    M: Rows = [[0.0] * first[-1] for _ in range(first[-1])]
    for j, joint in enumerate(robot.joints, 1):
        for k in range(len(joint.axes)):
            row = first[j] + k
            f, n = wrench(composite[j], *joint.screw([float(k == i) for i in range(len(joint.axes))]))
            i = j
            while i:
                for column, x in enumerate(robot.joints[i - 1].along(f, n), first[i]):
                    M[row][column] = M[column][row] = x + joint.IA if row == column else x
                f, n = passed(poses[i - 1], f, n)
                i = robot.joints[i - 1].antecedent
    for (i, k), x in tendon_inertia(robot).items():
        M[first[i]][first[k]] = M[first[i]][first[k]] + x
    return M


def composites(robot: Robot, poses: Sequence[Pose]) -> list[Inertia]:
    """Return for each link the inertia of it and all that it carries, in its frame; entry 0 is the whole robot's."""
    total = [Inertia(), *(body.inertia for body in robot.bodies)]
    for j in range(len(robot.joints), 0, -1):
        i = robot.joints[j - 1].antecedent
        total[i] = total[i].plus(carried(poses[j - 1], total[j]))
    return total


def carried(pose: Pose, body: Inertia) -> Inertia:
    """Return a body's inertia in the frame of the antecedent."""
    return body.shifted(Vector(0.0, 0.0, pose.r)).rotated(pose.R).shifted(pose.arm)


def wrench(body: Inertia, vd: Vector, wd: Vector) -> tuple[Vector, Vector]:
    """Return the wrench that accelerates a body at rest."""
    XX, XY, XZ, YY, YZ, ZZ, *_ = body
    S = body.first_moments
    J = (Vector(XX, XY, XZ), Vector(XY, YY, YZ), Vector(XZ, YZ, ZZ))
    moment = J[0] * wd[0] + J[1] * wd[1] + J[2] * wd[2]
    return vd * body.M + cross(wd, S), cross(S, vd) + moment


def first_degrees(robot: Robot) -> list[int]:
    """Return for each joint the place of its first axis among those of all joints, and last the number of all.

    Entry 0 is unused.
    """
    places = [0, 0]
    for joint in robot.joints:
        places.append(places[-1] + len(joint.axes))
    return places
