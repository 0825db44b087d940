"""The tables that the commands print; those of ``info`` are in ``info``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

import tauforge as tf

from ..bench.counts import Count
from ..bench.counts import counts as counted
from ..bench.explain import STEPS, choices, spent
from ..robot.tables import Sheet, in_text

COUNTS = ("mul", "add", "set-up", "sin/cos", "total", "published", "saved")
"""Columns of a table of operation counts."""
SUMMARY = re.compile(r'(?:"[^"]*"|[^".:])*')
"""The start of a description: up to a colon or a full stop, but for those in titles."""


def table(columns: Sequence[str], *, right: Sequence[str] = ()) -> Table:
    made = Table(header_style="bold cyan", box=None, pad_edge=False)
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left", no_wrap=column == columns[0])
    return made


def pyplot() -> Any:
    """Return pyplot, set up to draw into files."""
    try:
        import matplotlib
    except ImportError:
        raise tf.TauforgeError("--plot needs matplotlib: pip install 'tauforge[plot]'") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def titled(title: str, made: Table) -> Group:
    return Group(Text(title, style="bold"), made)


def robots(found: Sequence[tf.Robot]) -> Group:
    made = table(["name", "joints", "symbols", "what it is"])
    for robot in found:
        start = SUMMARY.match((getattr(tf.robots, robot.name).__doc__ or "").strip())
        summary = start[0] if start else ""
        kinds = "".join(joint.kind.word[0].upper() for joint in robot.joints)
        made.add_row(
            f"[green]{robot.name}[/green]",
            kinds,
            str(len(robot.symbols)),
            " ".join(summary.removeprefix("Return ").split()),
        )
    return titled("Bundled robots", made)


def sheet(part: Sheet) -> Text:
    """Return a table as coloured text that is not wrapped in a narrow window."""
    title, *lines = in_text(part)
    styled = [(f"{line}\n", "bold cyan" if line.startswith("j ") else "") for line in lines]
    return Text.assemble((f"{title}\n", "bold"), *styled, no_wrap=True, overflow="ignore")


def counts(robot: tf.Robot) -> Group:
    """Return the counts of the inverse dynamics, next to published figures if the conditions are the same."""
    made = table(["robot", "parameters", *COUNTS], right=COUNTS)
    for each in counted(robot):
        made.add_row("symbolic" if each.symbolic else "as described", each.parameters, *count_cells(each))
    tree = " (its tree)" if robot.loops else ""
    return titled(f"Operations of the inverse dynamics of {robot.name}{tree}", made)


def explained(robot: tf.Robot, effort: str | float) -> Group:
    """Return where the operations of the inverse dynamics are spent, and what each choice saves."""
    rows = spent(robot)
    steps = [step for step in STEPS if any(own[step] for own in rows.values())]
    by_link = table(["link", *steps, "total"], right=[*steps, "total"])
    for name, own in rows.items():
        by_link.add_row(name, *(str(own[step] or "") for step in steps), str(own.total()))
    whole = Counter[str]()
    for own in rows.values():
        whole.update(own)
    by_link.add_row("[bold]all[/bold]", *(str(whole[step]) for step in steps), f"[bold]{whole.total()}[/bold]")
    ladder = table(["choice", "total", "saved"], right=["total", "saved"])
    for each in choices(robot, effort):
        ladder.add_row(each.name, str(each.total), f"[green]{each.saved}[/green]" if each.saved else "")
    return Group(
        titled("Where they are spent, with the parameters that cost least, before the search", by_link),
        Text(),
        titled("What each choice saves, on top of those before it", ladder),
    )


def count_cells(found: Count) -> list[str]:
    """Return one row: our counts, and the published total if there is one."""
    made, figure = found.operations, found.published
    cells = map(str, (made.mul, made.add, made.setup_mul + made.setup_add, made.trig, made.total))
    if figure is None:
        return [*cells, "", ""]
    return [*cells, f"{figure[0]}+{figure[1]} = {sum(figure)}", f"[green]{found.saved}[/green]"]
