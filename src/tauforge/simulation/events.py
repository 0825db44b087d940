"""Events: functions of the state whose change of sign is noted, or stops the simulation; joint limits among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from ..errors import ProgramError
from ..geometry.joint_limits import LimitedJoint
from ..robot.robot import Robot
from .clock import Clock
from .drive import law_of
from .stops import joints_with_ends

Floats = NDArray[np.float64]
LIMITS = "limits"
Split = Callable[[Floats], tuple[Floats, Floats, Floats]]


@dataclass(frozen=True, eq=False)
class Event:
    """Something that happened in a simulation.

    Attributes
    ----------
    name
        The name of the event's function, or the limit that a joint has reached.
    t
        When.
    q
        Coordinates at that time.
    qd
        Velocities at that time.
    """

    name: str
    t: float
    q: Floats
    qd: Floats

    def __repr__(self) -> str:
        return f"Event({self.name!r}, t={self.t:.6g})"


class Check(NamedTuple):
    """A function that is watched."""

    name: str
    function: Callable[[float, Floats, Floats], float]
    terminal: bool
    direction: float
    at_once: bool


@final
class Watch:
    """The events of a simulation, looked for in each step."""

    def __init__(self, robot: Robot, events: Any, split: Split, clock: Clock) -> None:
        several = isinstance(events, Sequence) and not isinstance(events, str)
        given = [] if events is None else events if several else [events]
        self._checks = [
            check._replace(function=clock.law(check.function)) for event in given for check in _checks(robot, event)
        ]
        self._clock = clock
        self._split, self._values = split, list[float]()

    def follow(self, split: Split) -> None:
        """Read states in other coordinates from now on."""
        self._split = split

    def __bool__(self) -> bool:
        return bool(self._checks)

    def start(self, t: float, y: Floats) -> None:
        """Note the values at the start; refuse a start beyond a limit."""
        self._values = self._at(t, y)
        for check, value in zip(self._checks, self._values, strict=True):
            if check.at_once and value < 0.0:
                raise ProgramError(f"q0 is beyond the {check.name} by {-value:g}; start within the limits")

    def _at(self, t: float, y: Floats) -> list[float]:
        q, qd, _ = self._split(y)
        return [float(check.function(t, q, qd)) for check in self._checks]

    def crossed(
        self, t_old: float, t: float, y: Floats, between: Callable[[], Callable[[float], Floats]]
    ) -> tuple[list[Event], tuple[float, Floats] | None]:
        """Return the events of a step in their order up to one that stops it, and where that is.

        Parameters
        ----------
        between
            Returns the interpolant of the step.
        """
        after = self._at(t, y)
        found = [k for k, check in enumerate(self._checks) if _changes(check, self._values[k], after[k])]
        before, self._values = self._values, after
        if not found:
            return [], None
        state = between()
        roots = sorted((self._root(k, t_old, t, before[k], after[k], state), k) for k in found)
        events = []
        for time, k in roots:
            y_then = state(time)
            q, qd, _ = self._split(y_then)
            events.append(Event(self._checks[k].name, self._clock.start + time, q.copy(), qd.copy()))
            if self._checks[k].terminal:
                return events, (time, y_then)
        return events, None

    def _root(
        self, k: int, t_old: float, t: float, before: float, after: float, state: Callable[[float], Floats]
    ) -> float:
        """Return the time at which a function is zero."""
        if before == 0.0 or after == 0.0:
            return t_old if before == 0.0 else t

        def value(time: float) -> float:
            q, qd, _ = self._split(state(time))
            return float(self._checks[k].function(time, q, qd))

        if value(t_old) * value(t) > 0.0:  # the interpolant differs from the step by rounding
            return t
        return float(brentq(value, t_old, t, xtol=4e-15 * max(abs(t), 1e-3), rtol=1e-14))


def _changes(check: Check, before: float, after: float) -> bool:
    rises, falls = before < 0.0 <= after, before > 0.0 >= after
    if check.at_once:
        return before >= 0.0 > after
    return (rises and check.direction >= 0.0) or (falls and check.direction <= 0.0)


def _checks(robot: Robot, event: Any) -> list[Check]:
    if event == LIMITS:
        found = _limits(robot)
        if not found:
            raise ProgramError(f"{robot.name} has no joint limits; give its joints some, or leave out events='limits'")
        return found
    if not callable(event):
        raise ProgramError(f"an event is 'limits' or a function (t, q, qd) -> float, not {event!r}")
    name = getattr(event, "__name__", type(event).__name__)
    law, _ = law_of(event, f"the event {name}", (), ())
    terminal, direction = bool(getattr(event, "terminal", False)), float(getattr(event, "direction", 0.0))
    return [Check(name, lambda t, q, qd: float(law(t, q, qd)), terminal, direction, False)]


def _limits(robot: Robot) -> list[Check]:
    """Return a check for each finite limit of a joint with one coordinate."""
    found = list[Check]()
    for joint in joints_with_ends(robot).values():
        sides = (("lower", joint.limits.lower, 1.0), ("upper", joint.limits.upper, -1.0))
        found += [
            Check(f"{side} limit of {joint.name}", _distance(joint, bound, sign), True, -1.0, True)
            for side, bound, sign in sides
            if np.isfinite(bound)
        ]
    return found


def _distance(joint: LimitedJoint, bound: float, sign: float) -> Callable[[float, Floats, Floats], float]:
    return lambda t, q, qd: sign * (float(joint.position(q)) - bound)
