"""Sliders of a live view: which coordinates they move, over which range, and the state that they ask for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError
from ..geometry.close_loops import close_loops, on_manifold, quaternions
from ..geometry.joint_limits import driven_joints, leader_limits
from ..models.loops.closing import active_places
from ..robot.entries import places
from ..robot.joint import NO_LIMITS
from ..robot.robot import Robot

Floats = NDArray[np.float64]
PART = 0.35
"""How far a coordinate without limits can be moved, in sizes of the robot."""
BEYOND = 1e-9
"""How far a joint that others move can pass a limit."""
WIDEST = 1e6
"""Limits that a slider can show, in metres or radians; wider ones are as good as none."""


class Slider(NamedTuple):
    """A slider: its name, range and unit; the place in q of its coordinate, or of a quaternion and which turn."""

    name: str
    low: float
    high: float
    unit: str
    place: int
    turn: int | None = None


@dataclass(frozen=True)
class Sliders:
    """The sliders of a robot: all joints of a tree, the independent ones of closed loops, a floating base."""

    robot: Robot
    each: tuple[Slider, ...]

    @classmethod
    def of(cls, robot: Robot, q: Floats, size: float) -> Sliders:
        """Return the sliders; the ranges of joints without limits are around a state."""
        whole = robot.expanded()
        moving = set(active_places(whole)) if robot.loops else set(range(len(robot.coordinate_names)))
        first = {own.start for own in quaternions(robot).values()}
        inside = {place for own in quaternions(robot).values() for place in range(own.start, own.stop)}
        found: list[Slider] = []
        for number, (joint, start) in enumerate(zip(whole.joints, places(whole)[1:], strict=True), 1):
            for k in range(start or 0, (start or 0) + len(joint.kind.coordinates) if start is not None else 0):
                if k in moving and k in first:
                    found += [Slider(f"{joint.name} r{x}", -math.pi, math.pi, "rad", k, i) for i, x in enumerate("xyz")]
                elif k in moving and k not in inside:
                    found.append(_straight(whole, number, robot.coordinate_names[k], k, float(q[k]), size))
        return cls(robot, tuple(found))

    def spread(self, q: Floats) -> tuple[Floats, Floats]:
        """Return the lowest and highest coordinates that the sliders reach; the others are those of a state."""
        low, high = q.copy(), q.copy()
        for slider in self.each:
            if slider.turn is None:
                low[slider.place], high[slider.place] = slider.low, slider.high
        return low, high

    def values(self, q: Floats) -> list[float]:
        """Return where the sliders are at a state."""
        from scipy.spatial.transform import Rotation

        return [
            float(q[s.place])
            if s.turn is None
            else float(Rotation.from_quat(q[s.place : s.place + 4]).as_rotvec()[s.turn])
            for s in self.each
        ]

    def state(self, values: Sequence[float], before: Floats) -> Floats:
        """Return the coordinates of all joints for values of the sliders, with loops closed again from a state."""
        from scipy.spatial.transform import Rotation

        if len(values) != len(self.each) or not all(map(math.isfinite, values)):
            raise ProgramError(f"there are {len(self.each)} sliders, each with a number")
        q = before.copy()
        turns: dict[int, list[float]] = {}
        for slider, x in zip(self.each, values, strict=True):
            if slider.turn is None:
                q[slider.place] = x
            else:
                turns.setdefault(slider.place, []).append(x)
        for place, vector in turns.items():
            q[place : place + 4] = Rotation.from_rotvec(vector).as_quat()
        found: Floats
        if self.robot.loops:
            found = close_loops(self.robot, q[active_places(self.robot.expanded())], guess=before)
        else:
            found = on_manifold(self.robot, q[None])[0]
        self._check_driven(found, before)
        return found

    def _check_driven(self, q: Floats, before: Floats) -> None:
        """Refuse to move joints that others move, followers or parts of loops, past their limits, or farther past."""
        for joint in driven_joints(self.robot):
            lower, upper = joint.limits.lower, joint.limits.upper
            past, was = (max(lower - x, x - upper) for x in (float(joint.position(q)), float(joint.position(before))))
            if past > max(was, 0.0) + BEYOND:
                raise ProgramError(f"{joint.name} would leave its range, {lower:.4g} to {upper:.4g}; move others less")


def _straight(robot: Robot, number: int, name: str, place: int, now: float, size: float) -> Slider:
    """Return the slider of a coordinate that is an angle or a length; without limits, its range is around a value.

    Joints that follow it alone stay in theirs.
    """
    joint = robot.joints[number - 1]
    one = len(joint.axes) == 1
    angle = joint.kind.units[0] == "rad" if one else name[-1] not in "xyz"
    reach = math.pi if angle else PART * size
    limits = leader_limits(robot, number) if one else NO_LIMITS
    low = limits.lower if abs(limits.lower) < WIDEST else now - reach
    high = limits.upper if abs(limits.upper) < WIDEST else now + reach
    low, high = min(low, now), max(high, now)
    return Slider(name, low, max(high, low + 1e-6), "rad" if angle else "m", place)
