"""Transforms: the homogeneous matrices of frames relative to any frame.

Each joint has the matrix of equation (1) of Khalil (2010); these are multiplied along the path through the tree, in one
of two orders. Outward from the reference, each frame's matrix follows from its neighbour's: best for many frames.
Inward, a frame's axes and origin are carried to the reference, where two axes are enough because the third is their
cross product: best for one frame. The order with fewer operations is taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..program.array import outputs
from ..program.optimise import cheapest
from ..program.program import Program
from ..robot.frames import BASE
from ..robot.robot import Robot
from ..spatial.pose import Pose
from ..spatial.rotation import Rotation
from ..spatial.vector import UNITS, ZERO, Vector, column, cross
from .prepare import prepare
from .registry import model
from .results import program
from .routes import Route, frame_number, poses_of, spread


@model("q -> T", "homogeneous matrices of all links")
def transforms(robot: Robot, *, frames: Sequence[str] | str | None = None, relative_to: str | None = None) -> Program:
    """Return the Program ``q -> T``: the homogeneous matrix (4, 4) of each frame relative to one.

    The pose of the base (``robot.base.pose``) is not applied: "base" is the frame of link 0.

    Parameters
    ----------
    frames
        Names of links or constant frames, or "base"; by default all links, then the other constant frames.
    relative_to
        Name of a link or a constant frame; by default the base.
    """
    wanted_names = robot.expanded().frame_names if frames is None else frames
    names = (wanted_names,) if isinstance(wanted_names, str) else tuple(wanted_names)
    robot, arrays, state = prepare(robot, ("q",), frames=(*names, relative_to))
    wanted, root = [frame_number(robot, name) for name in names], frame_number(robot, relative_to)
    poses = poses_of(robot, state)
    ways = [outward(robot, poses, wanted, root)]
    ways += [[inward(robot, poses, frame, root, skipped) for frame in wanted] for skipped in (None, 0, 1, 2)]

    def made(placed: Sequence[Pose]) -> Program:
        labels = (names, ("x", "y", "z", "1"), ("x", "y", "z", "origin"))
        entries = [x for pose in placed for x in pose.homogeneous]
        meaning = f"homogeneous matrices of frames relative to {relative_to or BASE}"
        T = outputs(entries, [len(names), 4, 4], labels, meaning)
        return program("transforms", robot, arrays, {"T": T})

    return cheapest(map(made, ways))


def outward(robot: Robot, poses: Sequence[Pose], wanted: Sequence[int], root: int) -> list[Pose]:
    """Return the poses of links by a walk from the root: T_j = T_i ⁱTⱼ, and T_i = T_j ⁱTⱼ⁻¹ below the root."""

    def above(i: Pose, j: int) -> Pose:
        pose = poses[j - 1]
        x, y, z = map(pose.R.back, i.R.rows)
        return Pose(Rotation.of((x, y, z)), i.P + i.R.forth(pose.arm) + Vector(x[2], y[2], z[2]) * pose.r)

    def below(j: Pose, number: int) -> Pose:
        pose = poses[number - 1]
        x, y, z = map(pose.R.forth, j.R.rows)
        R = Rotation.of((x, y, z))
        return Pose(R, j.P - column(j.R.rows, 2) * pose.r - R.forth(pose.arm))

    at = spread(robot, root, Pose(Rotation.of(UNITS)), below, above)
    return [at[frame] for frame in wanted]


def inward(robot: Robot, poses: Sequence[Pose], frame: int, root: int, skipped: int | None) -> Pose:
    """Return the pose of a frame by carrying its origin and axes to the root; one axis can follow from the others."""
    route = Route.between(robot, poses, frame, root)
    axes = [ZERO if k == skipped else route.direction(unit) for k, unit in enumerate(UNITS)]
    if skipped is not None:
        axes[skipped] = cross(axes[(skipped + 1) % 3], axes[(skipped + 2) % 3])
    return Pose(Rotation.of((column(axes, 0), column(axes, 1), column(axes, 2))), route.point(ZERO))
