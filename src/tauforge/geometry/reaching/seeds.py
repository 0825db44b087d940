"""States from which to start: the neutral one, and random ones within the limits."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...models.configuration import integrate
from ...robot.entries import owners
from ...robot.robot import Robot
from ...runtime.function import Function
from ..close_loops import close_loops
from .bounds import Bounds

Floats = NDArray[np.float64]
SPREAD, LOOPED = np.pi, 1.0
"""How far joints without limits start from the neutral state, in radians and metres; with closed loops, all joints."""
NEAR = 0.1
"""How far from the neutral state the first start is, in metres and radians."""
BLOCK = 16
"""Random starts that are made at once."""


class Seeds:
    """Where the states of a robot start."""

    def __init__(self, robot: Robot, tree: Robot, bounds: Bounds) -> None:
        self.robot, self.tree, self.bounds = robot, tree, bounds

    @cached_property
    def middle(self) -> Floats:
        """The neutral state, with the loops closed."""
        whole = self.tree.expanded()
        neutral = [x for j in owners(whole) for x in whole.joints[j - 1].kind.neutral]
        return close_loops(self.robot) if self.robot.loops else np.array(neutral, dtype=float)

    @cached_property
    def step(self) -> Function:
        return integrate(self.tree).compile()

    def neutral(self, kept: bool) -> Floats:
        """Return the neutral state, within the limits if these are kept."""
        found = self.middle.copy()
        if kept:
            places = self.bounds.places
            found[places] = np.clip(found[places], self.bounds.lower, self.bounds.upper)
        return found

    def random(self, random: np.random.Generator, count: int, kept: bool, spread: float | None = None) -> Floats:
        """Return random states; joints with limits are anywhere within them if these are kept."""
        spread = spread or (LOOPED if self.robot.loops else SPREAD)
        v = random.uniform(-spread, spread, (count, len(self.bounds.places)))
        q = np.asarray(self.step(self.middle, v))
        both = np.isfinite(self.bounds.lower) & np.isfinite(self.bounds.upper)
        if kept and both.any() and not self.robot.loops:
            low, high = self.bounds.lower[both], self.bounds.upper[both]
            q[:, self.bounds.places[both]] = random.uniform(low, high, (count, int(both.sum())))
        if kept:
            some = np.isfinite(self.bounds.lower) | np.isfinite(self.bounds.upper)
            places = self.bounds.places[some]
            q[:, places] = np.clip(q[:, places], self.bounds.lower[some], self.bounds.upper[some])
        return q

    def near(self, random: np.random.Generator, q: Floats, far: float) -> Floats:
        """Return states near given ones, all moved alike, so that none depends on how many others there are."""
        return np.asarray(self.step(q, random.uniform(-far, far, len(self.bounds.places))))

    def centre(self, q: Floats) -> Floats:
        """Return states with the joints that have two limits midway between them."""
        both = np.isfinite(self.bounds.lower) & np.isfinite(self.bounds.upper)
        found = q.copy()
        found[:, self.bounds.places[both]] = 0.5 * (self.bounds.lower[both] + self.bounds.upper[both])
        return found


class Starts:
    """Random states by their number, the same for every goal, whatever others are in its batch.

    The first is near the neutral state, which may be singular itself.
    """

    def __init__(self, seeds: Seeds, random: np.random.Generator, kept: bool) -> None:
        self.seeds, self.random, self.kept = seeds, random, kept
        self.states = seeds.near(random, seeds.neutral(kept)[None], NEAR)
        if kept:
            places = seeds.bounds.places
            self.states[:, places] = np.clip(self.states[:, places], seeds.bounds.lower, seeds.bounds.upper)

    def __getitem__(self, numbers: NDArray[np.intp]) -> Floats:
        lacking = int(numbers.max(initial=0)) + 1 - len(self.states)
        more = [self.seeds.random(self.random, BLOCK, self.kept) for _ in range(-(-lacking // BLOCK))]
        if more:  # in whole blocks, so that which states come next does not depend on who asks
            self.states = np.concatenate([self.states, *more])
        return self.states[numbers]
