"""Trajectories from the states that an integrator has found, with torques, energies and errors of closed loops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..geometry.close_loops import on_manifold
from ..models.energy import energy
from ..models.loops.closure import loop_closure
from ..robot.entries import axis_names
from ..robot.robot import Robot
from ..runtime.function import Function
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
        y = np.array(record.y[first:end]).reshape(end - first, system.size)
        q, qd, integral = _settled(system, y)
        if bare:
            none = np.full((len(y), len(system.places)), np.nan)
            found: Mapping[str, Floats] = {"qdd": none, "tau_applied": none}
        else:
            found = system.along(t[first:end], q, qd, integral)
        parts.append(_rows(system, q, qd, found))
    clock = passage.system(record.systems[0][1].whole).clock
    counts = {"evaluations": passage.evaluations, "jacobians": passage.jacobians, "steps": record.steps}
    changes = tuple(Change(float(clock.users(t)), INDEPENDENT, ALL) for _, _, t in record.systems[1:])
    joined = Rows(*(np.concatenate(some) for some in zip(*parts, strict=True)))
    more = {"events": tuple(record.events), "coordinate_changes": changes}
    return _trajectory(passage.robot, clock.users(t), joined, how, counts, status, **more)


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
    return Rows(q, own, whole, np.broadcast_to(qdd, own.shape), np.broadcast_to(found["tau_applied"], own.shape))


def course_of_one(courses: Courses, status: str) -> Trajectory:
    """Return the trajectory of a single state."""
    t, parts = list[Floats](), list[Rows]()
    for course, _ in courses.parts:
        own, y = course.states
        q, qd, integral = _settled(course.system, y)
        known = {"t": own, **{name: rows[0] for name, rows in course.inputs(own).items()}}
        found = _outputs(course.system, {"q": q, "qd": qd, "integral": integral, **known})
        t.append(own)
        parts.append(_rows(course.system, q, qd, found))
    counts = {name: int(courses.count_of(name)[0]) for name in ("evaluations", "jacobians", "steps")}
    joined = Rows(*(np.concatenate(some) for some in zip(*parts, strict=True)))
    last = courses.parts[-1][0]
    times = last.system.clock.users(np.concatenate(t))
    changes = _changes(courses)
    return _trajectory(courses.passage.robot, times, joined, last.how, counts, status, coordinate_changes=changes)


def _changes(courses: Courses) -> tuple[Change, ...]:
    clock = courses.parts[0][0].system.clock
    return tuple(Change(float(clock.users(t)), INDEPENDENT, ALL) for t in courses.changes)


def course_of_many(courses: Courses, batch: tuple[int, ...]) -> Trajectory:
    """Return the trajectory of many states with their leading axes."""
    first = courses.parts[0][0]
    t, wide = first.task.times, list[Floats]()
    for course, own in courses.parts:
        q, qd, integral = _settled(course.system, course.task.results)
        found = _outputs(course.system, {"q": q, "qd": qd, "integral": integral, "t": t, **course.inputs(t)})
        for k, array in enumerate(_rows(course.system, q, qd, found)):
            if len(wide) == k:
                wide.append(np.full((courses.count, *array.shape[1:]), np.nan))
            known = np.isfinite(q).all(axis=-1)
            wide[k][own] = np.where(known[..., None], array, wide[k][own])
    names = ("evaluations", "jacobians", "steps", "rejected")
    counts = {name: courses.count_of(name) for name in names}
    words = np.array([STATUS[int(x)] for x in courses.count_of("status")], dtype=str)
    clock = first.system.clock
    reached = clock.users(courses.reached)
    states = States(words.reshape(batch), reached.reshape(batch), *(counts[name].reshape(batch) for name in names))
    status = "done" if (words == "done").all() else "interrupted" if (words == "interrupted").any() else "failed"
    totals = {name: int(counts[name].sum()) for name in names[:3]}
    made = _trajectory(
        courses.passage.robot, clock.users(t), Rows(*wide), first.how, totals, status,
        coordinate_changes=_changes(courses),
    )  # fmt: skip
    arrays: dict[str, Any] = {name: _shaped(getattr(made, name), batch) for name in ARRAYS}
    return replace(made, **arrays, states=states)


def _shaped(array: Floats, batch: tuple[int, ...]) -> Floats:
    return array.reshape(*batch, *array.shape[1:])


def _settled(system: System, y: Floats) -> tuple[Floats, Floats, Floats]:
    """Return states on the manifold; rows without numbers stay as they are."""
    q, qd, integral = np.split(y, [system.nq, system.nq + system.n], axis=-1)
    if system.flat:
        return q, qd, integral
    flat, speeds = q.reshape(-1, system.nq).copy(), qd.reshape(-1, system.n).copy()
    known = np.isfinite(flat).all(axis=1)
    if system.whole:
        flat[known], speeds[known] = system.projected(flat[known], speeds[known])
    elif system.robot.loops:
        flat[known] = [system.settled(one) for one in flat[known]] or flat[known]
    else:
        flat[known] = on_manifold(system.robot, flat[known])
    return flat.reshape(q.shape), speeds.reshape(qd.shape), integral


def _outputs(system: System, known: Mapping[str, Floats]) -> dict[str, Floats]:
    with np.errstate(all="ignore"):
        found = system.function(*(known[name] for name in system.given))
    return dict(zip(system.made, found, strict=True))


def _trajectory(
    robot: Robot, t: Floats, rows: Rows, how: Options, counts: Mapping[str, int], status: str, **more: Any
) -> Trajectory:
    names = _names(robot)
    with np.errstate(all="ignore"):
        kinetic, potential = _energies(robot)(rows.q, rows.qd_all)
        residual, opening = _residuals(robot, rows.q, rows.qd_all)
    return Trajectory(
        robot_name=robot.name,
        coordinate_names=names[0],
        velocity_names=names[1],
        velocity_names_all=names[2],
        t=t,
        **rows._asdict(),
        kinetic=np.asarray(kinetic),
        potential=np.broadcast_to(potential, rows.q.shape[:-1]),
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
