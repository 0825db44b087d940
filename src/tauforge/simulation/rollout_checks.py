"""What is checked after a rollout: whether states are finite, loops kept their branch, and energy its balance."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import SimulationWarning
from ..robot.entries import axis_names
from ..robot.robot import Robot
from ..runtime.function import Function
from .balance import is_balanced
from .passage import all_velocities
from .results import compiled_conserved

Values = NDArray[Any]
ROWS = 4096
"""How many rows are checked together: the slopes of all would fill the memory."""


def warn_of_states(
    robot: Robot, closure: Function | None, first: Values, states: Values, *, close: bool, passing: Values
) -> None:
    """Warn of states that are not finite, and of mechanisms that can have changed their branch.

    Parameters
    ----------
    close
        Whether the rows follow each other closely: then branches of overconstrained loops can be told apart too.
    passing
        Which states may pass singular states of the independent joints.
    """
    rows = _rows(first, states)
    lost = ~np.isfinite(rows).all(axis=(-2, -1))
    if lost.any():
        warnings.warn(SimulationWarning(f"{robot.name}: {_some(lost)} become infinite or NaN"), stacklevel=3)
    asked = ~lost & ~passing
    if closure is not None and rows.size and asked.any():
        changed = np.zeros(asked.shape, bool)
        q = rows[asked][..., : len(robot.coordinate_names)]
        parts = range(0, len(q), few := max(1, ROWS // q.shape[-2]))
        changed[asked] = np.concatenate([_changes_branch(robot, closure, q[k : k + few], close) for k in parts])
        if changed.any():
            warnings.warn(
                SimulationWarning(
                    f"{robot.name}: {_some(changed)} meet a singular state of the independent joints, where a step can "
                    "change the way of assembly; choose other joints by with_independent(…), or end before"
                ),
                stacklevel=3,
            )


def _some(which: Any) -> str:
    count, first = int(which.sum()), tuple(int(k) for k in np.argwhere(which)[0])
    if not which.shape:
        return "its coordinates and velocities"
    return f"{count} of {which.size} states, {list(first) if len(first) > 1 else first[0]} the first,"


def _rows(first: Values, states: Values) -> Values:
    """Return all states that are known, that at the start first: (..., rows, entries)."""
    rows = states if states.ndim > first.ndim else states[..., None, :]
    return np.concatenate([first[..., None, :], rows], axis=-2).astype(float)


def _changes_branch(robot: Robot, closure: Function, q: Values, close: bool) -> Values:
    """Return whether a mechanism meets a singular state between its rows.

    There the determinant of the loops' slopes by the dependent joints is zero: it changes its sign, or turns back where
    its last two values lead below zero. Where there are more equations than joints, the product of the slopes at two
    rows takes its place.
    """
    names = axis_names(robot.expanded())
    dependent = [k for k, name in enumerate(names) if name not in set(robot.velocity_names)]
    with np.errstate(all="ignore"):
        J = np.asarray(closure(q)[2])[..., dependent]
        if J.shape[-2] == J.shape[-1]:
            det = np.linalg.det(J)
            here, on, back = det, det[..., 1:], det[..., :-2]
        elif not close:
            return np.zeros(q.shape[:-2], bool)
        else:
            turned = np.swapaxes(J, -1, -2)
            here = np.linalg.det(turned @ J)
            on = np.linalg.det(turned[..., :-1, :, :] @ J[..., 1:, :, :])
            back = on[..., :-1]
        meets = on / here[..., :-1] < 0.0
        if close:
            meets[..., 1:] |= back / here[..., 1:-1] > 2.0
    found: Values = meets.any(axis=-1)
    return found


def energy_error(robot: Robot, start: Values, rows: Values, work: Values, whole: bool) -> Values:
    """Return the largest |E - E₀ - W| of each state, (states).

    Parameters
    ----------
    start, rows, work
        The states at the start, those computed, and the work until then.
    whole
        Whether the velocities are those of all joints.
    """
    if not is_balanced(robot):
        return np.full(len(start), np.nan)
    states, count = np.concatenate([start[:, None], rows], axis=1).astype(float), len(robot.coordinate_names)
    q, qd = states[..., :count], states[..., count:]
    with np.errstate(all="ignore"):
        energy = np.asarray(compiled_conserved(robot)(q, qd if whole else all_velocities(robot, q, qd))[0])
        off: Values = np.abs(energy[..., 1:] - energy[..., :1] - work).max(axis=-1, initial=0.0)
    return off
