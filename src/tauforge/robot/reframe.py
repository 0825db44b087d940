"""Frames with as many zeros as a robot's geometry allows: those of Khalil and Kleinfinger (1986).

The frame of a link can turn about its joint's axis z, and slide along it, without changing the joint's coordinate; that
of a prismatic link can be anywhere, as long as its z is along the slide. This freedom is used to put x of link i on the
common normal of its axis and the next one, so that only α, d, θ and r of the next joint remain. If there are several
next joints, one is chosen, and the others get γ and b too.

Any remaining choice is made so that more parameters are zero: on parallel axes, one r holds the sum of all offsets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..errors import ExpressionError, RobotError
from ..graph.node import is_zero
from ..spatial.inertia import Inertia
from ..spatial.pose import HERE, Pose
from ..spatial.rotation import Rotation, about
from ..spatial.vector import ZERO, Vector, cross, dot
from .assemble import PLACE, inward
from .joint import Joint, constant_frame
from .placement import EXACT, angles, is_odd, neat, placement

if TYPE_CHECKING:
    from .body import Body
    from .robot import Robot

_Z = Vector(0.0, 0.0, 1.0)
_NOISE = 1e-14
"""Values below this fraction of a body's largest parameter of the same kind are rounding."""
_NEARLY = 0.02
"""Sine of the angle below which two axes are too nearly parallel for their common normal, which is then far away."""


@dataclass
class Choice:
    """How a link's frame is moved: a rotation about z and a shift, in its present axes; None means not chosen yet."""

    turn: float | None = None
    shift: Vector | None = None

    def pose(self) -> Pose:
        """Return the pose of the new frame relative to the present one."""
        return Pose(Rotation([about(2, self.turn or 0.0)]), self.shift or ZERO)


def to_mdh(robot: Robot, tolerance: float) -> Robot:
    """Return the robot with re-chosen frames; lengths and angles within the tolerance of zero or of a quarter turn are
    taken as such.
    """
    whole = _numeric(robot.merged())
    poses = [HERE, *(joint.pose() for joint in whole.joints)]
    children = [whole.children(j) for j in range(len(whole.joints) + 1)]
    still = not whole.base.floating and all(map(is_zero, (*whole.base.W0, *whole.base.WP0)))
    chosen = [Choice(0.0, ZERO)] * (len(whole.joints) + 1)
    for j in range(len(whole.joints), 0, -1):
        if whole.joints[j - 1].kind.is_axial:
            first = still and whole.joints[j - 1].antecedent == 0
            chosen[j] = _best(whole, j, children[j], poses, chosen, first)
    moved = [HERE]
    for j, joint in enumerate(whole.joints, 1):
        at = moved[joint.antecedent].inverse().then(poses[j])
        _complete(chosen[j], joint, at)
        moved.append(chosen[j].pose())
    return _rebuilt(whole, poses, moved, tolerance)


def reframed(robot: Robot) -> Robot:
    """Return a robot with free frames re-framed, if it has only numbers and the new frames have more zeros.

    Frames that a user has given as Khalil-Kleinfinger parameters were chosen on purpose, so they are kept.
    """
    if not robot.free_frames:
        return robot
    try:
        numbers = [float(getattr(joint, key)) for joint in robot.joints for key in PLACE]
        numbers += [float(x) for body in robot.bodies for x in body.inertia]
    except ExpressionError:
        return robot
    if robot.loops or not all(map(math.isfinite, numbers)):
        return robot
    made = to_mdh(robot, EXACT)
    if made.base.body != robot.base.body and not robot.base.floating:
        return robot  # what is fixed to the ground would be merged into it, and missing from the potential energy
    return made if _burden(made) < _burden(robot) else robot


def _burden(robot: Robot) -> int:
    """Return roughly what a robot's geometry costs: lengths, angles that are not quarter turns, fixed links."""
    return sum(_weight(joint, still=not joint.antecedent and not robot.base.floating) for joint in robot.joints)


def _weight(joint: Joint, still: bool) -> int:
    """Return what a joint's parameters cost; the position of a revolute joint on a base at rest costs nothing."""
    gamma, b, alpha, d, e, theta, r = (float(getattr(joint, key)) for key in PLACE)
    parallel = not is_odd(alpha / 2)
    turns = (
        [is_odd(theta + gamma * math.cos(alpha))] if parallel else [3 * is_odd(gamma), 3 * is_odd(alpha), is_odd(theta)]
    )
    if still and _turns(joint):
        return turns[-1]
    lengths = 3 * (parallel and d != 0 and is_odd(gamma))  # the arm has components along x and y then
    return lengths + sum(turns) + sum(x != 0 for x in (b, d, e, r)) + 5 * (not joint.axes)


def _numeric(robot: Robot) -> Robot:
    """Return the robot with its geometry in plain numbers."""
    try:
        joints, frames = (
            tuple(replace(x, **{key: float(getattr(x, key)) for key in PLACE}) for x in part)  # type: ignore[arg-type]
            for part in (robot.joints, robot.frames)
        )
    except ExpressionError as error:
        raise RobotError(f"{robot.name}: frames can be chosen only if the geometry is numeric: {error}") from None
    if robot.loops:
        raise RobotError(f"{robot.name} has closed loops; frames can be chosen only for trees: call robot.tree() first")
    return robot.derived(joints=joints, frames=frames)


def _best(
    robot: Robot, j: int, children: Sequence[int], poses: Sequence[Pose], chosen: Sequence[Choice], first: bool
) -> Choice:
    """Return the choice for link j that suits one of its children best, and the others well."""
    joint = robot.joints[j - 1]
    found: list[tuple[float, int, Choice]] = []
    for c in children:
        choice = _towards(joint, robot.joints[c - 1], poses[c], chosen[c], first)
        found.append((sum(_cost(choice, poses[other]) for other in children), len(found), choice))
    return min(found, key=lambda x: x[:2])[2] if found else Choice()


def _towards(joint: Joint, child: Joint, pose: Pose, next_choice: Choice, first: bool) -> Choice:
    """Return the choice for a link that puts x on the common normal of its axis and the child's."""
    shift = next_choice.shift
    anchor = pose.P if shift is None else pose.P + pose.R.forth(shift)
    if not child.kind.is_axial:  # its frame cannot move
        return Choice(None, Vector(0.0, 0.0, anchor[2]) if _turns(joint) else anchor)
    u = pose.R.forth(_Z)
    normal, sine = cross(_Z, u), math.hypot(u[0], u[1])
    if not _turns(joint):
        return Choice(_direction(normal) if sine > _NEARLY else None, anchor)
    free = not _turns(child) and shift is None  # a slide, which can be anywhere
    if sine > _NEARLY:
        height = anchor[2] - u[2] * (dot(anchor, u) - anchor[2] * u[2]) / (sine * sine)
        return Choice(_direction(normal), None if free else Vector(0.0, 0.0, height))
    across = math.hypot(anchor[0], anchor[1])
    turn = _direction(anchor) if across > 1e-9 and not free else None
    return Choice(turn, Vector(0.0, 0.0, anchor[2]) if first and shift is not None else None)


def _direction(v: Vector) -> float:
    return neat(math.atan2(v[1], v[0]))


def _cost(choice: Choice, pose: Pose) -> float:
    """Return how many parameters of a child are not zero or, for angles, not quarter turns."""
    at: dict[str, float] = placement(choice.pose().inverse().then(pose).in_numbers())
    turned = 3.0 * is_odd(at["alpha"]) + 3.0 * is_odd(at["gamma"])
    return turned + sum(abs(at.get(key, 0.0)) > 1e-12 for key in ("d", "b", "e"))


def _complete(choice: Choice, joint: Joint, at: Pose) -> None:
    """Make the remaining choices: θ and r zero, or for a slide no offset at all. ``at`` is the joint relative to the
    new frame of its parent.
    """
    if not joint.kind.is_axial:
        return
    at = at.in_numbers()
    theta = angles(at.R.rows)[2]
    if choice.turn is None:
        choice.turn = -theta
    elif abs(math.remainder(theta + choice.turn, 2 * math.pi)) > math.pi / 2 + 1e-9:  # x can point either way
        choice.turn = neat(choice.turn - math.copysign(math.pi, choice.turn))
    if choice.shift is None:
        along = Vector(0.0, 0.0, -placement(at)["r"])
        choice.shift = along if _turns(joint) else at.R.back(-at.P)


def _rebuilt(robot: Robot, poses: Sequence[Pose], moved: Sequence[Pose], tolerance: float) -> Robot:
    """Return the robot with its links' frames moved; constant frames with the links' names keep the present ones."""
    size = max((abs(x) for pose in poses for x in pose.P), default=1.0) or 1.0

    def stand(joint: Joint, at: Pose) -> Joint:
        at = at.in_numbers()
        origin = Vector(*(0.0 if abs(x) <= tolerance * size else x for x in at.P))
        parameters: dict[str, Any] = {**dict.fromkeys(PLACE, 0.0), **placement(at._replace(arm=origin))}
        for key, x in parameters.items():
            if key in ("gamma", "alpha", "theta"):
                parameters[key] = neat(x, tolerance)
            elif abs(x) <= tolerance * size:
                parameters[key] = 0.0
        return replace(joint, **parameters)

    back = [pose.inverse() for pose in moved]
    joints = tuple(
        stand(joint, back[joint.antecedent].then(poses[j]).then(moved[j])) for j, joint in enumerate(robot.joints, 1)
    )
    bodies = tuple(_body(body, back[j]) for j, body in enumerate(robot.bodies, 1))
    named = {frame.name for frame in robot.frames}
    own = [
        stand(constant_frame(body.name, j), back[j])
        for j, body in enumerate(robot.bodies, 1)
        if body.name not in named and _differs(moved[j])
    ]
    frames = tuple(stand(frame, back[frame.antecedent].then(frame.pose())) for frame in robot.frames)
    return robot.derived(joints=joints, bodies=bodies, frames=(*frames, *own), free_frames=False)


def _turns(joint: Joint) -> bool:
    """Tell whether a joint turns about z, so that its frame must lie on its axis."""
    return not is_zero(joint.kind.turn)


def _differs(pose: Pose) -> bool:
    return any(pose.P) or pose.R.forth(Vector(1.0, 0.0, 0.0))[0] != 1.0


def _body(body: Body, at: Pose) -> Body:
    """Return a body in its new frame, given the pose of its present frame there."""
    if not _differs(at):
        return body
    moved = inward(body, at)
    return replace(moved, inertia=_clean(moved.inertia, body.inertia))


def _clean(inertia: Inertia, before: Inertia) -> Inertia:
    """Return an inertia with rounding errors replaced by zeros."""
    values = list(inertia)
    for part in (slice(0, 6), slice(6, 9)):
        numbers = [x for x in (*values[part], *before[part]) if isinstance(x, float)]
        least = _NOISE * max(map(abs, numbers), default=0.0)
        values[part] = [0.0 if isinstance(x, float) and abs(x) <= least else x for x in values[part]]
    return Inertia(*values)
