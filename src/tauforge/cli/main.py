"""The command line: each command makes one or two public calls and shows the result."""

from __future__ import annotations

import os
import sys
import warnings
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import tauforge as tf

from ..files import nothing_overwritten
from ..limits import limited
from ..models.classical import DEFAULT
from ..models.registry import MODELS
from . import info as about
from . import show
from .catalogue import INVERSE_GEOMETRY, POSE, differentiated, groups_by_itself, model
from .console import console, errors
from .count import count
from .equations import equations
from .excite import excite
from .find_robot import FindRobot, heard, takes_robot
from .identify import identify, validate
from .options import (
    Accelerated,
    Aim,
    Coordinates,
    CoordinatesOption,
    Effort,
    Efforts,
    EffortsOption,
    Fixed,
    Formulation,
    Frame,
    FunctionName,
    Independent,
    ModelArgument,
    Objective,
    ObjectiveOption,
    Of,
    OpenLoops,
    Output,
    Parameters,
    ParametersOption,
    ProjectOption,
    Rows,
    Seed,
    Split,
    Target,
    WithRespectTo,
    Wrenches,
    WrenchesOption,
    effort_of,
    limits,
)
from .papers import papers
from .simulate import simulate, torques
from .verify import verify
from .view import view
from .workspace import singularities, workspace
from .write_code import write_a_project, write_code

app = typer.Typer(
    name="tauforge",
    help="The dynamic models of any robot, as the program that computes them with the fewest operations.\n\n"
    "ROBOT is a file (.par, .toml, .urdf, .xacro, MJCF) or the name of a bundled robot: try `tauforge robots`, then "
    "`tauforge info rx90`.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


@app.command()
def robots() -> None:
    """List the bundled robots."""
    console.print(show.robots([tf.robots.bundled(name) for name in tf.robots.names()]))


@app.command()
@takes_robot()
def info(
    robot: FindRobot,
    tables: Annotated[
        bool | None,
        typer.Option(
            "--tables/--no-tables",
            help=f"Show or hide geometric and inertial parameters; by default shown for up to {about.FEW} joints.",
        ),
    ] = None,
) -> None:
    """Show a robot: its tree, limits and masses, warnings, tables, and the number of base parameters.

    Example: `tauforge info puma560 --base floating`
    """
    with heard() as warned:
        found = robot()
    with heard():  # warnings that are repeated
        for part in about.info(found, warned, tables):
            console.print(part, soft_wrap=True)
        with errors.status("counting the base inertial parameters"):
            count = about.base_count(found)
        console.print(count, soft_wrap=True, markup=False)


@app.command()
@takes_robot()
def draw(
    robot: FindRobot,
    output: Output = "-",
) -> None:
    """Draw a robot as SVG: links, joints, and where loops are cut; closed, or at zero if it has no loops.

    Example: `tauforge draw sr400 -o sr400.svg`
    """
    from ..view import drawing

    found = drawing.draw(robot())
    if output == "-":
        print(found.svg, end="")
    else:
        found.save(output)
        errors.print(f"[green]wrote[/green] {escape(output)}", soft_wrap=True)


app.command()(view)


@app.command()
@takes_robot()
def base(
    robot: FindRobot,
    output: Output = "-",
    open_loops: OpenLoops = False,
) -> None:
    """Show the base inertial parameters and how they are grouped; with -o FILE, save the robot that uses them.

    Example: `tauforge base rrp --symbolic -o rrpbase.par`
    """
    described = robot()
    found = tf.base_parameters(described.tree() if open_loops else described)
    if output != "-":
        found.robot.save(output)
        errors.print(f"[green]wrote[/green] {escape(output)}", soft_wrap=True)
    else:
        print(found.table())


def list_models(wanted: bool) -> None:
    if wanted:
        table = show.table(["model", "what it computes"])
        for name, line in sorted(MODELS.items()):
            table.add_row(f"[green]{name}[/green]", escape(str(line)))
        what = "T, near, blur -> q, valid, …: all states in which a frame (--frame) has a pose, in closed form"
        table.add_row(f"[green]{INVERSE_GEOMETRY}[/green]", what)
        console.print(table)
        raise typer.Exit


@app.command()
@takes_robot()
def generate(
    which: ModelArgument,
    robot: FindRobot,
    output: Output = "-",
    target: Target = "",
    project: ProjectOption = "",
    parameters: ParametersOption = Parameters.auto,
    function: FunctionName = "",
    wrenches: WrenchesOption = Wrenches.none,
    frame: Frame = "",
    rows: Rows = "",
    accelerated: Accelerated = "",
    fixed: Fixed = "",
    aim: Aim = POSE,
    independent: Independent = "",
    coordinates: CoordinatesOption = Coordinates.independent,
    efforts: EffortsOption = Efforts.auto,
    formulation: Formulation = DEFAULT,
    wrt: WithRespectTo = "",
    of: Of = "",
    effort: Effort = "",
    objective: ObjectiveOption = None,
    seed: Seed = None,
    split: Split = False,
    open_loops: OpenLoops = False,
    listed: Annotated[
        bool, typer.Option("--list", callback=list_models, is_eager=True, help="List the models, one per line.")
    ] = False,
) -> None:
    """Write a model's source code.

    Examples: `tauforge generate inverse-dynamics puma560 -o puma.c` ·
    `tauforge generate inertia-matrix rx90 -p base --effort default -o rx90.c` ·
    `tauforge generate inverse-geometry ur5 --frame link6 -o ur5_ik.c` ·
    `tauforge generate inverse-dynamics arm.par -t matlab > arm.m` · `tauforge generate … --project cmake -o arm`
    """
    found = robot()
    if independent:
        found = found.with_independent(*independent.split(","))
    program = model(
        which,
        found.tree() if open_loops else found,
        parameters=parameters.value,
        external_wrenches=wrenches.choice,
        frame=frame,
        rows=rows,
        accelerated=accelerated,
        coordinates=coordinates.value,
        efforts=efforts.value,
        formulation=formulation,
        fixed=fixed,
        aim=aim,
    )
    program = differentiated(program, wrt, of)
    if effort or objective or seed is not None:
        less = (objective or Objective.operations).value
        program = program.optimise(effort_of(effort or "default"), objective=less, seed=seed or 0)
    if project:
        write_a_project(found, program, output, project, function, bool(target) or split)
        return
    write_code(program, output, target, function, split)
    if parameters is Parameters.auto and program.parameters and groups_by_itself(which):
        errors.print(
            "[dim]Symbolic inertial parameters are kept; --parameters base groups them and saves operations.[/dim]"
        )


for _command in (verify, count, equations, workspace, singularities):
    app.command()(_command)


@app.command()
@takes_robot()
def compare(
    robot: FindRobot,
    plot: Annotated[
        bool, typer.Option("--plot", help="Also plot to FILE how costs grow with the number of joints.")
    ] = False,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The file for the plot.")
    ] = "formulations.png",
) -> None:
    """Compare the classical formulations of a robot's inverse dynamics: count, time and prove them equal.

    Example: `tauforge compare puma560 --plot -o growth.svg`
    """
    from . import compare as comparison

    if plot:
        show.pyplot()  # refused now if it is missing, not after all the work
    found = robot().tree()
    console.print(comparison.table(found, list(comparison.rows(found))))
    if plot:
        comparison.plot(Path(output))
        errors.print(f"[green]wrote[/green] {escape(output)}", soft_wrap=True)


@app.command()
@takes_robot()
def bench(
    robot: FindRobot,
    models: Annotated[
        str,
        typer.Option(
            "--models",
            metavar="MODELS",
            help="Some of inverse-dynamics, direct-dynamics, inertia-matrix, derivatives; by default all.",
        ),
    ] = "",
    batch: Annotated[int, typer.Option("--batch", min=1, help="The number of states per batch.")] = 4096,
    seconds: Annotated[float, typer.Option("--seconds", min=0.0, help="How long to time each model.")] = 1.0,
    figures: Annotated[str, typer.Option("--json", metavar="FILE", help="Also write the figures to FILE.")] = "",
    plot: Annotated[str, typer.Option("--plot", metavar="FILE", help="Also plot the ratios to FILE.")] = "",
) -> None:
    """Time a robot's models against other libraries: Pinocchio, MuJoCo, CasADi, Drake, the Robotics Toolbox and frax.

    Libraries that are not installed are left out. Results are compared before anything is timed.

    Example: `tauforge bench panda --models inverse-dynamics --plot ratios.svg`
    """
    from . import bench as comparison

    wanted = comparison.models(models)
    if plot:
        show.pyplot()  # refused now if it is missing, not after all the work
    with heard():
        found, notes = comparison.prepared(robot())
        with errors.status("loading libraries") as status:
            rows = [*comparison.rows(found, wanted, batch=batch, seconds=seconds, progress=status.update)]
    console.print(comparison.table(found, rows, batch, notes))
    if figures:
        comparison.save(Path(figures), found, rows, batch, notes)
    if plot:
        comparison.plot(Path(plot), found, rows)
    if written := [name for name in (figures, plot) if name]:
        errors.print(f"[green]wrote[/green] {escape(', '.join(written))}", soft_wrap=True)


app.command()(simulate)
app.command()(torques)
app.command()(excite)
app.command()(identify)
app.command()(validate)
app.command()(papers)


@app.command()
def demo() -> None:
    """Show the whole path on bundled robots: from the description to code, compiled function and proof."""
    from .demo import run

    run(console)


def version(wanted: bool) -> None:
    if wanted:
        print(f"tauforge {tf.__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    raised: Annotated[
        list[str] | None,
        typer.Option(
            "--limit",
            metavar="NAME=NUMBER",
            help="Raise a limit on ROBOT's file, such as links=20000, bytes=1e9 or seconds=60.",
        ),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Handle what all commands share: the version, limits on a robot's file, and that no file used is overwritten."""
    context.with_resource(nothing_overwritten())
    context.with_resource(limited(limits(raised)))


def main() -> None:
    """Run the command line; errors that Tauforge raises on purpose give one line and exit code 2."""
    warnings.showwarning = lambda message, *_, **__: errors.print(
        f"[yellow]warning:[/yellow] {escape(str(message))}", soft_wrap=True
    )
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows another
    try:
        app()
        sys.stdout.flush()
    except tf.TauforgeError as error:
        errors.print(f"[bold red]error:[/bold red] {escape(str(error))}", soft_wrap=True)
        sys.exit(2)
    except BrokenPipeError:  # nobody reads our output any more, as in `tauforge … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        errors.print(f"[bold red]error:[/bold red] output cannot be written ({error.strerror})")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
