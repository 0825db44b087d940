"""What drives a robot: torques that are held, functions of time and state, or a controller in the graph."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ProgramError
from ..program.program import Program
from .clock import Clock, said
from .controllers import Controller

Floats = NDArray[np.float64]
Law = Callable[[float, Floats, Floats], Floats]
"""A function of time, coordinates and velocities."""
MOST_SAMPLES = 1e8
"""Samples of a controller in one simulation: hours of work in Python, and gigabytes of torques."""


class Drive(ABC):
    """Torques of a simulation, as inputs of the equations of motion.

    Attributes
    ----------
    breaks
        Times at which the torques can jump, so that the integrator starts again.
    law
        The Program of a controller that is a part of the equations; None if their input is ``tau``.
    reads_state
        Whether ``tau`` depends on the state in a way that the equations do not know.
    """

    breaks: Sequence[float] = ()
    law: Program | None = None
    reads_state: bool = False

    def start(self, t: float, q: Floats, qd: Floats) -> None:
        """Note the state at a break."""
        return

    @abstractmethod
    def inputs(self, t: float, q: Floats, qd: Floats) -> dict[str, Floats]:
        """Return the inputs of the equations that the drive determines."""

    def along(self, t: Floats, q: Floats, qd: Floats) -> dict[str, Floats]:
        """Return these inputs at many times."""
        found = [self.inputs(*state) for state in zip(t, q, qd, strict=True)]
        return {name: np.array([one[name] for one in found]) for name in (found[0] if found else ())}

    def table(self, start: float) -> Table | None:
        """Return the inputs other than t for a method that is compiled with the model; None if they are not known in
        advance.
        """
        return None


class Table(NamedTuple):
    """Inputs that stay as they are from each time of a list to the next.

    Attributes
    ----------
    starts
        The times.
    rows
        The inputs by name, (times, ...) each.
    """

    starts: Floats
    rows: Mapping[str, Floats]


@final
class Held(Drive):
    """Torques that stay as they are from each break to the next, a zero-order hold, and come later by a number of
    samples.
    """

    def __init__(self, law: Law, breaks: Sequence[float], count: int, delay: int = 0) -> None:
        self.breaks, self._law, self._count, self._delay = breaks, law, count, delay
        self.rows: Floats | None = None
        self._times: list[float] = []
        self._torques: list[Floats] = []

    def start(self, t: float, q: Floats, qd: Floats) -> None:
        if self._times and t <= self._times[-1]:
            return
        self._times.append(t)
        self._torques.append(self._law(t, q, qd))

    def inputs(self, t: float, q: Floats, qd: Floats) -> dict[str, Floats]:
        return {"tau": self._torques[max(len(self._torques) - 1 - self._delay, 0)]}

    def along(self, t: Floats, q: Floats, qd: Floats) -> dict[str, Floats]:
        if not self._times:  # it failed before it began
            return {"tau": np.full((len(t), self._count), np.nan)}
        place = np.searchsorted(self._times, t, side="right") - 1
        return {"tau": np.array(self._torques)[np.maximum(place - self._delay, 0)]}

    def table(self, start: float) -> Table | None:
        return None if self.rows is None else Table(np.array(self.breaks or [start]), {"tau": self.rows})


@final
class Free(Drive):
    """Torques that follow time or state without a pause."""

    def __init__(self, law: Law, reads_state: bool) -> None:
        self._law, self.reads_state = law, reads_state

    def inputs(self, t: float, q: Floats, qd: Floats) -> dict[str, Floats]:
        return {"tau": self._law(t, q, qd)}


@final
class Inside(Drive):
    """A controller whose Program is a part of the equations of motion."""

    def __init__(self, controller: Controller, start: float) -> None:
        self.controller, self.law, self._start = controller, controller.program, start

    def inputs(self, t: float, q: Floats, qd: Floats) -> dict[str, Floats]:
        return self.controller.at(t, self._start)


def drive(
    torque: Any,
    controller: Any,
    rate: float | None,
    delay: int,
    clock: Clock,
    names: Sequence[str],
) -> Drive:
    """Return what drives the robot, from the arguments of ``simulate``.

    Parameters
    ----------
    clock
        It has the times of the results, at which samples of torques are given.
    names
        Names of the torques.
    """
    if torque is not None and controller is not None:
        raise ProgramError("give torque or controller, not both; a controller can add a torque of its own")
    if isinstance(controller, Program):
        controller = Controller(controller)
    if isinstance(delay, bool) or not isinstance(delay, int) or delay < 0 or (delay and rate is None):
        raise ProgramError(f"delay is {delay!r}; it is a number of samples, 0, 1, 2, …, and needs a rate")
    breaks = _samples(rate, clock.duration) if rate is not None else None
    if isinstance(controller, Controller):
        if breaks is None:
            return Inside(controller, clock.start)
        return Held(_sampled(controller, breaks.rate, names, clock.start), breaks, len(names), delay)
    law = torque if controller is None else controller
    what = "torque" if controller is None else "controller"
    if callable(law):
        called, reads = law_of(law, what, (len(names),), names)
        called = clock.law(called)
        return Free(called, reads) if breaks is None else Held(called, breaks, len(names), delay)
    if controller is not None:
        raise ProgramError("controller must be a Controller, a Program or a function (t, q, qd) -> tau")
    if rate is not None:
        raise ProgramError("rate is for a controller or a torque that is a function; samples have the times t")
    return _given(torque, clock.seconds, names)


@final
class Samples(Sequence[float]):
    """The times of samples, in seconds since the start; none is stored."""

    def __init__(self, rate: float, count: int) -> None:
        self.rate, self._count = rate, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, k: Any) -> Any:
        if not 0 <= k < self._count:
            raise IndexError(k)
        return k / self.rate

    def __contains__(self, t: object) -> bool:
        return (
            isinstance(t, float) and 0 <= round(t * self.rate) < self._count and t == round(t * self.rate) / self.rate
        )


def _samples(rate: float, duration: float) -> Samples:
    try:
        sound = not isinstance(rate, str | bytes | bool) and 0.0 < float(rate) < np.inf
    except (TypeError, ValueError, OverflowError):
        sound = False
    if not sound:
        raise ProgramError(f"rate is {rate!r}; give a positive number of samples per second")
    count = duration * rate
    if not count <= MOST_SAMPLES:
        raise ProgramError(
            f"rate is {rate:g}: in {duration:g} s, that are {count:.3g} samples, and each returns to Python; give a "
            f"rate of at most {MOST_SAMPLES / duration:.3g}, or none, for a controller that acts all the time"
        )
    return Samples(rate, max(int(np.ceil(count - 1e-9)), 1))


def _sampled(controller: Controller, rate: float, names: Sequence[str], start: float) -> Law:
    """Return a controller as a function that is called once per sample and adds up its integral."""
    integral: list[Floats | None] = [None]

    def law(t: float, q: Floats, qd: Floats) -> Floats:
        found = controller.outputs(t, q, qd, integral[0], start)
        if "integral_rate" in found:
            before = 0.0 if integral[0] is None else integral[0]
            integral[0] = before + found["integral_rate"] / rate
        return checked(found["tau"], "controller", (len(names),), names, start + t)

    return law


def _given(torque: ArrayLike | None, t: Floats | None, names: Sequence[str]) -> Held:
    """Return torques that are given as numbers: constant, or samples at the times t."""
    count = len(names)
    tau = np.zeros(count) if torque is None else np.array(torque, dtype=float)
    rows = 0 if t is None else len(t)
    if tau.shape not in ((count,), (rows, count)) or (tau.ndim == 2 and t is None):
        raise ProgramError(
            f"torque has shape {list(tau.shape)}; give {count} constant entries ({', '.join(names)})"
            + (f", or samples of shape [{rows}, {count}]" if rows else "")
        )
    if not np.isfinite(tau).all():
        raise ProgramError("torque has entries that are not finite")
    if tau.ndim == 1 or t is None:
        held = Held(lambda time, q, qd: tau, (), count)
        held.rows = tau[None]
        return held
    times = t
    rows_at = list(map(float, times))
    held = Held(lambda time, q, qd: tau[int(np.searchsorted(times, time, side="right")) - 1], rows_at, count)
    held.rows = tau
    return held


def law_of(function: Callable[..., Any], what: str, shape: tuple[int, ...], names: Sequence[str]) -> tuple[Law, bool]:
    """Return a function of (t) or (t, q, qd) whose results are checked, and whether it reads the state.

    Parameters
    ----------
    shape, names
        Of what it returns: () for a number, or one name per row.
    """
    try:
        parameters = signature(function).parameters.values()
        needed = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        many = any(p.kind is Parameter.VAR_POSITIONAL for p in parameters)
        count = 3 if many or len(needed) >= 3 else sum(p.default is Parameter.empty for p in needed) or len(needed)
    except (TypeError, ValueError):  # a function in C without a signature
        count = 3
    if count not in (1, 3):
        raise ProgramError(f"{what} must be a function of (t) or of (t, q, qd); this one takes {count} arguments")

    def law(t: float, q: Floats, qd: Floats) -> Floats:
        state = () if count == 1 else (q.copy(), qd.copy())  # the integrator's own memory, which must not change
        try:
            found = function(t, *state)
        except Exception as error:
            raise ProgramError(f"{what} failed at t = {said(t)} with {type(error).__name__}: {error}") from error
        return checked(found, what, shape, names, t)

    return law, count == 3


def checked(found: Any, what: str, shape: tuple[int, ...], names: Sequence[str], t: float) -> Floats:
    """Return what a function has returned as an array, or say what is wrong with it."""
    try:
        value = np.asarray(found, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ProgramError(
            f"{what} returned {type(found).__name__} at t = {said(t)}; return an array of numbers"
        ) from None
    if value.shape != shape:
        wanted = str(list(shape)) if shape else "a number"
        raise ProgramError(f"{what} returned an array of shape {list(value.shape)} at t = {said(t)}; return {wanted}")
    if not np.isfinite(value).all():
        place = int(np.argwhere(~np.isfinite(value))[0][0]) if shape else 0
        found = f"{value[place]} for {names[place]}" if shape else value
        raise ProgramError(f"{what} returned {found} at t = {said(t)}")
    return value
