"""``tauforge count``: how many operations the inverse dynamics takes, and why."""

from __future__ import annotations

from typing import Annotated

import typer

from . import show
from .console import console
from .find_robot import FindRobot, takes_robot
from .options import Effort, effort_of


@takes_robot()
def count(
    robot: FindRobot,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also show where operations are spent, and what each choice saves.")
    ] = False,
    effort: Effort = "quick",
) -> None:
    """Count the operations of inverse dynamics with each set of parameters, next to published figures.

    Example: `tauforge count rx90 --symbolic --explain`
    """
    chosen = effort_of(effort)
    found = robot()
    console.print(show.counts(found))
    if explain:
        console.print()
        console.print(show.explained(found, chosen))
