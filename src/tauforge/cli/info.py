"""What ``tauforge info`` shows: a robot's tree with a line for each link, its tables, and what sums it up."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from textwrap import wrap

from rich.console import RenderableType
from rich.text import Text

import tauforge as tf

from ..graph.node import Node, Scalar, is_zero
from ..graph.text import number
from ..models.centre_of_mass import gathered
from ..parameters.base import grouped
from ..robot.joint import NO_LIMITS, Joint
from ..robot.tables import motion, sheets
from .show import sheet

FEW = 10
"""Up to how many joints a robot's tables are shown unasked."""
COLUMNS = ("link", "joint", "type", "axis", "range", "speed", "effort", "mass", "")
"""What the tree says of each link; columns that are empty are left out."""
_NEAR = 1e-9
_WIDTH = 90
"""Characters of a list of frames on one line."""


def info(robot: tf.Robot, warned: Sequence[str], tables: bool | None) -> Iterator[RenderableType]:
    """Yield the parts of a robot's description; ``warned`` is what was said when it was read."""
    free = " of its tree" if robot.loops else ""
    free += ", 6 of them of its floating base" if robot.base.floating else ""
    joints, degrees = ("" if count == 1 else "s" for count in (len(robot.joints), robot.dof))
    counted = f": {len(robot.joints)} joint{joints}, {robot.dof} degree{degrees} of freedom{free}"
    yield Text.assemble((robot.name, "bold green"), counted)
    yield tree(robot)
    for line in warned:
        yield Text.assemble(("warning: ", "yellow"), line.removeprefix(f"{robot.name}: "))
    if tables or (tables is None and len(robot.joints) <= FEW):
        yield Text()
        yield from map(sheet, sheets(robot))
    elif tables is None:
        yield Text("(--tables shows geometric and inertial parameters)", style="dim")
    yield from map(Text, motion(robot))
    yield from map(Text, facts(robot))


def facts(robot: tf.Robot) -> Iterator[str]:
    """Yield what can be said of the whole robot, a line each."""
    yield from _masses(robot)
    if robot.tendons:
        yield f"tendons: {len(robot.tendons)} ({', '.join(tendon.name for tendon in robot.tendons)})"
    if robot.symbols:
        yield f"symbols without a value: {len(robot.symbols)} ({', '.join(robot.symbols)})"
    if robot.loops:
        yield f"closed loops: {len(robot.loops)} (their models are not here yet; the tree's are)"


def base_count(robot: tf.Robot) -> str:
    """Return how many base inertial parameters a robot has, its loops open; this may take a while."""
    opened = robot.derived(loops=())
    base, links = grouped(opened), len(opened.expanded().bodies)
    rotors = f", and {len(base.rotors)} rotor inertias" if base.rotors else ""
    return f"base inertial parameters: {base.count} of {10 * links}{rotors}"


def _masses(robot: tf.Robot) -> Iterator[str]:
    """Yield mass and centre of mass where they are numbers, those of a base that stands still included."""
    whole = robot.derived(loops=())
    whole = (whole.with_base("floating") if robot.base.body else whole).expanded()
    masses = [body.inertia.M for body in whole.bodies]
    if any(isinstance(mass, Node) for mass in masses):
        return
    total = sum(map(float, masses))
    yield f"total mass: {total:g} kg"
    if not total:
        return
    at_zero = [joint.pose([joint.mimic.offset] if joint.mimic else ()) for joint in whole.joints]
    centre = gathered(whole, at_zero)[0][1]
    if not any(isinstance(x, Node) for x in centre):
        x, y, z = (f"{round(float(x), 6) + 0.0:g}" for x in centre)
        yield f"centre of mass at zero, in the base frame: {x}, {y}, {z} m"


def tree(robot: tf.Robot) -> Text:
    """Draw which link stands on which, in aligned columns; lists of constant frames and loops stand between."""
    rows = {number: _cells(robot, number) for number in range(len(robot.joints) + 1)}
    drawn = list(_branches(robot))
    for guide, item in drawn:
        if isinstance(item, int):
            rows[item][0] = guide + rows[item][0]
    shown = [k for k in range(len(COLUMNS)) if any(row[k] for row in rows.values())]
    widths = [max(len(row[k]) for row in [COLUMNS, *rows.values()]) for k in shown]

    def aligned(row: Sequence[str]) -> str:
        return "  ".join(row[k].ljust(width) for k, width in zip(shown, widths, strict=True)).rstrip()

    lines = [(aligned(COLUMNS), "bold cyan")]
    lines += [(aligned(rows[item]), "") if isinstance(item, int) else (guide + item, "dim") for guide, item in drawn]
    return Text.assemble(*((f"{line}\n", style) for line, style in lines), no_wrap=True, overflow="ignore", end="")


def _branches(robot: tf.Robot) -> Iterator[tuple[str, int | str]]:
    """Yield the lines of the tree: what is drawn before each, and the number of a link or a text."""
    on: list[list[int | str]] = [_frames(robot, number) for number in range(len(robot.joints) + 1)]
    for j, joint in enumerate(robot.joints, 1):
        on[joint.antecedent].append(j)
    for loop in robot.loops:
        first, second = (_link(robot, x.antecedent) for x in (loop.joint, loop.frame))
        on[0].append(f"loop {loop.joint.name} ({loop.joint.kind.word}): {first} meets {second}")
    waiting: list[tuple[str, str, int | str]] = [("", "", 0)]
    while waiting:
        guide, below, item = waiting.pop()
        yield guide, item
        carried = on[item] if isinstance(item, int) else []
        for k, other in enumerate(reversed(carried)):
            waiting.append((below + ("├ " if k else "└ "), below + ("│ " if k else "  "), other))


def _frames(robot: tf.Robot, number: int) -> list[int | str]:
    """Return the names of the constant frames on a link, such as those of fixed links that are part of it."""
    own = _link(robot, number)
    names = [frame.name for frame in robot.frames if frame.antecedent == number and frame.name != own]
    return (
        [*wrap(f"frames: {', '.join(names)}", _WIDTH, break_on_hyphens=False, break_long_words=False)] if names else []
    )


def _link(robot: tf.Robot, number: int) -> str:
    if number:
        return robot.bodies[number - 1].name
    return robot.base.body.name if robot.base.body else "base"


def _cells(robot: tf.Robot, number: int) -> list[str]:
    """Return what the columns say of a link and the joint that carries it."""
    base = robot.base
    if not number:
        kind = "floating" if base.floating else "mobile" if base.mobile else "fixed"
        return [_link(robot, 0), "", kind, "", "", "", "", _mass(base.body.inertia.M) if base.body else "", ""]
    joint, body = robot.joints[number - 1], robot.bodies[number - 1]
    return [
        body.name,
        joint.name,
        joint.kind.word,
        _axis(robot, joint),
        *_limits(joint),
        _mass(body.inertia.M),
        ", ".join(_notes(robot, joint)),
    ]


def _axis(robot: tf.Robot, joint: Joint) -> str:
    """Return how a joint's axis stands to that of the joint before it, or to z of the base."""
    if len(joint.axes) != 1:
        return ""
    if isinstance(joint.alpha, Node):
        return f"at {joint.alpha}"
    parallel, square = abs(math.sin(joint.alpha)) < _NEAR, abs(math.cos(joint.alpha)) < _NEAR
    angle = f"at {math.degrees(math.acos(abs(math.cos(joint.alpha)))):.4g}°"
    words = "parallel" if parallel else "perpendicular" if square else angle
    before = robot.joints[joint.antecedent - 1] if joint.antecedent else None
    turning = before and not is_zero(before.kind.turn) and not is_zero(joint.kind.turn)
    if turning and _is_near(joint.d) and (_is_near(joint.e) or not parallel):
        return "in line" if parallel else f"{words}, intersecting"
    return words


def _is_near(x: Scalar) -> bool:
    return not isinstance(x, Node) and abs(x) < _NEAR


def _limits(joint: Joint) -> tuple[str, str, str]:
    """Return between which coordinates a joint may move, how fast and with how much effort."""
    limits, one = joint.limits, len(joint.axes) == 1
    length, force = joint.kind.units
    spread = (limits.lower, limits.upper) != (NO_LIMITS.lower, NO_LIMITS.upper)
    texts = (
        f"{limits.lower:.4g} … {limits.upper:.4g} {length}" if spread else "",
        f"{limits.velocity:.4g} {length}/s" if math.isfinite(limits.velocity) else "",
        f"{limits.effort:.4g} {force}" if math.isfinite(limits.effort) else "",
    )
    return texts if one else ("", "", "")


def _mass(M: Scalar) -> str:
    return str(M) if isinstance(M, Node) else f"{M:.4g} kg"


def _notes(robot: tf.Robot, joint: Joint) -> Iterator[str]:
    if joint.mimic:
        ratio, offset = joint.mimic.ratio, joint.mimic.offset
        followed = robot.joints[joint.mimic.joint - 1].name
        text = followed if ratio == 1 else f"{number(ratio)} {followed}"
        yield f"= {text}" + (f" {'-' if offset < 0 else '+'} {number(abs(offset))}" if offset else "")
    elif not joint.mu and joint.axes:
        yield "passive"
    if joint.eta:
        yield "elastic"
