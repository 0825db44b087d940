"""Columns of the regressor: the joint efforts of a robot of which one inertial parameter is one and the others zero."""

from __future__ import annotations

from ..graph.node import Node, as_node
from ..models.frame import State
from ..models.inverse_dynamics import Motion, forward, inertial_wrench, moving
from ..robot.joint import Pose
from ..robot.robot import Robot
from ..spatial.inertia import NAMES, Inertia
from ..spatial.vector import ZERO, Vector, cross


class Regressor:
    """The motion of a robot's links, from which each parameter's column follows."""

    def __init__(self, robot: Robot, state: State) -> None:
        self.robot, self.state = robot, state
        base = robot.base
        self.at: list[Motion] = [moving(ZERO, base.W0, base.WP0, base.VP0 - robot.gravity)]
        self.poses: list[Pose] = []
        for j, joint in enumerate(robot.joints, 1):
            self.poses.append(joint.pose(state.q[j]))
            self.at.append(forward(self.at[joint.antecedent], joint, self.poses[-1], state.qd[j], state.qdd[j]))

    def column(self, parameter: str, link: int) -> dict[int, Node]:
        """Return the effort of each joint that the parameter of a link acts on, by joint number."""
        if parameter == "IA":
            return {link: as_node(self.state.qdd[link][0])}
        unit = Inertia(**{name: as_node(float(name == parameter)) for name in NAMES})
        f, n = inertial_wrench(self.at[link], unit)
        efforts: dict[int, Node] = {}
        j = link
        while j:
            joint, pose = self.robot.joints[j - 1], self.poses[j - 1]
            for x in joint.along(f, n):
                efforts[j] = as_node(x)
            n = n + Vector(-f[1] * pose.r, f[0] * pose.r, as_node(0.0))
            f = pose.R.forth(f)
            n = pose.R.forth(n) + cross(pose.arm, f)
            j = joint.antecedent
        return efforts
