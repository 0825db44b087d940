"""Rollouts: many simulations at once by fixed steps, compiled whole with the model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..errors import ProgramError
from ..models.coordinates import INDEPENDENT
from ..models.loops.motors import check_efforts
from ..models.registry import check_robot
from ..program.program import Program
from ..robot.robot import Robot
from ..runtime.rollout import Steps
from . import rollout_arguments as arguments
from .rollout_checks import energy_error, warn_of_states
from .step import CARRIED, METHODS, STEP, step

Values = NDArray[Any]


class States(NamedTuple):
    """Times, coordinates and velocities."""

    t: Values
    q: Values
    qd: Values


class Rollout(States):
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

    _balance: Callable[[], Any] | None = None

    @cached_property
    def energy_error(self) -> Any:
        """The largest |E - E₀ - W| of each state, (...): by how much the steps change the energy without work.

        It is computed when it is asked for, by the same steps with the work as one more entry; the arrays that were
        given must be as they were.
        """
        if self._balance is None:
            raise ProgramError("this rollout is a copy, which does not hold what drove it; ask the original")
        return self._balance()

    def __reduce__(self) -> tuple[Any, ...]:
        return Rollout, tuple(self)


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
    efforts: str = INDEPENDENT,
) -> Rollout:
    """Simulate by fixed steps, from one state or many at once, without returning to Python between steps.

    Leading axes are broadcast together. States that diverge become infinite or NaN, and leave the others alone; a
    ``SimulationWarning`` says how many, and how many mechanisms met a singular state.

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
    efforts
        Whose torques tau has: "independent", one for each entry of qd, or "motors", those of ``robot.motors``.

    Raises
    ------
    ProgramError
        If an argument does not fit; the message says which, and what would.
    """
    compiled, layout = _step(robot, method, tau, hold, dtype, efforts)
    duration, kind = arguments.time_step(dt), compiled.dtype
    first, given = arguments.given(layout, q0, qd0, tau, inputs, kind)
    count = arguments.step_count(steps, given)
    period, rows = arguments.rows_of(every, count)
    states = arguments.memory(out, (*first.shape[:-1], *([] if rows is None else [rows]), first.shape[-1]), kind)
    _run(compiled, first, {**given, STEP: np.full(1, duration, kind)}, states, count, period, threads)
    times = duration * (np.array(count) if rows is None else period * np.arange(1, rows + 1))
    found = Rollout(times, *np.split(states, [len(layout.coordinates)], axis=-1))
    warn_of_states(robot, layout.closure, first, states, close=period == 1)
    driven = {**given, STEP: np.full(1, duration, kind)}

    def balance() -> Any:
        counting, _ = _step(robot, method, tau, hold, dtype, efforts, work=True)
        again, work = np.empty_like(states), np.empty((*states.shape[:-1], 1), kind)
        _run(counting, first, driven, again, count, period, threads, work)
        return energy_error(robot, first, again, work[..., 0], rows is not None)

    found._balance = balance
    return found


def _step(
    robot: Robot, method: str, tau: object, hold: bool, dtype: DTypeLike, efforts: str, work: bool = False
) -> tuple[Steps, arguments.Layout]:
    """Return the compiled step, or say why there is none."""
    check_robot(robot)
    check_efforts(efforts)
    if method not in METHODS:
        raise ProgramError(f"unknown method {method!r}; choose among {', '.join(map(repr, METHODS))}")
    controller = tau if isinstance(tau, Program) else None
    return _compiled(robot, method, controller, bool(hold), arguments.scalar_type(dtype), efforts, work)


@lru_cache(maxsize=32)
def _compiled(
    robot: Robot, method: str, controller: Program | None, hold: bool, scalar: str, efforts: str, work: bool
) -> tuple[Steps, arguments.Layout]:
    if robot.symbols:
        raise ProgramError(f"{robot.name} has symbols; give them values with bind(…) before a rollout")
    program, torques = step(robot, method, controller, hold, efforts, work)
    carried = {made: name for made, name in CARRIED.items() if made in program.results}
    return Steps(program, carried, scalar), arguments.Layout.of(robot, torques)


def _run(
    compiled: Steps,
    first: Values,
    given: Mapping[str, Values],
    states: Values,
    steps: int,
    every: int,
    threads: int | None,
    work: Values | None = None,
) -> None:
    """Do the steps, with all leading axes as one; ``work`` is memory for the work at each row."""
    batch, size = first.shape[:-1], first.shape[-1]
    start = first.reshape(math.prod(batch), size)
    if not steps:
        states[...] = first if states.size else states
        if work is not None:
            work[...] = 0.0
        return
    inputs = compiled.program.inputs
    zeros = [np.zeros((len(start), inputs[name].size), first.dtype) for name in compiled.carried[1:]]
    wide = [np.broadcast_to(given[name], (*batch, steps, given[name].shape[-1])) for name in compiled.given]
    flat = [array.reshape(len(start), steps, array.shape[-1]) for array in wide]
    rows = states.reshape(len(start), steps // every, size)
    others: list[Values | None] = [None] * len(zeros)
    if work is not None:
        others[-1] = work.reshape(len(start), steps // every, 1)
    compiled([start, *zeros], flat, [rows, *others], steps, every, threads)
    if not np.isfinite(rows[:, -1]).all():
        for name, array in given.items():
            arguments.refuse_unless_finite(name, array)
