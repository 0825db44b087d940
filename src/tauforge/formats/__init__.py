"""Robots from files and to files: one folder per format, chosen by the file's ending.

A format's module has ``read(path) -> Robot`` and ``write(robot) -> str``; ``_OPTIONS`` says what else a reader takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from os.path import isdir
from pathlib import Path
from types import ModuleType
from typing import IO, TYPE_CHECKING, Any

from ..errors import RobotError
from ..files import as_path, write_text
from ..limits import FileLimits, limited
from ..robot.body import Body
from ..robot.bundled import names
from ..robot.robot import Robot
from .angles import SNAP, with_snapped_angles
from .contents import as_file, called
from .source import Source

if TYPE_CHECKING:
    from .urdf.closing import SideFile

_FORMATS = {
    ".par": "par",
    ".toml": "toml",
    ".urdf": "urdf",
    ".xacro": "urdf.xacro",
    ".xml": "mjcf",
    ".mjcf": "mjcf",
}
"""The module for each ending; it is imported only when needed, for a quick start."""

_FREE = (".urdf", ".xacro", ".xml", ".mjcf")
"""Endings of the formats with freely placed frames; their readers snap angles themselves."""

_MUJOCO = ("MjModel", "MjSpec")
"""What MuJoCo calls the models that it holds in memory."""

_OPTIONS = {
    "lenient": (_FREE, "URDF ({})"),
    "folders": ((".xml", ".mjcf"), "MJCF ({}), which reads other files"),
}
"""The endings for which each option of a reader is allowed, and what an error says the option is for."""


def load(
    path: str | Path | bytes | IO[Any] | Any,
    *,
    base: str | None = None,
    snap: float = SNAP,
    lenient: bool = False,
    folders: Sequence[str | Path] = (),
    loops: str | Path | None = None,
    limits: FileLimits | None = None,
) -> Robot:
    """Read a robot from a file.

    Parameters
    ----------
    path
        A ``.par`` file of SYMORO+ or OpenSYMORO, a ``.toml`` file in Tauforge's own format, a ``.urdf`` or
        ``.xacro`` file (extra ``urdf``), or an ``.xml`` or ``.mjcf`` file of MuJoCo (extra ``mjcf``). Instead of the
        file's name you can give its text, its bytes or an open file; or a model or specification of MuJoCo, an
        ``MjModel`` or ``MjSpec``.
    base
        "fixed" or "floating"; by default as in the file.
    snap
        An angle in the file is taken as a quarter turn if it is this close (rad) to one; small components of axes are
        taken as zero in the same way. Files often have 1.5708: give 1e-4. With 0, all angles are kept as written.
    lenient
        Whether to read an incomplete URDF as Pinocchio and Drake do, with a RobotWarning for each element, instead of
        refusing it: an inertia without mass, a mass without moments, an undeclared ``world``.
    folders
        Folders other than its own from which an MJCF file may read files; ``["/"]`` allows all.
    loops
        A YAML file that closes loops of a URDF and names its motors: ``closed_loop`` (pairs of frames), ``type`` (6d or
        3d for each), ``name_mot``, and ``joint_name`` with ``joint_type`` for joints to be taken as another type.
    limits
        Limits on the file, by default ``FileLimits()``; raise a limit only for files that you trust.
    """
    _check(called(path), snap, lenient, folders, limits)
    if type(path).__name__ in _MUJOCO:
        robot = _of_mujoco(path, snap)
    else:
        with as_file(path) as file:
            robot = _read(file, snap, lenient, folders, loops, limits)
    return robot if base is None else robot.with_base(base)


def _read(
    path: Path,
    snap: float,
    lenient: bool,
    folders: Sequence[str | Path],
    loops: str | Path | None,
    limits: FileLimits | None,
) -> Robot:
    """Return the robot in a file."""
    if path.name in names():
        raise RobotError(f"{path}: not a file's name; for the bundled robot call tf.robots.{path.name}()")
    reader = _format(path)
    ending = path.suffix.lower()
    options: dict[str, Any] = {key: x for key, x in (("lenient", lenient), ("folders", folders)) if x}
    for key in options:
        endings, purpose = _OPTIONS[key]
        if ending not in endings:
            raise RobotError(f"{path}: {key} is for {purpose.format(', '.join(endings))}")
    if ending in _FREE:
        options["snap"] = snap
    with limited(limits):
        if loops is not None:
            options["side"] = _side_file(path, loops)
        try:
            robot: Robot = reader.read(path, **options)
            robot = robot if ending in _FREE else with_snapped_angles(robot, snap)
        except RobotError as error:  # of a joint, for example, which does not know its file
            located = any(str(file) in str(error) for file in (path, loops or path))
            raise (error if located else RobotError(f"{path}: {error}")) from None
        except OSError as error:  # of a folder for temporary files, for example
            raise RobotError(f"{path}: cannot be read ({error})") from None
    return _with_folders(robot, (str(path.resolve().parent), *(str(Path(x).resolve()) for x in folders)))


def _of_mujoco(given: Any, snap: float) -> Robot:
    """Return the robot of a model or a specification that MuJoCo holds."""
    from .mjcf import robot_of

    model = given.compile() if hasattr(given, "compile") else given
    return robot_of(model, Source(Path(type(given).__name__), ""), snap)


def _with_folders(robot: Robot, folders: tuple[str, ...]) -> Robot:
    """Return the robot with the folders from which its meshes may be read."""

    def has_mesh(body: Body | None) -> bool:
        return body is not None and any(visual.file for visual in body.visuals)

    def seen(body: Body) -> Body:
        return replace(body, visuals=tuple(replace(visual, folders=folders) for visual in body.visuals))

    if not any(map(has_mesh, (*robot.bodies, robot.base.body))):
        return robot
    base = replace(robot.base, body=seen(robot.base.body)) if robot.base.body else robot.base
    return robot.derived(bodies=tuple(map(seen, robot.bodies)), base=base)


def _side_file(path: str | Path, loops: str | Path) -> SideFile:
    """Return what a side file of a URDF says."""
    if as_path(path).suffix.lower() not in (".urdf", ".xacro"):
        raise RobotError(f"{path}: loops={str(loops)!r} is for URDF; this format has loops of its own")
    from .urdf.closing import read_side_file

    return read_side_file(as_path(loops))


def _check(path: str | Path, snap: object, lenient: object, folders: object, limits: object) -> None:
    """Refuse options of the wrong type: a text for ``folders`` would allow a folder for each of its letters."""
    if isinstance(snap, bool) or not isinstance(snap, int | float) or not 0 <= snap < 0.1:
        raise RobotError(f"{path}: snap is {snap!r}; it must be an angle from 0 to 0.1 rad, such as 1e-4")
    if not isinstance(lenient, bool):
        raise RobotError(f"{path}: lenient is {lenient!r}; it must be True or False")
    if not isinstance(folders, Sequence) or not all(isinstance(folder, str | Path) for folder in folders):
        raise RobotError(f"{path}: folders is {folders!r}; it must be a list of folders, such as ['../assets']")
    if isinstance(folders, str):
        raise RobotError(f"{path}: folders is {folders!r}; it must be a list: [{folders!r}]")
    if limits is not None and not isinstance(limits, FileLimits):
        raise RobotError(f"{path}: limits is {limits!r}; it must be for example tf.FileLimits(links=20_000)")


def save(robot: Robot, path: str | Path) -> None:
    """Write a robot to a file, completely or not at all, in the format of its ending; ``snap=0`` reads an equal one
    back.
    """
    write_text(path, _format(as_path(path)).write(robot))


def _format(path: Path) -> ModuleType:
    if isdir(path):
        raise RobotError(f"{path}: this is a directory; give a robot's file")
    name = _FORMATS.get(path.suffix.lower())
    if name is None:
        ending = f"the ending {path.suffix!r}" if path.suffix else "a name without ending"
        raise RobotError(f"{path}: {ending} matches no format; known endings are {', '.join(_FORMATS)}")
    return import_module(f".{name}", __name__)
