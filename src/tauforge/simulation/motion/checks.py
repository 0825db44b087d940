"""What motions are given, as arrays of finite numbers; each error says what was expected instead."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ProgramError
from ...robot.robot import Robot

Floats = NDArray[np.float64]
MOST = 10_000_000
"""Samples that are made at once."""


def numbers(what: str, given: object) -> Floats:
    """Return a new array of finite numbers."""
    try:
        found = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ProgramError(f"{what}: this is not an array of numbers") from None
    if not np.isfinite(found).all():
        place = tuple(int(k) for k in np.argwhere(~np.isfinite(found))[0])
        where = f" at index {', '.join(map(str, place))}" if place else ""
        raise ProgramError(f"{what}: {found[place]} is not a finite number{where}")
    return found


def rising(what: str, given: object, fewest: int = 2) -> Floats:
    """Return times that increase."""
    found = numbers(what, given)
    if found.ndim != 1 or len(found) < fewest:
        raise ProgramError(f"{what}: give a list of at least {fewest}, not an array of shape {found.shape}")
    late = np.flatnonzero(np.diff(found) <= 0.0)
    if len(late):
        k = int(late[0])
        raise ProgramError(
            f"{what} must increase, but {found[k + 1]:g} follows {found[k]:g} (numbers {k + 2} and {k + 1})"
        )
    return found


def positive(what: str, given: object) -> float:
    """Return a single positive number."""
    found = numbers(what, given)
    if found.ndim or found <= 0.0:
        raise ProgramError(f"{what} must be a positive number, not {given!r}")
    return float(found)


def bounds(what: str, given: ArrayLike, count: int) -> Floats:
    """Return a positive limit for each joint, from one for all or one each; it can be infinite."""
    try:
        found = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ProgramError(f"{what}: this is not an array of numbers") from None
    if found.ndim > 1 or (found.ndim and len(found) != count):
        raise ProgramError(f"{what}: give one limit for all joints, or {count}, not an array of shape {found.shape}")
    if not (found > 0.0).all():
        raise ProgramError(f"{what}: a limit must be positive; inf means that there is none")
    return np.broadcast_to(found, count).copy()


def sample_times(start: float, end: float, dt: float | None, t: ArrayLike | None) -> Floats:
    """Return times from start to end: those given, or every dt; the last step is shorter if dt does not divide them."""
    if (dt is None) == (t is None):
        raise ProgramError("give either dt, the time between samples, or t, their times")
    if t is not None:
        found = rising("t", t)
        if found[0] < start or found[-1] > end:
            raise ProgramError(
                f"t reaches from {found[0]:g} to {found[-1]:g} s, the motion only from {start:g} to {end:g} s"
            )
        return found
    step = positive("dt", dt)
    count = max(1.0, round((end - start) / step, 9))
    if count > MOST:
        raise ProgramError(f"dt = {step:g} s would take {count:.3g} samples; at most {MOST} are made at once")
    every = np.asarray(start + step * np.arange(int(np.ceil(count)) + 1), dtype=np.float64)
    every[-1] = end
    return every


def check_joints(robot: Robot, dof: int) -> None:
    """Refuse a motion that a robot's joints cannot have, or whose velocities are not the rates of coordinates."""
    names, independent = robot.velocity_names, set(robot.independent)
    for joint in robot.expanded().joints:
        if joint.name in independent and not joint.kind.is_flat:
            raise ProgramError(
                f"{robot.name}: the velocities of joint {joint.name!r} ({joint.kind.word}) are not the rates of its "
                "coordinates, so a Motion cannot describe it: give samples, (t, q, qd, qdd)"
            )
    if dof != len(names):
        raise ProgramError(f"the motion has {dof} joints; {robot.name} has {len(names)}: {', '.join(names)}")
