"""Rollouts: many simulations at once by fixed steps, compiled whole with the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..errors import ProgramError
from ..models.loops.motors import check_efforts
from ..models.registry import check_robot
from ..program.program import Program
from ..robot.robot import Robot
from ..runtime.rollout import Steps
from . import rollout_arguments as arguments
from .constrained import independent_places
from .passage import ALL, AUTO, INDEPENDENT, LIMIT, checked_choice, in_all_coordinates, margins
from .rollout_checks import energy_error, warn_of_states
from .step import CARRIED, MARGIN, METHODS, STEP, WORK, step

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
    coordinates: str = AUTO,
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
    coordinates
        With closed loops, as in ``simulate``; by default, states that the independent joints do not describe well all
        the way are computed in all coordinates from the start. qd0 can be that of all joints.

    Raises
    ------
    ProgramError
        If an argument does not fit; the message says which, and what would.
    """
    check_robot(robot)
    compiled, layout = _step(robot, method, tau, hold, dtype, efforts, checked_choice(robot, coordinates))
    duration, kind = arguments.time_step(dt), compiled.dtype
    first, given, full = arguments.given(layout, q0, qd0, tau, inputs, kind)
    count = arguments.step_count(steps, given)
    period, rows = arguments.rows_of(every, count)
    states = arguments.memory(out, (*first.shape[:-1], *([] if rows is None else [rows]), first.shape[-1]), kind)
    ways = _Ways(robot, (method, tau, hold, dtype, efforts), coordinates, first, full)
    given = {**given, STEP: np.full(1, duration, kind)}
    ways.run(given, states, count, period, threads)
    times = duration * (np.array(count) if rows is None else period * np.arange(1, rows + 1))
    found = Rollout(times, *np.split(states, [len(layout.coordinates)], axis=-1))
    warn_of_states(robot, layout.closure, first, states, close=period == 1, passing=ways.whole)

    def balance() -> Any:
        again = np.empty_like(states)
        return ways.run(given, again, count, period, threads, work=True)

    found._balance = balance
    return found


class _Ways:
    """The states of a rollout, each in independent or in all coordinates.

    Attributes
    ----------
    whole
        Which states are computed in all coordinates, (...).
    """

    def __init__(
        self,
        robot: Robot,
        how: tuple[str, object, bool, DTypeLike, str],
        coordinates: str,
        first: Values,
        full: Values | None,
    ) -> None:
        self._robot, self._how = robot, how
        self._batch, self._first = first.shape[:-1], first.reshape(-1, first.shape[-1])
        self._full = None if full is None else full.reshape(-1, full.shape[-1])
        self._asked = coordinates if robot.loops else INDEPENDENT
        if self._full is not None and self._asked == INDEPENDENT:
            in_all_coordinates(robot, self._first, self._full)  # refuses velocities that open the loops
        self._watches, self._is_chosen = self._asked == AUTO and full is None, False
        self.whole: Values = np.full(self._batch, self._asked == ALL or (self._asked == AUTO and full is not None))

    def run(
        self,
        given: Mapping[str, Values],
        states: Values,
        steps: int,
        every: int,
        threads: int | None,
        work: bool = False,
    ) -> Values:
        """Do the steps; with the work, return by how much the energy of each state changes without it."""
        off = np.zeros(len(self._first))
        rows = states.reshape(len(self._first), steps // every, self._first.shape[-1]) if steps else None
        if rows is None:
            states[...] = self._first.reshape(*self._batch, -1) if states.size else states
            return off.reshape(self._batch)[()]
        wide = {
            name: np.broadcast_to(x, (*self._batch, *x.shape[-2:])).reshape(-1, *x.shape[-2:]) if x.ndim > 1 else x
            for name, x in given.items()
        }

        def part(whole: bool, start: Values) -> None:
            own = np.flatnonzero(self.whole.ravel() == whole)
            if not len(own):
                return
            everything = len(own) == len(rows) and not whole
            inputs = wide if everything else {name: x[own] if x.ndim > 1 else x for name, x in wide.items()}
            into = rows if everything else np.empty((len(own), rows.shape[1], start.shape[-1]), rows.dtype)
            spent = np.empty((len(own), rows.shape[1], 1), rows.dtype) if work else None
            coordinates = ALL if whole else AUTO if self._watches else INDEPENDENT
            compiled, _ = _step(self._robot, *self._how, coordinates, work=work)
            margin = self._margins(start) if coordinates == AUTO else None
            least = _run(
                compiled, np.ascontiguousarray(start, rows.dtype), inputs, into, steps, every, threads, spent, margin
            )
            if not np.isfinite(into[:, -1]).all():
                for name, array in given.items():
                    arguments.refuse_unless_finite(name, array)
            if spent is not None:
                off[own] = energy_error(self._robot, start, into, spent[..., 0], whole)
            if not everything:
                rows[own] = into[..., self._places] if whole else into
            if coordinates == AUTO and not self._is_chosen:
                self.whole = ~(least >= LIMIT).reshape(self._batch)

        flat = self.whole.ravel()
        if not flat.all():
            part(False, self._first[~flat])
        self._is_chosen = True
        if self.whole.any():
            own = self.whole.ravel()
            part(
                True, in_all_coordinates(self._robot, self._first[own], None if self._full is None else self._full[own])
            )
        return off.reshape(self._batch)[()]

    @property
    def _places(self) -> list[int]:
        nq = len(self._robot.coordinate_names)
        return [*range(nq), *(nq + k for k in independent_places(self._robot))]

    def _margins(self, start: Values) -> Values:
        """Return the margins at the start, the least and the last."""
        margin = margins(self._robot, start)
        return np.stack([margin, margin], axis=-1)


def _step(
    robot: Robot,
    method: str,
    tau: object,
    hold: bool,
    dtype: DTypeLike,
    efforts: str,
    coordinates: str,
    *,
    work: bool = False,
) -> tuple[Steps, arguments.Layout]:
    """Return the compiled step, or say why there is none."""
    check_robot(robot)
    check_efforts(efforts)
    if method not in METHODS:
        raise ProgramError(f"unknown method {method!r}; choose among {', '.join(map(repr, METHODS))}")
    controller = tau if isinstance(tau, Program) else None
    return _compiled(robot, method, controller, bool(hold), arguments.scalar_type(dtype), efforts, coordinates, work)


@lru_cache(maxsize=32)
def _compiled(
    robot: Robot,
    method: str,
    controller: Program | None,
    hold: bool,
    scalar: str,
    efforts: str,
    coordinates: str,
    work: bool,
) -> tuple[Steps, arguments.Layout]:
    if robot.symbols:
        raise ProgramError(f"{robot.name} has symbols; give them values with bind(…) before a rollout")
    program, torques = step(robot, method, controller, hold, efforts, work, coordinates == ALL, coordinates == AUTO)
    carried = {made: name for made, name in CARRIED.items() if made in program.results}
    return Steps(program, carried, scalar), arguments.Layout.of(robot, torques)


def _run(
    compiled: Steps,
    start: Values,
    given: Mapping[str, Values],
    rows: Values,
    steps: int,
    every: int,
    threads: int | None,
    work: Values | None,
    margin: Values | None,
) -> Values:
    """Do the steps, and return the least margin of each state, if it is watched.

    Parameters
    ----------
    rows, work
        Memory for the states and the work at each row.
    margin
        The least and the last margin at the start.
    """
    inputs = compiled.program.inputs
    known = {MARGIN: margin}
    carried = [
        np.zeros((len(start), inputs[name].size), start.dtype) if known.get(name) is None else known[name]
        for name in compiled.carried[1:]
    ]
    flat = [np.broadcast_to(given[name], (len(start), steps, given[name].shape[-1])) for name in compiled.given]
    judged = None if margin is None else np.empty((len(start), steps // every, 2), start.dtype)
    kept = [{WORK: work, MARGIN: judged}.get(name) for name in compiled.carried[1:]]
    compiled(
        [start, *(np.ascontiguousarray(x, start.dtype) for x in carried)], flat, [rows, *kept], steps, every, threads
    )
    return np.ones(len(start)) if judged is None else judged[:, -1, 0]
