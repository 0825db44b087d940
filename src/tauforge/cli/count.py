"""``tauforge count``: how many operations the inverse dynamics takes, and why."""

from __future__ import annotations

from typing import Annotated

import typer

from . import show
from .console import console
from .find_robot import find
from .options import BaseOption, Effort, Folders, Lenient, Loops, RobotArgument, Snap, Symbolic, effort_of


def count(
    robot: RobotArgument,
    symbolic: Symbolic = False,
    base: BaseOption = None,
    snap: Snap = None,
    lenient: Lenient = False,
    folder: Folders = None,
    loops: Loops = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also show where operations are spent, and what each choice saves.")
    ] = False,
    effort: Effort = "quick",
) -> None:
    """Count the operations of inverse dynamics with each set of parameters, next to published figures.

    Example: `tauforge count rx90 --symbolic --explain`
    """
    chosen = effort_of(effort)
    found = find(robot, symbolic, base, snap, lenient, folder, loops)
    console.print(show.counts(found))
    if explain:
        console.print()
        console.print(show.explained(found, chosen))
