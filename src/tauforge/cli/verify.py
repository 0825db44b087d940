"""``tauforge verify``: whether generated C computes the model of a robot that it says."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from .console import console
from .find_robot import FindRobot, takes_robot
from .options import Independent, OpenLoops


@takes_robot()
def verify(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file of C that `tauforge generate` wrote.")],
    robot: FindRobot,
    independent: Independent = "",
    open_loops: OpenLoops = False,
) -> None:
    """Check generated C against a robot: its certificate, and what it computes. Unless that is proved, the status is 1.

    Example: `tauforge verify puma.c puma560`
    """
    from ..projects.verify import verify as verified

    found = robot()
    if independent:
        found = found.with_independent(*independent.split(","))
    result = verified(file, found.tree() if open_loops else found)
    word = "[green]verified[/green]" if result.proved else "[yellow]not proved[/yellow]"
    console.print(f"{word} {escape(str(result))}", soft_wrap=True, highlight=False)
    if not result.proved:
        raise typer.Exit(1)
