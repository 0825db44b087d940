"""Values in floats at a few random states, to recognise sums that lose digits."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from ...graph.arrays import Arrays
from ...graph.node import Node

STATES = 3
"""How many states there are."""
_DRAWN = 48
LOSS = 64.0
"""How much larger than its sum a term can be at each state before a new sum is refused: six bits are lost then."""


class Samples:
    """Floats at the states, for each value of a network.

    Parameters
    ----------
    nodes
        The nodes of a Program. Where roots or divisions have no value at random, fewer states are used, or none.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        arrays, random = Arrays(nodes), Random(1)
        values = {name: np.array([_drawn(name, random) for _ in range(_DRAWN)]) for name in arrays.symbols}
        found = arrays(values, _DRAWN)
        good = np.flatnonzero(np.isfinite(found).all(axis=1))[:STATES]
        self._of_nodes = dict(zip(nodes, map(tuple, found[good].T.tolist()), strict=True))
        self._count = len(good)
        self._known: list[tuple[float, ...]] = []

    def enter(self, number: int, node: Node) -> None:
        """Note a value that a node has."""
        known = self._of_nodes.get(node)
        self._set(number, (float(node),) * self._count if known is None else known)

    def combine(self, number: int, is_sum: bool, one: int, other: int) -> None:
        """Note the sum or the product of two signed values."""
        a, b = self._known[one >> 1], self._known[other >> 1]
        if not is_sum:
            sign = -1.0 if (one ^ other) & 1 else 1.0
            made = tuple([sign * x * y for x, y in zip(a, b, strict=True)])
        else:
            s, t = -1.0 if one & 1 else 1.0, -1.0 if other & 1 else 1.0
            made = tuple([s * x + t * y for x, y in zip(a, b, strict=True)])
        self._set(number, made)

    def turn(self, number: int, one: tuple[int, int, int], other: tuple[int, int, int]) -> None:
        """Note the sum of two products of values, each with its sign."""
        (s, a, b), (t, c, d) = one, other
        s, t, known = 1 - 2 * s, 1 - 2 * t, self._known
        each = zip(known[a], known[b], known[c], known[d], strict=True)
        self._set(number, tuple([s * w * x + t * y * z for w, x, y, z in each]))

    def cancels(self, number: int, term: int) -> bool:
        """Tell whether a value is so much smaller than one of its terms that adding it up loses digits."""
        return any(abs(x) > LOSS * abs(y) for x, y in zip(self._known[term >> 1], self._known[number], strict=True))

    def _set(self, number: int, values: tuple[float, ...]) -> None:
        if number == len(self._known):
            self._known.append(values)
        else:
            self._known[number] = values


def _drawn(name: str, random: Random) -> float:
    """Return a random number, of either sign for an entry of an input, positive for a parameter."""
    size = random.uniform(0.3, 1.7)
    return -size if "[" in name and random.random() < 0.5 else size
