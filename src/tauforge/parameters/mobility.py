"""How each link of a tree can move, which determines which of its inertial parameters have no effect.

A link cannot rotate, or it can rotate about one direction only, or about any. It can also be anchored: some of its
points never accelerate, except perhaps along that one direction. The whole base is anchored, the first revolute link is
anchored along its axis, and a link of a spherical shoulder in one point.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..graph.node import Scalar, as_node, is_zero
from ..graph.points import vanish
from ..robot.joint import Joint
from ..robot.robot import Robot
from ..spatial.pose import Pose
from ..spatial.vector import ZERO, Vector, cross, dot

Z = Vector(0.0, 0.0, 1.0)
NONE, LINE, FULL = 0, 1, 2


@dataclass(frozen=True)
class Mobility:
    """How one link can move, in its own frame.

    Attributes
    ----------
    rotation
        NONE, LINE (about ``axis`` only) or FULL.
    anchored
        "all", "line" (through ``point`` along ``along``), "point" or "" (no point is anchored).
    slide
        Direction in which anchored points can still move, or None.
    """

    rotation: int = NONE
    axis: Vector = ZERO
    anchored: str = "all"
    point: Vector = ZERO
    along: Vector = ZERO
    slide: Vector | None = None
    gravity: Vector = ZERO  # in the link's frame, as long as the link does not rotate


def vanishes(*values: Scalar) -> bool:
    """Tell whether expressions are zero whatever their symbols."""
    return vanish([as_node(x) for x in values])


def parallel(a: Vector, b: Vector) -> bool:
    return vanishes(*cross(a, b))


def mobilities(robot: Robot) -> list[Mobility]:
    """Return the mobility of the base and of each link."""
    base = robot.base
    turning = not vanishes(*base.W0, *base.WP0)
    ground = Mobility(gravity=robot.gravity - base.VP0)
    found = [replace(ground, rotation=FULL, anchored="") if turning else ground]
    for joint in robot.joints:
        found.append(_next(found[joint.antecedent], joint))
    return found


def _next(i: Mobility, joint: Joint) -> Mobility:
    """Return the mobility of the link that a joint carries on link i."""
    turns, slides = not is_zero(joint.kind.turn), not is_zero(joint.kind.slide)
    if joint.axes and not joint.kind.is_axial:  # elimination finds anything else that has no effect
        return Mobility(rotation=FULL, anchored="", gravity=i.gravity)
    pose = unturned(joint)
    back, u = pose.R.back, pose.R.forth(Z)
    slide = back(i.slide) if i.slide is not None else None
    axis, along = back(i.axis), back(i.along)
    if turns:
        j = replace(i, anchored="") if slides else _revolute(i, u, pose.arm, pose.r)
        rotation = LINE if i.rotation == NONE or (i.rotation == LINE and parallel(i.axis, u)) else FULL
        if j.anchored and i.slide is not None and (rotation == FULL or not parallel(i.slide, u)):
            j = replace(j, anchored="")
        return replace(j, rotation=rotation, axis=Z, slide=slide, gravity=back(i.gravity))
    moved = replace(i, axis=axis, along=along, slide=slide, point=back(i.point - pose.P), gravity=back(i.gravity))
    if not slides or not i.anchored:
        return moved
    keeps = i.anchored == "all" or (i.anchored == "line" and parallel(i.along, u))
    straight = i.slide is None or parallel(i.slide, u)
    return replace(moved, slide=Z) if keeps and straight else replace(moved, anchored="", slide=None)


def unturned(joint: Joint) -> Pose:
    """Return the pose of a link, with θ = 0 if it turns about z: this does not affect the parameters that are
    grouped.
    """
    return joint.pose() if is_zero(joint.kind.turn) else replace(joint, theta=as_node(0.0)).pose()


def _revolute(i: Mobility, u: Vector, arm: Vector, r: Scalar) -> Mobility:
    """Return what stays anchored on a link turning about the axis through arm + r u, in direction u."""
    line = replace(i, anchored="line", point=ZERO, along=Z)
    if i.anchored == "all":
        return line
    if i.anchored == "line":
        w = arm - i.point
        if parallel(i.along, u):
            return line if parallel(w, u) else replace(i, anchored="")
        normal, lever = cross(u, i.along), cross(w, i.along)
        if vanishes(dot(w, normal)):
            height = 0.0 if vanishes(*lever) else -(dot(lever, normal) / dot(normal, normal))
            return replace(i, anchored="point", point=Vector(0.0, 0.0, height - r))
    if i.anchored == "point" and parallel(i.point - arm, u):
        return replace(i, point=Vector(0.0, 0.0, dot(i.point - arm, u) - r))
    return replace(i, anchored="")
