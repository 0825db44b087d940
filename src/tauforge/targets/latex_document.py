"""A LaTeX document that explains itself: the robot's tables, the meaning of each symbol, then the equations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from ..errors import ExpressionError
from ..graph.node import Node, symbol
from ..graph.parse import expression
from ..program.array import Array
from ..program.program import PARAMETERS, Program
from ..robot.tables import columns_explained
from .comments import plain
from .expression import Element, Expression, Number, Product, Quotient, Variable
from .language import Language
from .tables import Table, as_expression, meanings, parts, ranges

_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
PREAMBLE = (
    r"\documentclass[a4paper]{article}",
    r"\usepackage{amsmath}",
    r"\usepackage{array,longtable}",
    r"\usepackage[margin=2cm]{geometry}",
    r"\allowdisplaybreaks",
    r"\setlength{\parindent}{0pt}",
    r"\setcounter{MaxMatrixCols}{20}",
    r"\renewcommand{\arraystretch}{1.2}",
    r"\begin{document}",
)
_LISTED = 12
"""How many entries of an array have their labels listed."""
_TURNS = re.compile(r"(?:(\d+)\*)?\bpi\b(?:/(\d+))?")
EQUATIONS = r"\section*{Equations}"
"""What separates the explanations from the equations."""


def document(
    program: Program,
    title: str,
    equations: Iterable[str],
    language: Language,
    symbols: Mapping[str, str],
    comments: Iterable[str] = (),
    more: Iterable[tuple[str, str]] = (),
) -> str:
    """Return a document.

    Parameters
    ----------
    equations
        The lines of its main part.
    symbols
        Name of each parameter that is used -> what it is called here.
    comments
        Lines before everything else.
    more
        Other names and what they mean, in LaTeX.
    """
    lines = [*comments, *PREAMBLE, rf"\section*{{{escaped(title)}}}"]
    for part in parts(program):
        lines += table(part, language, program) if isinstance(part, Table) else [rf"{sentence(part, language)}\par"]
    lines += [rf"Operations of generated code: {escaped(str(program.count()))}.\par", r"\subsection*{Symbols}"]
    columns = r">{\raggedright}p{0.3\textwidth}p{0.6\textwidth}"
    lines += _longtable(columns, _meanings(program, language, symbols, more))
    return "\n".join([*lines, EQUATIONS, *equations, r"\end{document}", ""])


def escaped(text: str) -> str:
    """Return a text with special characters escaped."""
    shown = plain(text.replace("²", "\0").replace("\0", "^2"))
    return "".join(_SPECIAL.get(c, f"\\{c}" if c in "#$%&_{}" else c) for c in shown).replace(
        _SPECIAL["^"] + "2", "$^2$"
    )


def sentence(text: str, language: Language) -> str:
    """Return a line of a heading; what follows = or : is a formula, or several, if all of it is expressions."""
    found = re.fullmatch(r"([^=:]*)( = |: )(.*)", text)
    if not found:
        return escaped(text)
    name, sign, rest = found.groups()
    made = [formula(x, language, {}) for x in rest.split(", ")]
    own = formula(name, language, {}) if sign == " = " else None
    if own and made[0] is not None and len(made) == 1:
        return rf"$\displaystyle {own} = {made[0]}$"
    if sign == ": " and len(made) == 3 and None not in made:
        return f"{escaped(name)}: {', '.join(f'${x}$' for x in made)}"
    return escaped(text)


def _longtable(columns: str, rows: Iterable[Sequence[str]]) -> list[str]:
    body = [" & ".join(row) + r" \\" for row in rows]
    return [rf"\begin{{longtable}}[l]{{{columns}}}", *body, r"\end{longtable}"] if body else []


def table(table: Table, language: Language, program: Program) -> list[str]:
    """Return one of the robot's tables, its cells as formulas where they are expressions."""
    head, *rows = cells(table, language, program, escaped)
    lines = _longtable("l" * len(head), [head, *rows])
    lines[1] += r" \hline"
    title = rf"\medskip\textbf{{{escaped(table.title)}}}\par"
    return [r"\begingroup\footnotesize", title, *lines, *(rf"{x}\par" for x in explained(table)), r"\endgroup"]


def explained(table: Table) -> list[str]:
    """Return what a table's columns mean, where the list of symbols does not say it."""
    head, *rows = table.rows
    return [text] if (text := columns_explained(table.title, head, rows)) else []


def cells(table: Table, language: Language, program: Program, other: Callable[[str], str]) -> list[list[str]]:
    """Return one of the robot's tables, its cells as formulas where they are expressions, as other text elsewhere."""
    head, *rows = table.rows
    names = [f"${language.text(Variable(x))}$" if x.isalpha() else other(x) for x in head]
    coordinates = [Element("q", (j,), j) for j in range(len(rows))] if _one_each(program, len(rows)) else []
    made = [[_cell(x, language, _moving(head, row, k), coordinates) for k, x in enumerate(row)] for row in rows]
    return [
        names,
        *(
            [other(x) if y is None else f"${y}$" for x, y in zip(row, each, strict=True)]
            for row, each in zip(rows, made, strict=True)
        ),
    ]


def _one_each(program: Program, joints: int) -> bool:
    """Tell whether each joint has one coordinate."""
    q = program.arguments.get("q")
    return q is not None and len(q.nodes) == joints


def _moving(head: Sequence[str], row: Sequence[str], column: int) -> str:
    """Return the name of the joint's coordinate in a cell of the geometry, or nothing: theta has it, or else r."""
    for name, spelling in (("theta", "th"), ("r", "r")):
        place = head.index(name) if "theta" in head and name in head else -1
        found = re.search(rf"\b({spelling}|q){row[0]}\b", row[place]) if place >= 0 else None
        if found:
            return found[0] if place == column else ""
    return ""


def _cell(text: str, language: Language, own: str, coordinates: Sequence[Element]) -> str | None:
    number = int(own.lstrip("thrq")) - 1 if own else 0
    place = {symbol(own): coordinates[number]} if own and number < len(coordinates) else {}
    return formula(text, language, place)


def formula(text: str, language: Language, places: Mapping[Node, Expression]) -> str | None:
    """Return the text of a cell as a formula, with the given names of some symbols; None if it is not an expression."""
    turns: dict[Node, Expression] = {}

    def named(found: re.Match[str]) -> str:
        """Put a symbol in the place of a multiple of pi, which would otherwise become a number."""
        name = f"turn{len(turns)}_"
        factors: list[Expression] = [Number(float(found[1])), Variable("pi")] if found[1] else [Variable("pi")]
        made: Expression = factors[0] if len(factors) == 1 else Product(tuple(factors))
        turns[symbol(name)] = Quotient(made, Number(float(found[2]))) if found[2] else made
        return name

    try:
        node = expression(_TURNS.sub(named, text))
    except ExpressionError:
        return None
    return language.text(as_expression(node, {**places, **turns}))


def _meanings(
    program: Program, language: Language, symbols: Mapping[str, str], more: Iterable[tuple[str, str]]
) -> list[list[str]]:
    """Return what each symbol means, those of the results first."""
    rows = []
    arrays = {**program.results, **program.arguments}
    for name, array in arrays.items():
        if name != PARAMETERS and array.nodes:
            rows.append([f"${_elements(name, array, language)}$", escaped(array.meaning) + _labels(array)])
    rows += [[*row] for row in more]
    for names, meaning in meanings(program):
        used = ranges(name for name in names if name in symbols)
        spelled = [r"\ldots" if x == "..." else language.text(Variable(symbols[x])) for x in used]
        rows += [[", ".join(f"${x}$" for x in spelled), escaped(meaning)]] if spelled else []
    return rows


def _elements(name: str, array: Array, language: Language) -> str:
    """Return the first and the last element of an array, as in q_1, ..., q_6."""
    last = tuple(n - 1 for n in array.shape)
    ends = dict.fromkeys([Element(name, tuple(0 for _ in last), 0), Element(name, last, len(array.nodes) - 1)])
    return (r", \ldots, " if len(array.nodes) > 2 else ", ").join(map(language.text, ends))


def _labels(array: Array) -> str:
    labels = array.shape.labels[0] if array.shape.labels else ()
    return f": {escaped(', '.join(labels))}" if labels and len(labels) <= _LISTED else ""
