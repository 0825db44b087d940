"""The command that makes the tables and figures of the papers again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

import tauforge as tf

from . import show
from .console import console, errors

COLUMNS = ("paper", "agree", "better", "shown", "differ", "source")


def papers(
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Write the report to FILE, one self-contained page.")
    ] = "",
    chosen: Annotated[
        list[str] | None,
        typer.Option("--paper", "-p", metavar="NAME", help="Only this paper, by its short name; can be repeated."),
    ] = None,
) -> None:
    """Make the tables and figures of the papers behind Tauforge again, beside the published values.

    The exit code is 1 if something that must agree does not.

    Example: `tauforge papers -o report.html`
    """
    from ..papers import PAPERS, paper
    from ..papers.entry import Verdict
    from ..papers.report import Made, write

    show.pyplot()  # refused now if it is missing, not after all the work
    wanted = [paper(name) for name in chosen or PAPERS]
    made = []
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=errors, transient=True) as progress:
        bar = progress.add_task("", total=len(wanted))
        for each in wanted:
            parts = []
            for part in each.parts():
                parts.append(part)
                progress.update(bar, description=f"{each.key}: {escape(part.title)}")
            made.append(Made(each, tuple(parts)))
            progress.advance(bar)
    table = show.table(COLUMNS, right=COLUMNS[1:5])
    for one in made:
        counts = one.counts
        cells = (str(counts[verdict]) for verdict in Verdict)
        table.add_row(f"[green]{one.paper.key}[/green]", *cells, escape(one.paper.source))
    console.print(table)
    for one in made:
        for entry in one.differing:
            line = f"{one.paper.key}: {entry.what}: {entry.published} is published, ours is {entry.ours}"
            console.print(f"[bold red]differs:[/bold red] {escape(line)}", soft_wrap=True)
    if output:
        write(Path(output), made, f"version {tf.__version__}")
        errors.print(f"[green]wrote[/green] {escape(output)}", soft_wrap=True)
    if any(one.differing for one in made):
        raise typer.Exit(1)
