"""Polynomials through given points at given times.

Cubic and quintic pieces have their velocities (and accelerations) at the points; those of a spline follow from higher
derivatives that do not jump. A trapezoidal motion has constant accelerations, in blends, and constant velocities
between them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import ProgramError
from .checks import Floats, positive
from .laws import Pieces

ROOM = 1e-9
"""Part of a time by which blends can overlap: rounding."""


def cubic(times: Floats, points: Floats, velocities: Floats) -> Pieces:
    """Return cubic pieces with given velocities at the points."""
    T = np.diff(times)[:, None]
    p, v, w, slope = points[:-1], velocities[:-1], velocities[1:], np.diff(points, axis=0) / T
    return Pieces(times, np.array([p, v, (3.0 * slope - 2.0 * v - w) / T, (v + w - 2.0 * slope) / T**2]))


def quintic(times: Floats, points: Floats, velocities: Floats, accelerations: Floats) -> Pieces:
    """Return pieces of the fifth order with given velocities and accelerations at the points."""
    T = np.diff(times)[:, None]
    p, v, a = points[:-1], velocities[:-1], accelerations[:-1] / 2.0
    way = points[1:] - p - v * T - a * T**2  # what the higher powers add at the piece's end, and to its rates there
    rate = (velocities[1:] - v - 2.0 * a * T) * T
    second = (accelerations[1:] - 2.0 * a) * T**2
    higher = (
        (10.0 * way - 4.0 * rate + second / 2.0) / T**3,
        (-15.0 * way + 7.0 * rate - second) / T**4,
        (6.0 * way - 3.0 * rate + second / 2.0) / T**5,
    )
    return Pieces(times, np.array([p, v, a, *higher]))


def passing_velocities(times: Floats, points: Floats) -> Floats:
    """Return velocities at the points: the mean of the slopes on both sides, zero where these differ in sign or at the
    ends (Craig, Introduction to Robotics, section 7.3).
    """
    slopes = np.diff(points, axis=0) / np.diff(times)[:, None]
    found = np.zeros_like(points)
    found[1:-1] = np.where(slopes[1:] * slopes[:-1] > 0.0, 0.5 * (slopes[1:] + slopes[:-1]), 0.0)
    return found


def spline(times: Floats, points: Floats, velocities: Floats, accelerations: Floats, degree: int) -> Pieces:
    """Return the spline of degree 3 or 5 with given velocities (5: and accelerations) at both ends."""
    from scipy.interpolate import make_interp_spline

    rates = (velocities, accelerations)[: degree // 2]
    ends: Any = tuple([(k, rate[end]) for k, rate in enumerate(rates, 1)] for end in (0, -1))
    found = make_interp_spline(times, points, k=degree, bc_type=ends)
    slopes = (found(times[:-1], nu=k) / math.factorial(k) for k in range(1, degree + 1))
    return Pieces(times, np.array([points[:-1], *slopes]))


def at_rest(times: Floats, points: Floats, blends: Sequence[object]) -> Pieces:
    """Return trapezoidal motions from each point to the next, with rest at all of them, and a blend for each."""
    return joined([trapezoidal(times[k : k + 2], points[k : k + 2], blend) for k, blend in enumerate(blends)])


def joined(each: Sequence[Pieces]) -> Pieces:
    """Return pieces one after another, each of which starts when the one before ends."""
    knots = np.concatenate([*(own.knots[:-1] for own in each), each[-1].knots[-1:]])
    return Pieces(knots, np.concatenate([own.coefficients for own in each], axis=1))


def trapezoidal(times: Floats, points: Floats, blend: object = None) -> Pieces:
    """Return constant velocities with blends of constant acceleration; a point is passed in the middle of its blend."""
    T = np.diff(times)
    b = float(T.min()) / 3.0 if blend is None else positive("blend", blend)
    shares = np.array([1.0 + (k == 0) / 2.0 + (k == len(T) - 1) / 2.0 for k in range(len(T))])
    if (tight := np.flatnonzero(b * shares > T * (1.0 + ROOM))).size:
        k = int(tight[0])
        raise ProgramError(
            f"blend = {b:g} s does not fit between the points {k + 1} and {k + 2}: at most {T[k] / shares[k]:g} s"
        )
    D = (T - b * (shares - 1.0))[:, None]  # a blend at rest covers half the way of its time at full speed
    velocities = np.diff(_corners(points, D, b), axis=0) / D
    return _blended(times, points[0], velocities, b)


def _corners(points: Floats, D: Floats, b: float) -> Floats:
    """Return where the straight lines meet, so that their blends have the points in the middle."""
    from scipy.linalg import solve_banded

    share = b / 8.0 / D[:, 0]
    A = np.zeros((3, len(points)))  # the diagonals, from above, of x_i + (v_i - v_i-1) b / 8 = p_i
    A[1] = 1.0
    A[0, 2:], A[2, :-2] = share[1:], share[:-1]
    A[1, 1:-1] -= share[1:] + share[:-1]
    return np.asarray(solve_banded((1, 1), A, points))


def _blended(times: Floats, start: Floats, velocities: Floats, b: float) -> Pieces:
    """Return the motion from rest to rest with these velocities between blends about the times."""
    centres = [times[0] + b / 2.0, *times[1:-1], times[-1] - b / 2.0]
    rest = np.zeros((1, velocities.shape[1]))
    steps = np.diff(np.concatenate([rest, velocities, rest]), axis=0) / b
    knots, pieces, p, v = [], [], start, rest[0]
    for k, (centre, a) in enumerate(zip(centres, steps, strict=True)):
        lasts = [(centre - b / 2.0, b, a)]
        if k < len(centres) - 1:
            lasts.append((centre + b / 2.0, centres[k + 1] - centre - b, 0.0 * a))
        for begin, lasting, own in lasts:
            if lasting > ROOM * b:
                knots.append(begin)
                pieces.append([p, v, own / 2.0])
                p, v = p + v * lasting + own * lasting**2 / 2.0, v + own * lasting
    return Pieces(np.array([*knots, times[-1]]), np.swapaxes(np.array(pieces), 0, 1))


def shortest_times(points: Floats, velocity: Floats, acceleration: Floats) -> tuple[Floats, list[float]]:
    """Return the earliest times of the points for trapezoidal motions from rest to rest between them, and each blend;
    all joints keep the rhythm of the slowest.
    """
    ways = np.abs(np.diff(points, axis=0))
    with np.errstate(divide="ignore"):
        fastest, hardest = (velocity / ways).min(axis=1), (acceleration / ways).min(axis=1)
    if not np.isfinite(hardest).all():
        raise ProgramError("acceleration: without a limit for the joints that move, no time is the shortest")
    reached = np.minimum(fastest, np.sqrt(hardest))
    blends = reached / hardest
    return np.concatenate([[0.0], np.cumsum(1.0 / reached + blends)]), blends.tolist()
