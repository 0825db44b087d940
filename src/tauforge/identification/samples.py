"""Samples: regressor and torques of all recordings, filtered and decimated together, in blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .columns import Columns
from .factor import Factor
from .states import Source, States, decimated

Floats = NDArray[np.float64]
T = TypeVar("T")
ROWS = 1024
"""Samples whose columns are computed at a time, so that they stay in the processor's cache."""
KEPT = 2**26
"""Bytes of decimated blocks that are kept for the next pass; more than that are computed again."""


@dataclass(frozen=True, eq=False)
class Block:
    """Consecutive samples after decimation.

    Attributes
    ----------
    parts
        For each torque, its columns (samples, own columns).
    tau
        Torques (samples, torques).
    moving
        1 for each torque and sample that counts, 0 for those that are left out near rest, whose rows are zero; None if
        all count.
    """

    parts: list[Floats]
    tau: Floats
    moving: Floats | None = None

    @property
    def counted(self) -> Floats:
        """1 for each torque and sample that counts, 0 for others."""
        return np.ones_like(self.tau) if self.moving is None else self.moving

    def residual(self, columns: Columns, values: Floats) -> Floats:
        """Return measured minus computed torques."""
        return self.tau - columns.torque(values, self.parts)

    @property
    def nbytes(self) -> int:
        """Size in memory."""
        return self.tau.nbytes + sum(x.nbytes for x in self.parts)


@dataclass(frozen=True, eq=False)
class Samples:
    """The samples of an identification.

    Attributes
    ----------
    columns
        The columns.
    sources
        The recordings, or parts of them.
    speeds
        The speeds of breakaway friction, one per rubbing axis.
    rigid
        Values of the inertial parameters from which load-dependent friction takes its load; None if there is none.
    rest
        Samples with an axis slower than this do not count for that torque.
    executor
        Runs the sources, such as a pool of threads or a Dask client; None runs them one after another.
    """

    columns: Columns
    sources: Sequence[Source]
    speeds: Floats
    rigid: Floats | None = None
    rest: float = 0.0
    executor: Any = None
    _kept: dict[int, list[Block]] = field(default_factory=dict, repr=False)

    def changed(self, **fields: Any) -> Samples:
        """Return the samples with some fields changed."""
        return replace(self, **{"_kept": {}, **fields})

    def recordings(self) -> list[Samples]:
        """Return the samples of each recording."""
        grouped: dict[int, list[int]] = {}
        for k, source in enumerate(self.sources):
            grouped.setdefault(source.number, []).append(k)
        return [
            self.changed(
                sources=[self.sources[k] for k in own],
                _kept={i: self._kept[k] for i, k in enumerate(own) if k in self._kept},
            )
            for own in grouped.values()
        ]

    def passed(self, job: Callable[[Iterable[Block]], T]) -> list[T]:
        """Return what a function makes of the blocks of each source."""
        if self.executor is None:
            return [job(self.blocks(k)) for k in range(len(self.sources))]
        futures = [self.executor.submit(_job, self._alone(), k, job) for k in range(len(self.sources))]
        return [future.result() for future in futures]

    def _alone(self) -> Samples:
        """Return the samples without what runs them: itself for threads, which share what is kept."""
        return self if hasattr(self.executor, "_threads") else self.changed(executor=None)

    def blocks(self, source: int) -> Iterator[Block]:
        """Yield the blocks of a source; they are kept if all are small."""
        if source in self._kept:
            yield from self._kept[source]
            return
        own: list[Block] | None = []
        room = KEPT // len(self.sources)
        for states in self.sources[source].blocks():
            block = self.block(self.sources[source], states)
            own = None if own is None or sum(x.nbytes for x in own) + block.nbytes > room else [*own, block]
            yield block
        if own is not None:
            self._kept[source] = own

    def block(self, source: Source, states: States) -> Block:
        """Return the columns and torques of states, decimated."""
        window, step = source.filters.window, source.filters.decimation
        tau = decimated(states.tau, window, step) * source.weights
        entries = np.empty((len(tau), sum(map(len, self.columns.rows))))
        each = max(ROWS // step, 1)
        room = np.empty(((each - 1) * step + len(window), entries.shape[1]))
        for first in range(0, len(tau), each):
            end = min(first + each, len(tau))
            some = slice(first * step, (end - 1) * step + len(window))
            out = room[: some.stop - some.start]
            entries[first:end] = decimated(self.evaluated(states, some, out), window, step)
        parts = [Y * weight for Y, weight in zip(self.columns.split(entries), source.weights, strict=True)]
        if not self.rest:
            return Block(parts, tau)
        moving = self._moving(states, window, step)
        return Block([Y * moving[:, k, None] for k, Y in enumerate(parts)], tau * moving, moving)

    def _moving(self, states: States, window: Floats, step: int) -> Floats:
        """Return 1 for each torque and sample whose joint moves throughout the window, and 0 for others."""
        slow = np.zeros_like(states.tau)
        speeds = np.abs(self.columns.velocities(states.q, states.qd))
        for place, row in self.columns.torque_of.items():
            slow[:, row] = speeds[:, place] < self.rest
        return np.asarray(decimated(slow, window, step) == 0.0, dtype=float)

    def evaluated(self, states: States, some: slice = slice(None), out: Floats | None = None) -> Floats:
        """Return the entries of states before decimation, in ``out`` if that is given."""
        columns = self.columns
        q, qd, qdd, slip = states.q[some], states.qd[some], states.qdd[some], states.slip[some]
        more = {"speeds": self.speeds}
        if columns.loaded:
            more["load"] = np.zeros_like(slip)
            if self.rigid is not None:
                parts = columns.by_torque(q, qd, qdd, slip, **more)
                more["load"] = loads(columns, columns.torque(self.rigid, parts))
        return columns.entries(q, qd, qdd, slip, out, **more)

    def factor(self, weights: Callable[[Block], Floats] | None = None) -> Factor:
        """Return the factor of all samples, each sample of each torque with a weight if these are given."""
        return Factor.sum(self.passed(partial(_factor, weights=weights)))


def _job(samples: Samples, source: int, job: Callable[[Iterable[Block]], T]) -> T:
    return job(samples.blocks(source))


def _factor(blocks: Iterable[Block], weights: Callable[[Block], Floats] | None) -> Factor:
    return Factor.sum(Factor.of(x.parts, x.tau, x.moving, None if weights is None else weights(x)) for x in blocks)


def loads(columns: Columns, torques: Floats) -> Floats:
    """Return the amounts of the torques on each rubbing axis."""
    found = np.zeros((len(torques), len(columns.rubbing)))
    for place, row in columns.torque_of.items():
        found[:, place] = np.abs(torques[:, row])
    return found
