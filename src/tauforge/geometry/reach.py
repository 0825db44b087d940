"""Reaching: states in which a frame has a given pose, by damped Gauss-Newton steps on exact Jacobians.

It works for any robot, trees and closed loops, and for many goals at once. Steps are damped as Levenberg and Marquardt
do; a joint that a step would lead beyond its limit is set on that limit, and the others make up for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ProgramError, ReachError
from ..models.configuration import difference, integrate
from ..models.loops.closing import active_places, closing
from ..models.registry import check_robot
from ..robot.entries import owners
from ..robot.robot import Robot
from ..runtime.function import Function
from .close_loops import close_loops, on_manifold
from .task import Task

Floats = NDArray[np.float64]
TOLERANCE, ROUNDING = 1e-12, 1e-9
"""Error at which steps end, and at which a goal counts as reached, in metres and radians."""
STEPS, STARTS, NEARER = 300, 32, 50
"""Steps at the most, starts if none is given, and steps towards the nearest of many solutions."""
FAR, LOOPED = 0.5, 0.2
"""The largest step of a joint, in metres or radians, and with closed loops, whose others must follow."""
LEAST, MOST = 1e-12, 1e6
"""Bounds of the damping, as a part of the largest entry of JᵀJ."""
PATIENCE, PROGRESS = 15, 0.9999
"""A state is given up if this many steps leave this part of its error."""


@final
@dataclass(frozen=True, eq=False)
class Reached:
    """States in which a frame is at its goals, or as near to them as the search came.

    Attributes
    ----------
    q
        Coordinates, (..., robot.coordinate_names).
    distance
        How far the frame's origin is from its goal, in metres, (...).
    angle
        The angle between the frame and its goal, in radians, (...).
    reached
        Whether the goal is reached but for rounding, (...).
    """

    q: Floats
    distance: Floats
    angle: Floats
    reached: NDArray[np.bool_]

    def __repr__(self) -> str:
        worst = f"{self.distance.max(initial=0.0):.3g} m and {self.angle.max(initial=0.0):.3g} rad"
        return f"Reached({int(self.reached.sum())} of {self.reached.size} goals; at most {worst} away)"


def reach(
    robot: Robot,
    T: ArrayLike,
    *,
    frame: str,
    q0: ArrayLike | None = None,
    aim: str = "pose",
    limits: bool = True,
    strict: bool = True,
) -> Reached:
    """Return states in which a frame has given poses, found step by step from a start.

    If many states have that pose, as with redundant arms, the result is the nearest to the start in its surroundings.

    Parameters
    ----------
    T
        Poses relative to the base, (..., 4, 4); with ``aim="position"`` also points, (..., 3).
    frame
        Name of a link or of a constant frame.
    q0
        States from which to start, (..., robot.coordinate_names); with closed loops also those of the independent
        joints. By default several states are tried.
    aim
        "pose"; "position" for the origin alone; "axis" for the origin and the direction of the frame's z axis, as of a
        tool that can spin.
    limits
        Whether joints stay within their limits; with closed loops, the independent ones.
    strict
        Raise an error if a goal is not reached; otherwise ``Reached`` says how far away it is.

    Raises
    ------
    ReachError
        Where a goal is not reached. The message says how far away it is; the attribute ``reached`` holds the states.
    """
    check_robot(robot)
    if not robot.dof:
        raise ProgramError(f"{robot.name} has no joint that moves; its frames stay where they are")
    task = Task(robot, frame, aim)
    goals = task.goals(T)
    leading = goals.shape[:-2]
    search = Search(task, limits)
    if q0 is None:
        found = _from_many(search, goals.reshape(-1, 4, 4))
    else:
        starts = states(robot, q0)
        try:
            leading = np.broadcast_shapes(leading, starts.shape[:-1])
        except ValueError:
            raise ProgramError(f"T has the axes {leading} and q0 {starts.shape[:-1]}; they must go together") from None
        starts = np.broadcast_to(starts, (*leading, starts.shape[-1])).reshape(-1, starts.shape[-1])
        goals = np.broadcast_to(goals, (*leading, 4, 4)).reshape(-1, 4, 4)
        found = search.nearest(search.inside(starts), goals)
    result = Reached(*(x.reshape((*leading, *x.shape[1:])) for x in found))
    if strict and not result.reached.all():
        raise _refusal(search, result)
    return result


def states(robot: Robot, q0: ArrayLike) -> Floats:
    """Return states of all joints from these, or from the independent coordinates of closed loops."""
    try:
        q = np.array(q0, dtype=float)
    except (TypeError, ValueError):
        raise ProgramError("q0: this is not an array of numbers") from None
    names = robot.coordinate_names
    if not np.isfinite(q).all():
        raise ProgramError("q0 has entries that are not finite")
    active = active_places(robot.expanded()) if robot.loops else []
    if robot.loops and q.shape[-1:] == (len(active),) != (len(names),):
        return close_loops(robot, q)
    if q.shape[-1:] != (len(names),):
        raise ProgramError(f"q0 has the shape {q.shape}; {robot.name} has {len(names)} coordinates: {', '.join(names)}")
    flat = on_manifold(robot, q.reshape(-1, len(names))).reshape(q.shape)
    return close_loops(robot, flat[..., active], guess=flat) if robot.loops else flat


class Bounds(NamedTuple):
    """Limits of the velocities' coordinates: their places in q, and how low and high they may be, (n) each."""

    places: NDArray[np.intp]
    lower: Floats
    upper: Floats


@final
class Search:
    """Steps towards goals of a task."""

    def __init__(self, task: Task, limits: bool) -> None:
        self.task, self.robot = task, task.robot
        self.step, self.between = _moves(self.robot)
        self.bounds = bounds(self.robot) if limits else None
        self.far = LOOPED if self.robot.loops else FAR

    def inside(self, q: Floats) -> Floats:
        """Return states with the coordinates that have limits set within them."""
        if self.bounds is None:
            return q
        some = np.isfinite(self.bounds.lower) | np.isfinite(self.bounds.upper)
        places, found = self.bounds.places[some], q.copy()
        found[:, places] = np.clip(q[:, places], self.bounds.lower[some], self.bounds.upper[some])
        if self.robot.loops and (found != q).any():
            found = close_loops(self.robot, found[:, active_places(self.robot.expanded())], guess=q)
        return found

    def nearest(self, start: Floats, goals: Floats) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
        """Return the solutions nearest to starts, with distances and angles left, and whether goals are reached."""
        q, distance, angle = self.towards(start, goals)
        reached = np.maximum(distance, angle) <= ROUNDING
        left = np.flatnonzero(reached)
        for _ in range(NEARER):
            if not len(left):
                break
            back = self.between(q[left], start[left])
            across = _null(self.task.apart(q[left], goals[left]).slopes, back)
            some = np.abs(across).max(axis=1, initial=0.0) > 1e-8
            left, back, across = left[some], back[some], across[some]
            if not len(left):
                break
            moved = self.inside(self.step(q[left], across * _short(across, self.far)))
            moved, off, turned = self.towards(moved, goals[left])
            nearer = np.linalg.norm(self.between(moved, start[left]), axis=1) < np.linalg.norm(back, axis=1) * (
                1 - 1e-12
            )
            nearer &= np.maximum(off, turned) <= ROUNDING
            left = left[nearer]
            q[left], distance[left], angle[left] = moved[nearer], off[nearer], turned[nearer]
        return q, distance, angle, reached

    def towards(self, q: Floats, goals: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the states that damped steps lead to, and the distances and angles left there."""
        q, now = q.copy(), self.task.apart(q, goals)
        error, J, distance, angle = (x.copy() for x in now)
        damping, before = np.full(len(q), 1e-6), np.linalg.norm(error, axis=1)
        lost = ~np.isfinite(before)
        for count in range(1, STEPS + 1):
            trying = np.flatnonzero((np.maximum(distance, angle) > TOLERANCE) & ~lost)
            if not len(trying):
                break
            ahead = self.step(q[trying], self._steps(q[trying], J[trying], error[trying], damping[trying]))
            after = self.task.apart(ahead, goals[trying])
            better = np.linalg.norm(after.error, axis=1) < np.linalg.norm(error[trying], axis=1)  # not if NaN
            taken = trying[better]
            q[taken] = ahead[better]
            for mine, new in zip((error, J, distance, angle), after, strict=True):
                mine[taken] = new[better]
            damping[trying] = np.where(better, np.maximum(damping[trying] * 0.3, LEAST), damping[trying] * 3.0)
            lost[trying] |= damping[trying] > MOST
            if count % PATIENCE == 0:
                size = np.linalg.norm(error, axis=1)
                lost |= size > PROGRESS * before
                before = size
        return q, distance, angle

    def _steps(self, q: Floats, J: Floats, error: Floats, damping: Floats) -> Floats:
        """Return a damped step for each state; joints stop at their limits, and the others make up for it."""
        n = J.shape[2]
        N = np.swapaxes(J, 1, 2) @ J
        N += (damping * np.maximum(np.abs(N).max(axis=(1, 2), initial=0.0), 1e-12))[:, None, None] * np.eye(n)
        held, found = np.zeros((len(q), n), dtype=bool), np.zeros((len(q), n))
        for _ in range(n):
            rest = error - np.einsum("kij,kj->ki", J, np.where(held, found, 0.0))
            pull = np.where(held, 0.0, np.einsum("kij,ki->kj", J, rest))
            free = ~held[:, :, None] & ~held[:, None, :]
            solved = np.linalg.solve(np.where(free, N, np.eye(n)), pull[..., None])[..., 0]
            solved *= _short(solved, self.far)
            step = np.where(held, found, solved)
            if self.bounds is None:
                return step
            at = q[:, self.bounds.places]
            inside = np.clip(at + step, self.bounds.lower, self.bounds.upper) - at
            beyond = ~held & (np.abs(inside - step) > 1e-15)
            found = np.where(beyond, inside, step)
            if not beyond.any():
                return found
            held |= beyond
        return found


def _short(step: Floats, far: float) -> Floats:
    """Return by what to multiply steps so that none is far."""
    return np.asarray(np.minimum(1.0, far / np.maximum(np.abs(step).max(axis=1, initial=0.0), 1e-300)))[:, None]


def _null(J: Floats, v: Floats) -> Floats:
    """Return the part of velocities that does not move the task."""
    inverse = np.linalg.pinv(J, rcond=1e-8)
    return np.asarray(v - np.einsum("kij,kj->ki", inverse, np.einsum("kij,kj->ki", J, v)))


def bounds(robot: Robot) -> Bounds:
    """Return the limits of all velocities' coordinates; those of joints with several axes have none."""
    whole, at, own = robot.expanded(), 0, dict[str, tuple[int, float, float]]()
    for j in owners(whole):
        joint = whole.joints[j - 1]
        single = len(joint.kind.coordinates) == 1
        for part in joint.axes:
            own[joint.name + part] = (at, joint.limits.lower, joint.limits.upper) if single else (at, -np.inf, np.inf)
        at += len(joint.kind.coordinates)
    places, lower, upper = zip(*(own[name] for name in robot.velocity_names), strict=True)
    return Bounds(np.array(places), np.array(lower), np.array(upper))


def _from_many(search: Search, goals: Floats) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """Return solutions from the neutral state and, where it does not lead to one, from others."""
    robot, n = search.robot, len(search.robot.velocity_names)
    whole = robot.expanded()
    neutral = np.array([x for j in owners(whole) for x in whole.joints[j - 1].kind.neutral], dtype=float)
    first = close_loops(robot) if robot.loops else neutral
    random, best = np.random.default_rng(0), None
    left = np.arange(len(goals))
    for count in range(STARTS):
        away = random.uniform(-1.0, 1.0, (len(left), n)) * (0.1 if count == 0 else 1.0 if robot.loops else np.pi)
        starts = search.step(np.tile(first, (len(left), 1)), away)
        starts = np.where(np.isfinite(starts).all(axis=1, keepdims=True), starts, first)  # loops that stay open
        found = search.nearest(search.inside(starts), goals[left])
        if best is None:
            best = found
        else:
            nearer = found[1] + found[2] < best[1][left] + best[2][left]
            for mine, new in zip(best, found, strict=True):
                mine[left[nearer]] = new[nearer]
        left = np.flatnonzero(~best[3])
        if not len(left):
            break
    assert best is not None
    return best


def _refusal(search: Search, result: Reached) -> ReachError:
    """Return the error that says which goal is how far away, and which joints are at their limits there."""
    off = np.where(result.reached, 0.0, result.distance + result.angle)
    at = np.unravel_index(int(off.argmax()), off.shape)
    where = f" {', '.join(map(str, at))}" if off.ndim else ""
    q, near, names = result.q[at], "", search.robot.velocity_names
    if search.bounds is not None:
        coordinates = q[search.bounds.places]
        stuck = (coordinates <= search.bounds.lower + 1e-9) | (coordinates >= search.bounds.upper - 1e-9)
        near = f", with {', '.join(np.array(names)[stuck])} at the limit" if stuck.any() else ""
    raised = ReachError(
        f"{search.robot.name}: {search.task.frame} does not reach goal{where}: it stays {result.distance[at]:.4g} m "
        f"and {result.angle[at]:.4g} rad away{near}; {int((~result.reached).sum())} of {result.reached.size} goals "
        "are out of reach from these starts"
    )
    raised.reached = result
    return raised


@lru_cache(maxsize=32)
def _moves(robot: Robot) -> tuple[Callable[[Floats, Floats], Floats], Function]:
    """Return the compiled functions that move states, and that find the velocity between two of them.

    A state whose loops cannot be closed after a step is NaN.
    """
    step = integrate(robot).compile()
    close = closing(robot).compile() if robot.loops else None
    active = active_places(robot.expanded()) if robot.loops else []

    def moved(q: Floats, v: Floats) -> Floats:
        with np.errstate(all="ignore"):
            found = np.asarray(step(q, v))
            if close is not None:
                found, closed = close(found[:, active], found)
                found[closed != 1.0] = np.nan
        return found

    return moved, difference(robot).compile()
