"""Goals that leave a joint undetermined, or near which two branches are one: one state for each family of solutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .branches import BLURRED, CLOSE, HOPELESS, SHARP
from .chain import Floats
from .refine import FINE, GOOD, Refined, merged, refine, steps
from .result import compacted
from .weak import along, columns, crossings

if TYPE_CHECKING:
    from .arm import InverseGeometry

TRIES, ROUNDS = 24, 4
"""Positions tried of joints that their own step leaves undetermined: all around, then closer to the best."""
APART = (0.0, 0.003, 0.03)
"""How far from branches of the nearest exact arm steps start, in metres or radians, one after another."""
SCATTERED = 32
"""Starts all over, for each branch in which two joints or more can be anywhere."""
LOT = 64
"""Poses that are looked at more closely at once."""
WIDE = 1e-24
"""The fourth power of relative lengths that may be rounding where several steps are almost singular, if no branch is a
solution: rounding below 1e-14 makes two branches that are one differ by 1e-7.
"""
WEAK, MOVED = 1e-8, 0.01
"""Singular values along which a solution may be one of infinitely many, and by how much it is then moved to see."""


def representatives(ik: InverseGeometry, T: Floats, near: Floats) -> Refined:
    """Return solutions of goals (k): a branch with a joint that can be anywhere keeps it where it is, or moves it to
    where the following joints have a solution.
    """
    sharp, blurred = (_branches(ik, T, near, blur) for blur in (SHARP, BLURRED))
    better = blurred.family & blurred.good
    q = np.where(better[..., None], blurred.q, sharp.q)
    good, family = sharp.good | better, np.where(better, True, sharp.family)
    none = np.flatnonzero(~good.any(axis=1))
    if len(none):
        q[none], good[none], family[none] = _branches(ik, T[none], near[none], WIDE)
    return merged(ik._arm.chain, Refined(q, good, family))


def around(ik: InverseGeometry, T: Floats, near: Floats, blurs: Sequence[float]) -> Refined:
    """Return solutions of goals (k) near singular poses of an arm whose axes almost meet: from many starts.

    Where the axes meet, a joint can be anywhere or two branches are one; a little besides, solutions are isolated, and
    anywhere along such a family or apart from such a branch.
    """
    lots = [slice(k, k + LOT) for k in range(0, len(T), LOT)]
    parts = [_around(ik, T[lot], near[lot], blurs) for lot in lots]
    room = max(part.q.shape[1] for part in parts)
    return Refined(
        np.concatenate([_padded(part.q, room, np.nan) for part in parts]),
        np.concatenate([_padded(part.good, room, False) for part in parts]),
        np.concatenate([_padded(part.family, room, False) for part in parts]),
    )


def _padded(x: NDArray[Any], room: int, value: float) -> NDArray[Any]:
    more = ((0, 0), (0, room - x.shape[1]), *((0, 0),) * (x.ndim - 2))
    return np.pad(x, more, constant_values=value)


def _around(ik: InverseGeometry, T: Floats, near: Floats, blurs: Sequence[float]) -> Refined:
    chain, random, starts = ik._arm.chain, np.random.default_rng(0), list[Floats]()
    places = [axis.place for axis in ik._free]
    for number, turn in enumerate(np.arange(TRIES) / TRIES * 2.0 - 1.0):
        at = near.copy()
        at[:, places] += np.pi * turn * random.choice([-1.0, 1.0], len(places))
        for blur in blurs:
            q, error, _ = _solved(ik, T, at, blur)
            q[..., places] += random.normal(size=(q.shape[1], len(places))) * APART[number % len(APART)]
            starts.append(np.where((error < HOPELESS)[..., None], q, np.nan))
    starts += [crossings(ik, T, near, blur) for blur in blurs]
    starts += [_scattered(ik, T, near, blurs[-1]), ik._general.solutions(ik._newton, T, near)[0].q]
    found = refine(ik._newton, chain, T, np.concatenate(starts, axis=1))
    q, count, family = compacted(*found, None)
    good = np.arange(q.shape[1]) < count[:, None]
    return represented(ik, T, near, Refined(q, good, family))


def _scattered(ik: InverseGeometry, T: Floats, near: Floats, blur: float) -> Floats:
    """Return starts for goals (k) at which two joints or more of a branch can be anywhere; NaN for others."""
    with np.errstate(all="ignore"):
        free = np.nan_to_num(ik._compiled(T, near, blur).free).astype(int)
    some, branches = np.flatnonzero((free & (free - 1)).any(axis=1)), free.shape[1]
    starts = np.full((len(T), SCATTERED * branches * (len(some) > 0), len(ik.robot.coordinate_names)), np.nan)
    places = [axis.place for axis in ik._free]
    random = np.random.default_rng(1)
    for row in range(0, starts.shape[1], branches):
        at = near[some].copy()
        at[:, places] += random.uniform(-np.pi, np.pi, len(places))
        q, error, _ = _solved(ik, T[some], at, blur)
        starts[some, row : row + branches] = np.where((error < HOPELESS)[..., None], q, np.nan)
    which = np.nonzero(np.isfinite(starts).all(axis=2))
    starts[which] = along(ik, T[which[0]], starts[which])
    return starts


def represented(ik: InverseGeometry, T: Floats, near: Floats, found: Refined) -> Refined:
    """Return solutions with those flagged that joints can leave without moving the frame, one for each such family."""
    q, good, family = found
    places = [axis.place for axis in ik._free]
    pose, row = np.nonzero(good)
    _, sizes, V = np.linalg.svd(ik._task.apart(q[pose, row], T[pose]).slopes[..., columns(ik)])
    weak = np.flatnonzero((sizes[:, -1] < WEAK) | (V.shape[-1] > sizes.shape[-1]))
    pose, row, way = pose[weak], row[weak], V[weak, -1]
    moved = q[pose, row]
    moved[:, places] += MOVED * way
    after, error = steps(ik._newton, moved, T[pose])
    free = (error < GOOD) & (
        np.abs(after - q[pose, row])[:, places].max(axis=1) > 0.5 * MOVED * np.abs(way).max(axis=1)
    )
    good = good.copy()
    for k in np.unique(pose[free]):
        mine = np.flatnonzero(free & (pose == k))
        mine = mine[np.argsort(np.linalg.norm(q[k, row[mine]] - near[k, : q.shape[2]], axis=1))]
        kept = list[int]()
        for i in mine:
            still = [place for place, x in zip(places, way[i], strict=True) if abs(x) < 1e-6]
            same = any(np.abs(np.sin(0.5 * (q[k, row[i]] - q[k, row[j]])))[still].max(initial=0.0) < 1e-6 for j in kept)
            good[k, row[i]] = not same
            kept += [] if same else [int(i)]
        family[k, row[mine]] = True
    return Refined(q, good, family & good)


def _branches(ik: InverseGeometry, T: Floats, near: Floats, blur: float) -> Refined:
    """Return the branches for one size of what counts as rounding, refined."""
    q, error, family = _solved(ik, T, near, blur)
    _exact(ik, T, q, error, CLOSE)  # a solution where its joints are is better than one elsewhere
    places = [axis.place for axis in ik._free]
    random, width, centre = np.random.default_rng(0), np.pi, np.repeat(near[:, None], q.shape[1], axis=1)
    for _ in range(ROUNDS):
        if not (family & (error > GOOD**2)).any():
            break
        for turn in (np.arange(TRIES) + 0.5) / TRIES * 2.0 - 1.0:
            for branch in range(q.shape[1]):
                some = np.flatnonzero(family[:, branch] & (error[:, branch] > GOOD**2))
                signs = random.choice([-1.0, 1.0], len(places))  # the same whatever other poses need
                if len(some):
                    at = centre[some, branch].copy()
                    at[:, places] += width * turn * signs
                    _bettered(branch, some, (q, error, family), _solved(ik, T[some], at, blur))
        centre[..., : q.shape[2]] = np.where(np.isfinite(q), q, near[:, None, : q.shape[2]])
        width *= 2.0 / TRIES
    _exact(ik, T, q, error, HOPELESS)
    return Refined(q, error < GOOD**2, family)


def _exact(ik: InverseGeometry, T: Floats, q: Floats, error: Floats, below: float) -> None:
    """Make those of the states exact, by Newton steps, whose squared errors are below a bound."""
    rows = np.nonzero((error < below) & (error > FINE**2) & np.isfinite(q).all(axis=2))
    if len(rows[0]):
        q[rows], left = steps(ik._newton, q[rows], T[rows[0]])
        error[rows] = left**2


Tried = tuple[Floats, Floats, NDArray[np.bool_]]


def _solved(ik: InverseGeometry, T: Floats, near: Floats, blur: float) -> Tried:
    with np.errstate(all="ignore"):
        found = ik._compiled(T, near, blur)
    return found.q, np.where(np.isnan(found.error), np.inf, found.error), found.free != 0.0


def _bettered(branch: int, some: NDArray[np.intp], known: Tried, new: Tried) -> None:
    """Take the new results of a branch where their errors are smaller."""
    better = new[1][:, branch] < known[1][some, branch]
    for mine, own in zip(known, new, strict=True):
        mine[some[better], branch] = own[better, branch]
