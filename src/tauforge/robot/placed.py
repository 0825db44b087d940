"""Joints and frames placed by points, angles and axes, in the coordinates of a link or of the world at zero."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import ExpressionError, RobotError, suggestion
from ..spatial.pose import HERE, Pose
from ..spatial.rotation import Rotation, about
from ..spatial.vector import Vector
from .assemble import standing
from .frames import BASE, frame
from .joint import LINK, WORLD, Joint, constant_frame

if TYPE_CHECKING:
    from .robot import Robot

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_FLAT = 1e-12
"""Sine of the angle below which an axis is z."""


def pose_at(where: str, xyz: object, rpy: object, axis: object) -> Pose:
    """Return the pose of a frame at a point, turned by roll, pitch and yaw about fixed axes as in URDF, and then so
    that its z is along an axis, given in the turned frame. It turns about the common normal of both z, which is its x.
    """
    roll, pitch, yaw = _three(where, "rpy", rpy)
    x, y, z = _direction(where, axis)
    turns = [about(2, yaw), about(1, pitch), about(0, roll)] if (roll, pitch, yaw) != (0.0, 0.0, 0.0) else []
    sine = math.hypot(x, y)
    if sine > _FLAT:
        gamma, alpha = math.atan2(x, -y), math.atan2(sine, z)
        if not -math.pi / 2 < gamma <= math.pi / 2:
            gamma, alpha = math.remainder(gamma + math.pi, 2.0 * math.pi), -alpha
        turns += [about(2, gamma), about(0, alpha)]
    elif z < 0.0:
        turns += [about(0, math.pi)]
    return Pose(Rotation(turns), Vector(*_three(where, "xyz", xyz))).in_numbers()


def placed(robot: Robot) -> Robot | None:
    """Return a robot's joints and frames where points in the world have placed them; None if none are left to place.

    ``Joint.at`` leaves their poses relative to the world in the parameters, since a joint alone does not know where its
    parent is.
    """
    if not any(x.relative_to for x in (*robot.joints, *robot.frames)):
        return None
    joints = list[Joint]()
    for joint in robot.joints:
        joints.append(_placed(robot, joints, joint))
    frames = tuple(_placed(robot, joints, x) for x in robot.frames)
    return robot.derived(joints=tuple(joints), frames=frames, free_frames=True)


def with_antecedents(robot: Robot) -> tuple[tuple[Joint, ...], tuple[Joint, ...]]:
    """Return joints and frames with numbers in place of the names of the links that they are attached to."""
    if not any(isinstance(x.antecedent, str) for x in (*robot.joints, *robot.frames)):
        return robot.joints, robot.frames
    numbers = {joint.name: j for j, joint in enumerate(robot.joints, 1)}
    numbers |= {body.name: j for j, body in enumerate(robot.bodies, 1)}
    numbers |= {name: 0 for name in (BASE, robot.base.body.name if robot.base.body else BASE) if name not in numbers}

    def numbered(joint: Joint) -> Joint:
        on: Any = joint.antecedent
        if not isinstance(on, str):
            return joint
        if on not in numbers:
            raise RobotError(
                f"{robot.name}: the antecedent of {joint.name!r} is {on!r}; it must be an integer, or the name of a "
                "link: " + suggestion(on, tuple(numbers))
            )
        return replace(joint, antecedent=numbers[on])

    return tuple(map(numbered, robot.joints)), tuple(map(numbered, robot.frames))


def framed(robot: Robot, name: str, on: str, at: Pose, relative_to: str) -> Robot:
    """Return the robot with one more constant frame, on a link or relative to another frame there."""
    return replace(robot, frames=(*robot.frames, _frame_at(robot, name, on, at, relative_to)))


def _frame_at(robot: Robot, name: str, on: str, at: Pose, relative_to: str) -> Joint:
    """Return a constant frame on a link, placed relative to another frame there or in the world."""
    ground = frame(robot, on)
    if relative_to == WORLD:
        within = _world_pose(robot, robot.joints, ground.antecedent).inverse().then(at)
    else:
        within = ground.pose().then(at)
    return standing(constant_frame(name, ground.antecedent), within)


def axes_of(robot: Robot, on: str, relative_to: str) -> Joint:
    """Return a frame by its name, or the one on its link that has the base's pose where all coordinates are zero."""
    check_relative_to(f"{robot.name}: a load on {on!r}", relative_to)
    return frame(robot, on) if relative_to == LINK else _frame_at(robot, on, on, HERE, WORLD)


def ends_at(
    robot: Robot, first: str, second: str, xyz: object, rpy: object, axis: object, relative_to: str
) -> tuple[Joint, Joint] | None:
    """Return the frames of two links that coincide at a pose where all coordinates are zero; None without a point."""
    where = f"{robot.name}: the loop between {first!r} and {second!r}"
    check_relative_to(where, relative_to)
    if xyz is None:
        if (rpy, axis, relative_to) != ((0.0, 0.0, 0.0), "z", LINK):
            raise RobotError(
                f"{where}: rpy, axis and relative_to place the joint only together with xyz; give its point"
            )
        return None
    one = _frame_at(robot, first, first, pose_at(where, xyz, rpy, axis), relative_to)
    world = _world_pose(robot, robot.joints, one.antecedent).then(one.pose().in_numbers())
    return one, _frame_at(robot, second, second, world, WORLD)


def _world_pose(robot: Robot, joints: Sequence[Joint], number: int) -> Pose:
    """Return where a link is in the frame of the base if all coordinates are zero; a joint that follows others is at
    its offset then.
    """
    pose = HERE
    while number:
        joint = joints[number - 1]
        try:
            pose = joint.pose([joint.mimic.offset] if joint.mimic else ()).in_numbers().then(pose)
        except ExpressionError:
            raise RobotError(
                f"{robot.name}: {joint.name!r} has a pose with symbols, so that points in the world say nothing about "
                "what it carries; bind them, or place that relative to its link"
            ) from None
        number = joint.antecedent
    return pose


def _placed(robot: Robot, joints: Sequence[Joint], joint: Joint) -> Joint:
    """Return a joint in its parent's coordinates. One that follows others is placed where it is with them at zero."""
    if joint.relative_to != WORLD:
        return replace(joint, relative_to="") if joint.relative_to else joint
    at = _world_pose(robot, joints, joint.antecedent).inverse().then(joint.pose().in_numbers())
    if joint.mimic and joint.mimic.offset:
        moved = replace(joint, **_ORIGIN).pose([joint.mimic.offset])
        at = at.then(moved.in_numbers().inverse())
    return replace(standing(joint, at), relative_to="")


_ORIGIN: dict[str, Any] = dict.fromkeys(("gamma", "b", "alpha", "d", "e", "theta", "r"), 0.0)


def _three(where: str, key: str, given: Any) -> tuple[float, float, float]:
    """Return three numbers, or say what is wrong with them."""
    try:
        x, y, z = map(float, given)
    except (TypeError, ValueError, OverflowError, ExpressionError):
        raise RobotError(
            f"{where}: {key} is {given!r}; it must be three numbers; symbols need the fields of a Joint, γ to r"
        ) from None
    if not all(map(math.isfinite, (x, y, z))):
        raise RobotError(f"{where}: {key} is {given!r}; give finite numbers")
    return x, y, z


def _direction(where: str, axis: Any) -> tuple[float, float, float]:
    """Return an axis of unit length, given as a letter, with a sign or not, or as three numbers."""
    if isinstance(axis, str):
        sign, letter = (-1.0, axis[1:]) if axis[:1] == "-" else (1.0, axis)
        if letter not in _AXES:
            raise RobotError(f"{where}: axis is {axis!r}; it must be x, y, z, -x, -y, -z, or three numbers")
        x, y, z = _AXES[letter]
        return sign * x + 0.0, sign * y + 0.0, sign * z + 0.0
    x, y, z = _three(where, "axis", axis)
    length = math.hypot(x, y, z)
    if not length:
        raise RobotError(f"{where}: axis is zero; it must have a direction")
    return x / length, y / length, z / length


def check_relative_to(where: str, relative_to: object) -> None:
    """Refuse coordinates other than those of a link or of the world."""
    if relative_to not in (LINK, WORLD):
        raise RobotError(f"{where}: relative_to is {relative_to!r}; it must be {LINK!r} or {WORLD!r}")
