"""Samples: regressor and torques of all recordings, filtered and decimated together, in blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import Columns
from .factor import Factor
from .states import Source, States, decimated

Floats = NDArray[np.float64]
ROWS = 1024
"""Samples whose columns are computed at a time, so that they stay in the processor's cache."""
KEPT = 2**27
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
    """

    parts: list[Floats]
    tau: Floats

    def residual(self, columns: Columns, values: Floats) -> Floats:
        """Return measured minus computed torques."""
        return self.tau - columns.torque(values, self.parts)


@dataclass(eq=False)
class Samples:
    """The samples of an identification.

    Attributes
    ----------
    columns
        The columns.
    sources
        The recordings.
    speeds
        The speeds of breakaway friction, one per rubbing axis.
    rigid
        Values of the inertial parameters from which load-dependent friction takes its load; None if there is none.
    map
        Computes blocks from recordings, on one thread or many.
    """

    columns: Columns
    sources: Sequence[Source]
    speeds: Floats | None = None
    rigid: Floats | None = None
    map: Callable[..., Iterable[Any]] = map
    _kept: list[Block] | None = field(default=None, repr=False)

    def blocks(self) -> Iterator[Block]:
        """Yield all blocks; they are kept if they are small."""
        if self._kept is not None:
            yield from self._kept
            return
        kept: list[Block] | None = []
        size = 0
        for block in (
            x for source in self.sources for x in self.map(lambda s, own=source: self.block(own, s), source.blocks())
        ):
            size += block.tau.nbytes + sum(x.nbytes for x in block.parts)
            kept = None if kept is None or size > KEPT else [*kept, block]
            yield block
        self._kept = kept

    def block(self, source: Source, states: States) -> Block:
        """Return the columns and torques of states, decimated."""
        window, step = source.filters.window, source.filters.decimation
        tau = decimated(states.tau, window, step)
        parts = [np.empty((len(tau), len(own))) for own in self.columns.rows]
        each = max(ROWS // step, 1)
        for first in range(0, len(tau), each):
            end = min(first + each, len(tau))
            some = slice(first * step, (end - 1) * step + len(window))
            for whole, part in zip(parts, self.evaluated(states, some), strict=True):
                whole[first:end] = decimated(part, window, step)
        return Block(parts, tau)

    def evaluated(self, states: States, some: slice = slice(None)) -> list[Floats]:
        """Return the columns of states before decimation."""
        columns = self.columns
        q, qd, qdd, slip = states.q[some], states.qd[some], states.qdd[some], states.slip[some]
        more = {} if self.speeds is None else {"speeds": self.speeds}
        if "load" in columns.program.inputs:
            more["load"] = np.zeros_like(slip)
            if self.rigid is not None:
                parts = columns.by_torque(q, qd, qdd, slip, **more)
                more["load"] = loads(columns, columns.torque(self.rigid, parts))
        return columns.by_torque(q, qd, qdd, slip, **more)

    def factor(self, weights: Callable[[Block], Floats] | None = None) -> Factor:
        """Return the factor of all samples, each sample of each torque with a weight if these are given."""
        total: Factor | None = None
        for block in self.blocks():
            own = Factor.of(block.parts, block.tau, None if weights is None else weights(block))
            total = own if total is None else total + own
        assert total is not None
        return total


def loads(columns: Columns, torques: Floats) -> Floats:
    """Return the amounts of the torques on each rubbing axis."""
    found = np.zeros((len(torques), len(columns.rubbing)))
    for place, row in columns.torque_of.items():
        found[:, place] = np.abs(torques[:, row])
    return found
