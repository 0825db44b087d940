"""Figures of a report: histories over time and bars, drawn with Matplotlib as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..view.figures import COLOURS, GREY, canvas, svg
from .entry import Figure

Floats = NDArray[np.float64]
FEW = 3
"""Panels that are drawn at full height."""


def histories(
    title: str,
    caption: str,
    t: Floats,
    panels: Mapping[str, Mapping[str, Floats]],
    *,
    columns: int = 1,
    mark: float | None = None,
) -> Figure:
    """Return panels of lines over time; the legend is beside them, once, if all panels have the same lines.

    Parameters
    ----------
    panels
        For the label of each panel's axis, its lines by their names.
    mark
        A time at which to draw a vertical line.
    """
    rows = -(-len(panels) // columns)
    with canvas(8.4, (2.0 if rows <= FEW else 1.4) * rows + 0.5) as figure:
        axes = figure.subplots(rows, columns, sharex=True, squeeze=False)
        for panel, (label, lines) in zip(axes.flat, panels.items(), strict=True):
            for (name, values), colour in zip(lines.items(), COLOURS, strict=False):
                panel.plot(t, values, label=name, color=colour)
            panel.set_ylabel(label)
            panel.set_xlim(t[0], t[-1])
            if mark is not None:
                panel.axvline(mark, color=GREY, linewidth=1, linestyle="--")
        for panel in axes[-1]:
            panel.set_xlabel("time [s]")
        figure.align_ylabels()
        first = axes.flat[0]
        if len({tuple(lines) for lines in panels.values()}) == 1 and len(next(iter(panels.values()))) > 1:
            figure.legend(*first.get_legend_handles_labels(), loc="outside right upper", fontsize="small")
        return Figure(title, caption, svg(figure))


def bars(
    title: str,
    caption: str,
    names: Sequence[str],
    groups: Mapping[str, Sequence[float]],
    label: str,
    *,
    colours: Sequence[str] = (GREY, COLOURS[0]),
    log: bool = False,
) -> Figure:
    """Return horizontal bars, one of each group for every name; by default the first group is grey, as published."""
    height = 0.8 / len(groups)
    with canvas(8.4, 0.3 * len(names) * len(groups) + 0.9) as figure:
        axes = figure.subplots()
        for k, (group, values) in enumerate(groups.items()):
            places = [i + (k - (len(groups) - 1) / 2) * height for i in range(len(names))]
            drawn = axes.barh(places, values, height * 0.92, label=group, color=colours[k])
            axes.bar_label(drawn, [f" {x:,.0f}" for x in values], fontsize="small", color="#39424a")
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.tick_params(axis="y", length=0)
        if log:
            axes.set_xscale("log")
        axes.margins(x=0.14)
        axes.set_xlabel(label)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper right", ncols=len(groups), fontsize="small")
        return Figure(title, caption, svg(figure))
