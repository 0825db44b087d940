"""Limits of an exciting trajectory: as given, otherwise those of the robot's description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import IdentificationError
from ...geometry.joint_limits import LimitedJoint, limited_sums
from ...geometry.reaching.bounds import bounds
from ...robot.robot import Robot
from ...simulation.motion.checks import numbers
from ...simulation.motion.scaling import driven_limits, joint_limits

Floats = NDArray[np.float64]
NAMES = ("position", "velocity", "acceleration", "torque")


@dataclass(frozen=True, eq=False)
class MotionLimits:
    """What the joints may do, (n) each; inf where there is no limit.

    Attributes
    ----------
    lower
        Smallest coordinates.
    upper
        Largest coordinates.
    velocity
        Largest speeds.
    acceleration
        Largest accelerations, without their signs.
    torque
        Largest torques, without their signs.
    followers
        Joints that follow others and whose own torques have limits.
    """

    lower: Floats
    upper: Floats
    velocity: Floats
    acceleration: Floats
    torque: Floats
    followers: tuple[LimitedJoint, ...] = ()

    @property
    def middle(self) -> Floats:
        """The middle of each range; zero for a joint without one."""
        bounded = np.isfinite(self.lower) & np.isfinite(self.upper)
        return np.asarray(np.where(bounded, 0.5 * (np.where(bounded, self.lower, 0.0) + self._upper(bounded)), 0.0))

    def _upper(self, bounded: NDArray[np.bool_]) -> Floats:
        return np.asarray(np.where(bounded, self.upper, 0.0))

    def speeds(self, frequency: float) -> Floats:
        """Return the velocity of each joint that its limits allow at a frequency."""
        ranged = 0.5 * (self.upper - self.lower) * frequency
        return np.asarray(np.minimum(np.minimum(self.velocity, ranged), self.acceleration / frequency))


def limits_of(robot: Robot, given: Mapping[str, Any] | None) -> MotionLimits:
    """Return the limits of a robot's motion, some of them as given."""
    own = dict(given or {})
    if unknown := sorted({*own} - {*NAMES}):
        raise IdentificationError(f"limits: unknown {', '.join(unknown)}; they have {', '.join(NAMES)}")
    names = robot.velocity_names
    lower, upper = _ranges(robot, own.get("position"))
    found = MotionLimits(
        lower,
        upper,
        _speeds(robot, own.get("velocity")),
        joint_limits("acceleration", own.get("acceleration"), None, names),
        joint_limits("torque", own.get("torque"), robot, names),
        driven_limits("torque", own.get("torque"), robot),
    )
    _check(robot, found)
    return found


def _ranges(robot: Robot, given: ArrayLike | None) -> tuple[Floats, Floats]:
    """Return the lower and upper ends of each joint's range, within which joints that follow it keep their limits."""
    names = robot.velocity_names
    if given is None:
        own = bounds(robot)
        return _share(robot, own.lower, own.upper)
    found = (
        np.array(given, dtype=float) if np.isinf(np.asarray(given, dtype=float)).any() else numbers("position", given)
    )
    if found.shape not in ((2,), (2, len(names))):
        raise IdentificationError(
            f"limits: position is (lower, upper), each one number or {len(names)}, not an array of shape {found.shape}"
        )
    lower, upper = (np.broadcast_to(x, len(names)).astype(float) for x in found)
    if not np.isinf(found).all():
        led = bounds(robot, followers=True)
        lower, upper = _share(robot, np.maximum(lower, led.lower), np.minimum(upper, led.upper))
    if not (lower < upper).all():
        k = int(np.argmin(lower < upper))
        raise IdentificationError(f"limits: the position of {names[k]} is from {lower[k]:g} to {upper[k]:g}")
    return lower, upper


def _speeds(robot: Robot, given: ArrayLike | None) -> Floats:
    """Return the largest speed of each joint, at which joints that follow it keep their limits; those that a sum moves
    share its speed.
    """
    found = joint_limits("velocity", given, robot, robot.velocity_names).copy()
    for joint in driven_limits("velocity", given, robot):
        row = {k: ratio for k, ratio in robot.degrees[joint.axis].items() if ratio}
        for k, ratio in row.items():
            found[k] = min(found[k], joint.limits.velocity / (len(row) * abs(ratio)))
    return found


def _share(robot: Robot, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Return ranges within which the joints that follow sums keep theirs: each leader has an equal part of it, about
    the middle of its own range.
    """
    lower, upper = lower.copy(), upper.copy()
    axis_of = {place: k for k, place in enumerate(bounds(robot).places.tolist())}
    for joint in limited_sums(robot):
        terms = [(axis_of[place], ratio) for place, ratio in joint.terms if ratio and place in axis_of]
        bounded = [np.isfinite(lower[k]) and np.isfinite(upper[k]) for k, _ in terms]
        middle = np.array(
            [0.5 * (lower[k] + upper[k]) if is_in else 0.0 for (k, _), is_in in zip(terms, bounded, strict=True)]
        )
        at = joint.offset + sum(ratio * x for (_, ratio), x in zip(terms, middle, strict=True))
        low, high = joint.limits.lower - at, joint.limits.upper - at
        if low > 0.0 or high < 0.0:
            shift = 0.5 * (low + high) if np.isfinite(low + high) else (low if low > 0.0 else high)
            middle += [shift / (len(terms) * ratio) for _, ratio in terms]
            low, high = low - shift, high - shift
        for (k, ratio), x in zip(terms, middle, strict=True):
            ends = sorted((low / (len(terms) * ratio), high / (len(terms) * ratio)))
            lower[k], upper[k] = max(lower[k], x + ends[0]), min(upper[k], x + ends[1])
    return lower, upper


def _check(robot: Robot, limits: MotionLimits) -> None:
    """Refuse limits within which a motion could be arbitrarily fast."""
    free = ~(np.isfinite(limits.velocity) | np.isfinite(limits.acceleration) | np.isfinite(limits.upper - limits.lower))
    if free.any():
        names = ", ".join(np.array(robot.velocity_names)[free])
        raise IdentificationError(
            f"{robot.name}: nothing limits the motion of {names}; give limits={{'velocity': …}}, and 'position', "
            "'acceleration' or 'torque' if they matter: one number for all joints, or one each"
        )
