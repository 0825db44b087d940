"""Limits of joints by velocity, and where their coordinates are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...robot.entries import owners
from ...robot.robot import Robot

Floats = NDArray[np.float64]


class Bounds(NamedTuple):
    """Limits of the velocities' coordinates: their places in q, how low and high they may be, and which are angles
    that a whole turn leaves where they are, (n) each.
    """

    places: NDArray[np.intp]
    lower: Floats
    upper: Floats
    turns: NDArray[np.bool_]


def bounds(robot: Robot) -> Bounds:
    """Return the limits of all velocities' coordinates; those of joints with several axes have none.

    A joint that others follow also keeps within their limits.
    """
    whole, at, own = robot.expanded(), 0, dict[str, tuple[int, float, float, bool]]()
    led = {joint.mimic.joint for joint in whole.joints if joint.mimic}
    for j in owners(whole):
        joint = whole.joints[j - 1]
        low, high = _limits(whole, j) if len(joint.kind.coordinates) == 1 else (-np.inf, np.inf)
        for part in joint.axes:
            own[joint.name + part] = (at, low, high, joint.kind.word == "revolute" and j not in led)
        at += len(joint.kind.coordinates)
    places, lower, upper, turns = zip(*(own[name] for name in robot.velocity_names), strict=True)
    return Bounds(np.array(places), np.array(lower), np.array(upper), np.array(turns))


def _limits(robot: Robot, number: int) -> tuple[float, float]:
    """Return the limits of a joint, and of those that follow it, as limits of its own coordinate."""
    own = robot.joints[number - 1].limits
    low, high = own.lower, own.upper
    for joint in robot.joints:
        if joint.mimic and joint.mimic.joint == number and joint.mimic.ratio:
            ends = [(end - joint.mimic.offset) / joint.mimic.ratio for end in (joint.limits.lower, joint.limits.upper)]
            low, high = max(low, min(ends)), min(high, max(ends))
    return low, high
