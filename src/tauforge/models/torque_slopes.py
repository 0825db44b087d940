"""Derivatives of the torques of a motion with respect to q and q̇, by composite bodies.

If axis j moves by a little, all particles that it carries move by J = v + w × ρ, where (v, w) is its screw at the
origin O of its link, and their accelerations change by J̈ = v̈ + ẅ × ρ + 2 ẇ × ρ̇ + w × ρ̈; if it moves faster by a little,
they change by 2 J̇ = 2 v̇ + 2 ẇ × ρ + 2 w × ρ̇.

- A descendant i turns along with its forces, so that it feels only J̈ - w × a, where a = VP + ρ̈ is the acceleration less
  gravity, and VP that of O. What matters is in both cases a :class:`Field` α + β × ρ + γ × ρ̇. The torque of i changes
  by α · Σ m Jᵢ + β · Σ m ρ × Jᵢ + γ · Σ m ρ̇ × Jᵢ: three sums that are passed inward as for the Coriolis matrix.
- The torques of j and of its ancestors change by the wrench Σ m δa, Σ m ρ × δa of the same field, passed inward. For a
  change of q, forces also turn and act at other places: the wrench E on all that j carries changes by (v, w) × E.

A floating base has its velocities in its own axes. Their changes are δVP = e × v or ω × e, and turning it is felt as
turning gravity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..graph.derivative import jacobian
from ..graph.node import Scalar, as_node, is_zero
from ..program.program import Array
from ..robot.joint import Joint
from ..robot.robot import Robot
from ..spatial.moments import Moments
from ..spatial.pose import Pose
from ..spatial.screw import UNLOADED, Twist, Wrench
from ..spatial.vector import ZERO, Vector, cross, dot, times
from .inertia_matrix import Rows, first_degrees
from .joint_law import resistances
from .outward import Motion
from .state import State


class Field(NamedTuple):
    """A change α + β × ρ + γ × ρ̇ of accelerations."""

    a: Vector = ZERO
    b: Vector = ZERO
    c: Vector = ZERO

    def column(self, moments: Moments, W: Vector) -> Wrench:
        """Return what the change adds up to, Σ m δa and Σ m ρ × δa, for a link with the angular velocity W."""
        return moments.rate(Twist(ZERO, self.c), Twist(self.a, self.b - cross(W, self.c)), W)

    def row(self, impulse: Wrench, swept: Vector) -> Scalar:
        """Return the change of the torque of an axis from its sums Σ m J, Σ m ρ × J and Σ m ρ̇ × J."""
        product: Scalar = dot(self.a, impulse.f) + dot(self.b, impulse.n) + dot(self.c, swept)
        return product


class Axis(NamedTuple):
    """An axis of a joint: its screw, the changes if it moves faster and if it has moved, and that of the wrench E."""

    s: Twist
    faster: Field
    moved: Field
    turned: Wrench


def has_slopes(robot: Robot, state: State, arrays: dict[str, Array]) -> bool:
    """Tell whether the derivatives of a robot's torques are known here; Programs of all others are differentiated."""
    given = [x for name in ("q", "qd") for j in range(1, len(robot.joints) + 1) for x in getattr(state, name)[j]]
    resting = all(is_zero(x) for x in robot.base.W0)
    return (
        state.coordinates.is_identity
        and given == [*arrays["q"].nodes, *arrays["qd"].nodes]
        and all(is_zero(x) for wrench in (*state.f, *state.m) for x in wrench)
        and all(not joint.axes or joint.kind.is_axial or _floats(joint) for joint in robot.joints)
        and all(
            resting and joint.antecedent == 0 and all(is_zero(x) for x in (joint.FS, joint.FV, joint.eta))
            for joint in robot.joints
            if _floats(joint)
        )
    )


def _floats(joint: Joint) -> bool:
    return len(joint.axes) == 6


def torque_slopes(
    robot: Robot, state: State, at: Sequence[Motion], poses: Sequence[Pose], E: Sequence[Wrench]
) -> Callable[[str], Rows | None]:
    """Return what gives the derivatives of all torques with respect to an input.

    ``at`` and ``E`` are the motions of the links and the wrenches on each and everything it carries; entry 0 is the
    base.
    """
    found: dict[str, Rows] = {}

    def slopes(name: str) -> Rows | None:
        if name in ("q", "qd") and not found:
            found.update(zip(("q", "qd"), _slopes(robot, state, at, poses, E), strict=True))
            _resist(robot, state, found)
        return found.get(name)

    return slopes


def _slopes(
    robot: Robot, state: State, at: Sequence[Motion], poses: Sequence[Pose], E: Sequence[Wrench]
) -> tuple[Rows, Rows]:
    """Return the derivatives with respect to q and to q̇, without those of friction and springs."""
    first = first_degrees(robot)
    by_q: Rows = [[0.0] * first[-1] for _ in range(first[-1])]
    by_qd: Rows = [[0.0] * first[-1] for _ in range(first[-1])]
    speeds = [joint.screw(q, qd) for joint, q, qd in zip(robot.joints, state.q[1:], state.qd[1:], strict=True)]
    carried = _carried(robot, poses, speeds)
    axes = _axes(robot, state, at, poses, speeds, E)
    for j, own in enumerate(axes, 1):
        moments, W = carried[j], at[j].W
        for place, axis in enumerate(own, first[j]):
            moved, faster = axis.moved.column(moments, W) + axis.turned, axis.faster.column(moments, W)
            impulse, swept, i = moments.impulse(axis.s), moments.swept(axis.s, W), j
            while i:
                for other, at_i in enumerate(axes[i - 1], first[i]):
                    by_q[other][place], by_qd[other][place] = at_i.s.dot(moved), at_i.s.dot(faster)
                    if i != j:
                        by_q[place][other] = at_i.moved.row(impulse, swept)
                        by_qd[place][other] = at_i.faster.row(impulse, swept)
                pose, antecedent = poses[i - 1], robot.joints[i - 1].antecedent
                swept = inward(swept, impulse, pose, speeds[i - 1], at[i].W, at[antecedent].W)
                moved, faster, impulse = (x.inward(pose) for x in (moved, faster, impulse))
                i = antecedent
    return by_q, by_qd


def inward(swept: Vector, impulse: Wrench, pose: Pose, speed: Twist, W: Vector, W_parent: Vector) -> Vector:
    """Return Σ m ρ̇ × J in the frame of a link's parent, where ρ is seen from the parent's origin."""
    turned = W - speed.w  # the angular velocity of the parent in this link's axes
    along = Vector(turned[1] * pose.r, -turned[0] * pose.r, 0.0) + speed.v
    moved: Vector = pose.R.forth(swept + cross(along, impulse.f))
    return moved + cross(cross(W_parent, pose.arm), pose.R.forth(impulse.f))


def _carried(robot: Robot, poses: Sequence[Pose], speeds: Sequence[Twist]) -> list[Moments]:
    """Return the moments of each link and everything it carries; entry 0 is unused."""
    total = [Moments.rigid(body.inertia) for body in (robot.bodies[0], *robot.bodies)]
    for j in range(len(robot.joints), 0, -1):
        i = robot.joints[j - 1].antecedent
        if i:
            total[i] = total[i].plus(total[j].inward(poses[j - 1], speeds[j - 1]))
    return total


def _axes(
    robot: Robot,
    state: State,
    at: Sequence[Motion],
    poses: Sequence[Pose],
    speeds: Sequence[Twist],
    E: Sequence[Wrench],
) -> list[list[Axis]]:
    """Return the axes of each joint."""
    g, found = [robot.gravity], []
    for j, (joint, pose) in enumerate(zip(robot.joints, poses, strict=True), 1):
        g.append(pose.R.back(g[joint.antecedent]))
        of = _floating if _floats(joint) else _constant
        found.append([of(s, at[j], speeds[j - 1], g[j], E[j]) for s in joint.kind.screws(state.q[j])])
    return found


def _constant(s: Twist, j: Motion, speed: Twist, g: Vector, E: Wrench) -> Axis:
    """Return an axis whose screw is constant in the link's frame."""
    v, w = (times(j.U, x) for x in s)  # v̈ and ẅ
    turning = cross(j.W, s.w) * 2.0
    return Axis(
        s,
        Field(cross(j.W, s.v) * 2.0, turning, s.w * 2.0),
        Field(v - cross(s.w, j.VP), w, turning),
        s.cross_wrench(E),
    )


def _floating(s: Twist, j: Motion, speed: Twist, g: Vector, E: Wrench) -> Axis:
    """Return an axis of a floating base."""
    faster = Field(cross(s.w, speed.v) + cross(j.W, s.v), cross(j.W, s.w), s.w * 2.0)
    return Axis(s, faster, Field(cross(s.w, g)), UNLOADED)


def _resist(robot: Robot, state: State, found: dict[str, Rows]) -> None:
    """Add the derivatives of friction and springs; a floating base has none."""
    efforts = [as_node(x) for own in resistances(robot, state)[1:] for x in own]
    first = first_degrees(robot)
    moving = [j for j, joint in enumerate(robot.joints, 1) if len(joint.axes) == 1]
    for name, rows in found.items():
        slopes = jacobian(efforts, [as_node(getattr(state, name)[j][0]) for j in moving])
        for row, slope in zip(rows, slopes, strict=True):
            for j, x in zip(moving, slope, strict=True):
                row[first[j]] = row[first[j]] + x
