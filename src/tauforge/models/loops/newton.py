"""Damped Newton steps for many states at once: what closes loops, in every room."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Left = Callable[[Floats], tuple[Floats, Floats]]
"""Gives, for states (k, n), the errors (k, m) and their slopes along each axis (k, m, axes)."""
Step = Callable[[Floats, Floats], Floats]
"""Gives the states that steps along the axes lead to."""

TOLERANCE = 1e-12
"""Error of a closed loop, in metres and radians."""
ROUNDING = 1e3
"""How many times that rounding may leave."""
STEPS = 200
"""Steps at the most."""
FAR = 0.5
"""The largest step of a joint, in metres or radians."""
_LEAST, _MOST = 1e-12, 1e4
"""Bounds of the damping, as a part of the largest entry of JᵀJ."""
_PATIENCE, _PROGRESS = 20, 0.95
"""A state is given up if this many steps leave this part of its error."""


def newton(
    left: Left, step: Step, q: Floats, free: Sequence[int], steps: int = STEPS, enough: int | None = None
) -> tuple[Floats, Floats]:
    """Return the states that damped Newton steps (Levenberg and Marquardt's) lead to, and the errors left there.

    Parameters
    ----------
    left, step
        The errors, and how states move.
    q
        States to start from, (k, n).
    free
        The axes that may move.
    enough
        How many closed states suffice; by default all are waited for.
    """
    q, free = q.copy(), list(free)
    error, J = left(q)
    damping, before = np.full(len(q), 1e-8), np.linalg.norm(error, axis=1)
    lost = ~np.isfinite(before)
    for count in range(1, steps + 1):
        worst = np.abs(error).max(axis=1, initial=0.0)
        trying = np.flatnonzero((worst > TOLERANCE) & ~lost)
        if not len(trying) or (enough is not None and (worst <= TOLERANCE).sum() >= enough):
            break
        ahead = step(q[trying], _steps(J[trying][:, :, free], error[trying], damping[trying], free, J.shape[2]))
        after, slopes = left(ahead)
        sizes = np.linalg.norm(after, axis=1)
        better = sizes < np.linalg.norm(error[trying], axis=1)
        taken = trying[better]
        q[taken], error[taken], J[taken] = ahead[better], after[better], slopes[better]
        damping[trying] = np.where(better, np.maximum(damping[trying] * 0.1, _LEAST), damping[trying] * 10.0)
        lost[trying] |= damping[trying] > _MOST
        if count % _PATIENCE == 0:
            now = np.linalg.norm(error, axis=1)
            lost |= now > _PROGRESS * before
            before = now
    return q, error


def is_closed(error: Floats) -> NDArray[np.bool_]:
    """Tell for each state whether its errors are zero but for rounding."""
    found: NDArray[np.bool_] = np.abs(error).max(axis=1, initial=0.0) <= ROUNDING * TOLERANCE
    return found


def angles(error: Floats, cosine: Floats, places: Sequence[Sequence[int]]) -> Floats:
    """Return errors (..., m) with the angles themselves instead of their sines, which vanish at half a turn too."""
    found = error.copy()
    for k, own in enumerate(places):
        if own:
            sine = np.linalg.norm(error[..., own], axis=-1)
            angle = np.arctan2(sine, cosine[..., k])
            found[..., own] *= np.where(sine > 0.0, angle / np.where(sine > 0.0, sine, 1.0), 1.0)[..., None]
            found[..., own[0]] += np.where((sine == 0.0) & (cosine[..., k] < 0.0), np.pi, 0.0)
    return found


def _steps(J: Floats, error: Floats, damping: Floats, free: list[int], axes: int) -> Floats:
    """Return a damped step for each state, none of them far."""
    transposed = np.swapaxes(J, 1, 2)
    N = transposed @ J
    scale = np.maximum(np.abs(N).max(axis=(1, 2), initial=0.0), 1e-12)
    N += (damping * scale)[:, None, None] * np.eye(len(free))
    found = np.zeros((len(J), axes))
    found[:, free] = -np.linalg.solve(N, transposed @ error[..., None])[..., 0]
    found *= np.minimum(1.0, FAR / np.maximum(np.abs(found).max(axis=1, initial=0.0), 1e-300))[:, None]
    return found
