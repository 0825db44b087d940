"""The classical formulations side by side on one robot, as a table and a plot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Group
from rich.text import Text

import tauforge as tf

from ..bench.formulations import STATES, Pair, Row, growth, rows
from . import show

__all__ = ["plot", "rows", "table"]
COLUMNS = ("formulation", "published", "general", "order", "customised", "optimised", "ns", "ratio", "agreement")


def table(robot: tf.Robot, found: Sequence[Row]) -> Group:
    """Return the rows as a table, with an explanation of its columns."""
    made = show.table(COLUMNS, right=COLUMNS[1:-1])
    best = min(row.nanoseconds for row in found if row.nanoseconds)
    for row in found:
        made.add_row(
            f"[green]{row.name}[/green]",
            *(_pair(x) for x in (row.costs.published, row.costs.general)),
            f"n^{row.costs.order}" if row.costs.order else "",
            *(_pair(x) for x in (row.customised, row.optimised)),
            f"{row.nanoseconds:.0f}" if row.nanoseconds else "",
            f"{row.nanoseconds / best:.1f}" if row.nanoseconds else "",
            _agreement(row),
        )
    notes = (
        "Multiplications/additions. published: for six general revolute joints (kane: the Stanford arm).",
        f"general: the formulation's own sequence for {robot.dof} general revolute joints; order: how that grows.",
        "customised, optimised: the generated program on this robot, with standard and with base parameters;",
        f"ns: per evaluation of the latter, compiled, {STATES} at once. agreement: with Lagrange's equations.",
    )
    return Group(show.titled(f"Formulations of the inverse dynamics of {robot.name}", made), Text("\n".join(notes)))


def _pair(x: Pair | None) -> str:
    return f"{x[0]}/{x[1]}" if x else ""


def _agreement(row: Row) -> str:
    if row.error is None:
        return row.reason
    if row.memory is not None:
        return f"{row.error:.0e} on {row.points} points, {row.memory / 2**20:.1f} MB"
    return f"{'proved' if row.proved else 'undecided'}, {row.error:.0e}"


def plot(path: Path) -> None:
    """Plot how the formulations' costs grow with the number of joints."""
    pyplot = show.pyplot()
    drawing, axes = pyplot.subplots(figsize=(9, 6), layout="constrained")
    axes.set_prop_cycle(color=[*map(pyplot.get_cmap("tab10"), range(10)), "black"])
    found = list(growth())
    joints = found[0].joints
    for each in found:
        (line,) = axes.loglog(joints, each.totals, label=f"{each.name}: $n^{{{each.order}}}$")
        if each.published and each.name != "kane":
            axes.plot([6], [sum(each.published)], "o", color=line.get_color())
    axes.set_xlabel("number of joints")
    axes.set_ylabel("multiplications and additions")
    axes.set_xticks(list(joints), [str(n) for n in joints])
    axes.set_xticks([], minor=True)
    drawing.legend(title="circles: published", fontsize="small", loc="outside right upper")
    try:
        drawing.savefig(path)
    except (OSError, ValueError) as error:
        raise tf.TauforgeError(f"{path} cannot be written: {error}") from None
    pyplot.close(drawing)
