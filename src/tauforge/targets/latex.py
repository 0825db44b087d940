"""LaTeX: a document with one equation per statement, in the papers' letters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ..graph import operations as graph
from .comments import head, plain
from .expression import Element
from .language import ATOM, SUM, Language, calls, words
from .statements import Listing, Loop, Statement

_WIDEST = 75
"""Number of visible characters in a line of an equation."""
_ROWS = 40
"""Number of equations in one display: TeX sets a whole display at once."""

_GREEK = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi
    omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
"""
_COMPONENTS = dict.fromkeys(("W", "WI", "WP", "V", "VP", "F", "E", "N", "No"), 1) | dict.fromkeys(("U", "DV"), 2)
"""Digits before the link's number in the papers' names: WI12 is component 1 of link 2, U123 is 1, 2 of link 3."""
_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def _letters(word: str) -> str:
    if word in words(_GREEK):
        return f"\\{word}"
    return word if len(word) == 1 else rf"\mathit{{{_underscored(word)}}}"


def _underscored(text: str) -> str:
    return text.replace("_", r"\_")


def _symbol(name: str) -> str:
    """Spell a name: letters, then a subscript. Two names never look alike."""
    match = re.fullmatch(r"([A-Za-z]+)(?:_(?=[A-Za-z]))?(.*)", name)
    assert match, name
    below = _underscored(match[2])
    return _letters(match[1]) + (f"_{{{below}}}" if below else "")


def _variable(name: str) -> str:
    """Spell one of the papers' names with its indices separated, any other as a symbol."""
    match = re.fullmatch(r"([A-Z]+)(\d+)(_\d*)?", name)
    count = _COMPONENTS.get(match[1], 0) if match else 0
    if not match or not count or len(match[2]) <= count:
        return _symbol(name)
    ending = _underscored(match[3] or "")
    return f"{_letters(match[1])}_{{{','.join([*match[2][:count], match[2][count:]])}{ending}}}"


def _element(x: Element) -> str:
    dots = {"qd": r"\dot{q}", "qdd": r"\ddot{q}"}
    below = f"_{{{','.join(str(i + 1) for i in x.index)}}}" if x.index else ""
    return dots.get(x.array, _letters(x.array)) + below


def _number(value: float) -> str:
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
    number=_number,
    element=_element,
    variable=_variable,
    reserved=frozenset(),
    scalar_arrays=True,
    line="% {0}",
    times=r"\,",
    square="{0}^{{2}}",
    quotient=(r"\frac{{{0}}}{{{1}}}", SUM, SUM, ATOM),
    clear="Entries of ${0}$ that are not listed are zero.",
)


def render(listing: Listing) -> str:
    lines = [
        *head(listing, _language(listing)),
        r"\documentclass[a4paper]{article}",
        r"\usepackage{amsmath}",
        r"\usepackage[margin=2cm]{geometry}",
        r"\allowdisplaybreaks",
        r"\begin{document}",
        rf"\section*{{{_escaped(listing.name)}}}",
    ]
    for title, statements in (("Set-up", listing.setup), ("Evaluation", listing.body), ("Results", listing.results)):
        first = [LANGUAGE.clear.format(_letters(x.name)) for x in listing.cleared if title == "Results"]
        if statements or first:
            lines.append(rf"\subsection*{{{title}}}")
        lines += first
        if title == "Evaluation" and listing.loop:
            lines.append(_repetition(listing.loop))
        rows = equations(listing, statements)
        for start in range(0, len(rows), _ROWS):
            lines += [r"\begin{align*}", " \\\\\n".join(rows[start : start + _ROWS]), r"\end{align*}"]
    return "\n".join([*lines, r"\end{document}", ""])


def _repetition(loop: Loop) -> str:
    """Say how a step is repeated; its equations have the input's name for the state too."""
    start, end, done = (f"${_letters(x)}$" for x in (loop.argument, loop.result, loop.until.array))
    return (
        f"The equations are repeated, with {end} in the place of {start}, until {done} is 1, at most {loop.bound} "
        f"times. If {done} is 0 in the end, there is no solution."
    )


def equations(listing: Listing, statements: Iterable[Statement]) -> list[str]:
    """Return statements of a function as the rows of an ``align`` environment."""
    language = _language(listing)
    return [_equation(language, statement) for statement in statements]


def _language(listing: Listing) -> Language:
    """Return LaTeX with the parameters spelled as symbols, whatever the papers mean by such a name."""
    symbols = set(listing.symbols.values())
    return replace(LANGUAGE, variable=lambda name: _symbol(name) if name in symbols else _variable(name))


def _equation(language: Language, statement: Statement) -> str:
    """Spell a statement, with its sum broken into lines that fit on a page."""
    lines = [f"{language.text(statement.target)} &= "]
    for piece in _terms(language.text(statement.value)):
        if _seen(lines[-1]) + _seen(piece) > _WIDEST and not lines[-1].endswith("= "):
            lines.append(r"&\quad {}")
        lines[-1] += piece
    return " \\\\\n".join(line.rstrip() for line in lines)


def _terms(text: str) -> list[str]:
    """Split a text before each + and - outside braces, the only places where a line can end."""
    pieces, depth = [""], 0
    for word in re.split(r"(?= [+-] )", text):
        if depth == 0:
            pieces.append("")
        pieces[-1] += word
        depth += word.count("{") - word.count("}")
    return pieces


def _seen(text: str) -> int:
    """Return roughly how many characters a formula shows."""
    return len(re.sub(r"\\mathit|\\[,_&]|[{}_^]|\\[a-z](?=[a-z]+)", "", text))


def _escaped(text: str) -> str:
    """Return a text for a title, with special characters escaped."""
    return "".join(_SPECIAL.get(c, f"\\{c}" if c in "#$%&_{}" else c) for c in plain(text))
