"""The commands that compare a robot with measurements: ``identify`` and ``validate``."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

import tauforge as tf

from .console import console, errors
from .find_robot import FindRobot, takes_robot
from .recordings import ColumnNames, Data, Degrees, Gains, Motors, Step, Topic, Zero, matrix, number, read

Friction = Annotated[
    str, typer.Option("--friction", metavar="LIST", help="Terms of friction, such as FV,FS,FO; by default as needed.")
]
Rotors = Annotated[bool, typer.Option("--rotors/--no-rotors", help="Whether joints have rotor inertias.")]
Springs = Annotated[bool, typer.Option("--springs", help="Joints have springs.")]
Coupling = Annotated[
    str,
    typer.Option(
        "--coupling",
        metavar="LISTS",
        help="The matrix R of motor = R joint, by rows: '32,0; 32,32'. Data are of joints.",
    ),
]
Method = Annotated[str, typer.Option("--method", metavar="NAME", help="weighted, ordinary, huber or total.")]
Essential = Annotated[bool, typer.Option("--essential", help="Leave out what the data cannot tell from zero.")]
Cutoff = Annotated[str, typer.Option("--cutoff", metavar="HZ", help="Of the filter of positions; from the data.")]
Accept = Annotated[
    list[str] | None,
    typer.Option("--accept", metavar="CODE", help="A finding that you know of, such as saturated or sign:joint2."),
]
Check = Annotated[
    list[Path] | None,
    typer.Option("--validate", metavar="DATA", help="A recording that is predicted, not used; can be repeated."),
]
Consistent = Annotated[
    bool, typer.Option("--consistent", help="A possible robot: positive masses and inertias, friction that brakes.")
]
Report = Annotated[str, typer.Option("--report", metavar="FILE", help="Write all results to an .html file.")]
Save = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Save the identified robot: a .toml file.")]


@takes_robot(symbolic=False)
def identify(
    robot: FindRobot,
    data: Data,
    friction: Friction = "",
    rotors: Rotors = True,
    springs: Springs = False,
    coupling: Coupling = "",
    method: Method = "weighted",
    essential: Essential = False,
    cutoff: Cutoff = "",
    consistent: Consistent = False,
    accept: Accept = None,
    check: Check = None,
    report: Report = "",
    output: Save = "",
    columns: ColumnNames = None,
    degrees: Degrees = False,
    motors: Motors = "",
    zero: Zero = "",
    gains: Gains = "",
    topic: Topic = "",
    step: Step = None,
) -> None:
    """Identify a robot's parameters from recordings, with standard errors, and say how well they predict.

    Example: `tauforge identify arm.urdf first.csv --validate second.csv -o identified.toml`
    """
    found = robot()
    options: dict[str, Any] = {"rotors": rotors, "springs": springs, "method": method, "essential": essential}
    options |= {"consistent": consistent, "accept": tuple(accept or ())}
    if friction:
        options["friction"] = tuple(x.strip() for x in friction.split(","))
    if coupling:
        options["coupling"] = matrix(coupling)
    if cutoff:
        options["cutoff"] = number(cutoff)
    how = (columns, degrees, motors, zero, gains, topic, step)
    recordings, others = (read(paths, found, *how) for paths in (data, check or ()))
    with errors.status("identifying"), warnings.catch_warnings():
        warnings.simplefilter("ignore", tf.RecordingWarning)  # shown below
        result = tf.identify(found, recordings, **options)
    console.print(result.table(), markup=False, highlight=False, soft_wrap=True)
    for finding in result.findings:
        if not finding.is_accepted(options["accept"]):
            errors.print(f"[yellow]warning:[/yellow] {escape(str(finding))}", highlight=False, soft_wrap=True)
    own = result.validate(others or recordings)
    title = "Predicted recordings" if check else "The same recordings"
    console.print(f"\n{title}\n{own.table()}", markup=False, highlight=False, soft_wrap=True)
    if report:
        with errors.status("writing the report"):
            result.report(report, others)
        errors.print(f"[green]wrote[/green] {escape(report)}", soft_wrap=True)
    if output:
        result.robot.save(output)
        errors.print(f"[green]wrote[/green] {escape(output)}", soft_wrap=True)


@takes_robot(symbolic=False)
def validate(
    robot: FindRobot,
    data: Data,
    cutoff: Cutoff = "",
    columns: ColumnNames = None,
    degrees: Degrees = False,
    motors: Motors = "",
    zero: Zero = "",
    gains: Gains = "",
    topic: Topic = "",
    step: Step = None,
) -> None:
    """Say how well a robot predicts the torques of recordings.

    Example: `tauforge validate identified.toml second.csv`
    """
    found = robot()
    options: dict[str, Any] = {"cutoff": number(cutoff)} if cutoff else {}
    validation = tf.validate(found, read(data, found, columns, degrees, motors, zero, gains, topic, step), **options)
    console.print(validation.table(), markup=False, highlight=False, soft_wrap=True)
