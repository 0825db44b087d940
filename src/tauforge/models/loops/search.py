"""Finding states in which a mechanism's loops are closed, for robots with numbers.

Loops that share no joint are closed apart. Each group of loops is tried from the neutral state, then from many starts
at once, then with one loop closed after another. If nothing closes it, each loop is tried alone, to say which is at
fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from ...errors import LoopError
from ...graph.arrays import Arrays
from ...graph.node import Node, as_node, is_zero, symbol
from ...robot.entries import by_joint, owners
from ...robot.joint import Joint
from ...robot.robot import Robot
from .closure import loop_closure, turning
from .newton import angles, is_closed, newton

Floats = NDArray[np.float64]
STARTS = 64
"""How many starts are tried at once."""
ROUNDS = 4
"""How many times."""
NEVER = 1e-6
"""An error that better steps would not have left, in metres and radians."""
_NEAR, _WIDE = 0.05, 3.0
"""How far the starts lie from the neutral state, in radians, or in parts of the longest length."""


@dataclass(frozen=True)
class Group:
    """Loops that share joints, and the axes that move them."""

    loops: tuple[int, ...]
    rows: tuple[int, ...]
    axes: tuple[int, ...]


class Mechanism:
    """A robot with closed loops whose parameters are all numbers; a floating base is one of its joints.

    Attributes
    ----------
    names
        Names of the loops.
    axes
        How many axes its tree has.
    neutral
        The coordinates where no joint has moved, or within its limits if they exclude that.
    """

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self._evaluators: dict[Group, Evaluator] = {}
        program = loop_closure(robot)
        self._error, self._cosine = program.results["error"].nodes, program.results["cosine"].nodes
        self.names, self.axes = program.outputs["cosine"].labels[0], program.outputs["J"][1]
        J = program.results["J"].nodes
        self._slopes = [J[k : k + self.axes] for k in range(0, len(J), self.axes)] if self.axes else [()]
        self._turning = turning(robot)
        labels = program.outputs["error"].labels[0]
        rows: dict[str, list[int]] = {name: [] for name in self.names}
        for k, label in enumerate(labels):
            rows[label.rpartition(".")[0]].append(k)
        self._rows = list(rows.values())
        self._filled = [[axis for axis, x in enumerate(row) if not is_zero(x)] for row in self._slopes]
        self.neutral = np.array([x for j in owners(robot) for x in _neutral(robot.joints[j - 1])])

    @cached_property
    def groups(self) -> list[Group]:
        """The loops in groups that share no axis."""
        groups: list[tuple[set[int], set[int]]] = []
        for k, rows in enumerate(self._rows):
            axes = {axis for row in rows for axis in self._filled[row]}
            apart = [group for group in groups if not group[1] & axes]
            joined = [group for group in groups if group[1] & axes]
            groups = [*apart, ({k}.union(*(g[0] for g in joined)), axes.union(*(g[1] for g in joined)))]
        return [self.group(sorted(loops)) for loops, _ in sorted(groups, key=lambda group: min(group[0]))]

    def group(self, loops: Sequence[int]) -> Group:
        """Return some loops as a group of their own."""
        rows = [row for k in loops for row in self._rows[k]]
        axes = {axis for row in rows for axis in self._filled[row]}
        return Group(tuple(loops), tuple(rows), tuple(sorted(axes)))

    def evaluator(self, group: Group) -> Evaluator:
        """Return what computes the errors of a group."""
        if group not in self._evaluators:
            self._evaluators[group] = self._evaluator(group)
        return self._evaluators[group]

    def _evaluator(self, group: Group) -> Evaluator:
        nodes: list[Node] = [self._error[row] for row in group.rows]
        nodes += [self._cosine[k] for k in group.loops]
        places = [(i, axis) for i, row in enumerate(group.rows) for axis in self._filled[row]]
        nodes += [self._slopes[group.rows[i]][axis] for i, axis in places]
        at = {row: i for i, row in enumerate(group.rows)}
        turned = [[at[row] for row in self._turning[k]] for k in group.loops]
        return Evaluator(Arrays(nodes), len(group.rows), len(group.loops), turned, places, self.axes)

    @cached_property
    def _moved(self) -> Arrays:
        """Where steps lead, for the joints whose coordinates do not simply add."""
        q = by_joint(self.robot, [symbol(f"q[{k}]") for k in range(len(self.neutral))])
        nodes = [
            as_node(x)
            for j, _, axes in self._curved
            for x in self.robot.joints[j - 1].kind.step(q[j], [symbol(f"v[{k}]") for k in axes])
        ]
        return Arrays(nodes)

    @cached_property
    def places(self) -> list[tuple[int, range, range]]:
        """Each joint that has coordinates, with the places of these and of its axes."""
        found, at, axis = list[tuple[int, range, range]](), 0, 0
        for j in owners(self.robot):
            joint = self.robot.joints[j - 1]
            own = range(at, at := at + len(joint.kind.coordinates))
            found.append((j, own, range(axis, axis := axis + len(joint.axes))))
        return found

    @cached_property
    def _curved(self) -> list[tuple[int, range, range]]:
        return [place for place in self.places if not self.robot.joints[place[0] - 1].kind.is_flat]

    @cached_property
    def _flat(self) -> tuple[list[int], list[int]]:
        flat = [place for place in self.places if self.robot.joints[place[0] - 1].kind.is_flat]
        return [k for _, own, _ in flat for k in own], [k for _, _, axes in flat for k in axes]

    def step(self, q: Floats, v: Floats) -> Floats:
        """Return the states that steps along the axes lead to, quaternions staying unit ones."""
        found, (own, axes) = q.copy(), self._flat
        found[:, own] += v[:, axes]
        if self._curved:
            values = {f"q[{k}]": q[:, k] for k in range(q.shape[1])} | {f"v[{k}]": v[:, k] for k in range(v.shape[1])}
            found[:, [k for _, own, _ in self._curved for k in own]] = self._moved(values, len(q))
        return found

    def starts(self, group: Group, random: np.random.Generator) -> Floats:
        """Return starts for a group, nearer and farther; within the limits of its joints where it has some."""
        sizes = np.geomspace(_NEAR, _WIDE, STARTS)
        v = np.zeros((STARTS, self.axes))
        for j, places, axes in self.places:
            joint = self.robot.joints[j - 1]
            own = [axis for axis in axes if axis in set(group.axes)]
            if not own:
                continue
            drawn = random.normal(size=(STARTS, len(own))) * sizes[:, None]
            if joint.kind.is_flat and is_zero(joint.kind.turn):
                drawn *= self.length / 3.0
            v[:, own] = drawn
            if limits := _range(joint):
                at = self.neutral[places[0]]
                v[:, own] = np.clip(drawn, limits[0] - at, limits[1] - at)
        return self.step(np.tile(self.neutral, (STARTS, 1)), v)

    def equations(self, q: Floats) -> Floats:
        """Return the matrix J of J q̇ = 0 at one state."""
        J: Floats = self._whole(q[None])[1][0]
        return J

    def error(self, q: Floats) -> Floats:
        """Return what is left open at all loops in one state: lengths and angles."""
        found: Floats = self._whole(q[None])[0][0]
        return found

    @cached_property
    def _whole(self) -> Evaluator:
        return self.evaluator(self.group(range(len(self.names))))

    def closed_state(self, q: Floats | None = None) -> Floats:
        """Return a state in which the loops are closed, near a given one or zero if possible."""
        q = self.neutral if q is None else q
        for group in self.groups:
            q = _closed(self, group, q)
        return q

    def closed_from(self, q: Floats) -> Floats | None:
        """Return the closed state that damped Newton steps from a state lead to; None if they lead to none."""
        for group in self.groups:
            found, error = newton(self.evaluator(group), self.step, q[None], group.axes)
            if not is_closed(error).all():
                return None
            q = found[0]
        return q

    @cached_property
    def length(self) -> float:
        """The longest length in the description."""
        joints = [*self.robot.joints, *(x for loop in self.robot.loops for x in (loop.joint, loop.frame))]
        return (
            max([abs(float(x)) for joint in joints for x in (joint.b, joint.d, joint.e, joint.r)], default=0.0) or 1.0
        )


@dataclass(frozen=True, eq=False)
class Evaluator:
    """What computes the errors of a group of loops and their slopes, in NumPy."""

    arrays: Arrays
    rows: int
    loops: int
    turning: list[list[int]]
    places: list[tuple[int, int]]
    axes: int

    @cached_property
    def used(self) -> list[tuple[str, int]]:
        """The coordinates that matter, by the names of their symbols."""
        return [(name, int(name[2:-1])) for name in self.arrays.symbols]

    @cached_property
    def filled(self) -> NDArray[np.bool_]:
        """Which slopes (rows, axes) are not zero in every state."""
        found = np.zeros((self.rows, self.axes), dtype=bool)
        for place in self.places:
            found[place] = True
        return found

    def __call__(self, q: Floats) -> tuple[Floats, Floats]:
        """Return errors (k, rows) and slopes (k, rows, axes)."""
        found = self.arrays({name: q[:, k] for name, k in self.used}, len(q))
        error = angles(found[:, : self.rows], found[:, self.rows : self.rows + self.loops], self.turning)
        J = np.zeros((len(q), self.rows, self.axes))
        if self.places:
            i, axis = zip(*self.places, strict=True)
            J[:, i, axis] = found[:, self.rows + self.loops :]
        return error, J


def _neutral(joint: Joint) -> Sequence[float]:
    limits = _range(joint)
    return [min(max(0.0, limits[0]), limits[1])] if limits else joint.kind.neutral


def _range(joint: Joint) -> tuple[float, float] | None:
    """Return the limits of a joint with one coordinate, if they leave it room to move."""
    lower, upper = joint.limits.lower, joint.limits.upper
    return (lower, upper) if len(joint.axes) == 1 and isfinite(lower) and isfinite(upper) and lower < upper else None


@lru_cache(maxsize=32)
def mechanism_of(robot: Robot) -> Mechanism:
    """Return a robot's mechanism, made once."""
    return Mechanism(robot)


def _closed(mechanism: Mechanism, group: Group, start: Floats) -> Floats:
    """Return the start with a group of loops closed, by the nearest state that is found."""
    left = mechanism.evaluator(group)
    nudged = mechanism.step(start[None], _nudge(mechanism, group))
    for q in (start[None], nudged):  # where frames are half a turn apart, or slopes vanish, the start leads nowhere
        found, error = newton(left, mechanism.step, q, group.axes)
        if is_closed(error).all():
            reached: Floats = found[0]
            return reached
    own = [k for _, places, axes in mechanism.places if set(axes) & set(group.axes) for k in places]
    open_by = np.inf
    for attempt, starts in enumerate(_starts(mechanism, group)):
        for way in (starts, *_one_after_another(mechanism, group, starts)):
            found, error = newton(left, mechanism.step, way, group.axes, enough=STARTS // 4)
            done = np.flatnonzero(is_closed(error))
            open_by = min(open_by, _largest(error))
            if len(done):
                q = start.copy()
                distances = np.linalg.norm(found[done][:, own] - start[own], axis=1)
                q[own] = found[done[np.argmin(distances)]][own]
                return q
        if not attempt:
            _refuse_what_cannot_close_alone(mechanism, group)
    names = ", ".join(mechanism.names[k] for k in group.loops)
    raise LoopError(
        f"{mechanism.robot.name}: no state was found in which its loops are closed: each of {names} closes by itself, "
        f"but not all together: something stays open by {open_by:.3g} m or rad; check the kinds of the joints that "
        "close them, their frames, and all lengths",
        open_by=open_by,
    )


def _largest(errors: Floats) -> float:
    """Return the largest error of the state (k, m) that has the smallest one."""
    return float(np.abs(errors).max(axis=1, initial=0.0).min())


def _nudge(mechanism: Mechanism, group: Group) -> Floats:
    v = np.zeros((1, mechanism.axes))
    v[:, list(group.axes)] = np.random.default_rng(1).uniform(-0.1, 0.1, len(group.axes))
    return v


def _starts(mechanism: Mechanism, group: Group) -> Iterator[Floats]:
    random = np.random.default_rng(0)  # for each group anew: what else the robot has does not matter
    for _ in range(ROUNDS):
        yield mechanism.starts(group, random)


def _one_after_another(mechanism: Mechanism, group: Group, starts: Floats) -> Iterator[Floats]:
    """Yield the starts after closing the group's loops one after another, those closed before staying closed."""
    if len(group.loops) < 2:
        return
    order, q = sorted(group.loops, key=lambda k: len(mechanism.group([k]).axes)), starts
    for count in range(1, len(order)):
        part = mechanism.group(order[:count])
        q, _ = newton(mechanism.evaluator(part), mechanism.step, q, part.axes, steps=60)
    yield q


def _refuse_what_cannot_close_alone(mechanism: Mechanism, group: Group) -> None:
    """Name the loop that stays open farthest with no other loop in its way, if there is one."""
    worst = (0.0, "")
    for k in group.loops:
        alone = mechanism.group([k])
        q = np.vstack([mechanism.neutral, next(_starts(mechanism, alone))])
        error = newton(mechanism.evaluator(alone), mechanism.step, q, alone.axes, enough=1)[1]
        if not is_closed(error).any():
            worst = max(worst, (_largest(error), mechanism.names[k]))
    open_by, name = worst
    if open_by > NEVER and not mechanism.group([mechanism.names.index(name)]).axes:
        raise LoopError(
            f"{mechanism.robot.name}: the two frames of the loop {name!r} are {open_by:.3g} m or rad apart, and no "
            "joint between them can change that; check where they are",
            name,
            open_by,
        )
    if open_by > NEVER:
        raise LoopError(
            f"{mechanism.robot.name}: no state was found in which its loops are closed: even by itself, the loop "
            f"{name!r} stays open by {open_by:.3g} m or rad; check the kind of the joint that closes it, its two "
            "frames (a revolute joint turns about z of both), and the joints between them, with their lengths (m) and "
            "angles (rad)",
            name,
            open_by,
        )
