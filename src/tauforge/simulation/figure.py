"""Histories over time, drawn with Matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import TauforgeError
from ..files import as_path
from ..view.figures import write_figure

WIDTH, HEIGHT = 8.0, 2.2
"""Size of a panel in inches."""
COLUMN = 16
"""Names in one column of the legend."""


def histories(
    t: NDArray[np.float64],
    panels: Mapping[str, NDArray[np.float64]],
    names: Sequence[str],
    path: str | Path | None = None,
) -> Any:
    """Return a figure with one panel above another, and one line per name in each; write it to a file if asked."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise TauforgeError("plot() needs Matplotlib: pip install 'tauforge[plot]'") from None
    figure = Figure(figsize=(WIDTH, HEIGHT * len(panels)), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, (label, values) in zip(axes, panels.items(), strict=True):
        for name, line in zip(names, values.T, strict=True):
            axis.plot(t, line, label=name, linewidth=1.4)
        axis.set_ylabel(label)
        axis.grid(alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    axes[-1].set_xlabel("t [s]")
    axes[-1].set_xlim(t[0], t[-1])
    figure.align_ylabels()
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", ncols=-(-len(names) // COLUMN), frameon=False)
    if path is not None:
        write_figure(figure, as_path(path))
    return figure
