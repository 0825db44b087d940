"""The syntax of .par files: text -> named lists of texts and comments, each with its line. Nothing is interpreted here.

(* a comment *)
KEY = value
KEY = {value, value,
       value}
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ...errors import RobotError, suggestion
from ...graph.node import Scalar
from ...limits import spend
from ..source import MISSING_LINE, Source

SIZES = ("NL", "NJ", "NF", "Type")
FLAGS = ("is_floating", "is_mobile")
GEOMETRIC = ("ant", "sigma", "b", "d", "r", "gamma", "alpha", "mu", "theta")
INERTIAL = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")
ACTUATOR = ("IA", "FV", "FS")
WRENCH = ("FX", "FY", "FZ", "CX", "CY", "CZ")
JOINT = ("eta", "k", "QP", "QDP", "GAM")
BASE = ("W0", "WP0", "V0", "VP0")
LISTS = (*GEOMETRIC, *INERTIAL, *ACTUATOR, *WRENCH, *JOINT, *BASE, "G", "Z")
KEYS = (*SIZES, *FLAGS, *LISTS)

_SPELLINGS = {key.lower(): key for key in KEYS} | {"p": "ant"}  # SYMORO+ writes Ant, Sigma, B, R, ...
_KEY = re.compile(r"([A-Za-z_]\w*)\s*=(?:\s*(?=\{)|[ \t]*)", re.ASCII)
_VISIBLE = re.compile(r"\S")


class Text(NamedTuple):
    """A piece of the file and the line where it starts."""

    text: str
    line: int


@dataclass(frozen=True)
class Section:
    """One ``KEY = …`` of the file."""

    line: int
    values: list[Text]
    listed: bool


@dataclass(frozen=True)
class Document:
    """The parts of a .par file."""

    source: Source
    comments: list[Text]
    sections: dict[str, Section]

    def line(self, key: str) -> int:
        """Return the line of a key."""
        return self.sections[key].line if key in self.sections else MISSING_LINE

    def scalars(self, key: str, default: list[Scalar]) -> list[Scalar]:
        """Return the values of a list, or the default if the file has no such list."""
        if key not in self.sections:
            return default
        values = enumerate(self.sections[key].values, 1)
        return [self.source.expression(x.text, x.line, self._place(key, number)) for number, x in values]

    def integers(self, key: str, default: list[int]) -> list[int]:
        """Return the values of a list of whole numbers, or of a single one."""
        found = self.scalars(key, [float(n) for n in default])
        for number, x in enumerate(found, 1):
            if not isinstance(x, float) or x != int(x):
                raise self.entry_fault(key, number, f"{x} is not a whole number")
        return [int(x) for x in found if isinstance(x, float)]

    def entry_fault(self, key: str, number: int, what: str) -> RobotError:
        """Return the error for one entry of a list, counted from 1."""
        return self.source.fault(self.sections[key].values[number - 1].line, f"{self._place(key, number)}: {what}")

    def _place(self, key: str, number: int) -> str:
        return f"{key}, entry {number}" if self.sections[key].listed else key


def read_document(source: Source) -> Document:
    """Split a .par file into its parts."""
    spend("elements", max(map(source.text.count, ("\n", "=", ",", "(*"))), source.path)
    ends = [match.start() for match in re.finditer("\n", source.text)] + [len(source.text)]
    comments, text = _comments(source, ends)
    sections: dict[str, Section] = {}
    for word, section in _statements(source, text, ends):
        key = _SPELLINGS.get(word.lower())
        if key is None:
            raise source.fault(section.line, f"unknown key {word}; {suggestion(word, KEYS)}")
        if key in sections:
            raise source.fault(section.line, f"{word} is given again; it is on line {sections[key].line} already")
        if section.listed != (key in LISTS):
            form = "a list in braces, {…}" if key in LISTS else "a single value without braces"
            raise source.fault(section.line, f"{word} takes {form}")
        sections[key] = section
    return Document(source, comments, sections)


def _line(ends: list[int], place: int) -> int:
    return bisect_left(ends, place) + 1


def _comments(source: Source, ends: list[int]) -> tuple[list[Text], str]:
    """Return the comments, and the text with spaces in their places."""
    text, comments, kept, place = source.text, [], [], 0
    while (start := text.find("(*", place)) >= 0:
        line, end = _line(ends, start), text.find("*)", start + 2)
        following = text.find("(*", start + 2, end)
        if end < 0 or following >= 0:
            before = f" before the next one opens on line {_line(ends, following)}" if following >= 0 else ""
            raise source.fault(line, f"the comment that opens here is not closed{before}; write *) at its end")
        comments.append(Text(text[start + 2 : end].strip(), line))
        blank = "\n".join(" " * len(line) for line in text[start : end + 2].split("\n"))
        kept += [text[place:start], blank]
        place = end + 2
    kept.append(text[place:])
    return comments, "".join(kept)


def _statements(source: Source, text: str, ends: list[int]) -> Iterator[tuple[str, Section]]:
    """Yield each key as it is written, and its value."""
    place = _skip(text, 0)
    while place < len(text):
        match, line = _KEY.match(text, place), _line(ends, place)
        if not match:
            stray = text[place : place + 30].splitlines()[0]
            form = "KEY = value or KEY = {value, …}, and comments as (* … *)"
            raise source.fault(line, f"stray text {stray!r}; write {form}")
        start, word = match.end(), match.group(1)
        if text.startswith("{", start):
            end = text.find("}", start)
            inner = text[start + 1 : end]
            if end < 0 or "{" in inner or "=" in inner:
                raise source.fault(line, f"the brace that opens the list {word} is not closed; write }} at its end")
            if inner.count("(") != inner.count(")"):
                raise source.fault(line, f"{word}: round brackets do not pair; each ( needs its )")
            yield word, Section(line, _entries(inner, start + 1, ends), listed=True)
        else:
            end = ends[_line(ends, start) - 1]
            yield word, Section(line, [Text(text[start:end].strip(), line)], listed=False)
        place = _skip(text, end + 1)


def _skip(text: str, place: int) -> int:
    """Return the place of the next character that is not white space."""
    found = _VISIBLE.search(text, place)
    return found.start() if found else len(text)


def _entries(inner: str, start: int, ends: list[int]) -> list[Text]:
    return [Text(text.strip(), _line(ends, _skip(text, 0) + start + offset)) for text, offset in split(inner)]


def split(text: str) -> list[tuple[str, int]]:
    """Split a list at its commas, except those between round brackets; return the pieces and their places."""
    if not text.strip():
        return []
    cuts, depth = [-1], 0
    for match in re.finditer(r"[(),]", text):
        depth += {"(": 1, ")": -1, ",": 0}[match.group()]
        if match.group() == "," and depth <= 0:
            cuts.append(match.start())
    return [(text[a + 1 : b], a + 1) for a, b in zip(cuts, [*cuts[1:], len(text)], strict=True)]
