"""Trajectories from the states that an integrator has found, with torques, energies and errors of closed loops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..models.energy import energy
from ..models.joint_motion import joint_motion
from ..models.loops.closure import loop_closure
from ..program.fuse import fuse
from ..robot.robot import Robot
from ..runtime.function import Function
from .balance import conserved, is_balanced
from .compiled import STATUS, Course
from .integrator import Record
from .options import Options
from .system import System
from .trajectory import ARRAYS, States, Trajectory

Floats = NDArray[np.float64]


def partial(system: System, record: Record, how: Options, status: str) -> Trajectory:
    """Return what was computed so far; torques that cannot be computed again are NaN."""
    record.close()
    try:
        return finished(system, record, how, status)
    except Exception:
        return finished(system, record, how, status, bare=True)


def finished(system: System, record: Record, how: Options, status: str, *, bare: bool = False) -> Trajectory:
    """Return the trajectory of a record."""
    t, y = np.array(record.t), np.array(record.y).reshape(len(record.t), system.size)
    q, qd, integral = system.split_many(y)
    if bare:
        none = np.full(qd.shape, np.nan)
        torques = np.full((len(t), len(_torque_names(system))), np.nan)
        found: Mapping[str, Floats] = {"qdd": none, "tau_applied": torques}
    else:
        found = system.along(t, q, qd, integral)
    counts = {"evaluations": system.evaluations, "jacobians": system.jacobians, "steps": record.steps}
    times = system.clock.users(t)
    check = record.check
    drift = np.interp(t, check.t, check.drift) if check and is_balanced(system.robot) else np.full(len(t), np.nan)
    more = {"events": tuple(record.events), "torque_names": _torque_names(system)}
    return _trajectory(system.robot, times, q, qd, found, how, counts, status, drift, **more)


def course_of_one(course: Course, status: str) -> Trajectory:
    """Return the trajectory of a single state."""
    t, y = course.states
    q, qd, integral = course.system.split_many(y[:, :-1])
    known = {"t": t, **{name: rows[0] for name, rows in course.inputs(t).items()}}
    found = _outputs(course.system, {"q": q, "qd": qd, "integral": integral, **known})
    counts = {name: int(course.count(name)[0]) for name in ("evaluations", "jacobians", "steps")}
    times = course.system.clock.users(t)
    drift, whose = _drift(course.system, q, qd, y[:, -1]), {"torque_names": _torque_names(course.system)}
    return _trajectory(course.system.robot, times, q, qd, found, course.how, counts, status, drift, **whose)


def course_of_many(course: Course, batch: tuple[int, ...]) -> Trajectory:
    """Return the trajectory of many states with their leading axes."""
    t, results = course.task.times, course.task.results
    q, qd, integral = course.system.split_many(results[..., :-1])
    found = _outputs(course.system, {"q": q, "qd": qd, "integral": integral, "t": t, **course.inputs(t)})
    names = ("evaluations", "jacobians", "steps", "rejected")
    counts = {name: course.count(name) for name in names}
    statuses = course.status
    words = np.array([STATUS[int(x)] for x in statuses], dtype=str)
    clock = course.system.clock
    reached = clock.users(course.records[:, 0])
    states = States(words.reshape(batch), reached.reshape(batch), *(counts[name].reshape(batch) for name in names))
    status = "done" if (words == "done").all() else "interrupted" if (words == "interrupted").any() else "failed"
    totals = {name: int(counts[name].sum()) for name in names[:3]}
    drift, whose = _drift(course.system, q, qd, results[..., -1]), {"torque_names": _torque_names(course.system)}
    made = _trajectory(course.system.robot, clock.users(t), q, qd, found, course.how, totals, status, drift, **whose)
    wide: dict[str, Any] = {name: _shaped(getattr(made, name), batch) for name in ARRAYS}
    return replace(made, **wide, states=states)


def _torque_names(system: System) -> tuple[str, ...]:
    return tuple(system.program.results["tau_applied"].shape.labels[0])


def _shaped(array: Floats, batch: tuple[int, ...]) -> Floats:
    return array.reshape(*batch, *array.shape[1:])


def _drift(system: System, q: Floats, qd: Floats, work: Floats) -> Floats:
    """Return by how much the conserved energy has changed without work."""
    if not is_balanced(system.robot):
        return np.full_like(work, np.nan)
    with np.errstate(all="ignore"):
        if system.robot.base.is_still:
            kinetic, potential = _energies(system.robot)(q, qd)
            off = kinetic + potential - work
        else:
            off = np.asarray(compiled_conserved(system.robot)(q, qd)[0]) - work
        return np.asarray(off - off[..., :1])


@lru_cache(maxsize=32)
def compiled_conserved(robot: Robot) -> Function:
    """Return the conserved energy, compiled once."""
    return conserved(robot).compile()


def _outputs(system: System, known: Mapping[str, Floats]) -> dict[str, Floats]:
    with np.errstate(all="ignore"):
        found = system.function(*(known[name] for name in system.given))
    return dict(zip(system.made, found, strict=True))


def _trajectory(
    robot: Robot,
    t: Floats,
    q: Floats,
    qd: Floats,
    found: Mapping[str, Floats],
    how: Options,
    counts: Mapping[str, int],
    status: str,
    drift: Floats,
    **more: Any,
) -> Trajectory:
    names = _names(robot)
    with np.errstate(all="ignore"):
        kinetic, potential = _energies(robot)(q, qd)
        residual, opening = _residuals(robot, q, qd)
        total = kinetic + potential
        work = total - total[..., :1] - drift
    return Trajectory(
        robot_name=robot.name,
        coordinate_names=names[0],
        velocity_names=names[1],
        t=t,
        q=q,
        qd=qd,
        qdd=np.broadcast_to(found["qdd"], qd.shape),
        tau=np.broadcast_to(found["tau_applied"], (*qd.shape[:-1], found["tau_applied"].shape[-1])),
        kinetic=np.asarray(kinetic),
        potential=np.broadcast_to(potential, q.shape[:-1]),
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
def _names(robot: Robot) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(robot.coordinate_names), tuple(robot.velocity_names)


@lru_cache(maxsize=32)
def _energies(robot: Robot) -> Function:
    return energy(robot).compile()


def _residuals(robot: Robot, q: Floats, qd: Floats) -> tuple[Floats, Floats]:
    """Return for each time the largest error of closed loops, and of their velocities."""
    if not robot.loops:
        return np.zeros(q.shape[:-1]), np.zeros(q.shape[:-1])
    found = _closure(robot)(q, qd, np.zeros_like(qd))
    left = np.abs(found.error).max(axis=-1, initial=0.0)
    shapes = _closure(robot).outputs
    of = {name: place for place, name in enumerate(shapes["velocities"].labels[0])}
    velocities = found.velocities[..., [of[name] for name in shapes["J"].labels[1]]]  # not of joints that follow others
    opening = np.abs(np.einsum("...ij,...j->...i", found.J, velocities)).max(axis=-1, initial=0.0)
    return left, opening


@lru_cache(maxsize=32)
def _closure(robot: Robot) -> Function:
    """Return errors and slopes of the loops, and the velocities of all joints."""
    closure, motion = loop_closure(robot), joint_motion(robot)
    same = replace(closure, arguments=motion.arguments)
    return fuse(same, motion).compile()
