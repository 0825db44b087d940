"""The chains of a robot with closed loops, each to be solved by itself once the links at its ends have their poses.

The frame's pose gives the joints between base and frame. Then each loop has a side whose links are where they should
be, and the other side is a chain to a known pose: that of a leg. What the joint at the cut allows is left free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...errors import ProgramError
from ...models.routes import frame_number, path
from ...robot.body import Body
from ...robot.entries import places
from ...robot.joint import Joint, constant_frame
from ...robot.kinds import FIXED, KINDS
from ...robot.leg import placed
from ...robot.loop import Loop
from ...robot.robot import Robot
from ...spatial.pose import HERE, Pose
from ...spatial.vector import UNITS
from ..joint_limits import leader_limits

AIMS = {"spherical": "position", "revolute": "axis", "fixed": "pose"}
"""What a leg's end is to reach, by the kind of joint that connects it."""
END = "end of the chain"
PARALLEL = 1e-12
"""By how much the cosine between parallel axes may differ from one."""


@dataclass(frozen=True, eq=False)
class Leg:
    """A chain that is solved by itself.

    Attributes
    ----------
    name
        The joint at its cut.
    chain
        Its joints as a robot, on the link where it starts.
    aim
        What its end is to reach.
    start
        The number of the link where it starts.
    goal
        The link that tells where its end is to be, and the frame there; None for the chain to the frame itself.
    places
        The place in the whole robot's q of each of its coordinates.
    """

    name: str
    chain: Robot
    aim: str
    start: int
    goal: tuple[int, Joint] | None
    places: tuple[int, ...]


def legs(robot: Robot, frame: str, aim: str) -> tuple[Leg | None, list[Leg]]:
    """Return the chain to the frame, None if a single joint gives its pose, and the legs in the order of solving."""
    whole = robot.with_frames(frame)
    first = path(whole, frame_number(whole, frame))
    known = {j for j in first if whole.joints[j - 1].axes}
    trunk = _trunk(whole, robot, first, frame, aim)
    found, left = list[Leg](), [*robot.loops]
    while left:
        _follow(robot, known)
        loop, side, chain = _next(robot, left, known)
        left.remove(loop)
        if chain:
            found.append(_leg(robot, loop, side, chain, known))
            known |= set(chain)
    _follow(robot, known)
    lost = [x.name for j, x in enumerate(robot.joints, 1) if x.axes and j not in known]
    if lost:
        raise ProgramError(
            f"{robot.name}: the pose of {frame!r} does not determine {', '.join(lost)}; tf.reach(…) finds one state"
        )
    return trunk, found


def _follow(robot: Robot, known: set[int]) -> None:
    """Add joints that follow known ones."""
    known |= {j for j, x in enumerate(robot.joints, 1) if x.mimic and all(k in known for k, _ in x.mimic.of)}


def _trunk(whole: Robot, robot: Robot, joints: Sequence[int], frame: str, aim: str) -> Leg | None:
    """Return the chain to the frame; None if it is one joint with several coordinates."""
    moving = [whole.joints[j - 1] for j in joints if whole.joints[j - 1].axes]
    if not moving:
        raise ProgramError(f"{robot.name} has no joint that moves {frame!r}")
    if len(moving) == 1 and not moving[0].kind.is_axial:
        if aim != "pose":
            raise ProgramError(
                f"{robot.name}: {frame!r} moves on a {moving[0].kind.word} joint, whose pose is needed: aim='pose'"
            )
        return None
    return _chained(whole, frame, joints, None, aim, 0, None)


def _next(robot: Robot, loops: Sequence[Loop], known: set[int]) -> tuple[Loop, int, list[int]]:
    """Return a loop with one side known, which side is not, and the chain from there; no chain if both are known."""
    unknown = list[str]()
    for loop in loops:
        ways = [path(robot, end.antecedent) for end in (loop.joint, loop.frame)]
        moving = [[j for j in way if robot.joints[j - 1].axes and j not in known] for way in ways]
        if not moving[0] and not moving[1]:
            return loop, 0, []
        if not moving[0] or not moving[1]:
            side = int(not moving[0])
            way = ways[side]
            return loop, side, way[way.index(moving[side][0]) :]
        unknown.append(loop.joint.name)
    raise ProgramError(
        f"{robot.name}: the frame's pose leaves both sides of the loops {', '.join(unknown)} unknown, so they have no "
        "closed form leg by leg; tf.reach(…) finds states step by step, and tf.close_loops(…) closes loops"
    )


def _leg(robot: Robot, loop: Loop, side: int, joints: Sequence[int], known: set[int]) -> Leg:
    word = loop.joint.kind.word
    if word not in AIMS:
        raise ProgramError(
            f"{robot.name}: the loop {loop.joint.name!r} is cut at a {word} joint; inverse geometry takes cuts at "
            "spherical, revolute and fixed joints; tf.reach(…) takes any"
        )
    mixed = [robot.joints[j - 1].name for j in joints if robot.joints[j - 1].axes and j in known]
    if mixed:
        raise ProgramError(
            f"{robot.name}: {', '.join(mixed)} is known between joints that are not; tf.reach(…) takes it"
        )
    start = robot.joints[joints[0] - 1].antecedent
    end, goal = (loop.joint, loop.frame) if side == 0 else (loop.frame, loop.joint)
    return _chained(robot, loop.joint.name, joints, end, AIMS[word], start, (goal.antecedent, goal))


def _chained(
    robot: Robot,
    name: str,
    joints: Sequence[int],
    end: Joint | None,
    aim: str,
    start: int,
    goal: tuple[int, Joint] | None,
) -> Leg:
    """Return joints one after another as a robot of their own, which ends in a frame."""
    first, own = places(robot), {j: k for k, j in enumerate(joints, 1)}
    made = [
        replace(robot.joints[j - 1], antecedent=own[j] - 1, variable="", limits=leader_limits(robot, j)) for j in joints
    ]
    tail = [replace(end.as_kind(KINDS[FIXED]), name=END, antecedent=len(made))] if end else []
    if any(joint.mimic for joint in made):
        made, tail, aim = _circling(robot, name, joints, made, tail, aim)
    chain = Robot(
        name=f"{robot.name}, {name}",
        joints=(*made, *tail),
        bodies=(*(Body(name=f"link {k}") for k in range(1, len(made) + len(tail))), Body(name=END)),
    )
    where = [first[j] for j in joints if robot.joints[j - 1].axes and not robot.joints[j - 1].mimic]
    return Leg(name, chain, aim, start, goal, tuple(k for k in where if k is not None))


def _circling(
    robot: Robot, name: str, joints: Sequence[int], made: list[Joint], tail: list[Joint], aim: str
) -> tuple[list[Joint], list[Joint], str]:
    """Return a chain that ends in a parallelogram with its last side left out.

    The side keeps its direction, so its joint circles: the end moves as the bar's end does if the bar starts farther on
    by what follows the side. The direction of what follows does not depend on the bar.
    """
    bar, side = made[-2:] if len(made) > 1 else (made[-1], made[-1])
    follows = side.mimic
    is_one = (
        follows
        and (follows.of, follows.offset) == (((joints[-2], -1.0),), 0.0)
        and not any(joint.mimic for joint in made[:-1])
        and bar.kind.word == side.kind.word == "revolute"
        and abs(float(side.pose().in_numbers().R.forth(UNITS[2])[2])) > 1.0 - PARALLEL
        and bool(tail)
        and aim != "pose"
    )
    if not is_one:
        raise ProgramError(
            f"{robot.name}: a joint of the chain to {name!r} follows another, and is not the last side of a "
            "parallelogram at its end; tf.reach(…) takes it"
        )
    at, beyond, rest = (x.pose().in_numbers() for x in (bar, side, tail[0]))
    shifted = Pose(at.R, at.P + at.R.forth(beyond.R.forth(rest.P)))
    last = placed(constant_frame(END, len(made) - 1), HERE, Pose(arm=beyond.P))
    return [*made[:-2], placed(bar, HERE, shifted)], [last], "position"
