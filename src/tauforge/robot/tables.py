"""A robot's tables, as at the top of generated code, in ``base.table()`` and on the command line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..graph.node import Node, Scalar, as_node, is_zero, symbol
from ..graph.operations import CONST
from ..graph.text import number
from ..spatial.inertia import NAMES
from .base import BASE_MOTION
from .body import LIFT, WRENCH
from .joint import ACTUATOR, Joint
from .kinds import WORDS
from .robot import Robot
from .tendon import LAW, Tendon
from .variables import is_plain

_WIDEST = 92
"""Width of a table in text, in characters."""
_LONGEST = 40
"""Width of a cell, in characters."""

PLACED = (
    r"Frame $j$ is placed on frame $p$ as by Khalil and Kleinfinger: turned by $\gamma$ and moved by $b$ along $z$, "
    r"turned by $\alpha$ and moved by $d$ along $x$, turned by $\theta$ and moved by $r$ along $z$. Lengths are in m, "
    r"angles in rad."
)
"""What most columns of the table of the geometry mean, in LaTeX, where no frame needs e."""
LOOPS = "Closed loops: each joint that closes one, then the frame on the other link that it meets"


class Sheet(NamedTuple):
    """A table with one row per joint or link, numbered from ``first``."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    first: int = 1

    @property
    def numbered(self) -> list[tuple[str, ...]]:
        """The rows, each with its number before it, and the head."""
        return [("j", *self.columns), *((str(j), *row) for j, row in enumerate(self.rows, self.first))]


def sheets(robot: Robot) -> list[Sheet]:
    """Return the tables that are not empty; always those of geometry and inertias."""
    fixed = [["" if x is None or is_plain(x) else x for x in (joint.QP, joint.QDP)] for joint in robot.joints]
    optional = (  # each with the cell that says nothing
        (_actuators(robot), "0"),
        (_sheet("Elastic joints", "eta k", [(x.eta, x.k) for x in robot.joints]), "0"),
        (
            _sheet(
                "First moments and mass on which gravity does not act", " ".join(LIFT), [x.lift for x in robot.bodies]
            ),
            "0",
        ),
        (_sheet("External forces and torques", " ".join(WRENCH), [body.wrench for body in robot.bodies]), "0"),
        (_sheet("Tendons", "name length mu IA FV FS k rest", [_tendon(robot, x) for x in robot.tendons]), ""),
        (_sheet("Prescribed velocities and accelerations", "QP QDP", fixed), ""),
    )
    telling = [sheet for sheet, nothing in optional if any(cell != nothing for row in sheet.rows for cell in row)]
    return [geometry(robot), *closures(robot), inertias(robot), *telling]


def _actuators(robot: Robot) -> Sheet:
    """Return rotor inertias and friction, with the terms of the latter that some joint has."""
    columns = (
        "IA",
        "FV",
        "FS",
        *(key for key in ACTUATOR[3:] if any(not is_zero(getattr(joint, key)) for joint in robot.joints)),
    )
    rows = [[getattr(joint, key) for key in columns] for joint in robot.joints]
    return _sheet("Rotor inertia and friction", " ".join(columns), rows)


def geometry(robot: Robot) -> Sheet:
    """Return the geometric parameters with each joint's variable in place; e only if a frame needs it."""
    return _placed(robot, "Geometric parameters", robot.joints)


def closures(robot: Robot) -> list[Sheet]:
    """Return where loops close, in the columns of the geometry; no table if there are no loops."""
    ends = [joint for loop in robot.loops for joint in (loop.joint, loop.frame)]
    return [_placed(robot, LOOPS, ends)._replace(first=len(robot.joints) + 1)] if ends else []


def _placed(robot: Robot, title: str, joints: Sequence[Joint]) -> Sheet:
    free = any(not is_zero(joint.e) for joint in joints)
    columns = f"p sigma gamma b alpha d {'e ' * free}theta r"
    return _sheet(title, columns, [_geometry(robot, joint, free) for joint in joints])


def columns_explained(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return what the columns of a table of the geometry mean, in LaTeX; empty for other tables, and where frames need
    e.
    """
    if not {"sigma", "gamma", "alpha"} <= {*head} or "e" in head:
        return ""
    kinds = sorted({int(row[head.index("sigma")]) for row in rows})
    words = [f"{WORDS[n]} where it is {n}" for n in kinds]
    words[0] = words[0].replace("it", r"$\sigma$")
    joints = f"Joint $j$ is {' and '.join([', '.join(words[:-1] or words), *words[1:][-1:]])}."
    return joints if title == LOOPS else f"{PLACED} {joints}"


def inertias(robot: Robot, title: str = "Inertial parameters") -> Sheet:
    """Return the ten inertial parameters of each link."""
    return _sheet(title, " ".join(NAMES), [body.inertia for body in robot.bodies])


def heading(robot: Robot) -> tuple[str, ...]:
    """Return everything as lines of text, for the top of generated code."""
    lines = [f"Robot: {robot.name}", ""]
    for sheet in sheets(robot):
        lines += [*in_text(sheet), ""]
    return (*lines, *motion(robot), "")


def motion(robot: Robot) -> list[str]:
    """Return gravity and, if there is one, the motion of the base, one line each."""
    vectors = {key: [_cell(x) for x in getattr(robot.base, key)] for key in BASE_MOTION}
    lines = [f"Base, {key}: {', '.join(cells)}" for key, cells in vectors.items() if cells != ["0"] * 3]
    return [*lines, f"Acceleration of gravity: {', '.join(map(_cell, robot.gravity))}"]


def in_text(sheet: Sheet) -> list[str]:
    """Return a table as lines, with aligned columns and numbered rows."""
    return [sheet.title, *_aligned(sheet.numbered)]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows in aligned columns; columns that do not fit continue in a table below."""
    numbers = [row[0] for row in rows]
    lines = [number.ljust(max(map(len, numbers))) for number in numbers]
    for k in range(1, len(rows[0])):
        cells = [row[k] for row in rows]
        width = max(map(len, cells))
        if len(lines[0]) + 2 + width > _WIDEST:
            return [*map(str.rstrip, lines), *_aligned([(row[0], *row[k:]) for row in rows])]
        lines = [f"{line}  {cell.ljust(width)}" for line, cell in zip(lines, cells, strict=True)]
    return [line.rstrip() for line in lines]


def _sheet(title: str, columns: str, rows: Iterable[Iterable[Scalar | str]]) -> Sheet:
    return Sheet(title, tuple(columns.split()), tuple(tuple(_cell(x) for x in row) for row in rows))


def _geometry(robot: Robot, joint: Joint, free: bool) -> list[Scalar | str]:
    """Return a joint's row with its variable in place: q1 + pi/2."""
    place = [joint.antecedent, joint.sigma, joint.gamma, joint.b, joint.alpha, joint.d, *([joint.e] if free else [])]
    moving = ((joint.kind.turn, joint.theta), (joint.kind.slide, joint.r))
    return [*place, *(offset if is_zero(rate) else _moving(robot, joint, rate, offset) for rate, offset in moving)]


def _tendon(robot: Robot, tendon: Tendon) -> list[Scalar | str]:
    """Return a tendon's row, with its length as a sum of the joints' variables."""
    length: Scalar = 0.0
    for j, x in tendon.joints:
        length = length + symbol(robot.joints[j - 1].variable) * x
    return [tendon.name, length, int(tendon.driven), *(getattr(tendon, key) for key in LAW)]


def _moving(robot: Robot, joint: Joint, rate: Scalar, offset: Scalar) -> str:
    """Return a joint's variable (or that of the joint it follows) times a factor, plus the offset."""
    variable: Scalar = symbol(joint.variable)
    if joint.mimic:
        variable = as_node(joint.mimic.rate(lambda j: symbol(robot.joints[j - 1].variable)))
        offset = offset + rate * joint.mimic.offset
    text = _cell(offset)
    if is_zero(variable * rate):
        return text
    return str(variable * rate) + ("" if text == "0" else f" + {text}".replace("+ -", "- "))


def _cell(x: Scalar | str) -> str:
    """Return the text of a cell: expressions unchanged, numbers to nine digits."""
    if isinstance(x, Node) and x.op is CONST:
        x = float(x)
    text = str(x) if isinstance(x, str | Node) else number(x)
    if isinstance(x, float) and len(text) > 12:
        text = f"{x:.9g}"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
