"""A loop as a cycle: unknown axes, with a known pose from each to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import pi

from ....graph.node import Scalar
from ....robot.joint import Joint
from ....robot.robot import Robot
from ....spatial.pose import HERE, Pose
from ....spatial.rotation import Rotation, about
from ...routes import path
from ..closure import Sides

TURN, SLIDE, BALL = "turn", "slide", "ball"
"""What an unknown joint does: turn about z, slide along z, or turn about any axis."""
SINGLE = {"revolute": TURN, "prismatic": SLIDE}
"""What joints with one axis do, by their kind."""
TO_X = Pose(Rotation([about(1, pi / 2)]))
"""The pose of a frame whose z is x."""


@dataclass(frozen=True)
class Unknown:
    """An unknown axis of a joint.

    Attributes
    ----------
    motion
        TURN, SLIDE or BALL.
    place
        Where its coordinate is in q; None for the cut joint, whose coordinate is not needed.
    sign
        -1 if the cycle goes through the joint from its link to the parent, 1 otherwise.
    """

    motion: str
    place: int | None
    sign: int = 1


@dataclass(frozen=True)
class Cycle:
    """Unknown axes, and the known pose from each to the next; the last leads to the first again.

    The product of all motions and poses, in this order, is the identity where the loop is closed.
    """

    unknowns: tuple[Unknown, ...]
    poses: tuple[Pose, ...]

    @property
    def motions(self) -> tuple[str, ...]:
        """What the unknown axes do."""
        return tuple(unknown.motion for unknown in self.unknowns)

    def starting_at(self, index: int) -> Cycle:
        """Return the same cycle from another unknown axis."""
        return Cycle(
            self.unknowns[index:] + self.unknowns[:index],
            self.poses[index:] + self.poses[:index],
        )

    def reversed(self) -> Cycle:
        """Return the cycle the other way round; its last unknown axis stays the last."""
        back = [replace(unknown, sign=-unknown.sign) for unknown in reversed(self.unknowns)]
        *poses, behind = (pose.inverse() for pose in (*reversed(self.poses[:-1]), self.poses[-1]))
        return Cycle((*back[1:], back[0]), (*poses[1:], behind, poses[0]))

    def between(self, start: int, end: int) -> Pose:
        """Return the pose from one unknown axis to a later one while those between are at zero."""
        return _product(self.poses[start:end])


def cycle(
    robot: Robot, side: Sides, q: Sequence[Sequence[Scalar] | None], places: Sequence[int | None]
) -> Cycle | None:
    """Return a loop as a cycle that ends with the cut joint; None if it has unknown joints of other kinds.

    Parameters
    ----------
    robot
        The tree with the sides of all cuts.
    q
        Coordinates of each joint by its number, None for an unknown joint.
    places
        The place of each joint's first coordinate in q, by its number; None if it follows another joint.
    """
    first, second = path(robot, side.a), path(robot, side.b)
    common = {*first} & {*second}
    parts: list[Pose | Unknown] = []
    for j in reversed([j for j in first if j not in common]):
        own = _parts(robot.joints[j - 1], q[j], places[j])
        if own is None:
            return None
        parts += [replace(x, sign=-1) if isinstance(x, Unknown) else x.inverse() for x in reversed(own)]
    for j in (j for j in second if j not in common):
        own = _parts(robot.joints[j - 1], q[j], places[j])
        if own is None:
            return None
        parts += own
    cut = _cut(side.loop.joint)
    if cut is None:
        return None
    return _gathered([*parts, *cut])


def _parts(joint: Joint, q: Sequence[Scalar] | None, place: int | None) -> list[Pose | Unknown] | None:
    """Return what a joint adds to the cycle on the way from its parent to its link."""
    if q is not None:
        return [joint.pose(q)]
    if place is None:
        return None
    frame, word = joint.pose(joint.kind.neutral), joint.kind.word
    if word in SINGLE:
        return [frame, Unknown(SINGLE[word], place)]
    if word == "universal":
        return [frame, Unknown(TURN, place), TO_X, Unknown(TURN, place + 1), TO_X.inverse()]
    return None


def _cut(joint: Joint) -> list[Pose | Unknown] | None:
    """Return what the cut joint adds at the end of the cycle; None for kinds with several axes that are not a ball."""
    kinds = {**SINGLE, "spherical": BALL, "universal": BALL}
    if joint.kind.word in kinds:
        return [Unknown(kinds[joint.kind.word], None, -1)]
    return [] if joint.kind.word == "fixed" else None


def _gathered(parts: Sequence[Pose | Unknown]) -> Cycle:
    """Return the cycle of parts in a row, the poses before the first unknown axis coming after the last."""
    unknowns, poses, first = list[Unknown](), list[list[Pose]](), list[Pose]()
    for part in parts:
        if isinstance(part, Unknown):
            unknowns.append(part)
            poses.append([])
        else:
            (poses[-1] if poses else first).append(part)
    if poses:
        poses[-1] += first
    return Cycle(tuple(unknowns), tuple(_product(own) for own in poses))


def _product(poses: Sequence[Pose]) -> Pose:
    total = HERE
    for pose in poses:
        total = total.then(pose)
    return total
