"""What a recording must have to be of use, and what looks wrong with it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import IdentificationError, RecordingWarning
from ..geometry.close_loops import close_loops
from ..robot.robot import Robot
from .recording import Recording, slices

Floats = NDArray[np.float64]
TURNS = 4 * np.pi
"""Angle of a joint beyond which degrees are suspected, in radians."""
STUCK = 5
"""Consecutive samples of a torque at its largest amount that show a saturated drive."""
STILL = 1e-9
"""Range of a coordinate that does not move."""


def fitting(recording: Recording, robot: Robot) -> Recording:
    """Return a recording with the columns that a robot needs, or say what is missing."""
    recording = named(recording, robot)
    where, names, torques = recording.name, robot.coordinate_names, robot.velocity_names
    q, tau = recording.q, recording.tau
    if robot.loops and q.shape[1] == len(robot.velocity_names) != len(names):
        q = close_loops(robot, q, guess=np.broadcast_to(close_loops(robot, q[0]), (len(q), len(names))))
    if q.shape[1] != len(names):
        raise IdentificationError(_missing(where, "q", q.shape[1], names, robot))
    base = len(torques) - len(robot.with_base("fixed").velocity_names) if robot.base.floating else 0
    if base and tau.shape[1] == len(torques) - base:
        tau = np.column_stack([np.zeros((len(tau), base)), tau])  # nothing but gravity acts on the base
    for key, own in (("tau", tau), ("qd", recording.qd), ("qdd", recording.qdd)):
        if own is not None and own.shape[1] != len(torques):
            raise IdentificationError(_missing(where, key, own.shape[1], torques, robot))
    fitted = recording if q is recording.q and tau is recording.tau else recording.changed(q=q, tau=tau)
    _check_values(fitted, robot)
    return fitted


def named(recording: Recording, robot: Robot) -> Recording:
    """Return a recording with columns in the robot's order, if it tells their names."""
    own: dict[str, Any] = {"labels": {}}
    for key, labels in recording.labels.items():
        wholes = [robot.coordinate_names] if key in ("q", "reference") else []
        wholes += [robot.velocity_names, robot.with_base("fixed").velocity_names]
        wanted = next((names for names in wholes if set(names) <= set(labels)), None)
        if wanted is None:
            raise IdentificationError(
                f"{recording.name}: the columns of {key} are called {', '.join(labels)}; {robot.name} has "
                f"{', '.join(wholes[0])}. Name them so, or say which is which in the order of the robot: "
                f'columns={{"{key}": ["{key}_{labels[0]}", …]}}'
            )
        places = [labels.index(name) for name in wanted]
        if recording.coupling is not None and places != [*range(len(labels))]:
            raise IdentificationError(
                f"{recording.name}: the columns of {key} are not in the order of {robot.name}, {', '.join(wanted)}, "
                f"in which its motors are; list them in this order, columns={{{key!r}: […]}}"
            )
        own[key] = getattr(recording, key)[:, places]
    return recording.changed(**own) if recording.labels else recording


def _missing(where: str, key: str, found: int, names: tuple[str, ...], robot: Robot) -> str:
    wanted = f"{', '.join(names[:12])}{', …' if len(names) > 12 else ''}"
    return (
        f"{where}: {key} has {found} columns; {robot.name} has {len(names)}: {wanted}. Give all, or hold joints that "
        "were not recorded, robot.lock({name: position})"
    )


def _check_values(recording: Recording, robot: Robot) -> None:
    """Refuse what cannot be used: numbers that are not finite, times that do not increase, nothing that moves."""
    if not recording.steps.least > 0:
        part = np.diff(recording.t)
        k = int(np.argmax(~(part > 0)))
        raise IdentificationError(
            f"{recording.name}: times must increase, but sample {k + 1} at {recording.t[k + 1]:g} s follows "
            f"sample {k} at {recording.t[k]:g} s; sort the samples, or leave repeated ones out"
        )
    for key in ("q", "tau", "qd", "qdd"):
        own = getattr(recording, key)
        for first, part in slices(own):
            if not np.isfinite(part.sum()) and not np.all(np.isfinite(part)):
                row, column = np.argwhere(~np.isfinite(part))[0]
                raise IdentificationError(
                    f"{recording.name}: {key} of sample {first + row}, column {column + 1}, is {part[row, column]}; "
                    "leave such samples out, as with rec[:1000], or interpolate them"
                )
    low, high = recording.extremes
    if np.all(high - low < STILL):
        raise IdentificationError(f"{recording.name}: no joint moves, so nothing can be identified; record a motion")


def suspicions(recording: Recording, robot: Robot, given: Recording) -> list[str]:
    """Return what looks wrong with a recording, in sentences; ``given`` is the same with its own times."""
    found = []
    low, high = recording.extremes
    names = robot.coordinate_names
    turning = angles(robot)
    still = [names[k] for k in range(len(names)) if high[k] - low[k] < STILL]
    if still:
        found.append(f"{', '.join(still)} did not move: parameters that only this motion shows stay undetermined")
    far = [k for k in turning if max(abs(low[k]), abs(high[k])) > TURNS]
    if far:
        k = max(far, key=lambda k: max(abs(low[k]), abs(high[k])))
        amount = max(abs(low[k]), abs(high[k]))
        found.append(
            f"{names[k]} reaches {amount:.4g}, which as radians is {amount / (2 * np.pi):.1f} turns: are the angles in "
            "degrees? Give radians, numpy.deg2rad(q)"
        )
    jumps = largest_steps(recording.q)
    wrapped = [names[k] for k in turning if jumps[k] > np.pi]
    if wrapped:
        found.append(
            f"{', '.join(wrapped)} jumps by more than half a turn: if angles are wrapped, use numpy.unwrap(q, axis=0)"
        )
    steps = given.steps
    if steps.gaps:
        found.append(
            f"samples are missing in {steps.gaps} places, the longest gap {steps.greatest:.3g} s at "
            f"{given.t[steps.where]:.4g} s; they are interpolated"
        )
    for name, count in zip(robot.velocity_names, saturated(recording.tau), strict=True):
        if count:
            found.append(
                f"the torque of {name} stays at its largest amount for {count} samples: its drive is saturated"
            )
    return found


def warn(messages: list[str], recording: Recording, level: int = 4) -> None:
    """Warn about what looks wrong."""
    for message in messages:
        warnings.warn(f"{recording.name}: {message}", RecordingWarning, stacklevel=level)


def saturated(torques: Floats) -> list[int]:
    """Return for each torque how many consecutive samples it stays at its largest amount, if too long for chance."""
    most = [0] * torques.shape[1]
    for _, part in slices(torques):
        sizes = np.abs(np.ascontiguousarray(part.T))
        for k, size in enumerate(sizes):
            at = np.flatnonzero(size >= size.max() * (1 - 1e-9))
            if len(at) >= STUCK and size[at[0]] > 0.0 and np.ptp(part[:, k]) > 0.0:
                ends = np.flatnonzero(np.diff(at, append=at[-1] + 2) > 1)
                most[k] = max(most[k], int(np.diff(ends, prepend=-1).max()))
    return [count if count >= STUCK else 0 for count in most]


def largest_steps(x: Floats) -> Floats:
    """Return the largest difference between two samples of each column."""
    steps = (np.abs(np.diff(np.ascontiguousarray(part.T))).max(axis=1) for _, part in slices(x) if len(part) > 1)
    return np.max(list(steps), axis=0)  # type: ignore[no-any-return]


def angles(robot: Robot) -> list[int]:
    """Return the places in q of the angles of revolute joints."""
    found, place = [], 0
    for joint in robot.expanded().joints:
        width = 0 if joint.mimic else len(joint.kind.coordinates)
        if width == 1 and joint.kind.word == "revolute":
            found.append(place)
        place += width
    return found
