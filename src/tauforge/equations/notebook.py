"""What notebooks show as formulas: Programs in closed form where it is short, robots and base parameters as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..graph.evaluate import symbols
from ..graph.node import Node
from ..program.program import Program
from ..robot.robot import Robot
from ..robot.tables import sheets
from ..targets import in_latex
from ..targets.language import Language
from ..targets.latex import equation, language_of, symbol
from ..targets.latex_document import escaped, formula
from ..targets.notebook import FEW
from ..targets.tables import as_expression
from .equations import equations

_OPERATIONS = 400
"""Operations of a Program for which a closed form is tried before a cell is shown."""


def of_program(program: Program) -> str | None:
    """Return a Program's closed form if it is short, else its steps if they are few."""
    if program.count().total <= _OPERATIONS and sum(len(x.nodes) for x in program.results.values()) <= FEW:
        made = equations(program)
        if made.form:
            return made._repr_latex_()
    return in_latex(program)


def of_robot(robot: Robot) -> str:
    """Return a robot's tables."""
    tables = [_table(part.title, *part.numbered) for part in sheets(robot)]
    return "\n".join(f"$$\n{table}\n$$" for table in tables)


def of_relations(relations: Mapping[str, Node]) -> str | None:
    """Return base parameters as equations; None if there are none."""
    language = language_of(symbols(relations.values()))
    rows = [equation(symbol(name), language.text(as_expression(x))) for name, x in relations.items()]
    joined = " \\\\\n".join(rows)
    return f"$$\n\\begin{{aligned}}\n{joined}\n\\end{{aligned}}\n$$" if rows else None


def _table(title: str, columns: Sequence[str], *rows: Sequence[str]) -> str:
    language = language_of(())
    grid = [[symbol(x) for x in columns], *([_shown(x, language) for x in row] for row in rows)]
    lines = " \\\\\n".join(" & ".join(row) for row in grid)
    caption = rf"\text{{{escaped(title)}}} \\"
    inner = f"\\begin{{array}}{{{'l' * len(columns)}}}\n{lines}\n\\end{{array}}"
    return f"\\begin{{array}}{{l}}\n{caption}\n{inner}\n\\end{{array}}"


def _shown(text: str, language: Language) -> str:
    made = formula(text, language, {})
    return rf"\text{{{escaped(text)}}}" if made is None else made
