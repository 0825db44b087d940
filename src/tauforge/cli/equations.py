"""``tauforge equations``: a robot's models as equations to read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import tauforge as tf

from .catalogue import differentiated, model
from .console import console, errors
from .find_robot import FindRobot, takes_robot
from .options import Frame, Of, Output, Parameters, ParametersOption, Style, WithRespectTo

_MODELS = "inertia-matrix,coriolis-matrix,gravity"


@takes_robot()
def equations(
    robot: FindRobot,
    models: Annotated[
        str, typer.Option("--model", "-m", metavar="MODELS", help="The models; `tauforge generate --list` lists them.")
    ] = _MODELS,
    style: Style = "auto",
    output: Output = "-",
    parameters: ParametersOption = Parameters.auto,
    frame: Frame = "",
    wrt: WithRespectTo = "",
    of: Of = "",
) -> None:
    """Show a robot's models as equations to read; with -o FILE, write one as .tex, .md or .txt.

    Examples: `tauforge equations planar2r --model inertia-matrix` ·
    `tauforge equations scara -s -m gravity -o scara.tex`
    """
    found = robot()
    names = models.split(",")
    if output != "-" and len(names) > 1:
        raise tf.ProgramError("a file holds the equations of one model: choose it with --model MODEL")
    for name in names:
        program = differentiated(model(name, found, parameters=parameters.value, frame=frame), wrt, of)
        made = program.equations(style)
        if output != "-":
            made.save(Path(output))
            errors.print(f"[green]wrote[/green] {escape(output)}", soft_wrap=True)
            return
        if len(names) > 1:
            console.print(escape(name), style="bold")
        width = max(60, console.width) if console.is_terminal else 100
        print(made.text(width))
        if name != names[-1]:
            print()
