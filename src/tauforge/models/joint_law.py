"""The resistance of joints and tendons to their motion."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.functions import absolute, sign
from ..graph.node import Scalar, is_zero
from ..robot.joint import Joint
from ..robot.robot import Robot
from ..robot.tendon import Tendon
from .coordinates import Coordinates
from .state import State, Values


def friction(joint: Joint | Tendon, qd: Scalar) -> Scalar:
    """Return the torque of Coulomb and viscous friction, as in equation (31)."""
    return joint.FS * sign(qd) + joint.FV * qd


def more_friction(joint: Joint, qd: Scalar) -> Scalar:
    """Return the torque of friction's offset, of its asymmetry, and of breakaway friction."""
    more = joint.FO + joint.FA * absolute(qd)
    return more if is_zero(joint.FB) else more + joint.FB * fading(qd, joint.VB)


def fading(qd: Scalar, speed: Scalar) -> Scalar:
    """Return the sign of a velocity, fading with its square: half at the given speed (Stribeck)."""
    ratio = qd / speed
    return sign(qd) / (1.0 + ratio * ratio)


def resistance(joint: Joint, q: Values, qd: Values) -> list[Scalar]:
    """Return the torque of friction and of an elastic joint's spring, equations (69) and (70)."""
    against = [friction(joint, x) + more_friction(joint, x) for x in qd]
    if not joint.eta:
        return against
    return [x + joint.k * s for x, s in zip(against, stretch(joint, q), strict=True)]


def stretch(joint: Joint, q: Values) -> Values:
    """Return how far a joint's spring is from rest, equation (70); for a spherical joint, the rotation vector."""
    return joint.kind.stretch(q, joint.rest)


def along(tendon: Tendon, values: Sequence[Values]) -> Scalar:
    """Return a tendon's length, or its rate, from the joints' coordinates or velocities, by joint number."""
    parts = [values[j][0] * x for j, x in tendon.joints]
    return sum(parts[1:], start=parts[0])


def resistances(robot: Robot, state: State) -> list[list[Scalar]]:
    """Return the torques with which each joint and its tendons resist position and velocity; entry 0 is unused."""
    joints = zip(robot.joints, state.q[1:], state.qd[1:], strict=True)
    against: list[list[Scalar]] = [[], *(resistance(joint, q, qd) for joint, q, qd in joints)]
    for tendon in robot.tendons:
        spring = tendon.k * (along(tendon, state.q) - tendon.rest)
        _pull(tendon, friction(tendon, along(tendon, state.qd)) + spring, against)
    return against


def rotors(robot: Robot, state: State) -> list[list[Scalar]]:
    """Return for each joint the torque that accelerates its rotor and tendons; entry 0 is unused."""
    joints = zip(robot.joints, state.qdd[1:], strict=True)
    efforts: list[list[Scalar]] = [[], *([joint.IA * x for x in qdd] for joint, qdd in joints)]
    for tendon in robot.tendons:
        _pull(tendon, tendon.IA * along(tendon, state.qdd), efforts)
    return efforts


def _pull(tendon: Tendon, tension: Scalar, efforts: list[list[Scalar]]) -> None:
    """Add the joint torques of a tendon's tension."""
    for j, x in tendon.joints:
        efforts[j] = [efforts[j][0] + tension * x]


def tendon_inertia(robot: Robot) -> dict[tuple[int, int], Scalar]:
    """Return what tendons add to the inertia matrix, by pairs of joint numbers."""
    found: dict[tuple[int, int], Scalar] = {}
    for tendon in robot.tendons:
        if not is_zero(tendon.IA):
            for i, a in tendon.joints:
                for k, b in tendon.joints:
                    found[i, k] = found.get((i, k), 0.0) + tendon.IA * (a * b)
    return found


def is_coupled(robot: Robot, coordinates: Coordinates) -> bool:
    """Tell whether something couples the accelerations of several joints, which articulated bodies cannot handle."""
    return not coordinates.is_identity or bool(tendon_inertia(robot))
