"""What models of closed loops cannot include: anything of a cut joint but its geometry, and prescribed motions and
torques of joints that the loops determine.
"""

from __future__ import annotations

from ...errors import ProgramError
from ...graph.node import is_zero
from ...robot.entries import owners
from ...robot.joint import ACTUATOR, FREE
from ...robot.robot import Robot
from ...robot.variables import is_plain
from ..coordinates import Coordinates


def check_cuts(robot: Robot, coordinates: Coordinates) -> None:
    """Refuse what a robot with closed loops has and its models would leave out."""
    for loop in robot.loops:
        joint = loop.joint
        where = f"{robot.name}: the loop {joint.name!r} is cut at a joint"
        if joint.mu:
            raise ProgramError(f"{where} with a motor; cut it at a passive joint, or make this one passive (mu 0)")
        for key in (*ACTUATOR, "k"):
            if not is_zero(getattr(joint, key)):
                raise ProgramError(
                    f"{where} with {key}, which models cannot include there; cut it at another of its joints, or leave "
                    f'it out with robot.neglect("{key}")'
                )
        for key in FREE:
            if (value := getattr(joint, key)) is not None and not is_plain(value) and not _nothing(key, value):
                raise ProgramError(f"{where} with {key} = {value}; only independent joints can have one")
    for j in sorted(set(owners(robot)) - set(coordinates.independent)):
        joint = robot.joints[j - 1]
        for key in FREE:
            if (value := getattr(joint, key)) is not None and not is_plain(value) and not _nothing(key, value):
                raise ProgramError(
                    f"{robot.name}: joint {joint.name!r} has {key} = {value}, but the loops determine its motion; give "
                    f"{key} to the independent joints only, {', '.join(robot.independent)}"
                )


def _nothing(key: str, value: object) -> bool:
    """Tell whether a value is a torque of zero, which a joint without a motor has."""
    return key == "GAM" and is_zero(value)  # type: ignore[arg-type]
