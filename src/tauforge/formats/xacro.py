"""Reading xacro: the macros are expanded by xacro itself, which is made for it, and the result is read as URDF.

A xacro file is a program: it computes, and it includes other files. Read those that you trust.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from ..errors import RobotError, RobotWarning
from ..robot.robot import Robot
from .angles import SNAP
from .packages import find_package
from .urdf import robot_of
from .xml import document, parsed


def read(path: Path, snap: float = SNAP, lenient: bool = False) -> Robot:
    """Read a robot from a .xacro file."""
    document(path)  # refuses what is no XML, too large or has a DTD
    return robot_of(replace(parsed(path, _expanded(path), lines=False), lenient=lenient), snap)


def write(robot: Robot) -> NoReturn:
    """Refuse to write macros."""
    raise RobotError(f"{robot.name}: xacro is only read; save a .urdf")


def _expanded(path: Path) -> bytes:
    try:
        import xacro
    except ImportError:
        raise RobotError(f'{path}: reading xacro needs xacro; install it with: pip install "tauforge[urdf]"') from None
    lost: list[str] = []

    def folder(name: str) -> str:
        """Return a package's folder; remember what is not there."""
        if found := find_package(name, path):
            return str(found)
        lost.append(name)
        raise LookupError(name)

    said = StringIO()  # it would print there, and what a file says may command a terminal
    try:
        with _finding(folder), redirect_stderr(said), redirect_stdout(said):
            expanded: str = xacro.process_file(str(path)).toxml()
    except Exception as error:  # whatever an expression or a macro in it raises
        if lost:
            raise RobotError(
                f"{path}: it needs the package {lost[0]}, which is not around it; name the folder that holds it "
                "in ROS_PACKAGE_PATH"
            ) from None
        raise RobotError(f"{path}: xacro cannot expand it: {str(error) or type(error).__name__}") from None
    if said.getvalue().strip():
        warnings.warn(f"{path}: xacro says: {said.getvalue().strip()}", RobotWarning, stacklevel=4)
    return expanded.encode("utf-8", "replace")


@contextmanager
def _finding(folder: Callable[[str], str]) -> Iterator[None]:
    """Let a function say where packages are: xacro asks a module of ROS 2 for it, in whose place it stands."""
    index, packages = ModuleType("ament_index_python"), ModuleType("ament_index_python.packages")
    vars(packages)["get_package_share_directory"] = folder
    stand_ins = {module.__name__: module for module in (index, packages)}
    before = {name: sys.modules[name] for name in stand_ins if name in sys.modules}
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for name in stand_ins:
            del sys.modules[name]
        sys.modules.update(before)
