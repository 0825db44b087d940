"""Inverse geometry of parallel robots and other closed loops: every closed state in which a frame has a pose."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ProgramError
from ...models.loops.closure import loop_closure
from ...models.registry import check_robot
from ...models.routes import frame_number, path, tip
from ...models.transforms import transforms
from ...program.program import Program
from ...robot.joint import Joint
from ...robot.robot import Robot
from ...runtime.function import Function
from ..close_loops import refuse_symbols
from ..task import Task, check_aim
from .arm import InverseGeometry
from .chain import Floats
from .derivation import Derivation
from .legs import END, Leg, legs
from .result import Found, Solutions

CLOSED = 1e-10
"""By how much a loop of a solution may be open, in metres and as a sine, and a pose may be missed."""
MOST = 20_000_000
"""Coordinates of all states that are kept at once."""


class _Lost(NamedTuple):
    """Where the last states of a pose ended: what was to be solved, for which goal."""

    solver: InverseGeometry | None
    goal: Floats
    name: str


class _States(NamedTuple):
    """States on the way: the pose that each is for, its coordinates, and whether it represents infinitely many."""

    pose: NDArray[np.intp]
    q: Floats
    family: NDArray[np.bool_]

    def chosen(self, which: NDArray[Any]) -> _States:
        return _States(*(x[which] for x in self))


@final
class ParallelGeometry:
    """Every closed state in which a frame of a robot with closed loops has a pose. Call it with poses.

    Attributes
    ----------
    robot
        The robot.
    frame
        The frame that is to have the poses, as a rule the platform.
    aim
        What a pose prescribes.
    legs
        What solves each leg, by the name of the joint at its end.
    kind
        The kinds of the legs, in a few words.
    """

    def __init__(self, robot: Robot, frame: str, aim: str) -> None:
        check_robot(robot)
        check_aim(frame, aim)
        if robot.base.floating:
            raise ProgramError(f"{robot.name} has closed loops on a floating base; tf.reach(…) finds states of it")
        self.robot, self.frame, self.aim = robot, frame or tip(robot), aim
        refuse_symbols(robot, loop_closure(robot))
        self._trunk, self._legs = legs(robot, self.frame, aim)
        self._first = self._solver(self._trunk) if self._trunk else None
        self.legs = {leg.name: self._solver(leg) for leg in self._legs}
        kinds = {ik.kind: [name for name, own in self.legs.items() if own.kind == ik.kind] for ik in self.legs.values()}
        self.kind = "; ".join(f"{', '.join(names)}: {kind}" for kind, names in kinds.items())

    def _solver(self, leg: Leg) -> InverseGeometry:
        try:
            ik = InverseGeometry(leg.chain, END, None, leg.aim, 1)
        except ProgramError as error:
            raise ProgramError(
                f"{self.robot.name}: the chain to {leg.name!r} has no inverse geometry: {error}"
            ) from None
        if ik._sampled:
            raise ProgramError(
                f"{self.robot.name}: the pose of {self.frame!r} leaves {', '.join(ik._sampled)} free, of the chain to "
                f"{leg.name!r}; tf.reach(…) finds one state"
            )
        return ik

    @property
    def program(self) -> Program:
        """Refused: each leg has its own Program."""
        raise ProgramError(self._by_legs("Program", "program"))

    def equations(self) -> Derivation:
        """Refused: each leg has its own derivation."""
        raise ProgramError(self._by_legs("derivation", "equations()"))

    def _by_legs(self, what: str, name: str) -> str:
        return f"{self.robot.name}: each leg has its own {what}, ik.legs[{next(iter(self.legs))!r}].{name} and so on"

    def explain(self) -> str:
        """Return how the robot is solved, leg by leg."""
        lines = [f"{self.robot.name}, {self.frame}: one chain after the other"]
        start = self._first.explain().splitlines()[1:] if self._first else [f"{self._joint.name}: from the pose itself"]
        lines += [f"{self.frame}", *(f"   {line}" for line in start)]
        for name, ik in self.legs.items():
            lines += [f"{name}: {ik.kind}", *(f"   {line}" for line in ik.explain().splitlines()[1:])]
        return "\n".join([*lines, "All combinations are solutions; loops of each are checked."])

    def __repr__(self) -> str:
        return f"ParallelGeometry({self.robot.name!r}, frame={self.frame!r}: {self.kind})"

    def __call__(
        self, T: ArrayLike, near: ArrayLike | None = None, *, limits: bool = True, combine: bool = True
    ) -> Solutions:
        """Return all closed states in which the frame has given poses.

        Parameters
        ----------
        T
            Poses relative to the base, (..., 4, 4); with ``aim="position"`` also points, (..., 3).
        near
            A state (robot.coordinate_names), or one for each pose. Solutions are sorted by their distance from it.
        limits
            Whether to leave out solutions that cannot be within the joints' limits.
        combine
            Whether to return all combinations of the legs' solutions. If not, each leg has the solution nearest to
            ``near``, or to zero, where the robot is assembled.
        """
        goals = Task(self.robot.derived(loops=()), self.frame, self.aim).goals(T)
        leading, flat = goals.shape[:-2], goals.reshape(-1, 4, 4)
        around = self._near(near, leading).reshape(len(flat), len(self.robot.coordinate_names))
        lost = dict[int, _Lost]()
        states = _States(np.arange(len(flat)), around.copy(), np.zeros(len(flat), dtype=bool))
        states = self._start(flat, states, limits, combine, lost)
        for leg in self._legs:
            goal = self._goal(leg, states.q)
            states = self._extended(leg, self.legs[leg.name], goal, states, limits, combine, lost)
        good = self._holds(states.q, flat[states.pose])
        for k in np.setdiff1d(states.pose[~good], states.pose[good]):
            lost.setdefault(int(k), _Lost(None, flat[k], self.frame))
        return _gathered(leading, states.chosen(good), around, near is not None, lost)

    def _near(self, near: ArrayLike | None, leading: tuple[int, ...]) -> Floats:
        names = self.robot.coordinate_names
        zero = [x for joint in self.robot.joints if not joint.mimic for x in joint.kind.neutral]
        try:
            q = np.array(zero if near is None else near, dtype=float)
            if q.shape[-1:] != (len(names),) or not np.isfinite(q).all():
                raise ValueError
            return np.broadcast_to(q, (*leading, len(names))).copy()
        except (TypeError, ValueError, OverflowError):
            raise ProgramError(
                f"near: this needs finite coordinates {', '.join(names)}, for all poses or each"
            ) from None

    @cached_property
    def _joint(self) -> Joint:
        """The joint that gives the frame its pose by itself."""
        whole = self.robot.with_frames(self.frame)
        numbers = path(whole, frame_number(whole, self.frame))
        return next(whole.joints[j - 1] for j in numbers if whole.joints[j - 1].axes)

    def _start(self, T: Floats, states: _States, limits: bool, combine: bool, lost: dict[int, _Lost]) -> _States:
        """Return states with the joints up to the frame where they have to be."""
        if self._trunk and self._first:
            return self._extended(self._trunk, self._first, T, states, limits, combine, lost)
        joint, names = self._joint, self.robot.coordinate_names
        at = names.index(joint.name + joint.kind.coordinates[0])
        whole = self.robot.with_frames(self.frame)
        numbers = path(whole, frame_number(whole, self.frame))
        before, after, seen = np.eye(4), np.eye(4), False
        for j in numbers:
            each = np.array(whole.joints[j - 1].pose().homogeneous, dtype=float).reshape(4, 4)
            before, after = (before, after @ each) if seen else (before @ each, after)
            seen |= bool(whole.joints[j - 1].axes)
        moved = np.linalg.inv(before) @ T @ np.linalg.inv(after)
        found = coordinates(joint, moved)
        states.q[:, at : at + found.shape[1]] = found
        return states

    @cached_property
    def _poses(self) -> Function:
        return transforms(self.robot.derived(loops=()), frames=[body.name for body in self.robot.bodies]).compile()

    def _link(self, number: int, q: Floats) -> Floats:
        return self._poses(q)[:, number - 1] if number else np.broadcast_to(np.eye(4), (len(q), 4, 4))

    def _goal(self, leg: Leg, q: Floats) -> Floats:
        """Return where a leg's end is to be, in the frame of the link where it starts."""
        assert leg.goal
        link, frame = leg.goal
        place = np.array(frame.pose().homogeneous, dtype=float).reshape(4, 4)
        start = self._link(leg.start, q)
        return np.asarray(np.linalg.inv(start) @ self._link(link, q) @ place)

    def _extended(
        self,
        leg: Leg,
        ik: InverseGeometry,
        goal: Floats,
        states: _States,
        limits: bool,
        combine: bool,
        lost: dict[int, _Lost],
    ) -> _States:
        """Return states with the joints of one chain more: one for each of its solutions."""
        pose, q, family = states
        if not len(q):
            return states
        where = np.array(leg.places)
        start = np.zeros((len(q), len(ik.robot.coordinate_names)))
        start[:, : len(where)] = q[:, where]
        found = ik(goal, near=start, limits=limits, nearest=False)
        most = found.q.shape[1] if combine else 1
        state, row = np.nonzero(np.arange(most) < found.count[:, None])
        if len(state) * q.shape[1] > MOST:
            raise ProgramError(
                f"{self.robot.name}: {len(np.unique(pose))} poses have too many combinations of the legs' solutions to "
                "keep; combine=False gives each leg's nearest one, or take fewer poses at once"
            )
        more = q[state]
        more[:, where] = found.q[state, row][:, : len(where)]
        for k in np.setdiff1d(pose, pose[state]):
            lost.setdefault(int(k), _Lost(ik, goal[int(np.flatnonzero(pose == k)[0])], leg.name))
        return _States(pose[state], more, family[state] | found.family[state, row])

    @cached_property
    def _closure(self) -> Function:
        return loop_closure(self.robot).compile()

    def _holds(self, q: Floats, T: Floats) -> NDArray[np.bool_]:
        """Tell which states are closed and have their poses."""
        if not len(q):
            return np.zeros(0, dtype=bool)
        error = np.abs(self._closure(q).error).max(axis=1, initial=0.0)
        apart = Task(self.robot.derived(loops=()), self.frame, self.aim).apart(q, T)
        return np.asarray((error < CLOSED) & (np.maximum(apart.distance, apart.angle) < 10.0 * CLOSED))


def parallel_geometry(robot: Robot, frame: str, fixed: object, aim: str) -> ParallelGeometry:
    """Return what finds the closed states of a robot in which a frame has a pose."""
    if fixed:
        raise ProgramError(f"{robot.name} has closed loops; no joint of it can be fixed")
    return ParallelGeometry(robot, frame, aim)


def _gathered(leading: tuple[int, ...], states: _States, near: Floats, sort: bool, lost: dict[int, _Lost]) -> Solutions:
    """Return states by pose."""
    far = np.linalg.norm(states.q - near[states.pose], axis=1)
    order = np.argsort(far, kind="stable") if sort else np.arange(len(far))
    pose, own, free = states.chosen(order[np.argsort(states.pose[order], kind="stable")])
    many, count = len(near), np.bincount(pose, minlength=len(near))
    K = int(count.max(initial=0))
    row = np.arange(len(pose)) - np.repeat(np.cumsum(count) - count, count)
    q, family = np.full((many, K, near.shape[1]), np.nan), np.zeros((many, K), dtype=bool)
    q[pose, row], family[pose, row] = own, free
    shape = (*leading, K)
    why = _reasons(many, lost, leading)
    exact = np.ones(leading, dtype=bool)
    return Solutions(q.reshape(*shape, q.shape[2]), Found(count.reshape(leading), exact, family.reshape(shape), why))


def _reasons(many: int, lost: dict[int, _Lost], leading: tuple[int, ...]) -> Callable[[], NDArray[Any]]:
    """Return what finds out why poses have no solution."""

    def why() -> NDArray[Any]:
        texts = np.full(many, "", dtype=object)
        for k, (solver, goal, name) in lost.items():
            reason = str(solver(goal, nearest=False).reason) if solver else "the legs do not let it have this pose"
            texts[k] = f"{name}: {reason}"
        return texts.reshape(leading)

    return why


def coordinates(joint: Joint, T: Floats) -> Floats:
    """Return the coordinates at which a joint moves its frame by poses (k, 4, 4)."""
    word, P = joint.kind.word, T[:, :3, 3]
    if word == "planar":
        return np.stack([P[:, 0], P[:, 1], np.arctan2(T[:, 1, 0], T[:, 0, 0])], axis=1)
    if word == "spherical":
        return quaternions(T)
    if word == "floating":
        return np.concatenate([P, quaternions(T)], axis=1)
    raise ProgramError(f"joint {joint.name!r} is {word}; inverse geometry takes platforms that float, slide or turn")


def quaternions(T: Floats) -> Floats:
    """Return the quaternions (x, y, z, w) of rotations: eigenvectors, which are exact at every angle."""
    R = T[:, :3, :3]
    K = np.empty((len(T), 4, 4))
    trace = np.trace(R, axis1=1, axis2=2)
    K[:, :3, :3] = R + np.swapaxes(R, 1, 2) - trace[:, None, None] * np.eye(3)
    vector = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    K[:, :3, 3] = K[:, 3, :3] = vector
    K[:, 3, 3] = trace
    found = np.linalg.eigh(K)[1][:, :, -1]
    return found * np.where(found[:, 3:] < 0.0, -1.0, 1.0)
