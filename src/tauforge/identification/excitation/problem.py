"""The search for an exciting trajectory as a problem of optimisation: one number to make small, and limits to keep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import IdentificationError
from ...geometry.joint_limits import LimitedJoint
from ...graph.node import Node, as_node
from ...graph.rewrite import replaced
from ...models.inverse_dynamics import inverse_dynamics
from ...program.array import outputs
from ...program.program import Program
from ...robot.entries import by_joint, velocity_rows
from ...robot.robot import Robot
from ...runtime.function import Function
from .clearance import Clearance
from .information import Information, Measure
from .limits import MotionLimits
from .pullback import STATE, Pullback, smoothed
from .series import Rates, Series

Floats = NDArray[np.float64]
RANK = 1e-9
"""Singular value of a combination of parameters that torques do not depend on, relative to the largest."""
TINY = 1e-12
"""Velocity of a joint that turns back."""
METRES = 0.1
"""The clearance that weighs as much as a whole limit."""


class Excess(NamedTuple):
    """How far limits are exceeded at each sample, as parts of them, (samples, k); negative where they are kept."""

    values: Floats
    slopes: Callable[[Floats], Rates]


class Grid:
    """A series at some times."""

    def __init__(self, series: Series, count: int) -> None:
        self.series, self.t = series, series.grid(count)
        self._at = series.at(self.t)
        self._start = 0.0 if series.start is None else series.start

    def states(self, x: Floats) -> Rates:
        """Return the motion at all times, (times, n) each."""
        own = (x.reshape(len(self.series.unit), -1) * self.series.unit[:, None]).T
        q, qd, qdd = (part @ own for part in self._at)
        return q + self._start, qd, qdd

    def slopes(self, by: Rates) -> Floats:
        """Return the slopes by the free numbers from those by the states."""
        found = sum(part.T @ own for part, own in zip(self._at, by, strict=True))
        return np.asarray((found * self.series.unit).T.ravel())


class Problem:
    """What a motion is to achieve, and what it must keep.

    Parameters
    ----------
    width
        The velocity over which Coulomb friction turns.
    """

    def __init__(
        self,
        robot: Robot,
        information: Information,
        limits: MotionLimits,
        clear: list[Clearance],
        scale: Floats,
        width: float,
    ) -> None:
        self.robot, self.information, self.limits, self.scale = robot, information, limits, scale
        self._clear, self._told = clear, told(information.drawn(limits) * scale)
        self._torque_limits = np.append(limits.torque, [joint.limits.effort for joint in limits.followers])
        self._bounded = np.flatnonzero(np.isfinite(self._torque_limits))
        self.torques = self._torques(width) if len(self._bounded) else None

    def _torques(self, width: float) -> Pullback:
        program = inverse_dynamics(self.robot)
        if program.parameters:
            some = ", ".join(program.parameters[:6])
            raise IdentificationError(
                f"{self.robot.name}: limits of torques need values for {some} …; give them with bind, or "
                "limits={'torque': inf} if torques do not matter"
            )
        each = [program, *self._of_followers]
        return Pullback(program.name, dict(program.arguments), [x for one in each for x in smoothed(one, "tau", width)])

    @cached_property
    def _of_followers(self) -> list[Program]:
        return [follower_torques(self.robot, self.limits.followers)] if self.limits.followers else []

    @cached_property
    def _functions(self) -> list[Function]:
        """The torques with friction that jumps where velocities change their signs."""
        return [each.compile() for each in (inverse_dynamics(self.robot), *self._of_followers)]

    def objective(self, measure: Measure, grid: Grid, x: Floats) -> tuple[float, Floats, Rates]:
        """Return a measure of the information, its slopes, and the states."""
        states = grid.states(x)
        W = self.information.rows(*states) * self.scale
        value, by = measure(self.measured(W))
        slopes = self.information.slopes(W, self._told @ by @ self._told.T * self.scale, *states)
        return value, grid.slopes(slopes), states

    def matrix(self, grid: Grid, x: Floats) -> Floats:
        """Return the information matrix in the chosen units."""
        return self.measured(self.information.rows(*grid.states(x)) * self.scale)

    def measured(self, W: Floats) -> Floats:
        """Return the information matrix of a scaled regressor, without combinations that no motion tells apart."""
        return np.asarray(self._told.T @ self.information.matrix(W) @ self._told)

    def excesses(self, states: Rates, margin: float = 0.0, *, smooth: bool = True) -> list[Excess]:
        """Return how far each kind of limit is exceeded; a margin tightens all but clearances.

        Friction is smooth, as searches need it, or as it is; the slopes are always those of smooth friction.
        """
        q, qd, qdd = states
        limits, room = self.limits, 1.0 - margin
        none = np.zeros_like(q)
        found = []
        ranged = np.isfinite(limits.upper - limits.lower)
        half = np.where(ranged, 0.5 * (limits.upper - limits.lower), 1.0)
        if ranged.any():
            middle = limits.middle
            found.append(_within((q - middle) / half, ranged, room, lambda w: (w / half, none, none)))
        one_sided = [(limits.upper, 1.0), (limits.lower, -1.0)]
        for bound, sign in one_sided:
            if (single := np.isfinite(bound) & ~ranged).any():
                found.append(_beyond(q, bound, sign, single, none))
        if (fast := np.isfinite(limits.velocity)).any():
            v = np.where(fast, limits.velocity, 1.0)
            found.append(_within(qd / v, fast, room, lambda w: (none, w / v, none)))
        if (hard := np.isfinite(limits.acceleration)).any():
            a = np.where(hard, limits.acceleration, 1.0)
            found.append(_within(qdd / a, hard, room, lambda w: (none, none, w / a)))
        if self.torques:
            torques, own = self.torques, np.isfinite(self._torque_limits)
            tau = np.where(own, self._torque_limits, 1.0)
            values = (
                torques.values(*states)
                if smooth
                else np.concatenate([each(*_with_turns(states), threads=1) for each in self._functions], axis=1)
            )
            found.append(_within(values / tau, own, room, lambda w: torques.slopes(w / tau, *states)))
        found += [_kept(clear, q, none) for clear in self._clear]
        return found

    def worst(self, states: Rates) -> float:
        """Return by how much the limit that is exceeded most is exceeded, as a part of it."""
        return max((float(each.values.max()) for each in self.excesses(states, smooth=False)), default=-np.inf)


def _with_turns(states: Rates) -> Rates:
    """Return the states with those between them where joints turn back, on both sides: friction jumps there."""
    found = [states]
    for k, v in enumerate(states[1].T):
        i = np.flatnonzero(v[:-1] * v[1:] < 0.0)
        part = (v[i] / (v[i] - v[i + 1]))[:, None]
        for sign in (1.0, -1.0):
            q, qd, qdd = (x[i] + part * (x[i + 1] - x[i]) for x in states)
            qd[:, k] = sign * TINY
            found.append((q, qd, qdd))
    q, qd, qdd = (np.concatenate(x) for x in zip(*found, strict=True))
    return q, qd, qdd


def follower_torques(robot: Robot, followers: Sequence[LimitedJoint]) -> Program:
    """Return the Program ``q, qd, qdd -> tau`` of what moves the axes of followers, in the inputs of the robot."""
    whole, every = inverse_dynamics(robot), inverse_dynamics(robot.tree())
    by: dict[Node, Node] = {}
    for name in STATE:
        own = whole.arguments[name].nodes
        if name == "q":
            moved = [x for joint in by_joint(robot, own)[1:] for x in joint]
        else:
            moved = [sum(own[k] * ratio for k, ratio in row.items()) for row in velocity_rows(robot)]
        by.update(zip(every.arguments[name].nodes, map(as_node, moved), strict=True))
    nodes = [every.results["tau"].nodes[joint.axis] for joint in followers]
    new = replaced(nodes, by)
    tau = outputs([new[node] for node in nodes], [len(nodes)], [[joint.name for joint in followers]], "torques")
    return Program(f"{robot.name}_followers", dict(whole.arguments), {"tau": tau})


def told(W: Floats) -> Floats:
    """Return an orthonormal basis of the combinations of parameters that torques depend on."""
    rows = W.reshape(-1, W.shape[-1])
    _, sizes, basis = np.linalg.svd(np.linalg.qr(rows, mode="r"))
    known = sizes > RANK * sizes[0]
    return np.eye(W.shape[-1]) if known.all() else np.asarray(basis[known].T)


def _within(part: Floats, some: NDArray[np.bool_], room: float, slopes: Callable[[Floats], Rates]) -> Excess:
    """Return the excess of values between -1 and 1, where they are limited."""
    values = np.where(some, np.stack([part - room, -part - room]), -1.0)

    def back(weights: Floats) -> Rates:
        up, down = weights.reshape(values.shape) * some
        return slopes(np.ascontiguousarray(up - down))

    return Excess(values.reshape(-1), back)


def _beyond(q: Floats, bound: Floats, sign: float, some: NDArray[np.bool_], none: Floats) -> Excess:
    """Return the excess over a bound on one side."""
    values = np.where(some, sign * (q - np.where(some, bound, 0.0)), -1.0)
    return Excess(values.reshape(-1), lambda w: (sign * w.reshape(values.shape) * some, none, none))


def _kept(clear: Clearance, q: Floats, none: Floats) -> Excess:
    """Return the lack of clearance."""
    values = -clear.values(q) / METRES
    return Excess(values.reshape(-1), lambda w: (clear.slopes(-w.reshape(values.shape) / METRES, q), none, none))
