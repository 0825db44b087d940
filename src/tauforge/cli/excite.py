"""The command ``excite``: a motion from which a robot's parameters can be identified."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape

import tauforge as tf

from . import show
from .console import console, errors
from .find_robot import FindRobot, takes_robot
from .simulate import PlotFile, listed, told

Time = Annotated[float, typer.Option("--time", metavar="SECONDS", help="How long.")]
Harmonics = Annotated[
    int | None,
    typer.Option("--harmonics", metavar="NUMBER", help="Multiples of the base frequency; by default up to 2 Hz."),
]
Range = Annotated[
    str, typer.Option("--position", metavar="LISTS", help="Lower and upper ends of the ranges, as in '-2,-1; 2,1'.")
]
Velocity = Annotated[str, typer.Option("--velocity", metavar="LIST", help="Largest speeds: one, or one per joint.")]
Acceleration = Annotated[str, typer.Option("--acceleration", metavar="LIST", help="Largest accelerations.")]
Torque = Annotated[str, typer.Option("--torque", metavar="LIST", help="Largest torques; inf for none.")]
Start = Annotated[str, typer.Option("--start", metavar="LIST", help="Coordinates at both ends; free by default.")]
Criterion = Annotated[str, typer.Option("--criterion", metavar="NAME", help="condition or determinant.")]
Friction = Annotated[
    str, typer.Option("--friction", metavar="LIST", help="Terms of friction to identify, such as FV,FS; or none.")
]
Rotors = Annotated[
    bool | None, typer.Option("--rotors/--no-rotors", help="Whether to identify rotor inertias.", show_default=False)
]
Starts = Annotated[int, typer.Option("--starts", metavar="NUMBER", help="Random motions to start from.")]
Seed = Annotated[int, typer.Option("--seed", metavar="NUMBER", help="Makes the search reproducible.")]
Dt = Annotated[float, typer.Option("--dt", metavar="SECONDS", help="The time between rows of FILE.")]
Save = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Save the motion for a controller: .csv.")]


@takes_robot(symbolic=False)
def excite(
    robot: FindRobot,
    time: Time = 10.0,
    harmonics: Harmonics = None,
    position: Range = "",
    velocity: Velocity = "",
    acceleration: Acceleration = "",
    torque: Torque = "",
    start: Start = "",
    criterion: Criterion = "condition",
    friction: Friction = "",
    rotors: Rotors = None,
    starts: Starts = 6,
    seed: Seed = 0,
    dt: Dt = 0.001,
    output: Save = "",
    plot: PlotFile = "",
) -> None:
    """Find a motion that excites a robot's parameters, within its limits, at rest at both ends.

    Limits that are not given are those of the robot's file.

    Example: `tauforge excite arm.urdf --time 10 --acceleration 8 -o excite.csv --plot excite.svg`
    """
    found = robot()
    if plot:
        show.pyplot()  # refused now if it is missing, not after all the work
    limits: dict[str, Any] = {"velocity": velocity, "acceleration": acceleration, "torque": torque}
    limits = {name: numbers(name, text) for name, text in limits.items() if text}
    if position:
        limits["position"] = [numbers("position", part) for part in position.split(";")]
    terms = None if not friction else () if friction == "none" else tuple(listed(friction))
    made = tf.exciting_trajectory(
        found, time, limits, harmonics=harmonics, start=numbers("start", start, alone=False) if start else None,
        criterion=criterion, friction=terms, rotors=rotors, starts=starts, seed=seed,
    )  # fmt: skip
    console.print(table(made))
    if output:
        made.save(output, dt=dt)
    if plot:
        made.plot(plot)
    told(output, plot)


def numbers(name: str, text: str, alone: bool = True) -> Any:
    """Return the numbers of an option; a single one by itself, for all joints."""
    try:
        found = [float(x) for x in listed(text)]
    except ValueError:
        raise tf.ProgramError(f"--{name} {text}: give numbers separated by commas") from None
    return found[0] if alone and len(found) == 1 else found


def table(made: tf.ExcitingTrajectory) -> Any:
    """Return which part of each limit the joints use."""
    head = list(made.used)
    rows = show.table(("joint", *head), right=head)
    for k, name in enumerate(made.robot.velocity_names):
        cells = [f"{100.0 * made.used[key][k]:.0f} %" for key in head]
        rows.add_row(f"[green]{escape(name)}[/green]", *cells)
    title = (
        f"{made.robot.name}: {len(made.names)} parameters, {made.duration:g} s, condition number {made.condition:.4g}"
    )
    errors.print("parts of the limits that the motion uses", highlight=False)
    return show.titled(title, rows)
