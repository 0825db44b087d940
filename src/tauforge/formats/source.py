"""A file's text, read in the encoding that fits; its expressions, its robot, and errors that name the line."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
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
"""The form of most expressions in a file."""


@dataclass(frozen=True)
class Source:
    """The text of a file, with uniform line endings."""

    path: Path
    text: str

    def fault(self, line: int, what: str) -> RobotError:
        """Return the error for a line; with MISSING_LINE it names only the file."""
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
        """Return the robot; errors of its validation name the file."""
        try:
            return Robot(**fields)
        except RobotError as error:
            raise self.fault(MISSING_LINE, str(error)) from None


def read_text(path: Path, *encodings: str) -> Source:
    """Return the text of a file in the first encoding that fits."""
    data = read_bytes(path)
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return Source(path, text.replace("\r\n", "\n").replace("\r", "\n"))
    raise RobotError(f"{path}: this is not text in {' or '.join(encodings)}; save it in that encoding")
