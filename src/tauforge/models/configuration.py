"""Steps in configuration space: where a velocity leads within a unit of time, and which velocity leads from here to
there.

Revolute and prismatic coordinates add. Joints of several degrees of freedom move on their manifold: the velocity v, in
the link's frame, is constant along the step, so that rotations are exp(ŵ) and poses exp([v, w]), the screw motion.
"""

from __future__ import annotations

from ..graph.functions import cos, sin
from ..graph.node import Scalar
from ..program.program import Program, inputs, outputs
from ..robot.entries import by_joint, owners
from ..robot.joint import FLOATING, PLANAR, SPHERICAL, Joint
from ..robot.robot import Robot
from ..spatial.quaternion import exponential, length, logarithm, normalised, product
from ..spatial.rotation import about, quaternion
from ..spatial.vector import Vector, cross
from .coordinates import with_tangent
from .prepare import prepare
from .registry import model
from .results import program
from .state import INPUTS, Values


@model("q, v -> q_next", "where a velocity leads in a unit of time, quaternions too")
def integrate(robot: Robot) -> Program:
    """Return the Program ``q, v -> q_next``: the configuration that the constant velocity v leads to in a unit of time.

    To integrate over a time step, multiply the velocity by it.
    """
    robot, arrays, state = prepare(robot, ("q",))
    arrays["v"] = inputs("v", state.coordinates.names, "velocity times the time step")
    v = state.coordinates.velocities(arrays["v"].nodes)
    reached = [x for j in owners(robot) for x in _ahead(robot.joints[j - 1], state.q[j], v[j])]
    q_next = outputs(reached, [len(reached)], [robot.coordinate_names], INPUTS["q"][0])
    return program("integrate", robot, arrays, {"q_next": q_next})


@model("q, q_next -> v", "the velocity that leads there")
def difference(robot: Robot) -> Program:
    """Return the Program ``q, q_next -> v``: the constant velocity that leads from q to q_next in a unit of time.

    Rotations take the shorter way, by at most half a turn; angles are subtracted as they are.
    """
    robot, arrays, state = prepare(robot, ("q",))
    coordinates = state.coordinates
    arrays["q_next"] = with_tangent(robot, coordinates, inputs("q_next", robot.coordinate_names, INPUTS["q"][0]))
    ends = by_joint(robot, arrays["q_next"].nodes)
    found = [x for j in coordinates.independent for x in _between(robot.joints[j - 1], state.q[j], ends[j])]
    v = outputs(found, [len(found)], [coordinates.names], "velocity times the time step")
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
