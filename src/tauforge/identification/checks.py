"""What a recording must have to be of use, and what looks wrong with it, or with what was identified from it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from ..errors import IdentificationError, RecordingWarning, TauforgeError
from ..geometry.close_loops import closed_along
from ..robot.robot import Robot
from .columns import Columns
from .delay import delays
from .diagnosis import best_order, channel_triangles, exchanged_coordinates, expected_scales, residual_shares
from .estimate import Fit
from .recording import SLICE, Recording, slices
from .samples import Samples

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
POOR = 0.6
"""What is left of a torque, from which it was probably not that of the joint, relative to the torque."""
DUBIOUS = 0.05
"""What is left of some torque, from which coordinates in another order are tried."""
CERTAIN = 5.0
"""Standard errors below zero from which friction or a rotor inertia is negative."""
ALIKE = 0.9
"""Correlation from which a torque is that of the robot's own values but for a factor."""
FACTOR, ALONE = 8.0, 20.0
"""Such factors that robots of the same description do not differ by: of all torques, and of a single one."""
NEGATED = (0.5, 2.0)
"""Minus such a factor, from which a torque counts the other way; beyond, values may be rough."""
CODES = {
    "still": "a joint that did not move",
    "degrees": "angles in degrees",
    "millimetres": "positions in millimetres",
    "milliseconds": "times in milliseconds",
    "wrapped": "angles that jump by a turn",
    "velocity": "velocities that are not the rates of the coordinates",
    "gap": "missing samples",
    "saturated": "a saturated drive",
    "delay": "torques and motion out of step",
    "unexplained": "a torque that the model does not explain",
    "order": "columns in another order",
    "sign": "friction that drives, or a negative rotor inertia",
    "scale": "torques that are a multiple of those expected",
    "load": "a load that no body is, or none at all",
}
"""What can look wrong, by the code that accepts it."""


@final
@dataclass(frozen=True)
class Finding:
    """Something that looks wrong with a recording, or with what was identified from it.

    Attributes
    ----------
    code
        Its kind, by which ``accept`` accepts it.
    joint
        Name of the joint or motor; empty if it is about all.
    sentence
        What was seen.
    fix
        What to do, or to ask.
    recording
        Name of the recording; empty if it is about all.
    """

    code: str
    joint: str
    sentence: str
    fix: str
    recording: str = ""

    def is_accepted(self, accept: Sequence[str]) -> bool:
        """Tell whether it is among codes that are accepted, such as "saturated", or "sign:joint2" for one joint."""
        return self.code in accept or f"{self.code}:{self.joint}" in accept

    def __str__(self) -> str:
        return f"{self.recording}{': ' if self.recording else ''}{self.sentence}: {self.fix} [{self.code}]"


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


def suspicions(recording: Recording, robot: Robot, given: Recording) -> list[Finding]:
    """Return what looks wrong with a recording; ``given`` is the same with its own times."""
    said = partial(Finding, recording=recording.name)
    found = []
    low, high = recording.extremes
    names = robot.coordinate_names
    found += [
        said("still", names[k], f"{names[k]} did not move", "parameters that only this motion shows stay undetermined")
        for k in range(len(names))
        if high[k] - low[k] < STILL
    ]
    reach = np.maximum(np.abs(low), np.abs(high))
    turning, sliding = axes(robot, "revolute"), axes(robot, "prismatic")
    if (k := max(turning, key=lambda k: reach[k], default=None)) is not None and reach[k] > TURNS:
        sentence = f"{names[k]} reaches {reach[k]:.4g}, which as radians is {reach[k] / (2 * np.pi):.1f} turns"
        found.append(said("degrees", names[k], sentence, "are the angles in degrees? Give radians, numpy.deg2rad(q)"))
    if (k := max(sliding, key=lambda k: reach[k], default=None)) is not None and reach[k] > FAR:
        sentence = f"{names[k]} reaches {reach[k]:.4g} m"
        found.append(said("millimetres", names[k], sentence, "are its positions in millimetres? Give metres"))
    jumps = largest_steps(recording.q)
    found += [
        said(
            "wrapped",
            names[k],
            f"the angle of {names[k]} jumps by more than half a turn",
            "if it is wrapped, use numpy.unwrap(q, axis=0)",
        )
        for k in turning
        if jumps[k] > np.pi
    ]
    found += [*_wrong_rates(recording, robot)]
    steps = given.steps
    if steps.typical > SELDOM:
        sentence = f"samples are {steps.typical:.3g} s apart"
        found.append(said("milliseconds", "", sentence, "are the times in milliseconds? Give seconds"))
    if steps.gaps:
        sentence = (
            f"samples are missing in {steps.gaps} places, the longest gap {steps.greatest:.3g} s at "
            f"{given.t[steps.where]:.4g} s"
        )
        found.append(said("gap", "", sentence, "they are interpolated; give the parts as recordings of their own"))
    for name, count in zip(robot.velocity_names, saturated(recording.tau), strict=True):
        if count:
            sentence = f"the torque of {name} stays at its largest amount for {count} samples: its drive is saturated"
            found.append(said("saturated", name, sentence, "record a slower motion"))
    return found


def doubts(samples: Samples, fit: Fit, covariance: Floats) -> tuple[list[Finding], tuple[float, ...]]:
    """Return what looks wrong with a fit of torques, and by how much those of each recording lag behind the motion."""
    columns = samples.columns
    late, left = delays(samples, fit)
    recordings = [own.sources[0].recording.name for own in samples.recordings()]
    names, triangles = columns.torques, channel_triangles(samples)
    found = [*_wrong_order(samples, triangles, left)]
    found = found or [*_wrong_signs(columns, fit.values, covariance), *_wrong_sizes(columns, triangles)]
    found += [
        Finding(
            "unexplained",
            name,
            f"most of the torque of {name} ({100 * x:.0f} %) is not explained",
            "if it is not noise, are the columns in the robot's order, and signs, units and gear ratios right?",
        )
        for name, x in zip(names, left, strict=True)
        if x > POOR
    ]
    found = [replace(x, recording=recordings[0]) for x in found]
    for name, each in zip(recordings, late, strict=True):
        if each.is_material:
            how = "lag behind" if each.late > 0 else "are ahead of"
            found.append(
                Finding(
                    "delay",
                    "",
                    f"the torques {how} the motion by {1e3 * abs(each.late):.3g} ms",
                    f"if they were not measured at the same time, rec.shifted({each.late:.4g}) corrects it",
                    name,
                )
            )
    return found, tuple(each.late for each in late)


def _wrong_order(samples: Samples, triangles: Sequence[Floats], left: Floats) -> Iterator[Finding]:
    """Yield which columns of the torques, or of the coordinates, seem to be in another's place."""
    names = samples.columns.torques
    order = best_order(residual_shares(triangles))
    if order != [*range(len(names))]:
        columns = [order.index(k) for k in range(len(names))]
        moved = [names[k] for k in range(len(names)) if order[k] != k]
        yield Finding(
            "order",
            moved[0],
            f"the torques of {', '.join(moved)} fit the model in another order",
            f"rec.changed(tau=rec.tau[:, {columns}]) puts their columns into the robot's",
        )
    elif left.max() > DUBIOUS and (pair := exchanged_coordinates(samples)):
        columns = [*range(len(names))]
        columns[pair[0]], columns[pair[1]] = pair[1], pair[0]
        yield Finding(
            "order",
            names[pair[0]],
            f"the coordinates of {names[pair[0]]} and {names[pair[1]]} fit the torques far better when exchanged",
            f"rec.changed(q=rec.q[:, {columns}]) puts their columns into the robot's order",
        )


def _wrong_signs(columns: Columns, values: Floats, covariance: Floats) -> Iterator[Finding]:
    """Yield which joints have friction or rotors that no joint has: such that drive, or of negative inertia."""
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    keys = dict(zip(columns.keys, range(len(columns.keys)), strict=True))
    whole = columns.robot.expanded()
    labels = dict(enumerate([x.name for x in whole.joints] + [x.name for x in whole.tendons], 1))
    shift = {"FV": "FA", "FS": "FB"}
    wrong: dict[int, list[str]] = {}
    right: set[int] = set()
    for (term, j), k in keys.items():
        if term not in ("FV", "FS", "IA") or (shift.get(term), j) in keys or not errors[k]:
            continue
        if values[k] < -CERTAIN * errors[k]:
            wrong.setdefault(j, []).append(f"{columns.names[k]} = {values[k]:.3g} ± {errors[k]:.1g}")
        elif term != "IA" and values[k] > CERTAIN * errors[k]:
            right.add(j)
    driving = [j for j, terms in wrong.items() if any(x[:2] in ("FV", "FS") for x in terms)]
    if len(driving) > 1 and not right - set(driving):
        all_terms = ", ".join(x for j in driving for x in wrong[j])
        yield Finding(
            "sign",
            "",
            f"the friction of all joints drives them ({all_terms})",
            "if torques count the other way, rec.changed(tau=-rec.tau) turns them",
        )
        return
    for j, own in wrong.items():
        name = labels[j]
        signs = [-1 if other == name else 1 for other in columns.torques]
        turn = f"rec.changed(tau=rec.tau * {signs}) turns it" if -1 in signs else "turn its row of the coupling"
        yield Finding(
            "sign",
            name,
            f"friction that drives, or a negative rotor inertia, moves {name} ({', '.join(own)})",
            f"if its torque counts the other way, {turn}; otherwise its motion tells too little",
        )


def _wrong_sizes(columns: Columns, triangles: Sequence[Floats]) -> Iterator[Finding]:
    """Yield which torques are like those of the robot's own values but for a factor."""
    try:
        values = columns.base.values()
        expected = np.array([float(values.get(name, 0.0)) for name in columns.names])
    except (TauforgeError, TypeError):
        return
    if not np.any(expected):
        return
    scales, alike = expected_scales(triangles, columns, expected)
    clear = np.abs(alike) > ALIKE
    size = np.abs(scales)
    turned = (scales < 0.0) & (size > NEGATED[0]) & (size < NEGATED[1])
    odd = clear & (turned | (size > FACTOR) | (size < 1.0 / FACTOR))
    names = columns.torques
    if odd.sum() > 1 and np.array_equal(odd, clear) and np.ptp(np.log(size[odd])) < np.log(FACTOR):
        common = float(np.median(scales[odd]))
        yield Finding(
            "scale",
            "",
            f"all torques are about {common:.2g} times those that the values of {columns.robot.name} give",
            f"units (N mm, percent), a common gear ratio or gain, or the sign may be wrong: "
            f"rec.changed(tau=rec.tau * {1.0 / common:.3g}); or the values of the robot are",
        )
        return
    for k in np.flatnonzero(clear & (turned | (size > ALONE) | (size < 1.0 / ALONE))):
        factors = [float(f"{1.0 / scales[k]:.3g}") if j == k else 1 for j in range(len(names))]
        yield Finding(
            "scale",
            names[k],
            f"the torque of {names[k]} is about {scales[k]:.2g} times what the values of {columns.robot.name} give",
            f"its gear ratio, gain, unit or sign may be wrong: rec.changed(tau=rec.tau * {factors}); or the values of "
            "the robot are",
        )


def warn(findings: Sequence[Finding], accept: Sequence[str] = (), level: int = 4) -> None:
    """Warn about what looks wrong and was not accepted."""
    for finding in findings:
        if not finding.is_accepted(accept):
            warnings.warn(str(finding), RecordingWarning, stacklevel=level)


def check_accept(accept: Any) -> tuple[str, ...]:
    """Return the codes of findings that are accepted."""
    codes = (accept,) if isinstance(accept, str) else tuple(accept or ())
    for code in codes:
        if not isinstance(code, str) or code.split(":")[0] not in CODES:
            raise IdentificationError(
                f"accept has {code!r}; give codes of findings: {', '.join(CODES)}, or one of a joint, 'sign:joint2'"
            )
    return codes


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


def _wrong_rates(recording: Recording, robot: Robot) -> Iterator[Finding]:
    """Yield what is said of measured velocities that are not the rates of the coordinates."""
    if recording.qd is None or robot.coordinate_names != robot.velocity_names:
        return
    some = slice(0, min(len(recording), SLICE))
    moved = np.diff(recording.q[some], axis=0)
    told = 0.5 * recording.step * (recording.qd[some][1:] + recording.qd[some][:-1])
    for k, name in enumerate(robot.velocity_names):
        ratio = float(moved[:, k] @ told[:, k]) / max(float(told[:, k] @ told[:, k]), 1e-300)
        if np.ptp(recording.q[some][:, k]) > STILL and not RATES[0] < ratio < RATES[1]:
            yield Finding(
                "velocity",
                name,
                f"the measured velocity of {name} times {ratio:.3g} is the rate of its coordinate",
                "are both in the same units, and in the same column? Without qd, velocities follow from coordinates",
                recording.name,
            )
