"""Steps in configuration space: where a velocity leads within a unit of time, and which velocity leads from here to
there.

Revolute and prismatic coordinates add. Joints of several degrees of freedom move on their manifold: the velocity v, in
the link's frame, is constant along the step, so that rotations are exp(ŵ) and poses exp([v, w]), the screw motion.
"""

from __future__ import annotations

from ..graph.functions import cos, sin
from ..graph.node import Scalar
from ..program.program import Program, inputs, outputs
from ..robot.joint import FLOATING, PLANAR, SPHERICAL, Joint
from ..robot.robot import Robot
from ..spatial.quaternion import exponential, length, logarithm, normalised, product
from ..spatial.rotation import about, quaternion
from ..spatial.vector import Vector, cross
from .frame import INPUTS, Values, prepare, program, spread, with_tangent
from .registry import model


@model("q, v -> q_next", "where a velocity leads in a unit of time, quaternions too")
def integrate(robot: Robot) -> Program:
    """Return the Program ``q, v -> q_next``: the configuration that the constant velocity v leads to in a unit of time.

    To integrate over a time step, multiply the velocity by it.
    """
    robot, arrays, state = prepare(robot, "standard", ("q",))
    arrays["v"] = inputs("v", robot.velocity_names, "velocity times the time step")
    steps = zip(robot.joints, state.q[1:], spread(robot, arrays["v"].nodes)[1:], strict=True)
    reached = [x for joint, q, v in steps if not joint.mimic for x in _ahead(joint, q, v)]
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
    found = [x for joint, a, b in steps if not joint.mimic for x in _between(joint, a, b)]
    v = outputs(found, [len(found)], [robot.velocity_names], "velocity times the time step")
    return program("difference", robot, arrays, {"v": v})


def _ahead(joint: Joint, q: Values, v: Values) -> list[Scalar]:
    """Return a joint's coordinates after a step."""
    linear, w = joint.screw(v)
    if joint.sigma == PLANAR:
        along = about(2, q[2]).forth(_screwed(linear, w))
        return [q[0] + along[0], q[1] + along[1], q[2] + w[2]]
    if joint.sigma not in (SPHERICAL, FLOATING):
        return [a + b for a, b in zip(q, v, strict=True)]
    turned = normalised(product(q[-4:], exponential(w)))
    if joint.sigma == SPHERICAL:
        return turned
    return [*(Vector(*q[:3]) + quaternion(q[-4:]).forth(_screwed(linear, w))), *turned]


def _between(joint: Joint, a: Values, b: Values) -> list[Scalar]:
    """Return a joint's velocity from one configuration to another."""
    if joint.sigma == PLANAR:
        w = Vector(0.0, 0.0, b[2] - a[2])
        half = length(w) * 0.5
        way = about(2, a[2]).back(Vector(b[0] - a[0], b[1] - a[1], 0.0))
        return [*_straightened(way, w, half * cos(half) / sin(half))[:2], w[2]]
    if joint.sigma not in (SPHERICAL, FLOATING):
        return [y - x for x, y in zip(a, b, strict=True)]
    w, cotangent = logarithm(product([-a[-4], -a[-3], -a[-2], a[-1]], b[-4:]))
    if joint.sigma == SPHERICAL:
        return [*w]
    way = quaternion(a[-4:]).back(Vector(*b[:3]) - Vector(*a[:3]))
    return [*_straightened(way, w, cotangent), *w]


def _screwed(v: Vector, w: Vector) -> Vector:
    """Return the displacement of a unit of time at constant velocity in the moving frame.

    v + (1 - cos θ)/θ² w × v + (θ - sin θ)/θ³ w × (w × v)
    """
    angle = length(w)
    half = sin(angle * 0.5) / angle
    swing = cross(w, v)
    return v + swing * (2.0 * half * half) + cross(w, swing) * ((1.0 - sin(angle) / angle) / (angle * angle))


def _straightened(p: Vector, w: Vector, cotangent: Scalar) -> Vector:
    """Return the velocity that leads to a displacement: the inverse of the function above.

    p - w × p / 2 + (1 - θ/2 cot θ/2)/θ² w × (w × p)
    """
    swing = cross(w, p)
    return p - swing * 0.5 + cross(w, swing) * ((1.0 - cotangent) / (length(w) * length(w)))
