"""The passes over a Program's graph, by name, in the order in which ``Program.optimise`` takes them.

A pass maps a Program to an equal one. Each has its own file and its own test.
"""

from __future__ import annotations

from collections.abc import Callable

from ..program import Program
from .factor import factor

Pass = Callable[[Program], Program]

PASSES: dict[str, Pass] = {
    "factor": factor,
}
