"""Robots from files and to files: one module a format, chosen by the file's ending.

A format's module has ``read(path) -> Robot`` and ``write(robot) -> str``.
"""

from importlib import import_module
from pathlib import Path
from types import ModuleType

from ..errors import RobotError
from ..files import write_text
from ..robot.robot import Robot

_FORMATS = {".par": "par", ".toml": "toml"}  # imported when a file asks for it, so that starting stays quick


def load(path: str | Path) -> Robot:
    """Read a robot from a file.

    Parameters
    ----------
    path : a ``.par`` file of SYMORO+ or OpenSYMORO, or a ``.toml`` file in Tauforge's own format
    """
    robot: Robot = _format(Path(path)).read(Path(path))
    return robot


def save(robot: Robot, path: str | Path) -> None:
    """Write a robot to a file, whole or not at all, in the format of its ending; reading it gives an equal robot."""
    write_text(path, _format(Path(path)).write(robot))


def _format(path: Path) -> ModuleType:
    if path.is_dir():
        raise RobotError(f"{path}: this is a directory; give a robot's file")
    name = _FORMATS.get(path.suffix.lower())
    if name is None:
        ending = f"the ending {path.suffix!r}" if path.suffix else "a name without ending"
        raise RobotError(f"{path}: {ending} tells no format; known endings are {', '.join(_FORMATS)}")
    return import_module(f".{name}", __name__)
