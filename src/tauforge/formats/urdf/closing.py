"""The side file that closes a URDF: ``closed_loop``, ``type``, ``name_mot``, ``joint_name`` and ``joint_type`` in YAML.

It is the convention of those who model parallel robots with Pinocchio: URDF itself knows only trees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from reprlib import repr as short
from typing import Any

from ...errors import LoopError, RobotError, suggestion
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
    lines
        The line of each item of each list of the file.
    """

    path: Path
    loops: tuple[tuple[str, str, str], ...]
    motors: tuple[Any, ...] | None
    types: dict[str, str]
    lines: dict[str, list[int]]

    def retyped(self, urdf: Path, connections: Sequence[Connection]) -> list[Connection]:
        """Return the joints of a URDF, those that the file names with other types."""
        moving = [joint.name for joint in connections if joint.kind != "fixed"]
        self._check(urdf, "joint_name", list(self.types), moving)
        for joint in connections:
            other = self.types.get(joint.name, joint.kind)
            if "mimic" in joint.parts and joint.kind in ONE_FREEDOM and other not in ONE_FREEDOM:
                raise RobotError(
                    f"{self.path}: joint_type of {joint.name!r} is {other}, but in {urdf} the joint follows another; "
                    "remove its <mimic> or this type"
                )
        return [joint._replace(kind=self.types.get(joint.name, joint.kind)) for joint in connections]

    def close(self, urdf: Path, robot: Robot, lines: Mapping[str, int]) -> Robot:
        """Return the robot of a URDF with the loops and motors of the file, or say what contradicts what.

        ``lines`` are those of the URDF's links and joints, as far as they are known.
        """
        for number, (one, other, kind) in enumerate(self.loops, 1):
            try:
                robot = robot.with_loop(one, other, kind=kind, name=f"loop{number}")
            except RobotError as error:
                raise RobotError(f"{self._place('closed_loop', number - 1)}: {urdf}: {error}") from None
        if self.motors is not None:
            self._check(urdf, "name_mot", self.motors, robot.joint_names, _followers(robot))
            joints = (replace(joint, mu=int(joint.name in self.motors)) for joint in robot.joints)
            robot = replace(robot, joints=tuple(joints))
        try:
            _ = robot.independent  # needs a closed state
        except LoopError as error:
            raise self._contradiction(urdf, robot, lines, error) from None
        return robot

    def _contradiction(self, urdf: Path, robot: Robot, lines: Mapping[str, int], error: LoopError) -> RobotError:
        """Return the error for loops that no state of the URDF's joints closes."""
        if not error.loop:
            return RobotError(f"{self.path}: its closed_loop contradicts {urdf}: {error}")
        number = next(k for k, loop in enumerate(robot.loops) if loop.joint.name == error.loop)
        one, other, kind = self.loops[number]
        key = next(key for key, word in TYPES.items() if word == kind)
        frames = " and ".join(f"{x!r} (line {lines[x]})" if x in lines else repr(x) for x in (one, other))
        return RobotError(
            f"{self._place('closed_loop', number)} contradicts {urdf}: the joints there bring the frames {frames} no "
            f"closer together than {error.open_by:.3g} m or rad, but type {key} makes "
            f"{'them one' if key == '6d' else 'their origins one'}; correct the frames or lengths in the URDF, or the "
            "pair or its type here"
        )

    def _place(self, key: str, number: int) -> str:
        """Return where an item of a list stands."""
        return f"{self.path}:{self.lines[key][number]}: {key} {number + 1}"

    def _check(
        self, urdf: Path, key: str, names: Sequence[Any], known: Sequence[str], following: dict[str, str] | None = None
    ) -> None:
        """Refuse names that the URDF does not have as joints that move by themselves."""
        _once(self.path, key, names)
        for number, name in enumerate(names):
            if following and isinstance(name, str) and name in following:
                raise RobotError(
                    f"{self._place(key, number)}: joint {name!r} follows {following[name]!r} in {urdf}; name "
                    f"{following[name]!r} instead"
                )
            if name not in known:
                raise RobotError(
                    f"{self._place(key, number)}: {urdf} has no joint {short(name)} that moves; "
                    f"{suggestion(name, known)}"
                )


def read_side_file(path: Path) -> SideFile:
    """Read a side file."""
    content, lines = _mapping(path)
    pairs, types = _list(path, content, "closed_loop"), _list(path, content, "type")
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
    motors = tuple(_list(path, content, "name_mot")) if "name_mot" in content else None
    return SideFile(path, tuple(loops), motors, _types(path, content), lines)


def _followers(robot: Robot) -> dict[str, str]:
    """Return the names of joints that follow another, with those that they follow: one in a URDF."""
    return {joint.name: robot.joints[joint.mimic.joint - 1].name for joint in robot.joints if joint.mimic}


def _mapping(path: Path) -> tuple[dict[Any, Any], dict[str, list[int]]]:
    """Return what the YAML file contains, with known keys only, and the line of each item of each list."""
    try:
        import yaml
    except ImportError:
        raise RobotError(f"{path}: reading it needs PyYAML: pip install 'tauforge[urdf]'") from None
    text = read_text(path, "utf-8").text
    try:
        content: Any = yaml.safe_load(text)
        nodes = yaml.compose(text, yaml.SafeLoader).value if isinstance(content, dict) else []
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise RobotError(f"{path}{line}: not valid YAML: {str(error).splitlines()[0]}") from None
    except RecursionError:
        raise RobotError(f"{path}: its lists are nested too deeply") from None
    if not isinstance(content, dict):
        raise RobotError(f"{path}: it must be a mapping with {', '.join(KEYS)}")
    if unknown := [key for key in content if key not in KEYS]:
        raise RobotError(f"{path}: unknown key {short(unknown[0])}; known ones are {', '.join(KEYS)}")
    _once(path, "the file", [key.value for key, _ in nodes])
    lists = {key.value: value.value for key, value in nodes if isinstance(value, yaml.SequenceNode)}
    return content, {key: [item.start_mark.line + 1 for item in items] for key, items in lists.items()}


def _types(path: Path, content: dict[str, Any]) -> dict[str, str]:
    """Return the types by the names of their joints."""
    names, types = _list(path, content, "joint_name"), _list(path, content, "joint_type")
    if len(names) != len(types):
        raise RobotError(f"{path}: joint_name has {len(names)} entries, joint_type has {len(types)}")
    _once(path, "joint_name", names)
    by_name = dict[str, str]()
    for name, type_ in zip(names, types, strict=True):
        if not isinstance(name, str):
            raise RobotError(f"{path}: joint_name: the URDF has no joint {short(name)}; give names of its joints")
        if str(type_).lower() not in SIGMA:
            raise RobotError(f"{path}: joint_type of {name!r} is {short(type_)}; it must be one of {', '.join(SIGMA)}")
        by_name[name] = str(type_).lower()
    return by_name


def _once(path: Path, where: str, names: Sequence[Any]) -> None:
    if twice := [name for k, name in enumerate(names) if name in names[:k]]:
        raise RobotError(f"{path}: {where} has {short(twice[0])} twice; keep one")


def _list(path: Path, content: dict[str, Any], key: str) -> list[Any]:
    items = content.get(key, [])
    if not isinstance(items, list):
        raise RobotError(f"{path}: {key} must be a list")
    return items
