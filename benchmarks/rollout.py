"""Rollouts beside MuJoCo's own, which loops in C: the same robots, states, torques and steps, in one run.

Both take semi-implicit steps, write the state after each step into memory that was there before, and use as many
threads. MuJoCo's model has neither contacts nor other constraints. After one step, the states of both are compared. A
free body's motion within a step differs in the second order, so its first coordinates are compared as such.

    python -m benchmarks.rollout [--threads COUNT]
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

import numpy as np

import tauforge as tf
from tauforge.bench.peer import DIRECT
from tauforge.bench.prepare import states
from tauforge.bench.timing import best_times
from tauforge.bench.with_mujoco import MuJoCo

from .robots import humanoid, panda
from .speed import agree
from .table import Table

COUNT, STEPS, DT = 4096, 1000, 1e-3
FREE = 6
"""Degrees of freedom of a floating base."""


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


def compare(table: Table, robot: tf.Robot, count: int, wanted: int, threads: int) -> None:
    """Add a robot's rows to the table."""
    q, qd, _ = states(robot, count)
    qd *= 0.1
    free = len(robot.coordinate_names) > robot.dof
    tau = np.random.default_rng(0).uniform(-1.0, 1.0, (count, STEPS, robot.dof))
    tau[..., : FREE if free else 0] = 0.0
    theirs = Theirs(robot, q, qd, tau, threads)
    ours = tf.rollout(robot, q, qd, tau[:, :1], DT)
    skipped = FREE if free else 0
    agree(ours.qd[:, 0, skipped:], theirs.run(theirs.memory(1))[:, 0, theirs.model.nq + 1 + skipped :])
    theirs_out = theirs.memory(STEPS)
    ours_out = np.zeros((count, STEPS, q.shape[1] + qd.shape[1]))
    roll = partial(tf.rollout, robot, q, qd, threads=threads)
    works = {
        "MuJoCo": partial(theirs.run, theirs_out),
        "all states": partial(roll, tau, DT, out=ours_out),
        "last state": partial(roll, tau, DT, every=None),
        "all states, rk4": partial(roll, tau, DT, out=ours_out, method="rk4"),
        "last state, float32": partial(roll, tau.astype(np.float32), DT, every=None, dtype="float32"),
    }
    best = best_times(works, seconds=1.0, rounds=1)
    mujoco = best.pop("MuJoCo") / (count * STEPS)
    for way, seconds in best.items():
        own = seconds / (count * STEPS)
        note = f"{1e9 * own:.1f} ns per step, theirs {1e9 * mujoco:.0f}"
        least = f">= {wanted}" if way == "all states" else ""
        table.row(f"{robot.name}, {way}", mujoco / own, "x", least, note)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    threads = parser.parse_args().threads
    table = Table()
    table.title(f"rollouts of {STEPS} steps, {threads} thread(s): times MuJoCo's rollout")
    compare(table, panda(), COUNT, 30, threads)
    compare(table, humanoid(), COUNT // 8, 10, threads)


if __name__ == "__main__":
    main()
