"""Recordings for commands: their files, how these call things, and their units."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

import tauforge as tf

Data = Annotated[
    list[Path], typer.Argument(metavar="DATA", help="Recordings: .csv, .npz or .parquet files, or ROS 2 bags.")
]
ColumnNames = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="KEY=NAMES",
        help="How DATA call t, q, tau, qd or qdd: q=pos for pos1, pos2, …, or q=A1,A2 for these; can be repeated.",
    ),
]
Degrees = Annotated[bool, typer.Option("--degrees", help="Angles in DATA are in degrees.")]
Motors = Annotated[
    str,
    typer.Option(
        "--motors",
        metavar="LISTS",
        help="DATA are of motors: the gear ratio of each joint, '32,45', or the matrix of motor = R joint by rows, "
        "'32,0; 32,32'.",
    ),
]
Zero = Annotated[
    str, typer.Option("--zero", metavar="LIST", help="Coordinates of the joints where the motors are at zero.")
]
Gains = Annotated[
    str, typer.Option("--gains", metavar="LIST", help="Torque of each motor per unit in DATA, such as per ampere.")
]
Topic = Annotated[str, typer.Option("--topic", metavar="NAME", help="The topic of a ROS 2 bag with joint states.")]

Step = Annotated[
    float | None, typer.Option("--step", metavar="SECONDS", help="The time between samples, if DATA have no times.")
]


def read(
    paths: Sequence[Path],
    robot: tf.Robot,
    columns: Sequence[str] | None,
    degrees: bool,
    motors: str,
    zero: str,
    gains: str,
    topic: str,
    step: float | None,
) -> list[tf.Recording]:
    """Return the recordings of files, on the joints' side and in the robot's order."""
    from ..identification.checks import axes, named

    if (zero or gains) and not motors:
        raise tf.IdentificationError("--zero and --gains go with data of motors: give --motors and the gear ratios too")
    called = dict(map(_called, columns or ()))
    found = []
    for path in paths:
        own = named(tf.Recording.read(path, columns=called, topic=topic or None, step=step), robot)
        if degrees:
            turning = axes(robot, "revolute")
            own = own.in_radians([motors != "" or k in turning for k in range(own.q.shape[1])])
        if motors:
            shift, scale = _numbers(zero) if zero else 0.0, _numbers(gains) if gains else 1.0
            own = own.on_joints(matrix(motors), shift, scale)
        found.append(own)
    return found


def matrix(text: str) -> list[Any]:
    """Return the rows of a matrix, or the numbers of a single row."""
    rows: list[Any] = [_numbers(row) for row in text.split(";")]
    return rows if len(rows) > 1 else rows[0]


def number(text: str) -> float:
    """Return the number that an option has."""
    try:
        return float(text)
    except ValueError:
        raise tf.IdentificationError(f"{text!r} is not a number") from None


def _numbers(text: str) -> list[float]:
    return [number(x) for x in text.split(",")]


def _called(text: str) -> tuple[str, str | list[str]]:
    key, separator, names = text.partition("=")
    if not separator or not names:
        raise tf.IdentificationError(f"--column {text}: give KEY=NAMES, such as q=pos, or q=A1,A2,A3")
    parts = [x.strip() for x in names.split(",")]
    return key.strip(), parts if len(parts) > 1 else parts[0]
