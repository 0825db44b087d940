"""The reference state of a robot with closed loops: its branch is the one in which the loops are closed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..errors import RobotError
from .entries import owners

if TYPE_CHECKING:
    from .robot import Robot

Home = Mapping[str, float | tuple[float, ...]]
"""The coordinates of joints by name, a tuple where a joint has several; joints that are left out are at zero."""


def given_home(robot: Robot, home: Mapping[str, Any]) -> Home:
    """Return a reference state that does not change, or say what is wrong with it."""
    if not isinstance(home, Mapping):
        raise RobotError(
            f"{robot.name}: home is {home!r}; it must be the coordinates of joints by name, {{'crank': 0.3}}; "
            "robot.with_home takes those of all joints in one row"
        )
    sizes = {robot.joints[j - 1].name: len(robot.joints[j - 1].kind.coordinates) for j in owners(robot)}
    sizes = {name: size for name, size in sizes.items() if size}
    found = dict[str, float | tuple[float, ...]]()
    for name, given in home.items():
        if name not in sizes:
            raise RobotError(f"{robot.name}: home has {name!r}; the joints with coordinates are {', '.join(sizes)}")
        try:
            values = tuple(map(float, given if isinstance(given, Sequence) else [given]))
        except (TypeError, ValueError, OverflowError):
            values = ()
        if len(values) != sizes[name] or not all(map(isfinite, values)):
            what = "a number" if sizes[name] == 1 else f"{sizes[name]} numbers"
            raise RobotError(f"{robot.name}: home of joint {name!r} is {given!r}; it must be {what}")
        found[name] = _shown(values)
    return MappingProxyType(found)


def home_state(robot: Robot) -> list[float]:
    """Return the coordinates of all joints in the reference state, zero where it says nothing."""
    joints = [robot.joints[j - 1] for j in owners(robot)]
    return [float(x) for joint in joints for x in _row(robot.home.get(joint.name, joint.kind.neutral))]


def home_of(robot: Robot, q: Sequence[float]) -> Home:
    """Return coordinates of all joints by joint."""
    values = iter(q)
    names = [(robot.joints[j - 1].name, len(robot.joints[j - 1].kind.coordinates)) for j in owners(robot)]
    return {name: _shown(tuple(float(next(values)) for _ in range(size))) for name, size in names if size}


def _row(values: float | Sequence[float]) -> Sequence[float]:
    return values if isinstance(values, Sequence) else (values,)


def _shown(values: tuple[float, ...]) -> float | tuple[float, ...]:
    return values[0] if len(values) == 1 else values


def home_of_both(robot: Robot, other: Robot, renamed: Callable[[str], str]) -> Home:
    """Return the reference state of two robots that become one; none if neither has one."""
    if not robot.home and not other.home:
        return {}
    return {**robot.reference, **{renamed(name): values for name, values in other.reference.items()}}
