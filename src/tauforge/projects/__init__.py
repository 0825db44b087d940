"""Programs as projects that build at once: with a test against numbers, a README and the files that a tool expects."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Callable
from pathlib import Path

from ..errors import TargetError, suggestion
from ..files import as_path
from ..models.inverse_dynamics import inverse_dynamics
from ..models.registry import check_robot
from ..program.program import Program
from ..robot.robot import Robot
from ..targets.c import LANGUAGE
from ..targets.language import Names, library, words
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


_CMAKE = words("all clean edit_cache help install list_install_components package package_source rebuild_cache test")
_TAKEN: dict[str, frozenset[str]] = {
    "cmake": _CMAKE,
    "cargo": words("alloc core proc_macro std test"),
    "ros2": _CMAKE | words("uninstall"),
    "fmu": _CMAKE | words("model"),
    "simulink": words("IN INPUTS OUT OUTPUTS outputs start terminate"),
    "arduino": words("""
        analogRead analogReference analogWrite attachInterrupt bitRead bitWrite delay delayMicroseconds detachInterrupt
        digitalRead digitalWrite highByte init initVariant interrupts loop lowByte main makeWord map micros millis
        noInterrupts noTone pinMode pulseIn pulseInLong random randomSeed serialEvent serialEventRun setup shiftIn
        shiftOut show tone touch word yield
    """),
    "wasm": words("memory"),
    "python-extension": frozenset({*keyword.kwlist, *sys.stdlib_module_names, "numpy", "setuptools"}),
}
"""Names that the tools and files of a project need for themselves, besides those of the C library."""


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
        The function's and the project's name, by default the folder's, with _ in the place of spaces and signs.
    """
    check_robot(robot)
    if kind not in PROJECTS:
        raise TargetError(f"unknown kind of project {kind!r}; {suggestion(kind, list(PROJECTS))}")
    own = re.sub(r"[^A-Za-z0-9_]", "_", as_path(folder).resolve().name) if name is None else name
    if own in library(LANGUAGE.library)[1] | _TAKEN.get(kind, frozenset()):
        raise TargetError(f"{own!r} cannot be the name of a project of kind {kind}, which needs it itself; give name=")
    name = Names(LANGUAGE).function(own)
    order = Order(robot, inverse_dynamics(robot) if program is None else program, name)
    return write_folder(folder, PROJECTS[kind](order))
