"""Transforms: the homogeneous matrices of frames relative to any frame.

The matrix of equation (1) of Khalil (2010) for each joint, multiplied along the way through the tree. There are two
orders. Outward from the reference, each frame's matrix follows from its neighbour's: best for many frames. Inward, a
frame's axes and origin are carried to the reference, and of the three axes two will do, their cross product being the
third: best for one frame. Whichever needs fewer operations is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..program.optimise import cheapest
from ..program.program import Program, outputs
from ..robot.joint import Pose
from ..robot.robot import Robot
from ..spatial.vector import ZERO, Entry, Matrix, Vector, column, cross, times
from .frame import prepare, program
from .registry import model
from .tree import BASE, UNITS, Route, frame_number, poses_of, spread


class Placement(NamedTuple):
    """A frame in the axes of another: its rotation, by rows, and its origin."""

    R: Matrix
    P: Vector

    @property
    def homogeneous(self) -> tuple[Entry, ...]:
        """The 4x4 matrix, row by row."""
        R, P = self
        return (*R[0], P[0], *R[1], P[1], *R[2], P[2], 0.0, 0.0, 0.0, 1.0)


@model("q -> T", "homogeneous matrices of all links")
def transforms(robot: Robot, *, frames: Sequence[str] | str | None = None, relative_to: str | None = None) -> Program:
    """Return the Program ``q -> T``: the homogeneous matrix (4, 4) of each frame relative to one.

    The pose of the base (``robot.base.pose``) is not applied: "base" is the frame of link 0.

    Parameters
    ----------
    frames
        Names of links or constant frames, or "base"; all of them in their order unless given.
    relative_to
        Name of a link or a constant frame; the base unless given.
    """
    wanted_names = robot.expanded().frame_names if frames is None else frames
    names = (wanted_names,) if isinstance(wanted_names, str) else tuple(wanted_names)
    robot, arrays, state = prepare(robot, "standard", ("q",), frames=(*names, relative_to))
    wanted, root = [frame_number(robot, name) for name in names], frame_number(robot, relative_to)
    poses = poses_of(robot, state)
    ways = [walked(robot, poses, wanted, root)]
    ways += [[carried(robot, poses, frame, root, skipped) for frame in wanted] for skipped in (None, 0, 1, 2)]

    def made(placements: Sequence[Placement]) -> Program:
        labels = (names, ("x", "y", "z", "1"), ("x", "y", "z", "origin"))
        entries = [x for placement in placements for x in placement.homogeneous]
        meaning = f"homogeneous matrices of frames relative to {relative_to or BASE}"
        T = outputs(entries, [len(names), 4, 4], labels, meaning)
        return program("transforms", robot, arrays, {"T": T})

    return cheapest(map(made, ways))


def walked(robot: Robot, poses: Sequence[Pose], wanted: Sequence[int], root: int) -> list[Placement]:
    """Return the placements of links by a walk from the root: T_j = T_i ⁱTⱼ, and T_i = T_j ⁱTⱼ⁻¹ below the root."""

    def above(i: Placement, j: int) -> Placement:
        pose = poses[j - 1]
        R = tuple(pose.R.back(row) for row in i.R)
        return Placement(R, i.P + times(i.R, pose.arm) + column(R, 2) * pose.r)

    def below(j: Placement, number: int) -> Placement:
        pose = poses[number - 1]
        R = tuple(pose.R.forth(row) for row in j.R)
        return Placement(R, j.P - column(j.R, 2) * pose.r - times(R, pose.arm))

    at = spread(robot, root, Placement(UNITS, ZERO), below, above)
    return [at[frame] for frame in wanted]


def carried(robot: Robot, poses: Sequence[Pose], frame: int, root: int, skipped: int | None) -> Placement:
    """Return the placement of a frame by carrying its origin and axes to the root; one axis may follow from the
    others.
    """
    route = Route.between(robot, poses, frame, root)
    axes = [ZERO if k == skipped else route.direction(unit) for k, unit in enumerate(UNITS)]
    if skipped is not None:
        axes[skipped] = cross(axes[(skipped + 1) % 3], axes[(skipped + 2) % 3])
    return Placement([column(axes, k) for k in range(3)], route.point(ZERO))
