"""What the commands show: tables and trees for people's eyes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

import tauforge as tf

from ..graph.node import Node
from ..parameters.base import grouped
from ..robot.joint import FIXED, WORDS
from ..robot.published import published
from ..robot.tables import Sheet, in_text, motion, sheets

COUNTS = ("mul", "add", "set-up", "sin/cos", "total", "published", "saved")
"""Columns of a table of operation counts."""


def table(columns: Sequence[str], *, right: Sequence[str] = ()) -> Table:
    made = Table(header_style="bold cyan", box=None, pad_edge=False)
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left")
    return made


def titled(title: str, made: Table) -> Group:
    return Group(Text(title, style="bold"), made)


def robots(found: Sequence[tf.Robot]) -> Group:
    made = table(["name", "joints", "symbols", "what it is"])
    for robot in found:
        summary = (getattr(tf.robots, robot.name).__doc__ or "").strip().split(":")[0].split(".")[0]
        kinds = "".join(WORDS[joint.sigma][0].upper() for joint in robot.joints)
        made.add_row(
            f"[green]{robot.name}[/green]",
            kinds,
            str(len(robot.symbols)),
            " ".join(summary.removeprefix("Return ").split()),
        )
    return titled("Bundled robots", made)


def info(robot: tf.Robot) -> Iterator[RenderableType]:
    """Yield the parts of a robot's description."""
    yield Text.assemble((robot.name, "bold green"), f": {len(robot.joints)} joints, {robot.dof} degrees of freedom")
    yield tree(robot)
    yield Text()
    yield from map(sheet, sheets(robot))
    for line in motion(robot):
        yield Text(line)
    yield from _facts(robot)


def tree(robot: tf.Robot) -> Tree:
    """Draw which link stands on which."""
    root = Tree("[bold]base[/bold]")
    branches = [root]
    for joint, body in zip(robot.joints, robot.bodies, strict=True):
        kind = (
            WORDS[joint.sigma]
            + ("" if joint.mu or joint.sigma == FIXED else ", passive")
            + (", elastic" if joint.eta else "")
        )
        label = f"{escape(body.name)}  [dim]{escape(joint.name)}, {kind}[/dim]"
        branches.append(branches[joint.antecedent].add(label))
    for loop in robot.loops:
        first, second = (
            robot.bodies[x.antecedent - 1].name if x.antecedent else "base" for x in (loop.joint, loop.frame)
        )
        root.add(f"[magenta]loop[/magenta] {escape(loop.joint.name)}: {escape(first)} meets {escape(second)}")
    return root


def sheet(part: Sheet) -> Text:
    """Colour a table's text: what is cut in a narrow window is no table."""
    title, *lines = in_text(part)
    styled = [(f"{line}\n", "bold cyan" if line.startswith("j ") else "") for line in lines]
    return Text.assemble((f"{title}\n", "bold"), *styled, no_wrap=True, overflow="ignore")


def _facts(robot: tf.Robot) -> Iterator[Text]:
    masses = [body.inertia.M for body in robot.bodies]
    if not any(isinstance(mass, Node) for mass in masses):
        yield Text(f"total mass: {sum(map(float, masses)):g} kg")
    symbols = ", ".join(robot.symbols)
    yield Text(f"symbols without a value: {len(robot.symbols)}" + (f" ({symbols})" if symbols else ""))
    if robot.loops:
        yield Text(f"closed loops: {len(robot.loops)} (their models are not here yet; the tree's are)")
    tree = robot.tree()
    base, links = grouped(tree), len(tree.expanded().bodies)
    rotors = f", and {len(base.rotors)} rotor inertias" if base.rotors else ""
    yield Text(f"base inertial parameters: {base.count} of {10 * links}{rotors}")


def counts(robot: tf.Robot) -> Group:
    """Count inverse dynamics, beside published figures where the conditions are the same."""
    made = table(["robot", "parameters", *COUNTS], right=COUNTS)
    variants = [("as described", robot)]
    if robot.name in tf.robots.names() and robot == tf.robots.bundled(robot.name):
        variants.append(("symbolic", tf.robots.bundled(robot.name, symbolic=True)))
    for label, variant in variants:
        for parameters in ("standard", "base"):
            made.add_row(label, parameters, *count_cells(variant, parameters))
    tree = " (its tree)" if robot.loops else ""
    return titled(f"Operations of the inverse dynamics of {robot.name}{tree}", made)


def count_cells(robot: tf.Robot, parameters: str) -> list[str]:
    """Return one row: our counts, and the published total if the robot is a bundled one as the publications take it."""
    operations = tf.inverse_dynamics(robot.tree(), parameters=parameters).count()
    cells = [
        operations.mul,
        operations.add,
        operations.setup_mul + operations.setup_add,
        operations.trig,
        operations.total,
    ]
    same = robot.name in tf.robots.names() and robot == tf.robots.bundled(robot.name, symbolic=True)
    figure = published(robot.name, parameters) if same else None
    if figure is None:
        return [*map(str, cells), "", ""]
    total = sum(figure)
    return [*map(str, cells), f"{figure[0]}+{figure[1]} = {total}", f"[green]{total - operations.total}[/green]"]
