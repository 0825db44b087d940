"""Steps in configuration space: the configuration that a velocity leads to, and the velocity between two
configurations.

Revolute and prismatic coordinates add. Joints with several degrees of freedom move on their manifold: the velocity v,
in the link's frame, is constant during the step, so rotations are exp(ŵ) and poses are exp([v, w]), the screw motion.
"""

from __future__ import annotations

from ..errors import ProgramError
from ..program.program import Program, inputs, outputs
from ..robot.entries import by_joint, owners
from ..robot.robot import Robot
from .coordinates import with_tangent
from .prepare import prepare
from .registry import model
from .results import program
from .state import INPUTS


@model("q, v -> q_next", "where a velocity leads in a unit of time, quaternions too")
def integrate(robot: Robot) -> Program:
    """Return the Program ``q, v -> q_next``: the configuration that the constant velocity v leads to in a unit of time.

    To integrate over a time step, multiply the velocity by it.
    """
    _check_open(robot)
    robot, arrays, state = prepare(robot, ("q",))
    arrays["v"] = inputs("v", state.coordinates.names, "velocity times the time step")
    v = state.coordinates.velocities(arrays["v"].nodes)
    reached = [x for j in owners(robot) for x in robot.joints[j - 1].kind.step(state.q[j], v[j])]
    q_next = outputs(reached, [len(reached)], [robot.coordinate_names], INPUTS["q"][0])
    return program("integrate", robot, arrays, {"q_next": q_next})


@model("q, q_next -> v", "the velocity that leads there")
def difference(robot: Robot) -> Program:
    """Return the Program ``q, q_next -> v``: the constant velocity that leads from q to q_next in a unit of time.

    Rotations take the shorter way, at most half a turn; angles are subtracted without wrapping.
    """
    _check_open(robot)
    robot, arrays, state = prepare(robot, ("q",))
    coordinates = state.coordinates
    arrays["q_next"] = with_tangent(robot, coordinates, inputs("q_next", robot.coordinate_names, INPUTS["q"][0]))
    ends = by_joint(robot, arrays["q_next"].nodes)
    ways = ((robot.joints[j - 1].kind, state.q[j], ends[j]) for j in coordinates.independent)
    found = [x for kind, start, end in ways for x in kind.difference(start, end)]
    v = outputs(found, [len(found)], [coordinates.names], "velocity times the time step")
    return program("difference", robot, arrays, {"v": v})


def _check_open(robot: Robot) -> None:
    if robot.loops:
        raise ProgramError(
            f"{robot.name} has closed loops, which a step along the joints would open; step with robot.tree(), then "
            "close them with tf.close_loops"
        )
