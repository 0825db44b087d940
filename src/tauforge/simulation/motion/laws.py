"""How coordinates follow from time: polynomials, Fourier series, compiled expressions, functions with differences.

A law maps times (m,) to coordinates, velocities and accelerations, (m, n) each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ProgramError
from .checks import Floats

Rates = tuple[Floats, Floats, Floats]
Law = Callable[[Floats], Rates]
STENCIL = 7
"""Values from which a derivative is found: central differences of the sixth order, fewer at the ends."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Polynomials one after another.

    Attributes
    ----------
    knots
        Where they start, and where the last one ends, (pieces + 1).
    coefficients
        In the time since a piece's start, lowest power first, (powers, pieces, n).
    """

    knots: Floats
    coefficients: Floats

    def __call__(self, t: Floats) -> Rates:
        """Return the motion at some times; where two pieces meet, that of the later one."""
        piece = self.piece(t)
        u = (t - self.knots[piece])[:, None]
        first, *others = self._with_derivatives
        found = first[:, piece]
        for part in others:
            found = found * u + part[:, piece]
        return found[0], found[1], found[2]

    def piece(self, t: Floats) -> NDArray[np.intp]:
        """Return the number of the piece at each time; where two meet, that of the later one."""
        return np.asarray(np.clip(np.searchsorted(self.knots, t, side="right") - 1, 0, len(self.knots) - 2))

    @cached_property
    def _with_derivatives(self) -> Floats:
        """The coefficients of the polynomials and of their first two derivatives, highest power first."""
        powers = np.arange(1.0, len(self.coefficients))[:, None, None]
        orders = [self.coefficients]
        for _ in range(2):
            orders.append(np.concatenate([powers * orders[-1][1:], 0.0 * orders[-1][:1]]))
        return np.stack(orders, axis=1)[::-1].copy()

    def stretched(self, speed: float) -> Pieces:
        """Return the same path at another speed, with knots that are met as exactly as before."""
        powers = speed ** np.arange(len(self.coefficients))[:, None, None]
        knots = self.knots[0] + (self.knots - self.knots[0]) / speed
        return Pieces(knots, self.coefficients * powers)

    def counted_from(self, start: float) -> Pieces:
        """Return the same motion as a law of the seconds since a time."""
        return Pieces(self.knots - start, self.coefficients)


@dataclass(frozen=True, eq=False)
class Fourier:
    """A Fourier series: q̇ = Σ a_l cos(l ω t) + b_l sin(l ω t), integrated about a centre.

    Attributes
    ----------
    a
        Amplitudes of velocity along cosines, (n, harmonics).
    b
        Amplitudes of velocity along sines.
    """

    centre: Floats
    a: Floats
    b: Floats
    frequency: float

    def __call__(self, t: Floats) -> Rates:
        """Return the motion at some times."""
        w = self.frequency * np.arange(1.0, self.a.shape[1] + 1.0)
        sine, cosine = np.sin(t[:, None] * w), np.cos(t[:, None] * w)
        q = self.centre + sine @ (self.a / w).T - cosine @ (self.b / w).T
        return q, cosine @ self.a.T + sine @ self.b.T, cosine @ (self.b * w).T - sine @ (self.a * w).T

    def counted_from(self, start: float) -> Fourier:
        """Return the same motion as a law of the seconds since a time: the phase of each harmonic moves on."""
        w = self.frequency * np.arange(1.0, self.a.shape[1] + 1.0)
        sine, cosine = np.sin(w * start), np.cos(w * start)
        return Fourier(self.centre, self.a * cosine + self.b * sine, self.b * cosine - self.a * sine, self.frequency)


@dataclass(frozen=True, eq=False)
class Compiled:
    """A compiled function of t with the outputs q, qd and qdd."""

    function: Callable[..., Any]

    def __call__(self, t: Floats) -> Rates:
        """Return the motion at some times."""
        q, qd, qdd = self.function(t)
        return q, qd, qdd


@dataclass(frozen=True, eq=False)
class Given:
    """Any functions of time: coordinates, and their derivatives where known; differences replace the others.

    Attributes
    ----------
    step
        Time between the values from which a derivative is found; all of them are between start and end.
    """

    q: Callable[[float], Any]
    qd: Callable[[float], Any] | None
    qdd: Callable[[float], Any] | None
    start: float
    end: float
    step: float

    def __call__(self, t: Floats) -> Rates:
        """Return the motion at some times."""
        q = values(self.q, t)
        if self.qd is not None:
            qd = values(self.qd, t)
            qdd = self._differences(self.qd, t, 1) if self.qdd is None else values(self.qdd, t)
        else:
            qd = self._differences(self.q, t, 1)
            qdd = self._differences(self.q, t, 2) if self.qdd is None else values(self.qdd, t)
        if not q.shape == qd.shape == qdd.shape:
            raise ProgramError(
                f"q, qd and qdd must return equally many numbers, not {q.shape[1]}, {qd.shape[1]} and {qdd.shape[1]}"
            )
        return q, qd, qdd

    def _differences(self, function: Callable[[float], Any], t: Floats, order: int) -> Floats:
        half = STENCIL // 2
        before = np.minimum(half, ((t - self.start) / self.step + 1e-9).astype(int))
        after = np.minimum(half, ((self.end - t) / self.step + 1e-9).astype(int))
        first = np.where(after < half, after - STENCIL + 1, -before)
        times = t[:, None] + self.step * (first[:, None] + np.arange(STENCIL))
        near = values(function, np.clip(times, self.start, self.end).ravel()).reshape(*times.shape, -1)
        weights = np.array([_weights(int(k), order) for k in first])
        return np.asarray(np.einsum("mk,mkn->mn", weights, near)) / self.step**order


@dataclass(frozen=True, eq=False)
class Along:
    """A path, passed through in a rhythm.

    Attributes
    ----------
    path
        Maps its parameter to coordinates and their rates by the parameter.
    rhythm
        The parameter over time.
    segments
        If the path has corners, where the rhythm rests: the number of the segment on which each piece of the rhythm is,
        as the path's second argument. The parameter alone does not tell, since it is rounded.
    """

    path: Callable[..., Rates]
    rhythm: Pieces
    segments: NDArray[np.intp] | None = None

    def __call__(self, t: Floats) -> Rates:
        """Return the motion at some times."""
        s, speed, rise = self.rhythm(t)
        where = () if self.segments is None else (self.segments[self.rhythm.piece(t)],)
        q, rate, second = self.path(s[:, 0], *where)
        return q, rate * speed, second * speed**2 + rate * rise

    def stretched(self, speed: float) -> Along:
        """Return the same path at another speed."""
        return Along(self.path, self.rhythm.stretched(speed), self.segments)

    def counted_from(self, start: float) -> Along:
        """Return the same motion as a law of the seconds since a time."""
        return Along(self.path, self.rhythm.counted_from(start), self.segments)

    @property
    def knots(self) -> Floats:
        """Times at which the acceleration can jump."""
        return self.rhythm.knots


@dataclass(frozen=True, eq=False)
class Stretched:
    """Another law, passed through at a different speed."""

    law: Law
    start: float
    speed: float

    def __call__(self, t: Floats) -> Rates:
        """Return the motion at some times."""
        q, qd, qdd = self.law(self.start + self.speed * (t - self.start))
        return q, self.speed * qd, self.speed**2 * qdd

    def counted_from(self, start: float) -> Stretched:
        """Return the same motion as a law of the seconds since a time."""
        return Stretched(counted_from(self.law, start), self.start - start, self.speed)


@dataclass(frozen=True, eq=False)
class Later:
    """A law of time, as one of the seconds since a start."""

    law: Law
    start: float

    def __call__(self, t: Floats) -> Rates:
        """Return the motion at some times."""
        return self.law(self.start + t)


def counted_from(law: Law, start: float) -> Law:
    """Return the same motion as a law of the seconds since a time; only functions of time still need their clock."""
    if isinstance(law, Pieces | Along | Fourier | Stretched):
        return law.counted_from(start)
    return Later(law, start)


def values(function: Callable[[float], Any], t: Floats) -> Floats:
    """Return a user's function of one time, at many: (m, n)."""
    found: list[Floats] = []
    for x in t.tolist():
        try:
            own = np.atleast_1d(np.array(function(x), dtype=float))
        except (TypeError, ValueError, OverflowError) as error:
            raise ProgramError(f"the function of time fails at t = {x:g} s: {error}") from error
        if own.ndim != 1 or (found and own.shape != found[0].shape):
            raise ProgramError(
                f"the function of time returns an array of shape {own.shape} at t = {x:g} s; it must return one number "
                "per joint, equally many at all times"
            )
        found.append(own)
    return np.array(found)


@lru_cache
def _weights(first: int, order: int) -> Floats:
    """Return what the values at first, first + 1, … steps contribute to a derivative at 0."""
    powers = np.vander(first + np.arange(STENCIL, dtype=float), increasing=True).T
    wanted = np.zeros(STENCIL)
    wanted[order] = float(order)  # the factorial of 1 or 2
    return np.asarray(np.linalg.solve(powers, wanted))
