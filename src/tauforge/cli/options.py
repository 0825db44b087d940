"""What can be given on the command line: arguments and options, each with its help."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


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


RobotArgument = Annotated[str, typer.Argument(metavar="ROBOT", help="A robot's file or a bundled one's name.")]
Symbolic = Annotated[
    bool,
    typer.Option("--symbolic", "-s", help="Take a bundled robot with all inertial parameters and lengths as symbols."),
]
BaseOption = Annotated[
    Base | None, typer.Option("--base", help="What the robot stands on; as its file has it unless given.")
]
Snap = Annotated[
    float | None,
    typer.Option(
        "--snap",
        metavar="ANGLE",
        help="How far (rad) an angle in a file may be from a quarter turn to be taken as one: 1e-4 makes 1.5708 exact, "
        "0 keeps all angles as written; 1e-9 unless given.",
    ),
]
Lenient = Annotated[
    bool,
    typer.Option(
        "--lenient",
        help="Read a URDF that lacks masses, moments or the link world as other programs do, with warnings.",
    ),
]
Folders = Annotated[
    list[Path] | None,
    typer.Option(
        "--folder", metavar="FOLDER", help="Where an MJCF file may read others, too; may be given repeatedly."
    ),
]
OpenLoops = Annotated[
    bool, typer.Option("--open-loops", help="Leave closed loops open, with every joint free to move by itself.")
]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is standard output.")]
ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="What to compute: `tauforge generate --list` tells.")
]
Target = Annotated[
    str,
    typer.Option(
        "--target",
        "-t",
        help="c, header, fortran, matlab, python, numpy or latex; by FILE's ending, or c, unless given.",
    ),
]
ParametersOption = Annotated[
    Parameters,
    typer.Option("--parameters", "-p", help="Inertial parameters to use; auto groups them if all are numbers."),
]
FunctionName = Annotated[str, typer.Option("--name", "-n", help="Name of the generated function.")]
WrenchesOption = Annotated[
    Wrenches,
    typer.Option("--wrenches", "-w", help="External wrenches: none, an input, or those of the robot's file."),
]
Frame = Annotated[str, typer.Option("--frame", metavar="LINK", help="The link that a Jacobian is of.")]
Accelerated = Annotated[
    str,
    typer.Option(
        "--accelerated",
        metavar="JOINTS",
        help="Joints whose acceleration is known in hybrid dynamics: names with commas between, or rigid.",
    ),
]
Formulation = Annotated[
    str, typer.Option("--formulation", metavar="NAME", help="One of those that `tauforge compare` lists.")
]
Split = Annotated[bool, typer.Option("--split", help="Two files: FILE_setup computes constants once, FILE the rest.")]
