"""The equations of motion as an integrator needs them: rates of one flat vector, and their Jacobian.

The vector holds q, qd and the integral of a controller. All coordinates are integrated, q̇ = T(q) q̇_independent; before
each evaluation, quaternions are scaled to unit length, and loops are closed with the independent joints held. The state
therefore stays on the manifold, whatever the integrator does, and the dependent coordinates serve only as the guess.

In all coordinates, the velocities of the tree are integrated, and loops are closed by the smallest change of all
coordinates and velocities. What others read as ``qd`` are still the velocities of the independent joints.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError, TauforgeError
from ..geometry.close_loops import close_loops, on_manifold, quaternions
from ..models.loops.closing import active_places, closing
from ..program.program import Program
from ..robot.entries import axis_names
from ..robot.robot import Robot
from ..runtime.function import Function
from .balance import blind
from .clock import Clock
from .constrained import independent_places, opened, projection
from .drive import Drive, Law
from .equations import slopes, tangent

Floats = NDArray[np.float64]
DIFFERENCE = 1e-7
"""Relative step of differences, for torques that are functions in Python."""
SOUND = 1e-3
"""Margin of the loops' equations from which results are brought to the loops. Next to a singular state of the mechanism
the way there would change velocities by any amount; an interpolant is nearer.
"""


@final
class System:
    """A robot with its drive: rates and Jacobian of the state, and how often they were computed.

    All times are in seconds since the start of the clock.
    """

    def __init__(
        self,
        robot: Robot,
        program: Program,
        drive: Drive,
        wrenches: Law | None,
        reads_state: bool,
        clock: Clock,
        whole: bool = False,
    ) -> None:
        self.robot, self.program, self.drive, self.wrenches, self.clock = robot, program, drive, wrenches, clock
        self.function = compiled(program)
        self.given, self.made = list(program.inputs), list(program.outputs)
        self.nq, self.n = program.inputs["q"].size, program.inputs["qd"].size
        self.whole, self.is_watched = whole, False
        self.places = list(independent_places(robot)) if whole else list(range(self.n))
        integral = program.inputs.get("integral")
        self.size = self.nq + self.n + (integral.size if integral else 0)
        self.evaluations = self.jacobians = 0
        self.flaw = ""
        self.powers = list[float]()
        self._reads = reads_state or drive.reads_state
        self.flat = "rate" not in self.made and tangent(robot) is None and not whole
        self._quaternions = () if self.flat else tuple(quaternions(robot).values())
        self._tangent = None if self.flat else compiled_tangent(robot)
        self._closing = compiled_closing(robot) if robot.loops and not whole else None
        self._active = active_places(robot.expanded()) if robot.loops and not whole else []
        self._projection = compiled_projection(robot) if whole else None
        self._slopes: Function | None = None

    def parts(self, y: Floats) -> tuple[Floats, Floats, Floats]:
        """Return coordinates, velocities and the integral; coordinates, and velocities of all joints, on the loops."""
        nq, n = self.nq, self.nq + self.n
        if self.whole:
            return *self.projected(y[:nq], y[nq:n]), y[n:]
        return self.settled(y[:nq]), y[nq:n], y[n:]

    def split(self, y: Floats) -> tuple[Floats, Floats, Floats]:
        """Return coordinates, the velocities of the independent joints, and the integral, as others read them."""
        q, qd, integral = self.parts(y)
        return q, self.independent(qd), integral

    def on_loops(self, y: Floats) -> tuple[Floats, Floats, float]:
        """Return coordinates and velocities of all joints on the loops, and the margin of these."""
        assert self._projection is not None
        with np.errstate(all="ignore"):
            found = self._projection(*np.split(y, [self.nq, self.nq + self.n])[:2])
        return found.q_closed, found.qd_closed, float(found.margin)

    def rate_of(self, q: Floats, qd: Floats) -> Floats:
        """Return the rates of the coordinates from the velocities of all joints."""
        rate: Floats = qd if self._tangent is None else self._tangent(q) @ qd
        return rate

    def projected(self, q: Floats, qd: Floats) -> tuple[Floats, Floats]:
        """Return coordinates and velocities of all joints on the loops."""
        assert self._projection is not None
        with np.errstate(all="ignore"):
            found = self._projection(q, qd)
        return found.q_closed, found.qd_closed

    @property
    def tree(self) -> Robot:
        """The robot to which the velocities of the state belong."""
        return opened(self.robot) if self.whole else self.robot

    def blind(self, rtol: float) -> float:
        """Return which part of the energy the error of one step may change; any if the inertia is bounded, or if other
        coordinates take over before.
        """
        return float("inf") if self.is_watched else blind(self.tree, rtol)

    def independent(self, qd: Floats) -> Floats:
        """Return the velocities of the independent joints."""
        return qd[..., self.places] if self.whole else qd

    def velocities(self, y: Floats) -> Floats:
        """Return the velocities of the independent joints in a state, or in many."""
        return self.independent(y[..., self.nq : self.nq + self.n])

    def settled(self, q: Floats) -> Floats:
        """Return coordinates with unit quaternions and closed loops."""
        if self.flat:
            return q
        if self._closing is None:
            unit = q.copy()
            for own in self._quaternions:
                part = unit[own]
                part /= math.sqrt(part @ part)
            return unit
        with np.errstate(all="ignore"):
            found, closed = self._closing(q[self._active], q)
        if closed == 1.0:
            whole: Floats = found
            return whole
        return close_loops(self.robot, q[self._active], guess=q)

    def split_many(self, y: Floats) -> tuple[Floats, Floats, Floats]:
        """Return coordinates on the manifold, velocities and integrals of many states; those without numbers stay.

        So do states beside those that close, such as the last one of a run that fails.
        """
        q, qd, integral = np.split(y, [self.nq, self.nq + self.n], axis=-1)
        if self.flat:
            return q, qd, integral
        flat = q.reshape(-1, self.nq).copy()
        known = np.flatnonzero(np.isfinite(flat).all(axis=1))
        if self.whole:
            speeds = qd.reshape(-1, self.n).copy()
            with np.errstate(all="ignore"):
                found = compiled_projection(self.robot)(flat[known], speeds[known])
            sound = np.asarray(found.margin > SOUND)
            flat[known[sound]], speeds[known[sound]] = found.q_closed[sound], found.qd_closed[sound]
            return flat.reshape(q.shape), speeds.reshape(qd.shape), integral
        if self._closing is None:
            flat[known] = on_manifold(self.robot, flat[known])
        else:
            with np.errstate(all="ignore"):
                found, closed = self._closing(flat[:, self._active], flat)
            flat[closed == 1.0] = found[closed == 1.0]
            for k in known[closed[known] != 1.0]:
                with suppress(ProgramError):
                    flat[k] = close_loops(self.robot, flat[k, self._active], guess=flat[k])
        return flat.reshape(q.shape), qd, integral

    def settled_state(self, y: Floats) -> Floats:
        """Return the state with its coordinates on the manifold."""
        return y if self.flat else np.concatenate(self.parts(y))

    def rates(self, t: float, y: Floats, driven: Mapping[str, Any] | None = None) -> Floats:
        """Return the time derivative of the state; NaN where loops cannot be closed, so that the step shrinks.

        The inputs that are not the state are those of the drive, unless they are given.
        """
        self.evaluations += 1
        try:
            q, qd, integral = self.parts(y)
        except TauforgeError as error:
            self.flaw = str(error)
            self.powers.append(np.nan)
            return np.full(self.size, np.nan)
        driven = self.driven(t, q, self.independent(qd)) if driven is None else driven
        found = self.evaluated({"q": q, "qd": qd, "integral": integral, **driven})
        self.powers.append(float(found["power"]))
        rate = found.get("rate", qd)
        return np.concatenate([rate, found["qdd"], found.get("integral_rate", integral)])

    def outputs(self, t: float, q: Floats, qd: Floats, integral: Floats) -> dict[str, Floats]:
        """Return all outputs of the equations in a state."""
        return self.evaluated({"q": q, "qd": qd, "integral": integral, **self.driven(t, q, self.independent(qd))})

    def evaluated(self, known: Mapping[str, Any]) -> dict[str, Floats]:
        """Return all outputs of the equations for their inputs, in one state or many."""
        with np.errstate(all="ignore"):
            return dict(zip(self.made, self.function(*(known[name] for name in self.given)), strict=True))

    def along(self, t: Floats, q: Floats, qd: Floats, integral: Floats) -> dict[str, Floats]:
        """Return all outputs of the equations in many states."""
        own = self.independent(qd)
        known: dict[str, Any] = {"q": q, "qd": qd, "integral": integral, **self.drive.along(t, q, own)}
        if self.wrenches:
            known["wrenches"] = np.array([self.wrenches(*state) for state in zip(t, q, own, strict=True)])
        return self.evaluated(known)

    def _values(self, t: float, q: Floats, qd: Floats, integral: Floats) -> list[Floats]:
        known = {"q": q, "qd": qd, "integral": integral, **self.driven(t, q, self.independent(qd))}
        return [known[name] for name in self.given]

    def driven(self, t: float, q: Floats, qd: Floats) -> dict[str, Floats]:
        """Return the inputs that are not the state."""
        known = self.drive.inputs(t, q, qd)
        return {**known, "wrenches": self.wrenches(t, q, qd)} if self.wrenches else known

    def jacobian(self, t: float, y: Floats) -> Floats:
        """Return the exact Jacobian of the rates; only torques that are functions in Python are differenced."""
        self.jacobians += 1
        self.evaluations += 1
        if self._slopes is None:
            self._slopes = compiled_slopes(self.program)
        try:
            q, qd, integral = self.parts(y)
        except TauforgeError as error:  # at a predicted state: its rates are NaN too, so the step shrinks
            self.flaw = str(error)
            return np.zeros((self.size, self.size))
        with np.errstate(all="ignore"):
            found = self._slopes(*self._values(t, q, qd, integral))
        part = dict(zip(self._slopes.outputs, found, strict=True))
        nq, n, size = self.nq, self.n, self.size
        J, S = np.zeros((size, size)), self._inverse_tangent(q)
        rows = {"rate": slice(0, nq), "qdd": slice(nq, nq + n), "integral_rate": slice(nq + n, size)}
        if "rate" not in self.made:
            J[:nq, nq : nq + n] = np.eye(n)
        for name, own in rows.items():
            if name in self.made:
                J[own, :nq] = part[f"d{name}_dq"] @ S
                J[own, nq : nq + n] = part[f"d{name}_dqd"]
                if "integral" in self.given:
                    J[own, nq + n :] = part[f"d{name}_dintegral"]
        if self._reads:
            self._add_differences(J, part, t, q, qd)
        return J

    def _inverse_tangent(self, q: Floats) -> Floats:
        """Return how the independent velocities follow from the rates of the coordinates."""
        if self.flat:
            return np.eye(self.n)
        tree = np.eye(self.nq) if self._tangent is None else np.linalg.pinv(self._tangent(q))
        if not self.robot.loops or self.whole:
            return tree
        axes = axis_names(self.robot.expanded())
        return tree[[axes.index(name) for name in self.robot.velocity_names]]

    def _add_differences(self, J: Floats, part: dict[str, Floats], t: float, q: Floats, qd: Floats) -> None:
        """Add what torques and wrenches from functions contribute, by forward differences of these functions."""
        nq, n = self.nq, self.n

        def driven(x: Floats) -> Floats:
            self.evaluations += 1
            q, qd, _ = self.split(x)
            tau = self.drive.inputs(t, q, qd).get("tau", np.zeros(0))
            return np.concatenate([tau, self.wrenches(t, q, qd).ravel() if self.wrenches else np.zeros(0)])

        x = np.concatenate([q, qd])
        before, columns = driven(x), list[Floats]()
        for k in range(nq + n):
            step = DIFFERENCE * max(1.0, abs(x[k]))
            ahead = x.copy()
            ahead[k] += step
            columns.append((driven(ahead) - before) / step)
        change = np.array(columns).T
        count = self.program.inputs["tau"].size if "tau" in self.given else 0
        below = J[nq : nq + n, : nq + n]
        if count:
            below += part["dqdd_dtau"] @ change[:count]
        if self.wrenches:
            below += part["dqdd_dwrenches"].reshape(n, -1) @ change[count:]


@lru_cache(maxsize=32)
def compiled(program: Program) -> Function:
    """Return a Program compiled once."""
    return program.compile()


@lru_cache(maxsize=32)
def compiled_slopes(program: Program) -> Function:
    """Return the derivatives of the equations of motion, compiled once."""
    return slopes(program).compile()


@lru_cache(maxsize=32)
def compiled_closing(robot: Robot) -> Function:
    """Return the Program that closes the loops of a robot, compiled once."""
    return closing(robot).compile()


@lru_cache(maxsize=32)
def compiled_tangent(robot: Robot) -> Function | None:
    """Return the map from velocities of the tree to rates of its coordinates, compiled once; None if it is one."""
    program = tangent(robot)
    return program.compile() if program else None


@lru_cache(maxsize=32)
def compiled_projection(robot: Robot) -> Function:
    """Return the Program that brings coordinates and velocities of all joints back to the loops, compiled once."""
    return projection(robot).compile()
