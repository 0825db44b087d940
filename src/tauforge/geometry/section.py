"""Sections through a workspace: cells of a plane, reached from random states and from neighbouring cells.

The window is that of the random states at first. As long as cells at its rim are reached, it grows: a workspace whose
joints turn, or slide within limits, has an end. With slides that have no limits, points far beyond the rim tell.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError
from ..robot.robot import Robot
from .reaching.goal import NUMBERS
from .workspace import MARGIN, NEAR, PLANES, Section, Workspace, in_plane, positions, transforms_of

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
SIDES = ((0, 1), (0, -1), (1, 0), (-1, 0))
STARTS, LOOPED, GROUPS = 20, 100, 8
"""Random starts for a cell at the edge; for any cell with closed loops, which have many assembly modes; and groups of
cells that have different ones: a region that one cell finds is then found by its neighbours."""
GROWTH, LARGEST = 0.25, 8
"""By which part the window grows beyond a rim that is reached, and its largest side, in sides of the first."""
BEYOND = (3.0, 12.0)
"""How far beyond the rim points are tried where joints slide without limits, in sides of the first window."""
SPREAD, GAIN = 20, 0.02
"""How often cells try the states of their neighbours, and the least part by which these must be better."""


def section(workspace: Workspace, plane: str, at: float, cells: int) -> Section:
    """Return what ``Workspace.section`` promises."""
    if not isinstance(plane, str) or plane not in PLANES:
        raise ProgramError(f"plane={plane!r}; choose among {', '.join(map(repr, PLANES))}")
    if isinstance(cells, bool) or not isinstance(cells, (int, np.integer)) or not 4 <= cells <= 2000:
        raise ProgramError(f"cells={cells!r}; it must be a whole number from 4 to 2000")
    if isinstance(at, bool) or not isinstance(at, Real) or not math.isfinite(at):
        raise ProgramError(f"at={at!r}; it must be a number, in metres")
    grid = _Grid(workspace, plane, float(at), int(cells))
    grid.fill()
    grid.grow()
    return grid.section()


def _centres(plane: str, at: float, right: Floats, up: Floats) -> Floats:
    """Return points of a plane as goals."""
    goals = np.zeros((len(right), NUMBERS))
    goals[:, [0, 4, 8]] = 1.0
    for axis, values in zip(PLANES[plane], (right, up, np.array(at)), strict=True):
        goals[:, 9 + axis] = values
    return goals


def dexterous(section: Section, measure: Callable[[Floats], Floats]) -> Floats:
    """Return the largest measure that is found at the centre of each cell, (rows, columns), or NaN.

    The best state in a cell climbs to more manipulability. Then cells try the states of their neighbours, as long as
    this helps.
    """
    own, shape = section.workspace, section.reachable.shape
    cells = np.argwhere(section.reachable)
    goals = _centres(section.plane, section.at, section.right[cells[:, 1]], section.up[cells[:, 0]])
    job = positions(own.robot, own.frame, climbs=not own.robot.loops)
    order = np.argsort(measure(section.q), kind="stable")
    start = np.zeros((*shape, section.q.shape[1]))
    start[tuple(section.cell[order].T)] = section.q[order]  # the best is written last
    found, state = np.full(shape, -np.inf), start.copy()

    def keep(q: Floats, error: Floats, some: Places) -> int:
        values = np.where(error <= NEAR**2, measure(q), -np.inf)
        rows, columns = cells[some].T
        better = values > found[rows, columns] * (1.0 + GAIN)
        found[rows[better], columns[better]] = values[better]
        state[rows[better], columns[better]] = q[better]
        return int(better.sum())

    everywhere = np.arange(len(cells))
    q, error = job.towards(start[tuple(cells.T)], goals, own.limits)
    keep(q, error, everywhere)
    if not own.robot.loops and job.setting.is_free:
        keep(job.settled(job.measured(q, goals), goals, q, own.limits, NEAR, None).q, error, everywhere)
    for _ in range(SPREAD):
        changed = 0
        for side in SIDES:
            other = np.clip(cells + side, 0, np.array(shape) - 1)
            some = np.flatnonzero(found[tuple(other.T)] > found[tuple(cells.T)] * (1.0 + GAIN))
            q, error = job.towards(state[tuple(other[some].T)], goals[some], own.limits)
            changed += keep(q, error, some)
        if not changed:
            break
    found[~section.reachable | ~np.isfinite(found)] = np.nan
    return found


class _Grid:
    """Cells, and a state for each that is reached."""

    def __init__(self, workspace: Workspace, plane: str, at: float, cells: int) -> None:
        self.workspace, self.plane, self.at = workspace, plane, at
        self.axes = PLANES[plane]
        low, high = workspace.box[:, self.axes[:2]]
        low, high = np.minimum(low, 0.0), np.maximum(high, 0.0)  # with the base
        if not (high - low).max() > NEAR:
            raise ProgramError(f"the origin of {workspace.frame} stays at that of the base: choose another frame")
        self.side = float((high - low).max()) * MARGIN / cells
        count = np.ceil((high - low) * MARGIN / self.side).astype(int) + 2
        first = 0.5 * (low + high) - 0.5 * self.side * (count - 1)
        self.right, self.up = (first[k] + self.side * np.arange(count[k]) for k in range(2))
        shape = (count[1], count[0])
        self.state = np.full((*shape, workspace.q.shape[1]), np.nan)
        self.reached, self.left = np.zeros(shape, dtype=bool), np.full(shape, np.inf)
        self.foot = np.full((*shape, 2), np.nan)  # the boundary's point nearest to a cell out of reach
        self.cell, self.q = np.empty((0, 2), dtype=np.intp), np.empty((0, workspace.q.shape[1]))
        self.tried = np.zeros(shape, dtype=bool)
        self.first, self.bounded = max(shape), True

    def fill(self) -> None:
        """Move all random states into the plane, and note the cells they are in."""
        own = self.workspace
        goal = np.zeros(NUMBERS)
        for k, axis in enumerate((*self.axes[:2], self.axes[2])):
            goal[3 * axis + k] = 1.0  # columns of the rotation: right, up, across
        goal[9 + self.axes[2]] = self.at
        q, error = in_plane(own.robot, own.frame).towards(own.q, np.tile(goal, (len(own.q), 1)), own.limits)
        q = q[error <= NEAR**2]
        points = self._points(q)
        column = np.round((points[:, self.axes[0]] - self.right[0]) / self.side).astype(np.intp)
        row = np.round((points[:, self.axes[1]] - self.up[0]) / self.side).astype(np.intp)
        some = (row >= 0) & (row < len(self.up)) & (column >= 0) & (column < len(self.right))
        self.cell, self.q = np.stack([row, column], axis=1)[some], q[some]
        self.state[row[some], column[some]] = self.q
        occupied = np.unique(self.cell, axis=0)
        self._try(occupied, occupied)

    def _points(self, q: Floats) -> Floats:
        return np.asarray(transforms_of(self.workspace.robot, self.workspace.frame)(q))[..., 0, :3, 3]

    def grow(self) -> None:
        """Try cells from their neighbours, and at the edge from anywhere, until none is reached any more.

        With closed loops, all cells are tried from anywhere.
        """
        while True:
            here, there = [], []
            for side in SIDES:
                origin = np.argwhere(self.reached)
                other = origin + side
                fits = ((other >= 0) & (other < self.reached.shape)).all(axis=1)
                other, origin = other[fits], origin[fits]
                new = ~self.reached[tuple(other.T)] & ~np.isfinite(self.left[tuple(other.T)])
                here.append(origin[new])
                there.append(other[new])
            cells = np.concatenate(there)
            if len(cells):
                self._try(cells, np.concatenate(here))
                continue
            late = ~self.reached & ~self.tried
            edge = np.argwhere(late & np.isfinite(self.left))
            if not len(edge) and self.workspace.robot.loops:  # other assembly modes can be anywhere
                edge = np.argwhere(late)
            if len(edge):
                self.tried[tuple(edge.T)] = True
                for group in range(min(GROUPS, len(edge))):
                    self._search(edge[group::GROUPS], np.random.default_rng(group))
            elif not self._widened():
                return

    def _search(self, cells: Places, random: np.random.Generator) -> None:
        """Try to reach the centres of cells from random states."""
        own, goals = self.workspace, _centres(self.plane, self.at, self.right[cells[:, 1]], self.up[cells[:, 0]])
        starts = LOOPED if own.robot.loops else STARTS
        self._note(cells, *positions(own.robot, own.frame).search(goals, own.limits, starts, random, None))

    def _widened(self) -> bool:
        """Widen the window beyond sides whose rim is reached, and tell whether there are any."""
        rims = [(0, self.reached[0]), (0, self.reached[-1]), (1, self.reached[:, 0]), (1, self.reached[:, -1])]
        wide = np.zeros((2, 2), dtype=int)  # rows and columns, before and after
        for k, (axis, rim) in enumerate(rims):
            if not rim.any():
                continue
            if self.reached.shape[axis] >= LARGEST * self.first or self._goes_on(axis, k % 2, np.flatnonzero(rim)):
                self.bounded = False
            else:
                wide[axis, k % 2] = max(4, int(GROWTH * self.first))
        if not wide.any():
            return False
        before, after = wide[:, 0], np.array(self.reached.shape) + wide[:, 0]

        def padded(x: NDArray[Any], empty: Any) -> NDArray[Any]:
            found = np.full((*(after + wide[:, 1]), *x.shape[2:]), empty, dtype=x.dtype)
            found[before[0] : after[0], before[1] : after[1]] = x
            return found

        self.state, self.foot = padded(self.state, np.nan), padded(self.foot, np.nan)
        self.left, self.reached, self.tried = (
            padded(self.left, np.inf), padded(self.reached, False), padded(self.tried, False),
        )  # fmt: skip
        self.cell = self.cell + before
        self.up, self.right = (
            values[0] + self.side * np.arange(-wide[axis, 0], len(values) + wide[axis, 1])
            for axis, values in enumerate((self.up, self.right))
        )
        return True

    def _goes_on(self, axis: int, end: int, rim: Places) -> bool:
        """Tell whether points far beyond a rim are reached, as with joints that slide without limits."""
        own = self.workspace
        if not slides_freely(own.robot, own.limits):
            return False
        some = rim[np.unique(np.linspace(0, len(rim) - 1, 8).astype(int))]
        cells = np.zeros((len(some), 2), dtype=np.intp)
        cells[:, axis], cells[:, 1 - axis] = (self.reached.shape[axis] - 1) * end, some
        far = np.ones(len(some), dtype=bool)
        for sides in BEYOND:
            right, up = self.right[cells[:, 1]], self.up[cells[:, 0]]
            step = (2 * end - 1) * sides * self.first * self.side
            right, up = (right, up + step) if axis == 0 else (right + step, up)
            start = self.state[tuple(cells.T)]
            _, error = positions(own.robot, own.frame).towards(
                start, _centres(self.plane, self.at, right, up), own.limits
            )
            far &= error <= NEAR**2
        return bool(far.any())

    def _try(self, cells: Places, origins: Places) -> None:
        """Try to reach the centres of cells from the states of others."""
        own, goals = self.workspace, _centres(self.plane, self.at, self.right[cells[:, 1]], self.up[cells[:, 0]])
        start = self.state[tuple(origins.T)]
        self._note(cells, *positions(own.robot, own.frame).towards(start, goals, own.limits))

    def _note(self, cells: Places, q: Floats, error: Floats) -> None:
        """Note states at the centres of cells, or the points of the boundary nearest to them."""
        found = error <= NEAR**2
        self.reached[tuple(cells[found].T)], self.state[tuple(cells[found].T)] = True, q[found]
        self.cell, self.q = np.concatenate([self.cell, cells[found]]), np.concatenate([self.q, q[found]])
        off = np.sqrt(error[~found])
        order = np.argsort(-off, kind="stable")  # the nearest is noted last
        for (row, column), far, point in zip(
            cells[~found][order], off[order], self._points(q[~found])[order], strict=True
        ):
            if far < self.left[row, column]:
                self.left[row, column], self.foot[row, column] = far, point[list(self.axes[:2])]
        self.foot[self.reached] = np.nan

    def section(self) -> Section:
        """Return the section, with distances from its boundary: exact outside, inside by the normals from there."""
        height = np.where(self.reached, -2.0 * self.side, np.where(np.isfinite(self.left), self.left, 2.0 * self.side))
        here = np.stack(np.meshgrid(self.right, self.up), axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            normal = (here - self.foot) / np.linalg.norm(here - self.foot, axis=-1, keepdims=True)
        total, count = np.zeros(height.shape), np.zeros(height.shape)
        for side in SIDES:
            foot, outward = (np.roll(x, side, axis=(0, 1)) for x in (self.foot, normal))
            depth = ((here - foot) * outward).sum(axis=-1)
            own = self.reached & np.isfinite(depth)
            total[own], count[own] = total[own] + depth[own], count[own] + 1.0
        edge = count > 0.0
        height[edge] = np.minimum(total[edge] / count[edge], 0.0)
        return Section(
            self.workspace,
            self.plane,
            self.at,
            self.right,
            self.up,
            self.reached,
            height,
            self.cell,
            self.q,
            self.bounded,
        )


def slides_freely(robot: Robot, limits: bool) -> bool:
    """Tell whether some joint can slide without limits."""
    whole = robot.expanded()
    for joint in whole.joints:
        slides = any(unit == "m" for unit in joint.kind.units) or len(joint.axes) > 1
        ends = (joint.limits.lower, joint.limits.upper) if limits and len(joint.axes) == 1 else (-np.inf, np.inf)
        if joint.axes and slides and not np.isfinite(ends).all():
            return True
    return False
