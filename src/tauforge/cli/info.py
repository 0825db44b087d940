"""What ``tauforge info`` shows: a robot's tree with one line per link, its tables, and a summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from rich.console import RenderableType
from rich.text import Text

import tauforge as tf

from ..robot.tables import motion, sheets
from ..view.description import Description, Link, count_base_parameters, describe, describe_freedom
from .show import sheet

FEW = 10
"""The largest number of joints for which a robot's tables are shown by default."""
COLUMNS = ("link", "joint", "type", "axis", "range", "speed", "effort", "mass", "")
"""The columns of the tree; empty ones are left out."""
_WIDTH = 90
"""The largest number of characters of a list of frames on one line."""


def info(robot: tf.Robot, warned: Sequence[str], tables: bool | None) -> Iterator[RenderableType]:
    """Yield the parts of a robot's description; ``warned`` holds the warnings from when it was read."""
    yield Text.assemble((robot.name, "bold green"), f": {size(robot)}")
    found = describe(robot)
    yield tree(found)
    for line in warned:
        yield Text.assemble(("warning: ", "yellow"), line.removeprefix(f"{robot.name}: "))
    if tables or (tables is None and len(robot.joints) <= FEW):
        yield Text()
        yield from map(sheet, sheets(robot))
    elif tables is None:
        yield Text("(--tables shows geometric and inertial parameters)", style="dim")
    yield from map(Text, motion(robot))
    yield from map(Text, facts(robot, found))


def size(robot: tf.Robot) -> str:
    """Return how many joints and degrees of freedom a robot has, the latter if its loops can be closed."""
    joints = f"{len(robot.joints)} joint{'' if len(robot.joints) == 1 else 's'}"
    try:
        count = robot.dof
    except tf.ProgramError:  # the reason comes with the mobility
        return joints
    free = ", 6 of them of its floating base" if robot.base.floating else ""
    return f"{joints}, {count} degree{'' if count == 1 else 's'} of freedom{free}"


def facts(robot: tf.Robot, found: Description) -> Iterator[str]:
    """Yield facts about the whole robot, one line each."""
    if found.mass is not None:
        yield f"total mass: {found.mass:g} kg"
    if found.centre:
        x, y, z = (f"{round(x, 6) + 0.0:g}" for x in found.centre)
        yield f"centre of mass at zero, in the base frame: {x}, {y}, {z} m"
    if robot.tendons:
        yield f"tendons: {len(robot.tendons)} ({', '.join(tendon.name for tendon in robot.tendons)})"
    if robot.symbols:
        yield f"symbols without a value: {len(robot.symbols)} ({', '.join(robot.symbols)})"
    if robot.loops:
        yield from mobility(robot)


def mobility(robot: tf.Robot) -> Iterator[str]:
    """Yield how a mechanism with closed loops can move."""
    yield f"closed loops: {len(robot.loops)}"
    try:
        found = describe_freedom(robot)
    except tf.ProgramError as error:
        yield str(error)
        return
    rigid = "the loops keep all joints from moving"
    yield f"mobility: {found.mobility}, " + (f"determined by {_list(found.independent)}" if found.mobility else rigid)
    yield f"actuated joints: {_list(found.actuated)}"
    if found.passive:
        yield f"passive joints: {_list(found.passive)}"
    if found.idle:
        yield f"free without a motor: {_list(found.idle)}"
    if found.extra:
        yield f"motors beyond the mobility, on joints that follow the independent ones: {_list(found.extra)}"
    if found.redundant:
        yield f"redundant constraints: {found.redundant}"
    if found.held:
        yield f"warning: the loops keep these motors from moving: {_list(found.held)}; check the loops that they are in"
    if found.mobility and len(found.idle) == found.mobility:
        yield "warning: no motor moves this mechanism; mark the joints that have one as actuated"


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def base_count(robot: tf.Robot) -> str:
    """Return how many base inertial parameters a robot has with its loops opened; this can take a while."""
    try:
        found = count_base_parameters(robot)
    except tf.ExpressionError as error:
        return f"base inertial parameters: they cannot be counted, as {error}"
    rotors = f", and {found.rotors} rotor inertias" if found.rotors else ""
    opened = " with the loops open; tauforge base counts those of the closed robot" if robot.loops else ""
    return f"base inertial parameters: {found.base} of {found.standard}{rotors}{opened}"


def tree(found: Description) -> Text:
    """Draw which link is attached to which, in aligned columns, with lists of constant frames and loops in between."""
    rows = [_cells(link) for link in found.links]
    drawn = list(_branches(found))
    for guide, item in drawn:
        if isinstance(item, int):
            rows[item][0] = guide + rows[item][0]
    shown = [k for k in range(len(COLUMNS)) if any(row[k] for row in rows)]
    widths = [max(len(row[k]) for row in [COLUMNS, *rows]) for k in shown]

    def aligned(row: Sequence[str]) -> str:
        return "  ".join(row[k].ljust(width) for k, width in zip(shown, widths, strict=True)).rstrip()

    lines = [(aligned(COLUMNS), "bold cyan")]
    lines += [(aligned(rows[item]), "") if isinstance(item, int) else (guide + item, "dim") for guide, item in drawn]
    return Text.assemble(*((f"{line}\n", style) for line, style in lines), no_wrap=True, overflow="ignore", end="")


def _branches(found: Description) -> Iterator[tuple[str, int | str]]:
    """Yield the lines of the tree: what is drawn before each, and the number of a link or a text."""
    on: list[list[int | str]] = [[*_frames(link)] for link in found.links]
    for j, link in enumerate(found.links):
        if link.parent is not None:
            on[link.parent].append(j)
    for loop in found.loops:
        first, second = loop.links
        on[0].append(f"loop {loop.joint} ({loop.kind}): {first} meets {second}")
    waiting: list[tuple[str, str, int | str]] = [("", "", 0)]
    while waiting:
        guide, below, item = waiting.pop()
        yield guide, item
        carried = on[item] if isinstance(item, int) else []
        for k, other in enumerate(reversed(carried)):
            waiting.append((below + ("├ " if k else "└ "), below + ("│ " if k else "  "), other))


def _frames(link: Link) -> list[str]:
    """Return the lines that list the constant frames on a link."""
    line = f"frames: {', '.join(link.frames)}"
    return wrap(line, _WIDTH, break_on_hyphens=False, break_long_words=False) if link.frames else []


def _cells(link: Link) -> list[str]:
    """Return the columns' texts for a link and the joint that carries it."""
    return [
        link.name,
        link.joint,
        link.kind,
        link.axis,
        link.range,
        link.speed,
        link.effort,
        link.mass,
        link.notes,
    ]
