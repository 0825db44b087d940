"""What a joint itself sets against its motion."""

from __future__ import annotations

from ..graph.node import Scalar, sign
from ..robot.joint import Joint
from .frame import Values


def friction(joint: Joint, qd: Scalar) -> Scalar:
    """Return the effort of Coulomb and viscous friction, as in equation (31)."""
    return joint.FS * sign(qd) + joint.FV * qd


def resistance(joint: Joint, q: Values, qd: Values) -> list[Scalar]:
    """Return friction, and with it the spring of an elastic joint, equations (69) and (70)."""
    against = [friction(joint, x) for x in qd]
    return [against[0] + joint.k * (q[0] - joint.rest)] if joint.eta else against
