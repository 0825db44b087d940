"""The fastest rhythm along a path within limits of velocity, acceleration and torque.

Along a path q(s), with w = ṡ and u = s̈, the joints have the accelerations q' u + q'' w² and need the torques

    A u + B w² + V w + C

of inertia, of Coriolis and centrifugal forces, of viscous friction, and of what remains at rest. Between two samples u
is constant, so w² changes by 2 u Δs. A walk from the end finds at each sample the speeds from which the rest of the
path can be travelled; a walk from the start then takes the largest u that stays among them (Pham and Pham, A new
approach to time-optimal path parameterization based on reachability analysis, 2018). Each pair of a lower and an upper
bound of u forbids intervals of w, the roots of a quadratic, so that viscous friction is allowed for.

In the end all speeds are reduced by one factor, which makes up for what happens between samples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ProgramError
from ...geometry.joint_limits import driven_velocities
from ...models.registry import check_robot
from ...robot.robot import Robot
from .checks import Floats, check_joints
from .laws import Along, Law, Pieces
from .motion import Motion
from .scaling import LOAD, beyond, driven_limits, joint_limits, limit_of, torque_parts

if TYPE_CHECKING:
    from ..torques.drives import Drives

SAMPLES = 300
"""Samples along a path."""
ROUNDS = 4
"""Rounds with viscous friction, whose w at the end of a step is known from the round before."""
MOST = 1e9
"""A speed beyond all that can be reached, where no limit bounds it."""
FLAT = 1e-9
"""Part of a row's largest entry below which u has no effect on it."""


class Bounded(NamedTuple):
    """Rows a u + b w² + v w + c ≤ 0 at each sample, (m, rows), and the largest w (m)."""

    a: Floats
    b: Floats
    v: Floats
    c: Floats
    fastest: Floats

    def between(self, i: int, step: float, near: float) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the rows that hold from sample i to the next: at both, with w² there 2 u Δs larger.

        The w there is a root; its tangent where it was ``near`` is never less.
        """
        a, b, v, c = (np.concatenate([x[i], x[i + 1]]) for x in self[:4])
        later = slice(len(a) // 2, None)
        if near > 0.0:
            b[later] += v[later] / (2.0 * near)
            c[later] += v[later] * near / 2.0
        v[later] = 0.0
        a[later] += 2.0 * step * b[later]
        return a, b, v, c


def along_path(kind: str, law: Along, dof: int) -> Motion:
    """Return a motion along a path."""
    start, *corners, end = law.knots.tolist()
    return Motion(law=law, dof=dof, start=start, end=end, kind=kind, corners=tuple(corners))


def time_optimal(
    path: Law,
    edges: Floats,
    robot: Robot | None,
    *,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    torque: ArrayLike | None = None,
    **load: Any,
) -> Pieces:
    """Return the parameter of a path over time, from its first edge to its last, at rest there.

    Parameters
    ----------
    path
        Maps its parameter to coordinates and their rates by the parameter.
    edges
        Values of the parameter that are among the samples: its ends, and where higher rates jump.
    velocity, acceleration, torque, **load
        As for ``Motion.scaled``.
    """
    s = _samples(edges)
    given = {"velocity": velocity, "acceleration": acceleration, "torque": torque}
    rows = _rows(path, s, robot, given, load)
    speeds = np.zeros(len(s))
    for _ in range(ROUNDS if rows.v.any() else 1):
        speeds = _travelled(s, rows, _controllable(s, rows, speeds), speeds)
    rhythm = _rhythm(s, speeds)
    whole = along_path("time-optimal", Along(path, rhythm), path(s[:1])[0].shape[1])
    exact = whole.scaled(robot, **given, **load)
    return rhythm.stretched(whole.duration / exact.duration)


def _samples(edges: Floats) -> Floats:
    """Return samples, equally many between any two edges, and closer together near the ends, where w is a root of s."""
    pieces = len(edges) - 1
    x = np.linspace(0.0, 1.0, max(8, -(-SAMPLES // pieces)) + 1)[1:]
    found = [edges[:1]]
    for k in range(pieces):
        first, last = k == 0, k == pieces - 1
        part = (
            0.5 - 0.5 * np.cos(np.pi * x) if first and last else x**2 if first else 1.0 - (1.0 - x) ** 2 if last else x
        )
        found.append(edges[k] + part * (edges[k + 1] - edges[k]))
    return np.concatenate(found)


def _rows(
    path: Law, s: Floats, robot: Robot | None, given: dict[str, ArrayLike | None], load: dict[str, Any]
) -> Bounded:
    """Return the limits as rows."""
    q, rate, second = path(s)
    if robot is not None:
        check_robot(robot)
        check_joints(robot, q.shape[1])
    names = robot.velocity_names if robot else tuple(f"joint {j}" for j in range(1, q.shape[1] + 1))
    if unknown := sorted({*load} - LOAD):
        raise ProgramError(f"a time-optimal motion does not take {', '.join(unknown)}")
    if robot is None and (given["torque"] is not None or load):
        raise ProgramError("torques depend on the robot: give robot=…")
    if callable(load.get("wrench")):
        raise ProgramError("wrench: a function of time has no meaning before the times are known; give a constant one")
    v_max, t_max = (joint_limits(what, given[what], robot, names) for what in ("velocity", "torque"))
    a_max = joint_limits("acceleration", given["acceleration"], None, names)
    fast, hard = (driven_limits(what, given[what], robot) for what in ("velocity", "torque"))
    t_max = np.append(t_max, [limit_of("torque", joint) for joint in hard])
    if not np.isfinite(np.append(a_max, t_max)).any():
        raise ProgramError("no limits: give acceleration or torque, or a robot whose joints have torque limits")
    parts = [(rate, second, 0.0 * rate, 0.0 * rate, 0.0 * rate, a_max)]
    rates = rate
    if robot is not None and (np.isfinite(t_max).any() or (fast and robot.loops)):
        from ..torques.drives import Drives

        drives = Drives(robot, **load, followers=hard)
        q = drives.closed(s, q)
        if np.isfinite(t_max).any():
            parts.append((*_torques(drives, s, q, rate, second), t_max))
    if robot is not None and fast:
        rates = np.concatenate([rate, driven_velocities(robot, fast, q, rate)], axis=1)
        v_max = np.append(v_max, [limit_of("velocity", joint) for joint in fast])
    with np.errstate(divide="ignore", invalid="ignore"):
        fastest = np.nan_to_num(v_max / np.abs(rates), nan=np.inf).min(axis=1)
    rows = list[tuple[Floats, ...]]()
    for *coefficients, limit in parts:
        own = np.flatnonzero(np.isfinite(limit))
        a, b, v, low, high = (x[:, own] / limit[own] for x in coefficients)
        rows += [(a, b, v, high - 1.0), (-a, -b, -v, -low - 1.0)]
    a, b, v, c = (np.concatenate(x, axis=1) for x in zip(*rows, strict=True))
    return Bounded(a, b, v, c, fastest)


def _torques(
    drives: Drives, s: Floats, q: Floats, rate: Floats, second: Floats
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return A, B and V of the torques at the samples, and the least and the largest C.

    These differ at the ends, where the joints come to rest and Coulomb friction vanishes.
    """
    B, V, C = torque_parts(drives, s, q, rate, second)
    A = drives.torques(s, q, rate, second + rate) - drives.torques(s, q, rate, second)
    low, high = C.copy(), C.copy()
    ends, still = [0, -1], np.zeros((2, rate.shape[1]))
    at_rest = drives.torques(s[ends], q[ends], still, still)
    low[ends], high[ends] = np.minimum(C[ends], at_rest), np.maximum(C[ends], at_rest)
    return A, B, V, low, high


class Speeds(NamedTuple):
    """The least and largest w at each sample."""

    low: Floats
    high: Floats


def _controllable(s: Floats, rows: Bounded, near: Floats) -> Speeds:
    """Return the speeds at each sample from which the end can be reached, at rest."""
    low, high = np.zeros(len(s)), np.zeros(len(s))
    for i in range(len(s) - 2, -1, -1):
        step = s[i + 1] - s[i]
        upper, lower, alone = _bounds(rows.between(i, step, near[i + 1]), step, (low[i + 1], high[i + 1]))
        pairs = (lower[:, None] - upper[:, :, None]).reshape(3, -1)  # lower - upper > 0 is forbidden
        forbidden = _intervals(np.concatenate([pairs, alone], axis=1))
        low[i] = _outside(forbidden, 0.0, 1.0)
        high[i] = _outside(forbidden, min(rows.fastest[i], MOST), -1.0)
        if not low[i] <= high[i]:
            raise ProgramError(
                f"no speed keeps the limits at {100.0 * (s[i] - s[0]) / (s[-1] - s[0]):.1f} % of the path: the drives "
                "cannot hold the robot there, or not stop it in time"
            )
    return Speeds(low, high)


def _bounds(
    rows: tuple[Floats, Floats, Floats, Floats], step: float, after: tuple[float, float]
) -> tuple[Floats, Floats, Floats]:
    """Return upper and lower bounds of u, and what does not depend on it, as quadratics of w: (3, count) each."""
    a, b, v, c = rows
    flat = np.abs(a) <= FLAT * np.maximum(np.abs(b), np.abs(c))
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = -np.stack([b, v, c]) / a
    reach = np.array([[-1.0, 0.0, x * x] for x in after]).T / (2.0 * step)
    upper = np.concatenate([bound[:, ~flat & (a > 0.0)], reach[:, 1:]], axis=1)
    lower = np.concatenate([bound[:, ~flat & (a < 0.0)], reach[:, :1]], axis=1)
    return upper, lower, np.stack([b, v, c])[:, flat]


def _intervals(quadratics: Floats) -> tuple[Floats, Floats]:
    """Return the open intervals of w in which any of the quadratics is positive."""
    low, high = beyond(*quadratics)
    start, end = (np.concatenate(pair) for pair in zip(low, high, strict=True))
    some = end > np.maximum(start, 0.0)
    start, end = np.maximum(start[some], -1.0), end[some]
    slack = 1e-12 * (1.0 + np.abs(start))
    return start + slack, end - slack


def _outside(forbidden: tuple[Floats, Floats], w: float, sign: float) -> float:
    """Return the first speed from w upward (1) or downward (-1) that no interval contains."""
    start, end = forbidden
    while (hit := (start < w) & (w < end)).any():
        w = float(end[hit].max() if sign > 0.0 else start[hit].min())
    return w


def _travelled(s: Floats, rows: Bounded, speeds: Speeds, near: Floats) -> Floats:
    """Return the largest speeds along the path, from rest."""
    if speeds.low[0] > 0.0:
        raise ProgramError("the drives cannot hold the robot at the start of the path: it cannot begin there at rest")
    w = np.zeros(len(s))
    for i in range(len(s) - 1):
        step = s[i + 1] - s[i]
        after = speeds.low[i + 1], speeds.high[i + 1]
        upper, _, _ = _bounds(rows.between(i, step, near[i + 1]), step, after)
        u = float(((upper[0] * w[i] + upper[1]) * w[i] + upper[2]).min())
        square = w[i] ** 2 + 2.0 * step * u
        w[i + 1] = float(np.clip(np.sqrt(max(square, 0.0)), speeds.low[i + 1], speeds.high[i + 1]))
        if not w[i + 1] + w[i] > 0.0:
            raise ProgramError(
                f"the robot gets stuck at {100.0 * (s[i] - s[0]) / (s[-1] - s[0]):.1f} % of the path: its drives are "
                "too weak to accelerate it there"
            )
    return w


def _rhythm(s: Floats, w: Floats) -> Pieces:
    """Return the parameter over time, with constant accelerations between samples."""
    dt = 2.0 * np.diff(s) / (w[1:] + w[:-1])
    u = np.diff(w) / dt
    knots = np.concatenate([[0.0], np.cumsum(dt)])
    return Pieces(knots, np.stack([s[:-1], w[:-1], 0.5 * u])[:, :, None])
