"""How well identified parameters predict recordings: errors of each torque, and what is left in the residuals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from .noise import autocorrelation, correlated
from .states import Source, States, decimated

Floats = NDArray[np.float64]
LAGS = 20
"""Lags of the test whether residuals are white."""


@final
@dataclass(frozen=True, eq=False)
class Validation:
    """Predicted torques beside measured ones, both up to the bandwidth of the identification.

    Attributes
    ----------
    torques
        Names of the torques.
    t
        Times of the samples.
    measured
        Torques as measured, filtered and decimated (samples, torques).
    predicted
        Those of the identified robot.
    starts
        The sample at which each recording starts.
    bandwidth
        Frequency up to which they are compared, in Hz.
    """

    torques: tuple[str, ...]
    t: Floats
    measured: Floats
    predicted: Floats
    starts: tuple[int, ...]
    bandwidth: float

    @property
    def residual(self) -> Floats:
        """Measured minus predicted torques (samples, torques)."""
        return self.measured - self.predicted

    @property
    def relative(self) -> Floats:
        """‖residual‖/‖torque‖ of each torque; NaN for one that is always zero."""
        sizes = np.linalg.norm(self.measured, axis=0)
        lengths = np.linalg.norm(self.residual, axis=0)
        return np.asarray(np.divide(lengths, sizes, out=np.full(len(sizes), np.nan), where=sizes > 0))

    @property
    def overall(self) -> float:
        """‖residual‖/‖torque‖ over all torques."""
        return float(np.linalg.norm(self.residual) / np.linalg.norm(self.measured))

    @property
    def rmse(self) -> Floats:
        """Root mean square of each torque's residual."""
        found: Floats = np.sqrt(np.mean(self.residual**2, axis=0))
        return found

    @property
    def whiteness(self) -> Floats:
        """For each torque, the largest autocorrelation of its residual over some lags: 0 for noise, 1 for a drift."""
        parts = np.split(self.residual, self.starts[1:])
        found: Floats = np.abs(autocorrelation(correlated(parts, LAGS))[1:]).max(axis=0)
        return found

    def table(self) -> str:
        """Return the errors of each torque as text."""
        width = max(9, *(len(name) for name in self.torques))
        lines = [f"{'torque':<{width}}  {'relative':>8}  {'RMSE':>9}  {'largest':>9}  {'whiteness':>9}"]
        largest = np.abs(self.residual).max(axis=0)
        for name, *x in zip(self.torques, 100 * self.relative, self.rmse, largest, self.whiteness, strict=True):
            lines.append(f"{name:<{width}}  {x[0]:>6.2f} %  {x[1]:>9.4g}  {x[2]:>9.4g}  {x[3]:>9.2f}")
        lines.append(f"{'overall':<{width}}  {100 * self.overall:>6.2f} %   up to {self.bandwidth:.3g} Hz")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Validation({100 * self.overall:.2f} % overall, {len(self.t)} samples)"


def compared(sources: Sequence[Source], torque: Callable[[States], Floats]) -> Validation:
    """Return the validation of computed torques by recordings."""
    t, measured, predicted, starts = list[Floats](), list[Floats](), list[Floats](), list[int]()
    for source in sources:
        window, step = source.filters.window, source.filters.decimation
        starts.append(sum(map(len, t)))
        first = source.first
        for states in source.blocks():
            measured.append(decimated(states.tau, window, step))
            predicted.append(decimated(torque(states), window, step))
            middle = source.recording.t[first] + (len(window) - 1) / 2 * source.filters.step
            count = len(measured[-1])
            t.append(middle + np.arange(count) * step * source.filters.step)
            first += count * step
    bandwidth = min(source.filters.bandwidth for source in sources)
    arrays = np.concatenate(t), np.vstack(measured), np.vstack(predicted)
    return Validation(sources[0].robot.velocity_names, *arrays, tuple(starts), bandwidth)
