"""Why a pose has no solution, in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..task import Task
from .chain import NOWHERE, Floats
from .choose import ROUNDING, TURN, _limits
from .refine import Refined
from .result import Truths

if TYPE_CHECKING:
    from .arm import Arm


def reasons(
    task: Task,
    arm: Arm,
    T: Floats,
    near: Floats,
    found: Refined,
    count: NDArray[np.intp],
    exact: Truths,
    nearest: Callable[[Floats, Floats, bool], Floats],
    limits: bool,
) -> NDArray[Any]:
    """Return a text for each pose without an exact solution; an empty one for the others."""
    texts = np.full(len(T), "", dtype=object)
    empty = np.flatnonzero((count == 0) | ~exact)
    beyond = [k for k in empty if found.good[k].any()]
    for k in beyond:
        texts[k] = _limited(arm, found.q[k][found.good[k]])
    far = np.array([k for k in empty if not found.good[k].any()], dtype=int)
    if len(far):
        apart = task.apart(nearest(T[far], near[far], False), T[far])
        for k, distance, angle in zip(far, apart.distance, apart.angle, strict=True):
            texts[k] = f"out of reach: the nearest state is {distance:.4g} m and {angle:.4g} rad away"
    return texts


def _limited(arm: Arm, q: Floats) -> str:
    """Say which limits the solution that violates fewest of them is beyond, and by how much."""
    axes = [axis for axis in arm.chain.axes if axis.place != NOWHERE]
    lower, upper = _limits(arm, np.array([axis.place for axis in axes]), True)
    over = np.empty((len(q), len(axes)))
    for j, axis in enumerate(axes):
        own = q[:, axis.place, None] + (0.0 if axis.slides else TURN * np.arange(-2, 3))
        over[:, j] = np.maximum(np.maximum(lower[j] - own, own - upper[j]), 0.0).min(axis=1)
    best = over[int((over > ROUNDING).sum(axis=1).argmin())]
    parts = [
        f"{axis.name} by {far:.4g} {'m' if axis.slides else 'rad'}"
        for axis, far in zip(axes, best, strict=True)
        if far > ROUNDING
    ]
    return f"beyond the limits of {', '.join(parts)}, at the best"
