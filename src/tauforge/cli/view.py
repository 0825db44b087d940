"""tauforge view: a robot in the browser, or a page, GIF or picture of it in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import tauforge as tf

from .console import console, errors
from .find_robot import FindRobot, takes_robot

Motion = Annotated[
    Path | None,
    typer.Option(
        "--motion", metavar="FILE", help="A trajectory to play, as `Trajectory.save` writes it.", dir_okay=False
    ),
]
Written = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write an .html page, a .gif or a .png instead, and end."),
]
Port = Annotated[int, typer.Option(help="Port of the server; by default a free one.", min=0, max=65535)]
Browser = Annotated[bool, typer.Option("--browser/--no-browser", help="Whether to open the browser.")]


@takes_robot()
def view(
    robot: FindRobot,
    motion: Motion = None,
    output: Written = None,
    port: Port = 0,
    browser: Browser = True,
) -> None:
    """Show a robot in the browser, with a slider for each joint, until Ctrl-C.

    Example: `tauforge view sr400`
    """
    found = robot()
    q, t, events = None, None, list[tuple[str, float]]()
    if motion:
        run = tf.Trajectory.load(motion)
        q, t, events = run.q, run.t, [(event.name, event.t) for event in run.events]
    if output:
        tf.animate(found, q, t, output, events=events)
        errors.print(f"[green]wrote[/green] {escape(str(output))}", soft_wrap=True)
        return
    with found.view(q, t, port=port, browser=browser) as shown:
        console.print(f"{escape(found.name)}: {shown.url}  (Ctrl-C ends it)", soft_wrap=True)
        shown.wait()
