"""Fourier series that start and end at rest: velocities and accelerations are zero at both ends."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space

from ...simulation.motion.make import fourier_motion
from ...simulation.motion.motion import Motion

Floats = NDArray[np.float64]
Rates = tuple[Floats, Floats, Floats]


@dataclass(frozen=True, eq=False)
class Series:
    """Motions q = c + Σ a_l / (l ω) sin(l ω t) - b_l / (l ω) cos(l ω t) of n joints over one period, by free numbers.

    Rest at both ends takes Σ a_l = 0 and Σ l b_l = 0, and a given position there c = q₀ + Σ b_l / (l ω). What is left
    free is an orthonormal basis of the rest, in which each joint has its own unit.

    Attributes
    ----------
    duration
        The period.
    harmonics
        How many.
    unit
        The velocity of each joint that one free number means.
    start
        The position at both ends; None if it is free.
    """

    duration: float
    harmonics: int
    unit: Floats
    start: Floats | None = None

    @cached_property
    def basis(self) -> Floats:
        """The coefficients c, a, b of each free number, (1 + 2 harmonics, free); c is in units of a second."""
        order = np.arange(1.0, self.harmonics + 1.0)
        none, one = np.zeros(self.harmonics), np.ones(self.harmonics)
        rows = [[0.0, *one, *none], [0.0, *none, *order]]
        if self.start is not None:
            rows.append([1.0, *none, *(-1.0 / (order * self.frequency))])
        return np.asarray(null_space(np.array(rows)))

    @property
    def frequency(self) -> float:
        """The angular frequency of the first harmonic."""
        return 2.0 * np.pi / self.duration

    @property
    def size(self) -> int:
        """How many numbers are free."""
        return len(self.unit) * int(self.basis.shape[1])

    def grid(self, count: int) -> Floats:
        """Return evenly spaced times that represent a period."""
        return np.asarray((np.arange(count) + 0.5) * (self.duration / count))

    def at(self, t: Floats) -> Rates:
        """Return what each free number of a joint adds to its position, velocity and acceleration, (times, free)."""
        w = self.frequency * np.arange(1.0, self.harmonics + 1.0)
        sine, cosine = np.sin(t[:, None] * w), np.cos(t[:, None] * w)
        one, none = np.ones((len(t), 1)), np.zeros((len(t), 1))
        q = np.hstack([one, sine / w, -cosine / w])
        qd, qdd = np.hstack([none, cosine, sine]), np.hstack([none, -sine * w, cosine * w])
        return q @ self.basis, qd @ self.basis, qdd @ self.basis

    def coefficients(self, x: Floats) -> Floats:
        """Return c, a and b of each joint, (n, 1 + 2 harmonics)."""
        found = (x.reshape(len(self.unit), -1) @ self.basis.T) * self.unit[:, None]
        if self.start is not None:
            found[:, 0] += self.start
        return np.asarray(found)

    def free(self, coefficients: Floats) -> Floats:
        """Return the free numbers of the nearest series with this rest."""
        own = coefficients.copy()
        if self.start is not None:
            own[:, 0] -= self.start
        return np.asarray(((own / self.unit[:, None]) @ self.basis).ravel())

    def resting(self, x: Floats, low: Floats, high: Floats) -> Floats:
        """Return the rest that a motion can shrink to: its centre within a range, or the start."""
        if self.start is not None:
            return np.zeros_like(x)
        own = np.zeros((len(self.unit), 1 + 2 * self.harmonics))
        own[:, 0] = np.clip(self.coefficients(x)[:, 0], low, high)
        return self.free(own)

    def motion(self, x: Floats) -> Motion:
        """Return a motion."""
        centre, a, b = np.split(self.coefficients(x), [1, 1 + self.harmonics], axis=1)
        return fourier_motion(a, b, self.duration, centre=centre[:, 0])
