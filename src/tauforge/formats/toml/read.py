"""Reading Tauforge's own format. Writing is in ``write``; docs/formats.md explains each field with an example.

A scalar is a number, or a text with an expression such as ``"pi/2"`` or ``"2*L1"``. Fields that are left out are zero.

    format = 1                      the version of this format
    name = "arm"
    gravity = [0, 0, -9.81]         in the base frame
    free_frames = false             whether models can choose other frames for the links, as for frames of a drawing

    independent = ["a", "b"]        the joints to which qd, qdd and tau belong; found if left out; only with loops
    home = { a = 0.3, c = -1.2 }    closed coordinates by joint, a list for several; zero for joints that are left out

    [base]                          optional: the motion of link 0
    pose = [[1, 0, 0, 0], …]        its frame in the world, four rows; the identity by default
    W0, WP0, V0, VP0                angular velocity and acceleration, linear ones, three scalars each
    floating, mobile                true if it moves freely, if it is driven; both need [base.link]
    [base.link]                     its inertia: name, XX … M, wrench, lift as below, and [[base.link.visual]]

    [[link]]                        one for each link, in order
    name = "forearm"
    joint = "elbow"                 name of the joint that carries the link
    type = "revolute"               or another kind of joint by name, such as "prismatic", "fixed", "spherical"
    on = "upper arm"                the parent link, or "base"; or the parent's number, where 0 is the base
    variable = "th2"                name of the joint coordinate; by default th, r or q and the number
    actuated = true                 whether a motor drives the joint; true by default
    gamma, b, alpha, d, theta, r    its position, after Khalil and Kleinfinger; theta or r of a moving joint: the offset
    pitch                           for a helical joint: metres along z per radian about it
    e                               offset along y after the rotation by gamma, for a freely placed frame
    IA, FV, FS                      inertia of rotor and transmission, viscous and Coulomb friction
    FO, FA, FB, VB                  offset of friction, its asymmetry with speed, and breakaway friction with its speed
    elastic = false, k, rest        whether the joint is elastic, its stiffness, and where its spring is relaxed
    QP, QDP, GAM                    prescribed velocity, acceleration and torque; free if left out
    mimic = { joint = "elbow", ratio = 2, offset = 0.1 }    the joint that it follows; ratio is 1 by default
    mimic = { of = { m1 = 0.5, m2 = 0.5 }, offset = 0.1 }   or a sum of several, each times its ratio
    limits = { lower = -1, upper = 1, velocity = 2, effort = 9 }    numbers; unlimited if left out
    XX, XY, XZ, YY, YZ, ZZ          inertia matrix about the link frame's origin
    MX, MY, MZ, M                   first moments, mass
    wrench = [FX, FY, FZ, CX, CY, CZ]   what the link exerts on its surroundings
    lift = [MX, MY, MZ, M]          first moments and mass on which gravity does not act

    [[link.visual]]                 optional: one for each shape to draw
    shape = "mesh"                  or "box", "cylinder", "sphere", "capsule", "ellipsoid"
    file = "hand.stl"               of a mesh
    size = [1, 1, 1]                as in Visual
    pose = [[1, 0, 0, 0], …]        of the shape in the link's frame; the identity by default
    color = [1, 0.5, 0, 1]          red, green, blue, opacity

    [[frame]]                       optional: one for each constant frame
    name, on, gamma … r             its name, parent and position
    joint = "tool_mount"            optional: the name of the fixed joint that holds it, which then means it too

    [[tendon]]                      optional: one for each tendon
    name = "rope"
    joints = { shoulder = 1, elbow = -0.5 }     its length is the sum of these joints' coordinates times the numbers
    IA, FV, FS, k, rest             inertia, friction and stiffness along it, and the length at which it is relaxed

    [[loop]]                        optional: one for each closed loop
    [loop.joint]                    the cut joint: name, and as above type … GAM, limits; actuated is false by default
    [loop.frame]                    the constant frame on the other side: name, on, gamma … r
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...graph.evaluate import symbols
from ...graph.node import as_node
from ...limits import spend
from ...robot.base import Base
from ...robot.body import IDENTITY, SHAPES, Body, Visual
from ...robot.joint import FREE, NO_LIMITS, Joint, Limits, Mimic
from ...robot.kinds import FIXED, PRISMATIC, WORDS
from ...robot.loop import Loop
from ...robot.robot import Robot
from ...robot.tendon import LAW, Tendon
from ...robot.variables import default_variable
from ...spatial.inertia import Inertia
from ...spatial.vector import Vector
from ..cycle import cycle
from ..source import MISSING_LINE, Source, read_text
from ..wording import said
from .table import Table, line_index
from .write import BASE, GEOMETRY, JOINT, LIMITS, VERSION

_AT_LINE = re.compile(r"(.*?) ?\(at line (\d+), column \d+\)", re.DOTALL)
_DEEP = re.compile(
    r"""(?<![\w.])[\w.]{4000}|(?:^|[\[{,])[ \t]*+(?:(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){4}""",
    re.MULTILINE,
)
"""Numbers with very many digits and dotted keys with many parts, for which tomllib needs too much memory."""
_TABLE = re.compile(r"""^[ \t]*+(?:\[|[A-Za-z_"'][\w"'-]*+[ \t]*+\.)""", re.MULTILINE)
"""How a table starts on a line: its name in brackets, or a dotted key."""
_VALUES = 3
"""Values that take as long to read as a table without any."""
_PLACEMENT = ("on", "actuated", *GEOMETRY)
_MOVING = ("type", "variable", *_PLACEMENT, "elastic", *JOINT, *FREE, "limits")
_BODY = ("name", *Inertia._fields, "wrench", "lift", "visual")


def read(path: Path) -> Robot:
    """Read a robot from a .toml file."""
    source = read_text(path, "utf-8-sig")
    data = parsed(source)
    top = Table(source, line_index(source.text), (), data)
    if top.integer("format") != VERSION:
        raise top.fault(
            "format", f"version {said(top.data['format'])} of the format is unknown; this program reads {VERSION}"
        )
    top.only(
        "format", "name", "gravity", "free_frames", "independent", "home", "base", "link", "frame", "tendon", "loop"
    )
    links = top.tables("link")
    spend("links", sum(len(top.tables(key)) for key in ("link", "frame", "tendon", "loop")), path)
    base = _base(top.table("base")) if "base" in top.data else Base()
    numbers = _numbers(links, base)
    named = {link.text("joint"): number for number, link in enumerate(links, 1)}
    joints = [replace(_joint(link, numbers, "joint"), mimic=_mimic(link, named)) for link in links]
    _check(links, joints)
    return source.robot(
        name=top.text("name"),
        gravity=Vector(*top.scalars("gravity", 3)),
        free_frames=top.flag("free_frames", False),
        chosen=top.texts("independent"),
        home=_home(top.table("home"), joints) if "home" in top.data else {},
        joints=tuple(joints),
        bodies=tuple(_body(link, "joint", "mimic", *_MOVING) for link in links),
        frames=tuple(_frame(frame, numbers) for frame in top.tables("frame")),
        tendons=tuple(_tendon(tendon, named) for tendon in top.tables("tendon")),
        loops=tuple(_loop(loop, numbers) for loop in top.tables("loop")),
        base=base,
    )


def parsed(source: Source) -> dict[str, Any]:
    """Return what a file in TOML holds, within the limits of files."""
    spend("toml", len(source.text), source.path)
    tables = sum(1 for _ in _TABLE.finditer(source.text))
    spend("elements", max(_VALUES * tables, *map(source.text.count, "\n=,[{")), source.path)
    if deep := _DEEP.search(source.text):
        line = source.text.count("\n", 0, deep.end()) + 1
        raise source.fault(line, "a key of more than 4 parts, or a word of more than 4000 letters; no field has one")
    try:
        return tomllib.loads(source.text)
    except RecursionError:
        raise source.fault(MISSING_LINE, "brackets are nested too deeply") from None
    except ValueError as error:
        found = _AT_LINE.fullmatch(str(error))
        what, line = (found.group(1), int(found.group(2))) if found else (str(error), MISSING_LINE)
        raise source.fault(line, f"this is not TOML: {what}") from None


def _numbers(links: list[Table], base: Base) -> dict[str, int | None]:
    """Return the number that each name means in ``on``; None for "base" if a link has that name too."""
    numbers: dict[str, int | None] = {"base": 0}
    if base.body:
        numbers[base.body.name] = 0
    for number, link in enumerate(links, 1):
        name = link.text("name")
        if name in numbers and name != "base":
            raise link.fault("name", f"two links are called {name!r}; give each its own name")
        numbers[name] = None if name in numbers else number
    return numbers


def _check(links: list[Table], joints: list[Joint]) -> None:
    """Refuse, with the line, links attached to later ones and variables that two joints share."""
    antecedents = [joint.antecedent for joint in joints]
    owners: dict[str, str] = {}
    for number, (link, joint) in enumerate(zip(links, joints, strict=True), 1):
        if not 0 <= joint.antecedent < number:
            if ring := cycle(antecedents, number):
                names = " -> ".join(links[i - 1].text("name") for i in ring)
                raise link.fault("on", f"a cycle of parents: {names}; attach one of them to the base")
            raise link.fault("on", "a link's parent must come before it; list the links outward from the base")
        usual, key = default_variable(joint, number), "r" if joint.sigma == PRISMATIC else "theta"
        if joint.axes and not joint.variable and usual in symbols([as_node(getattr(joint, key))]):
            raise link.fault(key, f"{key} is only the offset, to which the coordinate is added; leave {usual} out")
        if joint.variable and joint.sigma != FIXED:
            if joint.variable in owners:
                owner = owners[joint.variable]
                raise link.fault(
                    "variable", f"{joint.variable} is the variable of {owner} already; each joint needs its own"
                )
            owners[joint.variable] = joint.name


def _home(table: Table, joints: list[Joint]) -> dict[str, float | tuple[float, ...]]:
    """Read the coordinates of joints in the reference state."""
    sizes = {joint.name: len(joint.kind.coordinates) for joint in joints if joint.axes and not joint.mimic}
    table.only(*sizes)
    return {
        name: table.number(name, 0.0) if sizes[name] == 1 else table.numeric(name, table.scalars(name, sizes[name]))
        for name in table.data
    }


def _base(table: Table) -> Base:
    table.only("pose", *BASE, "floating", "mobile", "link")
    given = {key: Vector(*table.scalars(key, 3)) for key in BASE if key in table.data}
    return Base(
        **given,
        pose=table.matrix("pose", 4) if "pose" in table.data else IDENTITY,
        floating=table.flag("floating", False),
        mobile=table.flag("mobile", False),
        body=_body(table.table("link")) if "link" in table.data else None,
    )


def _body(table: Table, *others: str) -> Body:
    """Read a link's own fields; ``others`` are further fields that it can have."""
    table.only(*_BODY, *others)
    given = {key: table.scalars(key, count) for key, count in (("wrench", 6), ("lift", 4)) if key in table.data}
    inertia = Inertia(*(table.scalar(key) for key in Inertia._fields))
    visuals = tuple(map(_visual, table.tables("visual")))
    return Body(name=table.text("name"), inertia=inertia, visuals=visuals, **given)


def _visual(table: Table) -> Visual:
    table.only("shape", "file", "size", "pose", "color")
    shape = table.word("shape", tuple(SHAPES))
    return Visual(
        shape=shape,
        file=table.text("file") if "file" in table.data else "",
        size=table.numeric("size", table.scalars("size", SHAPES[shape])) if "size" in table.data else (),
        pose=table.numeric("pose", table.matrix("pose", 4)) if "pose" in table.data else IDENTITY,
        color=table.numeric("color", table.scalars("color", 4)) if "color" in table.data else (),
    )


def _loop(table: Table, numbers: dict[str, int | None]) -> Loop:
    table.only("joint", "frame")
    joint, frame = table.table("joint"), table.table("frame")
    joint.only("name", *_MOVING)
    frame.only("name", *_PLACEMENT)
    return Loop(joint=_joint(joint, numbers, "name", actuated=False), frame=_frame(frame, numbers))


def _frame(table: Table, numbers: dict[str, int | None]) -> Joint:
    """Read a constant frame."""
    table.only("name", "joint", *_PLACEMENT)
    return Joint(
        name=table.text("name"),
        sigma=FIXED,
        alias=table.text("joint") if "joint" in table.data else "",
        **_placement(table, numbers, actuated=False),
    )


def _joint(table: Table, numbers: dict[str, int | None], name: str, actuated: bool = True) -> Joint:
    return Joint(
        name=table.text(name),
        sigma=WORDS.index(table.word("type", WORDS)),
        variable=table.text("variable") if "variable" in table.data else "",
        eta=int(table.flag("elastic", False)),
        limits=_limits(table),
        **{key: table.scalar(key) for key in (*JOINT, *FREE) if key in table.data},  # type: ignore[arg-type]
        **_placement(table, numbers, actuated),
    )


def _mimic(link: Table, named: dict[str, int]) -> Mimic | None:
    """Read which joint a link's joint follows, if any."""
    if "mimic" not in link.data:
        return None
    table = link.table("mimic")
    if "of" in table.data:
        table.only("of", "offset")
        of = table.table("of")
        of.only(*named)
        if not of.data:
            raise table.fault("of", "of is empty; name the joints that it follows with their ratios")
        return Mimic({named[key]: of.number(key, 1.0) for key in of.data}, table.number("offset", 0.0))
    table.only("joint", "ratio", "of", "offset")
    joint = named[table.word("joint", tuple(named))]
    return Mimic(joint=joint, ratio=table.number("ratio", 1.0), offset=table.number("offset", 0.0))


def _tendon(table: Table, named: dict[str, int]) -> Tendon:
    table.only("name", "joints", "driven", *LAW)
    joints = table.table("joints")
    joints.only(*named)
    return Tendon(
        name=table.text("name"),
        joints=tuple((named[key], joints.scalar(key)) for key in joints.data),
        driven=table.flag("driven", False),
        **{key: table.scalar(key) for key in LAW},
    )


def _limits(table: Table) -> Limits:
    if "limits" not in table.data:
        return NO_LIMITS
    limits = table.table("limits")
    limits.only(*LIMITS)
    return Limits(**{key: limits.number(key, getattr(NO_LIMITS, key), finite=False) for key in LIMITS})


def _placement(table: Table, numbers: dict[str, int | None], actuated: bool) -> dict[str, Any]:
    return {
        "antecedent": _antecedent(table, numbers),
        "mu": int(table.flag("actuated", actuated)),
        **{key: table.scalar(key) for key in GEOMETRY},
    }


def _antecedent(table: Table, numbers: dict[str, int | None]) -> int:
    """Return the number of the link that ``on`` names."""
    on = table.value("on")
    if isinstance(on, int) and not isinstance(on, bool):
        if abs(on) >= 2**63:
            raise table.fault("on", f"there is no link {said(on)}; write a link's name, or 0 for the base")
        return on
    number = numbers[table.word("on", tuple(numbers))]
    if number is None:
        raise table.fault("on", "a link is called 'base' too; write its number, or 0 for the base of the robot")
    return number
