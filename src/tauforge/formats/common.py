"""What the readers share: a file's text with refusals that name the line, expressions, and the default names."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ..errors import RobotError
from ..files import read_bytes
from ..graph.node import Scalar
from ..graph.parse import LONGEST, parse
from ..limits import spend
from ..robot.robot import Robot

MISSING_LINE = 0
_NUMBER = re.compile(r"\s*-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)
"""What most expressions in a file are."""
_SHOWN = 60
"""Characters of a value that a message shows, and words of a list."""
_MANY = 1000
"""Words among which the one that may be meant is looked for."""


@dataclass(frozen=True)
class Source:
    """A file's text, its line ends all alike."""

    path: Path
    text: str

    def fault(self, line: int, what: str) -> RobotError:
        """Return the refusal of what stands on a line; MISSING_LINE names the file alone."""
        return RobotError(f"{self.path}:{line}: {what}" if line else f"{self.path}: {what}")

    def expression(self, text: str, line: int, where: str) -> Scalar:
        """Read an expression through the safe parser."""
        if _NUMBER.fullmatch(text) and math.isfinite(value := float(text)):
            return value + 0.0  # no negative zero
        spend("expressions", min(len(text), LONGEST), f"{self.path}:{line}" if line else self.path)
        try:
            return parse(text)
        except (ValueError, ArithmeticError) as error:
            raise self.fault(line, f"{where}: {error}") from None

    def robot(self, **fields: Any) -> Robot:
        """Build the robot; what its own validation refuses is refused with the file's name."""
        try:
            return Robot(**fields)
        except RobotError as error:
            raise self.fault(MISSING_LINE, str(error)) from None


def read_text(path: Path, *encodings: str) -> Source:
    """Read a file in the first encoding that fits it."""
    data = read_bytes(path)
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return Source(path, text.replace("\r\n", "\n").replace("\r", "\n"))
    raise RobotError(f"{path}: this is no text in {' or '.join(encodings)}; save it in that encoding")


def suggestion(word: str, known: Sequence[str]) -> str:
    """Return the end of a sentence that refuses an unknown word; of very many known ones it looks at the first."""
    near = {name.lower()[:_SHOWN]: name for name in known[:_MANY]}
    found = get_close_matches(word.lower()[:_SHOWN], near, n=1)
    return f"did you mean {near[found[0]]}?" if found else f"known are {', '.join(known[:_SHOWN])}"


def said(value: object) -> str:
    """Return a value as a message shows it, its end cut off if it is long."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number of very many digits, or lists in lists in lists
        return f"a very large {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def cycle(antecedents: list[int], number: int) -> list[int]:
    """Return the cycle that the way from a link to the base runs into; nothing where it gets there."""
    way = {number: 0}  # each link with its place on the way
    link = antecedents[number - 1]
    while 0 < link <= len(antecedents):
        if link in way:
            return [*list(way)[way[link] :], link]
        way[link] = len(way)
        link = antecedents[link - 1]
    return []


def joint_name(number: int) -> str:
    """Return the name of a joint whose file gives none."""
    return f"joint{number}"


def frame_name(number: int) -> str:
    """Return the name of a loop's constant frame whose file gives none."""
    return f"frame{number}"


def link_name(number: int) -> str:
    """Return the name of a link whose file gives none."""
    return f"link{number}"
