"""The way in which a closed form assembles its loops: one sign for each root.

A root vanishes only where its triangle or leg is stretched or folded. Between such states its sign cannot change while
the mechanism moves: the sign belongs to the state, not to the numbers from which one starts.
"""

from __future__ import annotations

from collections.abc import Callable

from ....graph.evaluate import topological
from ....graph.functions import sign
from ....graph.node import Scalar, as_node


class Branch:
    """The signs of a closed form's roots, in the order in which it takes them: those of the guess, or given by number.

    Attributes
    ----------
    sides
        For each root, a quantity that has its sign in every closed state: here in the guess.
    margins
        What is positive in regular states and vanishes where the loop branches, at most one.
    loops
        The loop of each margin, by name.
    """

    def __init__(self, given: Callable[[int], Scalar] | None = None) -> None:
        self._given = given
        self.sides: list[Scalar] = []
        self.margins: list[Scalar] = []
        self.loops: list[str] = []

    def sign(self, *sides: Scalar) -> Scalar:
        """Return the sign of the next root, 1 or -1: the given one, or that of the simplest of equal quantities."""
        side = min(sides, key=lambda x: len(topological([as_node(x)])))
        self.sides.append(side)
        return sign(sign(side) + 0.5) if self._given is None else self._given(len(self.sides) - 1)

    def watch(self, margin: Scalar) -> None:
        """Keep a quantity that must not vanish."""
        self.margins.append(margin)

    def name(self, loop: str) -> None:
        """Tell which loop the latest margins belong to."""
        self.loops += [loop] * (len(self.margins) - len(self.loops))
