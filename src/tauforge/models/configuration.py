"""Steps in configuration space: where a velocity leads within a unit of time, and which velocity leads from here to
there.

Revolute and prismatic coordinates add. Joints of several degrees of freedom move on their manifold: the velocity v, in
the link's frame, is constant along the step, so that rotations are exp(ŵ) and poses exp([v, w]), the screw motion.
"""

from __future__ import annotations

from ..program.program import Program, inputs, outputs
from ..robot.robot import Robot
from .frame import INPUTS, prepare, program, spread, with_tangent
from .registry import model


@model("q, v -> q_next", "where a velocity leads in a unit of time, quaternions too")
def integrate(robot: Robot) -> Program:
    """Return the Program ``q, v -> q_next``: the configuration that the constant velocity v leads to in a unit of time.

    To integrate over a time step, multiply the velocity by it.
    """
    robot, arrays, state = prepare(robot, "standard", ("q",))
    arrays["v"] = inputs("v", robot.velocity_names, "velocity times the time step")
    steps = zip(robot.joints, state.q[1:], spread(robot, arrays["v"].nodes)[1:], strict=True)
    reached = [x for joint, q, v in steps if not joint.mimic for x in joint.kind.step(q, v)]
    q_next = outputs(reached, [len(reached)], [robot.coordinate_names], INPUTS["q"][0])
    return program("integrate", robot, arrays, {"q_next": q_next})


@model("q, q_next -> v", "the velocity that leads there")
def difference(robot: Robot) -> Program:
    """Return the Program ``q, q_next -> v``: the constant velocity that leads from q to q_next in a unit of time.

    Rotations take the shorter way, by at most half a turn; angles are subtracted as they are.
    """
    robot, arrays, state = prepare(robot, "standard", ("q",))
    arrays["q_next"] = with_tangent(robot, inputs("q_next", robot.coordinate_names, INPUTS["q"][0]))
    ends = spread(robot, arrays["q_next"].nodes, coordinates=True)
    steps = zip(robot.joints, state.q[1:], ends[1:], strict=True)
    found = [x for joint, a, b in steps if not joint.mimic for x in joint.kind.difference(a, b)]
    v = outputs(found, [len(found)], [robot.velocity_names], "velocity times the time step")
    return program("difference", robot, arrays, {"v": v})
