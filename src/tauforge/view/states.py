"""The states to show: coordinates of all joints at some times, and where the links are."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ProgramError
from ..geometry.close_loops import closed_along
from ..models.loops.closing import active_places
from ..models.loops.freedom import freedom
from ..models.transforms import transforms
from ..robot.entries import owners
from ..robot.robot import Robot
from ..runtime.function import Function
from .drawing import check_drawable, check_reach

Floats = NDArray[np.float64]
PACE = 30.0
"""States per second, if no times are given."""
LATEST = 1e12
"""Times that can be shown, in seconds."""


def neutral(robot: Robot) -> Floats:
    """Return the state that is shown by default: zero, or with loops the reference state."""
    whole = robot.expanded()
    if whole.loops:
        return np.array(freedom(whole).home, dtype=float)
    return np.array([x for j in owners(whole) for x in whole.joints[j - 1].kind.neutral], dtype=float)


def states(robot: Robot, q: ArrayLike | None) -> Floats:
    """Return coordinates of all joints, (times, coordinates).

    With closed loops, the coordinates of the independent joints are enough: the loops are closed one state after
    another, each from the last.
    """
    check_drawable(robot)
    if q is None:
        return neutral(robot)[None]
    try:
        values = np.array(q, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ProgramError("q must be an array of numbers") from None
    if not np.isfinite(values).all():
        raise ProgramError("q has entries that are not finite")
    values = values[None] if values.ndim == 1 else values
    names = robot.coordinate_names
    if values.ndim == 2 and values.shape[1] == len(names) and len(values):
        return values
    active = active_places(robot.expanded()) if robot.loops else []
    if active and values.ndim == 2 and values.shape[1] == len(active) and len(values):
        return closed_along(robot, values)
    also = f", or the {len(active)} of its independent joints" if active else ""
    raise ProgramError(
        f"q has the shape {np.shape(q)}; it must be (times, {len(names)}), the coordinates of {robot.name}{also}"
    )


def times(t: ArrayLike | None, count: int) -> Floats:
    """Return the times of the states, which must increase; by default 30 per second."""
    if t is None:
        return np.arange(count) / PACE
    try:
        values = np.array(t, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ProgramError("t must be an array of times, in seconds") from None
    if values.shape != (count,):
        raise ProgramError(f"t has the shape {values.shape}; there are {count} states, so it must be ({count},)")
    if not np.isfinite(values).all() or (np.diff(values) < 0).any():
        raise ProgramError("t must be finite and increase from state to state")
    if np.abs(values).max(initial=0.0) > LATEST:
        raise ProgramError(f"t has entries beyond {LATEST:g} s; times are in seconds")
    return values


def link_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of the links of a robot with the base as link 0: those of tf.transforms."""
    return ("base", *(body.name for body in robot.expanded().bodies))


def matrices(robot: Robot, q: Floats) -> Floats:
    """Return the homogeneous matrices of the base and all links, (times, links, 4, 4), as tf.transforms gives them."""
    found = np.empty((len(q), len(link_names(robot)), 4, 4))
    found[:, 0] = np.eye(4)
    if found.shape[1] > 1:
        found[:, 1:] = _transforms(robot)(q)
    check_reach(robot, found[..., :3, 3])
    return found


@lru_cache(maxsize=32)
def _transforms(robot: Robot) -> Function:
    tree = robot.derived(loops=(), chosen=()) if robot.loops else robot
    return transforms(tree, frames=link_names(robot)[1:]).compile()
