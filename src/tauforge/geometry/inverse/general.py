"""General arms of six joints: elimination, with up to 16 real solutions, and eigenvalues where the compiled way fails.

The way of Raghavan and Roth, for any mixture of joints that turn or slide. Round the loop, from any joint on, let the
joints be 1 to 6. A point p and a direction l on the axis of joint 6 do not notice its motion. Seen from the link
between joints 2 and 3, joints 3, 4, 5 carry them one way and joints 2, 1 the other. Fourteen of their functions,

    l,  p,  p·p,  p·l,  p × l,  (p·p) l - 2 (p·l) p,

have no other products of joints than those of three triples (1, cos, sin) on the first way and two on the second. For
a joint that slides the triple is (1, d, d²). The eight products of joints 1 and 2 are eliminated. Six equations are
left: quadratic in the half angle x = tan(q/2), or the position, of each of the joints 3, 4, 5. With their products by
one of these they are twelve, in twelve products of two: a matrix quadratic in the third is singular, a problem of 24
eigenvalues.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import ProgramError
from ...runtime.function import Function
from ...spatial.pose import Pose
from .beside import close
from .branches import SHARP, branches
from .chain import Floats, Motion
from .eliminate import Eliminated
from .loop import Loop, Way, ways
from .other_orders import Orders, candidates
from .plan import Step, plan
from .refine import Refined
from .result import Truths
from .states import States, distinct, exact, joined

if TYPE_CHECKING:
    from .arrange import Arm

UNKNOWNS = 6
IMAGINARY = 1e-2
"""Imaginary part, relative to 1 + |x|, of an eigenvalue that may be one of a real pair."""
NEARBY = 1e-6
"""Squared error of a state that is near a solution."""
LOT = 512
"""Poses that are solved at once."""


class Choice(NamedTuple):
    """The joints in the order in which they are 1 to 6 round the loop, forward or backward; which of the joints 3, 4, 5
    is the eigenvalue's; and angles to add.
    """

    order: tuple[int, ...]
    hidden: int
    offsets: tuple[float, ...]

    @property
    def kept(self) -> tuple[int, ...]:
        """The joints 3, 4, 5."""
        return self.order[2:5]


class Rest(NamedTuple):
    """How the three joints that are eliminated follow from the others: compiled, its steps, and other orders."""

    program: Function
    steps: tuple[Step, ...]
    orders: Orders


class General:
    """Candidates for all solutions of a general arm.

    Parameters
    ----------
    arm
        An arm with at most six unknown joints, including turns that the aim leaves free. If there are fewer, others are
        added; what they do not need to move for is a solution.
    """

    def __init__(self, arm: Arm) -> None:
        self.arm = arm
        self._traced = arm.chain.padded(UNKNOWNS + len(arm.held))
        self.chain = self._traced.numbers()
        self.size, self.centre = self.chain.size, self.chain.axes[0].o
        self.unknown = [k for k in range(len(self.chain.axes)) if k not in arm.held]

    @property
    def choice(self) -> Choice:
        """The choice that finds most solutions of some poses, most exactly."""
        return self._choice[0]

    @property
    def eliminated(self) -> Eliminated | None:
        """The way without eigenvalues, if there is one."""
        return self._choice[1]

    @cached_property
    def _choice(self) -> tuple[Choice, Eliminated | None]:
        from .best_choice import best_choice

        return best_choice(self)

    def explain(self) -> list[str]:
        order = [self.chain.axes[k].name for k in self.choice.order]
        hidden = order[2 + self.choice.hidden]
        how = f"{hidden}: an eigenvalue of a 24x24 matrix, real for each solution; at most 16."
        if self.eliminated is not None:
            how = f"{hidden}: zeros of a determinant, a wave of few frequencies in its angle; at most 16."
        return [
            f"1. {order[0]}, {order[1]} and {order[5]} are eliminated from 14 equations: 6 are left for the others.",
            f"2. {how}",
            "3. the two others of these: ratios in the vector that the matrix makes zero.",
            f"4. {order[0]}, {order[1]}, {order[5]}: closed form.",
            "Newton steps make each solution exact, and each is checked against the pose.",
        ]

    def solutions(self, newton: Function, T: Floats, near: Floats) -> tuple[Refined, Truths]:
        """Return all solutions of poses (k, 4, 4): by zeros of a determinant, or where these are unclear, by
        eigenvalues; and for which poses some may not have been told from each other.
        """
        blurred = np.zeros(len(T), dtype=bool)

        def solved(lot: slice) -> States:
            found, blurred[lot] = self._solved(newton, T[lot], near[lot])
            return found

        found = _together(solved, len(T), newton.inputs["q"][0])
        good = np.asarray(np.isfinite(found).all(axis=2))
        return Refined(found, good, np.zeros_like(good)), blurred

    def _solved(self, newton: Function, T: Floats, near: Floats) -> tuple[States, Truths]:
        found, blurred = self._separate(newton, T, near)
        if self._is_whole:  # then solutions come in pairs
            blurred = blurred | (np.bincount(found.pose, minlength=len(T)) % 2 != 0)
        return found, blurred

    @property
    def _is_whole(self) -> bool:
        """Whether no joints were added."""
        return len(self.arm.chain.axes) == len(self._traced.axes)

    def _separate(self, newton: Function, T: Floats, near: Floats) -> tuple[States, Truths]:
        """Return the solutions that can be told from each other, and for which poses there may be others."""
        if self.eliminated is None:
            states, several = self._by_eigenvalues(T, near, self.choice)
            return exact(newton, self.arm.chain, states, T), several
        quick = self.eliminated.candidates(T, near)
        found = exact(newton, self.arm.chain, quick.states, T)
        fewer = quick.unclear | (np.bincount(found.pose, minlength=len(T)) < quick.crossed)
        left = np.flatnonzero(fewer)
        if not len(left):
            return found, quick.touched
        states, several = self._by_eigenvalues(T[left], near[left], self.choice)
        more = exact(newton, self.arm.chain, states, T[left])
        known, sure = found.some(fewer[found.pose]), found.some(~fewer[found.pose])
        both = joined([known, States(more.q, left[more.pose])], found.q.shape[1])
        every = joined([sure, both.some(distinct(self.arm.chain, *both))], found.q.shape[1])
        count = np.bincount(every.pose, minlength=len(T))
        blurred = quick.touched | (count < quick.crossed * self._is_whole)
        blurred[left] |= quick.unclear[left] & (several | (count[left] == 0))
        return every, blurred

    def starts(self, newton: Function, T: Floats, near: Floats) -> Floats:
        """Return states (k, K, n) near solutions of poses (k, 4, 4): the solutions, or where joints were added,
        without which an arm does not reach such poses, candidates.
        """
        if self._is_whole:
            return self.solutions(newton, T, near)[0].q

        def both(lot: slice) -> States:
            lots = [self._by_eigenvalues(T[lot], near[lot], self.choice)[0]]
            if self.eliminated is not None:
                lots.append(self.eliminated.candidates(T[lot], near[lot]).states)
            return joined(lots, near.shape[1])

        return _together(both, len(T), near.shape[1])

    def candidates(self, T: Floats, near: Floats, choice: Choice | None = None) -> Floats:
        """Return candidates (k, K, n) for poses (k, 4, 4), by eigenvalues; NaN where there is none."""
        own = choice or self.choice
        return _together(lambda lot: self._by_eigenvalues(T[lot], near[lot], own)[0], len(T), near.shape[1])

    def _by_eigenvalues(self, T: Floats, near: Floats, choice: Choice) -> tuple[States, Truths]:
        """Return candidates, and for which poses two eigenvalues are almost the same."""
        x, several = _eigen(self._system(T, near, choice), choice.hidden)
        pose, root = np.nonzero(np.isfinite(x).all(axis=2))
        known = self._joints(x[pose, root], near[pose], choice)
        return self._completed(T, States(known, pose), choice.kept, 0.5)[0], several

    def _joints(self, x: Floats, near: Floats, choice: Choice) -> Floats:
        """Return states with the joints 3, 4, 5 round the loop at given tangents (k, 3)."""
        values = near.copy()
        for j, (k, offset) in enumerate(zip(choice.kept, choice.offsets, strict=True)):
            axis = self.chain.axes[k]
            turned = np.arctan(x[..., j])
            own = np.tan(turned + 0.5 * offset) * self.size if axis.slides else 2.0 * turned + offset
            values[..., axis.place] = own
        return values

    def _completed(self, T: Floats, known: States, joints: Sequence[int], second: float) -> tuple[States, Truths]:
        """Return states with the three other joints, from those with three known: the better of two branches, and the
        other ones if their errors are below a bound; and for which of the known ones no state is near a solution.

        Where a step leaves a joint undetermined, as does an angle between two axes that have become parallel, other
        orders are tried.
        """
        rest = self._rest(frozenset(joints))
        result = rest.program(T[known.pose], known.q, SHARP)
        error, row = np.where(np.isnan(result.error), np.inf, result.error), np.arange(len(known.q))
        best = error.argmin(axis=1)
        fine = error < second
        fine[row, best] = error[row, best] < 0.5
        which, branch = np.nonzero(fine)
        states = States(result.q[which, branch], known.pose[which])
        missed = ~(error[row, best] < NEARBY)
        free = np.flatnonzero(missed & (np.nan_to_num(result.free) > 0.0).any(axis=1))
        if not len(free):
            return states, missed
        bits = np.nan_to_num(result.free[free]).astype(int)
        pose = known.pose[free]
        starts, _ = candidates(rest.orders, rest.steps, T[pose], known.q[free], result.q[free], bits)
        lots = [
            States(np.concatenate(own), np.full(sum(map(len, own)), k))
            for k, own in zip(pose, starts, strict=True)
            if own
        ]
        missed[free] = [not any(map(len, own)) for own in starts]
        return joined([states, *lots], known.q.shape[1]), missed

    def _rest(self, joints: frozenset[int]) -> Rest:
        """Return the closed form for the three other joints."""
        kept = self.__dict__.setdefault("_rests", {})
        if joints not in kept:
            given = joints | self.arm.held
            own = plan(self._traced, given)
            if own is None:
                raise ProgramError(f"{self.arm.robot.name}: no way to solve for three joints, the others known")
            program = Function(branches(self.arm.robot, self._traced, own, given, "frame"), warn=False)
            kept[joints] = Rest(program, own.steps, Orders(self.arm.robot, self._traced, given, "frame"))
        found: Rest = kept[joints]
        return found

    def _system(self, T: Floats, near: Floats, choice: Choice) -> Floats:
        """Return the six equations as polynomials (k, 6, 3, 3, 3) of the joints 3, 4, 5 round the loop."""
        order = choice.order
        held = {k: self._motion(k, near[:, self.chain.axes[k].place, None]) for k in self.arm.held}
        grids = [self._grid(k, offset) for k, offset in zip(order[2:5], choice.offsets, strict=True)]
        left = self._values(_goal(T), held, self._ways(order)[0], order[5], order[2:5], [grid.at for grid in grids])
        right = self._right(T, near, order)
        left = left - right[:, :, :1, None, None]
        Q = self._eliminating(right[:, :, 1:])
        left = np.einsum("keijl,ia,jb,lc->keabc", left, *(grid.half for grid in grids), optimize=True)
        return np.asarray(np.einsum("ker,keabc->krabc", Q, left, optimize=True))

    def _right(self, T: Floats, near: Floats, order: Sequence[int]) -> Floats:
        """Return the coefficients (k, 14, 9) of products of the joints 1 and 2 round the loop."""
        held = {k: self._motion(k, near[:, self.chain.axes[k].place, None]) for k in self.arm.held}
        pair = [self._grid(k, 0.0) for k in order[:2]]
        right = self._values(_goal(T), held, self._ways(order)[1], order[5], order[:2], [grid.at for grid in pair])
        table = np.kron(pair[0].plain, pair[1].plain)
        return np.asarray(right.reshape(*right.shape[:2], 9) @ table)

    def _ways(self, order: Sequence[int]) -> tuple[Way, Way]:
        """Return the ways from the link between joints 2 and 3 to that between 5 and 6, through 3, 4, 5, and through
        2 and 1.
        """
        steps = [b - a for a, b in pairwise(order)]
        before = int(sum(np.sign(steps)) < 0)  # backward, the link before a joint is the one that follows in the chain
        direct, other = ways(len(self.chain.axes), order[2] + before, order[5] + before)
        return (direct, other) if any(k == order[2] for k, _ in direct) else (other, direct)

    def _eliminating(self, right: Floats) -> Floats:
        """Return six combinations of the equations (k, 14, 6) that are free of the products on the right."""
        Q, R = np.linalg.qr(right, mode="complete")
        if np.abs(np.diagonal(R[:, :8], axis1=1, axis2=2)).min() > 1e-6:
            return Q[:, :, 8:]
        U, sizes, _ = np.linalg.svd(right)
        rank = int((sizes > 1e-9).sum(axis=1).max())
        mixed = np.linalg.qr(np.random.default_rng(0).normal(size=(14 - rank, 14 - rank)))[0][:, :6]
        return np.asarray(U[:, :, rank:] @ mixed)

    def scale(self, k: int) -> float:
        """Return the length that is 1 in the equations for a joint that slides; 1 for angles."""
        return self.size if self.chain.axes[k].slides else 1.0

    def _motion(self, k: int, q: Floats) -> Motion:
        return Motion(d=q) if self.chain.axes[k].slides else Motion(np.cos(q), np.sin(q))

    def _grid(self, k: int, offset: float) -> Grid:
        return _sliding(offset) if self.chain.axes[k].slides else _turning(offset)

    def _values(
        self, goal: Pose, held: dict[int, Motion], way: Way, last: int, joints: Sequence[int], at: list[Floats]
    ) -> Floats:
        """Return the fourteen functions (k, 14, 3, 3, …) at three positions of each joint."""
        mesh = np.meshgrid(*at, indexing="ij")
        q = {k: grid.ravel()[None, :] * self.scale(k) for k, grid in zip(joints, mesh, strict=True)}
        loop = Loop(self.chain, goal, {**held, **{k: self._motion(k, own) for k, own in q.items()}})
        axis = self.chain.axes[last]
        h, p = (loop.carried(way, v, is_point) for v, is_point in ((axis.h, False), (axis.o, True)))
        shape = (len(np.asarray(goal.P[0])), mesh[0].size)
        L, P = (np.stack([np.broadcast_to(x, shape) for x in v], axis=1) for v in (h, p))
        P = (P - np.array(self.centre)[:, None]) / self.size
        return _fourteen(L, P).reshape(shape[0], 14, *mesh[0].shape)


def _goal(T: Floats) -> Pose:
    return Pose.of([T[:, i, j, None] for i in range(4) for j in range(4)])


def _together(solved: Callable[[slice], States], count: int, width: int) -> Floats:
    """Return the states of all lots of so many poses, (count, K, width); NaN where there is none."""
    parts = [(at, solved(slice(at, at + LOT))) for at in range(0, count, LOT)]
    return joined([States(own.q, own.pose + at) for at, own in parts], width).padded(count)


def _fourteen(L: Floats, P: Floats) -> Floats:
    pp, pl = (P * P).sum(axis=1, keepdims=True), (P * L).sum(axis=1, keepdims=True)
    return np.concatenate([L, P, pp, pl, np.cross(P, L, axis=1), pp * L - 2.0 * pl * P], axis=1)


class Grid(NamedTuple):
    """Three positions of a joint, and what makes coefficients of values there: of the triple, and of 1, x, x²."""

    at: Floats
    plain: Floats
    half: Floats


@cache
def _turning(offset: float) -> Grid:
    at = offset + np.array([0.0, 2.0, 4.0]) * np.pi / 3.0
    plain = np.linalg.inv(np.stack([np.ones(3), np.cos(at), np.sin(at)], axis=1)).T
    turned = at - offset
    own = np.linalg.inv(np.stack([np.ones(3), np.cos(turned), np.sin(turned)], axis=1)).T
    return Grid(at, plain, own @ np.array([[1.0, 0.0, 1.0], [1.0, 0.0, -1.0], [0.0, 2.0, 0.0]]))


@cache
def _sliding(offset: float) -> Grid:
    """Return the grid of a joint that slides to d = tan(atan(x) + offset/2): no solution is at infinity."""
    at = np.array([0.0, 1.0, -1.0])
    plain = np.linalg.inv(np.stack([np.ones(3), at, at * at], axis=1)).T
    c, s = np.cos(0.5 * offset), np.sin(0.5 * offset)
    turned = np.array([[c * c, -2.0 * c * s, s * s], [c * s, c * c - s * s, -c * s], [s * s, 2.0 * c * s, c * c]])
    return Grid(at, plain, plain @ turned)


def _eigen(system: Floats, hidden: int) -> tuple[Floats, Truths]:
    """Return real solutions (k, K, 3) of six polynomials (k, 6, 3, 3, 3), NaN where there is none; and where two are
    almost the same.
    """
    rest = [j for j in range(3) if j != hidden]
    S = np.moveaxis(system, 2 + hidden, 2)  # (k, 6, hidden, a, b)
    count = len(S)
    M = np.zeros((count, 3, 12, 4, 3))
    M[:, :, :6, :3] = np.moveaxis(S, 2, 1)
    M[:, :, 6:, 1:] = np.moveaxis(S, 2, 1)
    C, B, A = (M[:, k].reshape(count, 12, 12) for k in range(3))
    companion = np.zeros((count, 24, 24))
    companion[:, :12, 12:] = np.eye(12)
    try:
        companion[:, 12:] = -np.linalg.solve(A, np.concatenate([C, B], axis=2))
        x, v = np.linalg.eig(companion)
    except np.linalg.LinAlgError:
        if count > 1:
            found, several = zip(*(_eigen(own[None], hidden) for own in system), strict=True)
            return np.concatenate(found), np.concatenate(several)
        return np.full((count, 24, 3), np.nan), np.ones(count, dtype=bool)
    real = np.abs(x.imag) < IMAGINARY * (1.0 + np.abs(x))
    v = np.where((np.abs(x) > 1.0)[:, None], v[:, 12:], v[:, :12]).real.reshape(count, 4, 3, 24)
    a = _ratio(v[:, :-1].reshape(count, 9, 24), v[:, 1:].reshape(count, 9, 24))
    b = _ratio(v[:, :, :-1].reshape(count, 8, 24), v[:, :, 1:].reshape(count, 8, 24))
    every = np.empty((count, 24, 3))
    every[..., hidden], every[..., rest[0]], every[..., rest[1]] = x.real, a, b
    return np.where(real[..., None], every, np.nan), close(np.where(real, x.real + x.imag, np.nan))


def _ratio(low: Floats, high: Floats) -> Floats:
    """Return by what entries differ from those of one degree less, in the sense of least squares."""
    with np.errstate(all="ignore"):
        return np.asarray((low * high).sum(axis=1) / (low * low).sum(axis=1))
