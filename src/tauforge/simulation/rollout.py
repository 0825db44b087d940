"""Rollouts: many simulations at once by fixed steps, compiled whole with the model."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..errors import ProgramError
from ..models.registry import check_robot
from ..program.program import Program
from ..robot.robot import Robot
from ..runtime.rollout import Steps
from . import rollout_arguments as arguments
from .constrained import independent_places
from .passage import ALL, AUTO, INDEPENDENT, LIMIT, checked_choice, in_all_coordinates, margins
from .step import CARRIED, METHODS, STEP, step

Values = NDArray[Any]


class Rollout(NamedTuple):
    """The states of a rollout.

    Attributes
    ----------
    t
        Times since the start, (rows,).
    q
        Coordinates, (..., rows, coordinates).
    qd
        Velocities, (..., rows, degrees of freedom).
    """

    t: Values
    q: Values
    qd: Values


def rollout(
    robot: Robot,
    q0: ArrayLike,
    qd0: ArrayLike,
    tau: ArrayLike | Program | None,
    dt: float,
    *,
    steps: int | None = None,
    method: str = METHODS[0],
    every: int | None = 1,
    inputs: Mapping[str, ArrayLike | Mapping[str, ArrayLike]] | None = None,
    hold: bool = False,
    dtype: DTypeLike = np.float64,
    out: Values | None = None,
    threads: int | None = None,
    coordinates: str = AUTO,
) -> Rollout:
    """Simulate by fixed steps, from one state or many at once, without returning to Python between steps.

    Leading axes are broadcast together. States that diverge become infinite or NaN, and leave the others alone.

    Parameters
    ----------
    q0, qd0
        Coordinates and velocities at the start, (..., coordinates) and (..., n).
    tau
        Torques: constant, (n,); for each step, (steps, n) or (..., steps, n), where an axis of length 1 means all
        steps; None for none; or a controller, a Program ``q, qd, … -> tau`` that is compiled into the step.
    dt, steps
        The time step in seconds, and how many steps; by default as many as tau has.
    method
        "semi-implicit", Euler's method with the new velocities, or "rk4", Runge and Kutta's of the fourth order.
    every
        States are returned after each so many steps; None returns the last only, without an axis for rows.
    inputs
        The controller's inputs other than q, qd, t and dt, by name: for all steps, or with an axis of steps. Its
        ``parameters`` can also be a mapping from their names to values.
    hold
        Whether a controller's torques are kept during a step. Otherwise they follow the stages of "rk4".
    dtype
        The type of all arrays and computations: float64 or float32.
    out
        Memory for the states, (..., rows, coordinates + n); q and qd are then views of it.
    threads
        How many threads share the states; by default as many as pay off.
    coordinates
        With closed loops, as in ``simulate``; by default, states that the independent joints do not describe well all
        the way are computed in all coordinates from the start. qd0 can be that of all joints.

    Raises
    ------
    ProgramError
        If an argument does not fit; the message says which, and what would.
    """
    compiled, layout = _step(robot, method, tau, hold, dtype, checked_choice(robot, coordinates))
    duration, kind = arguments.time_step(dt), compiled.dtype
    first, given, full = arguments.given(layout, q0, qd0, tau, inputs, kind)
    count = arguments.step_count(steps, given)
    period, rows = arguments.rows_of(every, count)
    states = arguments.memory(out, (*first.shape[:-1], *([] if rows is None else [rows]), first.shape[-1]), kind)
    given = {**given, STEP: np.full(1, duration, kind)}
    if not robot.loops or coordinates == INDEPENDENT:
        _run(compiled, first, given, states, count, period, threads)
    else:
        whole = _step(robot, method, tau, hold, dtype, ALL)[0]
        _run_in_some(robot, compiled, whole, first, full, given, states, count, period, threads, coordinates == AUTO)
    times = duration * (np.array(count) if rows is None else period * np.arange(1, rows + 1))
    return Rollout(times, *np.split(states, [len(layout.coordinates)], axis=-1))


def _step(
    robot: Robot, method: str, tau: object, hold: bool, dtype: DTypeLike, coordinates: str
) -> tuple[Steps, arguments.Layout]:
    """Return the compiled step, or say why there is none."""
    check_robot(robot)
    if method not in METHODS:
        raise ProgramError(f"unknown method {method!r}; choose among {', '.join(map(repr, METHODS))}")
    controller = tau if isinstance(tau, Program) else None
    return _compiled(robot, method, controller, bool(hold), arguments.scalar_type(dtype), coordinates)


@lru_cache(maxsize=32)
def _compiled(
    robot: Robot, method: str, controller: Program | None, hold: bool, scalar: str, coordinates: str
) -> tuple[Steps, arguments.Layout]:
    if robot.symbols:
        raise ProgramError(f"{robot.name} has symbols; give them values with bind(…) before a rollout")
    program = step(robot, method, controller, hold, coordinates == ALL, coordinates == AUTO)
    carried = {made: name for made, name in CARRIED.items() if made in program.results}
    return Steps(program, carried, scalar), arguments.Layout.of(robot)


def _run_in_some(
    robot: Robot,
    compiled: Steps,
    whole: Steps,
    first: Values,
    full: Values | None,
    given: Mapping[str, Values],
    states: Values,
    steps: int,
    every: int,
    threads: int | None,
    auto: bool,
) -> None:
    """Do the steps of a robot with closed loops: in all coordinates if asked, or for the states that need it."""
    batch, size = first.shape[:-1], first.shape[-1]
    nq, places = len(robot.coordinate_names), independent_places(robot)
    flat = first.reshape(-1, size)
    wide = {name: np.broadcast_to(x, (*batch, *x.shape[-2:])) if x.ndim > 1 else x for name, x in given.items()}
    some = np.ones(len(flat), bool)
    if auto and full is None:
        margin = margins(robot, flat)
        worst = _run(compiled, first, given, states, steps, every, threads, np.stack([margin, margin], axis=-1))
        some = ~(worst >= LIMIT)
    if not some.any():
        return
    start = in_all_coordinates(robot, flat[some], None if full is None else full.reshape(-1, full.shape[-1])[some])
    own = {name: x.reshape(-1, *x.shape[-2:])[some] if x.ndim > 1 else x for name, x in wide.items()}
    count = states.reshape(len(flat), -1, size).shape[1]
    found = np.empty((len(start), count, start.shape[-1]), states.dtype)
    _run(whole, start.astype(states.dtype), own, found, steps, every, threads)
    states.reshape(len(flat), -1, size)[some] = found[..., [*range(nq), *(nq + k for k in places)]]


def _run(
    compiled: Steps,
    first: Values,
    given: Mapping[str, Values],
    states: Values,
    steps: int,
    every: int,
    threads: int | None,
    margin: Values | None = None,
) -> Values:
    """Do the steps, with all leading axes as one, and return the least margins of independent joints, if watched."""
    batch, size = first.shape[:-1], first.shape[-1]
    start = first.reshape(math.prod(batch), size)
    if not steps:
        states[...] = first if states.size else states
        return np.ones(len(start))
    inputs = compiled.program.inputs
    zeros = [np.zeros((len(start), inputs[name].size), first.dtype) for name in compiled.carried[1:]]
    wide = [np.broadcast_to(given[name], (*batch, steps, given[name].shape[-1])) for name in compiled.given]
    flat = [array.reshape(len(start), steps, array.shape[-1]) for array in wide]
    rows = states.reshape(len(start), steps // every, size)
    kept: list[Values | None] = [rows, *[None] * len(zeros)]
    if margin is not None:
        zeros[-1][:] = margin
        kept[-1] = least = np.empty((len(start), steps // every, 2), first.dtype)
    compiled([start, *zeros], flat, kept, steps, every, threads)
    if not np.isfinite(rows[:, -1]).all():
        for name, array in given.items():
            arguments.refuse_unless_finite(name, array)
    return np.ones(len(start)) if margin is None else least[:, -1, 0]
