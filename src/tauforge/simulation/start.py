"""The start of a simulation: one state, or many with leading axes, and torques that belong to them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ProgramError
from ..geometry.close_loops import close_loops, on_manifold
from ..models.loops.closing import active_places
from ..robot.entries import axis_names, owners
from ..robot.robot import Robot
from .constrained import independent_places

Floats = NDArray[np.float64]


class Start(NamedTuple):
    """Where a simulation starts.

    Attributes
    ----------
    y
        Coordinates and velocities, (states, entries).
    batch
        Leading axes; None for one state.
    torque
        The torques that all states share.
    torques
        The torques of each state instead, (states, times or 1, n).
    times
        The times of these torques.
    full
        With closed loops, the velocities of all joints if these are given, (states, axes).
    """

    y: Floats
    batch: tuple[int, ...] | None
    torque: Any
    torques: Floats | None
    times: Floats
    full: Floats | None = None


def start(
    robot: Robot, q0: ArrayLike | None, qd0: ArrayLike | None, torque: Any, times: Floats | None, names: tuple[str, ...]
) -> Start:
    """Return the start, or say what is wrong with it; ``names`` are those of the torques."""
    given = [_numbers("q0", q0), _numbers("qd0", qd0)]
    own = _own_torques(torque, times, names)
    parts = {name: x.shape[:-1] for name, x in zip(("q0", "qd0"), given, strict=True) if x is not None}
    if own is not None:
        parts["torque"] = own.shape[:-2]
    batch: tuple[int, ...] | None = None
    if any(parts.values()):
        try:
            batch = np.broadcast_shapes(*parts.values())
        except ValueError:
            axes = ", ".join(f"{name} {shape}" for name, shape in parts.items())
            raise ProgramError(f"the leading axes do not broadcast together: {axes}") from None
    count = math.prod(batch or ())
    q, full = _start(robot, given[0]), _all_velocities(robot, given[1])
    qd = _velocities(robot, given[1] if full is None else full[..., [*independent_places(robot)]])
    y = np.concatenate([_flat(q, batch, count, 1), _flat(qd, batch, count, 1)], axis=1)
    torques = None if own is None else _flat(own, batch, count, 2)
    wide = None if full is None else _flat(full, batch, count, 1)
    times = np.zeros(0) if times is None else times
    return Start(y, batch, None if own is not None else torque, torques, times, wide)


def _flat(array: Floats, batch: tuple[int, ...] | None, count: int, axes: int) -> Floats:
    """Return an array with one leading axis."""
    last = array.shape[array.ndim - axes :]
    if batch is None:
        return array[None]
    return np.broadcast_to(array, (*batch, *last)).reshape(count, *last)


def _own_torques(torque: Any, times: Floats | None, names: tuple[str, ...]) -> Floats | None:
    """Return torques that have leading axes for many states; None for all others."""
    if torque is None or callable(torque):
        return None
    try:
        found = np.array(torque, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ProgramError("torque must be an array of numbers or a function") from None
    if found.ndim < 3:
        return None
    rows = 1 if times is None else len(times)
    if found.shape[-1] != len(names) or found.shape[-2] not in (1, rows):
        raise ProgramError(
            f"torque has shape {list(found.shape)}; for many states give (..., {rows}, {len(names)}), one row per "
            f"time, or (..., 1, {len(names)}) for all times; the entries of a row are {', '.join(names)}"
        )
    if not np.isfinite(found).all():
        raise ProgramError("torque has entries that are not finite")
    return found


def _numbers(what: str, given: ArrayLike | None) -> Floats | None:
    if given is None:
        return None
    try:
        found = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ProgramError(f"{what} must be an array of numbers") from None
    return found if found.ndim else found[None]


def _checked(what: str, found: Floats, names: tuple[str, ...]) -> Floats:
    if found.shape[-1] != len(names):
        raise ProgramError(f"{what} has shape {list(found.shape)}; its {len(names)} entries are {', '.join(names)}")
    if not np.isfinite(found).all():
        raise ProgramError(f"{what} has entries that are not finite")
    return found


def _start(robot: Robot, q0: Floats | None) -> Floats:
    """Return coordinates at the start, with unit quaternions and closed loops."""
    names = robot.coordinate_names
    if robot.loops:
        if q0 is None:
            return close_loops(robot)
        active = active_places(robot.expanded())
        if q0.shape[-1] == len(active) and len(active) != len(names):
            return close_loops(robot, _checked("q0", q0, tuple(names[k] for k in active)))
        q = _checked("q0", q0, names)
        return close_loops(robot, q[..., active], guess=q)
    if q0 is None:
        whole = robot.expanded()
        return np.array([x for j in owners(whole) for x in whole.joints[j - 1].kind.neutral], dtype=float)
    found = _checked("q0", q0, names)
    unit: Floats = on_manifold(robot, found.reshape(-1, len(names))).reshape(found.shape)
    return unit


def _all_velocities(robot: Robot, qd0: Floats | None) -> Floats | None:
    """Return the velocities at the start if they are those of all joints; None if they are the independent ones'."""
    names = axis_names(robot.expanded())
    if qd0 is None or not robot.loops or qd0.shape[-1] != len(names) or len(names) == robot.dof:
        return None
    return _checked("qd0", qd0, names)


def _velocities(robot: Robot, qd0: Floats | None) -> Floats:
    return np.zeros(robot.dof) if qd0 is None else _checked("qd0", qd0, robot.velocity_names)
