"""The limits of all joints of a robot, as limits of what its coordinates and velocities determine.

A joint that follows another has the coordinate ratio q + offset of its leader's q. The joints that closed loops
determine have entries of their own in q; their velocities follow from those of the independent joints by the map G of
the loops. Every room that keeps joint limits takes them from here, so that none forgets these joints.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..models.joint_motion import joint_motion
from ..robot.entries import degrees, places
from ..robot.joint import Limits
from ..robot.robot import Robot
from ..runtime.function import Function

Floats = NDArray[np.float64]


class LimitedJoint(NamedTuple):
    """A joint with one coordinate: how that follows from q, and its limits.

    Attributes
    ----------
    place
        The entry of q from which its coordinate follows.
    axis
        Its number among the axes of all joints, in joint order.
    ratio
        Its coordinate is ratio q[place] + offset.
    offset
        The coordinate where q[place] is zero.
    """

    name: str
    place: int
    axis: int
    ratio: float
    offset: float
    limits: Limits

    def position(self, q: Floats) -> Floats:
        """Return its coordinate in states (..., coordinates)."""
        return np.asarray(self.ratio * q[..., self.place] + self.offset)

    @property
    def is_bounded(self) -> bool:
        """Whether its position has a limit."""
        return bool(np.isfinite(self.limits.lower) or np.isfinite(self.limits.upper))

    def leader_range(self) -> tuple[float, float]:
        """Return the limits that it sets to q[place]; with ratio zero there are none, or nothing keeps them."""
        lower, upper = self.limits.lower, self.limits.upper
        if self.ratio == 0.0:
            return (-np.inf, np.inf) if lower <= self.offset <= upper else (np.inf, -np.inf)
        ends = (lower - self.offset) / self.ratio, (upper - self.offset) / self.ratio
        return ends if self.ratio > 0.0 else ends[::-1]


@lru_cache(maxsize=32)
def limited_joints(robot: Robot) -> tuple[LimitedJoint, ...]:
    """Return all joints with one coordinate, followers and those that loops determine too; a floating base has none."""
    whole = robot.expanded()
    first, found, axis = places(whole), list[LimitedJoint](), 0
    for j, joint in enumerate(whole.joints, 1):
        mimic = joint.mimic
        place = first[mimic.joint if mimic else j]
        if len(joint.axes) == 1 and place is not None:
            ratio, offset = (float(mimic.ratio), float(mimic.offset)) if mimic else (1.0, 0.0)
            found.append(LimitedJoint(joint.name, place, axis, ratio, offset, joint.limits))
        axis += len(joint.axes)
    return tuple(found)


def leader_limits(robot: Robot, number: int) -> Limits:
    """Return a joint's limits with its range narrowed to that in which the joints that follow it keep theirs."""
    joint = robot.joints[number - 1]
    followers = {x.name for x in robot.joints if x.mimic and x.mimic.joint == number}
    ranges = [x.leader_range() for x in limited_joints(robot) if x.name in followers]
    lower = max([joint.limits.lower, *(low for low, _ in ranges)])
    upper = min([joint.limits.upper, *(high for _, high in ranges)])
    return replace(joint.limits, lower=lower, upper=upper)


@lru_cache(maxsize=32)
def driven_joints(robot: Robot) -> tuple[LimitedJoint, ...]:
    """Return the joints that others move: followers, and those that closed loops determine."""
    free = set(robot.velocity_names)
    return tuple(joint for joint in limited_joints(robot) if joint.name not in free)


def driven_velocities(robot: Robot, joints: tuple[LimitedJoint, ...], q: Floats, qd: Floats) -> Floats:
    """Return the velocities of driven joints, (m, joints), from the coordinates of all and the independent velocities.

    They are linear in these velocities, also where q is a path and ``qd`` its rate.
    """
    if not joints:
        return np.empty((len(qd), 0))
    axes = [joint.axis for joint in joints]
    if robot.loops:
        return np.asarray(_joint_motion(robot)(q, qd, np.zeros_like(qd)).velocities[:, axes])
    movers = degrees(robot.expanded())
    return np.stack([ratio * qd[:, k] for k, ratio in (movers[axis] for axis in axes)], axis=1)


@lru_cache(maxsize=32)
def _joint_motion(robot: Robot) -> Function:
    return joint_motion(robot).compile()
