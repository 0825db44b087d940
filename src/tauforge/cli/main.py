"""The command line: each command is one or two public calls and what shows their result."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

import tauforge as tf

from ..files import write_text
from ..formats.angles import SNAP
from ..limits import limited
from ..models.classical import DEFAULT
from ..models.registry import MODELS
from ..targets import target_of
from . import info as about
from . import show
from .catalogue import model
from .console import console, errors

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


class Parameters(StrEnum):
    auto = "auto"
    standard = "standard"
    base = "base"


class Wrenches(StrEnum):
    none = "none"
    input = "input"
    file = "file"

    @property
    def choice(self) -> bool | str:
        """What the models call it."""
        choices: dict[str, bool | str] = {"none": False, "input": True, "file": "robot"}
        return choices[self.value]


class Base(StrEnum):
    fixed = "fixed"
    floating = "floating"


RobotArgument = Annotated[str, typer.Argument(metavar="ROBOT", help="A robot file, or the name of a bundled robot.")]
Symbolic = Annotated[
    bool,
    typer.Option("--symbolic", "-s", help="Use a bundled robot with all inertial parameters and lengths as symbols."),
]
BaseOption = Annotated[
    Base | None, typer.Option("--base", help="The kind of base; by default the one in the robot's file.")
]
Snap = Annotated[
    float | None,
    typer.Option(
        "--snap",
        metavar="ANGLE",
        help="Take an angle in a file as a quarter turn if it is this close (rad) to one: 1e-4 makes 1.5708 exact, "
        "0 keeps all angles as written. The default is 1e-9.",
    ),
]
Lenient = Annotated[
    bool,
    typer.Option(
        "--lenient",
        help="Read a URDF without masses, moments or the link world as other programs do, with warnings.",
    ),
]
Folders = Annotated[
    list[Path] | None,
    typer.Option(
        "--folder", metavar="FOLDER", help="Let an MJCF file read other files from this folder; can be repeated."
    ),
]
OpenLoops = Annotated[bool, typer.Option("--open-loops", help="Open closed loops: every joint moves independently.")]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The file to write; - is standard output.")]


def find(
    name: str,
    symbolic: bool = False,
    base: Base | None = None,
    snap: float | None = None,
    lenient: bool = False,
    folders: list[Path] | None = None,
) -> tf.Robot:
    """Return the robot of a file or of a bundled name."""
    if name in tf.robots.names() and not os.path.isfile(name):
        if snap is not None or lenient or folders:
            raise tf.RobotError(
                f"{name}: --snap, --lenient and --folder are for files; bundled robots are exact and whole"
            )
        robot = tf.robots.bundled(name, symbolic=symbolic)
        return robot.with_base(base.value) if base else robot
    if symbolic:
        raise tf.RobotError(f"{name}: --symbolic is for bundled robots ({', '.join(tf.robots.names())})")
    if not Path(name).suffix and not os.path.exists(name):
        raise tf.RobotError(f"{name}: neither a file nor a bundled robot ({', '.join(tf.robots.names())})")
    tolerance = SNAP if snap is None else snap
    return tf.load(name, base=base.value if base else None, snap=tolerance, lenient=lenient, folders=folders or ())


@contextmanager
def heard() -> Iterator[list[str]]:
    """Collect warnings about a robot, to be shown with it; others go their usual way."""
    found: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always", tf.RobotWarning)
        usual = warnings.showwarning

        def hear(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
            if not issubclass(category, tf.RobotWarning):
                usual(message, category, *rest, **more)
            elif str(message) not in found:
                found.append(str(message))

        warnings.showwarning = hear
        yield found


@app.command()
def robots() -> None:
    """List the bundled robots."""
    console.print(show.robots([tf.robots.bundled(name) for name in tf.robots.names()]))


@app.command()
def info(
    robot: RobotArgument,
    tables: Annotated[
        bool | None,
        typer.Option(
            "--tables/--no-tables",
            help=f"Show or hide geometric and inertial parameters; by default shown for up to {about.FEW} joints.",
        ),
    ] = None,
    symbolic: Symbolic = False,
    base: BaseOption = None,
    snap: Snap = None,
    lenient: Lenient = False,
    folder: Folders = None,
) -> None:
    """Show a robot: its tree, limits and masses, warnings, tables, and the number of base parameters.

    Example: `tauforge info puma560 --base floating`
    """
    with heard() as warned:
        found = find(robot, symbolic, base, snap, lenient, folder)
    with heard():  # what is said again
        for part in about.info(found, warned, tables):
            console.print(part, soft_wrap=True)
        with errors.status("counting the base inertial parameters"):
            count = about.base_count(found)
        console.print(count, soft_wrap=True, markup=False)


@app.command()
def base(
    robot: RobotArgument,
    output: Output = "-",
    symbolic: Symbolic = False,
    base: BaseOption = None,
    snap: Snap = None,
    lenient: Lenient = False,
    folder: Folders = None,
    open_loops: OpenLoops = False,
) -> None:
    """Show the base inertial parameters and how they are grouped; with -o FILE, save the robot that uses them.

    Example: `tauforge base rrp -o rrpbase.par`
    """
    described = find(robot, symbolic, base, snap, lenient, folder)
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
        console.print(table)
        raise typer.Exit


@app.command()
def generate(
    which: Annotated[
        str, typer.Argument(metavar="MODEL", help="The model to compute; `tauforge generate --list` lists them.")
    ],
    robot: RobotArgument,
    output: Output = "-",
    target: Annotated[
        str,
        typer.Option(
            "--target",
            "-t",
            help="c, header, fortran, matlab, python, numpy or latex; by default from FILE's ending, else c.",
        ),
    ] = "",
    parameters: Annotated[
        Parameters,
        typer.Option("--parameters", "-p", help="The inertial parameters to use; auto groups them if all are numbers."),
    ] = Parameters.auto,
    function: Annotated[str, typer.Option("--name", "-n", help="The name of the generated function.")] = "",
    wrenches: Annotated[
        Wrenches,
        typer.Option("--wrenches", "-w", help="External wrenches: none, as an input, or from the robot's file."),
    ] = Wrenches.none,
    frame: Annotated[str, typer.Option("--frame", metavar="LINK", help="The link whose Jacobian to compute.")] = "",
    accelerated: Annotated[
        str,
        typer.Option(
            "--accelerated",
            metavar="JOINTS",
            help="Joints whose acceleration is known, for hybrid dynamics: names separated by commas, or rigid.",
        ),
    ] = "",
    formulation: Annotated[
        str,
        typer.Option("--formulation", metavar="NAME", help="A classical formulation; `tauforge compare` lists them."),
    ] = DEFAULT,
    split: Annotated[
        bool, typer.Option("--split", help="Write two files: FILE_setup computes constants once, FILE the rest.")
    ] = False,
    symbolic: Symbolic = False,
    base: BaseOption = None,
    snap: Snap = None,
    lenient: Lenient = False,
    folder: Folders = None,
    open_loops: OpenLoops = False,
    listed: Annotated[
        bool, typer.Option("--list", callback=list_models, is_eager=True, help="List the models, one per line.")
    ] = False,
) -> None:
    """Write a model's source code.

    Examples: `tauforge generate inverse-dynamics puma560 -o puma.c` ·
    `tauforge generate inverse-dynamics arm.par -t matlab > arm.m`
    """
    found = find(robot, symbolic, base, snap, lenient, folder)
    program = model(
        which,
        found.tree() if open_loops else found,
        parameters=parameters.value,
        external_wrenches=wrenches.choice,
        frame=frame,
        accelerated=accelerated,
        formulation=formulation,
    )
    if split and output == "-":
        raise tf.ProgramError("--split writes two files: give the second one's name with -o FILE")
    kind = target or ("c" if output == "-" else target_of(output))
    if output == "-":
        sys.stdout.write(program.code(kind, name=function or None))
        return
    path = Path(output)
    parts = {path: program}
    if split:
        setup, rest = program.split()
        parts = {path.with_stem(f"{path.stem}_setup"): setup, path: rest}
    name = function or path.stem
    texts = {place: part.code(kind, name=name if place == path else f"{name}_setup") for place, part in parts.items()}
    for place, text in texts.items():
        write_text(place, text)
    errors.print(f"[green]wrote[/green] {escape(', '.join(map(str, texts)))}: {program.count()}", soft_wrap=True)


@app.command()
def count(
    robot: RobotArgument,
    symbolic: Symbolic = False,
    base: BaseOption = None,
    snap: Snap = None,
    lenient: Lenient = False,
    folder: Folders = None,
) -> None:
    """Count the operations of inverse dynamics with standard and base parameters, next to published figures."""
    console.print(show.counts(find(robot, symbolic, base, snap, lenient, folder)))


@app.command()
def compare(
    robot: RobotArgument,
    symbolic: Symbolic = False,
    plot: Annotated[
        bool, typer.Option("--plot", help="Also plot to FILE how costs grow with the number of joints.")
    ] = False,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The file for the plot.")
    ] = "formulations.png",
    base: BaseOption = None,
    snap: Snap = None,
    lenient: Lenient = False,
    folder: Folders = None,
) -> None:
    """Compare the classical formulations of a robot's inverse dynamics: count, time and prove them equal.

    Example: `tauforge compare puma560 --plot -o growth.svg`
    """
    from . import compare as comparison

    if plot:
        show.pyplot()  # refused now if it is missing, not after all the work
    found = find(robot, symbolic, base, snap, lenient, folder).tree()
    console.print(comparison.table(found, list(comparison.rows(found))))
    if plot:
        comparison.plot(Path(output))
        errors.print(f"[green]wrote[/green] {escape(output)}", soft_wrap=True)


@app.command()
def bench(
    robot: RobotArgument,
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
    symbolic: Symbolic = False,
    base: BaseOption = None,
    snap: Snap = None,
    lenient: Lenient = False,
    folder: Folders = None,
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
        found, notes = comparison.prepared(find(robot, symbolic, base, snap, lenient, folder))
        with errors.status("loading libraries") as status:
            rows = [*comparison.rows(found, wanted, batch=batch, seconds=seconds, progress=status.update)]
    console.print(comparison.table(found, rows, batch, notes))
    if figures:
        comparison.save(Path(figures), found, rows, batch, notes)
    if plot:
        comparison.plot(Path(plot), found, rows)
    if written := [name for name in (figures, plot) if name]:
        errors.print(f"[green]wrote[/green] {escape(', '.join(written))}", soft_wrap=True)


@app.command()
def demo() -> None:
    """Show the whole path on bundled robots: from the description to code, compiled function and proof."""
    from .demo import run

    run(console)


def version(wanted: bool) -> None:
    if wanted:
        print(f"tauforge {tf.__version__}")
        raise typer.Exit


def limits(given: list[str] | None) -> tf.FileLimits:
    """Return the limits that files have, some of them given as in links=20000."""
    raised = {}
    known = asdict(tf.FileLimits())
    for text in given or ():
        key, _, value = text.partition("=")
        try:
            raised[key] = float(value)
        except ValueError:
            raise tf.RobotError(f"--limit {text}: write --limit NAME=NUMBER, as in links=20000") from None
        if key not in known:
            raise tf.RobotError(f"--limit {text}: there is no limit {key}; known are {', '.join(known)}")
    return tf.FileLimits(**raised)


@app.callback()
def options(
    context: typer.Context,
    raised: Annotated[
        list[str] | None,
        typer.Option(
            "--limit",
            metavar="NAME=NUMBER",
            help="Raise a limit on ROBOT's file, as in links=20000: bytes, seconds and others.",
        ),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Say what every command has in common: the version, and how large a robot's file may be."""
    context.with_resource(limited(limits(raised)))


def main() -> None:
    """Run the command line; errors that Tauforge foresees are one line and exit code 2."""
    warnings.showwarning = lambda message, *_, **__: errors.print(
        f"[yellow]warning:[/yellow] {escape(str(message))}", soft_wrap=True
    )
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter shows another
    try:
        app()
        sys.stdout.flush()
    except tf.TauforgeError as error:
        errors.print(f"[bold red]error:[/bold red] {escape(str(error))}", soft_wrap=True)
        sys.exit(2)
    except BrokenPipeError:  # the reader of our output has gone, as in `tauforge … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        errors.print(f"[bold red]error:[/bold red] output cannot be written ({error.strerror})")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
