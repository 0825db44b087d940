"""Inverse geometry: all solutions of poses of a UR5, a PUMA 560 and a general arm, next to EAIK, ik-geo and ssik.

The general arm is the Kinova JACO 2, which ssik has prebuilt; EAIK and ik-geo's closed forms do not solve it. Solutions
are compared first, state by state: those of the others count if direct geometry gives the pose, and once. All times are
of one run and one thread, and per pose, from arrays to lists or arrays of states: of a batch, which the others take
pose by pose, and of single calls.

    python -m benchmarks.inverse_geometry
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import tauforge as tf
from tauforge.bench.timing import PROCESSOR, best_times
from tauforge.geometry.inverse.chain import Chain

from .table import Table

Floats = NDArray[np.float64]
COUNT, SOME = 128, 32
EXACT, SAME = 1e-6, 1e-5
"""Errors of a pose, in metres and radians, that the others may have, and angles between states that are the same."""


class Peer(NamedTuple):
    """Another solver: how it takes a goal, how it solves one, and which states it found."""

    goal: Callable[[Floats], Floats]
    solve: Callable[[Floats], Any]
    states: Callable[[Any], Any]


def axes(robot: tf.Robot, frame: str) -> tuple[Floats, Floats, Floats]:
    """Return directions and offsets of the axes at zero, and the rotation of the frame there."""
    chain = Chain.of(robot, frame).numbers()
    H, points = (np.array([getattr(axis, key) for axis in chain.axes]) for key in ("h", "o"))
    P = np.vstack([points[0], np.diff(points, axis=0), np.array(chain.end.P) - points[-1]])
    return H, P, np.array(chain.end.homogeneous).reshape(4, 4)[:3, :3]


def closed_peers(kind: str, robot: tf.Robot, frame: str) -> dict[str, Peer]:
    """Return how the others solve an arm with a closed form: those of their solutions that they call exact."""
    from eaik.IK_HP import HPRobot
    from ik_geo import Robot

    H, P, R = axes(robot, frame)
    eaik, geo = HPRobot(H, P), getattr(Robot, kind)(H.tolist(), P.tolist())

    def turned(T: Floats) -> Floats:
        """Take off the frame's rotation at zero."""
        goal = T.copy()
        goal[:3, :3] = T[:3, :3] @ R.T
        return goal

    def by_eaik(goal: Floats) -> tuple[Any, Any]:
        found = eaik.IK(goal)
        return found.Q, found.is_LS

    def by_geo(goal: Floats) -> Any:  # it takes the columns of the rotation, as lists
        return geo.get_ik(goal[:3, :3].T.tolist(), goal[:3, 3].tolist())

    return {
        "EAIK": Peer(turned, by_eaik, lambda found: np.asarray(found[0])[~np.asarray(found[1])]),
        "ik-geo": Peer(turned, by_geo, lambda found: [q for q, inexact in found if not inexact]),
    }


def ssik_peer(arm: Any) -> Peer:
    """Return how ssik solves an arm."""

    def solve(T: Floats) -> Any:
        return arm.solve(T, enumerate_windings=False, respect_limits=False)

    return Peer(np.copy, solve, lambda found: [each.q for each in found])


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


def compare(table: Table, robot: tf.Robot, frame: str, peers: Mapping[str, Peer], count: int) -> None:
    """Compare one arm: solutions, state by state, then times per pose of a batch and of single calls."""
    ik, n = tf.inverse_geometry(robot, frame=frame), len(robot.coordinate_names)
    q = np.random.default_rng(1).uniform(-np.pi, np.pi, (count, n))
    T = tf.direct_geometry(robot, q, frame=frame)
    table.title(f"{robot.name}: {ik.kind}")
    found = ik(T, limits=False, threads=1)
    own = [found.q[k, :number] for k, number in enumerate(found.count)]
    for name, peer in peers.items():
        theirs = [exact(robot, frame, pose, peer.states(peer.solve(peer.goal(pose)))) for pose in T]
        same = [len(x) == len(y) == agreeing(x, y) for x, y in zip(own, theirs, strict=True)]
        table.row(f"the same solutions as {name}", 100.0 * float(np.mean(same)), "% of poses")
    one = T[0].copy()
    works: dict[str, Callable[[], object]] = {
        "batch": lambda: ik(T, limits=False, threads=1),
        "single": lambda: ik(one, limits=False),
    }
    for name, peer in peers.items():
        works[name] = partial(_each, peer.solve, [peer.goal(pose) for pose in T[:SOME]])
    best = best_times(works, seconds=4.0, clock=PROCESSOR)
    batch, single = best["batch"] / count, best["single"]
    table.row("batch", 1e6 * batch, "µs", "0.5" if "general" not in ik.kind else "")
    table.row("single call", 1e6 * single, "µs")
    for name in peers:
        took = best[name] / min(SOME, count)
        table.row(name, 1e6 * took, "µs")
        table.row(f"  {name} / batch", took / batch, "x", "5" if "general" in ik.kind else "10")
        table.row(f"  {name} / single call", took / single, "x", "1")


def exact(robot: tf.Robot, frame: str, pose: Floats, states: Any) -> Floats:
    """Return the states, none of them twice, in which the frame has a pose."""
    q = np.asarray(states, dtype=float).reshape(-1, len(robot.coordinate_names))
    if not len(q):
        return q
    q = q[np.abs(tf.direct_geometry(robot, q, frame=frame) - pose).max(axis=(1, 2)) < EXACT]
    return q[[k for k in range(len(q)) if not agreeing(q[:k], q[k : k + 1])]]


def agreeing(some: Floats, others: Floats) -> int:
    """Return how many states are among others, up to whole turns."""
    off = np.abs(np.sin(0.5 * (some[:, None] - others))).max(axis=2) if len(some) and len(others) else np.ones((1, 1))
    return int((off.min(axis=1) < SAME).sum())


def _each(solve: Callable[[Floats], object], goals: Sequence[Floats]) -> list[object]:
    return [solve(goal) for goal in goals]


def main() -> None:
    table = Table()
    for name, kind in (("ur5", "three_parallel_two_intersecting"), ("puma560", "spherical_two_parallel")):
        robot = tf.robots.bundled(name)
        compare(table, robot, "link6", closed_peers(kind, robot, "link6"), 16 * COUNT)
    robot, arm = jaco()
    compare(table, robot, "link7", {"ssik": ssik_peer(arm)}, COUNT)


if __name__ == "__main__":
    main()
