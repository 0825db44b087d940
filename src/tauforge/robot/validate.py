"""The conditions that a Robot must satisfy; each error names the place and the fix."""

from __future__ import annotations

import math
import re
import warnings
from typing import TYPE_CHECKING

from ..errors import RobotError, RobotWarning
from ..graph.node import Node, is_zero
from ..graph.operations import CONST
from ..graph.parse import FUNCTIONS
from .joint import ACTUATOR, FREE, NO_LIMITS
from .kinds import KINDS, PARAMETERS
from .variables import is_plain

if TYPE_CHECKING:
    from .body import Body
    from .joint import Joint
    from .robot import Robot

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")
_LONGEST = 1000
"""The largest number of characters in a name."""
_MOVING = {"mimic": None, "limits": NO_LIMITS, "variable": ""}
"""Fields that only a moving joint can have, and their values in the others."""
_NUMBERS = ("pi", "nan", "inf", "infinity")


def validate(robot: Robot) -> None:
    """Raise a RobotError unless the description makes sense."""
    _names(robot, "robot", [robot.name])
    if not robot.joints and not robot.base.body:
        raise RobotError(f"{robot.name}: a robot needs at least one joint, or a body that can move freely")
    if len(robot.joints) != len(robot.bodies):
        raise RobotError(
            f"{robot.name}: {len(robot.joints)} joints but {len(robot.bodies)} links; link j is carried by joint j"
        )
    _topology(robot)
    loop_joints = [joint for loop in robot.loops for joint in (loop.joint, loop.frame)]
    _names(robot, "joint", [joint.name for joint in (*robot.joints, *loop_joints)])
    _names(robot, "link", [body.name for body in _bodies(robot)])
    _names(robot, "frame", [frame.name for frame in robot.frames])
    _names(robot, "fixed joint", [frame.alias for frame in robot.frames if frame.alias])
    _chosen(robot)
    _tendons(robot)
    _base(robot)
    _masses(robot)
    _variables(robot)


def _chosen(robot: Robot) -> None:
    names = {joint.name + part for joint in robot.expanded().joints for part in ("", *joint.axes)}
    for name in robot.chosen:
        if not isinstance(name, str) or name not in names:
            raise RobotError(
                f"{robot.name}: {name!r} cannot be an independent joint; give names one by one; the joints are "
                + ", ".join(joint.name for joint in robot.expanded().joints if joint.axes)
            )


def _bodies(robot: Robot) -> list[Body]:
    return [*([robot.base.body] if robot.base.body else []), *robot.bodies]


def _topology(robot: Robot) -> None:
    count = len(robot.joints)
    for j, joint in enumerate(robot.joints, 1):
        _kind(robot, joint)
        if not 0 <= joint.antecedent < j:
            raise RobotError(
                f"{robot.name}: joint {joint.name!r}: its antecedent is link {joint.antecedent}, but link {j} can only "
                f"be attached to links 0 to {j - 1}; number the links outward from the base"
            )
    for loop in robot.loops:
        if not all(hasattr(getattr(loop, part, None), "antecedent") for part in ("joint", "frame")):
            raise RobotError(f"{robot.name}: {loop!r} is not a Loop of two Joints; robot.with_loop makes one")
        for joint in (loop.joint, loop.frame):
            _kind(robot, joint)
            if not 0 <= joint.antecedent <= count:
                raise RobotError(
                    f"{robot.name}: loop frame {joint.name!r} is attached to link {joint.antecedent}; "
                    f"there are links 0 to {count}"
                )
        _constant(robot, loop.frame, "loop frame")
        if loop.joint.mimic:
            raise RobotError(
                f"{robot.name}: the cut joint {loop.joint.name!r} cannot follow another; cut the loop at another joint"
            )
    for frame in robot.frames:
        _constant(robot, frame, "frame")
        if not 0 <= frame.antecedent <= count:
            raise RobotError(
                f"{robot.name}: frame {frame.name!r} is attached to link {frame.antecedent}; "
                f"there are links 0 to {count}"
            )
    for joint in robot.joints:
        if joint.alias:
            raise RobotError(f"{robot.name}: joint {joint.name!r} has an alias; only constant frames can have one")
        _mimic(robot, joint)
        if joint.limits is not NO_LIMITS and any(map(math.isnan, vars(joint.limits).values())):
            raise RobotError(f"{robot.name}: joint {joint.name!r}: a limit is not a number; write one, or inf")


def _kind(robot: Robot, joint: Joint) -> None:
    where = f"{robot.name}: joint {joint.name!r}"
    for key in ("antecedent", "sigma", "mu", "eta"):
        if not isinstance(getattr(joint, key), int):
            raise RobotError(f"{where}: {key} is {getattr(joint, key)!r}; it must be an integer")
    if not 0 <= joint.sigma < len(KINDS):
        kinds = ", ".join(f"{kind.number} ({kind.word})" for kind in KINDS)
        raise RobotError(f"{where}: sigma is {joint.sigma}; it must be one of {kinds}")
    for key in PARAMETERS:
        if not is_zero(getattr(joint, key)) and key not in joint.kind.parameters:
            others = " or ".join(kind.word for kind in KINDS if key in kind.parameters)
            raise RobotError(f"{where}: it has a {key} but is {joint.kind.word}; only {others} joints have one")
    if len(joint.axes) > 1:
        springs = [key for key in ("eta", "k", "rest") if key not in joint.kind.spring]
        fixed = [key for key in FREE if getattr(joint, key) is not None]  # zero, too, would be of one axis
        fixed += [key for key in springs if not is_zero(getattr(joint, key))]
        if fixed:
            raise RobotError(
                f"{where}: a {joint.kind.word} joint cannot have {fixed[0]}; only joints with one degree of freedom can"
            )
    if joint.mu not in (0, 1):
        raise RobotError(f"{where}: mu is {joint.mu}; it must be 1 (a motor drives the joint) or 0")
    if joint.eta not in (0, 1):
        raise RobotError(f"{where}: eta is {joint.eta}; it must be 1 (the joint is elastic) or 0")
    if is_zero(joint.VB) and not is_zero(joint.FB):
        raise RobotError(
            f"{where}: it has breakaway friction FB but not the speed VB beyond which that fades; give both"
        )


def _mimic(robot: Robot, joint: Joint) -> None:
    if joint.mimic is None:
        return
    where = f"{robot.name}: joint {joint.name!r}"
    numbers = [j for j, _ in joint.mimic.of]
    for key in FREE:
        value = getattr(joint, key)
        if value is not None and not is_plain(value) and not (key == "GAM" and is_zero(value)):
            raise RobotError(f"{where} has {key} = {value}, but it follows others; give {key} to these")
    for j, ratio in joint.mimic.of:
        if not (math.isfinite(ratio) and math.isfinite(joint.mimic.offset)):
            raise RobotError(
                f"{where} follows another {ratio} times with the offset {joint.mimic.offset}; both must be finite "
                "numbers"
            )
        if not 1 <= j <= len(robot.joints):
            raise RobotError(f"{where} follows joint {j}; there are joints 1 to {len(robot.joints)}")
        master = robot.joints[j - 1]
        for one in (joint, master):
            if len(one.axes) != 1:
                raise RobotError(
                    f"{where} follows {master.name!r}, but {one.name!r} is {one.kind.word}; both must have one "
                    "degree of freedom"
                )
        if master is joint:
            raise RobotError(f"{where} follows itself; let it follow another, or remove its mimic")
        if numbers.count(j) > 1:
            raise RobotError(f"{where} follows {master.name!r} twice; add up both ratios")


def _tendons(robot: Robot) -> None:
    _names(robot, "tendon", [tendon.name for tendon in robot.tendons])
    taken = {joint.name + part for joint in robot.joints for part in joint.axes}
    for tendon in robot.tendons:
        if tendon.driven and tendon.name in taken:
            raise RobotError(f"{robot.name}: {tendon.name!r} is a joint and a driven tendon; rename one of both")
    for tendon in robot.tendons:
        where = f"{robot.name}: tendon {tendon.name!r}"
        numbers = [j for j, _ in tendon.joints]
        if not numbers or len(set(numbers)) < len(numbers):
            raise RobotError(f"{where}: its length is a sum over joints; it needs at least one, and each once")
        if tendon.driven and all(is_zero(x) for _, x in tendon.joints):
            raise RobotError(f"{where}: its coefficients are zero: no joint moves that motor; check them")
        for j in numbers:
            if not 1 <= j <= len(robot.joints):
                raise RobotError(f"{where} acts on joint {j}; there are joints 1 to {len(robot.joints)}")
            joint = robot.joints[j - 1]
            if len(joint.axes) != 1:
                raise RobotError(
                    f"{where} acts on joint {joint.name!r}, which is {joint.kind.word}; it must have one "
                    "degree of freedom"
                )


def _constant(robot: Robot, frame: Joint, what: str) -> None:
    where = f"{robot.name}: {what} {frame.name!r}"
    if frame.axes:
        raise RobotError(f"{where} must be fixed (sigma 2), not sigma {frame.sigma}")
    dynamic = [key for key in (*ACTUATOR, "eta", "k", "rest") if not is_zero(getattr(frame, key))]
    dynamic += [key for key in FREE if getattr(frame, key) is not None]
    dynamic += [key for key, default in _MOVING.items() if getattr(frame, key) != default]
    if dynamic:
        raise RobotError(f"{where} is constant, so it cannot have {dynamic[0]}; give that to the loop's joint")


def _base(robot: Robot) -> None:
    if (robot.base.floating or robot.base.mobile) and not robot.base.body:
        raise RobotError(f"{robot.name}: a base that moves needs its inertia; add body=Body(name=..., inertia=...)")


def _names(robot: Robot, what: str, names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            raise RobotError(f"{robot.name}: {name!r} cannot be the name of a {what}; it must be a text")
        if not name or name != name.strip() or not name.isprintable() or len(name) > _LONGEST:
            shown = repr(name) if len(name) <= _LONGEST else f"a text of {len(name)} characters"
            raise RobotError(
                f"{robot.name}: {shown} cannot be the name of a {what}; use printable characters, at most {_LONGEST}"
            )
        if name in seen:
            raise RobotError(f"{robot.name}: two {what}s are called {name!r}; give each its own name")
        seen.add(name)


def _masses(robot: Robot) -> None:
    for body in _bodies(robot):
        mass = body.inertia.M
        if isinstance(mass, Node) and mass.op is not CONST:
            continue
        if float(mass) < 0:
            warnings.warn(
                f"{robot.name}: link {body.name!r} has the negative mass {float(mass):g}. Identified base parameters "
                "may be negative and give right torques, but the inertia matrix of such a robot may be singular, so "
                "that its direct dynamics and simulations can fail",
                RobotWarning,
                stacklevel=6,
            )


def _variables(robot: Robot) -> None:
    names = set(robot.symbols)
    for name in names:
        _symbol(robot, name)
    seen: dict[str, str] = {}
    for joint in (*robot.joints, *(loop.joint for loop in robot.loops)):
        if joint.axes and joint.variable:
            _own(robot, joint.variable, f"the variable of joint {joint.name!r}", names, seen)
        for key in FREE:
            if is_plain(value := getattr(joint, key)):
                _own(robot, str(value), f"{key} of joint {joint.name!r}", names, seen)


def _symbol(robot: Robot, name: str) -> None:
    if not _NAME.fullmatch(name) or name in FUNCTIONS or name.lower() in _NUMBERS:
        raise RobotError(
            f"{robot.name}: {name!r} cannot be a symbol's name; use letters, digits and _, at most 200, and no "
            "function's name"
        )


def _own(robot: Robot, name: str, role: str, parameters: set[str], seen: dict[str, str]) -> None:
    """Refuse a name that is used for two things."""
    _symbol(robot, name)
    if name in seen:
        raise RobotError(f"{robot.name}: {name} is {seen[name]} and also {role}; each needs its own name")
    if name in parameters:
        raise RobotError(f"{robot.name}: {name} is {role} and also occurs in a parameter; rename one")
    seen[name] = role
