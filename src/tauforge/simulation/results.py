"""Trajectories from the states that an integrator has found, with torques, energies and errors of closed loops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..models.energy import energy
from ..models.loops.closure import loop_closure
from ..robot.entries import axis_names
from ..robot.robot import Robot
from ..runtime.function import Function
from .balance import conserved, is_balanced
from .compiled import STATUS, Courses
from .constrained import opened
from .integrator import Record
from .options import Options
from .passage import ALL, INDEPENDENT, Passage, all_velocities
from .system import System
from .trajectory import ARRAYS, Change, States, Trajectory

Floats = NDArray[np.float64]


def partial(passage: Passage, record: Record, how: Options, status: str) -> Trajectory:
    """Return what was computed so far; torques that cannot be computed again are NaN."""
    record.close()
    try:
        return finished(passage, record, how, status)
    except Exception:
        return finished(passage, record, how, status, bare=True)


def finished(passage: Passage, record: Record, how: Options, status: str, *, bare: bool = False) -> Trajectory:
    """Return the trajectory of a record."""
    t, parts = np.array(record.t), list[Rows]()
    ends = [*(first for first, *_ in record.systems[1:]), len(t)]
    for (first, system, _), end in zip(record.systems, ends, strict=True):
        y = np.array(record.y[first:end]).reshape(-1, system.size)
        q, qd, integral = system.split_many(y)
        if bare:
            none = np.full((len(y), len(system.places)), np.nan)
            torques = np.full((len(y), len(_torque_names(system))), np.nan)
            found: Mapping[str, Floats] = {"qdd": none, "tau_applied": torques}
        else:
            found = system.along(t[first:end], q, qd, integral)
        parts.append(_rows(system, q, qd, found))
    clock = record.systems[0][1].clock
    counts = {"evaluations": passage.evaluations, "jacobians": passage.jacobians, "steps": record.steps}
    changes = tuple(Change(clock.start + x, INDEPENDENT, ALL) for _, _, x in record.systems[1:])
    joined = Rows(*(np.concatenate(some) for some in zip(*parts, strict=True)))
    check = record.check
    drift = np.interp(t, check.t, check.drift) if check and is_balanced(passage.robot) else np.full(len(t), np.nan)
    whose = _torque_names(record.systems[0][1])
    more = {"events": tuple(record.events), "coordinate_changes": changes, "torque_names": whose}
    return _trajectory(passage.robot, clock.users(t), joined, how, counts, status, drift, **more)


class Rows(NamedTuple):
    """Results in the user's order, with the velocities of all joints."""

    q: Floats
    qd: Floats
    qd_all: Floats
    qdd: Floats
    tau: Floats


def _rows(system: System, q: Floats, qd: Floats, found: Mapping[str, Floats]) -> Rows:
    """Return results from states in a system's own coordinates."""
    own, qdd = system.independent(qd), np.asarray(found["qdd"])
    if system.whole and qdd.shape[-1] == qd.shape[-1]:
        qdd = system.independent(qdd)
    whole = qd if system.whole else all_velocities(system.robot, q, qd)
    tau = found["tau_applied"]
    return Rows(q, own, whole, np.broadcast_to(qdd, own.shape), np.broadcast_to(tau, (*own.shape[:-1], tau.shape[-1])))


def course_of_one(courses: Courses, status: str) -> Trajectory:
    """Return the trajectory of a single state."""
    t, parts, drift = list[Floats](), list[Rows](), list[Floats]()
    for course, _ in courses.parts:
        own, y = course.states
        q, qd, integral = course.system.split_many(y[:, :-1])
        known = {"t": own, **{name: rows[0] for name, rows in course.inputs(own).items()}}
        found = course.system.evaluated({"q": q, "qd": qd, "integral": integral, **known})
        t.append(own)
        parts.append(_rows(course.system, q, qd, found))
        drift.append(_balance(course.system.robot, parts[-1], y[:, -1]))
    counts = {name: int(courses.count_of(name)[0]) for name in ("evaluations", "jacobians", "steps")}
    joined = Rows(*(np.concatenate(some) for some in zip(*parts, strict=True)))
    last = courses.parts[-1][0]
    times, lost = last.system.clock.users(np.concatenate(t)), _since_start(np.concatenate(drift))
    more = {"coordinate_changes": _changes(courses), "torque_names": _torque_names(last.system)}
    return _trajectory(courses.passage.robot, times, joined, last.how, counts, status, lost, **more)


def _changes(courses: Courses) -> tuple[Change, ...]:
    clock = courses.parts[0][0].system.clock
    return tuple(Change(clock.start + t, INDEPENDENT, ALL) for t in courses.changes)


def course_of_many(courses: Courses, batch: tuple[int, ...]) -> Trajectory:
    """Return the trajectory of many states with their leading axes."""
    first = courses.parts[0][0]
    t, wide = first.task.times, list[Floats]()
    for course, own in courses.parts:
        results = course.task.results
        q, qd, integral = course.system.split_many(results[..., :-1])
        found = course.system.evaluated({"q": q, "qd": qd, "integral": integral, "t": t, **course.inputs(t)})
        known = np.asarray(np.isfinite(q).all(axis=-1))[..., None]
        rows = _rows(course.system, q, qd, found)
        balance = _balance(course.system.robot, rows, results[..., -1])[..., None]
        for k, array in enumerate((*rows, balance)):
            if len(wide) == k:
                wide.append(np.full((courses.count, *array.shape[1:]), np.nan))
            wide[k][own] = np.where(known, array, wide[k][own])
    names = ("evaluations", "jacobians", "steps", "rejected")
    counts = {name: courses.count_of(name) for name in names}
    words = np.array([STATUS[int(x)] for x in courses.count_of("status")], dtype=str)
    clock = first.system.clock
    reached = clock.users(courses.reached)
    states = States(words.reshape(batch), reached.reshape(batch), *(counts[name].reshape(batch) for name in names))
    status = "done" if (words == "done").all() else "interrupted" if (words == "interrupted").any() else "failed"
    totals = {name: int(counts[name].sum()) for name in names[:3]}
    made = _trajectory(
        courses.passage.robot, clock.users(t), Rows(*wide[:-1]), first.how, totals, status,
        _since_start(wide[-1][..., 0]), coordinate_changes=_changes(courses), torque_names=_torque_names(first.system),
    )  # fmt: skip
    arrays: dict[str, Any] = {name: _shaped(getattr(made, name), batch) for name in ARRAYS}
    return replace(made, **arrays, states=states)


def _torque_names(system: System) -> tuple[str, ...]:
    return tuple(system.program.results["tau_applied"].shape.labels[0])


def _shaped(array: Floats, batch: tuple[int, ...]) -> Floats:
    return array.reshape(*batch, *array.shape[1:])


def _balance(robot: Robot, rows: Rows, work: Floats) -> Floats:
    """Return the conserved energy without the work; NaN where no energy follows from the state."""
    if not is_balanced(robot):
        return np.full_like(work, np.nan)
    with np.errstate(all="ignore"):
        return np.asarray(compiled_conserved(robot)(rows.q, rows.qd_all)[0]) - work


def _since_start(balance: Floats) -> Floats:
    with np.errstate(invalid="ignore"):  # where the energy is beyond the largest numbers
        return np.asarray(balance - balance[..., :1])


@lru_cache(maxsize=32)
def compiled_conserved(robot: Robot) -> Function:
    """Return the conserved energy from the velocities of all joints, compiled once."""
    return conserved(opened(robot)).compile()


def _trajectory(
    robot: Robot,
    t: Floats,
    rows: Rows,
    how: Options,
    counts: Mapping[str, int],
    status: str,
    drift: Floats,
    **more: Any,
) -> Trajectory:
    names = _names(robot)
    with np.errstate(all="ignore"):
        kinetic, potential = _energies(robot)(rows.q, rows.qd_all)
        residual, opening = _residuals(robot, rows.q, rows.qd_all)
        total = kinetic + potential
        work = total - total[..., :1] - drift
    return Trajectory(
        robot_name=robot.name,
        coordinate_names=names[0],
        velocity_names=names[1],
        velocity_names_all=names[2],
        t=t,
        **rows._asdict(),
        kinetic=np.asarray(kinetic),
        potential=np.broadcast_to(potential, rows.q.shape[:-1]),
        work=work,
        residual=residual,
        residual_rate=opening,
        method=how.method,
        evaluations=counts["evaluations"],
        jacobians=counts["jacobians"],
        steps=counts["steps"],
        status=status,
        robot=robot,
        **more,
    )


@lru_cache(maxsize=32)
def _names(robot: Robot) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    return tuple(robot.coordinate_names), tuple(robot.velocity_names), axis_names(robot.expanded())


@lru_cache(maxsize=32)
def _energies(robot: Robot) -> Function:
    """Return the energies from the velocities of all joints."""
    return energy(opened(robot)).compile()


def _residuals(robot: Robot, q: Floats, qd: Floats) -> tuple[Floats, Floats]:
    """Return for each time the largest error of closed loops, and of the velocities of all joints."""
    if not robot.loops:
        return np.zeros(q.shape[:-1]), np.zeros(q.shape[:-1])
    found = _closure(robot)(q)
    left = np.abs(found.error).max(axis=-1, initial=0.0)
    return left, np.abs(np.einsum("...ij,...j->...i", found.J, qd)).max(axis=-1, initial=0.0)


@lru_cache(maxsize=32)
def _closure(robot: Robot) -> Function:
    """Return errors and slopes of the loops."""
    return loop_closure(robot).compile()
