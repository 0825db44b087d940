"""Routes through the tree of links: frames by name, and walks from link to link between any two of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from ..errors import ProgramError, suggestion
from ..robot.frames import BASE, frame_name, known_frames
from ..robot.robot import Robot
from ..spatial.pose import Pose
from ..spatial.vector import UNITS, Matrix, Vector
from .state import State

T = TypeVar("T")


def frame_number(robot: Robot, name: str | None) -> int:
    """Return the number of the link whose frame has that name. A constant frame is among the last links and takes
    precedence over a link of the same name. None is 0, and so is "base" unless a link or a frame has that name.
    """
    if name is None:
        return 0
    wanted = frame_name(robot, name)
    for number, body in reversed([*enumerate(robot.bodies, 1)]):
        if body.name == wanted:
            return number
    if wanted == BASE or (robot.base.body and wanted == robot.base.body.name):
        return 0
    raise ProgramError(f"{robot.name} has no frame {name!r}; {suggestion(name, known_frames(robot))}")


def tip(robot: Robot) -> str:
    """Return the frame at the end of an arm: the only constant frame on its last link, as a tool's, or that link."""
    inner = {joint.antecedent for joint in robot.joints}
    ends = {k: body.name for k, body in enumerate(robot.bodies, 1) if k not in inner}
    tools = [frame.name for frame in robot.frames if frame.antecedent in ends]
    if len(ends) != 1 or len(tools) > 1:
        several = ", ".join(map(repr, dict.fromkeys([*ends.values(), *tools]))) or "no link"
        raise ProgramError(f"{robot.name} ends in {several}: say with frame= which frame you mean")
    return (tools or [*ends.values()])[0]


def poses_of(robot: Robot, state: State) -> list[Pose]:
    """Return the pose of each link in its parent's frame; entry j - 1 is the pose of link j."""
    return [joint.pose(q) for joint, q in zip(robot.joints, state.q[1:], strict=True)]


def path(robot: Robot, link: int) -> list[int]:
    """Return the links on the path from the base to a link, without the base."""
    links: list[int] = []
    while link:
        links.insert(0, link)
        link = robot.joints[link - 1].antecedent
    return links


def spread(robot: Robot, root: int, start: T, below: Callable[[T, int], T], above: Callable[[T, int], T]) -> list[T]:
    """Return a value for each link, spread outward from a root with the value ``start``.

    ``above(x, j)`` makes link j's value from its parent's, and ``below(x, j)`` the parent's from link j's.
    """
    at = {root: start}
    for j in reversed(path(robot, root)):
        at[robot.joints[j - 1].antecedent] = below(at[j], j)
    for j, joint in enumerate(robot.joints, 1):
        if j not in at:
            at[j] = above(at[joint.antecedent], j)
    return [at[j] for j in range(len(robot.joints) + 1)]


def orientations(robot: Robot, poses: Sequence[Pose], root: int) -> list[Matrix]:
    """Return the rotation of each link's frame in the axes of the root, row by row: R_j = R_i ⁱRⱼ."""

    def below(R: Matrix, j: int) -> Matrix:
        return tuple(poses[j - 1].R.forth(row) for row in R)

    def above(R: Matrix, j: int) -> Matrix:
        return tuple(poses[j - 1].R.back(row) for row in R)

    return spread(robot, root, UNITS, below, above)


class Route(NamedTuple):
    """The path from one frame to another: down to their common ancestor, and up from there."""

    down: Sequence[Pose]
    up: Sequence[Pose]

    @classmethod
    def between(cls, robot: Robot, poses: Sequence[Pose], start: int, end: int) -> Route:
        first, second = path(robot, start), path(robot, end)
        common = set(first) & set(second)
        down = [poses[j - 1] for j in reversed(first) if j not in common]
        return cls(down, [poses[j - 1] for j in second if j not in common])

    def direction(self, v: Vector) -> Vector:
        """Return a vector of the first frame in the axes of the second."""
        for pose in self.down:
            v = pose.R.forth(v)
        for pose in self.up:
            v = pose.R.back(v)
        return v

    def point(self, p: Vector) -> Vector:
        """Return a point of the first frame in coordinates of the second."""
        for pose in self.down:
            p = pose.forth(p)
        for pose in self.up:
            p = pose.back(p)
        return p
