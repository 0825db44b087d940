"""The table of spellings of a target, and the only printer of expressions, which reads it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..errors import TargetError
from ..graph.operations import LIBRARY
from .expression import Call, Element, Expression, List, Number, Product, Quotient, Sum, Variable

WIDTH = 100
"""Columns of generated code."""
LONGEST_NAME = 63
"""Characters of a name: Fortran's and MATLAB's limit, and C's guarantee."""

SUM, PRODUCT, ATOM = 1, 2, 3  # how tightly a text binds
_BREAKS = re.compile(r"(?<= )(?=[+-] )|(?<=, )"), re.compile(r"(?<=[^*]\*)(?=[^*])")
"""Where a line can end: before + and -, and after commas; in a term that is too long by itself, after multiplication
signs.
"""
_AFTER = re.compile(r"(?<= [+-] )|(?<=, )")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Language:
    """The spellings of one language.

    Attributes
    ----------
    functions
        The graph's operation -> its spelling, with {0} and {1} for the arguments.
    number
        Spells a constant.
    element
        Spells an array's element.
    variable
        Spells a local variable.
    reserved
        Words that cannot be names of variables; ``ignores_case`` is true if D3 and d3 are the same name.
    functions_reserved
        Words that cannot be names of functions besides.
    library
        The files in ``reserved/`` with more of both, as the language's own tools tell them.
    package
        Returns what else a function's name names, such as a package; it may not be a reserved word either.
    beside
        Names that each array takes besides its own, with {0} for it.
    flat_arrays
        Whether an array has one index, row by row, whatever its rank.
    scalar_arrays
        Whether an array's elements are spelled as scalars, such as q₁, so that q1 is not a free name either.
    numbers
        What multiplies numbers, if ``times`` would run them together.
    square
        Template; ``power`` is how tightly it binds.
    quotient
        Template, then how tightly top and bottom must bind, then how tightly it binds.
    frame
        Opening and closing line of a block of comments; ``line`` and ``remark`` spell a line in it and one alone.
    escape
        Makes a line harmless inside a comment.
    define
        Statement that gives a new variable its value.
    assign
        Statement that gives an output its value.
    clear
        Statement that sets an output to zero as a whole, with {0} for its name and {1} for its size; empty if outputs
        are zero to begin with.
    continued
        The end of a line that is continued; ``brackets`` surround an expression of several lines. Lines end before
        + and -, or after them if ``signs_end_lines``.
    lists
        What surrounds a list.
    opening
        Lines before the statements that a Program repeats, with the names of ``Loop`` in braces; ``until`` is spelled
        as an element.
    closing
        Lines after them.
    either
        Template of a value, {1}, that is undefined unless a flag, {0}, is 1; for languages without a largest number,
        so that infinity times zero is zero there. Empty in all others.
    lost
        Lines before, for and after each element that has no number if the Program is not done in the end.
    """

    functions: Mapping[str, str]
    number: Callable[[float], str]
    element: Callable[[Element], str]
    reserved: frozenset[str]
    line: str
    functions_reserved: frozenset[str] = frozenset()
    library: str = ""
    package: Callable[[str], str] = str
    beside: tuple[str, ...] = ()
    variable: Callable[[str], str] = str
    ignores_case: bool = False
    flat_arrays: bool = False
    scalar_arrays: bool = False
    times: str = "*"
    numbers: str = ""
    square: str = "{0}*{0}"
    power: int = PRODUCT
    quotient: tuple[str, int, int, int] = ("{0}/{1}", PRODUCT, ATOM, PRODUCT)
    frame: tuple[str, ...] = ()
    remark: str = ""
    escape: Callable[[str], str] = str
    define: str = "{0} = {1}"
    assign: str = "{0} = {1}"
    clear: str = ""
    continued: str = ""
    signs_end_lines: bool = False
    brackets: tuple[str, str] = ("", "")
    lists: tuple[str, str] = ("[", "]")
    opening: tuple[str, ...] = ()
    closing: tuple[str, ...] = ()
    lost: tuple[str, str, str] = ("", "", "")
    either: str = ""

    def text(self, x: Expression) -> str:
        """Spell an expression."""
        return self._write(x)[0]

    def statement(self, template: str, name: str, x: Expression, indent: str) -> list[str]:
        """Spell an assignment, over several lines if it is long."""
        text = self.text(x)
        whole = indent + template.format(name, text)
        if len(whole) <= WIDTH:
            return [whole]
        return self.folded(template.format(name, text.join(self.brackets)), indent)

    def folded(self, text: str, indent: str) -> list[str]:
        """Break a long text into lines."""
        lines, line = [], indent
        limit = WIDTH - len(self.continued)
        terms, factors = _BREAKS
        terms = _AFTER if self.signs_end_lines else terms
        room = limit - len(indent) - 4
        for piece in (
            part for term in terms.split(text) for part in ([term] if len(term) < room else factors.split(term))
        ):
            if len(line) + len(piece.rstrip()) > limit and line.strip():
                lines.append(line.rstrip() + self.continued)
                line = indent + "    "
            line += piece
        return [*lines, line.rstrip()]

    def comment(self, lines: list[str]) -> list[str]:
        """Spell lines as a block of comments."""
        inside = [self.line.format(self.escape(line)).rstrip() for line in lines]
        return [self.frame[0], *inside, self.frame[1]] if self.frame else inside

    def _write(self, x: Expression) -> tuple[str, int]:
        match x:
            case Variable(name):
                return self.variable(name), ATOM
            case Element():
                return self.element(x), ATOM
            case Number(value):
                return self.number(value), ATOM
            case Sum(terms):
                return self._sum(terms), SUM
            case Product(factors):
                squared = len(factors) == 2 and factors[0] == factors[1]
                return self._product(factors), self.power if squared else PRODUCT
            case Quotient(top, bottom):
                template, above, below, binding = self.quotient
                return template.format(self._bound(top, above), self._bound(bottom, below)), binding
            case List(items):
                return ", ".join(map(self.text, items)).join(self.lists), ATOM
            case Call("either", arguments):
                return self.either.format(*map(self.text, arguments)), ATOM
            case Call(function, arguments):
                return self.functions[function].format(*map(self.text, arguments)), ATOM

    def _bound(self, x: Expression, at_least: int) -> str:
        text, binding = self._write(x)
        return text if binding >= at_least else f"({text})"

    def _sum(self, terms: tuple[tuple[bool, Expression], ...]) -> str:
        text = ""
        for negative, term in terms:
            sign = (" - " if negative else " + ") if text else "-" * negative
            text += sign + self._bound(term, PRODUCT)
        return text

    def _product(self, factors: tuple[Expression, ...]) -> str:
        pieces: list[str] = []
        rest = list(factors)
        while rest:
            factor = rest.pop(0)
            if rest and rest[0] == factor:
                rest.pop(0)
                pieces.append(self.square.format(self._bound(factor, ATOM)))
            else:  # a/b*c is (a/b)*c, but c*a/b would not be c*(a/b)
                pieces.append(self._bound(factor, ATOM if pieces else PRODUCT))
        text = pieces[0]
        for piece in pieces[1:]:
            text += (self.numbers if self.numbers and piece[0].isdigit() else self.times) + piece
        return text


def calls(spelling: str = "{0}") -> dict[str, str]:
    """Return the spellings of the C library's functions in a language that has all of them by name."""
    arguments = ("()", "({0})", "({0}, {1})")
    return {name: spelling.format(name) + arguments[count] for name, count in LIBRARY.items()}


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


@cache
def library(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that a language's tools tell: those of nothing, and those of no function besides."""
    names, functions = "", ""
    for file in name.split():
        text = (Path(__file__).parent / "reserved" / f"{file}.txt").read_text(encoding="ascii")
        first, second = text.removeprefix("[names]").split("[functions]")
        names, functions = f"{names} {first}", f"{functions} {second}"
    return words(names), words(functions)


class Names:
    """Hands out names, each legal in a language, and no two alike."""

    def __init__(self, language: Language) -> None:
        self._language = language
        names, functions = library(language.library)
        self._taken = set(map(self._folded, names | language.reserved))
        self._functions = set(map(self._folded, functions | language.functions_reserved))

    def is_free(self, name: str) -> bool:
        return self._folded(name) not in self._taken

    def take(self, *wanted: str, function: bool = False) -> tuple[str, ...]:
        """Return the wanted names, all with the same ending if one of them is not free."""
        legal = [_legal(name) for name in wanted]
        ending, attempt = "", 1
        while not all(self.is_free(name + ending) for name in legal) or (
            function and any(self._names_no_function(name + ending) for name in legal)
        ):
            ending, attempt = ("_" if attempt == 1 else f"_{attempt}"), attempt + 1
        names = tuple(name + ending for name in legal)
        self._taken.update(map(self._folded, names))
        return names

    def function(self, name: str) -> str:
        """Take a function's name that the caller insists on."""
        if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
            raise TargetError(
                f"{name!r} cannot be a function's name; give name= at most {LONGEST_NAME} letters, digits or _"
            )
        if not self.is_free(name) or self._names_no_function(name):
            raise TargetError(
                f"{name!r} cannot be a function's name: the language, its library or an argument uses it; choose "
                "another with name="
            )
        return self.take(name)[0]

    def _names_no_function(self, name: str) -> bool:
        return not self._functions.isdisjoint((self._folded(name), self._folded(self._language.package(name))))

    def _folded(self, name: str) -> str:
        return name.lower() if self._language.ignores_case else name


def _legal(name: str) -> str:
    name = re.sub(r"[^A-Za-z0-9_]", "_", name)[: LONGEST_NAME - 7]
    return name if _NAME.fullmatch(name) else f"p{name}"
