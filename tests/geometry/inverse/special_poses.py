"""Poses at which two axes of an arm become parallel or meet, by code of its own, apart from the package's.

``python -m tests.geometry.inverse.special_poses SEED ARMS POSES`` tells how many of the states that made such poses the
inverse geometry loses, by the number of joints and by how the arm is solved.
"""

from __future__ import annotations

import sys
from collections import defaultdict

import numpy as np

import tauforge as tf

from .arms import apart

RIGHT = np.pi / 2
REGULAR = 1e-3
"""Smallest singular value of the Jacobian of poses that count as regular."""


def arm_of(rows):
    """Return the arm with rows (alpha, d, r, 1 for a joint that slides)."""
    joints = [
        tf.Joint(name=f"A{k + 1}", antecedent=k, sigma=s, alpha=a, d=d, r=r) for k, (a, d, r, s) in enumerate(rows)
    ]
    bodies = [tf.Body(name=f"link{k + 1}") for k in range(len(rows))]
    return tf.Robot(name="".join("RP"[row[3]] for row in rows), joints=tuple(joints), bodies=tuple(bodies))


def last(rows):
    return f"link{len(rows)}"


def frames(rows, q):
    """Return the poses (k, n, 4, 4) of all links."""
    T, every = np.broadcast_to(np.eye(4), (len(q), 4, 4)), []
    for k, (alpha, d, r, slides) in enumerate(rows):
        theta, height = (np.zeros(len(q)), r + q[:, k]) if slides else (q[:, k], np.full(len(q), r))
        c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
        step = np.zeros((len(q), 4, 4))
        step[:, 0, 0], step[:, 0, 1], step[:, 0, 3] = c, -s, d
        step[:, 1, 0], step[:, 1, 1], step[:, 1, 2], step[:, 1, 3] = ca * s, ca * c, -sa, -sa * height
        step[:, 2, 0], step[:, 2, 1], step[:, 2, 2], step[:, 2, 3] = sa * s, sa * c, ca, ca * height
        step[:, 3, 3] = 1.0
        T = T @ step
        every.append(T)
    return np.stack(every, axis=1)


def poses(rows, q):
    return frames(rows, q)[:, -1]


def jacobians(rows, q):
    every = frames(rows, q)
    z, o, slides = every[..., :3, 2], every[..., :3, 3], np.array([row[3] == 1 for row in rows])[:, None]
    v = np.where(slides, z, np.cross(z, o[:, -1:] - o))
    return np.concatenate([v, np.where(slides, 0.0, z)], axis=2).swapaxes(1, 2)


def smallest(rows, q):
    return np.linalg.svd(jacobians(rows, q))[1][:, -1]


def anywhere(rows, count, random):
    q = random.uniform(-np.pi, np.pi, (count, len(rows)))
    slides = [row[3] == 1 for row in rows]
    q[:, slides] = random.uniform(-0.5, 0.5, (count, sum(slides)))
    return q


def special_states(rows, i, j, kind, count, random):
    """Return regular states in which the axes i and j, apart in general, are parallel, or meet; there may be none."""

    def off(q):
        every = frames(rows, q)
        across = np.cross(every[:, i, :3, 2], every[:, j, :3, 2])
        if kind == "parallel":
            return across
        return (across * (every[:, j, :3, 3] - every[:, i, :3, 3])).sum(axis=1)[:, None]

    q = anywhere(rows, 3 * count, random)
    if np.median(np.abs(off(q)).max(axis=1)) < 1e-9:
        return q[:0]
    for _ in range(30):
        steps = 1e-7 * np.eye(len(rows))
        slopes = np.stack([(off(q + step) - off(q - step)) / 2e-7 for step in steps], axis=2)
        move = -(np.linalg.pinv(slopes, rcond=1e-6) @ off(q)[..., None])[..., 0]
        size = np.linalg.norm(move, axis=1, keepdims=True)
        q = q + move * np.minimum(1.0, 0.5 / np.maximum(size, 1e-300))
    q = q[(np.abs(off(q)).max(axis=1) < 1e-14) & (np.abs(q).max(axis=1) < 10.0)]
    turning = [row[3] == 0 for row in rows]
    q[:, turning] = (q[:, turning] + np.pi) % (2.0 * np.pi) - np.pi
    return q[smallest(rows, q) > REGULAR][:count]


def random_structure(random):
    """Return rows of an arm of three to six joints with right angles, some lengths zero, and some joints that slide."""
    while True:
        n = int(random.integers(3, 7))
        alpha = [0.0, *random.choice([0.0, RIGHT, -RIGHT], n - 1)]
        d, r = [0.0, *random.choice([0.0, 0.5, 0.3], n - 1)], random.choice([0.0, 0.0, 0.3], n)
        slides = (random.random(n) < 0.15).astype(int)
        rows = [(float(alpha[k]), float(d[k]), float(r[k]), int(slides[k])) for k in range(n)]
        if smallest(rows, np.random.default_rng(3).uniform(-2.0, 2.0, (4, n))).max() > REGULAR:
            return rows


def classes(rows, count, random):
    """Yield kind, pair of axes, and regular states of each class of special poses that an arm has."""
    for kind in ("parallel", "meet"):
        for i in range(len(rows)):
            for j in range(i + 1, len(rows)):
                if kind == "parallel" or not (rows[i][3] or rows[j][3]):
                    q = special_states(rows, i, j, kind, count, random)
                    if len(q):
                        yield kind, (i, j), q


def lost(rows, ik, q, near=None):
    """Return which states are not among the solutions, and which are, but flagged as one of infinitely many."""
    found = ik(poses(rows, q), near=near, limits=False)
    off = apart(ik.robot, found.q, q)
    family = [apart(ik.robot, found.q[[k]][:, found.family[k]], q[[k]])[0] < 1e-5 for k in range(len(q))]
    return off > 1e-5, np.array(family, dtype=bool)


def brute_force(rows, T, random, starts=200):
    """Return the states that have a pose (4, 4), by Newton steps from many starts."""
    q, turning = anywhere(rows, starts, random), np.array([row[3] == 0 for row in rows])
    for _ in range(40):
        at = poses(rows, q)
        turn = 0.5 * np.cross(at[:, :3, :3], T[None, :3, :3], axis=1).sum(axis=2)
        way = np.concatenate([T[:3, 3] - at[:, :3, 3], turn], axis=1)
        move = (np.linalg.pinv(jacobians(rows, q), rcond=1e-5) @ way[..., None])[..., 0]
        size = np.linalg.norm(move, axis=1, keepdims=True)
        q = q + move * np.minimum(1.0, 0.5 / np.maximum(size, 1e-300))
    q = q[np.abs(poses(rows, q) - T).max(axis=(1, 2)) < 1e-9]
    distinct = []
    for x in q:
        off = np.abs(np.where(turning, np.sin(0.5 * (np.array(distinct).reshape(-1, len(x)) - x)), 0.0)).max(axis=1)
        slid = np.abs(np.where(turning, 0.0, np.array(distinct).reshape(-1, len(x)) - x)).max(axis=1)
        if not len(distinct) or (np.maximum(off, slid) > 1e-4).all():
            distinct.append(x)
    return np.array(distinct).reshape(-1, len(rows))


def main(seed, arms, count):
    random, table, shown = np.random.default_rng(seed), defaultdict(lambda: np.zeros(6, dtype=int)), 0
    for _ in range(arms):
        rows = random_structure(random)
        try:
            ik = tf.inverse_geometry(arm_of(rows), frame=last(rows))
            for kind, pair, q in classes(rows, count, np.random.default_rng(seed)):
                gone, family = lost(rows, ik, q)
                some = np.flatnonzero(random.random(len(q)) < 0.1)
                T = poses(rows, q[some])
                result = ik(T, limits=False)
                fewer = 0
                for k in range(len(some)):
                    every = brute_force(rows, T[k], np.random.default_rng(0))
                    every = every[smallest(rows, every) > REGULAR] if len(every) else every
                    rest = [apart(ik.robot, result.q[[k]], x[None])[0] > 1e-4 for x in every]
                    fewer += any(rest)
                own = table[len(rows), "general" if ik._arm.plan is None else "closed"]
                own += [len(q), gone.sum(), (family & ~gone).sum(), len(some), fewer, 0]
                if gone.any() or fewer:
                    shown += 1
                    print(ik.kind, rows, kind, pair, f"lost {gone.sum()} of {len(q)}, fewer at {fewer}", flush=True)
        except Exception as error:
            print("FAILED", type(error).__name__, str(error)[:100], rows, flush=True)
            table["failed", ""][0] += 1
    print("joints, way: states, lost, called a family, poses counted by brute force, with solutions that are missing")
    for key in sorted(table, key=str):
        print(key, *table[key][:5])
    print("all", *sum(table.values())[:5])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
