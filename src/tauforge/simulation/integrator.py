"""The loop over the steps of an integrator: from break to break, with events, results at given times, and progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import integrate

from ..errors import ProgramError
from ..progress import Progress
from .balance import OutOfBalance
from .branching import Branches
from .compiled import FULL_MEMORY, MOST_BYTES, Stepper, check_start
from .divergence import Growth
from .energy_check import EnergyCheck
from .events import Event, Watch
from .options import IMPLICIT, SUNDIALS, Options
from .passage import Passage
from .sundials import Sundials
from .system import System
from .tableaus import COMPILED

Floats = NDArray[np.float64]

WELL_BEFORE = 0.9
"""Part of the time until which wrong energies are the reason of what then fails, not its first sign."""


@dataclass
class Record:
    """What a simulation has computed so far.

    Attributes
    ----------
    t
        Times of the results, in seconds since the start.
    y
        States at these times.
    systems
        The equations of motion in the coordinates of these states, each with the number of its first result and when
        it took over.
    reached
        The last time and state that the integrator has accepted.
    steps
        Steps of the integrator.
    events
        What has happened.
    check
        The check of energy.
    """

    t: list[float] = field(default_factory=list)
    y: list[Floats] = field(default_factory=list)
    systems: list[tuple[int, System, float]] = field(default_factory=list)
    reached: tuple[float, Floats] | None = None
    steps: int = 0
    events: list[Event] = field(default_factory=list)
    check: EnergyCheck | None = None

    def add(self, t: float, y: Floats) -> None:
        """Add a result."""
        self.t.append(float(t))
        self.y.append(np.array(y))

    def cut(self, t: float, y: Floats) -> None:
        """Leave out what is later than a state that was reached."""
        count = int(np.searchsorted(self.t, t, side="right"))
        self.t, self.y, self.reached = self.t[:count], self.y[:count], (t, y)

    def close(self) -> None:
        """Add the state that was reached after the last result, if there is one."""
        if self.reached and (not self.t or self.reached[0] > self.t[-1]):
            self.add(*self.reached)


def run(
    passage: Passage,
    system: System,
    record: Record,
    y: Floats,
    watch: Watch,
    how: Callable[[System], Options],
) -> None:
    """Integrate from the start to the end of the system's clock, and keep the results in the record."""
    clock, t, end = system.clock, 0.0, system.clock.duration
    times, most = clock.seconds, how(system).max_steps
    record.systems.append((0, system, t))
    record.add(t, y)
    record.reached = (t, y)
    check_start(system, y)
    if watch:
        watch.start(t, y)
    growth = Growth(system.robot.velocity_names, clock, system.velocities(y))
    check = record.check = EnergyCheck(system, how(system), y)
    progress = Progress("simulating")
    first_step: float | None = None
    wanted = [] if times is None else [float(x) for x in times[1:]]
    place = 0
    try:
        for stop in chain((x for x in system.drive.breaks if 0.0 < x < end), (end,)):
            system.drive.start(t, *system.split(y)[:2])
            margin, left = passage.leaves(system, 1.0, y, 0.0)[1], True
            while left:
                system.powers.clear()
                solver, left = _solver(system, t, y, stop, first_step, how(system)), False
                check.begin()
                while solver.status == "running" and not left:
                    if record.steps == most:
                        raise _given_up(system, record, growth, solver.t, "it has taken max_steps steps")
                    try:
                        stuck = _step(system, solver)
                    except OutOfBalance:
                        _failed_near(passage, system, record, solver.t, y)
                        raise
                    except ProgramError as error:  # of a function that got the state of a motion that diverges
                        raise ProgramError(f"{error}{_diverged(system, record, growth)}") from error.__cause__
                    if stuck:
                        _failed_near(passage, system, record, solver.t, y)
                        raise _given_up(system, record, growth, *stuck)
                    record.steps += 1
                    if times is None and len(record.t) * y.nbytes > MOST_BYTES:
                        raise _given_up(system, record, growth, solver.t, FULL_MEMORY)
                    try:
                        passage.check(system, solver.t_old, solver.t - solver.t_old, y, solver.y, solver.dense_output)
                    except Branches as branches:
                        record.reached = branches.t, branches.y
                        raise
                    y = np.array(solver.y)
                    check.note(solver)
                    halt = _watched(watch, record, solver)
                    until = halt[0] if halt else solver.t
                    place = _results(record, solver, wanted, place, until, times is None and not halt)
                    record.reached = halt or (solver.t, solver.y.copy())
                    progress.show(solver.t / end, f"t = {clock.said(solver.t)} s")
                    if halt:
                        record.close()
                        check.settle()
                        return
                    if record.steps >= growth.due:
                        growth.note(record.steps, solver.t, system.velocities(solver.y))
                        if why := growth.endless():
                            raise ProgramError(f"the integrator gave up at t = {clock.said(solver.t)} s: {why}")
                    ahead = getattr(solver, "h_abs", 0.0) / (solver.t - solver.t_old)
                    left, margin = passage.leaves(system, margin, solver.y, ahead)
                t, y = float(solver.t), system.settled_state(solver.y)
                first_step = getattr(solver, "h_abs", None)
                left, running = left and t < end, solver.status == "running"
                if left:
                    system, y, left = passage.system(True), passage.converted(y), running
                    record.systems.append((len(record.t), system, t))
                    record.reached = (t, y)
                    watch.follow(system.split)
                    check.follow(system, how(system), y)
        if end in system.drive.breaks:
            system.drive.start(end, *system.split(y)[:2])
        check.settle()
    except OutOfBalance as error:
        error.diverged = _diverged(system, record, growth)
        raise
    except ProgramError:
        check.settle(WELL_BEFORE * record.reached[0])  # what went wrong before explains more
        raise
    finally:
        progress.clear()


def _failed_near(passage: Passage, system: System, record: Record, t: float, y: Floats) -> None:
    """Raise an error if the step after a state has failed for a singular state of the mechanism."""
    if passage.stops:
        try:
            passage.check(system, t, 0.0, y, y, lambda: lambda time: y, failed=True)
        except Branches as branches:
            record.reached = branches.t, branches.y
            raise


def _given_up(system: System, record: Record, growth: Growth, t: float, why: str) -> ProgramError:
    """Return the error of an integrator that cannot go on, which says so if the motion diverged before."""
    diverged = _diverged(system, record, growth)
    return ProgramError(f"the integrator gave up at t = {system.clock.said(t)}: {why}{diverged}")


def _diverged(system: System, record: Record, growth: Growth) -> str:
    record.close()
    ends = [*(first for first, *_ in record.systems[1:]), len(record.t)]
    found = [np.zeros((0, len(system.robot.velocity_names)))]
    for (first, own, _), end in zip(record.systems, ends, strict=True):
        found.append(own.velocities(np.array(record.y[first:end]).reshape(-1, own.size)))
    return growth.exploded(record.t, np.concatenate(found))


def _solver(system: System, t: float, y: Floats, stop: float, first_step: float | None, how: Options) -> Any:
    """Return the integrator for the way to the next break."""
    if how.method in COMPILED:
        return Stepper(system, t, y, stop, first_step, how)
    if how.method in SUNDIALS:
        return Sundials(system, t, y, stop, first_step, how)
    more: dict[str, Any] = {"jac": system.jacobian} if how.method in IMPLICIT else {}
    if first_step:
        more["first_step"] = min(first_step, stop - t, how.max_step)
    make = getattr(integrate, how.method)
    return make(system.rates, t, y, stop, rtol=how.rtol, atol=how.atol, max_step=how.max_step, **more)


def _step(system: System, solver: Any) -> tuple[float, str] | None:
    """Take a step, or return from when on there is none, and why."""
    before = solver.t
    message = solver.step()
    if solver.status == "failed":
        return solver.t, system.flaw or str(message or "no step is short enough").rstrip(".")
    if not np.isfinite(solver.y).all():  # LSODA goes on with NaN
        return before, system.flaw or "the state is not finite"
    if not solver.t > before:
        return before, "no step changes the time"
    system.flaw = ""
    return None


def _watched(watch: Watch, record: Record, solver: Any) -> tuple[float, Floats] | None:
    """Note the events of a step, and return where one of them stops it."""
    if not watch:
        return None
    events, halt = watch.crossed(solver.t_old, solver.t, solver.y, solver.dense_output)
    record.events += events
    return halt


def _results(record: Record, solver: Any, wanted: list[float], place: int, until: float, own: bool) -> int:
    """Add the results that are wanted up to a time, and return the number of the next one."""
    if own:
        record.add(solver.t, solver.y)
    state: Callable[[float], Floats] | None = None
    while place < len(wanted) and wanted[place] <= until:
        if wanted[place] == solver.t:
            record.add(solver.t, solver.y)
        else:
            state = state or solver.dense_output()
            record.add(wanted[place], state(wanted[place]))
        place += 1
    return place
