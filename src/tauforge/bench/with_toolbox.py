"""The same robot in the Robotics Toolbox for Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..robot.kinds import PRISMATIC, REVOLUTE
from ..robot.robot import Robot
from ..spatial.rotation import about
from ..spatial.vector import Vector
from .matrices import about_centre
from .peer import DERIVATIVES, DIRECT, INERTIA, INVERSE, Call, Peer, Unfit, Work, lacks


class Toolbox(Peer):
    """A chain as a DHRobot with modified parameters, whose recursion is written in C++."""

    name, module, install = "Robotics Toolbox", "roboticstoolbox", "roboticstoolbox-python"

    def __init__(self, robot: Robot) -> None:
        from roboticstoolbox import DHRobot, PrismaticMDH, RevoluteMDH

        if not robot.is_serial or any(joint.sigma not in (REVOLUTE, PRISMATIC) for joint in robot.joints):
            raise Unfit("a DHRobot is a chain of revolute and prismatic joints on a fixed base")
        if any(abs(float(x)) > 0 for joint in robot.joints[1:] for x in (joint.gamma, joint.b, joint.e)):
            robot = robot.to_mdh()
        first, *rest = robot.joints
        if any(abs(float(x)) > 1e-12 for joint in rest for x in (joint.gamma, joint.b)) or any(
            float(joint.e) for joint in robot.joints
        ):
            raise Unfit("a DHRobot cannot have its frames")
        links = []
        for joint, body in zip(robot.joints, robot.bodies, strict=True):
            M, centre, about_com = about_centre(body.inertia)
            given = {"a": float(joint.d), "alpha": float(joint.alpha), "m": M, "r": centre, "I": about_com}
            given |= {"Jm": float(joint.IA), "B": 0.0, "Tc": [0.0, 0.0], "G": 1.0}
            if joint.sigma == REVOLUTE:
                links.append(RevoluteMDH(d=float(joint.r), offset=float(joint.theta), **given))
            else:
                links.append(PrismaticMDH(theta=float(joint.theta), offset=float(joint.r), **given))
        gravity = [float(x) for x in about(2, first.gamma).back(Vector(*robot.gravity))]
        self.model: Any = DHRobot(links, gravity=gravity)

    def call(self, model: str) -> tuple[str, Call]:
        own = self.model
        if model == DERIVATIVES:
            raise lacks(self, model)
        return {INVERSE: ("rne", own.rne), DIRECT: ("accel", own.accel), INERTIA: ("inertia", own.inertia)}[model]

    def batch(self, model: str, arrays: Sequence[Any]) -> Work:
        if model != INVERSE:
            return super().batch(model, arrays)
        rne = self.model.rne
        return Work(
            "rne of a trajectory, its own loop in C++", lambda: rne(*arrays), lambda: rne(*arrays), len(arrays[0])
        )
