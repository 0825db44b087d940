"""Rollouts: many simulations at once by fixed steps, compiled whole with the model."""

from __future__ import annotations

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
from .step import CARRIED, COUNTER, METHODS, STEP, step

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
    inputs: Mapping[str, ArrayLike] | None = None,
    hold: bool = False,
    dtype: DTypeLike = np.float64,
    out: Values | None = None,
    threads: int | None = None,
) -> Rollout:
    """Simulate by fixed steps, from one state or from many at once, without returning to Python between steps.

    The leading axes of all arrays are broadcast together, as in NumPy: each state can have its own torques. States that
    diverge become infinite or NaN, and leave the others alone.

    Parameters
    ----------
    q0, qd0
        Coordinates and velocities at the start, (..., coordinates) and (..., degrees of freedom).
    tau
        Torques and forces: constant, (n,); for each step, (steps, n) or (..., steps, n), where an axis of length 1
        means all steps; None for none. Or a Program that computes them: a controller, which is compiled into the step.
        Its output is ``tau``, or the only one it has. Its inputs ``q``, ``qd``, ``t`` and ``dt`` are the current
        coordinates, velocities and time, and the time step.
    dt
        The time step, in seconds.
    steps
        How many steps; by default as many as tau has.
    method
        "semi-implicit": Euler's method with the new velocities, of the first order, one evaluation of the model per
        step. "rk4": Runge and Kutta's, of the fourth order, four evaluations. Both keep quaternions at unit length.
    every
        States are returned after each so many steps, the first of them after the first so many; None returns the last
        state only, without the axis of rows.
    inputs
        The controller's other inputs by name, such as gains or a reference: constant, with the shape that the
        controller says, or with an axis of steps before it, and leading axes before that.
    hold
        Whether a controller's torques are kept during a step, as by a digital controller. Otherwise "rk4" evaluates the
        controller in each of its four stages.
    dtype
        The type of all arrays and computations: float64 or float32.
    out
        Memory for the states, (..., rows, coordinates + degrees of freedom); q and qd are then views of it.
    threads
        How many threads share the states; by default as many as pay off.

    Raises
    ------
    ProgramError
        If an argument does not fit; the message says which, and what would.

    Examples
    --------
    >>> robot = tf.robots.puma560()
    >>> t, q, qd = tf.rollout(robot, np.zeros((100, 6)), np.zeros(6), tf.gravity(robot), dt=1e-3, steps=1000)
    """
    check_robot(robot)
    if robot.symbols:
        raise ProgramError(f"{robot.name} has symbols; give them values with bind(…) before a rollout")
    if method not in METHODS:
        raise ProgramError(f"unknown method {method!r}; choose among {', '.join(map(repr, METHODS))}")
    controller = tau if isinstance(tau, Program) else None
    scalar, duration = arguments.scalar_type(dtype), arguments.time_step(dt)
    compiled = _compiled(robot, method, controller, bool(hold), scalar)
    kind = compiled.dtype
    q = arguments.on_manifold(robot, arguments.state("q0", q0, robot.coordinate_names, kind))
    qd = arguments.state("qd0", qd0, robot.velocity_names, kind)
    arguments.check_closed(robot, q)
    given = arguments.given_inputs(robot, tau, inputs, kind)
    count = arguments.step_count(steps, given)
    period, rows = arguments.rows_of(every, count)
    leading = {"q0": q.shape[:-1], "qd0": qd.shape[:-1], **{name: x.shape[:-2] for name, x in given.items()}}
    batch = arguments.batch_of(leading)
    first = np.concatenate([np.broadcast_to(x, (*batch, x.shape[-1])) for x in (q, qd)], axis=-1)
    states = arguments.memory(out, (*batch, *([] if rows is None else [rows]), first.shape[-1]), kind)
    if count:
        given[STEP] = np.full((1, 1), duration, kind)
        _run(compiled, first, given, states, count, period, threads)
        if not np.isfinite(states if rows is None else states[..., -1, :]).all():
            for name, array in given.items():
                arguments.refuse_unless_finite(name, array)
    elif rows is None:
        states[...] = first
    t = duration * (np.array(count) if rows is None else period * np.arange(1, rows + 1))
    number = q.shape[-1]
    return Rollout(t, states[..., :number], states[..., number:])


@lru_cache(maxsize=32)
def _compiled(robot: Robot, method: str, controller: Program | None, hold: bool, scalar: str) -> Steps:
    program = step(robot, method, controller, hold)
    carried = {made: name for made, name in CARRIED.items() if made in program.results}
    return Steps(program, carried, scalar)


def _run(
    compiled: Steps,
    first: Values,
    given: Mapping[str, Values],
    states: Values,
    steps: int,
    every: int,
    threads: int | None,
) -> None:
    """Do the steps, with all leading axes as one."""
    batch, size = first.shape[:-1], first.shape[-1]
    start: list[Values] = [first.reshape(-1, size)]
    count = len(start[0])
    results: list[Values | None] = [states.reshape(count, steps // every, size)]
    if COUNTER in compiled.program.arguments:
        start.append(np.zeros((count, 1), first.dtype))
        results.append(None)
    wide = (np.broadcast_to(given[name], (*batch, steps, given[name].shape[-1])) for name in compiled.given)
    compiled(start, [array.reshape(count, steps, array.shape[-1]) for array in wide], results, steps, every, threads)
