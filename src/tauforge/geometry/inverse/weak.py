"""Arms that are almost singular: solutions along what would be a family if axes met.

There, all joints but one follow from the position of that one, up to an error that is small everywhere along the
family. Solutions are where this error changes its sign, or near where it is least. Families of several dimensions are
walked along by Newton steps: across the family until it is reached, then along it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .chain import Floats
from .choose import TURN
from .newton import newton
from .result import gathered

if TYPE_CHECKING:
    from ...runtime.function import Function
    from .arm import InverseGeometry

PLACES = 64
"""Positions of the weakly determined joint, all around."""
STEPS, HALVINGS = 5, 6
"""Newton steps of the other joints, and steps towards a change of sign."""
CLOSE = 0.05
"""Errors, in metres and radians, above which the others do not follow."""
WALK, STRONG, SETTLED, FAR = 40, 1e-3, 0.1, 0.3
"""Steps along families of several dimensions; singular values above which a direction is none of a family's; the part
of the error along it that squared errors of the others may be when a step is made along it; and the longest step.
"""


def crossings(ik: InverseGeometry, T: Floats, near: Floats, blur: float) -> Floats:
    """Return states (k, K, n) near solutions of goals (k); NaN where there is none."""
    chain = ik._arm.chain
    with np.errstate(all="ignore"):
        free = ik._compiled(T, near, blur).free
    free = np.where(np.isfinite(free), free, 0.0).astype(int)
    found, poses = list[Floats](), list[NDArray[np.intp]]()
    for joint in chain.real:
        pose, branch = np.nonzero(free & 2**joint)
        if not len(pose):
            continue
        rest = ik.__dict__.setdefault("_rests", {})
        if joint not in rest:
            rest[joint] = newton(ik.robot, chain, ik._arm.held | {joint})
        at, which = _followed(ik, rest[joint], chain.axes[joint].place, (T[pose], near[pose], branch), blur)
        found.append(at)
        poses.append(pose[which])
    n = len(ik.robot.coordinate_names)
    return gathered(np.concatenate([np.empty((0, n)), *found]), np.concatenate([[], *poses]).astype(int), len(T))


def _followed(
    ik: InverseGeometry,
    rest: Function,
    place: int,
    given: tuple[Floats, Floats, NDArray[np.intp]],
    blur: float,
) -> tuple[Floats, NDArray[np.intp]]:
    """Return states where the error along a family changes its sign or is least, and which branch of which pose each
    is of: between two solutions close to each other, it changes its sign twice.
    """
    T, near, branch = given
    states, errors = list[Floats](), list[Floats]()
    for turn in TURN * np.arange(PLACES + 1) / PLACES:
        at = near.copy()
        at[:, place] += turn
        with np.errstate(all="ignore"):
            q = np.nan_to_num(ik._compiled(T, at, blur).q[np.arange(len(T)), branch])
        q[:, place] = at[:, place]
        q, error = _settled(ik, rest, q, T)
        states.append(q)
        errors.append(error)
    q, e = np.stack(states, axis=1), np.stack(errors, axis=1)
    close = np.linalg.norm(e, axis=2) < CLOSE
    changes = ((e[:, :-1] * e[:, 1:]).sum(axis=2) <= 0.0) & close[:, :-1] & close[:, 1:]
    which, cell = np.nonzero(changes)
    low, high, e_low, e_high = q[which, cell], q[which, cell + 1], e[which, cell], e[which, cell + 1]
    middle = low
    for _ in range(HALVINGS):
        a, b = (np.linalg.norm(x, axis=1)[:, None] for x in (e_low, e_high))
        way = high - low
        way -= TURN * np.round(way / TURN) * (np.arange(way.shape[1]) != place)
        part = np.clip(a / np.maximum(a + b, 1e-300), 0.1, 0.9)
        middle, e_middle = _settled(ik, rest, low + part * way, T[which])
        beyond = ((e_middle * e_low).sum(axis=1) < 0.0)[:, None]
        low, e_low = np.where(beyond, low, middle), np.where(beyond, e_low, e_middle)
        high, e_high = np.where(beyond, middle, high), np.where(beyond, e_middle, e_high)
    size = np.linalg.norm(e[:, :-1], axis=2)
    least = (size <= np.roll(size, 1, axis=1)) & (size <= np.roll(size, -1, axis=1)) & close[:, :-1]
    lowest, cell = np.nonzero(least)
    sides = [q[lowest, (cell + step) % PLACES] for step in (-1, 0, 1)]
    return np.concatenate([middle, *sides]), np.concatenate([which, *[lowest] * 3])


def _settled(ik: InverseGeometry, rest: Function, q: Floats, T: Floats) -> tuple[Floats, Floats]:
    """Return states after steps of all joints but one, and the errors left."""
    for _ in range(STEPS):
        q, _ = rest(q, T)
    q = np.nan_to_num(q)
    return q, ik._task.apart(q, T).error


def columns(ik: InverseGeometry) -> list[int]:
    """Return the columns of slopes for the joints that are solved for: not their places in q where another joint of the
    robot has more coordinates than velocities.
    """
    return [ik.robot.velocity_names.index(axis.name) for axis in ik._free]


def along(ik: InverseGeometry, T: Floats, q: Floats) -> Floats:
    """Return states (k, n) after steps towards solutions along families of one dimension or more.

    A step along the family follows from an error much smaller than those across it, so that these must be removed
    before: their squares disturb it.
    """
    q, going, places, own = q.copy(), np.arange(len(q)), [axis.place for axis in ik._free], columns(ik)
    for _ in range(WALK):
        if not len(going):
            break
        error, slopes, *_ = ik._task.apart(q[going], T[going])
        U, sizes, V = np.linalg.svd(slopes[..., own], full_matrices=False)
        parts = (U * error[..., None]).sum(axis=1)
        across = np.where(sizes > STRONG, parts, 0.0)
        rest = np.linalg.norm(parts - across, axis=1)
        ready = (across**2).sum(axis=1) < SETTLED * rest
        used = (sizes > STRONG) | (ready[:, None] & (sizes > 1e-14))
        move = (np.where(used, parts / np.where(used, sizes, 1.0), 0.0)[:, None] * V.swapaxes(1, 2)).sum(axis=2)
        move *= np.minimum(1.0, FAR / np.maximum(np.linalg.norm(move, axis=1), 1e-300))[:, None]
        q[going[:, None], places] += move
        going = going[np.linalg.norm(error, axis=1) > 1e-13]
    return q
