"""``tauforge workspace`` and ``tauforge singularities``: where a frame can be, and where its arm is singular."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import tauforge as tf

from . import show
from .console import console, errors
from .find_robot import FindRobot, takes_robot

Chosen = Annotated[
    str, typer.Option("--frame", metavar="LINK", help="The link or frame; by default the end of the arm.")
]
Plane = Annotated[str, typer.Option(help="The plane of the section, xz, xy or yz; or all, for a cloud of points.")]


@takes_robot(symbolic=False)
def workspace(
    robot: FindRobot,
    frame: Chosen = "",
    plane: Plane = "xz",
    at: Annotated[float, typer.Option(metavar="METRES", help="The third coordinate of the section.")] = 0.0,
    measure: Annotated[
        str, typer.Option(metavar="NAME", help="Colours: manipulability, or condition; by default none.")
    ] = "",
    limits: Annotated[bool, typer.Option("--limits/--no-limits", help="Whether joints keep their limits.")] = True,
    samples: Annotated[int, typer.Option(help="How many random states.", min=1)] = 100_000,
    cells: Annotated[int, typer.Option(help="How many cells the section has across.", min=4)] = 100,
    seed: Annotated[int, typer.Option(help="What the random states depend on.", min=0)] = 0,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The picture: .png, .svg or .pdf.")
    ] = Path("workspace.png"),
) -> None:
    """Draw where a frame can be: a section in a plane with its boundary, or a map of dexterity.

    Examples: `tauforge workspace puma560 -o reach.png` ·
    `tauforge workspace panda --measure manipulability -o dexterity.png`
    """
    show.pyplot()  # refused now if it is missing, not after all the work
    found = robot()
    points = tf.workspace(found, frame=frame, samples=samples, limits=limits, seed=seed)
    console.print(escape(repr(points)), soft_wrap=True)
    if plane == "all":
        points.plot(output)
    else:
        cut = points.section(plane, at, cells=cells)
        console.print(escape(repr(cut)), soft_wrap=True)
        cut.plot(output, measure=measure or None)
    errors.print(f"[green]wrote[/green] {escape(str(output))}", soft_wrap=True)


@takes_robot()
def singularities(
    robot: FindRobot,
    frame: Chosen = "",
    rows: Annotated[
        str, typer.Option(metavar="ROWS", help="Rows of the Jacobian, separated by commas: vx,vy,vz,wx,wy,wz.")
    ] = "",
) -> None:
    """Show where an arm is singular: the factors of the determinant of its Jacobian, proved.

    Example: `tauforge singularities puma560 --symbolic`
    """
    found = robot()
    chosen = rows.split(",") if rows else None
    result = tf.singularities(found, frame=frame, rows=chosen)
    console.print(escape(str(result)), soft_wrap=True)
    where = [*result.conditions, *([f"what is left of all {len(result.rest)} minors vanishes"] if result.rest else [])]
    console.print("singular where" if where else "never singular")
    for condition in where:
        console.print(f"  {escape(condition)}", soft_wrap=True)
    console.print(f"[dim]{escape(str(result.certify()))}[/dim]", soft_wrap=True)
