"""Times of a robot's models here and in other libraries, as a table, a file and a plot."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Group
from rich.markup import escape
from rich.text import Text

import tauforge as tf

from ..bench.compare import PEERS, Row, rows
from ..bench.peer import MODELS
from ..bench.prepare import prepared
from ..files import write_text
from . import show

__all__ = ["models", "plot", "prepared", "rows", "save", "table"]
COLUMNS = ("model", "library", "ns per state", "ratio", "ns per call", "ratio ", "how many states are computed")


def models(names: str) -> list[str]:
    """Return the models in a comma-separated list; all if it is empty."""
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    for name in wanted:
        if name not in MODELS:
            raise tf.TauforgeError(f"--models: there is no {name!r}; choose among {', '.join(MODELS)}")
    return wanted or [*MODELS]


def table(robot: tf.Robot, found: Sequence[Row], batch: int, notes: Sequence[str] = ()) -> Group:
    """Return the rows as a table; libraries without any result are listed below."""
    nowhere = _nowhere(found)
    made = show.table(COLUMNS, right=COLUMNS[2:6])
    seen: set[str] = set()
    for row in found:
        if row.peer in nowhere:
            continue
        first = row.model not in seen
        seen.add(row.model)
        made.add_row(
            f"[green]{row.model}[/green]" if first else "",
            f"[bold]{row.peer}[/bold]" if first else row.peer,
            *(_figure(x) for x in (row.batch, row.batch_ratio, row.single, row.single_ratio)),
            escape(row.mode) if not row.reason else f"[dim]{escape(row.reason)}[/dim]",
            end_section=False,
        )
    versions = dict.fromkeys(f"{row.peer} {row.version}" for row in found if row.peer not in nowhere)
    lines = [
        f"ns per state: {batch} at once, processor time, best of several rounds in turn, one thread each;",
        "ns per call: one state from Python. ratio: relative to ours. All results agree with ours within 1e-9.",
        ", ".join(versions) + ".",
        *(f"{name}: {reason}." for name, reason in nowhere.items()),
        *([f"Changed for all: {'; '.join(notes)}."] if notes else []),
    ]
    title = f"Models of {robot.name}, {robot.dof} degrees of freedom"
    return Group(show.titled(title, made), Text("\n".join(lines)))


def _nowhere(found: Sequence[Row]) -> dict[str, str]:
    """Return the libraries without any times, and why."""
    timed = {row.peer for row in found if row.batch is not None}
    return {row.peer: row.reason for row in reversed(found) if row.peer not in timed}


def _figure(x: float | None) -> str:
    return "" if x is None else f"{x:.1f}" if x < 100 else f"{x:.0f}"


def save(path: Path, robot: tf.Robot, found: Sequence[Row], batch: int, notes: Sequence[str] = ()) -> None:
    """Write the figures as JSON."""
    what = {
        "robot": robot.name,
        "dof": robot.dof,
        "batch": batch,
        "notes": [*notes],
        "machine": f"{platform.machine()} {platform.system()}",
        "python": platform.python_version(),
        "rows": [asdict(row) for row in found],
    }
    write_text(path, json.dumps(what, indent=1) + "\n")


def plot(path: Path, robot: tf.Robot, found: Sequence[Row]) -> None:
    """Plot, as bars, how many times as long each library takes per state of a batch."""
    pyplot = show.pyplot()
    ratios = {(row.model, row.peer): row.batch_ratio for row in found if row.batch_ratio is not None}
    names = [kind.name for kind in PEERS if any(peer == kind.name for _, peer in ratios)]
    models = list(dict.fromkeys(row.model for row in found))
    drawing, axes = pyplot.subplots(figsize=(9, 1 + len(models) * (0.5 + 0.25 * len(names))), layout="constrained")
    width = 0.85 / max(1, len(names))
    for k, name in enumerate(names):
        there = [(i, ratios[model, name]) for i, model in enumerate(models) if (model, name) in ratios]
        bars = axes.barh([i + k * width for i, _ in there], [x for _, x in there], width, label=name)
        axes.bar_label(bars, [f" {x:.0f}" if x >= 10 else f" {x:.1f}" for _, x in there], fontsize="small")
    axes.axvline(1.0, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.margins(x=0.12)
    axes.set_yticks([i + width * (len(names) - 1) / 2 for i in range(len(models))], models)
    axes.invert_yaxis()
    axes.set_xlabel("time per state of a batch, one thread, as a multiple of Tauforge's")
    axes.set_title(robot.name)
    if names:
        drawing.legend(fontsize="small", loc="outside right upper")
    try:
        drawing.savefig(path)
    except (OSError, ValueError) as error:
        raise tf.TauforgeError(f"{path} cannot be written: {error}") from None
    pyplot.close(drawing)
