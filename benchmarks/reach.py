"""Numerical inverse geometry beside TRAC-IK and a plain loop with Pinocchio, on one core, in one run.

Random reachable poses, the same limits and the same tolerance for all: python -m benchmarks.reach [--poses 1000]
TRAC-IK is ``pip install pytracik``. Success is judged by our direct geometry: within 2e-5 m and rad, and within limits.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import tauforge as tf
from tauforge.geometry.task import rotation_vectors
from tauforge.robot.joint import Limits

Floats = NDArray[np.float64]
TOLERANCE = 1e-5
"""TRAC-IK's own default, in metres and radians."""
LIMITS = {
    "panda": ([-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973],
              [2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973]),
    "ur5": ([-6.2832] * 6, [6.2832] * 6),
    "kuka_lwr": ([-2.9671, -2.0944] * 3 + [-2.9671], [2.9671, 2.0944] * 3 + [2.9671]),
    "puma560": ([-2.7925, -3.9270, -0.9163, -1.9199, -1.7453, -4.6426],
                [2.7925, 0.7854, 4.0579, 2.9671, 1.7453, 4.6426]),
}  # fmt: skip
"""Limits of the joints as the makers give them, by bundled robot."""
SINGLE = 1e-6
"""By how much limits may be exceeded: TRAC-IK keeps them in single precision."""
TIMEOUT = 0.005
"""TRAC-IK's own default, in seconds."""
STEPS, DAMPING, RESTARTS = 100, 1e-6, 10
"""Of the plain loop: steps from each start, damping, and starts."""

Solve = Callable[[Floats, Floats], Floats]
"""Takes poses and starts, and returns states, NaN where there is none."""


def limited(name: str) -> tuple[tf.Robot, Floats, Floats]:
    """Return a bundled robot with its limits."""
    robot, (lower, upper) = getattr(tf.robots, name)().neglect("IA", "FV", "FS"), map(np.array, LIMITS[name])
    pairs = zip(robot.joints, lower, upper, strict=True)
    joints = tuple(replace(joint, limits=Limits(lower=float(a), upper=float(b))) for joint, a, b in pairs)
    bodies = tuple(replace(body, inertia=tf.Inertia()) for body in robot.bodies)
    return robot.derived(joints=joints, bodies=bodies), lower, upper


def tauforge(robot: tf.Robot) -> Solve:
    return lambda T, q: tf.reach(robot, T, frame=robot.bodies[-1].name, strict=False, threads=1).q


def trac_ik(robot: tf.Robot, timeout: float) -> Solve:
    """Return TRAC-IK on the same robot, written as URDF."""
    from trac_ik import TracIK

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        robot.save(path)
        first = next(line.split('"')[1] for line in path.read_text().splitlines() if "<link name=" in line)
        solver = TracIK(first, robot.bodies[-1].name, str(path), timeout=timeout, epsilon=TOLERANCE)

    def solve(T: Floats, q: Floats) -> Floats:
        found = np.full(q.shape, np.nan)
        for k, (pose, seed) in enumerate(zip(T, q, strict=True)):
            state = solver.ik(pose[:3, 3], pose[:3, :3], seed)
            if state is not None:
                found[k] = state
        return found

    return solve


def clik(robot: tf.Robot, lower: Floats, upper: Floats) -> Solve:
    """Return a damped loop with Pinocchio's kinematics, as people write it, restarted within the limits."""
    import pinocchio as pin

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        robot.save(path)
        model = pin.buildModelFromUrdf(str(path))
    data, frame = model.createData(), model.getFrameId(robot.bodies[-1].name)
    random = np.random.default_rng(0)

    def one(goal: Floats, q: Floats) -> Floats:
        target = pin.SE3(goal)
        for start in range(RESTARTS):
            q = q.copy() if start == 0 else random.uniform(lower, upper)
            for _ in range(STEPS):
                pin.framesForwardKinematics(model, data, q)
                error = pin.log(data.oMf[frame].actInv(target)).vector
                if np.linalg.norm(error) < TOLERANCE:
                    return q
                J = pin.computeFrameJacobian(model, data, q, frame)
                q = np.clip(q + J.T @ np.linalg.solve(J @ J.T + DAMPING * np.eye(6), error), lower, upper)
        return np.full_like(q, np.nan)

    return lambda T, q: np.array([one(goal, start) for goal, start in zip(T, q, strict=True)])


def success(robot: tf.Robot, T: Floats, q: Floats, lower: Floats, upper: Floats) -> float:
    """Return the part of poses that are met, within the limits."""
    with np.errstate(invalid="ignore"):
        now = tf.transforms(robot, frames=robot.bodies[-1].name).compile()(q)[:, 0]
        off = np.linalg.norm(now[:, :3, 3] - T[:, :3, 3], axis=1)
        turn = np.linalg.norm(rotation_vectors(T[:, :3, :3] @ np.swapaxes(now[:, :3, :3], 1, 2)), axis=1)
        inside = ((q >= lower - SINGLE) & (q <= upper + SINGLE)).all(axis=1)
        return float((inside & (np.maximum(off, turn) < 2.0 * TOLERANCE)).mean())


def timed(solve: Solve, T: Floats, q: Floats) -> tuple[Floats, float]:
    """Return the states and the processor time of one pose, in microseconds: other work on the core does not count."""
    start = time.process_time()
    found = solve(T, q)
    return found, 1e6 * (time.process_time() - start) / len(T)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--poses", type=int, default=1000)
    parser.add_argument("--robots", nargs="+", choices=LIMITS, default=[*LIMITS])
    options = parser.parse_args(arguments)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    table = Table("robot", "with", "success %", "µs/pose", "ratio", title=f"{options.poses} poses, one core")
    for name in options.robots:
        robot, lower, upper = limited(name)
        random = np.random.default_rng(0)
        T = tf.transforms(robot, frames=robot.bodies[-1].name).compile()(
            random.uniform(lower, upper, (options.poses, len(lower)))
        )
        goals, starts = T[:, 0], random.uniform(lower, upper, (options.poses, len(lower)))
        own = tauforge(robot)
        own(goals[:2], starts[:2])
        rows: list[tuple[str, Solve, int]] = [
            ("tauforge", own, options.poses),
            ("TRAC-IK, 5 ms", trac_ik(robot, TIMEOUT), options.poses),
            ("TRAC-IK, 50 ms", trac_ik(robot, 10 * TIMEOUT), options.poses // 5),
            ("loop with Pinocchio", clik(robot, lower, upper), options.poses // 10),
        ]
        least = 0.0
        for what, solve, count in rows:
            found, took = timed(solve, goals[:count], starts[:count])
            least = least or took
            part = 100.0 * success(robot, goals[:count], found, lower, upper)
            table.add_row(name, what, f"{part:.2f}", f"{took:.1f}", f"{took / least:.1f}")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
