"""Equations: a Program to read, in closed form or in steps, as LaTeX, Markdown or text."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from ..errors import ProgramError, TargetError
from ..files import as_path, write_text
from ..program.program import PARAMETERS, Program
from ..targets import latex
from ..targets.comments import head
from ..targets.expression import Variable
from ..targets.language import Language
from ..targets.latex_document import cells, document, explained, sentence
from ..targets.statements import Listing, listing
from ..targets.tables import Table, meanings, of_steps, parts, ranges
from . import unicode
from .blocks import Entries, Matrix, blocks, wave_texts
from .closed import SHORT, Closed, closed
from .polynomial import TooLong
from .shown import number, over, rounded, shown

STYLES = ("auto", "closed", "steps")
_BELOW = str.maketrans("ijkn", "ᵢⱼₖₙ", ",")
ROUNDED = "Numbers are rounded to six digits; generated code has all of them."


@dataclass(frozen=True)
class Equations:
    """The equations of a Program; printed, they are text, and a notebook shows them as formulas.

    Attributes
    ----------
    program
        The Program that they compute.
    form
        Its closed form; None if the equations are steps.
    """

    program: Program
    form: Closed | None

    @property
    def style(self) -> str:
        """Closed forms are "closed", the others "steps"."""
        return "closed" if self.form else "steps"

    def latex(self) -> str:
        """Return a LaTeX document with the robot's tables, the meaning of each symbol, and the equations."""
        if not self.form:
            return latex.render(self._steps(latex.LANGUAGE))
        language = self._latex
        waves = [
            (f"${language.text(Variable(x))}$", f"${text}$") for x, text in wave_texts(self.form, language).items()
        ]
        lines = [*self._displays(), *([ROUNDED] if self._rounded else [])]
        symbols = {name: name for name in self.program.parameters}
        comments = head(self._steps(latex.LANGUAGE), language)
        return document(self.program, self.program.name, lines, language, symbols, comments, waves)

    def markdown(self) -> str:
        """Return the same as Markdown, with formulas in LaTeX between dollar signs."""
        lines = [f"# {unmarked(self.program.name)}", ""]
        for part in parts(self.program):
            lines += [*self._markdown_table(part), ""] if isinstance(part, Table) else [self._sentence(part), ""]
        lines += ["## Symbols", ""]
        language = self._latex
        for name, array in {**self.program.results, **self.program.arguments}.items():
            if name != PARAMETERS and array.nodes:
                lines.append(f"- ${latex.array_letters(name)}$: {unmarked(array.meaning)}")
        if self.form:
            texts = wave_texts(self.form, language)
            lines += [f"- ${language.text(Variable(x))} = {text}$" for x, text in texts.items()]
        else:
            lines += [f"- ${name}$: {meaning}" for name, meaning in latex.steps(self._steps(latex.LANGUAGE))]
        for names, meaning in meanings(self.program):
            spelled = [r"\ldots" if x == "..." else latex.symbol(x) for x in ranges(names)]
            lines.append(f"- ${', '.join(spelled)}$: {meaning}")
        lines += ["", "## Equations", ""]
        lines += [f"$$\n{display}\n$$\n" for display in self._formulas()]
        return "\n".join([*lines, *([ROUNDED, ""] if self._rounded else [])])

    def text(self, width: int = 100) -> str:
        """Return the equations as text with Greek letters, dots and subscripts, in lines of at most ``width``."""
        if not self.form:
            return "\n".join(self._text_of_steps(width))
        language = unicode.with_numbers(number)
        lines: list[str] = []
        for block in blocks(self.form, language, unicode.letters, unicode.width, width - 8):
            lines += _text(block, width)
            lines.append("")
        waves = [f"{language.text(Variable(x))} = {text}" for x, text in wave_texts(self.form, language).items()]
        lines += [*_listed("where", waves, width), ""] if waves else []
        return "\n".join([*lines, *([ROUNDED, ""] if self._rounded else [])]).rstrip()

    def save(self, path: str | Path) -> Path:
        """Write the equations to a file, whose ending says how: .tex, .md or .txt."""
        path = as_path(path)
        kinds = {".tex": self.latex, ".md": self.markdown, ".txt": self.text}
        if path.suffix.lower() not in kinds:
            raise TargetError(f"{path}: equations are written to files that end in {', '.join(kinds)}")
        return write_text(path, kinds[path.suffix.lower()]().rstrip() + "\n")

    def __str__(self) -> str:
        return self.text()

    def _repr_latex_(self) -> str:
        rows = self._formulas()
        if self.form:
            texts = wave_texts(self.form, self._latex)
            rows += [r",\quad ".join(f"{self._latex.text(Variable(x))} = {text}" for x, text in texts.items())] * bool(
                texts
            )
        joined = " \\\\[1ex]\n".join(rows)
        return f"$$\n\\begin{{gathered}}\n{joined}\n\\end{{gathered}}\n$$"

    @cached_property
    def _rounded(self) -> bool:
        return self.form is not None and any(
            rounded(shown(x)) for entries in self.form.outputs.values() for x in entries
        )

    @cached_property
    def _latex(self) -> Language:
        language = latex.language_of(self.program.parameters)
        return replace(language, number=lambda x: latex.number(float(number(x)))) if self.form else language

    def _steps(self, language: Language) -> Listing:
        return listing(self.program, language, None)

    def _formulas(self) -> list[str]:
        """Return the displays of LaTeX, each a matrix or a block of aligned equations."""
        if self.form:
            return [_formula(block) for block in self._blocks()]
        made = self._steps(latex.LANGUAGE)
        rows = latex.equations(made, [*made.setup, *made.body, *made.results])
        return [_aligned(rows[k : k + latex.ROWS]) for k in range(0, len(rows), latex.ROWS)]

    def _blocks(self) -> list[Matrix | Entries]:
        assert self.form
        return [*blocks(self.form, self._latex, latex.array_letters, latex.seen, latex.WIDEST)]

    def _displays(self) -> list[str]:
        """Return the equations as lines of a LaTeX document."""
        lines = []
        for block in self._blocks():
            if isinstance(block, Matrix):
                lines += [r"\begin{equation*}", _formula(block), r"\end{equation*}"]
            else:
                rows = [latex.equation(name, text) for name, text in block.equations]
                lines += [r"\begin{align*}", " \\\\\n".join(rows), r"\end{align*}"] if rows else []
                lines += [latex.LANGUAGE.clear.format(latex.array_letters(block.name))] if block.rest else []
        return lines

    def _markdown_table(self, table: Table) -> list[str]:
        first, *rows = cells(table, self._latex, self.program, unmarked)
        lines = [f"**{unmarked(table.title)}**", "", _row(first), _row(["---"] * len(first)), *map(_row, rows)]
        return [*lines, *(x for text in explained(table) for x in ("", text))]

    def _sentence(self, part: str) -> str:
        made = sentence(part, self._latex)
        return made.replace(r"\displaystyle ", "") if "$" in made and "$" not in part else unmarked(part)

    def _text_of_steps(self, width: int) -> list[str]:
        made = self._steps(unicode.LANGUAGE)
        lines: list[str] = []
        for title, statements in (("Set-up", made.setup), ("Evaluation", made.body), ("Results", made.results)):
            lines += [f"{title}:"] if statements else []
            for x in statements:
                lines += unicode.equation(unicode.LANGUAGE.text(x.target), unicode.LANGUAGE.text(over(x.value)), width)
        if made.loop:
            lines.insert(
                0, f"Repeated until {unicode.LANGUAGE.text(made.loop.until)} is 1, at most {made.loop.bound} times."
            )
        lines += [unicode.LANGUAGE.clear.format(unicode.letters(x.name)) for x in made.cleared]
        names = of_steps(x for x in made.variables if x not in {*made.symbols.values()})
        meant = [f"{name}{below.translate(_BELOW)}: {meaning}" for name, below, meaning in names]
        return [
            *lines,
            *[""] * bool(meant),
            *(x for y in meant for x in textwrap.wrap(y, width, subsequent_indent="  ")),
        ]


def equations(program: Program, style: str = "auto") -> Equations:
    """Return what ``Program.equations`` promises."""
    if style not in STYLES:
        raise ProgramError(f"unknown style {style!r}; choose among {', '.join(map(repr, STYLES))}")
    if style == "closed":
        return Equations(program, closed(program))
    if style == "auto":
        try:
            form = closed(program, SHORT)
        except TooLong:
            return Equations(program, None)
        return Equations(program, form if form.readable else None)
    return Equations(program, None)


def _listed(word: str, items: list[str], width: int) -> list[str]:
    """Return a word and what it lists, over several lines that end after commas."""
    lines = [word]
    for k, item in enumerate(items, 1):
        item += "," * (k < len(items))
        if unicode.width(lines[-1]) + 1 + unicode.width(item) > width:
            lines.append(" ")
        lines[-1] += f" {item}"
    return lines


def _text(block: Matrix | Entries, width: int) -> list[str]:
    if isinstance(block, Matrix):
        return unicode.matrix(block.name, block.rows)
    lines = [line for name, text in block.equations for line in unicode.equation(name, text, width)]
    return [*lines, *([unicode.LANGUAGE.clear.format(unicode.letters(block.name))] if block.rest else [])]


def _formula(block: Matrix | Entries) -> str:
    if isinstance(block, Matrix):
        rows = " \\\\\n".join(" & ".join(row) for row in block.rows)
        return f"{block.name} = \\begin{{bmatrix}}\n{rows}\n\\end{{bmatrix}}"
    entries = [latex.equation(name, text) for name, text in block.equations]
    rest = rf"&\text{{{latex.LANGUAGE.clear.format(latex.array_letters(block.name))}}}"
    return _aligned([*entries, rest] if block.rest else entries)


def _aligned(rows: list[str]) -> str:
    joined = " \\\\\n".join(rows)
    return f"\\begin{{aligned}}\n{joined}\n\\end{{aligned}}"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def unmarked(text: str) -> str:
    """Return a text in which Markdown finds nothing to do."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|$~" else " " if c < " " else c for c in text)
