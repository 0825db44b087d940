"""The base parameters as text, as in figure 4 of Lemoine and Khalil."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..graph.text import to_text
from ..robot import html
from ..robot.tables import geometry, in_text, inertias

if TYPE_CHECKING:
    from .base import BaseParameters


def table(base: BaseParameters) -> str:
    """Return the tables and relations as text."""
    relations = [f"{name}={to_text(expression)}" for name, expression in base.relations.items()]
    rotors = ["", f"Rotor inertias that stay: {', '.join(base.rotors)}"] if base.rotors else []
    lines = [
        f"Robot: {base.of.name}",
        "",
        *in_text(geometry(base.of)),
        "",
        *in_text(inertias(base.of, "Standard inertial parameters")),
        "",
        "The regrouping relations are",
        *(relations or ["none"]),
        "",
        *in_text(inertias(base.robot, "The base inertial parameters are")),
        *rotors,
    ]
    return "\n".join(lines)


def in_html(base: BaseParameters) -> str:
    """Return the grouping relations and the base parameters as tables, for a notebook."""
    relations = [(name, to_text(expression)) for name, expression in base.relations.items()]
    title = f"{base.count} base inertial parameters of {base.of.name}"
    grouped = html.table("Grouping relations", ("parameter", "is"), relations) if relations else ""
    return grouped + html.sheet(inertias(base.robot, title))
