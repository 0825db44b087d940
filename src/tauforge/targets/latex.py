"""LaTeX: a document with one equation per statement, in the papers' letters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from ..graph import operations as graph
from .comments import head
from .expression import Element
from .language import ATOM, SUM, Language, calls, words
from .latex_document import document, escaped
from .statements import Listing, Loop, Statement
from .tables import of_steps

WIDEST = 75
"""Number of visible characters in a line of an equation."""
ROWS = 40
"""Number of equations in one display: TeX sets a whole display at once."""

GREEK = words("""
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi
    omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
""")
_COMPONENTS = dict.fromkeys(("W", "WI", "WP", "V", "VP", "F", "E", "N", "No"), 1) | dict.fromkeys(("U", "DV"), 2)
"""Digits before the link's number in the papers' names: WI12 is component 1 of link 2, U123 is 1, 2 of link 3."""


def letters(word: str) -> str:
    if word in GREEK:
        return f"\\{word}"
    return word if len(word) == 1 else rf"\mathit{{{_underscored(word)}}}"


def _underscored(text: str) -> str:
    return text.replace("_", r"\_")


def symbol(name: str) -> str:
    """Spell a name: letters, then a subscript. Two names never look alike."""
    match = re.fullmatch(r"([A-Za-z]+)(?:_(?=[A-Za-z]))?(.*)", name)
    if not match:
        return rf"\mathtt{{{escaped(name)}}}"
    below = _underscored(match[2])
    return letters(match[1]) + (f"_{{{below}}}" if below else "")


def _variable(name: str) -> str:
    """Spell one of the papers' names with its indices separated, any other as a symbol."""
    match = re.fullmatch(r"([A-Za-z]+)(\d+)(_\d*)?", name)
    count = _COMPONENTS.get(match[1], 0) if match else 0
    if not match or not count or len(match[2]) <= count:
        return symbol(name)
    ending = _underscored(match[3] or "")
    return f"{letters(match[1])}_{{{','.join([*match[2][:count], match[2][count:]])}{ending}}}"


DOTS = {"qd": r"\dot{q}", "qdd": r"\ddot{q}"}


def array_letters(name: str) -> str:
    """Spell the name of an array."""
    return DOTS.get(name) or letters(name)


def _element(x: Element) -> str:
    below = f"_{{{','.join(str(i + 1) for i in x.index)}}}" if x.index else ""
    return array_letters(x.array) + below


def number(value: float) -> str:
    """Spell a number, powers of ten as such."""
    digits, _, exponent = repr(value).removesuffix(".0").partition("e")
    return rf"{digits}\cdot 10^{{{int(exponent)}}}" if exponent else digits


LANGUAGE = Language(
    functions={
        **calls(r"\operatorname{{{{{0}}}}}"),
        graph.SIN: r"\sin({0})",
        graph.COS: r"\cos({0})",
        graph.ASIN: r"\arcsin({0})",
        graph.ACOS: r"\arccos({0})",
        graph.SQRT: r"\sqrt{{{0}}}",
        graph.ABS: r"\lvert {0}\rvert",
        graph.SIGN: r"\operatorname{{sgn}}({0})",
    },
    number=number,
    element=_element,
    variable=_variable,
    reserved=frozenset(),
    scalar_arrays=True,
    line="% {0}",
    times=r"\,",
    numbers=r" \times ",
    square="{0}^{{2}}",
    quotient=(r"\frac{{{0}}}{{{1}}}", SUM, SUM, ATOM),
    clear="Entries of ${0}$ that are not listed are zero.",
)


def render(listing: Listing) -> str:
    lines: list[str] = []
    for title, statements in (("Set-up", listing.setup), ("Evaluation", listing.body), ("Results", listing.results)):
        first = [LANGUAGE.clear.format(letters(x.name)) for x in listing.cleared if title == "Results"]
        if statements or first:
            lines.append(rf"\subsection*{{{title}}}")
        lines += first
        if title == "Evaluation" and listing.loop:
            lines.append(_repetition(listing.loop))
        rows = equations(listing, statements)
        for start in range(0, len(rows), ROWS):
            lines += [r"\begin{align*}", " \\\\\n".join(rows[start : start + ROWS]), r"\end{align*}"]
    language = language_of(listing.symbols.values())
    meant = [(f"${name}$", escaped(meaning)) for name, meaning in steps(listing)]
    return document(listing.program, listing.name, lines, language, listing.symbols, head(listing, language), meant)


def steps(listing: Listing) -> list[tuple[str, str]]:
    """Return the names of variables with letters in the place of their indices, and what they mean."""
    own = [x for x in listing.variables if x not in {*listing.symbols.values()}]
    return [(f"{letters(name)}_{{{below}}}", meaning) for name, below, meaning in of_steps(own)]


def _repetition(loop: Loop) -> str:
    """Say how a step is repeated; its equations have the input's name for the state too."""
    start, end, done = (f"${letters(x)}$" for x in (loop.argument, loop.result, loop.until.array))
    return (
        f"The equations are repeated, with {end} in the place of {start}, until {done} is 1, at most {loop.bound} "
        f"times. If {done} is 0 in the end, there is no solution."
    )


def equations(listing: Listing, statements: Iterable[Statement]) -> list[str]:
    """Return statements of a function as the rows of an ``align`` environment."""
    language = language_of(listing.symbols.values())
    return [_equation(language, statement) for statement in statements]


def language_of(symbols: Iterable[str], **changes: Any) -> Language:
    """Return LaTeX with the parameters spelled as symbols, whatever the papers mean by such a name."""
    names = {*symbols}
    return replace(LANGUAGE, variable=lambda name: symbol(name) if name in names else _variable(name), **changes)


def _equation(language: Language, statement: Statement) -> str:
    return equation(language.text(statement.target), language.text(statement.value))


def equation(name: str, text: str) -> str:
    """Return an equation as rows of an ``align`` environment, broken into lines that fit on a page."""
    lines = [f"{name} &= "]
    for piece in pieces(text, WIDEST - seen(name), seen):
        if seen(lines[-1]) + seen(piece) > WIDEST and not lines[-1].endswith("= "):
            lines.append(r"&\quad {}")
        lines[-1] += piece
    return " \\\\\n".join(line.rstrip() for line in lines)


def pieces(text: str, room: int, width: Callable[[str], int]) -> list[str]:
    """Split a text before + and -, where a line can end: outside brackets, but in a term that is too long by itself
    inside round ones too, as few of them as will do.
    """
    return [piece for term in _terms(text, 0) for piece in _fitting(term, room, width)]


def _fitting(term: str, room: int, width: Callable[[str], int]) -> list[str]:
    for level in range(term.count("(")):
        found = _terms(term, level)
        if max(map(width, found)) <= room:
            return found
    return _terms(term, term.count("("))


def _terms(text: str, level: int) -> list[str]:
    """Split a text before each + and - inside at most ``level`` round brackets, and outside all others."""
    found, round_, curly = [""], 0, 0
    for word in re.split(r"(?= [+-] )", text):
        if round_ <= level and not curly:
            found.append("")
        found[-1] += word
        round_ += word.count("(") - word.count(")")
        curly += word.count("{") - word.count("}")
    return found


def seen(text: str) -> int:
    """Return roughly how many characters a formula shows."""
    return len(re.sub(r"\\mathit|\\[,_&]|[{}_^]|\\[a-z](?=[a-z]+)", "", text))
