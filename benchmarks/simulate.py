"""Adaptive simulation beside SciPy's with Pinocchio's model: the same problem, tolerance and results, in one run.

The problem is the KUKA LWR under stiff joint controllers of Woliński and Malczyk (2015), 14 s. SciPy's methods call a
function in Python that calls ``pin.aba``; their Jacobian is found by differences, or is that of Pinocchio. All errors
are against one reference at a tolerance of 1e-11.

    python -m benchmarks.simulate [--tolerance NUMBER] [--batch COUNT]
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import tauforge as tf
from tauforge.bench.timing import PROCESSOR, best_times
from tauforge.bench.with_pinocchio import to_pinocchio

from .table import Table

K = np.array([10.0, 1000.0, 200.0, 100.0, 10.0, 10.0, 10.0])
C = np.array([1000.0, 10000.0, 1000.0, 1000.0, 10.0, 10.0, 10.0])
W = math.pi / 7.0
T = np.linspace(0.0, 14.0, 141)
START = np.concatenate([np.full(7, math.pi / 2.0), np.zeros(7)])
PEERS = ("BDF", "LSODA", "Radau")
OURS = ("Rodas4", "Rodas5P")
WANTED = 20


class Theirs:
    """The problem for SciPy, with Pinocchio's model."""

    def __init__(self, robot: tf.Robot) -> None:
        import pinocchio

        self.pin: Any = pinocchio
        self.model = to_pinocchio(robot)
        self.data = self.model.createData()

    def torques(self, t: float, y: Any) -> Any:
        q, qd = math.pi / 2.0 * math.cos(W * t), -math.pi / 2.0 * W * math.sin(W * t)
        return K * (q - y[:7]) + C * (qd - y[7:])

    def rates(self, t: float, y: Any) -> Any:
        return np.concatenate([y[7:], self.pin.aba(self.model, self.data, y[:7], y[7:], self.torques(t, y))])

    def jacobian(self, t: float, y: Any) -> Any:
        self.pin.computeABADerivatives(self.model, self.data, y[:7], y[7:], self.torques(t, y))
        inverse = np.triu(self.data.Minv) + np.triu(self.data.Minv, 1).T
        J = np.zeros((14, 14))
        J[:7, 7:] = np.eye(7)
        J[7:, :7] = self.data.ddq_dq - inverse * K
        J[7:, 7:] = self.data.ddq_dv - inverse * C
        return J

    def run(self, method: str, exact: bool, tolerance: float) -> Any:
        from scipy.integrate import solve_ivp

        jacobian = self.jacobian if exact else None
        how = {"method": method, "rtol": tolerance, "atol": tolerance, "jac": jacobian}
        return solve_ivp(self.rates, (T[0], T[-1]), START, t_eval=T, **how)


def simulation(robot: tf.Robot) -> Callable[..., tf.Trajectory]:
    """Return the simulation as a function of the method and the tolerance."""
    reference = tf.motion([f"{math.pi / 2.0}*cos({W}*t)"] * 7, [T[0], T[-1]])
    control = tf.pd_control(robot, K, C, reference)

    def run(method: str, tolerance: float, count: int | None = None) -> tf.Trajectory:
        q0 = START[:7] if count is None else np.broadcast_to(START[:7], (count, 7))
        how = {"method": method, "rtol": tolerance, "atol": tolerance, "threads": 1 if count else None}
        return tf.simulate(robot, T, controller=control, q0=q0, **how)

    return run


def compare(table: Table, tolerance: float, count: int) -> None:
    """Add the rows of the problem."""
    robot = tf.robots.kuka_lwr()
    theirs, ours = Theirs(robot), simulation(robot)
    exact = theirs.run("Radau", True, 1e-11).y[:7].T
    runs = {
        f"SciPy's {m}{', pin Jacobian' * j}": partial(theirs.run, m, bool(j), tolerance) for m in PEERS for j in (0, 1)
    }
    own = {method: partial(ours, method, tolerance) for method in OURS}
    times = best_times({**runs, **own}, seconds=6.0, rounds=5, clock=PROCESSOR)
    errors = {name: float(np.abs(run().y[:7].T - exact).max()) for name, run in runs.items()}
    errors |= {name: float(np.abs(run().q - exact).max()) for name, run in own.items()}
    for name, run in runs.items():
        found = run()
        note = f"error {errors[name]:.1e} rad; {found.nfev} evaluations, {found.njev} Jacobians"
        table.row(name, 1e3 * times[name], "ms", "", note)
    best = min(runs, key=lambda name: times[name])
    for name, run in own.items():
        made = run()
        note = f"{1e3 * times[name]:.2f} ms; error {errors[name]:.1e} rad; {made.evaluations} evaluations in all"
        wanted = f">= {WANTED}" if errors[name] <= errors[best] else "larger error"
        table.row(f"{name}, times {best}", times[best] / times[name], "x", wanted, note)
    for name in OURS:
        many = best_times({name: partial(ours, name, tolerance, count)}, seconds=1.0, rounds=2, clock=PROCESSOR)
        each = many[name] / count
        table.row(f"{name}, each of {count}, times {best}", times[best] / each, "x", "", f"{1e3 * each:.3f} ms each")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tolerance", type=float, default=1e-6)
    parser.add_argument("--batch", type=int, default=64)
    options = parser.parse_args(arguments)
    table = Table()
    table.title(f"the LWR for 14 s at a tolerance of {options.tolerance:g}, one thread")
    compare(table, options.tolerance, options.batch)


if __name__ == "__main__":
    main()
