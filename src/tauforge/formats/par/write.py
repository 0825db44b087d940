"""Writing .par files in OpenSYMORO's dialect, so that reading them gives an equal robot.

A robot is refused if its torques depend on something that a .par file cannot hold. Limits, constant frames and visuals,
which do not affect them, are left out with a warning.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence

from ...errors import RobotError, RobotWarning
from ...graph.evaluate import symbols
from ...graph.node import Node, Scalar, is_zero, symbol
from ...graph.text import to_text
from ...robot.body import Body
from ...robot.joint import FREE, NO_LIMITS, Joint
from ...robot.kinds import FIXED, PRISMATIC, REVOLUTE
from ...robot.robot import Robot
from ...robot.variables import unused
from ..default_names import frame_name, joint_name, link_name
from .syntax import ACTUATOR, BASE, GEOMETRIC, INERTIAL, WRENCH

REST = ("FO", "FA", "FB")
"""Terms of friction that a .par file cannot hold."""
_SECTIONS = {
    "Geometric parameters": GEOMETRIC,
    "Dynamic parameters and external forces": (*INERTIAL, *ACTUATOR, *WRENCH),
    "Joint parameters": ("eta", "k", "QP", "QDP", "GAM"),
    "Velocity and acceleration of the base": BASE,
    "Acceleration of gravity": ("G",),
    "Transformation of 0 frame position fT0": ("Z",),
}


def write(robot: Robot) -> str:
    """Return the text of a .par file."""
    for what in _misfits(robot):
        raise RobotError(f"{robot.name}: {what}, which has no place in a .par file; save the robot as .toml")
    if left := [word for word, there in _left_out(robot).items() if there]:
        text = f"{robot.name}: a .par file has no place for {', '.join(left)}, which are left out; .toml has it"
        warnings.warn(text, RobotWarning, stacklevel=4)
    columns = _columns(robot)
    lines = [f"(* Robotname = {quoted([robot.name])} *)", *_extras(robot), *_header(robot)]
    for title, keys in _SECTIONS.items():
        lines += ["", f"(* {title} *)", *(f"{key} = {{{','.join(columns[key])}}}" for key in keys)]
    return "\n".join([*lines, "", "(* End of definition *)", ""])


def quoted(names: Iterable[str]) -> str:
    """Return names in quotes; characters that could end a quote or a comment are escaped by number."""
    special = {ord(c): f"\\u{ord(c):04x}" for c in "'\\*"}
    return ",".join(f"'{name.translate(special)}'" for name in names)


def _misfits(robot: Robot) -> Iterator[str]:
    """Yield what the format cannot hold although the torques depend on it."""
    for joint in (*_joints(robot), *(loop.frame for loop in robot.loops)):
        if joint.sigma not in (REVOLUTE, PRISMATIC, FIXED):
            yield f"joint {joint.name!r} is {joint.kind.word}"
        if not is_zero(joint.e):
            yield f"the frame of joint {joint.name!r} is placed freely, with e = {to_text(joint.e)}"
        if joint.mimic:
            leaders = " and ".join(repr(robot.joints[j - 1].name) for j, _ in joint.mimic.of)
            yield f"joint {joint.name!r} follows {leaders}"
        for key in REST:
            if not is_zero(getattr(joint, key)):
                yield f"the friction of joint {joint.name!r} has {key}"
        if not is_zero(joint.rest):
            yield f"the spring of joint {joint.name!r} has a rest position"
    for tendon in robot.tendons:
        yield f"it has the tendon {tendon.name!r}"
    for body in _bodies(robot):
        if not all(map(is_zero, body.lift)):
            yield f"gravity acts on a part of link {body.name!r} only"
    if robot.chosen and robot.velocity_names != robot.with_independent().velocity_names:
        yield f"it has a choice of independent joints ({', '.join(robot.chosen)})"
    for loop in robot.loops:
        for key in ACTUATOR:
            if not is_zero(getattr(loop.joint, key)):
                yield f"there is {key} of the cut joint {loop.joint.name!r}"


def _left_out(robot: Robot) -> dict[str, bool]:
    """Return what the format cannot hold but the torques do not depend on, each with whether the robot has it."""
    return {
        "limits": any(joint.limits != NO_LIMITS for joint in _joints(robot)),
        "constant frames": bool(robot.frames),
        "visuals": any(body.visuals for body in _bodies(robot)),
        "home": bool(robot.home),
    }


def _joints(robot: Robot) -> list[Joint]:
    """Return the joints of the tree and the cut ones."""
    return [*robot.joints, *(loop.joint for loop in robot.loops)]


def _bodies(robot: Robot) -> list[Body]:
    return [*([robot.base.body] if robot.base.body else []), *robot.bodies]


def _header(robot: Robot) -> list[str]:
    links, loops = len(robot.joints), len(robot.loops)
    kind = 2 if loops else 0 if robot.is_serial else 1
    values = {"NL": links, "NJ": links + loops, "NF": links + 2 * loops, "Type": kind}
    values |= {"is_floating": robot.base.floating, "is_mobile": robot.base.mobile}
    return [f"{key} = {value}" for key, value in values.items()]


def _extras(robot: Robot) -> list[str]:
    """Return, as comments, what the format has no key for, unless it is the default."""
    joints, bodies, loops = _joints(robot), _bodies(robot), robot.loops
    frames = range(len(joints) + 1, len(joints) + len(loops) + 1)
    names = [joint.name for joint in (*joints, *(loop.frame for loop in loops))]
    lines = []
    if names != [*(joint_name(n) for n in range(1, len(joints) + 1)), *(frame_name(n) for n in frames)]:
        lines.append(f"(* Jointnames = {quoted(names)} *)")
    first = len(robot.bodies) + 1 - len(bodies)
    if [body.name for body in bodies] != [link_name(n) for n in range(first, len(robot.bodies) + 1)]:
        lines.append(f"(* Linknames = {quoted(body.name for body in bodies)} *)")
    if any(isinstance(_offset(joint), Node) for joint in joints):  # it may not be obvious which symbol is the variable
        lines.append(f"(* Variables = {quoted(joint.variable for joint in joints)} *)")
    body = robot.base.body
    if body and not robot.base.floating and not robot.base.mobile:
        lines.append(f"(* Link0 = {{{','.join(map(to_text, (*body.inertia, *body.wrench)))}}} *)")
    return lines


def _offset(joint: Joint) -> Scalar:
    return {REVOLUTE: joint.theta, PRISMATIC: joint.r}.get(joint.sigma, 0.0)


def _columns(robot: Robot) -> dict[str, list[str]]:
    """Return the texts of every list."""
    joints = _joints(robot)
    frames = [*joints, *(loop.frame for loop in robot.loops)]
    link_0 = robot.base.floating or robot.base.mobile
    bodies = _bodies(robot) if link_0 else robot.bodies
    taken = set(symbols(x for _, x in robot.expressions())) | {joint.variable for joint in joints}
    columns: dict[str, Sequence[Scalar]] = {
        "ant": [frame.antecedent for frame in frames],
        "theta": [_with_variable(frame, REVOLUTE, frame.theta) for frame in frames],
        "r": [_with_variable(frame, PRISMATIC, frame.r) for frame in frames],
        "G": robot.gravity,
        "Z": robot.base.pose,
    }
    columns |= {key: [getattr(frame, key) for frame in frames] for key in GEOMETRIC if key not in ("ant", "theta", "r")}
    columns |= {key: [getattr(body.inertia, key) for body in bodies] for key in INERTIAL}
    columns |= {key: [0.0] * link_0 + [getattr(joint, key) for joint in robot.joints] for key in ACTUATOR}
    columns |= {key: [body.wrench[i] for body in bodies] for i, key in enumerate(WRENCH)}
    columns |= {key: [getattr(joint, key) for joint in joints] for key in ("eta", "k")}
    columns |= {key: _free(joints, key, taken) for key in FREE}
    columns |= {key: getattr(robot.base, key) for key in BASE}
    return {key: [to_text(x) for x in values] for key, values in columns.items()}


def _with_variable(frame: Joint, kind: int, offset: Scalar) -> Scalar:
    return symbol(frame.variable) + offset if frame.sigma == kind else offset


def _free(joints: Sequence[Joint], key: str, taken: set[str]) -> list[Scalar]:
    """Return the prescribed velocity, for example, of a joint; if there is none, a symbol that no parameter uses."""
    numbered = ((n, getattr(joint, key)) for n, joint in enumerate(joints, 1))
    return [symbol(unused(f"{key}{n}", taken)) if x is None else x for n, x in numbered]
