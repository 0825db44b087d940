"""What a joint itself sets against its motion."""

from __future__ import annotations

from ..graph.node import Scalar, sign
from ..robot.joint import SPHERICAL, Joint
from ..spatial.quaternion import logarithm
from .frame import Values


def friction(joint: Joint, qd: Scalar) -> Scalar:
    """Return the effort of Coulomb and viscous friction, as in equation (31)."""
    return joint.FS * sign(qd) + joint.FV * qd


def resistance(joint: Joint, q: Values, qd: Values) -> list[Scalar]:
    """Return friction, and with it the spring of an elastic joint, equations (69) and (70)."""
    against = [friction(joint, x) for x in qd]
    if not joint.eta:
        return against
    return [x + joint.k * s for x, s in zip(against, stretch(joint, q), strict=True)]


def stretch(joint: Joint, q: Values) -> Values:
    """Return how far a joint's spring is from rest, equation (70); of a spherical joint the rotation vector."""
    return [*logarithm(q)[0]] if joint.sigma == SPHERICAL else [q[0] - joint.rest]
