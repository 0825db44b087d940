"""The shortest time in which a motion keeps limits, with its path and its rhythm unchanged.

At r times its speed, velocities are r times as large, accelerations r², and torques r² A + r B + C: inertia, viscous
friction, and what remains at rest with Coulomb friction (Hollerbach, Dynamic scaling of manipulator trajectories,
1984). So each limit forbids some intervals of r, which are found exactly at every sample.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ProgramError
from ...models.registry import check_robot
from ...robot.robot import Robot
from .checks import Floats, bounds, check_joints
from .motion import Motion

if TYPE_CHECKING:
    from ..torques.drives import Drives

SAMPLES = 1001
"""Samples that a peak must not slip through; each is then looked at more closely."""
ROUNDS, ZOOMS, NEAR = 20, 5, 9
"""How often samples are added, and how often and with how many times a peak's surroundings are narrowed down."""
TIGHT = 1e-9
"""Part of a limit by which rounding can exceed it."""


LOAD = {"payload", "wrench", "guess"}
"""What else torques depend on."""


class Rows(NamedTuple):
    """Limited quantities at some times, (m, k): A r² + B r + C, and the limits (k)."""

    A: Floats
    B: Floats
    C: Floats
    limit: Floats

    def part(self, r: float) -> Floats:
        """Return the quantities as parts of their limits."""
        return np.asarray(np.abs((self.A * r + self.B) * r + self.C) / self.limit)


Measure = Callable[[Floats], Rows]


def scaled(
    motion: Motion,
    robot: Robot | None,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
    torque: ArrayLike | None,
    load: Mapping[str, Any],
) -> Motion:
    """Return the motion in the shortest time within limits; see ``Motion.scaled``."""
    measure, names = _measured(motion, robot, velocity, acceleration, torque, load)
    t = motion.grid(SAMPLES)
    rows, r = measure(t), 0.0
    for _ in range(ROUNDS):
        r = _largest(rows, names, t)
        peaks = _peaks(measure, rows, t, r)
        more = measure(peaks)
        if more.part(r).max() <= 1.0 + TIGHT:
            break
        t = np.concatenate([t, peaks])
        order = np.argsort(t, kind="stable")
        t = t[order]
        A, B, C = (np.concatenate([x, y])[order] for x, y in zip(rows[:3], more[:3], strict=True))
        rows = Rows(A, B, C, rows.limit)
    part = rows.part(r)
    at, k = np.unravel_index(int(part.argmax()), part.shape)
    when = motion.start + (t[at] - motion.start) / r
    return replace(motion.stretched(motion.duration / r), limited_by=f"{names[k]} at t = {when:.4g} s")


def _measured(
    motion: Motion,
    robot: Robot | None,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
    torque: ArrayLike | None,
    load: Mapping[str, Any],
) -> tuple[Measure, list[str]]:
    """Return what computes the limited quantities at some times, and their names."""
    if robot is not None:
        check_robot(robot)
        check_joints(robot, motion.dof)
    labels = robot.velocity_names if robot else tuple(f"joint {j}" for j in range(1, motion.dof + 1))
    if unknown := sorted({*load} - LOAD):
        raise ProgramError(f"scaled does not take {', '.join(unknown)}; a load has {', '.join(sorted(LOAD))}")
    if robot is None and (torque is not None or load):
        raise ProgramError("torques depend on the robot: give it, as in motion.scaled(robot, torque=…)")
    limits = {
        "velocity": joint_limits("velocity", velocity, robot, labels),
        "acceleration": joint_limits("acceleration", acceleration, None, labels),
        "torque": joint_limits("torque", torque, robot, labels),
    }
    finite = {name: np.flatnonzero(np.isfinite(limit)) for name, limit in limits.items()}
    if not any(len(own) for own in finite.values()):
        raise ProgramError("no limits: give velocity, acceleration or torque, or a robot whose joints have limits")
    names = [f"{name} of {labels[k]}" for name, own in finite.items() for k in own]
    limit = np.concatenate([limits[name][own] for name, own in finite.items()])
    loaded = _torques(motion, robot, load) if robot is not None and len(finite["torque"]) else None

    def measure(t: Floats) -> Rows:
        _, qd, qdd = motion(t)
        parts = [(0.0 * qd, qd, 0.0 * qd), (qdd, 0.0 * qd, 0.0 * qd), loaded(t) if loaded else (qd, qd, qd)]
        A, B, C = (
            np.concatenate([part[i][:, own] for part, own in zip(parts, finite.values(), strict=True)], axis=1)
            for i in range(3)
        )
        return Rows(A, B, C, limit)

    return measure, names


def joint_limits(what: str, given: ArrayLike | None, robot: Robot | None, labels: tuple[str, ...]) -> Floats:
    """Return the limit of each joint: as given, else that of the robot's description."""
    if given is not None:
        return bounds(what, given, len(labels))
    if robot is None:
        return np.full(len(labels), np.inf)
    own = {joint.name: joint.limits.effort if what == "torque" else joint.limits.velocity for joint in robot.joints}
    found = np.array([own.get(name, np.inf) for name in labels])
    if not (found > 0.0).all():
        name = labels[int(np.argmin(found))]
        raise ProgramError(
            f"{robot.name}: the {what} limit of joint {name!r} is {found.min():g} in its description, which forbids "
            f"any motion; give {what}=…, inf for none"
        )
    return found


def _torques(
    motion: Motion, robot: Robot, load: Mapping[str, Any]
) -> Callable[[Floats], tuple[Floats, Floats, Floats]]:
    """Return what computes A, B and C of the torques, from those at three speeds."""
    from ..torques.drives import Drives

    drives = Drives(robot, **load)

    def parts(t: Floats) -> tuple[Floats, Floats, Floats]:
        q, qd, qdd = motion(t)
        return torque_parts(drives, t, drives.closed(t, q), qd, qdd)

    return parts


def torque_parts(drives: Drives, t: Floats, q: Floats, qd: Floats, qdd: Floats) -> tuple[Floats, Floats, Floats]:
    """Return A, B and C of the torques at r times the speed, from those at three speeds."""
    half, one, two = (drives.torques(t, q, r * qd, r * r * qdd) for r in (0.5, 1.0, 2.0))
    A = (two - 3.0 * one + 2.0 * half) * (2.0 / 3.0)
    B = 2.0 * (one - half) - 1.5 * A
    return A, B, one - A - B


def _largest(rows: Rows, names: list[str], t: Floats) -> float:
    """Return the largest r at which all quantities keep their limits, exactly at the samples."""
    A, B, C = (x.ravel() for x in rows[:3])
    limit = np.broadcast_to(rows.limit, rows.A.shape).ravel()
    starts, ends = [np.empty(0)], [np.empty(0)]
    for sign in (1.0, -1.0):
        low, high = beyond(sign * A, sign * B, sign * C - limit)
        for start, end in (low, high):
            some = end > np.maximum(start, 0.0)
            starts.append(start[some])
            ends.append(end[some])
    start, end = np.concatenate(starts), np.concatenate(ends)
    if not len(end) or end.max() < np.inf:
        raise ProgramError("the joints do not move, or not where they have limits: there is no shortest time")
    r = start[end == np.inf].min()
    below = end < np.inf
    for left, right in sorted(zip(start[below], end[below], strict=True), key=itemgetter(1), reverse=True):
        if right <= r:
            break
        r = min(r, left)
    if r <= 0.0:
        part = np.abs(rows.C) / rows.limit
        at, k = np.unravel_index(int(part.argmax()), part.shape)
        raise ProgramError(
            f"no speed keeps the limits: however slow the motion, the {names[k]} reaches {abs(rows.C[at, k]):.4g} at "
            f"t = {t[at]:.4g} s, and at most {rows.limit[k]:g} is allowed"
        )
    return float(r)


def beyond(a: Floats, b: Floats, c: Floats) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Return the two intervals of r > 0, either of which can be empty, in which a r² + b r + c > 0."""
    scale = np.maximum(np.abs(a), np.maximum(np.abs(b), np.abs(c)))
    a, b = (np.where(np.abs(x) <= 1e-13 * scale, 0.0, x) for x in (a, b))
    with np.errstate(all="ignore"):
        root = np.sqrt(b * b - 4.0 * a * c)
        s = -0.5 * (b + np.copysign(root, b))
        one, two = s / a, np.where(s == 0.0, 0.0, c / s)
        single = -c / b
    none, flat = np.isnan(root), a == 0.0
    small, large = np.minimum(one, two), np.maximum(one, two)
    inf, empty = np.full_like(c, np.inf), np.zeros_like(c)
    # a > 0: up to the smaller root and from the larger; a < 0: between; no roots: everywhere or nowhere; lines last
    low_end = np.where(none, np.where(a > 0.0, inf, empty), np.where(a > 0.0, small, large))
    low_start = np.where(~none & (a < 0.0), small, -inf)
    high_start = np.where(~none & (a > 0.0), large, inf)
    still, rising = flat & (b == 0.0), flat & (b > 0.0)
    low_start = np.where(flat, np.where(rising, single, -inf), low_start)
    low_end = np.where(flat, np.where(rising, inf, single), low_end)
    low_end = np.where(still, np.where(c > 0.0, inf, empty), low_end)
    low_start = np.where(still, -inf, low_start)
    high_start = np.where(flat, inf, high_start)
    return (low_start, low_end), (high_start, inf)


def _peaks(measure: Measure, rows: Rows, t: Floats, r: float) -> Floats:
    """Return for each quantity the time near its largest sample where it is largest, whether a sample or not."""
    best = rows.part(r).argmax(axis=0)
    low, high = t[np.maximum(best - 1, 0)], t[np.minimum(best + 1, len(t) - 1)]
    column = np.arange(len(best))
    for _ in range(ZOOMS):
        times = low + (high - low) * np.linspace(0.0, 1.0, NEAR)[:, None]
        found = measure(times.ravel()).part(r).reshape(*times.shape, -1)[:, column, column]
        place = found.argmax(axis=0)
        low, high = times[np.maximum(place - 1, 0), column], times[np.minimum(place + 1, NEAR - 1), column]
    return np.asarray(times[place, column])
