"""From measured signals to states: equal time steps, a cut-off from the data, zero-phase filters, differences.

The cut-off is where the spectrum of the positions sinks into their noise: beyond it, differences would only amplify
noise. The bandwidth is what the robot's motion needs, with a margin: regressor and torques are both filtered to it by
the same window and decimated (Gautier's parallel filtering), so that vibrations and noise beyond it do not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.fft import rfft
from scipy.interpolate import make_interp_spline
from scipy.signal import butter, sosfiltfilt

from ..errors import IdentificationError
from .recording import Recording

Floats = NDArray[np.float64]
UNEVEN = 0.01
"""Variation of the time step, relative to its median, from which samples are taken again at equal steps."""
MARGIN = 10.0
"""The bandwidth of regressor and torques, in multiples of that of the motion."""
MOTION = 0.99
"""The share of the velocities' power within the bandwidth of the motion."""
FLOOR = 4.0
"""The spectrum of positions over that of their noise at the cut-off."""
WEIGHTS = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
"""Of the differences to the next samples, both ways, in a derivative: right up to the eighth power of the step."""
REACH = len(WEIGHTS)
ORDER = 4
"""Of the Butterworth filter that runs over the positions forth and back."""
OVERLAP = 4
"""Length of the decimation window in multiples of the decimation."""


@dataclass(frozen=True)
class Filters:
    """How a recording is filtered.

    Attributes
    ----------
    step
        Time between samples.
    cutoff
        Of the positions' zero-phase filter, in Hz; None leaves them as they are.
    decimation
        Of each so many samples one is kept, after parallel filtering.
    noise
        Standard deviation of each coordinate's noise, from its spectrum at high frequencies.
    """

    step: float
    cutoff: float | None
    decimation: int
    noise: Floats

    @property
    def bandwidth(self) -> float:
        """Frequency up to which regressor and torques are compared, in Hz."""
        return 1.0 / (OVERLAP * self.decimation * self.step)

    @property
    def velocity_noise(self) -> Floats:
        """Standard deviation of the noise of each velocity up to the cut-off; zero if nothing is filtered."""
        if self.cutoff is None:
            return np.zeros_like(self.noise)
        return np.asarray(self.noise * 2 * np.pi * np.sqrt(2 * self.step * self.cutoff**3 / 3))

    @property
    def window(self) -> Floats:
        """The weights of the decimation's window: Hann's, whose response vanishes where the kept samples' ends."""
        if self.decimation == 1 and self.cutoff is None:
            return np.ones(1)
        length = OVERLAP * self.decimation
        weights = 0.5 - 0.5 * np.cos(2 * np.pi * (np.arange(length) + 0.5) / length)
        return np.asarray(weights / weights.sum())

    @property
    def halo(self) -> int:
        """Samples at both ends of a block that the filter's start disturbs."""
        return 2 * REACH if self.cutoff is None else int(np.ceil(2.0 / (self.cutoff * self.step)))

    def smooth(self, x: Floats) -> Floats:
        """Return signals without what is beyond the cut-off, and without delay."""
        if self.cutoff is None:
            return x
        padding = min(len(x) - 1, self.halo)
        return np.asarray(sosfiltfilt(self._sections, np.ascontiguousarray(x.T), axis=1, padlen=padding).T)

    @cached_property
    def _sections(self) -> Floats:
        return np.asarray(butter(ORDER, self.cutoff, fs=1.0 / self.step, output="sos"))


def rate(x: Floats, step: float) -> Floats:
    """Return the time derivative by central differences of eighth order; near the ends, of second order."""
    if len(x) <= 2 * REACH:
        return np.asarray(np.gradient(x, step, axis=0))
    found = np.empty_like(x)
    found[:REACH] = np.gradient(x[: REACH + 1], step, axis=0)[:REACH]
    found[-REACH:] = np.gradient(x[-REACH - 1 :], step, axis=0)[-REACH:]
    weights = np.concatenate([-np.array(WEIGHTS[::-1]), [0.0], WEIGHTS]) / step
    for k in range(x.shape[1]):
        found[REACH:-REACH, k] = np.correlate(x[:, k], weights)
    return found


def even(recording: Recording) -> Recording:
    """Return the recording at equal time steps; positions are interpolated by cubics, torques by lines."""
    steps = recording.steps
    typical = steps.typical
    if steps.greatest - steps.least <= UNEVEN * typical:
        return recording
    t = np.arange(recording.t[0], recording.t[-1] + 0.5 * typical, typical)
    t = t[t <= recording.t[-1]]

    def cubic(x: Floats | None) -> Floats | None:
        return None if x is None else np.asarray(make_interp_spline(recording.t, x, k=3)(t))

    tau = np.column_stack([np.interp(t, recording.t, column) for column in recording.tau.T])
    cubics = {key: cubic(getattr(recording, key)) for key in ("q", "qd", "qdd", "reference")}
    return recording.changed(t=t, tau=tau, **cubics)


def filters(recording: Recording, cutoff: float | str | None, decimate: int | None) -> Filters:
    """Return how to filter a recording at equal time steps, by default as its own spectrum suggests."""
    step, most = recording.step, 65536
    q = np.asarray(recording.q[:most], dtype=float)
    motion, found, noise = _spectrum(q, step)
    chosen = found if cutoff == "auto" else cutoff
    limit, duration = 0.4 / step, (len(recording) - 1) * step
    if chosen is not None and cutoff != "auto" and float(chosen) * duration < 1.0:
        raise IdentificationError(
            f"{recording.name}: cutoff is {float(chosen):.3g} Hz, but {duration:.3g} s show nothing that is slower "
            f"than {1.0 / duration:.3g} Hz; give a higher one, 'auto', or None for no filter"
        )
    chosen = None if chosen is None or float(chosen) >= limit else float(chosen)
    if decimate is None:
        wanted = MARGIN * motion if chosen is None else min(MARGIN * motion, chosen)
        decimate = max(1, round(1.0 / (OVERLAP * wanted * step)))
    decimate = min(decimate, max(1, len(recording) // 200))
    return Filters(step, chosen, decimate, noise)


def _spectrum(q: Floats, step: float) -> tuple[float, float, Floats]:
    """Return the bandwidth of the motion, where the positions' spectrum sinks into noise, and how large that is."""
    segment = min(len(q), max(256, int(2 ** np.round(np.log2(max(2.0 / step, 256))))))
    f, power = _welch(q, step, segment)
    floor = np.median(power[2 * len(f) // 3 :], axis=0)
    smoothed = np.apply_along_axis(lambda x: np.convolve(x, np.ones(5) / 5, "same"), 0, power)
    above = smoothed > FLOOR * np.maximum(floor, 1e-300)
    ends = np.array([len(f) if above[1:, k].all() else int(np.argmin(above[1:, k])) + 1 for k in range(q.shape[1])])
    speed = np.where(np.arange(len(f))[:, None] < ends, power * f[:, None] ** 2, 0.0)
    share = np.cumsum(speed, axis=0) / np.maximum(speed.sum(axis=0), 1e-300)
    first = [f[np.searchsorted(share[:, k], MOTION)] for k in np.flatnonzero(speed.sum(axis=0) > 0)]
    motion = max(float(np.median(first)) if first else 0.0, 2.0 * f[1])
    found = float(np.median(f[np.minimum(ends, len(f) - 1)]))
    return motion, max(found, 5.0 * motion), np.sqrt(floor * 0.5 / step)


def _welch(q: Floats, step: float, segment: int) -> tuple[Floats, Floats]:
    """Return frequencies and the power of signals at each, by Welch's method: the means over Hann's windows of so many
    samples, each half over the next.
    """
    window = 0.5 - 0.5 * np.cos(2 * np.pi / segment * np.arange(segment))
    parts = sliding_window_view(np.ascontiguousarray(q.T), segment, axis=1)[:, :: segment - segment // 2]
    waves = np.asarray(rfft((parts - parts.mean(axis=2, keepdims=True)) * window, axis=2, overwrite_x=True))
    power = (waves.real**2 + waves.imag**2).mean(axis=1).T * (2.0 * step / np.sum(window**2))
    power[0] *= 0.5
    if segment % 2 == 0:
        power[-1] *= 0.5
    return np.asarray(np.arange(len(power)) / (segment * step)), np.asarray(power)
