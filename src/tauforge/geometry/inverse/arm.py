"""Inverse geometry: every state in which a frame has a pose, for any arm of joints that turn or slide."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ProgramError
from ...models.loops.freedom import neutral
from ...models.registry import check_robot
from ...models.routes import tip
from ...program.program import Program
from ...robot.robot import Robot
from ...runtime.function import Function
from ..reach import bounds
from ..task import FARTHEST, Task, check_aim, finite
from .arm_angle import ARM_ANGLE, with_arm_angle
from .arrange import Arm, arranged, checked, fixed_joints
from .beside import with_others
from .branches import HOPELESS, MISSED, WEAK, branches
from .chain import Axis, Chain, Floats
from .choose import Range, chosen
from .explain import explained, headed, kind_of
from .family import around, representatives
from .general import General
from .nearest import nearest_states
from .newton import newton
from .one_pose import OnePose
from .other_orders import Orders
from .plan import Plan, rank
from .quick import ROTATION, Quick, fits
from .reasons import reasons
from .refine import GOOD, Refined, joined, nearest_rotations, refine
from .result import Found, Solutions, Truths, compacted

if TYPE_CHECKING:
    from .derivation import Derivation
    from .parallel import ParallelGeometry

LOT = 1024
"""Poses that are solved at once, so that intermediate results stay in the processor's cache."""
DOUBT = 30.0
"""How many times the distance by which axes miss each other is near enough to a singular pose to lose solutions."""
WINDINGS = 1e5
"""The largest angle near which solutions are given, in radians: doubles are 1e-11 apart there."""
SAMPLES, MOST_SAMPLES = 16, 1_000_000
"""Positions of each joint that is sampled, unless you say otherwise; and how many states these may have together."""


@final
class InverseGeometry:
    """Every state in which a frame has a pose. Call it with poses; ``kind`` and ``explain()`` say how it solves.

    Attributes
    ----------
    robot
        The robot.
    frame
        The frame that is to have the poses.
    aim
        What a pose prescribes.
    fixed
        What is not solved for, by name.
    kind
        The kind of arm, in a few words.
    """

    def __init__(self, robot: Robot, frame: str, fixed: Mapping[str, ArrayLike] | None, aim: str, samples: int) -> None:
        check_robot(robot)
        check_aim(frame, aim)
        self.robot, self.frame, self.aim = robot, frame or tip(robot), aim
        chain = Chain.of(robot, self.frame, aim)
        if not chain.real:
            raise ProgramError(f"{robot.name} has no joint that moves {self.frame!r}")
        self.fixed = fixed_joints(chain, fixed or {})
        if ARM_ANGLE in self.fixed:
            if len(self.fixed) > 1:
                raise ProgramError(f"{robot.name}: with its arm angle given, no joint can be fixed")
            self._arm, self._sampled = (
                Arm(robot, chain, frozenset(), with_arm_angle(robot.name, chain)),
                tuple[str, ...](),
            )
        else:
            self._arm, self._sampled = arranged(robot, chain, self.fixed)
        if samples ** len(self._sampled) > MOST_SAMPLES:
            raise ProgramError(
                f"samples={samples!r} for each of {', '.join(self._sampled)} make more than {MOST_SAMPLES:,} states"
            )
        free = [k for k, axis in enumerate(chain.axes) if axis.name not in self.fixed]
        self._samples, self._is_short = samples, rank(chain, free) < 6
        self._general = General(self._arm)
        self._range = Range.of(self._arm)
        self.kind = kind_of(self._arm, self._sampled)

    @cached_property
    def _rest(self) -> Floats:
        """Where joints are that nothing is said about: at zero, and those with several coordinates at rest."""
        return neutral(self.robot.expanded())

    @property
    def _free(self) -> list[Axis]:
        """The joints that are solved for."""
        return [self._arm.chain.axes[k] for k in self._arm.chain.real if k not in self._arm.held]

    @cached_property
    def _task(self) -> Task:
        return Task(self.robot, self.frame, self.aim)

    @cached_property
    def _newton(self) -> Function:
        return newton(self.robot, self._arm.chain, self._arm.held)

    @property
    def _is_exact(self) -> bool:
        """Whether the arm has an order of solving without any approximation."""
        return self._arm.plan is not None and self._arm.plan.is_exact

    @cached_property
    def _orders(self) -> Orders:
        """The other orders in which the arm can be solved."""
        return Orders(self.robot, self._arm.chain, self._arm.held, self.frame)

    @property
    def program(self) -> Program:
        """The Program ``T, near, blur -> q, valid, doubt, …``: all branches of the closed form, and flags."""
        if self._arm.plan is None or not self._arm.plan.is_exact:
            raise ProgramError(
                f"{self.robot.name}: this arm ({self.kind}) has no exact closed form that could become a Program; "
                "ik(T) computes its solutions"
            )
        return self._branches

    @cached_property
    def _branches(self) -> Program:
        assert self._arm.plan is not None
        return headed(branches(self.robot, self._arm.chain, self._arm.plan, self._arm.held, self.frame), self.robot)

    @cached_property
    def _compiled(self) -> Function:
        return self._branches.compile()

    def explain(self) -> str:
        """Return how the arm is solved, step by step."""
        return explained(self)

    def equations(self) -> Derivation:
        """Return the derivation of the solutions, step by step: equations, their types, solutions and conditions."""
        from .tell import derived

        return derived(self)

    def __repr__(self) -> str:
        return f"InverseGeometry({self.robot.name!r}, frame={self.frame!r}: {self.kind})"

    def __call__(
        self,
        T: ArrayLike,
        near: ArrayLike | None = None,
        *,
        limits: bool = True,
        turns: bool = False,
        nearest: bool | None = None,
        fixed: Mapping[str, ArrayLike] | None = None,
        threads: int | None = None,
    ) -> Solutions:
        """Return all states in which the frame has given poses.

        Parameters
        ----------
        T
            Poses relative to the base, (..., 4, 4); with ``aim="position"`` also points, (..., 3).
        near
            States (..., robot.coordinate_names). Solutions are sorted by their distance from it, angles are the nearest
            to its own, and joints that can be anywhere, or do not move the frame, stay where they are there.
        limits
            Whether to leave out solutions that cannot be within the joints' limits.
        turns
            Whether to give every solution within the limits that differs by whole turns; a joint without limits turns
            at most once around.
        nearest
            Whether a pose without a solution gets the state that comes nearest to it. By default this is done for
            arms with fewer joints than the aim prescribes, which meet few poses.
        fixed
            Positions of fixed joints, numbers or arrays (...), in the place of those given before.
        threads
            How many threads share the batch.
        """
        if near is None and fixed is None and not turns and type(T) is np.ndarray and T.shape == (4, 4):
            quick = self._quick_within_limits if limits else self._quick_anywhere
            if quick and (q := quick(T)) is not None and (len(q) or self._is_plain(T, nearest)):
                return Solutions(q, _no_reason if len(q) else partial(self._why_not, T, limits))
        leading, flat, around = _together(self._poses(T), self._start(near, fixed))
        found, around = self._solved(flat, around, threads), around[:, : len(self.robot.coordinate_names)]
        q, count, family = self._chosen(found, around, near is not None, limits, turns)
        exact = np.ones(len(flat), dtype=bool)
        empty = np.flatnonzero(count == 0)
        finite(flat[empty], "T")  # the check of closed forms does not see origins
        if (self._is_short if nearest is None else nearest) and len(empty):
            q, family = _widened(q, family)
            q[empty, 0] = nearest_states(self, flat[empty], around[empty], limits)
            _, error = self._newton(q[empty, 0], flat[empty])
            count[empty], exact[empty] = 1, error[:, 0] < GOOD

        def why() -> NDArray[Any]:
            empty = (count == 0) | ~exact
            return reasons(self, flat, around, found, empty).reshape(leading)

        many = (*leading, q.shape[1])
        q, family = q.reshape(*many, q.shape[2]), family.reshape(many)
        return Solutions(q, Found(count.reshape(leading), exact.reshape(leading), family, why))

    def _is_plain(self, T: Floats, nearest: bool | None) -> bool:
        """Tell whether a pose without a solution needs no more than a reason."""
        return not (self._is_short or nearest) and bool((np.abs(T) <= FARTHEST).all())

    def _why_not(self, T: Floats, limits: bool) -> NDArray[Any]:
        """Return why a pose has no solution."""
        return self(T[None], limits=limits).reason.reshape(())

    @cached_property
    def _quick_anywhere(self) -> Quick | OnePose | None:
        return self._quick(None)

    @cached_property
    def _quick_within_limits(self) -> Quick | OnePose | None:
        if not self._range.is_limited:
            return self._quick_anywhere
        return self._quick(self._range) if fits(self._range) else None

    def _quick(self, own: Range | None) -> Quick | OnePose | None:
        """Return what solves one pose at a time, for arms with an exact closed form and general ones."""
        plan, fixed = self._arm.plan, self.fixed
        if self._sampled or self._arm.chain.is_symbolic or ARM_ANGLE in fixed or (plan and not plan.is_exact):
            return None
        if any(value.ndim for value in fixed.values()):
            return None
        given = dict(zip(self.robot.coordinate_names, self._rest.tolist(), strict=True))
        given |= {name: float(value) for name, value in fixed.items()}
        return Quick(self._arm, plan, given, own) if plan else OnePose(self._general, self._newton, given, own)

    def _poses(self, T: ArrayLike) -> Floats:
        """Return poses; those of a closed form are checked by its Program."""
        task = self._task  # refuses lengths without values
        if self._arm.plan is None or not isinstance(T, np.ndarray) or T.shape[-2:] != (4, 4) or T.dtype != float:
            return nearest_rotations(task.goals(T))
        return T

    def _start(self, near: ArrayLike | None, fixed: Mapping[str, ArrayLike] | None) -> Floats:
        """Return states (..., n) with the fixed joints where they are to be."""
        names = self.robot.coordinate_names
        try:
            q = self._rest if near is None else np.array(near, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise ProgramError("near: this is not an array of numbers") from None
        if q.shape[-1:] != (len(names),) or not np.isfinite(q).all():
            raise ProgramError(f"near has the shape {q.shape}; it needs finite coordinates {', '.join(names)}")
        farthest = np.full(len(names), FARTHEST)
        farthest[[axis.place for axis in self._free if not axis.slides]] = WINDINGS
        if (np.abs(q) > farthest).any():
            raise ProgramError(
                f"near has entries beyond {WINDINGS:g} rad or {FARTHEST:g} m, where states are too coarse to be exact"
            )
        values = {**self.fixed, **checked(self.fixed, fixed or {})}
        try:
            shape = np.broadcast_shapes(q.shape[:-1], *(np.shape(x) for x in values.values()))
        except ValueError:
            raise ProgramError("near and the positions of fixed joints have axes that do not go together") from None
        names = (*names, ARM_ANGLE) if ARM_ANGLE in values else names
        found = np.zeros((*shape, len(names)))
        found[..., : q.shape[-1]] = q
        for name, value in values.items():
            found[..., names.index(name)] = value
        return found

    def _solved(self, T: Floats, near: Floats, threads: int | None) -> Refined:
        """Return all solutions of poses (k, 4, 4)."""
        if not self._sampled:
            return self._at(T, near, threads)
        lots = [self._at(T, at, threads) for at in self._spread(near)]
        return Refined(*(np.concatenate(parts, axis=1) for parts in zip(*lots, strict=True)))

    def _spread(self, near: Floats) -> list[Floats]:
        """Return states with sampled joints at all their positions."""
        names, limits = self.robot.coordinate_names, bounds(self.robot)
        found = [near]
        for name in self._sampled:
            place = names.index(name)
            own = int(np.flatnonzero(limits.places == place)[0])
            most = self._arm.chain.size if self._slides(name) else np.pi
            lower, upper = max(limits.lower[own], -most), min(limits.upper[own], most)
            more = list[Floats]()
            for q in found:
                for value in np.linspace(lower, upper, self._samples, endpoint=most != np.pi or upper - lower < 6.28):
                    moved = q.copy()
                    moved[:, place] = value
                    more.append(moved)
            found = more
        return found

    def _slides(self, name: str) -> bool:
        return any(axis.name == name and axis.slides for axis in self._arm.chain.axes)

    def _at(self, T: Floats, near: Floats, threads: int | None) -> Refined:
        if self._arm.plan is None:
            found, blurred = self._general.solutions(self._newton, T, near)
            return with_others(self, T, near, found, np.flatnonzero(blurred)) if blurred.any() else found
        if not self._arm.plan.is_exact:
            return self._nearly(T, near, self._arm.plan, threads)
        q, valid, doubt, skew, near_miss = self._lots(T, near, threads)
        if not skew.max(initial=0.0) < ROTATION:
            straight = nearest_rotations(self._task.goals(T))
            T, (q, valid, doubt, _, near_miss) = straight, self._lots(straight, near, threads)
        found, left = Refined(q, valid, np.zeros_like(valid)), np.flatnonzero((doubt > 0.0) | near_miss)
        if not len(left):
            return found
        found.good[left] = False
        return joined(self._arm.chain, found, representatives(self, finite(T[left], "T"), near[left]), left)

    def _lots(self, T: Floats, near: Floats, threads: int | None) -> tuple[Floats, Truths, Floats, Floats, Truths]:
        """Return all branches, whether each is a solution, how many are in doubt, whether poses are poses, and at which
        poses all branches miss, but one hardly.
        """
        f, (K, n) = self._compiled, self._branches.outputs["q"]
        q, valid = np.empty((len(T), K, n)), np.empty((len(T), K), dtype=bool)
        (doubt, skew), near_miss = np.empty((2, len(T))), np.zeros(len(T), dtype=bool)
        lot = LOT if threads == 1 else max(LOT, len(T))
        kept, ones = np.empty((4, min(lot, len(T)), K)), np.ones(K)
        with np.errstate(all="ignore"):
            for at in range(0, len(T), lot):
                some = slice(at, at + lot)
                flags, *rest = kept[:, : len(T[some])]
                f(T[some], near[some], WEAK, out=(q[some], flags, doubt[some], *rest, skew[some]), threads=threads)
                np.not_equal(flags, 0.0, out=valid[some])
                none = np.flatnonzero(flags @ ones == 0.0)  # several times faster than any()
                near_miss[at + none] = (rest[0][none] < MISSED).any(axis=1)
        return q, valid, doubt, skew, near_miss

    def _nearly(self, T: Floats, near: Floats, plan: Plan, threads: int | None) -> Refined:
        """Return solutions of an arm whose axes almost meet: those of one whose axes do, refined; and where these may
        not be all, near singular poses, those found from many starts.

        Where two branches are one, what axes miss each other by moves joints by its square root, so a joint that can be
        anywhere where axes meet may be determined by as much.
        """
        blur, wide = (x**4 for x in (DOUBT * plan.tolerance, max(DOUBT * plan.tolerance, plan.tolerance**0.5)))
        with np.errstate(all="ignore"):
            q, _, _, error, margin, _, skew = self._compiled(T, near, blur, threads=threads)
            free = self._compiled(T, near, wide, threads=threads).free
            q = np.where((error < HOPELESS)[..., None], q, np.nan)
        if not skew.max(initial=0.0) < ROTATION:
            T = nearest_rotations(self._task.goals(T))
        found = refine(self._newton, self._arm.chain, T, q)
        lost = (np.isfinite(q).all(axis=2) & ~found.good) | (free != 0.0) | (np.abs(margin) < DOUBT * plan.tolerance)
        left = np.flatnonzero(lost.any(axis=1))
        if not len(left):
            return found
        found.good[left] = False
        return joined(self._arm.chain, found, around(self, finite(T[left], "T"), near[left], (blur, wide)), left)

    def _chosen(
        self, found: Refined, near: Floats, sort: bool, limits: bool, turns: bool
    ) -> tuple[Floats, NDArray[np.intp], Truths]:
        q, good, family = found
        if turns or sort or (limits and self._range.is_limited):
            q, good, family = chosen(self._range, q, good, family, near, sort, limits, turns)
        order = np.linalg.norm(np.nan_to_num(q) - near[:, None], axis=2) if sort else None
        return compacted(q, good, family, order)


def inverse_geometry(
    robot: Robot,
    *,
    frame: str = "",
    fixed: Mapping[str, ArrayLike] | None = None,
    aim: str = "pose",
    samples: int = SAMPLES,
) -> InverseGeometry | ParallelGeometry:
    """Return what finds every state in which a frame has a pose.

    Parameters
    ----------
    frame
        Name of a link or of a constant frame; by default the only constant frame on the last link, or that link.
    fixed
        Positions of joints that are not to be solved for, as redundant arms need: numbers or arrays, by joint.
        Redundant joints that you do not fix are sampled. Or ``{"arm angle": …}``, for arms with seven joints whose
        first three axes meet in one point and the last three in another: the angle, about the line from shoulder to
        wrist, from the half plane with the first axis to the one with the elbow.
    aim
        "pose"; "position" for the origin alone; "axis" for the origin and the direction of the frame's z axis, as of a
        tool that can spin. An arm with five joints reaches the latter, an arm with three the former.
    samples
        How many positions of each sampled joint are tried.
    """
    if not isinstance(samples, int) or samples < 1:
        raise ProgramError(f"samples={samples!r}; it must be a whole number, at least 1")
    if isinstance(robot, Robot) and robot.loops:
        from .parallel import parallel_geometry

        return parallel_geometry(robot, frame, fixed, aim)
    return InverseGeometry(robot, frame, fixed, aim, samples)


def _together(goals: Floats, start: Floats) -> tuple[tuple[int, ...], Floats, Floats]:
    """Return the leading axes of poses and states, and both with one leading axis."""
    try:
        leading = np.broadcast_shapes(goals.shape[:-2], start.shape[:-1])
    except ValueError:
        raise ProgramError(
            f"T has the axes {goals.shape[:-2]}, near and fixed joints {start.shape[:-1]}; they must go together"
        ) from None
    flat = np.broadcast_to(goals, (*leading, 4, 4)).reshape(-1, 4, 4)
    return leading, flat, np.broadcast_to(start, (*leading, start.shape[-1])).reshape(-1, start.shape[-1])


def _no_reason() -> NDArray[Any]:
    return np.array("", dtype=object)


def _widened(q: Floats, family: Truths) -> tuple[Floats, Truths]:
    """Return solutions with room for at least one."""
    if q.shape[1]:
        return q, family
    return np.full((len(q), 1, q.shape[2]), np.nan), np.zeros((len(q), 1), dtype=bool)
