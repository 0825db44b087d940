"""The arguments and options of the command line, each with its help."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import tauforge as tf

from ..targets import TARGETS


class Parameters(StrEnum):
    auto = "auto"
    standard = "standard"
    base = "base"
    least = "least"


class Wrenches(StrEnum):
    none = "none"
    input = "input"
    file = "file"

    @property
    def choice(self) -> bool | str:
        """The value that the models take."""
        choices: dict[str, bool | str] = {"none": False, "input": True, "file": "robot"}
        return choices[self.value]


class Objective(StrEnum):
    operations = "operations"
    size = "size"
    latency = "latency"
    throughput = "throughput"


class Efforts(StrEnum):
    auto = "auto"
    independent = "independent"
    motors = "motors"
    all = "all"


class Coordinates(StrEnum):
    independent = "independent"
    all = "all"


class Base(StrEnum):
    fixed = "fixed"
    floating = "floating"


def effort_of(text: str) -> str | float:
    """Return an effort as ``Program.optimise`` takes it: a name, or a number of seconds; refuse others at once."""
    from ..program.search import effort_of as known

    try:
        effort: str | float = float(text)
    except ValueError:
        effort = text
    known(effort)
    return effort


def limits(given: list[str] | None) -> tf.FileLimits:
    """Return the limits on files, with those given as in links=20000."""
    raised = {}
    known = asdict(tf.FileLimits())
    for text in given or ():
        key, _, value = text.partition("=")
        try:
            raised[key] = float(value)
        except ValueError:
            raise tf.RobotError(f"--limit {text}: write --limit NAME=NUMBER, as in links=20000") from None
        if key not in known:
            raise tf.RobotError(f"--limit {text}: there is no limit {key}; choose among {', '.join(known)}")
    return tf.FileLimits(**raised)


RobotArgument = Annotated[str, typer.Argument(metavar="ROBOT", help="A robot file, or the name of a bundled robot.")]
Symbolic = Annotated[
    bool,
    typer.Option(
        "--symbolic", "-s", help="Make all inertial parameters and lengths symbols, and leave rotors and friction out."
    ),
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
Loops = Annotated[
    Path | None,
    typer.Option("--loops", metavar="FILE", help="The .yaml file that closes the loops of a URDF."),
]
OpenLoops = Annotated[bool, typer.Option("--open-loops", help="Open closed loops: every joint moves independently.")]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The file to write; - is standard output.")]
ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="The model to compute; `tauforge generate --list` lists them.")
]
Target = Annotated[
    str,
    typer.Option(
        "--target",
        "-t",
        help=f"{', '.join(TARGETS)}; by default from FILE's ending, else c.",
    ),
]
ProjectOption = Annotated[
    str,
    typer.Option(
        "--project",
        metavar="KIND",
        help="Write a project that builds at once to the folder FILE: cmake, cargo, arduino, ros2, fmu, simulink, "
        "python-extension or wasm.",
    ),
]
ParametersOption = Annotated[
    Parameters,
    typer.Option(
        "--parameters",
        "-p",
        help="Inertial parameters to use; auto groups them if all are numbers, least makes the cheapest program.",
    ),
]
Effort = Annotated[
    str,
    typer.Option(
        "--effort",
        metavar="EFFORT",
        help="Search for a program that costs less: quick, default, high, or a number of seconds.",
    ),
]
ObjectiveOption = Annotated[
    Objective | None,
    typer.Option("--objective", help="What the search lowers; without --effort, by the default effort."),
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", help="Another seed takes the search another way; without --effort, by the default effort."),
]
FunctionName = Annotated[str, typer.Option("--name", "-n", help="The name of the generated function.")]
WrenchesOption = Annotated[
    Wrenches,
    typer.Option("--wrenches", "-w", help="External wrenches: none, as an input, or from the robot's file."),
]
Frame = Annotated[
    str, typer.Option("--frame", metavar="LINK", help="The link whose Jacobian or inverse geometry is computed.")
]
Fixed = Annotated[
    str,
    typer.Option(
        "--fixed",
        metavar="JOINTS",
        help="Joints that inverse geometry does not solve for: names separated by commas; their positions are inputs.",
    ),
]
Aim = Annotated[
    str,
    typer.Option(
        "--aim",
        metavar="AIM",
        help="What inverse geometry prescribes: pose, position, or axis, which is position and direction of z.",
    ),
]
Rows = Annotated[
    str,
    typer.Option(
        "--rows",
        metavar="ROWS",
        help="Rows of the Jacobian to use, for fewer than six degrees of freedom: some of vx,vy,vz,wx,wy,wz.",
    ),
]
Accelerated = Annotated[
    str,
    typer.Option(
        "--accelerated",
        metavar="JOINTS",
        help="Joints whose acceleration is known, for hybrid dynamics: names separated by commas, or rigid.",
    ),
]
EffortsOption = Annotated[
    Efforts,
    typer.Option(
        "--efforts",
        help="Whose torques tau has where loops are closed: the independent joints', motors, or with --coordinates all "
        "those of every axis. By default they are the independent joints', with --coordinates all the motors'.",
    ),
]
CoordinatesOption = Annotated[
    Coordinates,
    typer.Option(
        "--coordinates",
        help="Whose velocities and accelerations qd and qdd have where loops are closed: the independent joints', or "
        "all.",
    ),
]
Independent = Annotated[
    str,
    typer.Option(
        "--independent",
        metavar="JOINTS",
        help="Joints that describe the motion of closed loops, such as the platform: names separated by commas.",
    ),
]
Formulation = Annotated[
    str, typer.Option("--formulation", metavar="NAME", help="A classical formulation; `tauforge compare` lists them.")
]
WithRespectTo = Annotated[
    str,
    typer.Option(
        "--wrt",
        metavar="INPUTS",
        help="Write the derivative with respect to these inputs or parameters instead: q,qd.",
    ),
]
Of = Annotated[
    str, typer.Option("--of", metavar="OUTPUT", help="The output that --wrt differentiates, if there are several.")
]
Style = Annotated[
    str, typer.Option("--style", help="closed, steps, or auto: closed forms where they are short enough to read.")
]
Split = Annotated[
    bool, typer.Option("--split", help="Write two files: FILE_setup computes constants once, FILE the rest.")
]
