"""Limits of joints by velocity, and where their coordinates are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...robot.entries import owners
from ...robot.robot import Robot
from ..joint_limits import driven_joints, limited_joints

Floats = NDArray[np.float64]


class Bounds(NamedTuple):
    """Limits of the velocities' coordinates: their places in q, how low and high they may be, and which are angles
    that a whole turn leaves where they are, (n) each.
    """

    places: NDArray[np.intp]
    lower: Floats
    upper: Floats
    turns: NDArray[np.bool_]


def bounds(robot: Robot, *, followers: bool = False) -> Bounds:
    """Return the limits of all velocities' coordinates; those of joints with several axes have none.

    A joint that others follow also keeps within their limits; with ``followers`` only within theirs. Joints that follow
    several set no limits here: see ``limited_sums``.
    """
    whole, at, own = robot.expanded(), 0, dict[str, tuple[int, float, float, bool]]()
    led = {j for joint in whole.joints if joint.mimic for j, _ in joint.mimic.of}
    ranges = dict[int, tuple[float, float]]()
    for limited in driven_joints(robot) if followers else limited_joints(robot):
        if limited.is_sum:
            continue
        place = limited.terms[0][0]
        low, high = ranges.get(place, (-np.inf, np.inf))
        own_low, own_high = limited.leader_range()
        ranges[place] = max(low, own_low), min(high, own_high)
    for j in owners(whole):
        joint = whole.joints[j - 1]
        for part in joint.axes:
            low, high = ranges.get(at, (-np.inf, np.inf))
            own[joint.name + part] = (at, low, high, joint.kind.word == "revolute" and j not in led)
        at += len(joint.kind.coordinates)
    places, lower, upper, turns = zip(*(own[name] for name in robot.velocity_names), strict=True)
    return Bounds(np.array(places), np.array(lower), np.array(upper), np.array(turns))
