"""Arms that are almost singular: solutions along what would be a family if axes met.

There, all joints but one follow from the position of that one, up to an error that is small everywhere along the
family. Solutions are where this error changes its sign.
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
    """Return states where the error along a family changes its sign, and which branch of which pose each is of."""
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
    return middle, which


def _settled(ik: InverseGeometry, rest: Function, q: Floats, T: Floats) -> tuple[Floats, Floats]:
    """Return states after steps of all joints but one, and the errors left."""
    for _ in range(STEPS):
        q, _ = rest(q, T)
    q = np.nan_to_num(q)
    return q, ik._task.apart(q, T).error
