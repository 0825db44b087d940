"""A Gough-Stewart platform beside Pinocchio: closed states, results compared first, times in one run.

Inverse dynamics, from the motion of the platform to the forces of the legs: Pinocchio has none with constraints. It is
given the motion of all joints, and has to add ``rneaInParallel``, its loop in C++, the Jacobian of the constraints
state by state, and NumPy's solution of all states at once for the forces of motors and cuts. Direct dynamics:
``pin.constraintDynamics``, state by state, its only mode.

    python -m benchmarks.parallel [--json FILE]
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
REACH = 0.1
"""How far the platform moves from home, in metres and halves of radians; farther on there are singular states."""


class Peer(Constrained):
    """The platform in Pinocchio."""

    def __init__(self, robot: tf.Robot) -> None:
        super().__init__(robot, 1e-10)
        self.pool = self.pin.ModelPool(self.model, 1)
        names = robot.tree().velocity_names
        self.motors = [names.index(name) for name in robot.actuated]

    def tree(self, q: Any, v: Any, a: Any) -> Any:
        """Return the torques of all joints with the loops open, a column per state."""
        tau = np.zeros((self.model.nv, len(q)), order="F")
        self.pin.rneaInParallel(1, self.pool, *(np.asfortranarray(x.T) for x in (q, v, a)), tau)
        return tau

    def inverse(self, q: Any, v: Any, a: Any) -> Any:
        """Return the forces of the motors from the motion of all joints, for many states."""
        tau = self.tree(q, v, a)
        A = np.zeros((len(q), self.model.nv, self.model.nv))
        A[:, self.motors, range(len(self.motors))] = 1.0
        for row, whole in zip(q, A, strict=True):
            whole[:, len(self.motors) :] = self.equations(row).T
        return np.linalg.solve(A, tau.T[..., None])[:, : len(self.motors), 0]


def states(robot: tf.Robot, count: int) -> tuple[Any, Any, Any]:
    """Return closed states near home, with velocities and accelerations of the platform."""
    rng, size = np.random.default_rng(0), len(robot.coordinate_names)
    pose = np.concatenate([rng.uniform(-REACH, REACH, (count, 6)), np.ones((count, 1))], axis=1)
    pose[:, 3:] /= np.linalg.norm(pose[:, 3:], axis=1)[:, None]
    guess = np.concatenate([np.zeros((count, size - 7)), pose], axis=1)
    qd, qdd = rng.normal(size=(2, count, 6))
    return close_loops(robot, pose, guess=guess), qd, qdd


def compare(table: Table, count: int, seconds: float) -> None:
    """Compare both models."""
    general = tf.robots.gough_stewart()
    robot = general.with_independent("platform")
    peer, (q, qd, qdd) = Peer(robot), states(robot, count)
    v, a = tf.joint_motion(robot).compile()(q, qd, qdd)
    inverse, direct = (model(robot, efforts="motors").compile() for model in (tf.inverse_dynamics, tf.direct_dynamics))
    tau, few = inverse(q, qd, qdd), range(min(FEW, count))
    efforts = np.zeros_like(v)
    efforts[:, peer.motors] = tau
    agree(tau, peer.inverse(q, v, a))
    found = np.array([peer.direct(q[i], v[i], efforts[i]) for i in few])
    error = float(np.abs(found - a[few]).max())
    agree(direct(q, qd, tau), qdd)
    whole = tf.direct_dynamics(general, coordinates="all").compile()
    agree(whole(q, v, tau)[few], found)
    best = best_times(
        {
            "inverse": partial(inverse, q, qd, qdd, out=tau.copy(), threads=1),
            "projected": partial(peer.inverse, q, v, a),
            "open": partial(peer.tree, q, v, a),
            "direct": partial(direct, q, qd, tau, out=qdd.copy(), threads=1),
            "whole": partial(whole, q, v, tau, out=v.copy(), threads=1),
            "theirs": partial(each, peer.direct, [[q[i], v[i], efforts[i]] for i in few]),
        },
        seconds,
    )
    nanoseconds = {name: 1e9 * x / (len(few) if name == "theirs" else count) for name, x in best.items()}
    rows = (
        ("inverse", "projected", "rneaInParallel, projected"),
        ("inverse", "open", "rneaInParallel of the tree alone"),
        ("direct", "theirs", "constraintDynamics"),
        ("whole", "theirs", "constraintDynamics, in all coordinates"),
    )
    for ours, theirs, name in rows:
        note = f"{nanoseconds[ours]:.0f} ns per state, theirs {nanoseconds[theirs]:.0f}"
        note += f", which is off by {error:.1g}" if ours == "direct" else ""
        ratio = nanoseconds[theirs] / nanoseconds[ours]
        table.row(f"gough_stewart, {ours} : {name}", ratio, "x", "" if theirs == "open" else ">= 10", note)


def main(arguments: list[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="write the figures to a file too")
    parser.add_argument("--batch", type=int, default=COUNT)
    parser.add_argument("--seconds", type=float, default=4.0)
    given = parser.parse_args(arguments)
    table = Table()
    table.title(f"parallel robots, batch of {given.batch}, one thread: times Pinocchio's")
    compare(table, given.batch, given.seconds)
    if given.json:
        Path(given.json).write_text(json.dumps(table.rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
