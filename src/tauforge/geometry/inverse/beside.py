"""Poses beside others: where several solutions of a general arm have the same angle, or there are infinitely many, the
elimination does not tell them from each other; a little beside, it does, and Newton steps lead back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .chain import Floats
from .family import represented
from .nearest import nearest_states
from .refine import Refined, joined, merged, refine
from .result import Truths, compacted
from .weak import along

if TYPE_CHECKING:
    from .arm import InverseGeometry

SHIFTS = (1e-2, -1e-2, 1e-3, -1e-3, 1e-5, -1e-5)
"""How far beside a pose others are, in radians and in parts of the arm's size."""
CLOSE = 1e-5
"""Difference of two half tangents, as angles, below which they may be one."""


def with_others(ik: InverseGeometry, T: Floats, near: Floats, found: Refined, some: NDArray[np.intp]) -> Refined:
    """Return solutions of a general arm, with others of some poses: those that lead back from poses beside them, or one
    to which a search leads.
    """
    known = Refined(found.q[some], found.good[some], found.family[some])
    found.good[some] = False
    return joined(ik._arm.chain, found, _others(ik, T[some], near[some], known), some)


def _others(ik: InverseGeometry, T: Floats, near: Floats, found: Refined) -> Refined:
    chain, n = ik._arm.chain, found.q.shape[2]
    shifted = (beside(T, x, chain.size) for x in SHIFTS)
    starts = np.concatenate([ik._general.starts(ik._newton, x, near) for x in shifted], axis=1)
    back = refine(ik._newton, chain, T, starts)
    pose, row = np.nonzero(np.isfinite(starts).all(axis=2) & ~back.good)
    walked = np.full_like(starts, np.nan)
    walked[pose, row] = along(ik, T[pose], starts[pose, row])
    lots = [found, back, refine(ik._newton, chain, T, walked)]
    q, count, family = compacted(*merged(chain, _side_by_side(lots)), None)
    good = np.arange(q.shape[1]) < count[:, None]
    none = np.flatnonzero(count == 0)
    if len(none):
        last = refine(ik._newton, chain, T[none], nearest_states(ik, T[none], near[none], False)[:, None, :n])
        more = Refined(np.full((len(T), 1, n), np.nan), *np.zeros((2, len(T), 1), dtype=bool))
        more.q[none], more.good[none] = last.q, last.good
        q, good, family = _side_by_side([Refined(q, good, family), more])
    return represented(ik, T, near, Refined(q, good, family))


def _side_by_side(lots: list[Refined]) -> Refined:
    return Refined(*(np.concatenate(parts, axis=1) for parts in zip(*lots, strict=True)))


def beside(T: Floats, shift: float, size: float) -> Floats:
    """Return poses (k, 4, 4) turned and moved a little."""
    x, y, z, *way = np.random.default_rng(3).normal(size=6)
    turn = shift * np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    found = T.copy()
    found[:, :3, :3] = np.linalg.solve(np.eye(3) - 0.5 * turn, np.eye(3) + 0.5 * turn) @ T[:, :3, :3]
    found[:, :3, 3] += shift * size * np.array(way)
    return found


def close(x: Floats) -> Truths:
    """Tell for which poses two of the half tangents (k, K), NaN for none, are almost the same."""
    angle = np.sort(2.0 * np.arctan(x), axis=1)  # NaN comes last
    first, last = angle[:, 0], np.nanmax(angle, axis=1, initial=-np.inf)
    gaps = np.concatenate([np.diff(angle, axis=1), (first + 2.0 * np.pi - last)[:, None]], axis=1)
    return np.asarray((gaps < CLOSE).any(axis=1))
