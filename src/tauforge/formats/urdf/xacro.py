"""Reading xacro: xacro itself expands the macros, and the result is read as URDF.

A xacro file is a program: it computes, and it includes other files. It runs in a separate process, with limited time
and memory.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from ...errors import RobotError, RobotWarning
from ...files import note_reading
from ...limits import spend
from ...robot.robot import Robot
from ..angles import SNAP
from ..apart import run_apart
from ..xml import document, parsed
from . import xacro_expand
from .closing import SideFile
from .read import robot_of


def read(path: Path, snap: float = SNAP, lenient: bool = False, side: SideFile | None = None) -> Robot:
    """Read a robot from a .xacro file, and what closes its loops from a side file."""
    document(path)  # refuses a file that is not XML, is too large or has a DTD
    return robot_of(replace(parsed(path, _expanded(path), lines=False), lenient=lenient), snap, side)


def write(robot: Robot) -> NoReturn:
    """Refuse to write macros."""
    raise RobotError(f"{robot.name}: xacro files can only be read; save a .urdf")


def _expanded(path: Path) -> bytes:
    if find_spec("xacro") is None:
        raise RobotError(f'{path}: reading xacro needs xacro; install it with: pip install "tauforge[urdf]"')
    with tempfile.TemporaryDirectory() as folder:
        expanded = Path(folder, "expanded")
        done, said = run_apart("xacro", "xacro", xacro_expand.__file__, str(path), str(expanded))
        if not done:
            raise RobotError(f"{path}: {said}")
        spend("bytes", expanded.stat().st_size, path)
        data = expanded.read_bytes()
        for name in Path(f"{expanded}.read").read_bytes().split(b"\0"):
            note_reading(os.fsdecode(name))
    if said:
        warnings.warn(f"{path}: xacro says: {said}", RobotWarning, stacklevel=5)
    return data
