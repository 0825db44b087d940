"""Writing Tauforge's own format: one field per line, and only fields that differ from the default."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence

from ...graph.node import Scalar, is_zero
from ...graph.text import to_text
from ...robot.base import Base
from ...robot.body import IDENTITY, Body, Visual
from ...robot.joint import ACTUATOR, FREE, NO_LIMITS, Joint, Limits, Mimic
from ...robot.kinds import PARAMETERS
from ...robot.robot import Robot
from ...robot.tendon import LAW
from ...robot.variables import default_variable

VERSION = 1
GEOMETRY = ("gamma", "b", "alpha", "d", "e", "theta", "r")
JOINT = (*PARAMETERS, *ACTUATOR, "k", "rest")
BASE = ("W0", "WP0", "V0", "VP0")
LIMITS = ("lower", "upper", "velocity", "effort")

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def write(robot: Robot) -> str:
    """Return the text of a .toml file."""
    lines = [f"format = {VERSION}", f"name = {_quoted(robot.name)}", f"gravity = {_list(robot.gravity)}"]
    lines += ["free_frames = true"] * robot.free_frames
    lines += [f"independent = [{', '.join(map(_quoted, robot.chosen))}]"] if robot.chosen else []
    lines += [f"home = {_inline(_home(*item) for item in robot.home.items())}"] if robot.home else []
    lines += _base(robot.base)
    links = _links(robot)
    for number, (joint, body) in enumerate(zip(robot.joints, robot.bodies, strict=True), 1):
        lines += ["", "[[link]]", f"name = {_quoted(body.name)}", f"joint = {_quoted(joint.name)}"]
        lines += [*_joint(robot, links, joint, number, actuated=True), *_body(body, "link")]
    for frame in robot.frames:
        lines += ["", "[[frame]]", f"name = {_quoted(frame.name)}"]
        lines += [f"joint = {_quoted(frame.alias)}"] if frame.alias else []
        lines += _placement(links, frame, actuated=False)
    for tendon in robot.tendons:
        joints = _inline(f"{_quoted(robot.joints[j - 1].name)} = {_scalar(x)}" for j, x in tendon.joints)
        lines += ["", "[[tendon]]", f"name = {_quoted(tendon.name)}", f"joints = {joints}"]
        lines += ["driven = true"] if tendon.driven else []
        lines += [f"{key} = {_scalar(x)}" for key in LAW if not is_zero(x := getattr(tendon, key))]
    for number, loop in enumerate(robot.loops, len(robot.joints) + 1):
        lines += ["", "[[loop]]", "[loop.joint]", f"name = {_quoted(loop.joint.name)}"]
        lines += _joint(robot, links, loop.joint, number, actuated=False)
        lines += ["[loop.frame]", f"name = {_quoted(loop.frame.name)}", *_placement(links, loop.frame, actuated=False)]
    return "\n".join([*lines, ""])


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")  # JSON and TOML differ only here


def _scalar(x: Scalar) -> str:
    text = to_text(x)
    return text if _NUMBER.fullmatch(text) else _quoted(text)


def _list(values: Iterable[Scalar]) -> str:
    return f"[{', '.join(map(_scalar, values))}]"


def _rows(pose: Sequence[Scalar]) -> str:
    """Return a 4x4 matrix, given row by row, as a list of rows."""
    return f"[{', '.join(_list(pose[i : i + 4]) for i in range(0, 16, 4))}]"


def _base(base: Base) -> list[str]:
    lines = [f"{key} = true" for key in ("floating", "mobile") if getattr(base, key)]
    if base.pose != IDENTITY:
        lines.append(f"pose = {_rows(base.pose)}")
    lines += [f"{key} = {_list(getattr(base, key))}" for key in BASE if not all(map(is_zero, getattr(base, key)))]
    if base.body:
        lines += ["[base.link]", f"name = {_quoted(base.body.name)}", *_body(base.body, "base.link")]
    return ["", "[base]", *lines] if lines else []


def _joint(robot: Robot, links: list[str], joint: Joint, number: int, actuated: bool) -> list[str]:
    lines = [f"type = {_quoted(joint.kind.word)}", *_placement(links, joint, actuated)]
    if joint.variable != default_variable(joint, number):
        lines.append(f"variable = {_quoted(joint.variable)}")
    if joint.eta:
        lines.append("elastic = true")
    lines += [f"{key} = {_scalar(x)}" for key in JOINT if not is_zero(x := getattr(joint, key))]
    lines += [f"{key} = {_scalar(x)}" for key in FREE if (x := getattr(joint, key)) is not None]
    if joint.mimic:
        lines.append(f"mimic = {_mimic(robot, joint.mimic)}")
    if joint.limits != NO_LIMITS:
        lines.append(f"limits = {_limits(joint.limits)}")
    return lines


def _mimic(robot: Robot, mimic: Mimic) -> str:
    names = [(_quoted(robot.joints[j - 1].name), ratio) for j, ratio in mimic.of]
    if mimic.is_sum:
        fields = [f"of = {_inline(f'{name} = {_scalar(ratio)}' for name, ratio in names)}"]
    else:
        (name, ratio), *_ = names
        fields = [f"joint = {name}", *([f"ratio = {_scalar(ratio)}"] if ratio != 1.0 else [])]
    if mimic.offset:
        fields.append(f"offset = {_scalar(mimic.offset)}")
    return _inline(fields)


def _limits(limits: Limits) -> str:
    given = {key: x for key in LIMITS if (x := getattr(limits, key)) != getattr(NO_LIMITS, key)}
    return _inline(f"{key} = {_scalar(x) if math.isfinite(x) else x}" for key, x in given.items())


def _home(name: str, values: float | Sequence[float]) -> str:
    return f"{_quoted(name)} = {_list(values) if isinstance(values, Sequence) else _scalar(values)}"


def _inline(fields: Iterable[str]) -> str:
    return f"{{ {', '.join(fields)} }}"


def _placement(links: list[str], joint: Joint, actuated: bool) -> list[str]:
    lines = [f"on = {links[joint.antecedent]}"]
    if joint.mu != actuated:
        lines.append(f"actuated = {str(bool(joint.mu)).lower()}")
    return lines + [f"{key} = {_scalar(x)}" for key in GEOMETRY if not is_zero(x := getattr(joint, key))]


def _links(robot: Robot) -> list[str]:
    """Return each link as written in ``on``: by its name, or by its number if a link is called "base"."""
    names = ["base", *(body.name for body in robot.bodies)]
    unclear = names.count("base") > 1
    return [str(number) if name == "base" and unclear else _quoted(name) for number, name in enumerate(names)]


def _body(body: Body, table: str) -> list[str]:
    """Return a link's own fields, then its visuals as separate tables."""
    lines = [f"{key} = {_scalar(x)}" for key, x in body.inertia._asdict().items() if not is_zero(x)]
    parts = {"wrench": body.wrench, "lift": body.lift}
    lines += [f"{key} = {_list(x)}" for key, x in parts.items() if not all(map(is_zero, x))]
    for visual in body.visuals:
        lines += [f"[[{table}.visual]]", *_visual(visual)]
    return lines


def _visual(visual: Visual) -> list[str]:
    lines = [f"shape = {_quoted(visual.shape)}"]
    if visual.file:
        lines.append(f"file = {_quoted(visual.file)}")
    if visual.size:
        lines.append(f"size = {_list(visual.size)}")
    if visual.pose != IDENTITY:
        lines.append(f"pose = {_rows(visual.pose)}")
    if visual.color:
        lines.append(f"color = {_list(visual.color)}")
    return lines
