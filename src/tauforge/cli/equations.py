"""``tauforge equations``: a robot's models as equations to read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import tauforge as tf

from .catalogue import POSE, differentiated, is_inverse_geometry, model, solver
from .console import console, errors
from .find_robot import FindRobot, takes_robot
from .options import Aim, Fixed, Frame, Of, Output, Parameters, ParametersOption, Style, WithRespectTo

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
    fixed: Fixed = "",
    aim: Aim = POSE,
    wrt: WithRespectTo = "",
    of: Of = "",
) -> None:
    """Show a robot's models as equations to read; with -o FILE, write one as .tex, .md or .txt.

    Examples: `tauforge equations planar2r --model inertia-matrix` ·
    `tauforge equations scara -s -m gravity -o scara.tex` ·
    `tauforge equations puma560 -s -m inverse-geometry --frame link6`
    """
    found = robot()
    names = models.split(",")
    if output != "-" and len(names) > 1:
        raise tf.ProgramError("a file holds the equations of one model: choose it with --model MODEL")
    for name in names:
        made = _made(name, found, style, parameters=parameters.value, frame=frame, fixed=fixed, aim=aim, wrt=wrt, of=of)
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


def _made(
    name: str, robot: tf.Robot, style: str, *, parameters: str, frame: str, fixed: str, aim: str, wrt: str, of: str
) -> tf.Equations | tf.Derivation:
    """Return the equations of a model, or the derivation of inverse geometry."""
    if is_inverse_geometry(name):
        if wrt or of or style != "auto":
            raise tf.ProgramError(f"{name} has one derivation: it takes no --wrt, --of and --style")
        return solver(robot, frame, fixed, aim).equations()
    program = model(name, robot, parameters=parameters, frame=frame, fixed=fixed, aim=aim)
    return differentiated(program, wrt, of).equations(style)
