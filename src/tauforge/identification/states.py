"""The states of a recording, block by block: coordinates, velocities, accelerations, directions of friction, torques.

A block overlaps its neighbours by as much as the filters reach, so a recording that does not fit into memory is
processed like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..models.configuration import difference
from ..robot.robot import Robot
from ..runtime.function import Function
from .columns import Columns
from .recording import ARRAYS, Recording, release
from .signals import REACH, WEIGHTS, Filters, rate
from .slip import along

Floats = NDArray[np.float64]
BLOCK = 32768
"""Samples that are filtered at a time."""


@dataclass(frozen=True, eq=False)
class States:
    """Some consecutive samples of a recording at equal time steps.

    Attributes
    ----------
    q
        Coordinates.
    qd
        Velocities.
    qdd
        Accelerations.
    slip
        Directions of friction.
    tau
        Torques as measured.
    """

    q: Floats
    qd: Floats
    qdd: Floats
    slip: Floats
    tau: Floats

    def __len__(self) -> int:
        return len(self.q)


@dataclass(frozen=True, eq=False)
class Source:
    """A recording at equal time steps, with the way to filter it.

    Attributes
    ----------
    recording
        What was measured, checked.
    filters
        How it is filtered.
    columns
        What the states are for.
    first
        The sample at which the first window starts.
    last
        The sample before which the last window ends.
    number
        The number of the recording.
    weights
        By which the rows of each channel are multiplied: recordings with more noise count less.
    """

    recording: Recording
    filters: Filters
    columns: Columns
    first: int
    last: int
    number: int
    weights: Floats

    def split(self, most: int) -> list[Source]:
        """Return parts of about equal length, at most so many, and not shorter than a block."""
        step, overlap = self.filters.decimation, len(self.filters.window) - self.filters.decimation
        parts = max(1, min(most, (self.last - self.first) // BLOCK))
        count = -(-(self.last - self.first) // (parts * step)) * step
        starts = range(self.first, max(self.last - overlap, self.first + 1), count)
        return [replace(self, first=x, last=min(x + count + overlap, self.last)) for x in starts]

    @property
    def robot(self) -> Robot:
        """The robot."""
        return self.columns.robot

    def slip(self, velocities: Floats, before: Floats | None) -> Floats:
        """Return the directions of friction along velocities of the rubbing axes."""
        return along(velocities, self.filters, self.filters.step, before)

    def of(self, columns: Columns) -> Source:
        """Return the source for other columns of the same robot."""
        return replace(self, columns=columns)

    def start_of(self, samples: int) -> Source:
        """Return the part with the first samples, so many at most."""
        return replace(self, last=min(self.last, self.first + max(samples, 2 * len(self.filters.window))))

    def without_start(self, share: float) -> Source:
        """Return the part after a share of the samples."""
        return replace(self, first=max(self.first, int(share * len(self.recording))))

    def start(self) -> tuple[Floats, Floats]:
        """Return coordinates and velocities at the first sample, as a cubic through many samples tells them."""
        count = min(len(self.recording), max(16, 2 * len(self.filters.window)))
        q, t = np.asarray(self.recording.q[:count], dtype=float), np.arange(count) * self.filters.step
        first = np.polynomial.polynomial.polyfit(t, q, 3)
        if self.recording.qd is not None:
            return first[0], np.polynomial.polynomial.polyfit(t, self.recording.qd[:count], 3)[0]
        if len(first[1]) == len(self.robot.velocity_names):
            return first[0], first[1]
        return first[0], self._states(0, count, None).qd[0]

    def fastest(self) -> Floats:
        """Return the largest speed of each rubbing axis."""
        speeds = (np.abs(self.columns.velocities(x.q, x.qd)).max(axis=0) for x in self.blocks())
        return np.max(list(speeds), axis=0)  # type: ignore[no-any-return]

    def blocks(self) -> Iterator[States]:
        """Yield states from which whole windows of the decimation can be taken, each window once."""
        step = self.filters.decimation
        window = len(self.filters.window)
        first, last = self.first, self.last
        count = max(BLOCK // step, 1) * step
        start = max(0, first - BLOCK)
        before = self._states(start, first, None).slip[-1] if start < first else None  # friction remembers
        while first + window <= last:
            end = min(first + count + window - step, last)
            states = self._states(first, end, before)
            before = states.slip[count - 1] if count <= len(states) else None
            yield states
            first += count
            for key in ARRAYS:
                release(getattr(self.recording, key))

    def _states(self, first: int, end: int, before: Floats | None) -> States:
        """Return the states of some samples, filtered with their neighbours."""
        rec, filters = self.recording, self.filters
        a, b = max(0, first - filters.halo - REACH), min(len(rec), end + filters.halo + REACH)
        inner = slice(first - a, end - a)
        q = filters.smooth(np.asarray(rec.q[a:b], dtype=float))
        robot = self.robot.expanded()
        flat = robot.coordinate_names == robot.velocity_names
        q = q if flat else normalised(robot, q)
        qd = self._rate(q, flat) if rec.qd is None else filters.smooth(np.asarray(rec.qd[a:b], dtype=float))
        qdd = rate(qd, filters.step) if rec.qdd is None else filters.smooth(np.asarray(rec.qdd[a:b], dtype=float))
        q, qd, qdd = (np.ascontiguousarray(x[inner]) for x in (q, qd, qdd))
        directions = self.slip(self.columns.velocities(q, qd), before)
        return States(q, qd, qdd, directions, np.asarray(rec.tau[first:end], dtype=float))

    def _rate(self, q: Floats, flat: bool) -> Floats:
        """Return the velocities by central differences."""
        if flat:
            return rate(q, self.filters.step)
        between, here = self._difference, slice(REACH, len(q) - REACH)
        found = np.empty((len(q), len(self.robot.velocity_names)))
        found[1:-1] = between(q[:-2], q[2:]) / (2 * self.filters.step)
        found[0], found[-1] = found[1], found[-2]
        if len(q) > 2 * REACH:
            found[here] = sum(
                (w / self.filters.step)
                * (
                    between(q[here], q[REACH + k : len(q) - REACH + k])
                    - between(q[here], q[REACH - k : len(q) - REACH - k])
                )
                for k, w in enumerate(WEIGHTS, 1)
            )
        return found

    @cached_property
    def _difference(self) -> Function:
        return difference(self.robot).compile()


def normalised(robot: Robot, q: Floats) -> Floats:
    """Return coordinates with quaternions of length one."""
    place = 0
    q = q.copy()
    for joint in robot.joints:
        width = 0 if joint.mimic else len(joint.kind.coordinates)
        turned = [place + k for k, name in enumerate(joint.kind.coordinates[:width]) if name[-2:] in _QUATERNION]
        if len(turned) == 4:
            q[:, turned] /= np.linalg.norm(q[:, turned], axis=1, keepdims=True)
        place += width
    return q


_QUATERNION = (".x", ".y", ".z", ".w")


def decimated(x: Floats, window: Floats, step: int) -> Floats:
    """Return the window's weighted means of the rows of a matrix, at every so many rows."""
    if len(window) == 1:
        return x
    count = (len(x) - len(window)) // step + 1
    frames = len(window) // step
    pieces = x[: (count + frames - 1) * step].reshape(count + frames - 1, step, -1)
    parts = window.reshape(frames, step) @ pieces
    total = parts[:count, 0].copy()
    for k in range(1, frames):
        total += parts[k : k + count, k]
    return total
