"""The loop over the steps of an integrator: from break to break, with events, results at given times, and progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import integrate

from ..errors import ProgramError
from ..progress import Progress
from .compiled import NO_START, Stepper
from .events import Event, Watch
from .options import IMPLICIT, SUNDIALS, Options
from .sundials import Sundials
from .system import System
from .tableaus import COMPILED

Floats = NDArray[np.float64]


@dataclass
class Record:
    """What a simulation has computed so far.

    Attributes
    ----------
    t
        Times of the results, in seconds since the start.
    y
        States at these times.
    reached
        The last time and state that the integrator has accepted.
    steps
        Steps of the integrator.
    events
        What has happened.
    """

    t: list[float] = field(default_factory=list)
    y: list[Floats] = field(default_factory=list)
    reached: tuple[float, Floats] | None = None
    steps: int = 0
    events: list[Event] = field(default_factory=list)

    def add(self, t: float, y: Floats) -> None:
        """Add a result."""
        self.t.append(float(t))
        self.y.append(np.array(y))

    def close(self) -> None:
        """Add the state that was reached after the last result, if there is one."""
        if self.reached and (not self.t or self.reached[0] > self.t[-1]):
            self.add(*self.reached)


def run(
    system: System,
    record: Record,
    y: Floats,
    watch: Watch,
    how: Options,
) -> None:
    """Integrate from the start to the end of the system's clock, and keep the results in the record."""
    clock, t, end = system.clock, 0.0, system.clock.duration
    times = clock.seconds
    record.add(t, y)
    record.reached = (t, y)
    _check_start(system, t, y)
    if watch:
        watch.start(t, y)
    progress = Progress("simulating")
    first_step: float | None = None
    wanted = [] if times is None else [float(x) for x in times[1:]]
    place = 0
    try:
        for stop in (*(x for x in system.drive.breaks if t < x < end), end):
            system.drive.start(t, *system.split(y)[:2])
            solver = _solver(system, t, y, stop, first_step, how)
            while solver.status == "running":
                if record.steps == how.max_steps:
                    raise ProgramError(
                        f"the integrator gave up at t = {clock.said(solver.t)}: it has taken max_steps steps"
                    )
                _step(system, solver)
                record.steps += 1
                halt = _watched(watch, record, solver)
                until = halt[0] if halt else solver.t
                place = _results(record, solver, wanted, place, until, times is None and not halt)
                record.reached = halt or (solver.t, solver.y.copy())
                progress.show(solver.t / end, f"t = {clock.said(solver.t)} s")
                if halt:
                    record.close()
                    return
            t, y = float(solver.t), system.settled_state(solver.y)
            first_step = getattr(solver, "h_abs", None)
        if end in system.drive.breaks:
            system.drive.start(end, *system.split(y)[:2])
    finally:
        progress.clear()


def _check_start(system: System, t: float, y: Floats) -> None:
    system.drive.start(t, *system.split(y)[:2])
    if not np.isfinite(system.rates(t, y)).all():
        raise ProgramError(NO_START.format(system.clock.said(t)))


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


def _step(system: System, solver: Any) -> None:
    """Take a step, or say why there is none."""
    message = solver.step()
    if solver.status == "failed":
        why = system.flaw or str(message or "no step is short enough").rstrip(".")
        raise ProgramError(f"the integrator gave up at t = {system.clock.said(solver.t)}: {why}")
    if not np.isfinite(solver.y).all():  # LSODA goes on with NaN
        why = system.flaw or "the state is not finite"
        raise ProgramError(f"the integrator gave up after t = {system.clock.said(solver.t_old)}: {why}")
    system.flaw = ""


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
