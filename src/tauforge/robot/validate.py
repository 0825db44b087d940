"""What a Robot must satisfy; each refusal names the place and the fix."""

from __future__ import annotations

import math
import re
import warnings
from typing import TYPE_CHECKING

from ..errors import RobotError, RobotWarning
from ..graph.node import CONST, Node
from ..graph.parse import FUNCTIONS
from .joint import FIXED

if TYPE_CHECKING:
    from .robot import Robot

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def validate(robot: Robot) -> None:
    """Raise a RobotError unless the description makes sense."""
    if not robot.joints:
        raise RobotError(f"{robot.name}: a robot needs at least one joint")
    if len(robot.joints) != len(robot.bodies):
        raise RobotError(f"{robot.name}: {len(robot.joints)} joints but {len(robot.bodies)} links; link j is carried by joint j")
    _topology(robot)
    _unique(robot, "joint", [joint.name for joint in robot.joints])
    _unique(robot, "link", [body.name for body in robot.bodies])
    _values(robot)
    _variables(robot)


def _topology(robot: Robot) -> None:
    count = len(robot.joints)
    for j, joint in enumerate(robot.joints, 1):
        where = f"{robot.name}: joint {joint.name!r}"
        if joint.sigma not in (0, 1, 2):
            raise RobotError(f"{where}: sigma is {joint.sigma}; it must be 0 (revolute), 1 (prismatic) or 2 (fixed)")
        if not 0 <= joint.antecedent < j:
            raise RobotError(
                f"{where}: its antecedent is link {joint.antecedent}, but link {j} can only stand on links 0 to {j - 1}; "
                "number the links outward from the base"
            )
    for loop in robot.loops:
        for joint in (loop.joint, loop.frame):
            if not 0 <= joint.antecedent <= count:
                raise RobotError(f"{robot.name}: loop frame {joint.name!r} stands on link {joint.antecedent}; there are links 0 to {count}")
        if loop.frame.sigma != FIXED:
            raise RobotError(f"{robot.name}: loop frame {loop.frame.name!r} must be fixed (sigma 2), not sigma {loop.frame.sigma}")


def _unique(robot: Robot, what: str, names: list[str]) -> None:
    for name in names:
        if not name or name != name.strip() or any(ord(c) < 32 for c in name):
            raise RobotError(f"{robot.name}: {name!r} is no name for a {what}; use printable characters")
        if names.count(name) > 1:
            raise RobotError(f"{robot.name}: two {what}s are called {name!r}; give each its own name")


def _values(robot: Robot) -> None:
    for place, x in robot.scalars():
        if isinstance(x, Node):
            continue
        if isinstance(x, bool) or not isinstance(x, int | float):
            raise RobotError(f"{robot.name}: {place} is {x!r}; it must be a number or an expression")
        if not math.isfinite(x):
            raise RobotError(f"{robot.name}: {place} is {x}; give a finite number")
    for body in robot.bodies:
        mass = body.inertia.M
        if isinstance(mass, Node) and mass.op is not CONST:
            continue
        if float(mass) < 0:
            warnings.warn(
                f"{robot.name}: link {body.name!r} has the negative mass {float(mass):g}. Identified base parameters may be "
                "negative and give right torques, but the inertia matrix of such a robot may be singular, so that its direct "
                "dynamics and simulations can fail",
                RobotWarning,
                stacklevel=6,
            )


def _variables(robot: Robot) -> None:
    names = robot.symbols
    for name in names:
        if not _NAME.fullmatch(name) or name in FUNCTIONS or name.lower() == "pi":
            raise RobotError(f"{robot.name}: {name!r} cannot be a symbol's name; use letters, digits and _, and no function's name")
    seen: dict[str, str] = {}
    cut = [loop.joint for loop in robot.loops]
    for joint in (*robot.joints, *cut):
        if joint.sigma == FIXED or not joint.variable:
            continue
        if joint.variable in seen:
            raise RobotError(
                f"{robot.name}: {joint.variable} is the variable of joints {seen[joint.variable]!r} and {joint.name!r}; "
                "each joint needs its own"
            )
        if joint.variable in names:
            raise RobotError(
                f"{robot.name}: {joint.variable} is the variable of joint {joint.name!r} and also stands in a parameter; rename one"
            )
        seen[joint.variable] = joint.name
