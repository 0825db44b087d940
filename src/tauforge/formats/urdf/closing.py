"""The side file that closes a URDF: ``closed_loop``, ``type``, ``name_mot``, ``joint_name`` and ``joint_type`` in YAML.

It is the convention of those who model parallel robots with Pinocchio: URDF itself knows only trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from reprlib import repr as short
from typing import Any

from ...errors import RobotError
from ...robot.kinds import KINDS
from ...robot.robot import Robot
from ..source import read_text

TYPES = {"6d": "fixed", "3d": "spherical"}
"""What a loop's frames have in common: all, or their origins."""
KEYS = ("closed_loop", "type", "name_mot", "joint_name", "joint_type")


def with_loops(robot: Robot, path: Path) -> Robot:
    """Return the robot with the loops, motors and joint types of a side file."""
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
    robot = _with_types(robot, path, given)
    pairs, types = _list(path, given, "closed_loop"), _list(path, given, "type")
    if len(pairs) != len(types):
        raise RobotError(
            f"{path}: closed_loop has {len(pairs)} entries, type has {len(types)}; give pairs of frames, and 6d or 3d "
            "for each pair"
        )
    for number, (pair, type_) in enumerate(zip(pairs, types, strict=True), 1):
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            raise RobotError(f"{path}: closed_loop {number} is {short(pair)}; it must be the names of two frames")
        if str(type_).lower() not in TYPES:
            raise RobotError(f"{path}: type {number} is {short(type_)}; it must be 6d or 3d")
        try:
            robot = robot.with_loop(*pair, kind=TYPES[str(type_).lower()], name=f"loop{number}")
        except RobotError as error:
            raise RobotError(f"{path}: closed_loop {number}: {error}") from None
    return _with_motors(robot, path, given)


def _with_types(robot: Robot, path: Path, given: dict[str, Any]) -> Robot:
    """Return the robot with some joints taken as another kind, such as spherical."""
    names, types = _list(path, given, "joint_name"), _list(path, given, "joint_type")
    if len(names) != len(types):
        raise RobotError(f"{path}: joint_name has {len(names)} entries, joint_type has {len(types)}")
    words = {kind.word: kind.number for kind in KINDS if not kind.parameters}
    _check(robot, path, "joint_name", names)
    chosen = dict(zip(names, types, strict=True))
    for name, type_ in chosen.items():
        if str(type_).lower() not in words:
            raise RobotError(f"{path}: joint_type of {name!r} is {short(type_)}; it must be one of {', '.join(words)}")
    joints = (
        replace(joint, sigma=words[str(chosen[joint.name]).lower()], variable="") if joint.name in chosen else joint
        for joint in robot.joints
    )
    try:
        return replace(robot, joints=tuple(joints)) if chosen else robot
    except RobotError as error:
        raise RobotError(f"{path}: joint_type: {error}") from None


def _with_motors(robot: Robot, path: Path, given: dict[str, Any]) -> Robot:
    if "name_mot" not in given:
        return robot
    motors = _list(path, given, "name_mot")
    _check(robot, path, "name_mot", motors)
    return replace(robot, joints=tuple(replace(joint, mu=int(joint.name in motors)) for joint in robot.joints))


def _check(robot: Robot, path: Path, key: str, names: Sequence[Any]) -> None:
    _once(path, key, names)
    known = [joint.name for joint in robot.joints]
    if wrong := [name for name in names if name not in known]:
        raise RobotError(f"{path}: {key}: {robot.name} has no joint {short(wrong[0])}; it has {', '.join(known)}")


def _once(path: Path, where: str, names: Sequence[Any]) -> None:
    if twice := [name for k, name in enumerate(names) if name in names[:k]]:
        raise RobotError(f"{path}: {where} has {short(twice[0])} twice; keep one")


def _list(path: Path, given: dict[str, Any], key: str) -> list[Any]:
    found = given.get(key, [])
    if not isinstance(found, list):
        raise RobotError(f"{path}: {key} must be a list")
    return found
