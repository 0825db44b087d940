"""The only place where an angle in a file is taken as a quarter turn: if it is within ``snap`` radians of one.

Files write 1.570796327 or 1.5708 and mean pi/2. Nothing else is rounded: neither angles in expressions, nor those of a
robot made in Python, nor those of a file read with ``snap=0``.
"""

from __future__ import annotations

import math
from dataclasses import replace

from ..graph.node import Node, Scalar
from ..graph.operations import ADD, CONST
from ..robot.joint import Joint
from ..robot.robot import Robot

SNAP = 1e-9
"""How far from a quarter turn an angle can be by default."""
QUARTER = math.pi / 2


def quarters(angle: float, snap: float) -> int | None:
    """Return how many quarter turns an angle is; None if it is not a multiple."""
    whole = round(angle / QUARTER)
    return whole if abs(angle - whole * QUARTER) <= snap else None


def snapped(angle: float, snap: float) -> float:
    """Return an angle, or the quarter turn that it means."""
    whole = quarters(angle, snap)
    return angle if whole is None else whole * QUARTER


def with_snapped_angles(robot: Robot, snap: float) -> Robot:
    """Return a robot given by Khalil-Kleinfinger parameters, with its angles snapped."""
    if not snap:
        return robot
    return replace(
        robot,
        joints=tuple(_joint(joint, snap) for joint in robot.joints),
        frames=tuple(_joint(frame, snap) for frame in robot.frames),
        loops=tuple(
            replace(loop, joint=_joint(loop.joint, snap), frame=_joint(loop.frame, snap)) for loop in robot.loops
        ),
    )


def _joint(joint: Joint, snap: float) -> Joint:
    gamma, alpha, theta = (_scalar(x, snap) for x in (joint.gamma, joint.alpha, joint.theta))
    return replace(joint, gamma=gamma, alpha=alpha, theta=theta)


def _scalar(x: Scalar, snap: float) -> Scalar:
    """Return an angle with its constant part snapped."""
    if isinstance(x, Node):
        constant = x.args[1] if x.op is ADD and x.args[1].op is CONST else None
        return x if constant is None else x.args[0] + snapped(float(constant), snap)
    return snapped(x, snap)
