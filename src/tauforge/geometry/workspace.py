"""Where a frame can be: states all over the workspace, and sections through it with their boundary and dexterity.

A section is not cut out of a cloud of points: each random state is moved into the plane by steps on exact Jacobians, as
for ``tf.reach``. Cells without a state are tried from their neighbours. Where that fails, the nearest state that is
found is a point of the boundary. Where cells at the rim of the window are reached, it grows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError
from ..models.jacobian import jacobian
from ..models.link_motion import VELOCITY
from ..models.loops.closing import active_places, closing
from ..models.manipulability import manipulability, moving_rows
from ..models.registry import check_robot
from ..models.routes import tip
from ..models.transforms import transforms
from ..program.fuse import fuse
from ..robot.robot import Robot
from ..runtime.function import Function
from .close_loops import refuse_symbols
from .joint_limits import limited_sums
from .reaching.bounds import Bounds
from .reaching.goal import Goal
from .reaching.solver import CLIMBED, ROUNDING, Solver, solver
from .task import FARTHEST

if TYPE_CHECKING:
    from pathlib import Path

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]
PLANES = {"xy": (0, 1, 2), "xz": (0, 2, 1), "yz": (1, 2, 0)}
"""Planes of sections: the axes to the right, up, and across."""
MEASURES = {"manipulability": "largest manipulability", "condition": "smallest condition number"}
"""What a map of dexterity shows in each cell."""
MOST_SAMPLES = 10_000_000
"""How many states may be asked for: they are all held at once."""
MARGIN = 1.06
"""How much larger than the box of the random states a section is at first."""
NEAR = ROUNDING
"""How near to a point or plane a state is in it, in metres."""


@final
@dataclass(frozen=True, eq=False)
class Workspace:
    """Random states of a robot, and where a frame is in them.

    Attributes
    ----------
    robot
        The robot.
    frame
        The frame.
    q
        States, (k, robot.coordinate_names).
    points
        The frame's origin in each, relative to the base, (k, 3).
    limits
        Whether joints stay within their limits.
    """

    robot: Robot
    frame: str
    q: Floats
    points: Floats
    limits: bool

    @cached_property
    def manipulability(self) -> Floats:
        """Yoshikawa's manipulability in each state, (k)."""
        return np.asarray(dexterity(self.robot, self.frame)(self.q)[1])

    @property
    def reach(self) -> float:
        """The largest distance of the origin from that of the base, in metres."""
        return float(np.linalg.norm(self.points, axis=1).max())

    @property
    def box(self) -> Floats:
        """The lowest and the highest coordinates, (2, 3)."""
        return np.array([self.points.min(axis=0), self.points.max(axis=0)])

    def section(self, plane: str = "xz", at: float = 0.0, *, cells: int = 100) -> Section:
        """Return the section in a plane, with a given third coordinate, as square cells."""
        from .section import section

        return section(self, plane, at, cells)

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the points, coloured by manipulability, and write the figure to a file if one is given."""
        from ..view.workspace import cloud, written

        return written(cloud(self), path)

    def __repr__(self) -> str:
        low, high = self.box
        sides = ", ".join(f"{axis} {a:.3g} to {b:.3g}" for axis, a, b in zip("xyz", low, high, strict=True))
        return f"Workspace({self.robot.name!r}, frame={self.frame!r}: {sides} m)"


@final
@dataclass(frozen=True, eq=False)
class Section:
    """A section through a workspace, as square cells in a plane.

    Attributes
    ----------
    workspace
        The workspace.
    plane
        "xy", "xz" or "yz": the axes to the right and up.
    at
        The third coordinate, in metres.
    right
        Coordinates of the cells' centres to the right, (columns).
    up
        Coordinates of the cells' centres upward, (rows).
    reachable
        Whether the frame's origin can be at the centre of a cell, (rows, columns).
    height
        Distance from the boundary, in metres, negative inside, near it, (rows, columns).
    cell
        The cell of each state that was found in the plane, (k, 2).
    q
        These states, (k, robot.coordinate_names).
    bounded
        Whether the cells hold all that can be reached; with joints that slide without limits, it may go on without end.
    """

    workspace: Workspace
    plane: str
    at: float
    right: Floats
    up: Floats
    reachable: Truths
    height: Floats
    cell: NDArray[np.intp]
    q: Floats
    bounded: bool = True

    @property
    def area(self) -> float:
        """The area that can be reached, in square metres; infinite if it is not bounded."""
        return self._within if self.bounded else np.inf

    @property
    def _within(self) -> float:
        """The area of the cells that can be reached."""
        side = self.right[1] - self.right[0]
        return float(self.reachable.sum() * side * side)

    def map(self, measure: str = "manipulability") -> Floats:
        """Return a measure of dexterity in each cell, (rows, columns): the best of the states found there, or NaN.

        "manipulability" is Yoshikawa's √det(J Jᵀ); "condition" the ratio of the largest to the smallest singular value
        of J, with lengths as parts of the reach.
        """
        if measure not in MEASURES:
            raise ProgramError(f"measure={measure!r}; choose among {', '.join(map(repr, MEASURES))}")
        from .section import dexterous

        found = dexterous(self, lambda q: self._measured(measure, q))
        with np.errstate(divide="ignore"):
            return 1.0 / found if measure == "condition" else found

    def _measured(self, measure: str, q: Floats) -> Floats:
        """Return the manipulability of states, or the inverse of the condition number."""
        own = self.workspace
        J, w = dexterity(own.robot, own.frame)(q)
        if measure == "manipulability":
            return np.asarray(w)
        rows = moving_rows(own.robot, own.frame)
        chosen = J[:, [VELOCITY.index(row) for row in rows]]
        chosen[:, [row.startswith("v") for row in rows]] /= own.reach
        values = np.linalg.svd(chosen, compute_uv=False)
        return np.asarray(values[:, -1] / values[:, 0])

    def plot(self, path: str | Path | None = None, *, measure: str | None = None) -> Any:
        """Draw the section and its boundary, or a map of dexterity; write the figure to a file if one is given."""
        from ..view.workspace import drawn, written

        return written(drawn(self, measure), path)

    def __repr__(self) -> str:
        where = f"{self.plane} plane at {self.at:g} m"
        more = "" if self.bounded else " of the cells; beyond them it goes on without bound"
        return f"Section({self.workspace.robot.name!r}, {where}: {self._within:.3g} m² within reach{more})"


def workspace(
    robot: Robot, *, frame: str = "", samples: int = 100_000, limits: bool = True, seed: int = 0
) -> Workspace:
    """Return random states of a robot and where a frame is in them: its workspace, for pictures and sections.

    Parameters
    ----------
    frame
        Name of a link or of a constant frame; by default the end of the arm.
    samples
        How many states.
    limits
        Whether joints stay within their limits; joints without any turn all the way round, or slide by π metres. With
        closed loops, those of all joints.
    seed
        What the random numbers depend on.
    """
    check_robot(robot)
    whole = isinstance(samples, (int, np.integer)) and not isinstance(samples, bool)
    if not (whole and 1 <= samples <= MOST_SAMPLES):
        raise ProgramError(f"samples={samples!r}; it must be a whole number from 1 to {MOST_SAMPLES:,}")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ProgramError(f"seed={seed!r}; it must be a whole number of at least 0")
    if not robot.dof:
        raise ProgramError(f"{robot.name} has no joint that moves; its frames stay where they are")
    frame = frame or tip(robot)
    job = positions(robot, frame)
    q = job.seeds.random(np.random.default_rng(seed), int(samples), limits, spread=np.pi)
    if robot.loops:
        q = _closed(robot, q, job.seeds.middle)
    if limits and (robot.loops or limited_sums(robot)):
        q = _within(robot, q, job.bounds)
    with np.errstate(over="ignore", invalid="ignore"):
        points = np.asarray(transforms_of(robot, frame)(q))[:, 0, :3, 3]
    if not np.abs(points).max() <= FARTHEST:
        raise ProgramError(f"{robot.name}: {frame} is beyond {FARTHEST:g} m, too far away; lengths are in metres")
    return Workspace(robot, frame, q, points, limits)


def positions(robot: Robot, frame: str, climbs: bool = False) -> Solver:
    """Return what finds states with the frame's origin at given points, and raises their manipulability on request."""
    return solver(robot, (Goal(frame, (), "position").kind,), CLIMBED if climbs else "")


def in_plane(robot: Robot, frame: str) -> Solver:
    """Return what finds states with the frame's origin in given planes."""
    return solver(robot, (Goal(frame, (), ("z",)).kind,), "")


def _closed(robot: Robot, q: Floats, guess: Floats) -> Floats:
    """Return those of random states whose loops can be closed.

    Half of them start from the same guess for the other joints, half as they are, which leads to other assembly modes.
    """
    start = np.where(np.arange(len(q))[:, None] % 2 == 0, guess, q)
    with np.errstate(all="ignore"):
        found, closed = _closing(robot)(q[:, active_places(robot.expanded())], start)
    if not (closed == 1.0).any():
        raise ProgramError(f"{robot.name}: no random state of the independent joints closes its loops")
    return np.asarray(found[closed == 1.0])


def _within(robot: Robot, q: Floats, bounds: Bounds) -> Floats:
    """Return those of closed states in which the joints that others move are within their limits, too."""
    at = q[:, bounds.places]
    held = ((at >= bounds.lower - ROUNDING) & (at <= bounds.upper + ROUNDING)).all(axis=1)
    for joint in limited_sums(robot):
        own = joint.position(q)
        held &= (own >= joint.limits.lower - ROUNDING) & (own <= joint.limits.upper + ROUNDING)
    if not held.any():
        raise ProgramError(f"{robot.name}: in no random state are all joints within their limits")
    return np.asarray(q[held])


@lru_cache(maxsize=8)
def _closing(robot: Robot) -> Function:
    return closing(robot).compile()


@lru_cache(maxsize=8)
def transforms_of(robot: Robot, frame: str | None) -> Function:
    """Return the compiled transforms of a frame, or of all."""
    program = transforms(robot, frames=frame)
    refuse_symbols(robot, program)
    return program.compile()


@lru_cache(maxsize=8)
def dexterity(robot: Robot, frame: str) -> Function:
    """Return the compiled Jacobian and manipulability of a frame, in the rows that joints can change."""
    rows: Sequence[str] = moving_rows(robot, frame)
    w: Any = manipulability(robot, frame=frame, rows=rows)
    return fuse(jacobian(robot, frame=frame), w).compile()
