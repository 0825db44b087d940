"""Poses at which a step determines nothing although the pose determines its joint: other orders of solving.

Where a tool comes to lie along the first axis, for instance, the angle between both no longer depends on the joints
between them, but a height still does. Each order is complete at the poses at which all its steps determine their
joints, so orders without the steps that fail are tried until one has none. Where every order fails on a branch, that
branch's free joint is moved all around, the others follow, and solutions are near where the error that is left is
least.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from ...errors import ProgramError
from ...program.array import inputs, outputs
from ...program.program import Program
from ...robot.robot import Robot
from ...runtime.function import Function
from ...spatial.pose import Pose
from .branches import BLURRED, HOPELESS, branches, goal, motion
from .chain import REST, Chain, Floats
from .choose import TURN
from .loop import Loop
from .plan import EXACT, Plan, Step, plan, possible
from .refine import GOOD, Refined, merged, refine
from .result import Truths
from .solve import solutions

if TYPE_CHECKING:
    from .arm import InverseGeometry

ROUNDS = 16
"""Orders that are tried for a pose."""
PLACES, FINER, MIXED = 64, (16, 16), 8
"""Positions of a joint that no order determines, all around; finer ones, twice, about the best of these; and times as
many if there are several such joints.
"""
WORTH = 1.0
"""Squared errors above which no solution is near."""
BEST = 16
"""Positions of a branch's joint that are looked at more closely: as many as an arm can have solutions."""
ORDERS = 32
"""Compiled orders that are kept."""


@final
class Orders:
    """The orders in which an arm can be solved, apart from those with some steps.

    Parameters
    ----------
    held
        Numbers of the joints that are known.
    """

    def __init__(self, robot: Robot, chain: Chain, held: frozenset[int], frame: str) -> None:
        self._robot, self._chain, self._held, self._frame = robot, chain, held, frame
        self.steps = tuple(possible(chain, EXACT))
        self.without = lru_cache(256)(self._without)
        self.compiled = lru_cache(ORDERS)(self._compiled)
        self.checked = lru_cache(ORDERS)(self._checked)

    def _without(self, excluded: frozenset[int]) -> Plan | None:
        """Return the cheapest order without some steps; None if there is none."""
        steps = [step for k, step in enumerate(self.steps) if k not in excluded]
        return plan(self._chain, self._held, EXACT, steps)

    def _compiled(self, excluded: frozenset[int]) -> Function:
        order = self.without(excluded)
        assert order is not None
        return Function(branches(self._robot, self._chain, order, self._held, self._frame), warn=False)

    def failing(self, order: Sequence[Step], joint: int, T: Floats, q: Floats) -> list[frozenset[int]]:
        """Return the steps that determine nothing at poses (k, 4, 4), once the joints before one in an order are known,
        as they are in states (k, n): that one's own, and all others that could be taken there.
        """
        place = [step.joint for step in order].index(joint)
        own = frozenset({self.steps.index(order[place])})
        options, check = self.checked(self._held | {step.joint for step in order[:place]})
        with np.errstate(all="ignore"):
            free = check(T, q) > 0.0
        return [own | {options[k] for k in np.flatnonzero(flags)} for flags in free]

    def _checked(self, known: frozenset[int]) -> tuple[list[int], Function]:
        """Return the steps that can be taken once some joints are known, and ``T, q -> free``: whether each of these
        leaves its joint undetermined.
        """
        T, q = goal(self._frame), inputs("q", self._robot.coordinate_names, "state")
        loop = Loop(self._chain, Pose.of(T.nodes), {k: motion(self._chain, k, q) for k in known})
        options = [k for k, step in enumerate(self.steps) if step.joint not in known and step.needs <= known]
        free = [solutions(loop, self.steps[k], REST, BLURRED, (1.0,))[0].free for k in options]
        labels = [str(k) for k in options]
        results = {"free": outputs(free, [len(free)], [labels], "1 for each step that determines nothing")}
        return options, Function(Program(f"{self._robot.name}_checks", {"T": T, "q": q}, results), warn=False)


def by_other_orders(ik: InverseGeometry, T: Floats, near: Floats, free: NDArray[np.intp]) -> tuple[Refined, Truths]:
    """Return the solutions of poses (k, 4, 4) by orders whose steps determine their joints, and for which poses there
    is no such order.

    Parameters
    ----------
    free
        The joints that the arm's own order leaves undetermined, as bits, by branches (k, K).
    """
    assert ik._arm.plan is not None
    with np.errstate(all="ignore"):
        q = ik._compiled(T, near, BLURRED).q
    starts, lost = candidates(ik._orders, ik._arm.plan.steps, T, near, q, free)
    return refine(ik._newton, ik._arm.chain, T, _stacked(starts, near.shape[1])), lost


def candidates(
    orders: Orders, first: Sequence[Step], T: Floats, near: Floats, q: Floats, free: NDArray[np.intp]
) -> tuple[list[list[Floats]], Truths]:
    """Return candidates for each of the poses (k, 4, 4), by orders whose steps determine their joints, and for which
    poses there is no such order.

    Parameters
    ----------
    first
        The order that has failed.
    near
        States (k, n) with the joints that are known.
    q, free
        Its states (k, K, n), and the joints that it leaves undetermined, as bits (k, K).
    """
    excluded = [frozenset[int]()] * len(T)
    starts: list[list[Floats]] = [[] for _ in T]
    left = _excluding(orders, first, np.arange(len(T)), T, q, free, excluded)
    lost = np.zeros(len(T), dtype=bool)
    for _ in range(ROUNDS):
        groups = dict[frozenset[int], list[int]]()
        for k in left:
            groups.setdefault(excluded[k], []).append(k)
        left = []
        for key, rows in groups.items():
            order, some = orders.without(key), np.array(rows)
            if order is None:
                lost[some] = True
                continue
            with np.errstate(all="ignore"):
                result = orders.compiled(key)(T[some], near[some], BLURRED)
                bits = np.nan_to_num(result.free).astype(int)
            for k, states, error in zip(rows, result.q, result.error, strict=True):
                starts[k].append(states[(error < HOPELESS) & np.isfinite(states).all(axis=1)])
            left += _excluding(orders, order.steps, some, T, result.q, bits, excluded)
        if not left:
            break
    lost[left] = True
    return starts, lost


def _excluding(
    orders: Orders,
    order: Sequence[Step],
    some: NDArray[np.intp],
    T: Floats,
    q: Floats,
    bits: NDArray[np.intp],
    excluded: list[frozenset[int]],
) -> list[int]:
    """Exclude the steps that fail at poses, up to the first one that an order takes; return the numbers of the poses
    that have any.
    """
    every, failed = np.bitwise_or.reduce(bits, axis=1), list[int]()
    for step in order:
        mine = np.flatnonzero(every >> step.joint & 1)
        if not len(mine):
            continue
        branch = np.argmax(bits[mine] >> step.joint & 1, axis=1)
        fails = orders.failing(order, step.joint, T[some[mine]], q[mine, branch])
        for k, steps in zip(some[mine].tolist(), fails, strict=True):
            excluded[k] |= steps
            failed.append(k)
        every[mine] = 0
    return failed


def all_around(ik: InverseGeometry, T: Floats, near: Floats, free: NDArray[np.intp]) -> Refined:
    """Return solutions of poses (k, 4, 4) from positions all around of the joints that branches leave undetermined,
    given as bits (k, K), and by elimination.
    """
    chain, n = ik._arm.chain, near.shape[1]
    random, several = np.random.default_rng(2), bool((free & (free - 1)).any())
    starts: list[list[Floats]] = [[] for _ in T]
    for mix in range(MIXED if several else 1):
        shift = np.asarray(random.uniform(0.0, TURN, n)) if mix else np.zeros(n)
        speed = random.choice([-2, -1, 1, 2], n) if mix else np.ones(n)
        pose, branch = (x.ravel() for x in np.indices(free.shape))
        some = free.ravel() != 0
        pose, branch, turn, width = pose[some], branch[some], np.full(some.sum(), np.pi), np.pi
        for parts in (PLACES, *FINER):
            around: Floats = np.add.outer(turn, width * np.linspace(-1.0, 1.0, parts + 1))
            q, error = np.empty((*around.shape, n)), np.empty(around.shape)
            for k in range(parts + 1):
                state = near[pose].copy()
                for axis in ik._free:
                    own = shift[axis.place] + speed[axis.place] * around[:, k]
                    state[:, axis.place] = chain.size * np.tan(0.49 * (own % TURN - np.pi)) if axis.slides else own
                with np.errstate(all="ignore"):
                    result = ik._compiled(T[pose], state, BLURRED)
                q[:, k], error[:, k] = (
                    result.q[np.arange(len(pose)), branch],
                    result.error[np.arange(len(pose)), branch],
                )
            item, place = _lowest(error, pose * free.shape[1] + branch)
            pose, branch, turn, width = pose[item], branch[item], around[item, place], 2.0 * width / parts
        for k, state in zip(pose, q[item, place], strict=True):
            starts[k].append(state[None])
    scanned = refine(ik._newton, chain, T, _stacked(starts, n))
    try:
        eliminated, _ = ik._general.solutions(ik._newton, T, near)
    except ProgramError:  # an arm that cannot be solved by elimination
        return scanned
    return merged(chain, Refined(*(np.concatenate(x, axis=1) for x in zip(scanned, eliminated, strict=True))))


def _lowest(error: Floats, branch: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return rows and places near which squared errors (rows, places) are least, the best ones of each branch (rows).

    Where the error is least all along a way, only its start counts: a joint that can be anywhere has solutions
    everywhere, and one that changes nothing has the same error everywhere.
    """
    error = np.where(np.isfinite(error), np.maximum(error, GOOD**2), np.inf)
    beside = np.pad(error, ((0, 0), (1, 1)), constant_values=np.inf)
    item, place = np.nonzero((error < beside[:, :-2]) & (error <= beside[:, 2:]) & (error < WORTH))
    order = np.lexsort((error[item, place], branch[item]))
    own = branch[item][order]
    kept = order[np.arange(len(own)) - np.searchsorted(own, own) < BEST]
    return item[kept], place[kept]


def _stacked(starts: list[list[Floats]], width: int) -> Floats:
    """Return states of several poses as (k, K, n); NaN where there is none."""
    joined = [np.concatenate([np.empty((0, width)), *own]) for own in starts]
    found = np.full((len(starts), max((len(own) for own in joined), default=0), width), np.nan)
    for k, own in enumerate(joined):
        found[k, : len(own)] = own
    return found
