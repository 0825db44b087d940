"""Writing URDF: numeric trees. A robot is refused if its torques depend on something that URDF cannot hold.

A link is written in the frame that its name means, if the joint allows it; other constant frames become links without
inertia, on fixed joints.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from ...errors import RobotError, RobotWarning
from ...graph.node import Scalar, as_node, is_zero
from ...robot.base import BASE_LINK, BASE_MOTION, Base
from ...robot.body import Body, Visual
from ...robot.joint import FREE, NO_LIMITS, Joint
from ...robot.kinds import FIXED, FLOATING, PLANAR, PRISMATIC, REVOLUTE
from ...robot.placement import neat
from ...robot.robot import DOWN, Robot
from ...robot.variables import is_plain, unused
from ...spatial.inertia import Inertia
from ...spatial.pose import HERE, Pose
from ...spatial.vector import UNITS, ZERO
from .parts import LARGEST, SHAPES, SIX

_KINDS = {REVOLUTE: "revolute", PRISMATIC: "prismatic", FIXED: "fixed", FLOATING: "floating", PLANAR: "planar"}


class _Link(NamedTuple):
    """How a link is written: its name, and the written frame relative to its own."""

    name: str
    place: Pose


def write(robot: Robot) -> str:
    """Return the text of a .urdf file."""
    _refuse(robot)
    robot = robot.map(as_node)  # whose quarter turns are exact
    base = robot.base.body or Body(name=unused(BASE_LINK, robot.frame_names))
    named = {frame.name: frame for frame in robot.frames}
    taken = {base.name, *robot.frame_names}
    links = [_link(base.name, None, 0, named, taken)]
    links += [
        _link(b.name, j, n, named, taken) for n, (j, b) in enumerate(zip(robot.joints, robot.bodies, strict=True), 1)
    ]
    lines = [f"<robot name={quoteattr(robot.name)}>"]
    for link, body in zip(links, (base, *robot.bodies), strict=True):
        lines += _body(link, body)
    for joint, link in zip(robot.joints, links[1:], strict=True):
        on = links[joint.antecedent]
        at = on.place.inverse().then(_pose(joint)).then(link.place)
        lines += [*_open(joint.name, _kind(joint), on.name, link.name, at), *_law(robot, joint, link), "  </joint>"]
    written = {link.name for link in links}
    joints = {joint.name for joint in robot.joints}
    for frame in robot.frames:
        if frame.name in written:
            continue
        on = links[frame.antecedent]
        joint_name = unused(frame.alias or f"{frame.name}_fixed", joints)
        joints.add(joint_name)
        lines.append(f"  <link name={quoteattr(frame.name)}/>")
        lines += _open(joint_name, "fixed", on.name, frame.name, on.place.inverse().then(_pose(frame)))
        lines.append("  </joint>")
    return "\n".join(['<?xml version="1.0"?>', *lines, "</robot>", ""])


def _refuse(robot: Robot) -> None:
    """Refuse what URDF cannot hold."""

    def cannot(what: str, fix: str) -> RobotError:
        return RobotError(f"{robot.name}: URDF cannot hold {what}; {fix}")

    if robot.symbols:
        raise cannot(f"symbols ({', '.join(robot.symbols[:5])})", "give them values with bind()")
    if robot.loops:
        raise cannot("closed loops", "open them with tree(), or save a .toml")
    if robot.tendons:
        raise cannot(f"tendons ({', '.join(tendon.name for tendon in robot.tendons[:5])})", "save a .toml")
    if tuple(map(float, robot.gravity)) != tuple(DOWN):
        raise cannot(f"gravity, which its readers take as {tuple(DOWN)}", "save a .toml")
    still = all(is_zero(x) for key in BASE_MOTION for x in getattr(robot.base, key))
    if robot.base.mobile or not still or tuple(map(float, robot.base.pose)) != Base().pose:
        raise cannot("the pose or the motion of a base", "save a .toml")
    for joint in robot.joints:
        where = f"of joint {joint.name!r}"
        if joint.sigma not in _KINDS:
            raise cannot(f"the {joint.kind.word} motion {where}", "save a .toml")
        if joint.mimic and joint.mimic.is_sum:
            raise cannot(f"the sum of {len(joint.mimic.of)} joints that joint {joint.name!r} follows", "save a .toml")
        if not is_zero(joint.IA):
            raise cannot(f"the rotor inertia IA {where}", 'leave it out with neglect("IA"), or save a .toml')
        for key in ("FO", "FA", "FB"):
            if not is_zero(getattr(joint, key)):
                raise cannot(f"{key} of the friction {where}", f'leave it out with neglect("{key}"), or save a .toml')
        if joint.eta:
            raise cannot(f"the elasticity {where}", "save a .toml")
        if len(joint.axes) > 1 and not (is_zero(joint.FV) and is_zero(joint.FS)):
            raise cannot(f"the friction {where}, which has several degrees of freedom", "save a .toml")
        for key in FREE:
            if (x := getattr(joint, key)) is not None and not is_plain(x):
                raise cannot(f"the prescribed {key} {where}", "save a .toml")
    for body in (*robot.bodies, *([robot.base.body] if robot.base.body else [])):
        where = f"of link {body.name!r}"
        if any(not is_zero(x) for x in body.wrench):
            raise cannot(f"the wrench {where}", "save a .toml")
        if any(not is_zero(x) for x in body.lift):
            raise cannot(f"the lift {where}", 'leave it out with neglect("lift"), or save a .toml')
        mass = float(body.inertia.M)
        if mass < 0 or (mass == 0 and any(not is_zero(x) for x in body.inertia.first_moments)):
            raise cannot(f"the first moments {where}, whose mass is {mass:g}", "give standard parameters")
    if robot.base.floating:
        warnings.warn(
            f'{robot.name}: URDF cannot say that the base is free; load it with base="floating"',
            RobotWarning,
            stacklevel=5,
        )


def _link(name: str, joint: Joint | None, number: int, named: dict[str, Joint], taken: set[str]) -> _Link:
    """Return how a link is written: in the frame with its name, else in its own, under another name if needed."""
    frame = named.get(name)
    if frame is None:
        return _Link(name, HERE)
    if frame.antecedent == number and _fits(joint, place := _pose(frame)):
        return _Link(name, place)
    other = unused(f"{name}_", taken)
    taken.add(other)
    return _Link(other, HERE)


def _fits(joint: Joint | None, place: Pose) -> bool:
    """Tell whether a joint moves a link about a frame in the same way as about the link's own."""
    if joint is None or joint.sigma in (FLOATING, PLANAR):
        return False
    return joint.sigma in (PRISMATIC, FIXED) or (place.P[0] == 0 and place.P[1] == 0)


def _kind(joint: Joint) -> str:
    endless = joint.sigma == REVOLUTE and joint.limits.lower == -math.inf and joint.limits.upper == math.inf
    return "continuous" if endless else _KINDS[joint.sigma]


def _open(name: str, kind: str, parent: str, child: str, at: Pose) -> list[str]:
    lines = [f'  <joint name={quoteattr(name)} type="{kind}">', *_origin(at, "    ")]
    return [*lines, f"    <parent link={quoteattr(parent)}/>", f"    <child link={quoteattr(child)}/>"]


def _law(robot: Robot, joint: Joint, link: _Link) -> list[str]:
    """Return the axis, limits, friction and master of a joint."""
    if joint.sigma in (FIXED, FLOATING):
        return []
    axis = link.place.R.back(UNITS[2])
    lines = [f'    <axis xyz="{_list(axis)}"/>']
    x = joint.limits
    if x != NO_LIMITS or _kind(joint) in ("revolute", "prismatic"):
        ends = "" if _kind(joint) == "continuous" else f' lower="{_limit(x.lower)}" upper="{_limit(x.upper)}"'
        lines.append(f'    <limit{ends} effort="{_limit(x.effort)}" velocity="{_limit(x.velocity)}"/>')
    if not (is_zero(joint.FV) and is_zero(joint.FS)):
        lines.append(f'    <dynamics damping="{float(joint.FV)!r}" friction="{float(joint.FS)!r}"/>')
    if joint.mimic:
        master = quoteattr(robot.joints[joint.mimic.joint - 1].name)
        ratio, offset = joint.mimic.ratio, joint.mimic.offset
        lines.append(f'    <mimic joint={master} multiplier="{ratio!r}" offset="{offset!r}"/>')
    return lines


def _limit(x: float) -> str:
    return repr(max(-LARGEST, min(LARGEST, x)))


def _body(link: _Link, body: Body) -> list[str]:
    inertia = Inertia(*map(float, body.inertia)).inward(link.place.inverse())
    lines = [*_inertial(inertia)]
    for visual in body.visuals:
        lines += _visual(visual, link.place)
    name = quoteattr(link.name)
    return [f"  <link name={name}>", *lines, "  </link>"] if lines else [f"  <link name={name}/>"]


def _inertial(inertia: Inertia) -> list[str]:
    if not any(inertia):
        return []
    com = inertia.first_moments * (1 / inertia.M) if inertia.M else ZERO
    about_com = inertia.shifted(-com)
    six = " ".join(f'{name}="{x!r}"' for name, x in zip(SIX, about_com[:6], strict=True))
    place = _origin(Pose(arm=com), "      ")
    return [
        "    <inertial>",
        *place,
        f'      <mass value="{inertia.M!r}"/>',
        f"      <inertia {six}/>",
        "    </inertial>",
    ]


def _visual(visual: Visual, place: Pose) -> list[str]:
    if visual.shape == "mesh":
        shape = f'<mesh filename={quoteattr(visual.file)} scale="{_list(visual.size or (1.0, 1.0, 1.0))}"/>'
    elif visual.shape == "box":
        shape = f'<box size="{_list(visual.size)}"/>'
    elif visual.shape in SHAPES:
        sizes = " ".join(f'{key}="{x!r}"' for key, x in zip(SHAPES[visual.shape], visual.size, strict=True))
        shape = f"<{visual.shape} {sizes}/>"
    else:
        return []  # such as an ellipsoid, which only viewers need
    at = _origin(place.inverse().then(Pose.of(visual.pose)), "      ")
    rgba = f'      <material name=""><color rgba="{_list(visual.color)}"/></material>'
    color = [rgba] if visual.color else []
    return ["    <visual>", *at, f"      <geometry>{shape}</geometry>", *color, "    </visual>"]


def _origin(at: Pose, indent: str) -> list[str]:
    if at.is_identity:
        return []
    return [f'{indent}<origin xyz="{_list(at.P)}" rpy="{_list(_rpy(at))}"/>']


def _rpy(at: Pose) -> tuple[float, float, float]:
    """Return the angles of a rotation Rz(yaw) Ry(pitch) Rx(roll)."""
    R = at.R.rows
    across = math.hypot(R[0][0], R[1][0])
    pitch = neat(math.atan2(-R[2][0], across))
    if across < 1e-12:  # z of the first frame is turned onto x: roll and yaw are about the same axis
        return neat(math.atan2(-R[1][2], R[1][1])), pitch, 0.0
    return neat(math.atan2(R[2][1], R[2][2])), pitch, neat(math.atan2(R[1][0], R[0][0]))


def _list(values: Iterable[Scalar]) -> str:
    return " ".join(repr(float(x) + 0.0) for x in values)


def _pose(joint: Joint) -> Pose:
    """Return the pose of a joint with numbers at coordinate zero."""
    return joint.pose().in_numbers()
