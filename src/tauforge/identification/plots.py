"""Figures of an identification: torques measured and predicted, what is left of them, and how estimates correlate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..view.figures import COLOURS, GREY, PALE, canvas
from .noise import autocorrelation, correlated
from .pseudo_inertia import Floats
from .validation import Validation

if TYPE_CHECKING:
    from .result import Identification

POINTS = 1500
"""Points of a line; more cannot be seen."""
LAGS = 50
"""Lags of an autocorrelation."""
WIDTH = 8.4
NAMED = 40
"""Parameters whose names fit beside a matrix."""


def torques(validation: Validation) -> Any:
    """Return a figure of measured and predicted torques over time, one panel for each, with the residuals."""
    t = _running(validation)
    some = slice(None, None, max(1, len(t) // POINTS))
    count = len(validation.torques)
    with canvas(WIDTH, 1.35 * count + 0.6) as figure:
        axes = figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0]
        for k, (panel, name) in enumerate(zip(axes, validation.torques, strict=True)):
            panel.plot(t[some], validation.measured[some, k], color=PALE, linewidth=2.8, label="measured")
            panel.plot(t[some], validation.predicted[some, k], color=COLOURS[1], linewidth=1.0, label="predicted")
            panel.plot(t[some], validation.residual[some, k], color=GREY, linewidth=0.8, label="difference")
            panel.set_ylabel(name)
            panel.set_title(f"{100 * validation.relative[k]:.1f} %", loc="right", fontsize="small", color="#39424a")
            panel.set_xlim(t[0], t[-1])
            for start in validation.starts[1:]:
                panel.axvline(t[start], color=GREY, linewidth=1, linestyle="--")
        axes[-1].set_xlabel("time [s]")
        figure.align_ylabels()
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=3, fontsize="small")
        return figure


def whiteness(validation: Validation) -> Any:
    """Return a figure of each residual's distribution and autocorrelation, beside those of white noise."""
    parts = [x for x in np.split(validation.residual, validation.starts[1:]) if len(x) > 1]
    lags = min(LAGS, *(len(x) - 1 for x in parts))
    correlation = autocorrelation(correlated(parts, lags))
    band = 1.96 / np.sqrt(len(validation.t))
    count = len(validation.torques)
    with canvas(WIDTH, 1.25 * count + 0.6) as figure:
        axes = figure.subplots(count, 2, squeeze=False, width_ratios=(1, 2), sharex="col")
        for k, name in enumerate(validation.torques):
            left, right = axes[k]
            _histogram(left, validation.residual[:, k])
            left.set_ylabel(name)
            right.axhspan(-band, band, color="#e4e8ec", zorder=0)
            right.vlines(range(1, lags + 1), 0.0, correlation[1:, k], color=COLOURS[0], linewidth=1.6)
            right.set_ylim(min(-0.3, 1.1 * float(correlation[1:, k].min())), 1.0)
            right.set_xlim(0.0, lags + 1)
        axes[-1, 0].set_xlabel("residual / its standard deviation")
        axes[-1, 1].set_xlabel("lag [samples]")
        axes[0, 0].set_title("distribution", fontsize="medium")
        axes[0, 1].set_title("autocorrelation", fontsize="medium")
        figure.align_ylabels()
        return figure


def _histogram(panel: Any, residual: Floats) -> None:
    """Draw the distribution of a residual beside the normal one."""
    spread = float(residual.std()) or 1.0
    panel.hist((residual - residual.mean()) / spread, bins=41, range=(-4.0, 4.0), density=True, color=PALE)
    x = np.linspace(-4.0, 4.0, 81)
    panel.plot(x, np.exp(-(x**2) / 2.0) / np.sqrt(2.0 * np.pi), color=COLOURS[1], linewidth=1.1)
    panel.set_yticks([])


def correlations(result: Identification) -> Any:
    """Return a figure of the correlations between the estimates that the data determine."""
    known = np.flatnonzero(result.fit.determined)
    matrix = result.correlations[np.ix_(known, known)]
    names = [result.names[k] for k in known]
    size = WIDTH * 0.85
    with canvas(size, size * 0.92) as figure:
        axes = figure.subplots()
        image = axes.imshow(matrix, vmin=-1.0, vmax=1.0, cmap="RdBu_r", interpolation="nearest")
        step = max(1, len(names) // NAMED)
        ticks = range(0, len(names), step)
        font = {"fontsize": 6 if len(names) > NAMED / 2 else 8}
        axes.set_xticks(ticks, [names[k] for k in ticks], rotation=90, **font)
        axes.set_yticks(ticks, [names[k] for k in ticks], **font)
        axes.grid(visible=False)
        axes.tick_params(length=0)
        figure.colorbar(image, ax=axes, shrink=0.8)
        return figure


def _running(validation: Validation) -> Floats:
    """Return times that go on from one recording to the next."""
    t = validation.t.astype(float).copy()
    for start in validation.starts[1:]:
        step = t[1] - t[0]
        t[start:] += t[start - 1] + step - t[start]
    return t
