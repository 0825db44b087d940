"""The limits of all joints of a robot, as limits of what its coordinates and velocities determine.

A joint that follows others has the sum of their coordinates, each times a ratio, plus an offset. The joints that closed
loops determine have entries of their own in q; their velocities follow from those of the independent joints by the map
G of the loops. Every room that keeps joint limits takes them from here, so that none forgets these joints.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..models.joint_motion import joint_motion
from ..robot.entries import places
from ..robot.joint import Limits
from ..robot.robot import Robot
from ..runtime.function import Function

Floats = NDArray[np.float64]


class LimitedJoint(NamedTuple):
    """A joint with one coordinate: how that follows from q, and its limits.

    Attributes
    ----------
    terms
        The entries of q from which its coordinate follows, each with its ratio.
    axis
        Its number among the axes of all joints, in joint order.
    offset
        The coordinate where these entries are zero.
    """

    name: str
    terms: tuple[tuple[int, float], ...]
    axis: int
    offset: float
    limits: Limits

    def position(self, q: Floats) -> Floats:
        """Return its coordinate in states (..., coordinates)."""
        first, *rest = (ratio * q[..., place] for place, ratio in self.terms)
        return np.asarray(sum(rest, start=first) + self.offset)

    @property
    def is_sum(self) -> bool:
        """Whether it follows several joints, so that its limits are not those of one entry of q."""
        return len(self.terms) > 1

    @property
    def is_bounded(self) -> bool:
        """Whether its position has a limit."""
        return bool(np.isfinite(self.limits.lower) or np.isfinite(self.limits.upper))

    def leader_range(self) -> tuple[float, float]:
        """Return the limits that it sets to the only entry of q that it follows; with ratio zero there are none, or
        nothing keeps them.
        """
        (_, ratio), lower, upper = self.terms[0], self.limits.lower, self.limits.upper
        if ratio == 0.0:
            return (-np.inf, np.inf) if lower <= self.offset <= upper else (np.inf, -np.inf)
        ends = (lower - self.offset) / ratio, (upper - self.offset) / ratio
        return ends if ratio > 0.0 else ends[::-1]


@lru_cache(maxsize=32)
def limited_joints(robot: Robot) -> tuple[LimitedJoint, ...]:
    """Return all joints with one coordinate, followers and those that loops determine too; a floating base has none."""
    whole = robot.expanded()
    first, found, axis = places(whole), list[LimitedJoint](), 0
    for j, joint in enumerate(whole.joints, 1):
        if len(joint.axes) == 1:
            leaders, offset = (joint.mimic.of, joint.mimic.offset) if joint.mimic else (((j, 1.0),), 0.0)
            terms = tuple((place, ratio) for k, ratio in leaders if (place := first[k]) is not None)
            found.append(LimitedJoint(joint.name, terms, axis, offset, joint.limits))
        axis += len(joint.axes)
    return tuple(found)


def leader_limits(robot: Robot, number: int) -> Limits:
    """Return a joint's limits with its range narrowed to that in which the joints that follow it alone keep theirs."""
    joint = robot.joints[number - 1]
    followers = {x.name for x in robot.joints if x.mimic and not x.mimic.is_sum and x.mimic.joint == number}
    ranges = [x.leader_range() for x in limited_joints(robot) if x.name in followers]
    lower = max([joint.limits.lower, *(low for low, _ in ranges)])
    upper = min([joint.limits.upper, *(high for _, high in ranges)])
    return replace(joint.limits, lower=lower, upper=upper)


@lru_cache(maxsize=32)
def limited_sums(robot: Robot) -> tuple[LimitedJoint, ...]:
    """Return the joints that follow several others and whose range is limited: no interval of each keeps that."""
    return tuple(joint for joint in limited_joints(robot) if joint.is_sum and joint.is_bounded)


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
    rows = robot.degrees
    return np.stack([qd[:, list(rows[axis])] @ np.array(list(rows[axis].values())) for axis in axes], axis=1)


@lru_cache(maxsize=32)
def _joint_motion(robot: Robot) -> Function:
    return joint_motion(robot).compile()
