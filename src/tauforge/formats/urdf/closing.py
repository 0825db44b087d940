"""The side file that closes a URDF: ``closed_loop``, ``type``, ``name_mot``, ``joint_name`` and ``joint_type`` in YAML.

It is the convention of those who model parallel robots with Pinocchio: URDF itself knows only trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from reprlib import repr as short
from typing import Any

from ...errors import RobotError
from ...robot.robot import Robot
from ..source import read_text
from .mimic import ONE_FREEDOM
from .parts import SIGMA
from .tree import Connection

TYPES = {"6d": "fixed", "3d": "spherical"}
"""What a loop's frames have in common: all, or their origins."""
KEYS = ("closed_loop", "type", "name_mot", "joint_name", "joint_type")


@dataclass(frozen=True)
class SideFile:
    """What a side file says, not yet compared with the URDF.

    Attributes
    ----------
    loops
        Names of the two frames of each loop, and the kind of joint between them.
    motors
        Names of the joints with motors; None if the file does not say.
    types
        The types of joints that are not to be taken as the URDF has them.
    """

    path: Path
    loops: tuple[tuple[str, str, str], ...]
    motors: tuple[Any, ...] | None
    types: dict[str, str]

    def retyped(self, connections: Sequence[Connection]) -> list[Connection]:
        """Return the joints of a URDF, those that the file names with other types."""
        moving = [joint.name for joint in connections if joint.kind != "fixed"]
        _check(self.path, "the URDF", "joint_name", list(self.types), moving)
        for joint in connections:
            other = self.types.get(joint.name, joint.kind)
            if "mimic" in joint.parts and joint.kind in ONE_FREEDOM and other not in ONE_FREEDOM:
                raise RobotError(
                    f"{self.path}: joint_type of {joint.name!r} is {other}, but in the URDF the joint follows another; "
                    "remove its <mimic> or this type"
                )
        return [joint._replace(kind=self.types.get(joint.name, joint.kind)) for joint in connections]


def read_side_file(path: Path) -> SideFile:
    """Read a side file."""
    given = _mapping(path)
    pairs, types = _list(path, given, "closed_loop"), _list(path, given, "type")
    if len(pairs) != len(types):
        raise RobotError(
            f"{path}: closed_loop has {len(pairs)} entries, type has {len(types)}; give pairs of frames, and 6d or 3d "
            "for each pair"
        )
    loops = []
    for number, (pair, type_) in enumerate(zip(pairs, types, strict=True), 1):
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            raise RobotError(f"{path}: closed_loop {number} is {short(pair)}; it must be the names of two frames")
        if str(type_).lower() not in TYPES:
            raise RobotError(f"{path}: type {number} is {short(type_)}; it must be 6d or 3d")
        loops.append((*pair, TYPES[str(type_).lower()]))
    motors = tuple(_list(path, given, "name_mot")) if "name_mot" in given else None
    return SideFile(path, tuple(loops), motors, _types(path, given))


def with_loops(robot: Robot, side: SideFile) -> Robot:
    """Return the robot with the loops and motors of a side file."""
    for number, (one, other, kind) in enumerate(side.loops, 1):
        try:
            robot = robot.with_loop(one, other, kind=kind, name=f"loop{number}")
        except RobotError as error:
            raise RobotError(f"{side.path}: closed_loop {number}: {error}") from None
    if side.motors is None:
        return robot
    _check(side.path, robot.name, "name_mot", side.motors, robot.joint_names)
    for joint in robot.joints:
        if joint.mimic and joint.name in side.motors:
            leader = robot.joints[joint.mimic.joint - 1].name
            raise RobotError(f"{side.path}: name_mot: joint {joint.name!r} follows {leader!r}; name {leader!r} instead")
    return replace(robot, joints=tuple(replace(joint, mu=int(joint.name in side.motors)) for joint in robot.joints))


def _mapping(path: Path) -> dict[Any, Any]:
    """Return what the YAML file contains, with known keys only."""
    try:
        import yaml
    except ImportError:
        raise RobotError(f"{path}: reading it needs PyYAML: pip install 'tauforge[urdf]'") from None
    text = read_text(path, "utf-8").text
    try:
        given: Any = yaml.safe_load(text)
        keys = [key.value for key, _ in yaml.compose(text, yaml.SafeLoader).value] if isinstance(given, dict) else []
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise RobotError(f"{path}{line}: not valid YAML: {str(error).splitlines()[0]}") from None
    except RecursionError:
        raise RobotError(f"{path}: its lists are nested too deeply") from None
    if not isinstance(given, dict):
        raise RobotError(f"{path}: it must be a mapping with {', '.join(KEYS)}")
    if unknown := [key for key in given if key not in KEYS]:
        raise RobotError(f"{path}: unknown key {short(unknown[0])}; known ones are {', '.join(KEYS)}")
    _once(path, "the file", keys)
    return given


def _types(path: Path, given: dict[str, Any]) -> dict[str, str]:
    """Return the types by the names of their joints."""
    names, types = _list(path, given, "joint_name"), _list(path, given, "joint_type")
    if len(names) != len(types):
        raise RobotError(f"{path}: joint_name has {len(names)} entries, joint_type has {len(types)}")
    _once(path, "joint_name", names)
    found = dict[str, str]()
    for name, type_ in zip(names, types, strict=True):
        if not isinstance(name, str):
            raise RobotError(f"{path}: joint_name: the URDF has no joint {short(name)}; give names of its joints")
        if str(type_).lower() not in SIGMA:
            raise RobotError(f"{path}: joint_type of {name!r} is {short(type_)}; it must be one of {', '.join(SIGMA)}")
        found[name] = str(type_).lower()
    return found


def _check(path: Path, whose: str, key: str, names: Sequence[Any], known: Sequence[str]) -> None:
    _once(path, key, names)
    if wrong := [name for name in names if name not in known]:
        raise RobotError(f"{path}: {key}: {whose} has no joint {short(wrong[0])}; it has {', '.join(known)}")


def _once(path: Path, where: str, names: Sequence[Any]) -> None:
    if twice := [name for k, name in enumerate(names) if name in names[:k]]:
        raise RobotError(f"{path}: {where} has {short(twice[0])} twice; keep one")


def _list(path: Path, given: dict[str, Any], key: str) -> list[Any]:
    found = given.get(key, [])
    if not isinstance(found, list):
        raise RobotError(f"{path}: {key} must be a list")
    return found
