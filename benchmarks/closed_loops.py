"""Closed loops beside Pinocchio: the bundled mechanisms at closed states, results compared first, times in one run.

Direct dynamics: ``pin.constraintDynamics``, called from Python state by state, its only mode; a revolute cut of a
planar loop is one point, the least that closes it, and the proximal method takes as few steps as agree. Inverse
dynamics: Pinocchio has none with constraints, so ours is beside ``rneaInParallel`` on the tree alone, its own loop in
C++, which is less work than any way to close it; and beside its Jacobians of the constraints, projected in NumPy.

    python -m benchmarks.closed_loops [--json FILE] [--robots NAME ...]
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import tauforge as tf
from tauforge.bench.timing import best_times
from tauforge.geometry.close_loops import close_loops

from .constrained import Constrained, each
from .speed import COUNT, agree
from .table import Table

FEW = 256
"""States that are called one by one."""
GUESSES = {
    "fourbar": [0.5, 0.2, 1.3],
    "slider_crank": [0.5, -0.7, 0.38],
    "fivebar": [2.0, -1.0, 1.0, 1.0],
    "sr400": [0.0, -1.2, 0.0, 0.0, 0.4, 0.0, -2.9, 1.6],
}
"""A state of each robot, around which the others are."""


class Loops(Constrained):
    """A mechanism of planar loops."""

    def __init__(self, robot: tf.Robot) -> None:
        super().__init__(robot, 1e-9)
        self.free = [robot.joint_names.index(name) for name in robot.velocity_names]

    def inverse(self, q: Any, v: Any, a: Any) -> Any:
        """Return the efforts of the independent joints from the motion of all."""
        tau = self.pin.rnea(self.model, self.data, q, v, a)
        J = self.equations(q)
        rest = [k for k in range(self.model.nv) if k not in self.free]
        forces = np.linalg.lstsq(J[:, rest].T, tau[rest], rcond=None)[0]
        return tau[self.free] - J[:, self.free].T @ forces


def states(robot: tf.Robot, count: int) -> tuple[Any, Any, Any]:
    """Return closed states near the robot's guess, with velocities and accelerations of the independent joints."""
    rng, guess = np.random.default_rng(0), np.array(GUESSES[robot.name])
    free = [robot.joint_names.index(name) for name in robot.velocity_names]
    active = guess[free] + rng.uniform(-0.2, 0.2, (count, len(free)))
    qd, qdd = rng.normal(size=(2, count, len(free)))
    return close_loops(robot, active, guess=guess), qd, qdd


def compare(table: Table, robot: tf.Robot, count: int, seconds: float) -> None:
    """Compare both models of a robot."""
    import pinocchio as pin

    loops, (q, qd, qdd) = Loops(robot), states(robot, count)
    motion = tf.joint_motion(robot).compile()
    v, a = motion(q, qd, qdd)
    inverse, direct = tf.inverse_dynamics(robot).compile(), tf.direct_dynamics(robot).compile()
    whole = tf.direct_dynamics(robot, coordinates="all", efforts="independent").compile()
    tau = inverse(q, qd, qdd)
    efforts = np.zeros_like(v)
    efforts[:, loops.free] = tau
    few = range(min(FEW, count))
    agree(tau[few], np.array([loops.inverse(q[i], v[i], a[i]) for i in few]))
    found = np.array([loops.direct(q[i], v[i], efforts[i])[loops.free] for i in few])
    error = float(np.abs(found - qdd[few]).max())
    agree(direct(q, qd, tau)[few], found)
    agree(whole(q, v, tau)[few][:, loops.free], found)
    best = best_times(
        {
            "direct": partial(direct, q, qd, tau, out=qdd.copy(), threads=1),
            "whole": partial(whole, q, v, tau, out=v.copy(), threads=1),
            "theirs": partial(each, loops.direct, [[q[i], v[i], efforts[i]] for i in few]),
            "inverse": partial(inverse, q, qd, qdd, out=tau.copy(), threads=1),
            "projected": partial(each, loops.inverse, [[q[i], v[i], a[i]] for i in few]),
            "tree": partial(
                pin.rneaInParallel,
                1,
                pin.ModelPool(loops.model, 1),
                *(np.asfortranarray(x.T) for x in (q, v, a)),
                np.zeros((loops.model.nv, count), order="F"),
            ),
        },
        seconds,
    )
    ours = {name: 1e9 * best[name] / count for name in ("direct", "whole", "inverse", "tree")}
    theirs = {name: 1e9 * best[name] / len(few) for name in ("theirs", "projected")}
    note = f"{ours['direct']:.1f} ns per state, theirs {theirs['theirs']:.0f}, which is off by {error:.1g}"
    table.row(f"{robot.name}, direct : constraintDynamics", theirs["theirs"] / ours["direct"], "x", ">= 10", note)
    note = f"{ours['whole']:.1f} ns per state, {ours['whole'] / ours['direct']:.2f} times that in independent joints"
    table.row(f"{robot.name}, in all coordinates", theirs["theirs"] / ours["whole"], "x", ">= 4", note)
    note = f"{ours['inverse']:.1f} ns per state, theirs {theirs['projected']:.0f}"
    table.row(f"{robot.name}, inverse : rnea, projected", theirs["projected"] / ours["inverse"], "x", ">= 10", note)
    note = f"theirs {ours['tree']:.0f} ns per state, loops open"
    table.row(f"{robot.name}, inverse : rneaInParallel of the tree", ours["tree"] / ours["inverse"], "x", "", note)


def main(arguments: list[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="write the figures to a file too")
    parser.add_argument("--robots", nargs="*", choices=GUESSES, default=[*GUESSES])
    parser.add_argument("--batch", type=int, default=COUNT)
    parser.add_argument("--seconds", type=float, default=4.0)
    given = parser.parse_args(arguments)
    table = Table()
    table.title(f"closed loops, batch of {given.batch}, one thread: times Pinocchio's")
    for name in given.robots:
        compare(table, tf.robots.bundled(name), given.batch, given.seconds)
    if given.json:
        Path(given.json).write_text(json.dumps(table.rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
