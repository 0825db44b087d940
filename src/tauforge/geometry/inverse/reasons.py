"""Why a pose has no solution, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .chain import Floats
from .choose import ROUNDING, TURN, Range
from .family import EDGE
from .nearest import nearest_states
from .refine import GOOD, Refined
from .result import Truths

if TYPE_CHECKING:
    from .arm import InverseGeometry


def reasons(ik: InverseGeometry, T: Floats, near: Floats, found: Refined, missed: Truths) -> NDArray[Any]:
    """Return a text for each pose without an exact solution; an empty one for the others."""
    texts = np.full(len(T), "", dtype=object)
    empty = np.flatnonzero(missed)
    beyond = [k for k in empty if found.good[k].any()]
    for k in beyond:
        texts[k] = _limited(ik._range, found.q[k][found.good[k]])
    far = np.array([k for k in empty if not found.good[k].any()], dtype=int)
    if len(far):
        states = nearest_states(ik, T[far], near[far], False)
        apart, (_, error) = ik._task.apart(states, T[far]), ik._newton(states, T[far])
        for k, distance, angle, reached in zip(far, apart.distance, apart.angle, error[:, 0] < GOOD, strict=True):
            why = "at the edge of reach or near a singular state" if max(distance, angle) < EDGE else "out of reach"
            texts[k] = f"{why}: the nearest state is {distance:.4g} m and {angle:.4g} rad away"
            if reached:
                texts[k] = "the steps found no solution, but a search finds a state that has the pose: nearest=True"
    return texts


def _limited(own: Range, q: Floats) -> str:
    """Say which limits the solution that violates fewest of them, and these least, is beyond, and by how much."""
    over = np.empty((len(q), len(own.names)))
    for j, (place, turns) in enumerate(zip(own.places, own.turning, strict=True)):
        at = q[:, place, None] + (TURN * np.arange(-2, 3) if turns else 0.0)
        over[:, j] = np.maximum(np.maximum(own.lower[j] - at, at - own.upper[j]), 0.0).min(axis=1)
    best = over[np.lexsort((over.sum(axis=1), (over > ROUNDING).sum(axis=1)))[0]]
    parts = [
        f"{name} by {far:.4g} {'rad' if turns else 'm'}"
        for name, turns, far in zip(own.names, own.turning, best, strict=True)
        if far > ROUNDING
    ]
    return f"beyond the limits of {', '.join(parts)}, at the best"
