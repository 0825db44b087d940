"""Figures of documents: their style, and Matplotlib's canvas as SVG."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import TauforgeError
from ..files import write_bytes

STYLE: Any = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#8a939c",
    "axes.labelcolor": "#39424a",
    "xtick.color": "#5b656e",
    "ytick.color": "#5b656e",
    "axes.grid": True,
    "grid.color": "#e4e8ec",
    "axes.axisbelow": True,
    "lines.linewidth": 1.7,
    "legend.frameon": False,
}
COLOURS = ("#2563a8", "#d9730d", "#2e8b57", "#b3323f", "#7a55b0", "#8c6239", "#c45a9d")
GREY, PALE = "#9aa5b0", "#a9c8e8"


@contextmanager
def canvas(width: float, height: float) -> Iterator[Any]:
    """Provide a figure of a size in inches, in the style of documents."""
    try:
        import matplotlib
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        raise TauforgeError("figures need Matplotlib: pip install 'tauforge[plot]'") from None
    with matplotlib.rc_context(STYLE):
        yield Canvas(figsize=(width, height), layout="constrained")


def svg(figure: Any) -> str:
    """Return a figure as SVG."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    return text.getvalue()


def write_figure(figure: Any, path: Path) -> None:
    """Write a figure in the format of the file's ending."""
    ending = path.suffix[1:].lower()
    known = figure.canvas.get_supported_filetypes()
    if ending not in known:
        raise TauforgeError(f"{path}: a figure's file ends in {', '.join(f'.{x}' for x in sorted(known))}")
    buffer = io.BytesIO()
    figure.savefig(buffer, format=ending, dpi=150)
    write_bytes(path, buffer.getvalue())
