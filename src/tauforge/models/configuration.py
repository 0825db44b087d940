"""Steps in configuration space: where a velocity leads within a unit of time, and which velocity leads from here to
there.

Revolute and prismatic coordinates add. Joints of several degrees of freedom move on their manifold: the velocity v, in
the link's frame, is constant along the step, so that rotations are exp(ŵ) and poses exp([v, w]), the screw motion.

Sums of squares get a tiny number added, so that no angle is zero and nothing is divided by zero. The functions of
angles that follow are even and flat there: no result changes by it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.node import Scalar, absolute, atan2, cos, sign, sin, sqrt
from ..program.program import Program, inputs, outputs
from ..robot.joint import FLOATING, PLANAR, SPHERICAL, Joint
from ..robot.robot import Robot
from ..spatial.rotation import about, quaternion
from ..spatial.vector import Vector, cross, dot
from .frame import INPUTS, Values, prepare, program, spread, with_tangent

_TINY = 1e-37
"""Square of the smallest angle; a number in single precision, too."""


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
    turned = _normalised(_product(q[-4:], _exponential(w)))
    if joint.sigma == SPHERICAL:
        return turned
    return [*(Vector(*q[:3]) + quaternion(q[-4:]).forth(_screwed(linear, w))), *turned]


def _between(joint: Joint, a: Values, b: Values) -> list[Scalar]:
    """Return a joint's velocity from one configuration to another."""
    if joint.sigma == PLANAR:
        w = Vector(0.0, 0.0, b[2] - a[2])
        half = _length(w) * 0.5
        way = about(2, a[2]).back(Vector(b[0] - a[0], b[1] - a[1], 0.0))
        return [*_straightened(way, w, half * cos(half) / sin(half))[:2], w[2]]
    if joint.sigma not in (SPHERICAL, FLOATING):
        return [y - x for x, y in zip(a, b, strict=True)]
    w, cotangent = _logarithm(_product([-a[-4], -a[-3], -a[-2], a[-1]], b[-4:]))
    if joint.sigma == SPHERICAL:
        return [*w]
    way = quaternion(a[-4:]).back(Vector(*b[:3]) - Vector(*a[:3]))
    return [*_straightened(way, w, cotangent), *w]


def _length(w: Vector) -> Scalar:
    return sqrt(dot(w, w) + _TINY)


def _product(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    """Return the product of two quaternions (x, y, z, w)."""
    u, v = Vector(*a[:3]), Vector(*b[:3])
    return [*(v * a[3] + u * b[3] + cross(u, v)), a[3] * b[3] - dot(u, v)]


def _normalised(q: Sequence[Scalar]) -> list[Scalar]:
    """Return a quaternion of length 1, so that rounding does not add up over many steps."""
    factor = 1.0 / sqrt(sum(x * x for x in q))
    return [x * factor for x in q]


def _exponential(w: Vector) -> list[Scalar]:
    """Return the quaternion of the rotation vector w."""
    angle = _length(w)
    return [*(w * (sin(angle * 0.5) / angle)), cos(angle * 0.5)]


def _logarithm(q: Sequence[Scalar]) -> tuple[Vector, Scalar]:
    """Return the rotation vector of a quaternion, and half its angle times the cotangent of that."""
    u, real = Vector(*q[:3]), absolute(q[3])
    sine = _length(u)
    half = atan2(sine, real)
    way = sign(sign(q[3]) + 0.5)  # of the two quaternions of a rotation, the one with a positive real part
    return u * (2.0 * way * half / sine), half * real / sine


def _screwed(v: Vector, w: Vector) -> Vector:
    """Return the displacement of a unit of time at constant velocity in the moving frame.

    v + (1 - cos θ)/θ² w × v + (θ - sin θ)/θ³ w × (w × v)
    """
    angle = _length(w)
    half = sin(angle * 0.5) / angle
    swing = cross(w, v)
    return v + swing * (2.0 * half * half) + cross(w, swing) * ((1.0 - sin(angle) / angle) / (angle * angle))


def _straightened(p: Vector, w: Vector, cotangent: Scalar) -> Vector:
    """Return the velocity that leads to a displacement: the inverse of the function above.

    p - w × p / 2 + (1 - θ/2 cot θ/2)/θ² w × (w × p)
    """
    swing = cross(w, p)
    return p - swing * 0.5 + cross(w, swing) * ((1.0 - cotangent) / (_length(w) * _length(w)))
