"""Which coordinates a simulation of closed loops uses, and when it changes them.

The independent joints describe a mechanism as long as all others follow from them. How well they do so in a state is
its margin (``constrained.py``). It is looked at after each step, together with where it will be after the next; below
``LIMIT`` the simulation goes on in all coordinates, from the same state, to its end.

In all coordinates the margin says how far the loops' equations are from losing rank. Only there is the mechanism itself
singular, and its motion can go on in more than one way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError
from ..llvm.march.tables import AHEAD
from ..robot.robot import Robot
from ..runtime.function import Function
from .branching import Branches, passed
from .constrained import is_steady, watched
from .start import Start
from .system import System, compiled_projection

Floats = NDArray[np.float64]
AUTO, INDEPENDENT, ALL = CHOICES = ("auto", "independent", "all")
LIMIT = 0.1
"""Margin below which independent coordinates no longer describe a mechanism well: their errors grow tenfold there."""
FAILED_NEAR = 0.02
"""Margin of the loops' equations below which a step that fails is taken to do so for a singular state."""
CLOSE, CREEPING = 1e-3, 0.01
"""Margin of the loops' equations next to a singular state of the mechanism, and the part of it that a step changes at
least, if steps have not become so short that they do not reach that state.
"""
INERTIA = "inertia"
"""The way through singular states of the mechanism itself."""
MOVING = 1e-6
"""Part of the fastest joint's velocity that loops may open with at the start."""


@final
class Passage:
    """The equations of motion in the coordinates that suit a state.

    Parameters
    ----------
    make
        Returns the equations of motion, in all coordinates or not.
    asked
        One of CHOICES.
    through
        INERTIA, to go on through singular states of the mechanism itself; None to stop there.
    """

    def __init__(self, robot: Robot, make: Callable[[bool], System], asked: Any, through: Any) -> None:
        if through not in (None, INERTIA):
            raise ProgramError(f"through={through!r}; it is None or {INERTIA!r}")
        self.robot, self._make, self._systems = robot, make, dict[bool, System]()
        self.asked = checked_choice(robot, asked)
        if through is not None and self.asked == INDEPENDENT and robot.loops:
            raise ProgramError(
                f"through={through!r} and coordinates={asked!r} exclude each other: singular states are passed in all "
                "coordinates only; leave one out"
            )
        self.limit = LIMIT if self.asked == AUTO else 0.0
        self.is_steady = not robot.loops or is_steady(robot)
        self.stops = through is None and bool(robot.loops) and self.is_steady

    def system(self, whole: bool) -> System:
        """Return the equations of motion, in all coordinates or not."""
        if whole not in self._systems:
            self._systems[whole] = self._make(whole)
            self._systems[whole].is_watched = self.limit > 0.0
        return self._systems[whole]

    @property
    def evaluations(self) -> int:
        """How often the equations were evaluated, in all coordinates and in independent ones."""
        return sum(system.evaluations for system in self._systems.values())

    @property
    def jacobians(self) -> int:
        """How many of these were Jacobians."""
        return sum(system.jacobians for system in self._systems.values())

    def start(self, first: Start) -> NDArray[np.bool_]:
        """Return for each state whether it starts in all coordinates."""
        count = len(first.y)
        if self.asked != AUTO:
            if first.full is not None:
                self.whole_start(first)  # refuses velocities that open the loops
            return np.full(count, self.asked == ALL)
        return np.full(count, first.full is not None) | ~(self.margins(first.y) >= self.limit)

    def margins(self, y: Floats) -> Floats:
        """Return how well the independent joints describe states."""
        return margins(self.robot, y)

    def _states(self, y: Floats) -> tuple[Floats, Floats]:
        nq, n = len(self.robot.coordinate_names), self.robot.dof
        return y[..., :nq], y[..., nq : nq + n]

    def leaves(self, system: System, before: float, y: Floats, ahead: float) -> tuple[bool, float]:
        """Return whether independent coordinates will soon not describe a state, and its margin.

        Parameters
        ----------
        before
            The margin before the last step.
        ahead
            The next step, as a part of the last one.
        """
        if system.whole or not self.limit:
            return False, 1.0
        margin = float(self.margins(np.concatenate(system.parts(y)[:2])))
        expected = margin - AHEAD * ahead * (before - margin)
        return not min(margin, expected) >= self.limit, margin

    def check(
        self,
        system: System,
        t: float,
        h: float,
        before: Floats,
        after: Floats,
        interpolant: Callable[[], Callable[[float], Floats]],
        failed: bool = False,
    ) -> None:
        """Raise an error if a step in all coordinates, from the time t on, has passed a singular state of the
        mechanism, or has failed near one.
        """
        if not system.whole or not self.is_steady:
            return
        (q, _, start), (q_after, _, margin) = map(system.on_loops, (before, after))
        creeps = margin < CLOSE and abs(start - margin) < CREEPING * margin
        if not self.stops:
            if creeps:
                raise ProgramError(
                    f"at t = {system.clock.said(t + h)} s its steps shrink next to a singular state of the mechanism; "
                    "an explicit method, such as DOP8, passes it"
                )
            return
        state: Callable[[float], Floats] | None = None

        def between(part: float) -> Floats:
            nonlocal state
            if failed:  # the interpolant is that of a step that was not taken
                return (1.0 - part) * before + part * after
            state = state or interpolant()
            return state(t + part * h)

        nq, n = system.nq, system.n
        part = passed(self.robot, q, q_after, lambda part: between(part)[:nq])
        if part is not None and not failed:
            y = between(part)
            raise Branches(self.robot, t + part * h, system.clock.said(t + part * h), y, nq, n)
        if part is not None or creeps or (failed and margin < FAILED_NEAR):
            raise Branches(self.robot, t + h, system.clock.said(t + h), after, nq, n)

    def converted(self, y: Floats) -> Floats:
        """Return states in all coordinates, from states with independent velocities."""
        nq, n = len(self.robot.coordinate_names), self.robot.dof
        q, qd = self._states(y)
        v = all_velocities(self.robot, q, qd)
        return np.concatenate([q, np.where(qd.any(axis=-1, keepdims=True), v, 0.0), y[..., nq + n :]], axis=-1)

    def whole_start(self, first: Start) -> Floats:
        """Return the states at the start in all coordinates."""
        return in_all_coordinates(self.robot, first.y, first.full)


def checked_choice(robot: Robot, asked: Any) -> str:
    """Return the coordinates that are asked for, or say that there are no such."""
    if asked not in CHOICES:
        raise ProgramError(f"coordinates={asked!r}; choose among {', '.join(map(repr, CHOICES))}")
    return str(asked) if robot.loops else INDEPENDENT


def margins(robot: Robot, y: Floats) -> Floats:
    """Return how well the independent joints describe states."""
    nq, n = len(robot.coordinate_names), robot.dof
    with np.errstate(all="ignore"):
        found: Floats = np.asarray(_watched(robot)(y[..., :nq], y[..., nq : nq + n]).margin)
    return found


def in_all_coordinates(robot: Robot, y: Floats, full: Floats | None) -> Floats:
    """Return states at a start in all coordinates, from the velocities of independent joints, or from all if given."""
    nq, n = len(robot.coordinate_names), robot.dof
    q, qd = y[:, :nq], y[:, nq : nq + n]
    if full is None:
        v = np.where(qd.any(axis=-1, keepdims=True), all_velocities(robot, q, qd), 0.0)
        if not np.isfinite(v).all():
            raise ProgramError(
                f"at q0, the velocities of {', '.join(robot.velocity_names)} do not determine those of the other "
                "joints; give qd0 of all joints"
            )
        return np.concatenate([q, v], axis=1)
    found = compiled_projection(robot)(q, full)
    off = np.abs(found.qd_closed - full).max(axis=1)
    if (worst := np.flatnonzero(~(off <= MOVING * np.maximum(1.0, np.abs(full).max(axis=1))))).size:
        raise ProgramError(
            f"qd0 opens the loops of {robot.name}: the nearest velocities that keep them closed differ by up to "
            f"{off[worst[0]]:.3g}"
        )
    return np.concatenate([found.q_closed, found.qd_closed], axis=1)


@lru_cache(maxsize=32)
def _watched(robot: Robot) -> Function:
    return watched(robot).compile()


def all_velocities(robot: Robot, q: Floats, qd: Floats) -> Floats:
    """Return the velocities of all joints that have their own coordinates, from those of the independent ones."""
    if not robot.loops:
        return qd
    with np.errstate(all="ignore"):
        v: Floats = np.asarray(_watched(robot)(q, qd).velocities)
    return v
