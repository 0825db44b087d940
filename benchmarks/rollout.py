"""Rollouts beside MuJoCo's own, which loops in C: the same robots, states, torques and steps, in one run.

Both take semi-implicit steps, write the state after each step into memory that was there before, and use as many
threads. MuJoCo's model has neither contacts nor other constraints. After one step, the velocities of both
are compared, except the linear one of a free body: it is in the body's axes here and in the world's there, and the two
steps differ in the second order.

    python -m benchmarks.rollout [--threads COUNT] [--batch COUNT] [--steps COUNT] [--robots NAME ...]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import tauforge as tf
from tauforge.bench.peer import DIRECT
from tauforge.bench.prepare import prepared, states
from tauforge.bench.timing import PROCESSOR, best_times
from tauforge.bench.with_mujoco import MuJoCo

from .peers import robot as example
from .speed import agree
from .table import Table

DT = 1e-3
FREE = 6
"""Degrees of freedom of a floating base."""
WANTED = {"panda": 30, "talos": 10}
"""How many times faster than MuJoCo each robot should be."""


class Theirs:
    """A robot's rollouts in MuJoCo."""

    def __init__(self, robot: tf.Robot, q: Any, qd: Any, tau: Any, threads: int) -> None:
        from mujoco import MjData
        from mujoco.rollout import Rollout

        peer = MuJoCo(robot)
        peer.model.opt.timestep = DT
        own_q, own_qd, _ = peer.own(DIRECT, [q, qd, np.zeros_like(qd)])
        self.model, self.peer, self.tau = peer.model, peer, tau
        self.before = np.hstack([np.zeros((len(q), 1)), own_q, own_qd])
        self.data = [MjData(peer.model) for _ in range(threads)]
        self.pool = Rollout(nthread=threads if threads > 1 else 0)
        self.spec = int(peer.mj.mjtState.mjSTATE_QFRC_APPLIED)

    def memory(self, steps: int) -> Any:
        return np.zeros((len(self.before), steps, self.before.shape[1]))

    def run(self, after: Any) -> Any:
        """Fill the memory for the states after each step."""
        self.pool.rollout(
            self.model,
            self.data,
            self.before,
            control=self.tau[:, : after.shape[1]],
            control_spec=self.spec,
            nstep=after.shape[1],
            state=after,
            sensordata=np.zeros((len(after), after.shape[1], 0)),
        )
        return after


def compare(table: Table, name: str, count: int, steps: int, threads: int) -> None:
    """Add a robot's rows to the table."""
    robot = prepared(example(name))[0]
    q, qd, _ = states(robot, count)
    qd *= 0.1
    base = FREE if len(robot.coordinate_names) > robot.dof else 0
    tau = np.random.default_rng(0).uniform(-1.0, 1.0, (count, steps, robot.dof))
    tau[..., :base] = 0.0
    theirs = Theirs(robot, q, qd, tau, threads)
    ours = tf.rollout(robot, q, qd, tau[:, :1], DT)
    linear = base // 2
    agree(ours.qd[:, 0, linear:], theirs.run(theirs.memory(1))[:, 0, theirs.model.nq + 1 + linear :])
    out = np.zeros((count, steps, q.shape[1] + qd.shape[1]))
    roll = partial(tf.rollout, robot, q, qd, threads=threads)
    works = {
        "MuJoCo": partial(theirs.run, theirs.memory(steps)),
        "all states": partial(roll, tau, DT, out=out),
        "last state": partial(roll, tau, DT, every=None),
        "last state, float32": partial(roll, tau.astype(np.float32), DT, every=None, dtype="float32"),
        "last state, rk4": partial(roll, tau, DT, every=None, method="rk4"),
    }
    clock = PROCESSOR if threads == 1 else time.perf_counter
    times = best_times(works, seconds=0.0, rounds=2, clock=clock)
    best = {way: seconds / (count * steps) for way, seconds in times.items()}
    mujoco = best.pop("MuJoCo")
    for way, own in best.items():
        note = f"{1e9 * own:.1f} ns per step, theirs {1e9 * mujoco:.0f}"
        table.row(f"{name}, {way}", mujoco / own, "x", f">= {WANTED[name]}" if way == "all states" else "", note)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--robots", nargs="+", choices=WANTED, default=[*WANTED])
    options = parser.parse_args(arguments)
    table = Table()
    table.title(f"rollouts of {options.steps} steps, {options.threads} thread(s): times MuJoCo's rollout")
    for name in options.robots:
        count = options.batch if name == "panda" else -(-options.batch // 8)  # a large robot's states fill the memory
        compare(table, name, count, options.steps, options.threads)


if __name__ == "__main__":
    main()
