"""In which order to solve for the joints, and by which equations: the cheapest order, found from the axes alone.

Which joints an equation depends on is measured at random states, so that no list of kinds of arms is needed: spherical
wrists, parallel axes and sliding joints, wherever they are, show in equations with one unknown.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, count
from typing import TYPE_CHECKING, Any

import numpy as np

from ...spatial.pose import Pose
from ...spatial.vector import Vector, cross, dot
from .chain import Chain, Floats, Motion
from .loop import ANGLE, DISTANCE, GOAL, PLANE, Equation, Feature, Loop, Way, features, ways

if TYPE_CHECKING:
    from .arm_angle import Shoulder

EXACT = 1e-10
"""How much an equation may change with a joint, relative to the arm's size, if it does not depend on it."""
CLEARLY = 1e-2
"""How much it must change with the joint that it is to give."""
SAMPLES = 3
"""How many random states are tried."""


@dataclass(frozen=True)
class Carry:
    """A feature seen from both sides of a joint: the joint's motion brings the first view to the second."""

    feature: Feature
    beyond: Way
    before: Way

    def __str__(self) -> str:
        return f"{self.feature.name} seen from both sides"


@dataclass(frozen=True)
class Slide:
    """Where a joint must slide if all that turn are known: others that slide still move the frame along directions."""

    others: tuple[int, ...]

    def __str__(self) -> str:
        return "position across the other sliding joints"


@dataclass(frozen=True)
class Step:
    """How one joint is solved for.

    Attributes
    ----------
    joint
        Its number in the chain, from 0.
    equation
        A measure with two solutions as a rule, or a feature that is carried, with one.
    needs
        The joints that must be known before.
    branches
        How many solutions it has.
    steady
        Whether no goal leaves the joint undetermined.
    part
        The shoulder, if its loop is used and not that of the whole arm.
    """

    joint: int
    equation: Equation | Carry | Slide
    needs: frozenset[int]
    branches: int
    steady: bool = False
    part: Shoulder | None = None

    @property
    def cost(self) -> float:
        """What counts in the choice: the number of branches before all, then what must be computed."""
        kind = 0.0 if isinstance(self.equation, Carry) else 0.3
        if isinstance(self.equation, Equation):
            kind = 0.3 if self.equation.kind == DISTANCE else 0.2
        return 100.0 * float(np.log2(self.branches)) + kind + 0.01 * len(self.needs) + 0.1 * (not self.steady)


@dataclass(frozen=True)
class Plan:
    """Steps in order, and how exactly the arm has the geometry that they assume, in metres or radians."""

    steps: tuple[Step, ...]
    tolerance: float

    @property
    def branches(self) -> int:
        return int(np.prod([step.branches for step in self.steps], dtype=int))

    @property
    def is_exact(self) -> bool:
        return self.tolerance <= EXACT


def plan(
    chain: Chain, given: frozenset[int], tolerance: float = EXACT, steps: Sequence[Step] | None = None
) -> Plan | None:
    """Return the cheapest order in which equations with one unknown give all joints; None if there is none.

    Parameters
    ----------
    given
        Numbers of joints whose position is known.
    tolerance
        By how much axes may miss each other that are taken to meet, relative to the arm's size.
    steps
        The arm's possible steps, if they are known.
    """
    options = possible(chain, tolerance) if steps is None else steps
    every = frozenset(chain.real)
    queue: list[tuple[float, int, frozenset[int], tuple[Step, ...]]] = [(0.0, 0, given, ())]
    ticket, done = count(1), set[frozenset[int]]()
    while queue:
        cost, _, known, taken = heapq.heappop(queue)
        if known >= every:
            return Plan(taken, tolerance)
        if known in done:
            continue
        done.add(known)
        for step in options:
            if step.joint not in known and step.needs <= known:
                heapq.heappush(queue, (cost + step.cost, next(ticket), known | {step.joint}, (*taken, step)))
    return None


def rank(chain: Chain, joints: Sequence[int]) -> int:
    """Return how many of the frame's freedoms some joints have together, at a random state."""
    numbers, random = chain.numbers(), np.random.default_rng(3)
    motions = dict[int, Motion]()
    for k, axis in enumerate(numbers.axes):
        q = float(random.uniform(-2.0, 2.0))
        motions[k] = Motion(d=q) if axis.slides else Motion(float(np.cos(q)), float(np.sin(q)))
    loop, columns, scale = Loop(numbers, numbers.end, motions), list[list[float]](), 1.0 / numbers.size
    for k in joints:
        axis, way = numbers.axes[k], ways(len(numbers.axes), 0, k)[0]
        h, o = loop.carried(way, axis.h, False), loop.carried(way, axis.o, True) - numbers.axes[0].o
        columns.append([*h, 0.0, 0.0, 0.0] if axis.slides else [*(cross(o, h) * scale), *h])
    return int(np.linalg.matrix_rank(np.array(columns).T, tol=1e-7)) if columns else 0


class Probe:
    """An arm at random states, in which one joint after another is moved.

    Attributes
    ----------
    loop
        The loop with arrays in the place of scalars: an entry for each state, then for each of its joints moved. Its
        goal is any pose.
    closed
        The same with the goal where the frame is in each state.
    """

    def __init__(self, numbers: Chain, seed: int = 0) -> None:
        n, random = len(numbers.axes), np.random.default_rng(seed)
        start, other = (random.uniform(-2.0, 2.0, (n, SAMPLES, 1)) + np.zeros((n, SAMPLES, n + 1)) for _ in range(2))
        q = start.copy()
        for k in range(n):
            q[k, :, k + 1] += random.uniform(0.5, 1.5, SAMPLES)
        self.size, self.count, self.shape = numbers.size, n, (SAMPLES * (n + 1),)
        motions = {k: self._motion(numbers, k, q[k].ravel()) for k in range(n)}
        goals = ({k: self._motion(numbers, k, at[k].ravel()) for k in range(n)} for at in (other, start))
        self.loop, self.closed = (Loop(numbers, placed(numbers, goal), motions) for goal in goals)

    def _motion(self, chain: Chain, k: int, q: Floats) -> Motion:
        return Motion(d=q * self.size) if chain.axes[k].slides else Motion(np.cos(q), np.sin(q))

    def dependence(self, x: Any, scale: float) -> Floats:
        """Return how much a quantity changes with each joint, and last how large it is, relative to a scale."""
        x = np.broadcast_to(np.asarray(x, dtype=float), self.shape).reshape(SAMPLES, -1)
        return np.append(np.abs(x[:, 1:] - x[:, :1]).max(axis=0), np.abs(x).max()) / scale


def placed(chain: Chain, motions: dict[int, Motion]) -> Pose:
    """Return the pose of the frame for motions of all joints."""
    loop = Loop(chain, chain.end, motions)
    whole = ways(len(chain.axes), 0, len(chain.axes))[0]
    columns = [loop.carried(whole, Vector(*(row[k] for row in chain.end.R.rows)), False) for k in range(3)]
    P = loop.carried(whole, chain.end.P, True)
    return Pose.of([x for i in range(3) for x in (*(column[i] for column in columns), P[i])])


def possible(chain: Chain, tolerance: float) -> list[Step]:
    """Return all steps that equations with one unknown allow."""
    return [*_options(chain, tolerance)]


def _options(chain: Chain, tolerance: float) -> Iterator[Step]:
    numbers = chain.numbers()
    probe = Probe(numbers)
    near = features(numbers, numbers, tolerance * probe.size)
    mine = features(chain, numbers, tolerance * probe.size)
    own = dict(zip(near, mine, strict=True))
    for equation in _equations(near):
        scale = 1.0 if equation.kind == ANGLE else probe.size if equation.kind == PLANE else probe.size**2
        depends = probe.dependence(equation.difference(probe.loop), scale)[:-1] > tolerance
        tells = probe.dependence(equation.difference(probe.closed), scale)[:-1] > CLEARLY
        traced = Equation(equation.kind, own[equation.first], own[equation.second])
        for k in map(int, np.flatnonzero(depends & tells)):
            single = numbers.axes[k].slides and equation.kind == PLANE
            needs = frozenset(map(int, np.flatnonzero(depends))) - {k}
            yield Step(k, traced, needs, 1 if single else 2)
    yield from _slides(probe)
    for k, axis in enumerate(numbers.axes):
        for feature in near:
            if feature.is_point or not axis.slides:
                yield from _carried(probe, k, feature, own[feature], tolerance)


def _slides(probe: Probe) -> Iterator[Step]:
    """Yield steps for joints that slide, after all that turn."""
    chain = probe.loop.chain
    sliding = [k for k, axis in enumerate(chain.axes) if axis.slides]
    for k in sliding:
        rest = [j for j in sliding if j != k]
        for others in (*combinations(rest, 1), *combinations(rest, 2)):
            alone = np.asarray(dot(probe.loop.across(k, others), chain.axes[k].h))
            if np.abs(alone).max() > CLEARLY:
                yield Step(k, Slide(others), frozenset(range(len(chain.axes))) - {k, *others}, 1)


def _equations(found: list[Feature]) -> Iterator[Equation]:
    directions = [x for x in found if not x.is_point and x.name.startswith("z")]
    points = [x for x in found if x.is_point]
    for i, a in enumerate(directions):
        yield from (Equation(ANGLE, a, b) for b in directions[i + 1 :])
        yield from (Equation(PLANE, a, b) for b in points)
    for i, a in enumerate(points):
        yield from (Equation(DISTANCE, a, b) for b in points[i + 1 :])


def _carried(probe: Probe, k: int, feature: Feature, traced: Feature, tolerance: float) -> Iterator[Step]:
    """Yield the step that carries a feature by joint k, if it has one."""
    n, axis, loop = probe.count, probe.loop.chain.axes[k], probe.loop
    after = feature.link > k
    beyond = ways(n, k + 1, feature.link)[not after]
    before = ways(n, k, feature.link)[after]
    v = loop.carried(beyond, feature.vector, feature.is_point)
    w = loop.carried(before, feature.vector, feature.is_point)
    scale = probe.size if feature.is_point else 1.0
    steady = np.stack([probe.dependence(x, scale) for x in v]).max(axis=0)[:-1] <= tolerance
    depends = np.stack([probe.dependence(x, scale) for x in (*v, *w)]).max(axis=0)[:-1] > tolerance
    needs = frozenset(map(int, np.flatnonzero(depends)))
    if k in needs:
        return
    if not axis.slides:
        v = probe.closed.carried(beyond, feature.vector, feature.is_point)
        arm = cross(axis.h, v - axis.o if feature.is_point else v)
        if max(float(np.abs(np.broadcast_to(x, probe.shape)[:: n + 1]).max()) for x in arm) <= CLEARLY * scale:
            return  # on the axis, where the joint does not move it
    same = bool(steady.all()) and all(j != GOAL for j, _ in beyond)
    yield Step(k, Carry(traced, beyond, before), needs, 1, axis.slides or same)
