"""Closing loops: a five-bar in closed form, and a Gough-Stewart platform from the lengths of its legs, warm.

The platform is also closed by SciPy's root on residuals that Pinocchio computes, with Pinocchio's Jacobian: the
way people close loops today. Its tolerance is the largest with which it still agrees to 1e-9, which is compared first.
All times are of one run and one thread.

    python -m benchmarks.closing
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import root

import tauforge as tf
from tauforge.bench.matrices import pose
from tauforge.bench.timing import best_times
from tauforge.bench.with_pinocchio import to_pinocchio

from .speed import agree
from .table import Table

State = NDArray[np.float64]
COUNT = 4096
STEP = 2e-3
"""How far the legs move from the state that is known, in metres."""


class Closed:
    """The platform in Pinocchio, closed by SciPy from a state near by."""

    def __init__(self, robot: tf.Robot) -> None:
        import pinocchio as pin

        self.pin: Any = pin
        self.model = to_pinocchio(robot)
        self.data = self.model.createData()
        self.tips = [loop.joint.antecedent for loop in robot.loops]
        self.platform = robot.loops[0].frame.antecedent
        self.tops = np.column_stack([pose(loop.frame)[1] for loop in robot.loops])
        self.slides = [self.model.joints[tip].idx_v for tip in self.tips]
        self.places = [self.model.joints[tip].idx_q for tip in self.tips]
        self.unknown = [k for k in range(self.model.nv) if k not in self.slides]

    def stepped(self, q: State, v: State) -> tuple[State, State]:
        """Return where a step along the unknown axes leads, and the step along all axes."""
        step = np.zeros(self.model.nv)
        step[self.unknown] = v
        return self.pin.integrate(self.model, q, step), step

    def residual(self, v: State, q: State) -> State:
        """Return what is left open at the tips after a step from q."""
        data = self.data
        self.pin.forwardKinematics(self.model, data, self.stepped(q, v)[0])
        tops = data.oMi[self.platform].rotation @ self.tops
        tops += data.oMi[self.platform].translation[:, None]
        return np.concatenate([data.oMi[tip].translation for tip in self.tips]) - tops.ravel(order="F")

    def slope(self, v: State, q: State) -> State:
        """Return how the residual changes with the step."""
        pin, model, data = self.pin, self.model, self.data
        here, step = self.stepped(q, v)
        pin.computeJointJacobians(model, data, here)
        top = pin.getJointJacobian(model, data, self.platform, pin.LOCAL_WORLD_ALIGNED)
        found = np.empty((6, 3, model.nv))
        for k, tip in enumerate(self.tips):
            leg = pin.getJointJacobian(model, data, tip, pin.LOCAL_WORLD_ALIGNED)
            lever = data.oMi[self.platform].rotation @ self.tops[:, k]
            found[k] = leg[:3] - top[:3] + pin.skew(lever) @ top[3:]
        return np.asarray((found.reshape(18, -1) @ pin.dIntegrate(model, q, step, pin.ARG1))[:, self.unknown])

    def close(self, lengths: State, guess: State) -> State:
        """Return the closed state."""
        q = guess.copy()
        q[self.places] = lengths
        start = np.zeros(len(self.unknown))
        found = root(self.residual, start, args=(q,), jac=self.slope, method="hybr", tol=1e-6)
        return self.stepped(q, found.x)[0]


def per_state(work: Callable[[], object], count: int) -> float:
    """Return the best time of a run for each of its states, in seconds."""
    return best_times({"it": work})["it"] / count


def closed_form(table: Table) -> None:
    """Time a five-bar in closed form."""
    robot = tf.robots.fivebar()
    q = tf.close_loops(robot, [2.3, 0.9], guess=[2.3, -1.2, 0.9, 1.2])
    function = tf.closing(robot).compile()
    active = q[[0, 2]] + np.random.default_rng(0).uniform(-0.2, 0.2, (COUNT, 2))
    made = function(active, q)
    if not made.closed.all():
        raise SystemExit("a state of the five-bar is open")
    time = per_state(partial(function, active, q, out=made, threads=1), COUNT)
    table.row("five-bar, closed form, batch", 1e9 * time, "ns", "< 150", f"{tf.closing(robot).count()}")
    time = per_state(partial(function, active[0], q), 1)
    table.row("five-bar, closed form, one call from Python", 1e9 * time, "ns")


def warm_start(table: Table, peers: int = 50) -> None:
    """Time a platform from the lengths of its legs, each state from one near by."""
    robot = tf.robots.gough_stewart()
    function, theirs = tf.closing(robot).compile(), Closed(robot)
    rng, q = np.random.default_rng(0), tf.close_loops(robot, np.zeros(6))
    before = rng.uniform(-0.05, 0.05, (COUNT, 6))
    start = function(before, q).q
    after = before + rng.uniform(-STEP, STEP, before.shape)
    made = function(after, start)
    agree(made.q[:peers], np.array([theirs.close(*pair) for pair in zip(after[:peers], start, strict=False)]))
    pairs = [*zip(after[:peers], start, strict=False)]
    works = {
        "batch": (partial(function, after, start, out=made, threads=1), COUNT),
        "one call from Python": (partial(function, after[0], start[0]), 1),
        "tf.close_loops, one state": (partial(tf.close_loops, robot, after[0], start[0]), 1),
        "SciPy": (lambda: [theirs.close(*pair) for pair in pairs], peers),
    }
    best = best_times({way: work for way, (work, _) in works.items()}, seconds=4.0)
    ours = {way: best[way] / count for way, (_, count) in works.items()}
    scipy = ours.pop("SciPy")
    for way, time in ours.items():
        note = f"{1e6 * time:.2f} µs per state, theirs {1e6 * scipy:.0f}"
        table.row(f"Gough-Stewart from its legs, {way}", scipy / time, "x", ">= 10", note)


def main() -> None:
    table = Table()
    table.title("closing loops, one thread")
    closed_form(table)
    table.title("times SciPy's root on Pinocchio's residuals and Jacobian")
    warm_start(table)


if __name__ == "__main__":
    main()
