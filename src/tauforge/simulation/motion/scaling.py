"""The shortest time in which a motion keeps limits, with its path and its rhythm unchanged.

At r times its speed, velocities are r times as large, accelerations r², and torques r² A + r B + C: inertia, viscous
friction, and what remains at rest with Coulomb friction (Hollerbach, Dynamic scaling of manipulator trajectories,
1984). So each limit forbids some intervals of r, which are found exactly at every sample. Samples are added wherever
the largest r lets a quantity exceed its limit between them: see peaks.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ProgramError
from ...geometry.joint_limits import LimitedJoint, driven_joints, driven_velocities
from ...graph.node import is_zero
from ...models.registry import check_robot
from ...robot.robot import Robot
from .checks import Floats, bounds, check_joints
from .laws import Along, Law, Pieces
from .motion import Motion
from .peaks import NARROW, NOISE, Ceiling, Cells, ceiling

if TYPE_CHECKING:
    from ..torques.drives import Drives

SAMPLES = 1001
"""Samples from which the first guess of the speed comes."""
FEWEST = 128
"""Cells of a motion whose limited quantities are not polynomials of time."""
MOST_CELLS = {"exact": 64, "differences": 4}
"""How many times as many cells there can be in the end; where noise asks for more, the motion keeps away from its
limits by as much as is in doubt."""
ROUNDS = 30
"""Rounds for friction that is not a quadratic of the speed."""
TIGHT = {"exact": 1e-10, "differences": 1e-7}
"""Part of a limit by which a quantity can exceed it; that of differences is their rounding."""
NOISED = 10.0
"""How many times as large as the rounding of values, that of bounds can be."""
SAME = 1e-12
"""Change of the speed that does not matter."""


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


@dataclass(frozen=True)
class Limited:
    """The limited quantities of a motion.

    Attributes
    ----------
    motion
        The motion; that of polynomials starts at zero, since late times are rounded.
    names
        What they are.
    limit
        Their largest magnitudes.
    rows
        Returns them at times of the motion as quadratics of r, from a speed at which r is 1.
    polynomial
        Whether they are polynomials of low degree between the corners of the motion.
    quadratic
        Whether friction lets them be quadratics of r.
    """

    motion: Motion
    names: list[str]
    limit: Floats
    rows: Callable[[Floats, float], Rows]
    polynomial: bool
    quadratic: bool


def scaled(
    motion: Motion,
    robot: Robot | None,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
    torque: ArrayLike | None,
    load: Mapping[str, Any],
) -> Motion:
    """Return the motion in the shortest time within limits; see ``Motion.scaled``."""
    limited = _limited(motion, robot, velocity, acceleration, torque, load)
    t = limited.motion.grid(SAMPLES)
    speed = 1.0 / (np.abs(limited.motion(t).qd).max() or 1.0)
    speed *= _largest(limited.rows(t, speed), limited.names, t)
    for _ in range(ROUNDS):
        factor, when, name = _within_limits(limited, speed)
        speed *= factor
        if limited.quadratic or abs(factor - 1.0) <= SAME:
            break
    else:
        raise ProgramError(
            f"the {name} depends on breakaway friction such that no largest speed was found; neglect that friction, "
            'robot.neglect("FB"), with limits that are smaller by it'
        )
    when = motion.start + (when - limited.motion.start) / speed
    return replace(motion.stretched(motion.duration / speed), limited_by=f"{name} at t = {when:.4g} s")


def _limited(
    motion: Motion,
    robot: Robot | None,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
    torque: ArrayLike | None,
    load: Mapping[str, Any],
) -> Limited:
    """Return the quantities of a motion that have limits."""
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
    driven = {name: driven_limits(name, given, robot) for name, given in (("velocity", velocity), ("torque", torque))}
    finite = {name: np.flatnonzero(np.isfinite(limit)) for name, limit in limits.items()}
    if not any(len(own) for own in finite.values()) and not any(driven.values()):
        raise ProgramError("no limits: give velocity, acceleration or torque, or a robot whose joints have limits")
    names = [f"{name} of {labels[k]}" for name, own in finite.items() for k in own]
    names += [f"{name} of {joint.name}" for name, joints in driven.items() for joint in joints]
    limit = np.concatenate(
        [limits[name][own] for name, own in finite.items()]
        + [[limit_of(name, joint) for joint in joints] for name, joints in driven.items()]
    )
    drives = None
    has_torques = bool(len(finite["torque"]) or driven["torque"])
    if robot is not None and (has_torques or (robot.loops and driven["velocity"])):
        from ..torques.drives import Drives

        drives = Drives(robot, **load, followers=driven["torque"])

    early = _from_zero(motion)
    late = motion.start - early.start

    def rows(t: Floats, speed: float) -> Rows:
        q, qd, qdd = early(t)
        qd, qdd, t = speed * qd, speed**2 * qdd, t + late
        whole = drives.closed(t, q) if drives else q
        fast, hard = qd[:, finite["velocity"]], qdd[:, finite["acceleration"]]
        parts = [(0.0 * fast, fast, 0.0 * fast), (hard, 0.0 * hard, 0.0 * hard)]
        if drives and has_torques:
            columns = [*finite["torque"], *range(len(labels), len(labels) + len(driven["torque"]))]
            A, B, C = (x[:, columns] for x in torque_parts(drives, t, whole, qd, qdd))
        else:
            A = B = C = np.empty((len(t), 0))
        own = len(finite["torque"])
        parts.append((A[:, :own], B[:, :own], C[:, :own]))
        if robot is not None and driven["velocity"]:
            others = driven_velocities(robot, driven["velocity"], whole, qd)
            parts.append((0.0 * others, others, 0.0 * others))
        parts.append((A[:, own:], B[:, own:], C[:, own:]))
        A, B, C = (np.concatenate(x, axis=1) for x in zip(*parts, strict=True))
        return Rows(A, B, C, limit)

    quadratic = robot is None or not has_torques or all(is_zero(joint.FB) for joint in robot.joints)
    return Limited(early, names, limit, rows, drives is None and _is_polynomial(motion.law), quadratic)


def _is_polynomial(law: Law) -> bool:
    return isinstance(law, Pieces) or (isinstance(law, Along) and isinstance(law.path, Pieces))


def _from_zero(motion: Motion) -> Motion:
    """Return the motion with its start at time zero, where it has pieces that can be moved there exactly."""
    if motion.start == 0.0 or not isinstance(motion.law, Pieces | Along):
        return motion
    law = motion.law.counted_from(motion.start)
    _, *corners, end = law.knots.tolist()
    return replace(motion, law=law, start=0.0, end=end, corners=tuple(corners))


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


def driven_limits(what: str, given: ArrayLike | None, robot: Robot | None) -> tuple[LimitedJoint, ...]:
    """Return the joints that others move and that have a limit in the robot's description.

    What is given is for the joints of the motion; if it is infinite for all of them, it lifts the limits of the others
    too. A follower's torque is what moves its own axis; joints that closed loops determine have none.
    """
    if robot is None or (given is not None and np.isinf(np.asarray(given, dtype=float)).all()):
        return ()
    if what == "torque" and robot.loops:
        return ()
    found = tuple(joint for joint in driven_joints(robot) if np.isfinite(limit_of(what, joint)))
    for joint in found:
        if not limit_of(what, joint) > 0.0:
            raise ProgramError(
                f"{robot.name}: the {what} limit of joint {joint.name!r} is {limit_of(what, joint):g} in its "
                f"description, which forbids any motion; change it there, or give {what}=inf for no limits at all"
            )
    return found


def limit_of(what: str, joint: LimitedJoint) -> float:
    """Return the limit of a joint's velocity or torque."""
    return joint.limits.effort if what == "torque" else joint.limits.velocity


def torque_parts(drives: Drives, t: Floats, q: Floats, qd: Floats, qdd: Floats) -> tuple[Floats, Floats, Floats]:
    """Return A, B and C of the torques at r times the speed, from those at three speeds."""
    half, one, two = (drives.torques(t, q, r * qd, r * r * qdd) for r in (0.5, 1.0, 2.0))
    A = (two - 3.0 * one + 2.0 * half) * (2.0 / 3.0)
    B = 2.0 * (one - half) - 1.5 * A
    return A, B, one - A - B


def _within_limits(limited: Limited, speed: float) -> tuple[float, float, str]:
    """Return the largest r at which all quantities keep their limits at all times, and what prevents a larger one: a
    time of the motion, and the name of a quantity.
    """
    motion, samples = limited.motion, Samples(limited, speed)
    edges = np.array([motion.start, *motion.corners, motion.end])
    samples.add(edges)
    cells = Cells.between(edges, 0 if limited.polynomial else FEWEST)
    values = samples.add(cells.times)
    is_noise = np.zeros((len(cells.start), len(limited.names)), dtype=bool)
    tight, most = TIGHT[motion.derivatives], MOST_CELLS[motion.derivatives] * max(len(cells.start), FEWEST)
    while True:
        r = samples.largest()
        bound = _bounded(values, r)
        beyond = bound.value + np.where(is_noise, -NOISED, 1.0) * bound.error > 1.0 + tight
        halved = beyond.any(axis=1) & (cells.end - cells.start > NARROW * motion.duration)
        if not halved.any():
            break
        if len(cells.start) + halved.sum() > most:
            r = samples.largest((bound.value + bound.error)[halved].max())
            break
        halves = cells.of(halved).halved()
        new = samples.add(halves.times)
        error, before = _bounded(new, r).error.reshape(2, -1, len(limited.names)), bound.error[halved]
        noise = (error > 0.25 * before).all(axis=0) & (before < NOISE)  # a jump is in one half only
        is_noise = np.concatenate([is_noise[~halved], noise, noise])
        values = [np.concatenate([old[~halved], x]) for old, x in zip(values, new, strict=True)]
        cells = Cells(*(np.concatenate([old[~halved], x]) for old, x in zip(cells, halves, strict=True)))
    return r, *samples.worst(r)


def _bounded(values: list[Floats], r: float) -> Ceiling:
    A, B, C = values
    return ceiling((A * r + B) * r + C)


class Samples:
    """The limited quantities at all times that have been looked at, and what they forbid."""

    def __init__(self, limited: Limited, speed: float) -> None:
        self._limited, self._speed = limited, speed
        self._forbidden = Forbidden(np.empty(0), np.empty(0))
        self._seen = list[tuple[Floats, Rows]]()

    def add(self, t: Floats) -> list[Floats]:
        """Return A, B and C as parts of their limits at more times, (..., k)."""
        rows = self._limited.rows(t.ravel(), self._speed)
        self._seen.append((t.ravel(), rows))
        self._forbidden = self._forbidden.joined(Forbidden.of(rows))
        return [(x / rows.limit).reshape(*t.shape, -1) for x in rows[:3]]

    def largest(self, tighter: float = 1.0) -> float:
        """Return the largest r that keeps the limits, or a part of them, at all these times."""
        if tighter > 1.0:
            each = (Forbidden.of(rows._replace(limit=rows.limit / tighter)) for _, rows in self._seen)
            self._forbidden = reduce(Forbidden.joined, each)
        r = self._forbidden.largest()
        if not 0.0 < r < np.inf:
            t = np.concatenate([t for t, _ in self._seen])
            C = np.concatenate([rows.C for _, rows in self._seen])
            raise _without_speed(r, C, self._limited.limit, self._limited.names, t)
        self._forbidden = self._forbidden.below(r)
        return r

    def worst(self, r: float) -> tuple[float, str]:
        """Return the time at which a quantity is the largest part of its limit, and the name of this quantity."""
        parts = [rows.part(r) for _, rows in self._seen]
        i = int(np.argmax([part.max() for part in parts]))
        at, k = np.unravel_index(int(parts[i].argmax()), parts[i].shape)
        return float(self._seen[i][0][at]), self._limited.names[int(k)]


def _largest(rows: Rows, names: list[str], t: Floats) -> float:
    """Return the largest r at which all quantities keep their limits, exactly at the samples."""
    r = Forbidden.of(rows).largest()
    if not 0.0 < r < np.inf:
        raise _without_speed(r, rows.C, rows.limit, names, t)
    return r


def _without_speed(r: float, C: Floats, limit: Floats, names: list[str], t: Floats) -> ProgramError:
    """Return the error that says why no speed, or any, keeps the limits."""
    if r > 0.0:
        return ProgramError("the joints do not move, or not where they have limits: there is no shortest time")
    at, k = np.unravel_index(int((np.abs(C) / limit).argmax()), C.shape)
    return ProgramError(
        f"no speed keeps the limits: however slow the motion, the {names[int(k)]} reaches {abs(C[at, k]):.4g} at "
        f"t = {t[at]:.4g} s, and at most {limit[k]:g} is allowed"
    )


class Forbidden(NamedTuple):
    """Open intervals of r > 0 in which a quantity exceeds its limit."""

    start: Floats
    end: Floats

    @classmethod
    def of(cls, rows: Rows) -> Forbidden:
        """Return the intervals of all quantities at all times."""
        A, B, C = ((x / rows.limit).ravel() for x in rows[:3])
        starts, ends = list[Floats](), list[Floats]()
        for sign in (1.0, -1.0):
            for start, end in beyond(sign * A, sign * B, sign * C - 1.0):
                some = end > np.maximum(start, 0.0)
                starts.append(start[some])
                ends.append(end[some])
        return cls(np.concatenate(starts), np.concatenate(ends))

    def joined(self, other: Forbidden) -> Forbidden:
        """Return the intervals of both."""
        return Forbidden(*(np.concatenate(both) for both in zip(self, other, strict=True)))

    def below(self, r: float) -> Forbidden:
        """Return those that matter as soon as r is known to be too large, or just right."""
        some = self.start <= r
        return Forbidden(self.start[some], self.end[some])

    def largest(self) -> float:
        """Return the largest r in none of the intervals: infinite if all large ones are allowed, not positive if none
        is.
        """
        endless = self.end == np.inf
        if not endless.any():
            return np.inf
        order = np.argsort(-self.end[~endless], kind="stable")
        starts, ends = self.start[~endless][order], self.end[~endless][order]
        largest = np.minimum.accumulate(np.append(self.start[endless].min(), starts))
        over = np.flatnonzero(ends <= largest[:-1])
        return float(largest[over[0] if len(over) else -1])


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
