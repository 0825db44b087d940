"""Inverse geometry: all solutions of poses of a UR5, a PUMA 560 and a general arm, next to EAIK, ik-geo and ssik.

The general arm is the Kinova JACO 2, which ssik has prebuilt; EAIK and ik-geo's closed forms do not solve it. Counts of
solutions are compared first. All times are of one run and one thread, and per pose: of a batch, which the others take
pose by pose, and of single calls.

    python -m benchmarks.inverse_geometry
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tauforge as tf
from tauforge.bench.timing import PROCESSOR, best_times
from tauforge.geometry.inverse.chain import Chain

from .table import Table

Floats = NDArray[np.float64]
Solver = Callable[[Floats], int]
COUNT, SOME = 128, 32


def axes(robot: tf.Robot, frame: str) -> tuple[Floats, Floats, Floats]:
    """Return directions and offsets of the axes at zero, and the rotation of the frame there."""
    chain = Chain.of(robot, frame).numbers()
    H, points = (np.array([getattr(axis, key) for axis in chain.axes]) for key in ("h", "o"))
    P = np.vstack([points[0], np.diff(points, axis=0), np.array(chain.end.P) - points[-1]])
    return H, P, np.array(chain.end.homogeneous).reshape(4, 4)[:3, :3]


def closed_peers(kind: str, H: Floats, P: Floats) -> dict[str, Solver]:
    """Return how the others count solutions of an arm with a closed form."""
    from eaik.IK_HP import HPRobot
    from ik_geo import Robot

    eaik, geo = HPRobot(H, P), getattr(Robot, kind)(H.tolist(), P.tolist())

    def by_eaik(T: Floats) -> int:
        return int(np.count_nonzero(~np.asarray(eaik.IK(T).is_LS)))

    def by_geo(T: Floats) -> int:
        return sum(not inexact for _, inexact in geo.get_ik(T[:3, :3].tolist(), T[:3, 3].tolist()))

    return {"EAIK": by_eaik, "ik-geo": by_geo}


def by_ssik(arm: Any) -> Solver:
    """Return how ssik counts solutions."""

    def count(T: Floats) -> int:
        return len(arm.solve(T, enumerate_windings=False, respect_limits=False))

    return count


def jaco() -> tuple[tf.Robot, Any]:
    """Return the JACO 2 from ssik's axes, and ssik's solver of it."""
    import ssik

    arm = ssik.Manipulator.from_prebuilt("jaco2_ik")
    before, links, lines = np.eye(4), ["<link name='link0'/>"], list[str]()
    for k, joint in enumerate(arm.kinbody.joints, 1):
        place = before @ joint.T_left
        links.append(f"<link name='link{k}'/>")
        lines.append(_joint(k, "continuous", place, f"<axis xyz='{' '.join(map(repr, map(float, joint.axis)))}'/>"))
        before = joint.T_right
    tip = len(lines) + 1
    text = "".join([*links, f"<link name='link{tip}'/>", *lines, _joint(tip, "fixed", before, "")])
    return tf.load(f"<robot name='jaco2'>{text}</robot>"), arm


def _joint(k: int, kind: str, T: Floats, axis: str) -> str:
    roll, pitch = np.arctan2(T[2, 1], T[2, 2]), np.arctan2(-T[2, 0], np.hypot(T[2, 1], T[2, 2]))
    turns = (roll, pitch, np.arctan2(T[1, 0], T[0, 0]))
    xyz, rpy = (" ".join(repr(float(x)) for x in row) for row in (T[:3, 3], turns))
    return (
        f"<joint name='joint{k}' type='{kind}'><parent link='link{k - 1}'/><child link='link{k}'/>"
        f"<origin xyz='{xyz}' rpy='{rpy}'/>{axis}</joint>"
    )


def compare(table: Table, robot: tf.Robot, frame: str, peers: Mapping[str, tuple[Solver, Floats]], count: int) -> None:
    """Compare one arm: counts of solutions, then times per pose of a batch and of single calls."""
    ik, n = tf.inverse_geometry(robot, frame=frame), len(robot.coordinate_names)
    q = np.random.default_rng(1).uniform(-np.pi, np.pi, (count, n))
    T = tf.transforms(robot, frames=frame).compile()(q)[:, 0]
    table.title(f"{robot.name}: {ik.kind}")
    found = ik(T, limits=False, threads=1)
    for name, (solve, R) in peers.items():
        goals = _turned(T, R)
        same = [solve(goal) == own for goal, own in zip(goals, found.count.tolist(), strict=True)]
        table.row(f"as many solutions as {name}", 100.0 * float(np.mean(same)), "% of poses")
    one = T[0].copy()
    works: dict[str, Callable[[], object]] = {
        "batch": lambda: ik(T, limits=False, threads=1),
        "single": lambda: ik(one, limits=False),
    }
    for name, (solve, R) in peers.items():
        works[name] = partial(_each, solve, _turned(T, R)[:SOME])
    best = best_times(works, seconds=4.0, clock=PROCESSOR)
    batch, single = best["batch"] / count, best["single"]
    table.row("batch", 1e6 * batch, "µs", "0.5" if "general" not in ik.kind else "")
    table.row("single call", 1e6 * single, "µs")
    for name in peers:
        own = best[name] / min(SOME, count)
        table.row(name, 1e6 * own, "µs")
        table.row(f"  {name} / batch", own / batch, "x", "5" if "general" in ik.kind else "10")
        table.row(f"  {name} / single call", own / single, "x", "1")


def _each(solve: Solver, goals: Floats) -> list[int]:
    return [solve(goal) for goal in goals]


def _turned(T: Floats, R: Floats) -> Floats:
    """Return poses with the frame's rotation at zero taken off."""
    goals = T.copy()
    goals[:, :3, :3] = T[:, :3, :3] @ R.T
    return goals


def main() -> None:
    table = Table()
    for name, kind in (("ur5", "three_parallel_two_intersecting"), ("puma560", "spherical_two_parallel")):
        robot = tf.robots.bundled(name)
        H, P, R = axes(robot, "link6")
        peers = {key: (solve, R) for key, solve in closed_peers(kind, H, P).items()}
        compare(table, robot, "link6", peers, 16 * COUNT)
    robot, arm = jaco()
    compare(table, robot, "link7", {"ssik": (by_ssik(arm), np.eye(3))}, COUNT)


if __name__ == "__main__":
    main()
