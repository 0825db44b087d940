"""A robot as URDF, for the libraries that read it."""

from __future__ import annotations

from dataclasses import replace

from ..errors import RobotError
from ..formats.urdf.write import write
from ..robot.base import BASE_LINK, Base
from ..robot.body import Body
from ..robot.robot import DOWN, Robot
from ..spatial.inertia import Inertia
from .peer import Unfit


def in_urdf(robot: Robot) -> str:
    """Return a robot on a fixed base as the text of a URDF; gravity must be set separately."""
    several = [joint.name for joint in robot.joints if len(joint.axes) > 1]
    if several:
        raise Unfit(f"{several[0]!r} has several degrees of freedom: compared on a fixed base with simple joints only")
    name = BASE_LINK
    while name in {body.name for body in robot.bodies}:
        name += "_"
    stand = Body(name=name, inertia=Inertia(XX=1.0, YY=1.0, ZZ=1.0, M=1.0))  # some readers require one
    try:
        return write(replace(robot, gravity=DOWN, base=Base(body=stand)))
    except RobotError as error:
        raise Unfit(str(error)) from None
