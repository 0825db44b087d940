"""A strict reader of the LaTeX that we write: it knows the notation and not the printer, and computes as it reads."""

import math
import re

from tauforge.graph.operations import LIBRARY

_TOKEN = re.compile(r"\\(?:[A-Za-z]+|[,_])|\d+(?:\.\d+)?|[A-Za-z{}_^()+,-]")
_GREEK = re.compile(
    r"\\(alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|upsilon|phi|chi|psi|omega"
    r"|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega)"
)
_TITLE = re.compile(r"\\(sub)?section\*\{([^\\{}$&#^_%~]|\\[_&%$#{}])*\}")
_REST = re.compile(r"Entries of \$(\\?\w+|\\mathit\{\w+\})\$ that are not listed are zero\.")
_FUNCTIONS = {"\\sin": math.sin, "\\cos": math.cos, "\\arcsin": math.asin, "\\arccos": math.acos}
_OPERATORS = {**{name: getattr(math, name) for name in LIBRARY}, "sgn": lambda x: float((x > 0) - (x < 0))}


def cleared(document: str) -> set[str]:
    """Return the arrays whose entries are zero where the document does not define them."""
    return {found[1] for line in document.split("\n") if (found := _REST.fullmatch(line))}


class Unreadable(ValueError):
    """The text is not what the notation allows."""


def compute(document: str, values: dict[str, float]) -> dict[str, float]:
    """Return the value of every symbol that the document defines; ``values`` are those of its inputs."""
    known = dict(values)
    for row in _equations(document):
        left, right = row.split(" &= ")
        target = _Reader(left, {}).whole_symbol()
        if target in known:
            raise Unreadable(f"{target} has two values")
        known[target] = _Reader(right, known).whole_sum()
    return known


def _equations(document: str) -> list[str]:
    """Return the equations, each on one line."""
    lines = [line for line in document.split("\n") if line and not line.startswith("%")]
    if lines[0] != r"\documentclass[a4paper]{article}" or lines[-1] != r"\end{document}":
        raise Unreadable("no document")
    body = "\n".join(lines[lines.index(r"\section*{Equations}") + 1 : -1])  # after the tables and meanings
    rows: list[str] = []
    for part in re.split(r"(\\begin\{align\*\}.*?\\end\{align\*\})", body, flags=re.DOTALL):
        inside = re.fullmatch(r"\\begin\{align\*\}\n(.*)\n\\end\{align\*\}", part, flags=re.DOTALL)
        if not inside:
            if not all(_TITLE.fullmatch(line) or _REST.fullmatch(line) for line in part.split("\n") if line):
                raise Unreadable(part)
            continue
        for row in inside[1].split(" \\\\\n"):
            if row.startswith(r"&\quad {} "):
                rows[-1] += row.removeprefix(r"&\quad {}")
            else:
                rows.append(row)
    return rows


class _Reader:
    def __init__(self, text: str, known: dict[str, float]) -> None:
        self.text, self.known, self.next = text, known, 0
        if re.sub(r"\s", "", _TOKEN.sub("", text)):
            raise Unreadable(f"unknown characters in {text}")
        self.tokens = [*_TOKEN.findall(text), "end"]

    def fail(self) -> None:
        raise Unreadable(f"unexpected {self.tokens[self.next]} after {self.tokens[: self.next]}")

    def take(self, *wanted: str) -> str:
        token = self.tokens[self.next]
        if token in wanted:
            self.next += 1
            return token
        return ""

    def expect(self, *wanted: str) -> str:
        return self.take(*wanted) or self.fail()  # type: ignore[func-returns-value]

    def whole_symbol(self) -> str:
        name = self.symbol()
        self.expect("end")
        return name

    def whole_sum(self) -> float:
        value = self.sum()
        self.expect("end")
        return value

    def sum(self) -> float:
        value = -self.product() if self.take("-") else self.product()
        while sign := self.take("+", "-"):
            value = value + self.product() if sign == "+" else value - self.product()
        return value

    def product(self) -> float:
        value = self.atom()
        while self.take("\\,", "\\times"):
            value *= self.atom()
        return value

    def atom(self) -> float:
        token = self.tokens[self.next]
        if token[0].isdigit():
            return self.number()
        if self.take("("):
            value = self.sum()
            self.expect(")")
            return value
        if self.take("\\frac"):
            return self.braced() / self.braced()
        if self.take("\\sqrt"):
            return math.sqrt(self.braced())
        if self.take("\\lvert"):
            value = abs(self.sum())
            self.expect("\\rvert")
            return value
        if self.take(*_FUNCTIONS):
            return _FUNCTIONS[token](*self.arguments())
        if self.take("\\operatorname"):
            return _OPERATORS[self.word()](*self.arguments())
        name = self.symbol()
        if name not in self.known:
            raise Unreadable(f"{name} has no value in {self.text}")
        value = self.known[name]
        if self.take("^"):
            self.expect("{")
            self.expect("2")
            self.expect("}")
            value *= value
        return value

    def number(self) -> float:
        digits = self.tokens[self.next]
        self.next += 1
        if not self.take("\\cdot"):
            return float(digits)
        for token in ("10", "^", "{"):
            self.expect(token)
        sign, exponent = self.take("-"), self.tokens[self.next]
        self.next += 1
        self.expect("}")
        return float(f"{digits}e{sign}{int(exponent)}")

    def braced(self) -> float:
        self.expect("{")
        value = self.sum()
        self.expect("}")
        return value

    def arguments(self) -> list[float]:
        self.expect("(")
        values = [self.sum()]
        while self.take(","):
            values.append(self.sum())
        self.expect(")")
        return values

    def word(self) -> str:
        """Read letters, digits, commas and underscores in braces."""
        self.expect("{")
        text = ""
        while not self.take("}"):
            token = self.tokens[self.next]
            if not re.fullmatch(r"[A-Za-z,]|\d+(\.\d+)?|\\_", token):
                self.fail()
            text += token
            self.next += 1
        return text

    def symbol(self) -> str:
        """Read a letter, a word or a dotted letter, with a subscript if there is one."""
        token = self.tokens[self.next]
        self.next += 1
        if token in ("\\mathit", "\\dot", "\\ddot"):
            name = f"{token}{{{self.word()}}}"
        elif (len(token) == 1 and token.isalpha()) or _GREEK.fullmatch(token):
            name = token
        else:
            self.next -= 1
            self.fail()
        return f"{name}_{{{self.word()}}}" if self.take("_") else name
