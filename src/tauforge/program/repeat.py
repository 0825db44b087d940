"""Repetition: a Program whose result becomes its input, again and again, until a result says that it is done.

The Program itself stays one step, without branches: it is counted, differentiated and optimised as any other. Targets
and the compiler write the loop around it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import ProgramError
from ..graph.node import Node

if TYPE_CHECKING:
    from .array import Array

DONE = 0.5
"""The result that tells whether it is done is 1 or 0; it is compared with this."""


@dataclass(frozen=True)
class Repeat:
    """How a step is repeated.

    Attributes
    ----------
    result
        The vector that becomes an input of the next step.
    argument
        That input; what the caller gives is its first value.
    until
        The result that is 1 after the last step, 0 after any other.
    bound
        How many steps there are at the most. If the last of them is not done either, the result has no numbers, except
        in entries that are inputs themselves.
    """

    result: str
    argument: str
    until: str
    bound: int

    def check(self, arguments: Mapping[str, Array], results: Mapping[str, Array]) -> None:
        """Refuse a repetition of what a Program does not have."""
        if self.result not in results or self.until not in results or self.argument not in arguments:
            raise ProgramError(
                f"{self.result} cannot become {self.argument} until {self.until}: there are no such arrays"
            )
        shape = results[self.result].shape
        if len(shape) != 1 or shape != arguments[self.argument].shape or results[self.until].shape:
            raise ProgramError(
                f"{self.result} and {self.argument} must be vectors of one length, {self.until} a number"
            )
        if self.bound < 1:
            raise ProgramError(f"a Program is repeated at most {self.bound} times; it must be run at least once")


def computed(nodes: tuple[Node, ...]) -> tuple[int, ...]:
    """Return the places of those entries that are computed, and therefore lost where the last step is not done."""
    return tuple(place for place, node in enumerate(nodes) if node.args)
