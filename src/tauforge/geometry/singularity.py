"""Singular states of mechanisms with closed loops, and how far a state is from them: Gosselin and Angeles (1990).

Let J q̇ = 0 be the loops' equations, and J_p their columns for the dependent joints. A state is

- parallel (their type 2) if J_p loses rank: some joints can move while the independent ones are locked;
- serial (type 1) if the independent joints can move while a frame keeps still that would move in other states;
- both (type 3) if it is both, or if J itself loses rank: the mechanism then has more freedom than elsewhere.

Rank is judged by singular values, as a part of the largest one of the same matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ProgramError
from ..models.configuration import integrate
from ..models.jacobian import jacobian
from ..models.link_motion import VELOCITY
from ..models.loops.closure import loop_closure
from ..models.registry import check_robot
from ..robot.entries import axis_names
from ..robot.robot import Robot
from ..runtime.function import Function
from .close_loops import close_loops, refuse_symbols

Floats = NDArray[np.float64]
Sizes = NDArray[np.floating[Any]]
CLOSED = 1e-6
"""Error of loops that count as closed, in metres and as sines of angles."""
TOLERANCE = 1e-6
"""Part of the largest singular value below which a state counts as singular."""
TRIES, FAR = 5, 0.3
"""States in which the usual rank of a frame's motion is found, and how far these are from the first, in radians."""


@dataclass(frozen=True)
class Singularity:
    """Where a state, or each of many, is in relation to singular ones.

    Attributes
    ----------
    kind
        "regular", "serial", "parallel" or "both"; an array of these for many states.
    parallel
        Smallest singular value of J_p as a part of the largest: zero if the independent joints do not determine the
        others. Its inverse is the condition number of the equations that every model solves.
    mobility
        The same of J: zero if the mechanism has more freedom than elsewhere.
    serial
        The same of the frame's Jacobian along the motions that the loops allow, as a part of its largest singular value
        in the tree; ones if no frame is given.
    motion
        The motion that the independent joints control least, (..., n) along the axes of the tree, of unit length: they
        are still, and the other joints move. In a parallel singular state, the loops allow it.
    axes
        The names of these axes.
    """

    kind: str | NDArray[np.str_]
    parallel: Floats
    mobility: Floats
    serial: Floats
    motion: Floats
    axes: tuple[str, ...]

    @property
    def condition(self) -> Floats:
        """Condition number of the equations that every model solves; infinite in a parallel singular state."""
        with np.errstate(divide="ignore"):
            return 1.0 / self.parallel


def singularity(
    robot: Robot,
    q: ArrayLike,
    *,
    frame: str | None = None,
    rows: Sequence[str] = VELOCITY,
    tolerance: float = TOLERANCE,
) -> Singularity:
    """Return whether closed states are singular, of which kind, and how far from singular they are.

    Parameters
    ----------
    q
        Coordinates of all joints with the loops closed, (..., robot.coordinate_names).
    frame
        The frame that the mechanism is to move; without one, serial singularities are not looked for.
    rows
        Which of vx, vy, vz, wx, wy, wz of the frame matter.
    tolerance
        Part of the largest singular value below which a state counts as singular.

    Raises
    ------
    ProgramError
        If the robot has no loops, or if they are not closed.
    """
    found = _measures(robot)
    try:
        q = np.asarray(q, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ProgramError(f"q is {q!r}; it must be an array of numbers") from None
    error, _, J = found.closure(q)
    _check(robot, error)
    sizes = np.linalg.svd(J, compute_uv=False)
    rank = len(found.dependent)
    mobility = _part(sizes, rank, sizes)
    values, V = np.linalg.svd(J[..., found.dependent])[1:]
    parallel = _part(values, rank, values)
    motion = np.zeros((*q.shape[:-1], J.shape[-1]))
    motion[..., found.dependent] = V[..., -1, :]
    serial = np.ones(q.shape[:-1])
    if frame is not None:
        serial = _carried(robot, frame, tuple(rows)).serial(q, J, rank)
    type2, type1, more = parallel < tolerance, serial < tolerance, mobility < tolerance
    both = more | (type1 & type2)
    kind = np.where(both, "both", np.where(type2, "parallel", np.where(type1, "serial", "regular")))
    return Singularity(str(kind) if kind.ndim == 0 else kind, parallel, mobility, serial, motion, found.axes)


@dataclass(frozen=True)
class _Measures:
    """What is needed of a robot to judge its states."""

    closure: Function
    dependent: list[int]
    axes: tuple[str, ...]


@dataclass(frozen=True)
class _Carried:
    """How the axes of the tree move a frame, and the rank of its motion in states that are not singular."""

    jacobian: Function
    rows: list[int]
    rank: int

    def serial(self, q: Floats, J: Floats, rank: int) -> Floats:
        """Return the singular value of the frame's motion that should not vanish, as a part of the tree's largest."""
        along, whole = self.along(q, J, rank)
        return _part(np.linalg.svd(along, compute_uv=False), self.rank, np.linalg.svd(whole, compute_uv=False))

    def along(self, q: Floats, J: Floats, rank: int) -> tuple[Floats, Floats]:
        """Return the frame's Jacobian along the motions that the loops allow, and along all axes."""
        motions = np.swapaxes(np.linalg.svd(J)[2][..., rank:, :], -1, -2)
        whole = self.jacobian(q)[..., self.rows, :]
        return whole @ motions, whole


@lru_cache(maxsize=32)
def _measures(robot: Robot) -> _Measures:
    check_robot(robot)
    if not robot.loops:
        raise ProgramError(f"{robot.name} has no closed loops; ask for the manipulability of a frame")
    closure = loop_closure(robot)
    refuse_symbols(robot, closure)
    axes, free = axis_names(robot.expanded()), set(robot.velocity_names)
    dependent = [k for k, name in enumerate(axes) if name not in free]
    if not dependent:
        raise ProgramError(f"the loops of {robot.name} hold no joint, so none of its states is singular")
    return _Measures(closure.compile(), dependent, axes)


@lru_cache(maxsize=32)
def _carried(robot: Robot, frame: str, rows: tuple[str, ...]) -> _Carried:
    unknown = [row for row in rows if row not in VELOCITY]
    if unknown or not rows:
        raise ProgramError(f"rows are {', '.join(rows) or 'empty'}; choose among {', '.join(VELOCITY)}")
    tree = robot.expanded().derived(loops=(), chosen=())  # joints that follow others still do
    program = jacobian(tree, frame=frame)
    refuse_symbols(robot, program)
    found, measures = program.compile(), _measures(robot)
    carried = _Carried(found, [VELOCITY.index(row) for row in rows], 0)
    step = integrate(tree).compile()
    start, random, rank = close_loops(robot), np.random.default_rng(0), 0
    for _ in range(TRIES):
        try:
            q = close_loops(robot, guess=step(start, random.uniform(-FAR, FAR, len(measures.axes))))
        except ProgramError:
            q = start
        J = measures.closure(q)[2]
        along, whole = carried.along(q, J, len(measures.dependent))
        sizes = np.linalg.svd(along, compute_uv=False)
        rank = max(rank, int((sizes > TOLERANCE * np.linalg.norm(whole, 2)).sum()))
    if not rank:
        raise ProgramError(f"no independent joint moves {frame}: choose a frame on a link that moves")
    return _Carried(found, carried.rows, rank)


def _part(values: Sizes, rank: int, of: Sizes) -> Floats:
    """Return the last singular value that should not vanish, as a part of the largest of others."""
    if values.shape[-1] < rank:
        return np.zeros(values.shape[:-1])
    largest = of[..., 0]
    return np.asarray(values[..., rank - 1] / np.where(largest > 0.0, largest, 1.0))


def _check(robot: Robot, error: Floats) -> None:
    worst = float(np.abs(error).max(initial=0.0))
    if not worst <= CLOSED:
        raise ProgramError(
            f"{robot.name}: the loops are open by {worst:.3g}; close them first, with close_loops(robot, q_active)"
        )
