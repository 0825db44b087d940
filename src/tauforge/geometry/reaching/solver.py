"""Batches of goals: compiled steps, and the states that take them, restarted where they do not arrive."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from ...errors import ProgramError
from ...graph.node import Scalar
from ...models.manipulability import manipulability, moving_rows
from ...robot.robot import Robot
from ...runtime.function import Function
from ...runtime.rollout import Steps
from ..joint_limits import limited_sums
from .bounds import Bounds, bounds
from .errors import open_tree
from .goal import Aim
from .seeds import Seeds, Starts
from .steps import CARE, GOAL, LOWER, POSTURE, STATE, UPPER, Limited, Setting, approach, measure, settle

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]
Truths = NDArray[np.bool_]
TOLERANCE, ROUNDING = 1e-12, 1e-9
"""Error at which steps end, and at which a goal counts as reached, in metres and radians."""
LOT = 4096
"""Goals that are solved at once, so that their states stay in the processor's cache."""
SLICE, LANES = 6, 8
"""Steps between two looks at the states, and states that are computed together at no extra cost."""
ROOM, MANY = 64, 16
"""Fewer states than this leave room for several starts of one goal at once, at the most so many."""
FIRST = 1e30
"""The squared error before the first step."""
WIDE = 1e9
"""Limits where none are to be kept."""
SIDES = ("lower", "upper")
CLIMBED = "manipulability"
"""The preference for states far from singular ones."""


class Patience(NamedTuple):
    """When a state is given up: if a slice leaves more than this part of its squared error, but not before so many
    steps, and after so many in any case.
    """

    part: float
    least: int
    most: int


HASTY, PATIENT = Patience(0.5, 12, 60), Patience(0.999, 30, 300)
"""For random starts, of which there are others, and for those that are given."""


class Found(NamedTuple):
    """States (k, coordinates), what is left (k, goals) and (k), and costs of levels and of the preference."""

    q: Floats
    distance: Floats
    angle: Floats
    gap: Floats
    costs: Floats

    def reached(self, first: Sequence[int], tolerance: float) -> Truths:
        """Tell which states meet the goals of the first level, with loops closed."""
        off = np.maximum(self.distance[:, first].max(axis=1), self.angle[:, first].max(axis=1))
        return np.asarray(np.maximum(off, self.gap) <= tolerance)


@final
class Solver:
    """A robot with goals: compiled steps for batches.

    Parameters
    ----------
    aims
        What is prescribed of which frames.
    held
        Names of velocities that stay zero: their coordinates are where each start has them.
    """

    def __init__(self, robot: Robot, aims: tuple[Aim, ...], prefer: str, held: frozenset[str] = frozenset()) -> None:
        self.robot, self.aims, self.prefer = robot, aims, prefer
        self.tree = open_tree(robot)
        self.bounds: Bounds = bounds(self.tree)
        if (wrong := np.flatnonzero(self.bounds.lower > self.bounds.upper)).size:
            name, low, high = self.tree.velocity_names[wrong[0]], *(x[wrong[0]] for x in self.bounds[1:3])
            raise ProgramError(f"{robot.name}: {name} has its lower limit {low:g} above the upper one, {high:g}")
        still = np.array([name in held for name in self.tree.velocity_names])
        limited = np.isfinite(self.bounds.lower) | np.isfinite(self.bounds.upper) | still
        self.limited, self.held = np.flatnonzero(limited), np.flatnonzero(still[limited])
        places = self.bounds.places[limited]
        own, all_places = Limited(tuple(self.limited.tolist()), tuple(places.tolist())), self.bounds.places.tolist()
        self.sums = limited_sums(self.tree)
        self.setting = Setting.of(robot, aims, own, self.sums, all_places)
        self._plain = Setting.of(robot, aims, own) if self.sums else self.setting
        self.first = [i for i, aim in enumerate(aims) if aim.level == min(a.level for a in aims)]
        self.size, self.freedom = len(self.setting.q.nodes), len(self.tree.velocity_names)
        self.seeds = Seeds(robot, self.tree, self.bounds)

    @cached_property
    def _climb(self) -> Scalar | None:
        if self.prefer != CLIMBED:
            return None
        frame = self.aims[0].frame
        return manipulability(self.tree, frame=frame, rows=moving_rows(self.tree, frame)).results["w"].nodes[0]

    @cached_property
    def _approach(self) -> Steps:
        return Steps(approach(self.setting), {"next": STATE}, "double")

    @cached_property
    def _settle(self) -> Steps:
        return Steps(settle(self.setting, self._climb), {"next": STATE}, "double")

    @cached_property
    def _measure(self) -> Function:
        return measure(self._plain, self._climb).compile()

    def limits(self, kept: bool, q: Floats) -> tuple[Floats, Floats]:
        """Return the limits of the joints that have some, or wide ones; held joints have no room in any state."""
        low, high = np.full(len(self.limited), -WIDE), np.full(len(self.limited), WIDE)
        if kept:
            low = np.maximum(low, self.bounds.lower[self.limited])
            high = np.minimum(high, self.bounds.upper[self.limited])
        if len(self.held):
            low, high = (np.tile(x, (len(q), 1)) for x in (low, high))
            low[:, self.held] = high[:, self.held] = q[:, self.bounds.places[self.limited[self.held]]]
        return low, high

    def _all_limits(self, kept: bool, q: Floats) -> tuple[Floats, Floats]:
        """Return the limits that steps take: those of single joints, then those of sums."""
        ends = self.limits(kept, q)
        if not self.sums:
            return ends
        wide = (-WIDE, WIDE)
        own = (
            [getattr(x.limits, side) if kept else far for x in self.sums] for side, far in zip(SIDES, wide, strict=True)
        )
        rows = (np.clip(np.array(x, dtype=float), -WIDE, WIDE) for x in own)
        return tuple(  # type: ignore[return-value]
            np.concatenate([x, np.broadcast_to(y, (*x.shape[:-1], len(y)))], axis=-1)
            for x, y in zip(ends, rows, strict=True)
        )

    def beyond(self, q: Floats) -> Floats:
        """Return by how much each joint that follows several is beyond its limits, (k, sums)."""
        over = [np.maximum(x.limits.lower - x.position(q), x.position(q) - x.limits.upper) for x in self.sums]
        return np.maximum(np.stack(over, axis=1), 0.0) if over else np.zeros((len(q), 0))

    def inside(self, q: Floats, kept: bool) -> Floats:
        """Return states with the coordinates that have limits set within them."""
        places, found = self.bounds.places[self.limited], q.copy()
        found[:, places] = np.clip(q[:, places], *self.limits(kept, q))
        return found

    def measured(self, q: Floats, goals: Floats, posture: Floats | None = None, *, kept: bool = False) -> Found:
        """Return how far states are from goals; if limits are kept, states beyond those of sums leave a gap."""
        distance, angle, gap, costs = self._measure(q, goals, q if posture is None else posture)
        if kept and self.sums:
            gap = np.maximum(gap, self.beyond(q).max(axis=1, initial=0.0))
        return Found(q, distance, angle, gap, costs)

    def run(self, state: Floats, goals: Floats, kept: bool, steps: int, threads: int | None) -> Floats:
        """Return states of the approach after some steps."""
        given = {GOAL: goals, **dict(zip((LOWER, UPPER), self._all_limits(kept, state), strict=True))}
        return _repeated(self._approach, state, given, steps, threads)

    def start(self, q: Floats) -> Floats:
        """Return states of the approach that begin with given coordinates."""
        found = np.zeros((len(q), 2 * self.size + self.freedom + 2))
        found[:, : self.size] = found[:, self.size : 2 * self.size] = q
        found[:, -2:] = FIRST, 1.0
        return found

    def coordinates(self, state: Floats) -> Floats:
        """Return the best coordinates of the approach."""
        return state[:, self.size : 2 * self.size]

    def towards(self, q: Floats, goals: Floats, kept: bool, threads: int | None = None) -> tuple[Floats, Floats]:
        """Return the states that steps from given ones lead to, and their squared errors."""
        best, error = q.copy(), np.full(len(q), np.inf)
        left, state, age = np.arange(len(q)), self.start(self.inside(q, kept)), 0
        while len(left):
            before = state[:, -2]
            state = self.run(state, goals[left], kept, SLICE, threads)
            age += SLICE
            best[left], error[left] = self.coordinates(state), state[:, -2]
            going = ~_done(state) & ~_stuck(state[:, -2], before, age, PATIENT)
            left, state = left[going], state[going]
        return best, error

    def search(
        self, goals: Floats, kept: bool, starts: int, random: np.random.Generator, threads: int | None
    ) -> tuple[Floats, Floats]:
        """Return states that meet goals, or come near them, from many starts, and their squared errors."""
        lots, states = range(0, max(len(goals), 1), LOT), Starts(self.seeds, random, kept)
        parts = [_Pool(self, goals[k : k + LOT], kept, starts, states, threads).solved() for k in lots]
        q, error = np.concatenate([q for q, _ in parts]), np.concatenate([error for _, error in parts])
        late = np.flatnonzero(error > TOLERANCE**2)
        if len(late):  # the best of the starts was given up early
            nearer, less = self.towards(q[late], goals[late], kept, threads)
            better = less < error[late]
            q[late[better]], error[late[better]] = nearer[better], less[better]
        return q, error

    def settled(
        self, found: Found, goals: Floats, posture: Floats, kept: bool, tolerance: float, threads: int | None
    ) -> Found:
        """Return states that meet the first level as before, and more of the rest."""
        left, care = np.arange(len(found.q)), np.zeros(len(found.q))
        best = Found(*(x.copy() for x in found))
        for _ in range(SETTLING):
            if not len(left):
                break
            given = {GOAL: goals[left], **dict(zip((LOWER, UPPER), self._all_limits(kept, best.q[left]), strict=True)),
                     POSTURE: posture[left], CARE: care[left, None]}  # fmt: skip
            moved = _repeated(self._settle, best.q[left], given, SLICE, threads)
            state = self.run(self.start(self.inside(moved, kept)), goals[left], kept, SLICE, threads)
            now = self.measured(self.coordinates(state), goals[left], posture[left], kept=kept)
            progress = _progress(best.costs[left, 1:], now.costs[:, 1:])
            better = (progress > 0.0) & now.reached(self.first, tolerance)
            for mine, new in zip(best, now, strict=True):
                mine[left[better]] = new[better]
            care[left] = np.where(better, 0.3 * care[left], np.maximum(10.0 * care[left], 1.0))
            left = left[(better & (progress > SETTLED)) | (~better & (care[left] <= CAREFUL))]
        return best


SETTLING, SETTLED, CAREFUL = 60, 1e-14, 1e4
"""Slices that settle states at the most, the progress below which one is settled, and the largest care."""


class _Pool:
    """States on their way to goals, several for one goal where there is room."""

    def __init__(
        self, solver: Solver, goals: Floats, kept: bool, starts: int, states: Starts, threads: int | None
    ) -> None:
        self.solver, self.goals, self.kept, self.starts = solver, goals, kept, starts
        self.states, self.threads = states, threads
        count = len(goals)
        self.best, self.error = np.zeros((count, solver.size)), np.full(count, np.inf)
        self.used = np.zeros(count, dtype=np.intp)
        self.goal: Numbers = np.empty(0, dtype=np.intp)
        self.state, self.age = solver.start(np.empty((0, solver.size))), np.empty(0, dtype=np.intp)

    def solved(self) -> tuple[Floats, Floats]:
        self._add(np.arange(len(self.goals)))
        while len(self.goal):
            before = self.state[:, -2]
            self.state = self.solver.run(self.state, self.goals[self.goal], self.kept, SLICE, self.threads)
            self.age += SLICE
            done = _done(self.state)
            self._keep(done)
            over = done | _stuck(self.state[:, -2], before, self.age, HASTY)
            self._keep(over)
            unsolved = self.error[self.goal] > TOLERANCE**2
            again = np.unique(self.goal[over & unsolved])
            self._take(~over & unsolved)
            self._add(again)
        return self.best, self.error

    def _keep(self, some: Truths) -> None:
        """Note states that came nearer to their goals than others before."""
        rows = np.flatnonzero(some & (self.state[:, -2] < self.error[self.goal]))
        rows = rows[np.argsort(-self.state[rows, -2], kind="stable")]  # the best of a goal is written last
        self.best[self.goal[rows]] = self.solver.coordinates(self.state[rows])
        self.error[self.goal[rows]] = self.state[rows, -2]

    def _take(self, some: Truths) -> None:
        self.goal, self.state, self.age = self.goal[some], self.state[some], self.age[some]

    def _add(self, goals: Numbers) -> None:
        """Start anew, more often if there is room."""
        room = max(ROOM - len(self.goal), 0) if len(self.goals) >= ROOM else LANES - len(self.goal) % LANES
        often = int(np.clip(room // max(len(goals), 1), 1, MANY))
        goals = np.repeat(goals, often)
        numbers = self.used[goals] + np.arange(len(goals)) % often
        goals, numbers = goals[numbers < self.starts], numbers[numbers < self.starts]
        if not len(goals):
            return
        q = self.states[numbers]
        np.add.at(self.used, goals, 1)
        self.goal = np.concatenate([self.goal, goals])
        self.state = np.concatenate([self.state, self.solver.start(q)])
        self.age = np.concatenate([self.age, np.zeros(len(goals), dtype=np.intp)])


def _repeated(steps: Steps, state: Floats, given: dict[str, Floats], count: int, threads: int | None) -> Floats:
    """Return states after so many steps; inputs are (states, entries), or (entries) for all of them."""
    results = np.empty((len(state), 1, state.shape[1]))
    wide = [
        np.broadcast_to(given[name][..., None, :], (len(state), count, given[name].shape[-1])) for name in steps.given
    ]
    steps([np.ascontiguousarray(state)], wide, [results], count, count, threads)
    return results[:, 0]


def _done(state: Floats) -> Truths:
    return np.asarray(state[:, -2] <= TOLERANCE**2)


def _stuck(error: Floats, before: Floats, age: Any, patience: Patience) -> Truths:
    """Tell which states are given up."""
    return np.asarray(((error > patience.part * before) & (age >= patience.least)) | (age >= patience.most))


def _progress(before: Floats, now: Floats) -> Floats:
    """Return by what part the first cost that changes has fallen; negative where it has risen."""
    found = np.zeros(len(before))
    for k in range(before.shape[1]):
        fall = before[:, k] - now[:, k]
        part = fall / np.maximum(np.abs(before[:, k]), 1e-12)
        clear = np.abs(fall) > 1e-9 * np.abs(before[:, k]) + 1e-26 if k < before.shape[1] - 1 else part != 0.0
        found = np.where((found == 0.0) & clear, part, found)
    return found


@lru_cache(maxsize=32)
def solver(robot: Robot, aims: tuple[Aim, ...], prefer: str, held: frozenset[str] = frozenset()) -> Solver:
    """Return the solver of a robot and its goals, made once."""
    return Solver(robot, aims, prefer, held)
