"""Equations as text for a terminal: Greek letters, dots and subscripts, and matrices in brackets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from ..graph import operations as graph
from ..targets.expression import Element
from ..targets.language import ATOM, PRODUCT, Language, calls
from ..targets.latex import GREEK, pieces

_BELOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_DOTS = {"qd": "q̇", "qdd": "q̈"}


def letters(word: str) -> str:
    """Spell a word: Greek letters, and dots above velocities and accelerations."""
    if word in _DOTS:
        return _DOTS[word]
    if word in GREEK:
        kind = "CAPITAL" if word[0].isupper() else "SMALL"
        return unicodedata.lookup(f"GREEK {kind} LETTER {'LAMDA' if word.lower() == 'lambda' else word.upper()}")
    return word


def _variable(name: str) -> str:
    """Spell a name with its digits below: XX₂R."""
    match = re.fullmatch(r"([A-Za-z]+)(.*)", name)
    return letters(match[1]) + match[2].translate(_BELOW) if match else name


def _element(x: Element) -> str:
    several = any(i > 8 for i in x.index)
    return letters(x.array) + ("," if several else "").join(str(i + 1).translate(_BELOW) for i in x.index)


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")


LANGUAGE = Language(
    functions={
        **calls(),
        graph.SQRT: "√({0})",
        graph.ABS: "|{0}|",
        graph.SIGN: "sgn({0})",
        graph.ASIN: "arcsin({0})",
        graph.ACOS: "arccos({0})",
    },
    number=_number,
    element=_element,
    variable=_variable,
    reserved=frozenset(),
    scalar_arrays=True,
    line="{0}",
    times=" ",
    numbers=" · ",
    square="{0}²",
    power=ATOM,
    quotient=("{0}/{1}", PRODUCT, ATOM, PRODUCT),
    clear="Entries of {0} that are not listed are zero.",
)


def with_numbers(number: object) -> Language:
    """Return the language with another way to spell numbers."""
    return replace(LANGUAGE, number=number)  # type: ignore[arg-type]


def width(text: str) -> int:
    """Return how many columns a text takes: a dot above a letter takes none."""
    return sum(not unicodedata.combining(c) for c in text)


def matrix(name: str, rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a matrix in brackets, with aligned columns, after its name."""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    cells = ["  ".join(x + " " * (w - width(x)) for x, w in zip(row, widths, strict=True)) for row in rows]
    middle = (len(rows) - 1) // 2
    start = f"{name} = "
    lines = []
    for k, line in enumerate(cells):
        left, right = _brackets(k, len(rows))
        lines.append(f"{start if k == middle else ' ' * width(start)}{left} {line} {right}")
    return lines


def _brackets(row: int, rows: int) -> tuple[str, str]:
    """Return the left and the right bracket of a row."""
    if rows == 1:
        return "[", "]"
    return ("⎡", "⎤") if row == 0 else ("⎣", "⎦") if row == rows - 1 else ("⎢", "⎥")


def equation(name: str, text: str, widest: int) -> list[str]:
    """Return an equation, over several lines if it is long."""
    start = " " * (width(name) + 2)
    lines = [f"{name} = "]
    for piece in pieces(text, widest - len(start), width):
        if width(lines[-1]) + width(piece) > widest and not lines[-1].endswith(" = "):
            lines.append(start)
        lines[-1] += piece
    return [line.rstrip() for line in lines]
