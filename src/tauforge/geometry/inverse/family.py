"""Goals that leave a joint undetermined, or near which two branches are one: one state for each family of solutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .arm_angle import ARM_ANGLE
from .branches import BLURRED, CLOSE, HOPELESS, SHARP
from .chain import Floats
from .choose import TURN
from .nearest import nearest_states
from .other_orders import all_around, by_other_orders
from .refine import FINE, GOOD, SAME, Refined, joined, merged, refine, steps, wrapped
from .result import Truths, compacted
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
REGULAR = 1e-6
"""The singular value above which a pose determines all joints."""
EDGE = 1e-6
"""How far beyond reach a pose may be that is taken for one at its edge, in metres and radians."""
BACK = 20
"""Steps back to the pose at the most: towards two solutions that are one, errors fall by a quarter in each."""


def representatives(ik: InverseGeometry, T: Floats, near: Floats) -> Refined:
    """Return solutions of goals (k): a branch with a joint that can be anywhere keeps it where it is, or moves it to
    where the following joints have a solution; and where its step determines nothing but the pose does, the solutions
    of other orders.
    """
    sharp, blurred = (_branches(ik, T, near, blur) for blur in (SHARP, BLURRED))
    better = blurred.family & blurred.good
    q = np.where(better[..., None], blurred.q, sharp.q)
    good, family = sharp.good | better, np.where(better, True, sharp.family)
    none = np.flatnonzero(~good.any(axis=1))
    if len(none):
        q[none], good[none], family[none] = _branches(ik, T[none], near[none], WIDE)
    by_branches = merged(ik._arm.chain, Refined(q, good, family))
    if ARM_ANGLE in ik.fixed:
        return by_branches
    return _with_edges(ik, T, near, _with_isolated(ik, T, near, by_branches), sharp.q)


def _with_edges(ik: InverseGeometry, T: Floats, near: Floats, known: Refined, starts: Floats) -> Refined:
    """Return solutions with one for poses that are within rounding of reach, but beyond it: Newton steps do not settle
    there, least squares do.
    """
    none = np.flatnonzero(~known.good.any(axis=1) & np.isfinite(T).all(axis=(1, 2)))
    if not len(none):
        return known
    K, n = starts.shape[1:]
    _, error = ik._newton(np.nan_to_num(starts[none].reshape(-1, n)), np.repeat(T[none], K, axis=0))
    none = none[error.reshape(-1, K).min(axis=1) < EDGE]
    if not len(none):
        return known
    q = nearest_states(ik, T[none], near[none, :n], False)
    good = (ik._newton(q, T[none])[1] < GOOD).reshape(-1, 1)
    more = Refined(wrapped(ik._arm.chain, q)[:, None], good, np.zeros_like(good))
    return joined(ik._arm.chain, known, more, none)


def _with_isolated(ik: InverseGeometry, T: Floats, near: Floats, known: Refined) -> Refined:
    """Return solutions with those that the arm's own order hides, because a step leaves a joint undetermined that the
    pose determines; a state in which the pose determines all joints represents no others, whatever a step said.
    """
    with np.errstate(all="ignore"):
        free = np.nan_to_num(ik._compiled(T, near, BLURRED).free).astype(int)
    known = known._replace(family=known.family & (weakest(ik, T, known.q, known.good) < REGULAR))
    weak = np.flatnonzero(free.any(axis=1) & np.isfinite(T).all(axis=(1, 2)))
    if not len(weak):
        return known
    T, near, free = T[weak], near[weak], free[weak]
    more, lost = by_other_orders(ik, T, near, free)
    open_ = np.flatnonzero(lost & ~known.family[weak].any(axis=1))
    if len(open_):
        more = joined(ik._arm.chain, more, all_around(ik, T[open_], near[open_], free[open_]), open_)
    first = Refined(known.q[weak], known.good[weak], known.family[weak])
    more = more._replace(good=more.good & ~_again(ik, first, more, weakest(ik, T, more.q, more.good)))
    both = merged(ik._arm.chain, Refined(*(np.concatenate(x, axis=1) for x in zip(first, more, strict=True))))
    told = represented(ik, T, near, both, stays=np.arange(both.q.shape[1]) < known.q.shape[1])
    known.good[weak] = False
    return joined(ik._arm.chain, known, told._replace(family=told.family | both.family), weak)


def _again(ik: InverseGeometry, known: Refined, more: Refined, size: Floats) -> Truths:
    """Tell which states (k, K, n) are known ones again, as far as their least singular values (k, K) tell."""
    places = [axis.place for axis in ik._free]
    turning = np.array([not axis.slides for axis in ik._free])
    with np.errstate(all="ignore"):
        off = np.abs(more.q[:, :, None, places] - known.q[:, None, :, places])
        off = np.where(turning, np.abs(off - TURN * np.round(off / TURN)), off).max(axis=3, initial=0.0)
        near = off < np.minimum(SAME + GOOD / size, MOVED)[..., None]
    return np.asarray((near & known.good[:, None]).any(axis=2))


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


def represented(ik: InverseGeometry, T: Floats, near: Floats, found: Refined, stays: Truths | None = None) -> Refined:
    """Return solutions with those flagged that joints can leave without moving the frame, one for each such family.

    Rows (K) that stay come first and are all kept.
    """
    q, good, _ = found
    free, still = movable(ik, T, q, good)
    places = [axis.place for axis in ik._free]
    good, stays = good.copy(), np.zeros(q.shape[1], dtype=bool) if stays is None else stays
    for k in np.flatnonzero(free.any(axis=1)):
        mine = np.flatnonzero(free[k])
        mine = mine[np.lexsort((np.linalg.norm(q[k, mine] - near[k, : q.shape[2]], axis=1), ~stays[mine]))]
        kept = list[int]()
        for i in mine:
            off = np.abs(np.sin(0.5 * (q[k, i] - q[k, kept])))[:, places][:, still[k, i]]
            same = bool((off.max(axis=1, initial=0.0) < 1e-6).any())
            good[k, i] = stays[i] or not same
            kept += [int(i)] if good[k, i] else []
    return Refined(q, good, free & good)


def movable(ik: InverseGeometry, T: Floats, q: Floats, good: Truths) -> tuple[Truths, NDArray[np.bool_]]:
    """Tell which states (k, K, n) joints can leave without moving the frame, (k, K), and which joints stay where they
    are when they do, (k, K, joints).

    Where axes meet exactly, joints that are determined by less than rounding can leave their state. Where they almost
    do, what is left of the error along a direction determines them.
    """
    places = [axis.place for axis in ik._free]
    free, still = np.zeros_like(good), np.zeros((*good.shape, len(places)), dtype=bool)
    pose, row = np.nonzero(good & (weakest(ik, T, q, good) < WEAK))
    if not len(pose):
        return free, still
    _, sizes, V = np.linalg.svd(ik._task.apart(q[pose, row], T[pose]).slopes[..., columns(ik)])
    none = np.ones((len(V), V.shape[-1]), dtype=bool)  # directions that the frame does not notice
    none[:, : sizes.shape[1]] = sizes < WEAK
    state, way = np.nonzero(none)
    pose, row, way = pose[state], row[state], V[state, way]
    moved = q[pose, row]
    moved[:, places] += MOVED * way
    after, error = _brought_back(ik, T[pose], moved) if ik._is_exact else steps(ik._newton, moved, T[pose])
    off = np.abs(after - q[pose, row])[:, places]
    left = (error < GOOD) & (off.max(axis=1) > 0.1 * MOVED * np.abs(way).max(axis=1))
    free[pose[left], row[left]], still[pose[left], row[left]] = True, off[left] < 1e-6
    return free, still


def weakest(ik: InverseGeometry, T: Floats, q: Floats, good: Truths) -> Floats:
    """Return the least singular value of the Jacobian in each good state (k, K, n); NaN in the others."""
    size, which = np.full(good.shape, np.nan), np.nonzero(good)
    if len(which[0]):
        slopes = ik._task.apart(q[which], T[which[0]]).slopes[..., columns(ik)]
        rows, joints = slopes.shape[1:]
        size[which] = np.linalg.svd(slopes, compute_uv=False)[:, -1] if joints <= rows else 0.0
    return size


def _brought_back(ik: InverseGeometry, T: Floats, q: Floats) -> tuple[Floats, Floats]:
    """Return states (k, n) after steps towards goals along all directions but those that the frame hardly notices, and
    the errors left.
    """
    q, places, error = q.copy(), [axis.place for axis in ik._free], np.full(len(q), np.inf)
    going = np.arange(len(q))
    for _ in range(BACK):
        _, off = ik._newton(q[going], T[going])
        error[going] = off[:, 0]
        going = going[off[:, 0] > 0.01 * GOOD]
        if not len(going):
            break
        way, slopes, *_ = ik._task.apart(q[going], T[going])
        U, sizes, V = np.linalg.svd(slopes[..., columns(ik)], full_matrices=False)
        parts = np.where(sizes > WEAK, (U * way[..., None]).sum(axis=1) / np.maximum(sizes, WEAK), 0.0)
        move = (parts[:, None] * V.swapaxes(1, 2)).sum(axis=2)
        q[going[:, None], places] += (
            move * np.minimum(1.0, 0.1 / np.maximum(np.linalg.norm(move, axis=1), 0.1))[:, None]
        )
    return q, error


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
