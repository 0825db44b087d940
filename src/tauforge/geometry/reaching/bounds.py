"""Limits of joints by velocity, and where their coordinates are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...robot.entries import owners
from ...robot.robot import Robot

Floats = NDArray[np.float64]


class Bounds(NamedTuple):
    """Limits of the velocities' coordinates: their places in q, and how low and high they may be, (n) each."""

    places: NDArray[np.intp]
    lower: Floats
    upper: Floats


def bounds(robot: Robot) -> Bounds:
    """Return the limits of all velocities' coordinates; those of joints with several axes have none."""
    whole, at, own = robot.expanded(), 0, dict[str, tuple[int, float, float]]()
    for j in owners(whole):
        joint = whole.joints[j - 1]
        single = len(joint.kind.coordinates) == 1
        for part in joint.axes:
            own[joint.name + part] = (at, joint.limits.lower, joint.limits.upper) if single else (at, -np.inf, np.inf)
        at += len(joint.kind.coordinates)
    places, lower, upper = zip(*(own[name] for name in robot.velocity_names), strict=True)
    return Bounds(np.array(places), np.array(lower), np.array(upper))
