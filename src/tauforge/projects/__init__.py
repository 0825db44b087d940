"""Programs as projects that build at once: with a test against numbers, a README and the files that a tool expects."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..errors import TargetError, suggestion
from ..models.inverse_dynamics import inverse_dynamics
from ..models.registry import check_robot
from ..program.program import Program
from ..robot.robot import Robot
from ..targets.c import LANGUAGE
from ..targets.language import Names
from .devices import arduino, simulink, wasm
from .fmu import fmu
from .libraries import cargo, cmake, python_extension, ros2
from .project import Files, Order, write_folder

PROJECTS: dict[str, Callable[[Order], Files]] = {
    "cmake": cmake,
    "cargo": cargo,
    "ros2": ros2,
    "fmu": fmu,
    "simulink": simulink,
    "arduino": arduino,
    "python-extension": python_extension,
    "wasm": wasm,
}


def write_project(
    robot: Robot, folder: str | Path, kind: str, program: Program | None = None, name: str | None = None
) -> Path:
    """Write a project of a kind around a robot's Program, by default its inverse dynamics; return its folder.

    Parameters
    ----------
    robot
        The robot. An FMU has its motion, whatever the Program is.
    folder
        A folder that does not exist yet, or is empty.
    kind
        "cmake", "cargo", "ros2", "fmu", "simulink", "arduino", "python-extension" or "wasm".
    program
        One of the robot's models.
    name
        The function's and the project's name, by default the folder's.
    """
    check_robot(robot)
    if kind not in PROJECTS:
        raise TargetError(f"unknown kind of project {kind!r}; {suggestion(kind, list(PROJECTS))}")
    name = Names(LANGUAGE).function(Path(folder).name if name is None else name)
    order = Order(robot, inverse_dynamics(robot) if program is None else program, name)
    return write_folder(folder, PROJECTS[kind](order))
