"""What a recording must have to be of use, and what looks wrong with it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import IdentificationError, RecordingWarning
from ..geometry.close_loops import closed_along
from ..robot.robot import Robot
from .recording import SLICE, Recording, slices

Floats = NDArray[np.float64]
TURNS = 4 * np.pi
"""Angle of a joint beyond which degrees are suspected, in radians."""
FAR = 20.0
"""Distance of a sliding joint beyond which millimetres are suspected, in metres."""
SELDOM = 0.25
"""Time between samples beyond which milliseconds are suspected, in seconds."""
RATES = (0.5, 2.0)
"""The rate of coordinates over measured velocities, if both have the same units."""
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
        q = closed_along(robot, q)
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
    still = [names[k] for k in range(len(names)) if high[k] - low[k] < STILL]
    if still:
        found.append(f"{', '.join(still)} did not move: parameters that only this motion shows stay undetermined")
    reach = np.maximum(np.abs(low), np.abs(high))
    turning, sliding = axes(robot, "revolute"), axes(robot, "prismatic")
    if (k := max(turning, key=lambda k: reach[k], default=None)) is not None and reach[k] > TURNS:
        found.append(
            f"{names[k]} reaches {reach[k]:.4g}, which as radians is {reach[k] / (2 * np.pi):.1f} turns: are the "
            "angles in degrees? Give radians, numpy.deg2rad(q)"
        )
    if (k := max(sliding, key=lambda k: reach[k], default=None)) is not None and reach[k] > FAR:
        found.append(f"{names[k]} reaches {reach[k]:.4g} m: are its positions in millimetres? Give metres")
    jumps = largest_steps(recording.q)
    wrapped = [names[k] for k in turning if jumps[k] > np.pi]
    if wrapped:
        found.append(
            f"{', '.join(wrapped)}: the angle jumps by more than half a turn; if it is wrapped, use "
            "numpy.unwrap(q, axis=0)"
        )
    found += [*_wrong_rates(recording, robot)]
    steps = given.steps
    if steps.typical > SELDOM:
        found.append(f"samples are {steps.typical:.3g} s apart: are the times in milliseconds? Give seconds")
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


def axes(robot: Robot, kind: str) -> list[int]:
    """Return the places in q of the coordinates of joints of a kind, "revolute" or "prismatic"."""
    found, place = [], 0
    for joint in robot.expanded().joints:
        width = 0 if joint.mimic else len(joint.kind.coordinates)
        if width == 1 and joint.kind.word == kind:
            found.append(place)
        place += width
    return found


def _wrong_rates(recording: Recording, robot: Robot) -> Iterator[str]:
    """Yield what is said of measured velocities that are not the rates of the coordinates."""
    if recording.qd is None or robot.coordinate_names != robot.velocity_names:
        return
    some = slice(0, min(len(recording), SLICE))
    moved = np.diff(recording.q[some], axis=0)
    told = 0.5 * recording.step * (recording.qd[some][1:] + recording.qd[some][:-1])
    for k, name in enumerate(robot.velocity_names):
        ratio = float(moved[:, k] @ told[:, k]) / max(float(told[:, k] @ told[:, k]), 1e-300)
        if np.ptp(recording.q[some][:, k]) > STILL and not RATES[0] < ratio < RATES[1]:
            yield (
                f"the measured velocity of {name} times {ratio:.3g} is the rate of its coordinate: are both in the "
                "same units, and in the same column? Without qd, velocities follow from the coordinates"
            )
