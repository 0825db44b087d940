"""Reaching: states in which frames are where they should be, by damped Gauss-Newton steps on exact Jacobians.

It works for any robot, trees and closed loops, for several frames with priorities, and for many goals at once: see
``reaching/steps.py`` for the steps and ``reaching/solver.py`` for the batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from numbers import Real
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ProgramError, ReachError
from ..models.configuration import difference, integrate
from ..models.loops.closing import active_places, closing
from ..models.registry import check_robot
from ..robot.robot import Robot
from ..runtime.function import Function
from .close_loops import close_loops, on_manifold
from .reaching.bounds import Bounds, bounds
from .reaching.goal import NUMBERS, Goal
from .reaching.solver import CLIMBED, ROUNDING, Found, Solver, solver
from .task import Task

__all__ = ["ROUNDING", "Bounds", "Reached", "Search", "bounds", "reach", "states"]

Floats = NDArray[np.float64]
STARTS, GIVEN = 500, 3
"""Starts of each goal at the most, and with a given start: that one, and others near it."""
MOST_STARTS = 1_000_000
"""How many starts may be asked for: where a goal is out of reach, all are tried."""
NEARBY = 0.1
"""How far other starts are from a given one, in metres and radians."""
FREE_STARTS = 100
"""Starts of the search without limits that tells which joints are in the way."""
START, MIDDLE = "start", "middle"
PREFERENCES = (START, MIDDLE, CLIMBED)
"""What to prefer among states that meet all goals."""


@final
@dataclass(frozen=True, eq=False)
class Reached:
    """States in which frames are at their goals, or as near to them as the search came.

    Attributes
    ----------
    q
        Coordinates, (..., robot.coordinate_names).
    distance
        How far the origins of the frames are from their goals, in metres, (...): the largest of those of level 0.
    angle
        The angle between the frames and their goals, in radians, (...), likewise.
    reached
        Whether the goals of level 0 are reached but for rounding, with the loops closed, (...).
    distances
        How far each origin is from its goal, (..., goals).
    angles
        The angle of each, (..., goals).
    why
        Finds the reasons, when they are asked for.
    """

    q: Floats
    distance: Floats
    angle: Floats
    reached: NDArray[np.bool_]
    distances: Floats
    angles: Floats
    why: Callable[[], NDArray[Any]]

    @cached_property
    def reason(self) -> NDArray[Any]:
        """Why goals are not reached, as text, (...); empty where they are."""
        return self.why()

    def __repr__(self) -> str:
        worst = f"{self.distance.max(initial=0.0):.3g} m and {self.angle.max(initial=0.0):.3g} rad"
        return f"Reached({int(self.reached.sum())} of {self.reached.size} goals; at most {worst} away)"


def reach(
    robot: Robot,
    T: ArrayLike | Goal | Sequence[Goal],
    *,
    frame: str | None = None,
    q0: ArrayLike | None = None,
    aim: str | Sequence[str] | None = None,
    limits: bool = True,
    strict: bool = True,
    prefer: str | ArrayLike | None = None,
    starts: int | None = None,
    seed: int = 0,
    tolerance: float = ROUNDING,
    threads: int | None = None,
) -> Reached:
    """Return states in which frames have given poses, found step by step from one start or many.

    Parameters
    ----------
    T
        Poses relative to the base, (..., 4, 4); with ``aim="position"`` also points, (..., 3). Or goals, one or
        several: each ``tf.Goal`` names its own frame, goals, aim, weight and level; their leading axes go together.
    frame
        Name of a link or of a constant frame.
    q0
        States from which to start, (..., robot.coordinate_names); with closed loops also those of the independent
        joints. By default several states are tried.
    aim
        What T prescribes, as for ``tf.Goal``: "pose"; "position" for the origin alone; "axis" for the origin and the
        direction of the frame's z axis, as of a tool that can spin; and others.
    limits
        Whether joints stay within their limits.
    strict
        Raise an error if a goal is not reached; otherwise ``Reached`` says how far away it is.
    prefer
        What to do with the freedom that all goals leave: "start", stay near q0, the default if that is given;
        "middle", be far from limits; "manipulability", be far from singular states, of the first goal's frame; or
        coordinates to be near to.
    starts, seed
        How many starts each goal has at the most, and what their random numbers depend on: 500, and with q0 three, that
        state and two near it. Starts do not depend on the other goals of a batch.
    tolerance
        Errors below which a goal counts as reached, in metres and radians. Steps go on to 1e-12 whatever it is.
    threads
        How many threads share the batch; by default as many as pay off.

    Raises
    ------
    ReachError
        Where a goal is not reached. The message says how far away it is; the attribute ``reached`` holds the states.
    """
    check_robot(robot)
    asked = _asked(T, frame, aim)
    if not robot.dof:
        raise ProgramError(f"{robot.name} has no joint that moves; its frames stay where they are")
    wish = _preference(robot, START if prefer is None and q0 is not None else prefer, q0)
    climbs = isinstance(wish, str) and wish == CLIMBED
    job = solver(robot, tuple(goal.kind for goal in asked), CLIMBED if climbs else "")
    _check_numbers(starts, seed, tolerance)
    goals, given, leading = _together([goal.numbers() for goal in asked], None if q0 is None else states(robot, q0))
    flat = goals.reshape(-1, goals.shape[-1])
    random = np.random.default_rng(seed)
    tried = Tried((STARTS if given is None else GIVEN) if starts is None else int(starts), given is not None)
    if given is None:
        q, _ = job.search(flat, limits, tried.starts, random, threads)
    else:
        given = given.reshape(-1, given.shape[-1])
        q = _from(job, flat, job.inside(given, limits), limits, tried.starts, random, threads)
    found = _refined(job, flat, q, _posture(job, wish, q, given, leading), limits, tolerance, threads)
    result = _result(job, found, flat, leading, limits, tolerance, tried)
    if strict and not result.reached.all():
        raise _refusal(job, result, limits, tried)
    return result


class Tried(NamedTuple):
    """How many starts each goal had, and whether they were a given state and others near it, or random ones."""

    starts: int
    given: bool

    def __str__(self) -> str:
        if not self.given:
            return f"{self.starts} random start{'s' if self.starts > 1 else ''}"
        if self.starts == 1:
            return "q0"
        return f"q0 and {self.starts - 1} state{'s' if self.starts > 2 else ''} near it"


def _asked(T: Any, frame: Any, aim: Any) -> list[Goal]:
    """Return the goals, from what may be one, several, or the goals of one."""
    several = [T] if isinstance(T, Goal) else T
    if (listed := isinstance(several, (list, tuple))) and not several:
        raise ProgramError("T is empty; give at least one goal, or poses (..., 4, 4)")
    if not (listed and any(isinstance(goal, Goal) for goal in several)):
        return [Goal(frame, T, "pose" if aim is None else aim)]
    if not all(isinstance(goal, Goal) for goal in several):
        raise ProgramError("T has goals and other things; give goals alone, or the goals of one frame")
    if frame is not None or aim is not None:
        raise ProgramError("each goal names its own frame and aim; leave out frame= and aim=")
    return list(several)


def _preference(robot: Robot, prefer: Any, q0: Any) -> str | Floats | None:
    """Return the preference, checked: a name, or coordinates."""
    if prefer is None or isinstance(prefer, str):
        if prefer not in (None, *PREFERENCES):
            raise ProgramError(f"prefer={prefer!r}; choose among {', '.join(map(repr, PREFERENCES))}, or give a state")
        if prefer == START and q0 is None:
            raise ProgramError("prefer='start' needs q0, the start to stay near to")
        if prefer == CLIMBED and robot.loops:
            raise ProgramError(f"{robot.name} has closed loops; prefer='manipulability' is for trees")
        return prefer
    return states(robot, prefer, "prefer")


def _check_numbers(starts: Any, seed: Any, tolerance: Any) -> None:
    whole = isinstance(starts, (int, np.integer)) and not isinstance(starts, bool)
    if starts is not None and not (whole and 1 <= starts <= MOST_STARTS):
        raise ProgramError(f"starts={starts!r}; it must be a whole number from 1 to {MOST_STARTS:,}")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ProgramError(f"seed={seed!r}; it must be a whole number of at least 0")
    if isinstance(tolerance, bool) or not isinstance(tolerance, Real) or not 0.0 < float(tolerance) < np.inf:
        raise ProgramError(f"tolerance={tolerance!r}; it must be above 0, in metres and radians")


def _together(each: list[Floats], starts: Floats | None) -> tuple[Floats, Floats | None, tuple[int, ...]]:
    """Return the goals of all goals side by side, and the starts, with all leading axes."""
    axes = [goals.shape[:-1] for goals in each]
    try:
        leading = np.broadcast_shapes(*axes)
    except ValueError:
        raise ProgramError(f"the goals have the axes {', '.join(map(str, axes))}; they must go together") from None
    if starts is not None:
        try:
            leading = np.broadcast_shapes(leading, starts.shape[:-1])
        except ValueError:
            raise ProgramError(f"T has the axes {leading} and q0 {starts.shape[:-1]}; they must go together") from None
        starts = np.broadcast_to(starts, (*leading, starts.shape[-1])).copy()
    wide = [np.broadcast_to(goals, (*leading, NUMBERS)) for goals in each]
    return np.ascontiguousarray(np.concatenate(wide, axis=-1)), starts, leading


def _from(
    job: Solver,
    goals: Floats,
    given: Floats,
    limits: bool,
    starts: int,
    random: np.random.Generator,
    threads: int | None,
) -> Floats:
    """Return states that are found from given ones, and from others near these."""
    q, error = job.towards(given, goals, limits, threads)
    for _ in range(starts - 1):
        late = np.flatnonzero(~job.measured(q, goals, kept=limits).reached(job.first, ROUNDING))
        if not len(late):
            break
        again, less = job.towards(job.seeds.near(random, given[late], NEARBY), goals[late], limits, threads)
        better = less < (1.0 - 1e-6) * error[late]
        q[late[better]], error[late[better]] = again[better], less[better]
    return q


def _posture(
    job: Solver, wish: str | Floats | None, q: Floats, given: Floats | None, leading: tuple[int, ...]
) -> Floats | None:
    """Return the coordinates to come near to; None if there is no preference."""
    if wish is None:
        return None
    if isinstance(wish, np.ndarray):
        try:
            return np.broadcast_to(wish, (*leading, wish.shape[-1])).reshape(q.shape)
        except ValueError:
            raise ProgramError(f"prefer has the shape {wish.shape}; it must go with the goals, {leading}") from None
    if wish == START and given is not None:
        return given
    return job.seeds.centre(q) if wish == MIDDLE else q


def _refined(
    job: Solver,
    goals: Floats,
    q: Floats,
    posture: Floats | None,
    limits: bool,
    tolerance: float,
    threads: int | None = None,
) -> Found:
    """Return states with what higher levels and preferences ask for, where level 0 leaves freedom."""
    near = q if posture is None else posture
    found = job.measured(q, goals, near, kept=limits)
    if (posture is None and len(job.setting.levels) == 1) or not job.setting.is_free:
        return found
    some = np.flatnonzero(found.reached(job.first, tolerance))
    if len(some):
        own = Found(*(x[some] for x in found))
        own = job.settled(own, goals[some], np.ascontiguousarray(near[some]), limits, tolerance, threads)
        for mine, new in zip(found, own, strict=True):
            mine[some] = new
    return found


def _result(
    job: Solver, found: Found, goals: Floats, leading: tuple[int, ...], limits: bool, tolerance: float, tried: Tried
) -> Reached:
    reached = found.reached(job.first, tolerance)

    def shaped(x: NDArray[Any]) -> NDArray[Any]:
        return x.reshape((*leading, *x.shape[1:]))

    def why() -> NDArray[Any]:
        return shaped(_reasons(job, found, goals, reached, limits, tolerance, tried))

    distance, angle = (shaped(x[:, job.first].max(axis=1)) for x in (found.distance, found.angle))
    each = shaped(found.distance), shaped(found.angle)
    return Reached(shaped(found.q), distance, angle, shaped(reached), *each, why)


def _reasons(
    job: Solver,
    found: Found,
    goals: Floats,
    reached: NDArray[np.bool_],
    limits: bool,
    tolerance: float,
    tried: Tried,
) -> NDArray[Any]:
    """Return a text for each goal that is not reached: another start reaches it, limits are in the way, or it is far.

    Before limits or the distance are blamed, random starts are tried.
    """
    texts = np.full(len(goals), "", dtype=object)
    late = np.flatnonzero(~reached)
    if not len(late):
        return texts
    nearest, starts, elsewhere = Found(*(x[late] for x in found)), str(tried), np.zeros(len(late), dtype=bool)
    if tried.given or tried.starts < STARTS:
        starts = f"{tried} and {STARTS} random starts" if tried.given else f"{STARTS} random starts"
        q, _ = job.search(goals[late], limits, STARTS, np.random.default_rng(0), None)
        more = job.measured(q, goals[late], kept=limits)
        elsewhere = more.reached(job.first, tolerance)
        nearer = ~elsewhere & (more.costs[:, 0] < nearest.costs[:, 0])
        for x, y in zip(nearest, more, strict=True):
            x[nearer] = y[nearer]
    free, _ = job.search(goals[late], False, FREE_STARTS, np.random.default_rng(0), None)
    meets = job.measured(free, goals[late]).reached(job.first, tolerance)
    for i, k in enumerate(late):
        distance, angle = nearest.distance[i, job.first].max(), nearest.angle[i, job.first].max()
        away = f"{distance:.4g} m and {angle:.4g} rad away"
        if nearest.gap[i] > tolerance:
            away += f", with loops open by {nearest.gap[i]:.4g}"
        if elsewhere[i]:
            instead = "leave out q0, or give another" if tried.given else "raise starts"
            texts[k] = f"not reached from {tried}, which end {away}; another start reaches it: {instead}"
        elif limits and meets[i] and (beyond := _beyond(job, free[i])):
            texts[k] = f"beyond the limits of {beyond}; within them, the nearest state from {starts} is {away}"
        else:
            texts[k] = f"out of reach: the nearest state from {starts} is {away}"
    return texts


def _beyond(job: Solver, q: Floats) -> str:
    """Return which joints are beyond their limits, and by how much; angles are those nearest to the limits."""
    at = q[job.bounds.places] + 2.0 * np.pi * job.bounds.turns * np.arange(-3, 4)[:, None]
    over = np.maximum(job.bounds.lower - at, at - job.bounds.upper).min(axis=0)
    excess = [(job.tree.velocity_names[k], over[k]) for k in np.flatnonzero(over > ROUNDING)]
    excess += [(x.name, y) for x, y in zip(job.sums, job.beyond(q[None])[0], strict=True) if y > ROUNDING]
    return ", ".join(f"{name} by {x:.4g}" for name, x in excess)


def _refusal(job: Solver, result: Reached, limits: bool, tried: Tried) -> ReachError:
    """Return the error that says which goal is how far away, and which joints are at their limits there."""
    off = np.where(result.reached, -1.0, result.distance + result.angle)
    at = np.unravel_index(int(off.argmax()), off.shape)
    where = f" {', '.join(map(str, at))}" if off.ndim else ""
    near = ""
    if limits:
        coordinates = result.q[at][job.bounds.places]
        stuck = (coordinates <= job.bounds.lower + 1e-9) | (coordinates >= job.bounds.upper - 1e-9)
        near = f", with {', '.join(np.array(job.tree.velocity_names)[stuck])} at the limit" if stuck.any() else ""
    frames = " and ".join(dict.fromkeys(job.aims[i].frame for i in job.first))
    raised = ReachError(
        f"{job.robot.name}: {frames} does not reach goal{where}: it stays {result.distance[at]:.4g} m "
        f"and {result.angle[at]:.4g} rad away{near}; {int((~result.reached).sum())} of {result.reached.size} goals "
        f"are not reached from {tried}"
    )
    raised.reached = result
    return raised


def states(robot: Robot, q0: ArrayLike, what: str = "q0") -> Floats:
    """Return states of all joints from these, or from the independent coordinates of closed loops."""
    try:
        q = np.array(q0, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ProgramError(f"{what}: this is not an array of numbers") from None
    names = robot.coordinate_names
    if not np.isfinite(q).all():
        raise ProgramError(f"{what} has entries that are not finite")
    active = active_places(robot.expanded()) if robot.loops else []
    if robot.loops and q.shape[-1:] == (len(active),) != (len(names),):
        return close_loops(robot, q)
    if q.shape[-1:] != (len(names),):
        raise ProgramError(f"{what} has the shape {q.shape}; {robot.name} has the coordinates {', '.join(names)}")
    return on_manifold(robot, q.reshape(-1, len(names))).reshape(q.shape)


@final
class Search:
    """Steps towards goals of one task, for callers that know where to start; held joints stay where they are there."""

    def __init__(self, task: Task, limits: bool, held: Iterable[str] = ()) -> None:
        self.task, self.robot, self._limits = task, task.robot, limits
        self.step, self.between = _moves(self.robot)
        self._job = solver(task.robot, (Goal(task.frame, (), task.aim).kind,), "", frozenset(held))

    def inside(self, q: Floats) -> Floats:
        """Return states with the coordinates that have limits set within them."""
        return self._job.inside(q, self._limits)

    def towards(self, q: Floats, goals: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the states that damped steps lead to, and the distances and angles left there."""
        numbers = _numbers(goals)
        q = self._job.towards(q, numbers, self._limits)[0]
        found = self._job.measured(q, numbers, kept=self._limits)
        return found.q, found.distance[:, 0], found.angle[:, 0]


def _numbers(goals: Floats) -> Floats:
    return np.concatenate([goals[:, :3, :3].reshape(-1, 9), goals[:, :3, 3]], axis=1)


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
