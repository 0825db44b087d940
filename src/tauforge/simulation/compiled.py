"""Simulations by methods that are compiled with the model: one state or many, in slices without a return to Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError
from ..llvm.march.tables import (
    BRANCHES,
    CONTROLS,
    DONE,
    ENDLESS,
    FULL,
    LEAVES,
    NOT_FINITE,
    PROGRAMS,
    RUNNING,
    SINGULAR,
    TOLERANCES,
    TOO_MANY,
    TOO_SMALL,
    UNBALANCED,
)
from ..program.program import Program
from ..progress import Progress
from ..robot.robot import Robot
from ..runtime.march import March, Method, Task, control
from .balance import FURTHER, SAFETY, OutOfBalance, unseen
from .branching import NEAR, Branches
from .divergence import PER_DOUBLING, Growth
from .drive import Table
from .flow import flow
from .imbalance import is_singular
from .options import Options
from .passage import Passage
from .start import Start
from .system import System
from .tableaus import tableau

Floats = NDArray[np.float64]
SLICE = 1e8
"""Operations of a slice, about a twentieth of a second: then progress is shown, and an interrupt gets through."""
CHUNK = 512
"""States that are integrated to the end before others begin."""
FIRST_SLICE, DOUBLED = 256, 4096
"""Steps of the first slice. Then as many follow as were taken, and from the second number on a part of them, so that
the growth of a motion is seen from early on.
"""
CARRIED_ON = (
    "t", "h", "segment", "row", "growth", "steps", "rejected", "evaluations", "jacobians",
    "balance", "allowed", "drift", "amount",
)  # fmt: skip
"""Controls of a state that goes on in other coordinates."""
ROWS = 256
"""Steps for which there is memory at first, if the results are wanted at the steps."""
MOST_BYTES = 2**28
"""Memory for states at the integrator's own steps. The trajectory made of them takes some six times as much."""
FULL_MEMORY = (
    f"its own steps fill {MOST_BYTES // 2**20} MB, the most that is kept; give the times of the results, not a duration"
)
REASONS = {
    TOO_SMALL: "no step is short enough to keep the tolerance",
    NOT_FINITE: "even in the shortest step, the state or its rates exceed the largest numbers",
    TOO_MANY: "it has tried max_steps steps",
    FULL: FULL_MEMORY,
}
FAILED = (TOO_SMALL, NOT_FINITE, UNBALANCED, SINGULAR)
"""Why a state can have been given up near a singular state of the mechanism."""
NO_START = "the accelerations at t = {} are not finite: the inertia matrix is singular, or a number too large"
STATUS = {
    RUNNING: "interrupted",
    DONE: "done",
    TOO_SMALL: "step too small",
    NOT_FINITE: "not finite",
    TOO_MANY: "too many steps",
    UNBALANCED: "energy error",
    SINGULAR: "singular",
    LEAVES: "singular",
    BRANCHES: "branches",
    ENDLESS: "diverges",
    FULL: "too many results",
}
"""What the status of a state is called."""


def check_start(system: System, y: Floats) -> None:
    """Refuse a start at which the accelerations are not finite."""
    system.drive.start(0.0, *system.split(y)[:2])
    if not np.isfinite(system.rates(0.0, y)).all():
        raise ProgramError(NO_START.format(system.clock.said(0.0)))


@lru_cache(maxsize=32)
def march_of(
    robot: Robot, program: Program, method: str, count: int, whole: bool = False, careful: bool = False
) -> tuple[March, tuple[str, ...]]:
    """Return a method compiled with a model, for so many states, and the names of the inputs."""
    rule = tableau(method)
    made = flow(robot, program, not rule.is_explicit, whole, careful)
    programs = {name: getattr(made, name) for name in PROGRAMS if getattr(made, name) is not None}
    given = sum(program.inputs[name].size for name in made.given)
    factors = made.solve.inputs["factors"].size if made.solve else 0
    numbers = rule.numbers
    how = Method(rule.stages, rule.extra, rule.P.shape[1], numbers, float(numbers[4]))
    return March(programs, how, made.rates.inputs["state"].size, given, factors, count), made.given


class Course:
    """The way of states through time. Whatever happens, it holds what was computed.

    Parameters
    ----------
    system
        The equations of motion.
    table
        Their inputs, with an axis of states before that of times.
    y
        The states at the start, (states, size).
    span
        First and last time, for the way to a break; by default those of the system's clock, which has the times of the
        results too.
    before
        The controls of the states, if they have been on their way in other coordinates.
    careful
        Whether stages of explicit methods in all coordinates are brought to the loops.
    """

    def __init__(
        self,
        system: System,
        table: Table,
        y: Floats,
        how: Options,
        span: tuple[float, float] | None = None,
        before: Floats | None = None,
        careful: bool = True,
    ) -> None:
        self.system, self.how, self.table, self.is_careful = system, how, table, careful
        if y.shape[1] == system.size:
            y = np.concatenate([y, np.zeros((len(y), 1))], axis=1)  # the work
        self._start = y
        size = y.shape[1]
        times = None if span else system.clock.seconds
        self.span = span = span or (0.0, system.clock.duration)
        form = system.whole, system.whole and careful
        self.march, names = march_of(system.robot, system.program, how.method, min(len(y), 64), *form)
        self.records = self.march.records(span[0], y)
        control(self.records, "row")[:] = 1.0
        if before is not None:
            for name in CARRIED_ON:
                control(self.records, name)[:] = control(before, name)
            control(self.records, "stale")[:] = 1.0
        self.first_rows = control(self.records, "row").astype(int) if before is not None else np.zeros(len(y), int)
        inside = [x for x in table.starts if span[0] < x < span[1]]
        breaks = np.array([span[0], *inside, span[1]])
        self._growth = dict[int, Growth]()
        self._due, self._why = np.full(len(y), float(FIRST_SLICE)), dict[int, str]()
        rows = int(self.first_rows.max(initial=0)) + 1 + ROWS if times is None else len(times)
        results = np.full((len(y), rows, size), np.nan)
        if before is None:
            results[:, 0] = y
        head = len(TOLERANCES)
        tolerances = np.full(size + head, np.inf)
        tolerances[:head], tolerances[head:-1] = (
            (how.rtol, how.max_step, SAFETY, unseen(system.robot, how.rtol)),
            how.atol,
        )
        control(self.records, "blind")[:] = system.blind(how.rtol)
        self.task = Task(
            np.full(rows, span[0]) if times is None else times,
            breaks,
            np.ascontiguousarray(_inputs(table, names, breaks[:-1])),
            results,
            tolerances,
            times is None,
            2**62 if how.max_steps is None else how.max_steps,
        )

    def run(self) -> None:
        """Integrate all states, slice by slice."""
        progress, count = Progress("simulating"), len(self.records)
        start, duration = self.span[0], self.span[1] - self.span[0]
        try:
            for first in range(0, count, CHUNK):
                own = slice(first, first + CHUNK)
                inputs = self.task.inputs[own] if len(self.task.inputs) > 1 else self.task.inputs
                records = self.records[own]
                most, budget = max(1, int(SLICE / (self.march.work * len(records)))), FIRST_SLICE
                while self._is_running(records):
                    task = self.task._replace(inputs=inputs, results=self.task.results[own])
                    self.march(records, task, min(budget, most), self.how.threads)
                    self.let_regular_go_on(own)
                    self._watch_growth(own)
                    tried = int((control(records, "steps") + control(records, "rejected")).max())
                    budget = tried if tried < DOUBLED else int(tried * (2.0 ** (1.0 / PER_DOUBLING) - 1.0))
                    passed = float(control(records, "t").sum()) - start * len(records)
                    part = (first + passed / duration) / count
                    progress.show(part, f"t = {self.system.clock.said(start + part * duration)} s")
                    self._make_room()
        finally:
            progress.clear()

    def let_regular_go_on(self, own: slice) -> None:
        """Let states go on whose errors are as large as at a singular state, but which are not near one."""
        records = self.records[own]
        for k in np.flatnonzero(control(records, "status") == SINGULAR):
            if not is_singular(self.system.robot, self.system.settled(self._state(own.start + k)[: self.system.nq])):
                control(records, "status")[k] = RUNNING
                control(records, "blind")[k] *= FURTHER

    def _watch_growth(self, own: slice) -> None:
        """Stop the states that will not get to the end."""
        records, due = self.records[own], self._due[own]
        steps = control(records, "steps")
        for k in np.flatnonzero((control(records, "status") == RUNNING) & (steps >= due)):
            state = int(own.start + k)
            if state not in self._growth:
                self._growth[state] = self._growth_of(state)
            growth, t = self._growth[state], float(control(records, "t")[k])
            growth.note(int(steps[k]), t, self.system.velocities(self._state(state)))
            due[k] = growth.due
            if why := growth.endless():
                self._why[state] = why
                control(records, "status")[k] = ENDLESS

    def _growth_of(self, state: int) -> Growth:
        return Growth(self.system.robot.velocity_names, self.system.clock, self.system.velocities(self._start[state]))

    def _state(self, state: int) -> Floats:
        """Return where a state is now."""
        at = len(CONTROLS)
        now: Floats = self.records[state, at : at + self._start.shape[1]]
        return now

    @property
    def now(self) -> Floats:
        """Where the states are, with the work."""
        at = len(CONTROLS)
        found: Floats = self.records[:, at : at + self._start.shape[1]].copy()
        return found

    def _is_running(self, records: Floats) -> bool:
        return bool((control(records, "status") == RUNNING).any())

    def _make_room(self) -> None:
        """Add memory for the results at steps if it is full, or stop where they take too much."""
        rows = len(self.task.times)
        if self.task.own and control(self.records, "row")[0] >= rows:
            if self.task.results.nbytes >= MOST_BYTES:
                control(self.records, "status")[0] = FULL
                return
            more = np.concatenate([self.task.results, np.full_like(self.task.results, np.nan)], axis=1)
            self.task = self.task._replace(times=np.resize(self.task.times, 2 * rows), results=more)

    @property
    def states(self) -> tuple[Floats, Floats]:
        """The times and states of a single state's results, with the work, and where it was in the end, unless it has
        left.
        """
        rows = slice(self.first_rows[0], int(control(self.records, "row")[0]))
        y = self.task.results[0, rows]
        t = self.task.times[rows][: len(y)]  # a method that returns after each step keeps none
        now = float(control(self.records, "t")[0])
        if self.status[0] != LEAVES and not (len(t) and now <= t[-1]):
            t = np.append(t, now)
            y = np.concatenate([y, self._state(0)[None]])
        return t, y

    def count(self, name: str) -> NDArray[np.int64]:
        """Return a count for each state."""
        return control(self.records, name).astype(np.int64)

    @property
    def status(self) -> NDArray[np.int64]:
        """The status of each state."""
        return self.count("status")

    def check(self) -> None:
        """Say why a single state was given up."""
        status = int(self.status[0])
        if status in (UNBALANCED, SINGULAR):
            raise self.out_of_balance(status)
        if status not in (RUNNING, DONE):
            now = self.system.clock.said(float(control(self.records, "t")[0]))
            if status == ENDLESS:
                raise ProgramError(f"the integrator gave up at t = {now} s: {self._why[0]}")
            if status == NOT_FINITE and not self.count("steps")[0]:
                check_start(self.system, self._start[0, :-1])
            raise ProgramError(f"the integrator gave up at t = {now}: {REASONS[status]}{self._exploded()}")

    def _exploded(self) -> str:
        """Return the end of a message about a single state that failed: how its motion diverged."""
        t, y = self.states
        return self._growth.get(0, self._growth_of(0)).exploded(t, self.system.velocities(y))

    def out_of_balance(self, status: int) -> OutOfBalance:
        """Return the error of a single state whose energy is wrong."""
        t, drift = (float(control(self.records, name)[0]) for name in ("t", "drift"))
        error = OutOfBalance(t, status, self._state(0)[:-1], drift)
        error.diverged = self._exploded()
        return error

    def interpolant(self, state: int, t: float, h: float) -> Callable[[float], Floats]:
        """Return the interpolant of a state's last step of length h, from the time t on, with the work."""
        rule, size = tableau(self.how.method), self._start.shape[1]
        at = len(CONTROLS) + 2 * size
        old = self.records[state, at : at + size].copy()
        u = self.records[state, at + size :].reshape(-1, size).copy()
        for i in range(rule.stages, len(rule.c)):  # increments that only the interpolant needs
            u[i] = h * self._rates(state, t + rule.c[i] * h, old + rule.A[i, :i] @ u[:i])
        powers = np.arange(1.0, rule.P.shape[1] + 1.0)
        return lambda time: old + (rule.P @ ((time - t) / h) ** powers) @ u

    def _rates(self, state: int, t: float, y: Floats) -> Floats:
        """Return the time derivative of a state, with the power."""
        driven = {name: rows[state if len(rows) > 1 else 0, 0] for name, rows in self.inputs(np.array([t])).items()}
        rate = self.system.rates(t, y[:-1], {"t": t, **driven})
        return np.append(rate, self.system.powers[-1])

    def inputs(self, t: Floats) -> dict[str, Floats]:
        """Return the inputs at some times, with axes for states and times."""
        row = np.maximum(np.searchsorted(self.table.starts, t, side="right") - 1, 0)
        return {name: rows[:, row] for name, rows in self.table.rows.items()}


@final
class Courses:
    """The way of states through time, in the coordinates that suit each.

    Attributes
    ----------
    parts
        The ways in independent and in all coordinates, in that order, each with the numbers of its states.
    branches
        Singular states of the mechanism at which states have stopped.
    """

    def __init__(
        self, passage: Passage, table: Table, first: Start, whole: NDArray[np.bool_], how: Callable[[System], Options]
    ) -> None:
        self.passage, self.table, self._whole, self._how = passage, table, whole, how
        self.parts = list[tuple[Course, NDArray[np.intp]]]()
        self.count, self.branches = len(whole), dict[int, Branches]()
        self._start = passage.whole_start(first) if whole.any() else first.y
        if not (whole.size and whole.all()):
            own = np.flatnonzero(~whole)
            self._course(False, first.y[own], own)
        else:
            self._course(True, self._start, np.flatnonzero(whole))

    def _course(
        self, whole: bool, y: Floats, own: NDArray[np.intp], before: Floats | None = None, careful: bool = False
    ) -> Course:
        """Add the way of some states."""
        system = self.passage.system(whole)
        if before is None:
            y = np.concatenate([y, np.zeros((len(y), system.size - y.shape[1]))], axis=1)
        rows = {name: x[own] if len(x) > 1 else x for name, x in self.table.rows.items()}
        careful = careful or not self.passage.is_steady
        course = Course(system, Table(self.table.starts, rows), y, self._how(system), None, before, careful)
        if whole:
            control(course.records, "limit")[:] = NEAR if self.passage.stops or not careful else 0.0
        elif self.passage.limit:
            control(course.records, "limit")[:] = self.passage.limit
            control(course.records, "margin")[:] = self.passage.margins(y)
        self.parts.append((course, own))
        return course

    def run(self) -> None:
        """Integrate all states."""
        course, own = self.parts[0]
        if not course.system.whole:
            course.run()
            left = _left(course)
            if len(left):
                self._in_all(
                    self._course(True, self.passage.converted(course.now[left]), own[left], course.records[left])
                )
            if self._whole.any():
                some = np.flatnonzero(self._whole)
                self._in_all(self._course(True, self._start[some], some))
        else:
            self._in_all(course)

    def _in_all(self, course: Course) -> None:
        """Integrate states in all coordinates, and with care those that come near a singular state of the mechanism."""
        self._run(course, self.parts[-1][1])
        own, left = self.parts[-1][1], _left(course)
        if not course.is_careful and len(left):
            passing = [k for k in left if self._goes_on(course, int(k), int(own[k]))]
            if not passing:
                return
            control(course.records, "status")[passing] = LEAVES
            course = self._course(True, course.now[passing], own[passing], course.records[passing], True)
            own = own[passing]
            self._run(course, own)
            left = _left(course)
        while len(left):
            for k in left:
                self._goes_on(course, int(k), int(own[k]))
            self._run(course, own)
            left = _left(course)

    def _run(self, course: Course, own: NDArray[np.intp]) -> None:
        """Integrate states; those that fail may have passed a singular state of the mechanism in their last step."""
        course.run()
        for k in np.flatnonzero(np.isin(course.status, FAILED)):
            why = course.status[k]
            if self._goes_on(course, int(k), int(own[k]), failed=True):
                control(course.records, "status")[k] = why

    def _goes_on(self, course: Course, k: int, number: int, failed: bool = False) -> bool:
        """Tell whether a state goes on: not if its last step has passed a singular state of the mechanism."""
        record, size = course.records[k : k + 1], course.system.size + 1
        at = len(CONTROLS)
        now, old = record[0, at : at + size], record[0, at + 2 * size : at + 3 * size]
        t, h = float(control(record, "t")[0]), float(control(record, "step")[0])
        control(record, "status")[:] = RUNNING
        try:
            self.passage.check(course.system, t - h, h, old, now, lambda: course.interpolant(k, t - h, h), failed)
        except Branches as branches:
            self.branches[number] = branches
            control(record, "status")[:] = BRANCHES
            control(record, "t")[:] = branches.t
            now[:] = branches.y
            rows = int(control(record, "row")[0])
            rows = rows - 1 if course.task.own else int(np.searchsorted(course.task.times, branches.t, side="right"))
            course.task.results[k, rows:] = np.nan
            control(record, "row")[:] = rows
            return False
        return True

    def count_of(self, name: str) -> NDArray[np.int64]:
        """Return a count for each state."""
        found = np.zeros(self.count, np.int64)
        for course, own in self.parts:
            found[own] = course.count(name)
        return found

    @property
    def reached(self) -> Floats:
        """The time that each state has reached."""
        found = np.zeros(self.count)
        for course, own in self.parts:
            found[own] = control(course.records, "t")
        return found

    def check(self) -> None:
        """Say why a single state was given up."""
        if self.branches:
            raise self.branches[0]
        self.parts[-1][0].check()

    @property
    def changes(self) -> list[float]:
        """When states have changed their coordinates."""
        return sorted(
            float(t)
            for course, _ in self.parts
            for t in control(course.records, "t")[(course.status == LEAVES) & (not course.system.whole)]
        )


def _left(course: Course) -> NDArray[np.intp]:
    """Return the states that have left their way before the end."""
    status = control(course.records, "status")
    status[(status == LEAVES) & (control(course.records, "t") >= course.span[1])] = DONE
    return np.flatnonzero(status == LEAVES)


def _inputs(table: Table, names: tuple[str, ...], starts: Floats) -> Floats:
    """Return the inputs in the order of the Programs: (states, segments, entries)."""
    row = np.maximum(np.searchsorted(table.starts, starts, side="right") - 1, 0)
    parts = [table.rows[name][:, row].reshape(len(table.rows[name]), len(row), -1) for name in names]
    if not parts:
        return np.zeros((1, len(row), 1))
    if len(parts) == 1:
        return parts[0]
    states = max(len(part) for part in parts)
    return np.concatenate([np.broadcast_to(part, (states, *part.shape[1:])) for part in parts], axis=2)


class Stepper:
    """A compiled method that returns after each step, with the interface of SciPy's integrators: for events, and for
    torques that Python computes from sample to sample.
    """

    def __init__(
        self, system: System, t: float, y: Floats, stop: float, first_step: float | None, how: Options
    ) -> None:
        self.status, self.t, self.t_old, self.y = "running", t, t, y
        self._system, self._size = system, system.size + 1
        given = system.driven(t, *system.split(y)[:2])
        table = Table(
            np.array([-np.inf]), {name: np.asarray(x)[None, None] for name, x in given.items() if name != "t"}
        )
        self._course = Course(system, table, y[None], how._replace(max_steps=None), (t, stop))
        self._course.task = self._course.task._replace(results=np.zeros((1, 0, self._size)), own=False)
        if first_step:
            control(self._course.records, "h")[:] = first_step
        self._counted = (0, 0)

    def step(self) -> str | None:
        """Take a step, and return why there is none."""
        course, records = self._course, self._course.records
        before = control(records, "steps")[0]
        while control(records, "steps")[0] == before and course.status[0] == RUNNING:
            course.march(records, course.task, 1, 1)
            course.let_regular_go_on(slice(0, 1))
        self._count()
        status = int(course.status[0])
        if status in (UNBALANCED, SINGULAR):
            raise course.out_of_balance(status)
        if status in REASONS:
            self.status = "failed"
            return REASONS[status]
        at = len(CONTROLS)
        self.t_old, self.t = self.t, float(control(records, "t")[0])
        self.y = records[0, at : at + self._size - 1].copy()
        self.h_abs = float(control(records, "h")[0])
        self.status = "finished" if status == DONE else "running"
        return None

    @property
    def work(self) -> float:
        """The work since the start."""
        return float(self._course.records[0, len(CONTROLS) + self._size - 1])

    @property
    def work_error(self) -> float:
        """What the estimated errors since the start do to the balance of energy."""
        return float(control(self._course.records, "allowed")[0])

    def _count(self) -> None:
        counted = int(self._course.count("evaluations")[0]), int(self._course.count("jacobians")[0])
        self._system.evaluations += counted[0] - self._counted[0]
        self._system.jacobians += counted[1] - self._counted[1]
        self._counted = counted

    def dense_output(self) -> Any:
        """Return the interpolant of the last step."""
        t, h, end = self.t_old, self.t - self.t_old, self.y
        state = self._course.interpolant(0, t, h)
        return lambda time: end if time == t + h else state(time)[:-1]
