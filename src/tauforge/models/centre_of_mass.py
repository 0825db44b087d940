"""Centre of mass of the whole robot, its velocity and its Jacobian.

From the tips to the base, the first moments of link j and everything it carries are summed in its frame, as fractions
of the robot's mass. Everything that joint k carries is one rigid body, with mass m and first moments s about the
joint's origin: at unit speed, a revolute joint moves the centre of mass at e × s and a prismatic one at e m.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ProgramError
from ..graph.node import Scalar, is_zero
from ..program.array import Array, outputs
from ..program.program import Program
from ..robot.robot import Robot
from ..spatial.pose import Pose
from ..spatial.screw import Twist
from ..spatial.vector import ZERO, Vector, cross, times
from .prepare import prepare
from .registry import model
from .results import by_columns, program
from .routes import orientations, poses_of
from .state import State

XYZ = ("x", "y", "z")


@model("q -> com", "centre of mass of the whole robot", groups="never")
def centre_of_mass(robot: Robot, *, parameters: str = "auto") -> Program:
    """Return the Program ``q -> com``: the centre of mass of all links, in the base frame.

    The pose of the base (``robot.base.pose``) is not applied. Standard parameters are needed: base parameters shift
    mass between links, which leaves the torques unchanged but not the centre of mass.
    """
    robot, arrays, state = prepare_masses(robot, ("q",))
    com = gathered(robot, poses_of(robot, state))[0][1]
    return program("centre_of_mass", robot, arrays, {"com": _vector(com, "centre of mass, in the base frame")})


@model("q, qd -> v", "velocity of the centre of mass", groups="never")
def centre_of_mass_velocity(robot: Robot, *, parameters: str = "auto") -> Program:
    """Return the Program ``q, qd -> v``: the velocity of the centre of mass relative to the base, in its axes."""
    robot, arrays, state = prepare_masses(robot, ("q", "qd"))
    v = _vector(velocity(robot, state), "velocity of the centre of mass, in the base's axes")
    return program("centre_of_mass_velocity", robot, arrays, {"v": v})


@model("q -> J", "Jacobian of the centre of mass", groups="never")
def centre_of_mass_jacobian(robot: Robot, *, parameters: str = "auto") -> Program:
    """Return the Program ``q -> J``: the Jacobian (3, n) of the centre of mass, in the base's axes."""
    robot, arrays, state = prepare_masses(robot, ("q",))
    columns = state.coordinates.gathered(jacobian_columns(robot, state))
    J = by_columns(state.coordinates, list(zip(*columns, strict=True)), XYZ, "Jacobian of the centre of mass")
    return program("centre_of_mass_jacobian", robot, arrays, {"J": J})


def gathered(robot: Robot, poses: Sequence[Pose]) -> list[tuple[Scalar, Vector]]:
    """Return the mass and first moments of each link and everything it carries, in its frame; entry 0 is the
    robot's.
    """
    whole = sum((body.inertia.M for body in robot.bodies), start=0.0)
    scale = 1.0 / whole
    total = [(0.0, ZERO), *((b.inertia.M * scale, b.inertia.first_moments * scale) for b in robot.bodies)]
    for j in range(len(robot.joints), 0, -1):
        pose, i = poses[j - 1], robot.joints[j - 1].antecedent
        m, s = total[j]
        carried = pose.R.forth(s + Vector(0.0, 0.0, pose.r * m)) + pose.arm * m
        total[i] = total[i][0] + m, total[i][1] + carried
    return total


def moved(V: Twist, m: Scalar, s: Vector) -> Vector:
    """Return the velocity of the centre of mass due to one joint's velocity, in the link's axes."""
    return V.v * m + cross(V.w, s)


def velocity(robot: Robot, state: State) -> Vector:
    """Return the velocity of the centre of mass: the joints' contributions, summed from the tips to the base."""
    poses = poses_of(robot, state)
    total = gathered(robot, poses)
    v = [ZERO] * len(total)
    for j in range(len(robot.joints), 0, -1):
        joint, pose = robot.joints[j - 1], poses[j - 1]
        own = moved(joint.screw(state.q[j], state.qd[j]), *total[j])
        v[joint.antecedent] = v[joint.antecedent] + pose.R.forth(v[j] + own)
    return v[0]


def jacobian_columns(robot: Robot, state: State) -> list[Vector]:
    """Return the velocity of the centre of mass for a unit speed along each axis of each joint."""
    poses = poses_of(robot, state)
    R, total, found = orientations(robot, poses, 0), gathered(robot, poses), []
    for j, joint in enumerate(robot.joints, 1):
        found += [times(R[j], moved(unit, *total[j])) for unit in joint.kind.screws(state.q[j])]
    return found


def prepare_masses(robot: Robot, wanted: Sequence[str]) -> tuple[Robot, dict[str, Array], State]:
    """Return what a model needs, and refuse a robot without mass."""
    robot, arrays, state = prepare(robot, wanted)
    if is_zero(sum((body.inertia.M for body in robot.bodies), start=0.0)):
        raise ProgramError(f"{robot.name} has no mass, hence no centre of mass: give its links an M")
    return robot, arrays, state


def _vector(v: Vector, meaning: str) -> Array:
    return outputs([*v], [3], [XYZ], meaning)
