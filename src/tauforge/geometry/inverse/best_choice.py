"""Which joints of a general arm are eliminated: choices, compared on some poses of the arm."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ...errors import ProgramError
from .chain import NOWHERE, Floats, Motion
from .eliminate import Eliminated
from .general import UNKNOWNS, Choice
from .plan import placed

if TYPE_CHECKING:
    from .general import General

TRIED, ENOUGH = 24, -8.0
"""Poses on which choices are compared, and the mean of logarithms of errors that needs no comparison."""


def best_choice(general: General) -> tuple[Choice, Eliminated | None]:
    """Return the choice whose determinant spans the fewest orders of magnitude; if there is none without eigenvalues,
    the one that finds most solutions of some poses, most exactly.
    """
    random = np.random.default_rng(7)
    T, q = _examples(general, random)
    choices = list(_choices(general, random))
    quick = [own for choice in choices if (own := Eliminated.of(general, choice, T, q))]
    for own in sorted(quick, key=lambda own: own.span):
        if _off(general, own.choice, T, q) < ENOUGH:
            return own.choice, own
    best, least = None, np.inf
    for choice in choices:
        off = _off(general, choice, T, q)
        if off < least:
            best, least = choice, off
        if least < ENOUGH and choice.hidden:
            break
    if best is None:
        raise ProgramError(
            f"{general.arm.robot.name}: its joints cannot be solved for in closed form or by elimination; "
            "tf.reach(…) finds states step by step"
        )
    return best, None


def _examples(general: General, random: np.random.Generator) -> tuple[Floats, Floats]:
    """Return some poses of the arm, and the states that have them."""
    chain = general.chain
    q = random.uniform(-2.5, 2.5, (TRIED, len(general.arm.robot.coordinate_names)))
    motions = dict[int, Motion]()
    for k in chain.real:
        axis = chain.axes[k]
        own = q[:, axis.place]
        if axis.slides:
            own = q[:, axis.place] = own * (general.size / 2.5)
        motions[k] = general._motion(k, own)
    pose = placed(chain, motions)
    T = np.zeros((TRIED, 4, 4))
    T.reshape(TRIED, 16)[:] = np.stack([np.broadcast_to(x, (TRIED,)) for x in pose.homogeneous], axis=1)
    return T, q


def _choices(general: General, random: np.random.Generator) -> Iterator[Choice]:
    """Yield choices, those first that may not need eigenvalues."""
    forward, axes = general.unknown, general.chain.axes
    for hidden, first, joints in product(range(3), range(UNKNOWNS), (forward, forward[::-1])):
        order = (*joints[first:], *joints[:first])
        if axes[order[5]].slides or any(axes[k].place == NOWHERE for k in order[2:5]):
            continue
        yield Choice(order, hidden, tuple(random.uniform(-np.pi, np.pi, 3)))


def _off(general: General, choice: Choice, T: Floats, q: Floats) -> float:
    """Return how far candidates are from the states that they are to find, as a mean of logarithms."""
    try:
        found = general.candidates(T, q, choice)
    except (np.linalg.LinAlgError, ProgramError):
        return np.inf
    off = found - q[:, None]
    turning = [axis.place for axis in general.chain.axes if axis.place != NOWHERE and not axis.slides]
    off[..., turning] -= 2 * np.pi * np.round(off[..., turning] / (2 * np.pi))
    with np.errstate(invalid="ignore"):
        far = np.nan_to_num(np.abs(off).max(axis=2), nan=10.0).min(axis=1)
    return float(np.log10(np.maximum(far, 1e-12)).mean() + 3.0 * (far > 1e-2).sum())
