"""Reading xacro: the macros are expanded by xacro itself, which is made for it, and the result is read as URDF.

A xacro file is a program: it computes, and it includes other files. Read those that you trust.
"""

from __future__ import annotations

import warnings
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NoReturn

from ..errors import RobotError, RobotWarning
from ..robot.robot import Robot
from .urdf import robot_of
from .xml import document, parsed


def read(path: Path, snap: float = 0.0) -> Robot:
    """Read a robot from a .xacro file."""
    document(path)  # refuses what is no XML, too large or has a DTD
    return robot_of(parsed(path, _expanded(path), lines=False), snap)


def write(robot: Robot) -> NoReturn:
    """Refuse to write macros."""
    raise RobotError(f"{robot.name}: xacro is only read; save a .urdf")


def _expanded(path: Path) -> bytes:
    try:
        import xacro
        from xacrodoc import packages  # finds $(find package) without ROS
    except ImportError:
        raise RobotError(
            f'{path}: reading xacro needs xacrodoc; install it with: pip install "tauforge[urdf]"'
        ) from None
    packages.reset()
    packages.walk_up_from(path.resolve())
    said = StringIO()  # it would print there, and what a file says may command a terminal
    try:
        with redirect_stderr(said), redirect_stdout(said):
            expanded: str = xacro.process_file(str(path)).toxml()
    except Exception as error:  # whatever an expression or a macro in it raises
        cause = getattr(error, "exc", None)
        if isinstance(cause, packages.PackageNotFoundError):
            raise RobotError(
                f"{path}: it needs the package {cause.args[0]}, which is not around it; name the folder that holds it "
                "in ROS_PACKAGE_PATH"
            ) from None
        raise RobotError(f"{path}: xacro cannot expand it: {str(error) or type(error).__name__}") from None
    if said.getvalue().strip():
        warnings.warn(f"{path}: xacro says: {said.getvalue().strip()}", RobotWarning, stacklevel=4)
    return expanded.encode("utf-8", "replace")
