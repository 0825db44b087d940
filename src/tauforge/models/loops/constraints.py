"""The loops as constraints on the axes of the tree: J q̇ = 0 and J q̈ = -J̇ q̇, without equations that say nothing new.

An equation that is the same combination of others in every state, of open loops too, can be left out once for all: the
others then have the rank of the whole in every state. That is so for planar linkages in space, and for parallel robots
whose platform cannot turn. It is found in numbers: such combinations are those of the rows of J in several states, side
by side. If the rest has full rank in closed states, their multipliers are unique wherever the mechanism is not
singular. Where it has not (Bricard, Sarrus, a bar on three parallel cranks), dependencies change from state to state,
no choice of equations is good in all of them, and all stay: see constrained_dynamics.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

import numpy as np
from numpy.typing import NDArray

from ...graph.node import Scalar, is_zero
from ...robot.body import Body
from ...robot.robot import Robot
from ...robot.scalars import randomised
from ..coordinates import Coordinates, Row
from ..state import Values
from .closure import rows, with_sides
from .freedom import DRAWS, RANK, freedom
from .newton import is_closed, newton
from .search import Group, Mechanism, mechanism_of

Floats = NDArray[np.float64]
ENOUGH = 16
"""How many closed states are enough to tell a rank."""
AWAY = 0.3
"""How far these are moved, in metres or radians, to leave singular ones."""
NEARLY = 0.3
"""Part of the largest row that suffices to be kept, in order of cost."""
WHOLE = 1e-9
"""What a coefficient may differ from 0, 1 or -1 before it is taken for that."""


@dataclass(frozen=True)
class Dependencies:
    """Which of the loops' equations are needed.

    Attributes
    ----------
    kept
        Numbers of the equations that are kept.
    spread
        All equations (rows) as combinations of those kept.
    settled
        For each kept one, whether those kept are independent wherever the mechanism is not singular.
    """

    kept: tuple[int, ...]
    spread: Floats
    settled: tuple[bool, ...]

    def least(self, multipliers: Sequence[Scalar]) -> list[Scalar]:
        """Return the multipliers of all equations that act as those of the kept ones do, with the least norm."""
        P = self.spread
        whole = P @ np.linalg.inv(P.T @ P) if P.size else P
        found = list[Scalar]()
        for row in whole:
            total: Scalar = 0.0
            for factor, x in zip(_rounded(row), multipliers, strict=True):
                if factor:
                    total = total + x * float(factor)
            found.append(total)
        return found


@dataclass(frozen=True)
class Constraints:
    """The equations that are kept, by degree of freedom of the tree.

    Attributes
    ----------
    J
        Their rows.
    drift
        J̇ q̇, one for each.
    dependencies
        How all follow from those kept.
    """

    robot: Robot
    J: list[Row]
    drift: list[Scalar]
    dependencies: Dependencies

    @classmethod
    def of(
        cls, robot: Robot, tree: Coordinates, q: Sequence[Values], qd: Sequence[Values] | None = None
    ) -> Constraints:
        """Return the constraints at a state; without velocities, the drift is zero."""
        J, rates = rows(robot, q, qd, whole=True)
        known = dependencies(robot)
        drift = [_product(rates[i], qd) if qd is not None else 0.0 for i in known.kept]
        return cls(robot, [tree.gathered_some(J[i]) for i in known.kept], drift, known)

    def rank(self, axes: Sequence[int] | None = None) -> int:
        """Return the rank of the kept equations, or of some of their columns, in a state that is not singular."""
        numeric = randomised(self.robot, Random(1))
        J = mechanism_of(numeric).equations(freedom(self.robot).q)[list(self.dependencies.kept)]
        return _rank(J if axes is None else J[:, list(axes)])


def labels(robot: Robot) -> tuple[str, ...]:
    """Return the names of all equations."""
    return tuple(f"{side.loop.joint.name}.{name}" for side in with_sides(robot)[1] for name in side.labels)


def dependencies(robot: Robot) -> Dependencies:
    """Return which of a robot's equations are needed; only its geometry matters."""
    bodies = tuple(Body(name=body.name) for body in robot.bodies)
    return _dependencies(robot.derived(bodies=bodies, tendons=(), frames=()))


@lru_cache(maxsize=64)
def _dependencies(robot: Robot) -> Dependencies:
    groups = list[list[int]]()
    everywhere: list[list[Floats]] = []
    ranks: list[set[int]] = []
    for draw in range(1, DRAWS + 1 if robot.symbols else 2):
        mechanism = mechanism_of(randomised(robot, Random(draw)))
        groups = [sorted(group.rows) for group in mechanism.groups]
        everywhere, ranks = everywhere or [[] for _ in groups], ranks or [set() for _ in groups]
        for k, group in enumerate(mechanism.groups):
            slopes, closed = _states(mechanism, group)
            everywhere[k] += [*slopes]
            ranks[k] |= {*map(_rank, closed)}
    count = len(labels(robot))
    kept, settled, spread = list[int](), list[bool](), list[Floats]()
    for numbers, each, found in zip(groups, everywhere, ranks, strict=True):
        beside = np.hstack(each)
        filled = [i for i in range(len(numbers)) if np.abs(beside[i]).max(initial=0.0) > RANK]
        some, P = _basis(beside, filled)
        steady = found == {len(some)}
        if not steady:
            some, P = filled, np.eye(len(numbers))[:, filled]
        whole = np.zeros((count, len(some)))
        whole[numbers] = P
        spread.append(whole)
        kept += [numbers[i] for i in some]
        settled += [steady] * len(some)
    order = np.argsort(kept, kind="stable")
    P = np.hstack([np.zeros((count, 0)), *spread])[:, order]
    return Dependencies(tuple(kept[i] for i in order), P, tuple(settled[i] for i in order))


def _states(mechanism: Mechanism, group: Group) -> tuple[Floats, Floats]:
    """Return the slopes of a group's equations in random states, and in closed ones near these."""
    left, random = mechanism.evaluator(group), np.random.default_rng(0)
    starts = mechanism.starts(group, random)
    q, error = newton(left, mechanism.step, np.vstack([mechanism.neutral, starts]), group.axes, enough=ENOUGH)
    q = q[is_closed(error)]
    return left(starts)[1], left(_beside(mechanism, group, q, random))[1]


def _beside(mechanism: Mechanism, group: Group, q: Floats, random: np.random.Generator) -> Floats:
    """Return closed states a small motion away: where the mechanism is singular in one of its states, as drawn in line
    for instance, those beside it are not.
    """
    left, axes = mechanism.evaluator(group), list(group.axes)
    J, v = left(q)[1], np.zeros((len(q), mechanism.axes))
    for own, slopes in zip(v, J, strict=True):
        free = np.linalg.svd(slopes[:, axes])[2][_rank(slopes) :]
        own[axes] = free.T @ random.uniform(-AWAY, AWAY, len(free))
    found, error = newton(left, mechanism.step, mechanism.step(q, v), group.axes)
    moved = is_closed(error)
    return np.concatenate([found[moved], q[~moved]])


def _basis(beside: Floats, filled: Sequence[int]) -> tuple[list[int], Floats]:
    """Return independent rows, and all rows as combinations of these; those with the most zeros first."""
    rest, chosen = beside.copy(), list[int]()
    least = RANK * max(1.0, float(np.abs(beside).max(initial=0.0))) * np.sqrt(beside.shape[1] or 1)
    left = sorted(filled, key=lambda i: (int((np.abs(beside[i]) > RANK).sum()), i))
    while left:
        sizes = np.linalg.norm(rest[left], axis=1)
        if sizes.max() <= least:
            break
        best = int(np.argmax(sizes >= NEARLY * sizes.max()))
        i = left.pop(best)
        unit = rest[i] / sizes[best]
        rest -= np.outer(rest @ unit, unit)
        chosen.append(i)
    chosen.sort()
    P = np.linalg.lstsq(beside[chosen].T, beside.T, rcond=None)[0].T if chosen else np.zeros((len(beside), 0))
    return chosen, np.array([_rounded(row) for row in P]).reshape(P.shape)


def _rounded(row: Floats) -> Floats:
    near = np.round(row)
    found: Floats = np.where(np.abs(row - near) < WHOLE, near, row)
    return found


def _rank(J: Floats) -> int:
    s = np.linalg.svd(J, compute_uv=False)
    return int((s > RANK * max(1.0, s.max(initial=0.0))).sum())


def _product(row: Row, qd: Sequence[Values]) -> Scalar:
    axes, total = [x for own in qd for x in own], 0.0
    found: Scalar = total
    for axis, x in row.items():
        if not is_zero(axes[axis]) and not is_zero(x):
            found = found + x * axes[axis]
    return found
