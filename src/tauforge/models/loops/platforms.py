"""Free links that only carry ball joints at the ends of legs, such as platforms, seen in the frame of their parents.

A leg then needs to know where its ball joint is in these axes, which follows from its own joints, instead of the
product of two rotations: Khalil 2010, (64), in the axes of the base.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from math import dist, fsum, hypot
from typing import NamedTuple

from ...graph.node import Node, is_zero
from ...graph.operations import CONST
from ...robot.robot import Robot
from ...spatial.pose import Pose
from ...spatial.screw import Twist, Wrench
from ...spatial.vector import ZERO, Vector, cross, times
from ..outward import Motion, moving
from ..routes import path
from .closure import Sides

FAR = 4.0
"""Distance of the legs' feet from the origin, as a multiple of the distances among them, that costs digits."""


class Platform(NamedTuple):
    """A link, seen in a frame with its parent's axes.

    Attributes
    ----------
    pose
        The link in its parent's frame.
    arm
        The link's origin in the frame in which it is seen.
    place
        Origin of that frame in the parent's: it does not move.
    legs
        For each frame of a ball joint on the link, the poses of the leg that ends there, from its tip to that frame.
    """

    pose: Pose
    arm: Vector
    place: Vector
    legs: dict[int, list[Pose]]

    def velocity(self, own: Twist) -> Twist:
        """Return a velocity given in the link's frame."""
        w = self.pose.R.forth(own.w)
        return Twist(self.pose.R.forth(own.v) - cross(w, self.arm), w)

    def motion(self, own: Motion) -> Motion:
        """Return a motion given in the link's frame."""
        seen = moving(*map(self.pose.R.forth, (own.WI, own.W, own.WP, own.VP)))
        return seen._replace(VP=seen.VP - times(seen.U, self.arm))

    def wrench(self, own: Wrench) -> Wrench:
        """Return a wrench given in the link's frame."""
        f = self.pose.R.forth(own.f)
        return Wrench(f, self.pose.R.forth(own.n) + cross(self.arm, f))

    def own(self, seen: Wrench) -> Wrench:
        """Return a wrench in the link's frame."""
        back = self.pose.R.back
        return Wrench(back(seen.f), back(seen.n - cross(self.arm, seen.f)))

    def along_leg(self, end: int, tip: Wrench) -> Wrench | None:
        """Return what the link feels of a wrench on a leg's tip, if the force goes along the leg; None otherwise.

        Such a force has a lever at the foot of the leg, and none before.
        """
        for pose in self.legs[end]:
            if not all(map(is_zero, tip.n)):
                return None
            tip = tip.inward(pose)
        return Wrench(-tip.f, -tip.n)


def platforms(robot: Robot, sides: Sequence[Sides], poses: Sequence[Pose], free: Set[str]) -> dict[int, Platform]:
    """Return the links that are seen so, by number.

    Parameters
    ----------
    robot
        The tree with the frames of all cuts as links.
    sides
        The cuts.
    poses
        Pose of each link in its parent's frame.
    free
        Names of the independent axes.
    """
    carried: dict[int, list[int]] = {}
    for j, joint in enumerate(robot.joints, 1):
        carried.setdefault(joint.antecedent, []).append(j)
    balls = {side.b: side.a for side in sides if side.loop.joint.kind.word == "spherical"}
    found = {}
    for j, joint in enumerate(robot.joints, 1):
        own, parent = carried.get(j, []), joint.antecedent
        if joint.kind.word != "floating" or not free >= {joint.name + part for part in joint.axes}:
            continue
        if len(own) < 2 or not balls.keys() >= set(own):
            continue
        ways = {b: path(robot, balls[b])[::-1] for b in own}
        if parent and any(parent not in way for way in ways.values()):
            continue
        legs = {b: [poses[k - 1] for k in (way[: way.index(parent)] if parent else way)] for b, way in ways.items()}
        place = _middle([leg[-1].P for leg in legs.values()])
        for leg in legs.values():
            leg[-1] = leg[-1]._replace(arm=leg[-1].arm - place)
        found[j] = Platform(poses[j - 1], poses[j - 1].P - place, place, legs)
    return found


def _middle(feet: Sequence[Vector]) -> Vector:
    """Return the middle of points that are far from the origin; the origin if they are near or not constant.

    Levers from far away would cost digits, but any shift costs operations: feet often have zeros as coordinates.
    """
    if any(isinstance(x, Node) and x.op is not CONST for foot in feet for x in foot):
        return ZERO
    points = [[float(x) for x in foot] for foot in feet]
    middle = [fsum(xs) / len(feet) for xs in zip(*points, strict=True)]
    return Vector(*middle) if hypot(*middle) > FAR * max(dist(point, middle) for point in points) else ZERO
