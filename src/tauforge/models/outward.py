"""How links move, each from the motion of its parent: the outward half of the recursive Newton-Euler method.

W. Khalil, "Dynamic modeling of robots using recursive Newton-Euler techniques" (ICINCO 2010), equations (12)-(21), and
two ways to need fewer operations:

- Points on the axis z of a revolute joint belong to both links, so Uⱼ z = Uᵢ z. This column of U is turned outward in
  place of the angular acceleration, whose components then follow from it: ω̇ₓ = ω_y ω_z - U₂₃ and ω̇_y = U₁₃ - ω_x ω_z.
  The product ω × q̇ z of equation (20) is not needed.
- Links on parallel axes can all be turned from the frame of the first one's parent, by the sum of the angles.

Letters as in Khalil's programs: WI and W are the angular velocities of the parent and of the link, WP is the rate of W,
VP the linear acceleration of the frame's origin, DV the products of W, and U = ŴP + ŴŴ.
"""

from __future__ import annotations

from typing import NamedTuple

from ..graph.node import Scalar, is_zero
from ..robot.joint import Joint
from ..spatial.pose import Pose
from ..spatial.rotation import Rotation, about
from ..spatial.vector import UNITS, Matrix, Vector, column, cross, dot, times
from .state import Values

Products = tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]
"""W1W1, W2W2, W3W3, W1W2, W1W3, W2W3"""


class Motion(NamedTuple):
    """How a link moves, in its own frame."""

    WI: Vector  # angular velocity of its parent
    W: Vector
    WP: Vector
    DV: Products
    U: Matrix
    VP: Vector
    shared: Shared | None = None


class Choices(NamedTuple):
    """Ways to need fewer operations, which the recursion can take or leave.

    ``columns`` turns U z outward in place of WP. ``parts`` takes U P in two parts, one of which uses U z. ``sums``
    allows sines and cosines of sums of angles where axes are parallel and that saves operations.
    """

    columns: bool = True
    parts: bool = True
    sums: bool = False


class Shared(NamedTuple):
    """What links on parallel axes share: motion of the first one's parent, in axes of which z is along the joints.

    The link's own frame is turned from these axes by ``angle`` about z.
    """

    angle: Scalar
    W: Vector
    Uz: Vector

    @property
    def cost(self) -> int:
        """How many operations turning takes."""
        return sum((0, 2, 6)[2 - is_zero(v[0]) - is_zero(v[1])] for v in (self.W, self.Uz))


def moving(WI: Vector, W: Vector, WP: Vector, VP: Vector) -> Motion:
    """Complete a link's motion with the products of its angular velocity and with U = ŴP + ŴŴ."""
    DV = _products(W)
    U = (
        Vector(-DV[1] - DV[2], DV[3] - WP[2], DV[4] + WP[1]),
        Vector(DV[3] + WP[2], -DV[0] - DV[2], DV[5] - WP[0]),
        Vector(DV[4] - WP[1], DV[5] + WP[0], -DV[0] - DV[1]),
    )
    return Motion(WI, W, WP, DV, U, VP)


def _products(W: Vector) -> Products:
    return (W[0] * W[0], W[1] * W[1], W[2] * W[2], W[0] * W[1], W[0] * W[2], W[1] * W[2])


CHOICES = Choices()
"""Those that hardly ever cost more if U is needed anyway, and then two operations or so."""


# fmt: off
def forward(
    i: Motion, joint: Joint, pose: Pose, q: Values, qd: Values, qdd: Values, choices: Choices = CHOICES
) -> Motion:
    # fmt: on
    """Return link j's motion from that of its parent i: equations (18)-(21)."""
    back = pose.R.back
    (v, w), (vd, wd) = joint.screw(q, qd), joint.kind.acceleration(q, qd, qdd)  # q̇ a and q̈ a, linear and angular
    j = _turning(i, joint, pose, q, w, wd, choices.sums) if choices.columns else None
    if j is None:
        WI = back(i.W)  # (18)
        WP = back(i.WP) + cross(WI, w) + wd  # (20)
        j = moving(WI, WI + w, WP, i.VP)  # (19)
        if is_zero(joint.kind.turn) and _permutes(pose.R):
            j = j._replace(U=_turned(i.U, pose.R))  # the same entries in another order
    arm, r = (pose.arm, pose.r) if choices.parts and _has_zeros(pose) else (pose.P, 0.0)
    VP = back(i.VP + times(i.U, arm)) + cross(j.WI, v * 2.0) + cross(w, v) + vd  # (21), its U P in two parts:
    return j._replace(VP=VP + column(j.U, 2) * r)  # a point on z belongs to both links, so the part r z can use Uj


def _has_zeros(pose: Pose) -> bool:
    """Tell whether the arm has more zeros than the whole offset, which is why two parts cost less."""
    return sum(map(is_zero, pose.arm)) > sum(map(is_zero, pose.P))


def _permutes(R: Rotation) -> bool:
    """Tell whether the axes of both frames are the same but for order and direction."""
    return all(sum(map(is_zero, row)) == 2 for row in R.rows)


def _turned(U: Matrix, R: Rotation) -> Matrix:
    """Return Rᵀ U R."""
    columns = [R.back(times(U, R.forth(axis))) for axis in UNITS]
    return [column(columns, k) for k in range(3)]


def _turning(i: Motion, joint: Joint, pose: Pose, q: Values, w: Vector, wd: Vector, sums: bool) -> Motion | None:
    """Return the angular motion of a link that turns about z, if z is along an axis of its parent's frame."""
    z = pose.R.forth(UNITS[2])
    if is_zero(joint.kind.turn) or sum(map(is_zero, z)) != 2:
        return None
    shared = _shared(i, joint, joint.theta + joint.kind.offsets(q)[0], times(i.U, z), sums)
    turn = about(2, shared.angle)
    WI = Vector(*turn.back(shared.W)[:2], dot(i.W, z))  # (18)
    W = WI + w  # (19)
    Uz, DV = turn.back(shared.Uz), _products(W)
    WP = Vector(DV[5] - Uz[1], Uz[0] - DV[4], dot(i.WP, z) + wd[2])
    U = (
        Vector(-DV[1] - DV[2], DV[3] - WP[2], Uz[0]),
        Vector(DV[3] + WP[2], -DV[0] - DV[2], Uz[1]),
        Vector(DV[4] - WP[1], DV[5] + WP[0], Uz[2]),
    )
    return Motion(WI, W, WP, DV, U, i.VP, shared)


def _shared(i: Motion, joint: Joint, theta: Scalar, Uz: Vector, sums: bool) -> Shared:
    """Return what is to be turned by an angle: the parent's motion, or that of an earlier link if this costs less."""
    twist, turn = about(2, joint.gamma), about(0, joint.alpha)
    if not is_zero(turn.s):
        return Shared(theta, turn.back(twist.back(i.W)), turn.back(twist.back(Uz)))
    own = Shared(theta + joint.gamma * turn.c, turn.back(i.W), turn.back(Uz))
    if sums and i.shared and is_zero(turn.c - 1.0) and i.shared.cost + 1 < own.cost:
        return i.shared._replace(angle=i.shared.angle + own.angle)
    return own
