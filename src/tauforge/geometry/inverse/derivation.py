"""A derivation to read: text with formulas, as Unicode, Markdown or a LaTeX document."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from ...equations import unicode
from ...equations.equations import ROUNDED, unmarked
from ...equations.shown import number, rounded, shown
from ...errors import TargetError
from ...files import as_path, write_text
from ...program.program import Program
from ...robot.tables import Sheet, in_text
from ...targets import latex
from ...targets.expression import Expression
from ...targets.language import Language
from ...targets.latex_document import PREAMBLE, escaped, table
from ...targets.tables import Table

_ABOVE, _BELOW = (str.maketrans("0123456789E", x) for x in ("⁰¹²³⁴⁵⁶⁷⁸⁹ᴱ", "₀₁₂₃₄₅₆₇₈₉ₑ"))
_SIGNS = {"≠": r"\neq", "≤": r"\leq", "≥": r"\geq", "∩": r"\cap", "²": "^2", "ε": r"\varepsilon", "·": r"\cdot"}


class Transform(NamedTuple):
    """The pose of one link's frame in another's, by their numbers; U if it has none, the goal."""

    first: str = ""
    second: str = ""

    def text(self) -> str:
        return f"{self.first.translate(_ABOVE)}T{self.second.translate(_BELOW)}" if self.first else "U₀"

    def latex(self) -> str:
        return f"{{}}^{{{self.first}}}T_{{{self.second}}}" if self.first else "U_{0}"


Formula = tuple[Expression | Transform | str, ...]
"""Expressions and what is between them: =, <, ≠."""


@dataclass(frozen=True)
class Heading:
    text: str


@dataclass(frozen=True)
class Paragraph:
    """Words and formulas in a line; an item of a list if it is one."""

    parts: tuple[str | Formula, ...]
    item: bool = False


@dataclass(frozen=True)
class Display:
    """Equations, one per line: what is left of the first sign, and the rest."""

    formulas: tuple[Formula, ...]


@dataclass(frozen=True)
class Grid:
    """A matrix, after what it equals."""

    name: Formula
    rows: tuple[tuple[Expression, ...], ...]


Part = Heading | Paragraph | Display | Grid | Sheet


@dataclass(frozen=True, eq=False)
class Derivation:
    """How an arm is solved, step by step; printed, it is text, and a notebook shows it as formulas.

    Attributes
    ----------
    title
        The robot and its frame.
    parts
        Headings, text, equations and tables, in order.
    program
        A Program with the robot's coordinates and symbols.
    letters
        Names of entries of the goal, and how LaTeX spells them.
    """

    title: str
    parts: tuple[Part, ...]
    program: Program
    letters: Mapping[str, str]

    def text(self, width: int = 100) -> str:
        """Return the derivation as text with Greek letters and subscripts, in lines of at most ``width``."""
        lines = [self.title, "=" * len(self.title), ""]
        spell = self._unicode
        for part in self.parts:
            match part:
                case Heading(text):
                    lines += ["", text, "-" * len(text), ""]
                case Paragraph(parts, item):
                    words = "".join(
                        x if isinstance(x, str) else _glued(_formula(x, spell, Transform.text)) for x in parts
                    )
                    start = "- " * item
                    wrapped = textwrap.wrap(words, width, initial_indent=start, subsequent_indent=" " * len(start))
                    lines += [*(line.replace(_GLUE, " ") for line in wrapped), *[""] * (not item)]
                case Display(formulas):
                    for formula in formulas:
                        left, right = _halves(formula, spell, Transform.text)
                        lines += [f"    {line}" for line in unicode.equation(left, right, width - 4)]
                    lines.append("")
                case Grid(name, rows):
                    cells = [[spell(x) for x in row] for row in rows]
                    lines += [*unicode.matrix(_formula(name, spell, Transform.text), cells), ""]
                case Sheet():
                    lines += [*in_text(part), ""]
        return re.sub(r"\n{3,}", "\n\n", "\n".join([*lines, *self._remark])).rstrip()

    def latex(self) -> str:
        """Return a LaTeX document."""
        lines = [*PREAMBLE, rf"\section*{{{_words(self.title)}}}"]
        for part in self.parts:
            match part:
                case Heading(text):
                    lines.append(rf"\subsection*{{{_words(text)}}}")
                case Paragraph(parts, item):
                    words = "".join(_words(x) if isinstance(x, str) else f"${self._tex(x)}$" for x in parts)
                    lines += [r"\begin{itemize}", rf"\item {words}", r"\end{itemize}"] if item else [words, ""]
                case Display(formulas):
                    rows = " \\\\\n".join(self._row(x) for x in formulas)
                    lines = lines[:-1] if not lines[-1] else lines  # no paragraph ends before a formula
                    lines += [r"\begin{align*}", rows, r"\end{align*}"]
                case Grid():
                    lines += [r"\begin{equation*}", self._grid(part), r"\end{equation*}"]
                case Sheet():
                    lines += table(_whole(part), self._latex, self.program)
        text = "\n".join([*lines, *map(escaped, self._remark), r"\end{document}", ""])
        return text.replace("\\end{itemize}\n\\begin{itemize}\n", "")

    def markdown(self) -> str:
        """Return the same as Markdown, with formulas in LaTeX between dollar signs."""
        lines = [f"# {unmarked(self.title)}", ""]
        for part in self.parts:
            match part:
                case Heading(text):
                    lines += ["", f"## {unmarked(text)}", ""]
                case Paragraph(parts, item):
                    words = "".join(unmarked(x) if isinstance(x, str) else f"${self._tex(x)}$" for x in parts)
                    lines += ["- " * item + words, *[""] * (not item)]
                case Display(formulas):
                    rows = " \\\\\n".join(self._row(x) for x in formulas)
                    lines += ["", "$$", r"\begin{aligned}", rows, r"\end{aligned}", "$$", ""]
                case Grid():
                    lines += ["", "$$", self._grid(part), "$$", ""]
                case Sheet():
                    head, *body = _whole(part).rows
                    cells = [head, ["---"] * len(head), *body]
                    lines += [f"**{unmarked(part.title)}**", "", *(f"| {' | '.join(row)} |" for row in cells), ""]
        return re.sub(r"\n{3,}", "\n\n", "\n".join([*lines, *self._remark]))

    def save(self, path: str | Path) -> Path:
        """Write the derivation to a file, whose ending says how: .tex, .md or .txt."""
        path = as_path(path)
        kinds = {".tex": self.latex, ".md": self.markdown, ".txt": self.text}
        if path.suffix.lower() not in kinds:
            raise TargetError(f"{path}: derivations are written to files that end in {', '.join(kinds)}")
        return write_text(path, kinds[path.suffix.lower()]().rstrip() + "\n")

    def __str__(self) -> str:
        return self.text()

    def _repr_latex_(self) -> str:
        rows = [self._row(x) for part in self.parts if isinstance(part, Display) for x in part.formulas]
        joined = " \\\\\n".join(rows)
        return f"$$\n\\begin{{aligned}}\n{joined}\n\\end{{aligned}}\n$$"

    def _repr_markdown_(self) -> str:
        return self.markdown()

    @property
    def _remark(self) -> list[str]:
        return [ROUNDED, ""] if any(map(_is_rounded, self.parts)) else []

    @property
    def _unicode(self) -> Callable[[Expression], str]:
        language = unicode.with_numbers(number)
        return lambda x: language.text(shown(x))

    @property
    def _latex(self) -> Language:
        plain = latex.language_of(self.program.parameters)
        return replace(
            plain,
            number=lambda x: latex.number(float(number(x))),
            variable=lambda name: self.letters.get(name) or plain.variable(name),
        )

    def _tex(self, formula: Formula) -> str:
        language = self._latex
        return _signs(_formula(formula, lambda x: language.text(shown(x)), Transform.latex))

    def _row(self, formula: Formula) -> str:
        language = self._latex
        left, right = _halves(formula, lambda x: language.text(shown(x)), Transform.latex)
        return _signs(latex.equation(left, right))

    def _grid(self, part: Grid) -> str:
        language = self._latex
        rows = " \\\\\n".join(" & ".join(language.text(shown(x)) for x in row) for row in part.rows)
        return f"{self._tex(part.name)} = \\begin{{bmatrix}}\n{rows}\n\\end{{bmatrix}}"


_GLUE = "\N{NO-BREAK SPACE}"


def _glued(text: str) -> str:
    """Return a formula that is not broken, if it is short."""
    return text.replace(" ", _GLUE) if len(text) < 40 else text


def _formula(formula: Formula, spell: Callable[[Expression], str], pose: Callable[[Transform], str]) -> str:
    """Return a formula on one line; poses one after another are a product."""
    return " ".join(x if isinstance(x, str) else pose(x) if isinstance(x, Transform) else spell(x) for x in formula)


def _halves(formula: Formula, spell: Callable[[Expression], str], pose: Callable[[Transform], str]) -> tuple[str, str]:
    """Return what is left and what is right of the first = sign."""
    at = formula.index("=")
    return _formula(formula[:at], spell, pose), _formula(formula[at + 1 :], spell, pose)


def _whole(sheet: Sheet) -> Table:
    return Table(sheet.title, tuple(sheet.numbered))


def _signs(text: str) -> str:
    for sign, spelling in _SIGNS.items():
        text = text.replace(sign, f"{spelling} ")
    return text


def _words(text: str) -> str:
    """Return words for LaTeX: special characters escaped, mathematical signs as such."""
    parts = re.split(f"([{''.join(_SIGNS)}])", text)
    return "".join(f"${_SIGNS[x]}$" if x in _SIGNS else escaped(x) for x in parts)


def _is_rounded(part: Part) -> bool:
    formulas: Sequence[Formula] = ()
    match part:
        case Paragraph(parts, _):
            formulas = [x for x in parts if not isinstance(x, str)]
        case Display(several):
            formulas = several
        case Grid(_, rows):
            formulas = [tuple(row) for row in rows]
    return any(rounded(shown(x)) for one in formulas for x in one if not isinstance(x, str | Transform))
