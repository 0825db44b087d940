"""The check of energy for integrators that return to Python after each step; the compiled methods check themselves.

The work is integrated in each accepted step as the method itself would do it: with the stages of a Runge-Kutta method,
which cost nothing, and else by Gauss' rule along the method's interpolant. Steps are gathered, since many states at
once take hardly longer than one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import DOP853, RK23, RK45

from ..errors import SimulationError
from ..llvm.march.tables import SINGULAR, UNBALANCED
from ..program.program import Program
from ..robot.robot import Robot
from ..runtime.function import Function
from .balance import FURTHER, SAFETY, OutOfBalance, conserved, is_balanced, unseen
from .clock import said
from .compiled import Stepper
from .constrained import opened
from .flow import sensitivity
from .imbalance import is_singular
from .options import Options
from .system import System
from .trajectory import Trajectory

Floats = NDArray[np.float64]
GATHERED = 64
"""Steps that are checked together."""
NODES, WEIGHTS = (0.5 * x for x in np.polynomial.legendre.leggauss(4))
NODES = NODES + 0.5
CUBIC = 7.0 * WEIGHTS * np.polynomial.legendre.Legendre.basis(3)(2.0 * NODES - 1.0)
"""Gives the cubic part of a function from its values at the nodes, as a Legendre polynomial."""

COARSEST, COARSE_FROM = 0.2, 1e-6
"""Part of all energy and work beyond which a run tells nothing, whatever its tolerances explain; the relative tolerance
from which on they can explain that much.
"""
RELATIVE = 4.0
"""What a relative error of the state does to the power: as that of friction, it is of the second to fourth order."""


class Step(NamedTuple):
    """An accepted step.

    Attributes
    ----------
    h
        Its length.
    t
        Its end.
    y
        The state there.
    errors
        The estimated errors of the state; None if they are in ``lost``.
    work
        The work done in it; None if it follows from ``inside``.
    lost
        The estimated error of the work.
    inside
        Times and states at the nodes of Gauss' rule.
    """

    h: float
    t: float
    y: Floats
    errors: Floats | None
    work: float | None
    lost: float
    inside: tuple[Floats, Floats] | None


@final
class EnergyCheck:
    """The energy and the work of a run.

    Attributes
    ----------
    t
        Times of the steps that were checked.
    drift
        By how much the energy had changed then without work.
    """

    def __init__(self, system: System, how: Options, y: Floats) -> None:
        self._system, self._how = system, how
        self._blind, self._unseen = system.blind(how.rtol), unseen(system.robot, how.rtol)
        self._steps, self._before = list[Step](), (0.0, y)
        self.t, self.drift = [0.0], [0.0]
        self._works = is_balanced(system.robot)
        self._work = self._allowed = self._largest = 0.0
        self._counted = (0.0, 0.0)
        if self._works:
            start = self._conserved(y[None])
            self._start, self._largest = float(start[0][0]), float(start[1][0])

    def begin(self) -> None:
        """Note that an integrator has been made, which starts, or starts again."""
        self._counted = (0.0, 0.0)
        self._power = self._system.powers[0] if self._system.powers else np.nan
        self._system.powers.clear()

    def follow(self, system: System, how: Options, y: Floats) -> None:
        """Go on with the same motion in other coordinates."""
        self.settle()
        self._system, self._how, self._before = system, how, (self.t[-1], y)
        self._blind = system.blind(how.rtol)

    def note(self, solver: Any) -> None:
        """Note an accepted step."""
        if not self._works:
            self._system.powers.clear()
            return
        h = solver.t - solver.t_old
        if isinstance(solver, Stepper):
            work, errors = solver.work, solver.work_error
            before, self._counted = self._counted, (work, errors)
            step = Step(h, solver.t, solver.y, None, work - before[0], errors - before[1], None)
        elif isinstance(solver, RK23 | RK45 | DOP853):
            count = solver.n_stages
            P = np.array([self._power, *self._system.powers[-count:]])
            self._power = P[-1]
            both = np.column_stack([solver.K, P])
            e = h * np.abs(_errors(solver, both))
            step = Step(h, solver.t, solver.y.copy(), e[:-1], h * float(solver.B @ P[:-1]), float(e[-1]), None)
        else:
            t, state = solver.t_old + h * NODES, solver.dense_output()
            inside = t, np.array([state(x) for x in t])
            tolerances = self._how.rtol * np.maximum(np.abs(solver.y), np.abs(self._before[1])) + self._how.atol
            step = Step(h, solver.t, solver.y.copy(), tolerances, None, 0.0, inside)
        self._system.powers.clear()
        self._before = solver.t, step.y
        self._steps.append(step)
        if len(self._steps) == GATHERED:
            self.settle()

    def settle(self, before: float = np.inf) -> None:
        """Check the steps that were gathered; raise an error that says from when on, if before a time, it is wrong."""
        steps, self._steps = self._steps, []
        if not steps:
            return
        energy, amount, slopes = self._conserved(np.array([step.y for step in steps]))
        work, lost = self._works_of(steps)
        errors = [
            slope @ step.errors if step.errors is not None else 0.0 for slope, step in zip(slopes, steps, strict=True)
        ]
        done = self._work + np.cumsum(work)
        allowed = self._allowed + np.cumsum(lost + errors)
        drift = energy - done - self._start
        largest = np.maximum.accumulate(np.append(self._largest, amount + np.abs(done)))[1:]
        self._work, self._allowed, self._largest = done[-1], allowed[-1], largest[-1]
        self.t += [step.t for step in steps]
        self.drift += drift.tolist()
        wrong = np.abs(drift) > SAFETY * allowed + self._unseen * largest
        for k in np.flatnonzero(wrong | (np.array(errors) / self._blind > largest)):
            step, q = steps[k], self._system.settled(steps[k].y[: self._system.nq])
            singular = bool(self._system.tree.loops) and is_singular(self._system.robot, q)
            if step.t > before:
                return
            if singular or wrong[k]:
                raise OutOfBalance(step.t, SINGULAR if singular else UNBALANCED, step.y, float(drift[k]))
            self._blind *= FURTHER

    def _works_of(self, steps: list[Step]) -> tuple[Floats, Floats]:
        """Return the work of each step, and its estimated error."""
        inside = [step.inside for step in steps if step.inside]
        if not inside:
            return np.array([step.work for step in steps]), np.array([step.lost for step in steps])
        t, y = (np.concatenate(each) for each in zip(*inside, strict=True))
        found = self._system.along(t, *self._system.split_many(y))
        power = found["power"].reshape(-1, len(NODES))
        torques = np.abs(found["tau_left"])
        torques[..., self._system.places] += np.abs(found["tau_applied"])
        qd_errors = np.array([step.errors for step in steps])[:, self._system.nq : self._system.nq + self._system.n]
        uneven = (torques.reshape(len(steps), len(NODES), -1).max(axis=1) * qd_errors).sum(axis=1)
        h = np.array([step.h for step in steps])
        largest = np.abs(power).max(axis=1) + np.finfo(float).tiny
        cubic = np.abs(power @ CUBIC) / largest
        lost = largest * (cubic ** (8.0 / 3.0) + RELATIVE * self._how.rtol) + uneven
        return h * (power @ WEIGHTS), h * lost

    def _conserved(self, y: Floats) -> tuple[Floats, Floats, Floats]:
        q, qd, _ = self._system.split_many(y)
        energy, amount, slopes = compiled_sensitivity(self._system.tree, y.shape[1])(q, qd)
        return np.asarray(energy), np.asarray(amount), np.asarray(slopes)


def _errors(solver: Any, K: Floats) -> Floats:
    """Return the estimated errors of a Runge-Kutta method's step of length one."""
    if not isinstance(solver, DOP853):
        found: Floats = solver.E @ K
        return found
    high, low = np.abs(solver.E5 @ K), np.abs(solver.E3 @ K)
    tamed: Floats = high * high / (high + 0.1 * low + 1e-300)
    return tamed


@lru_cache(maxsize=32)
def compiled_sensitivity(robot: Robot, size: int) -> Function:
    """Return the conserved energy, its amount, and how much errors of so many entries change it, compiled once."""
    arguments = conserved(robot).arguments
    return Program(f"{robot.name}_sensitivity", dict(arguments), sensitivity(robot, size)).compile()


def refuse_coarse(run: Trajectory, robot: Robot, how: Options) -> Trajectory:
    """Return a run, or raise an error if it has lost a large part of its energy; of many states, mark those that have.

    Errors of the size of the absolute tolerances do not count: next to rest they can be all there is.
    """
    off = np.abs(run.total - run.total[..., :1] - run.work)
    most = COARSEST * np.maximum.accumulate(run.kinetic + np.abs(run.potential) + np.abs(run.work), axis=-1)
    if how.rtol < COARSE_FROM or not (off > most).any():
        return run
    size = run.q.shape[-1] + run.qd_all.shape[-1]
    slopes = np.asarray(compiled_sensitivity(opened(robot), size)(run.q, run.qd_all)[2])
    steps = run.steps if run.states is None else run.states.steps[..., None]
    pushes = slopes.sum(axis=-1) + np.abs(run.tau).sum(axis=-1)
    wrong = off > most + steps * np.max(how.atol) * np.maximum.accumulate(pushes, axis=-1)
    if not wrong.any():
        return run
    if run.states is not None:
        lost = wrong.any(axis=-1) & (run.states.status == "done")
        words = np.where(lost, "energy error", run.states.status)
        return replace(run, states=run.states._replace(status=words), status="failed" if lost.any() else run.status)
    k = int(np.argmax(wrong))
    raised = SimulationError(
        f"{robot.name}: the energy at t = {said(run.t[k])} s differs by {off[k]:.3g} J from what the work of torques, "
        "friction and wrenches has made of it, a large part of all energy and work; make rtol and atol smaller"
    )
    raised.trajectory = replace(run, status="failed")
    raise raised
