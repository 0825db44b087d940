"""Which quantities do not depend on the state, although rounding in a description may have left traces of it."""

from __future__ import annotations

from random import Random

from ....graph.evaluate import evaluate, symbols
from ....graph.node import Scalar, as_node

EXACT = 1e-9
"""What counts as zero."""


def constant(x: Scalar) -> float | None:
    """Return the value of an expression that is the same at random states, but for rounding; None if it is not."""
    node = as_node(x)
    names = symbols([node])
    if not names:
        return float(evaluate([node], {})[0])
    first, *others = (_value(node, names, Random(seed)) for seed in range(3))
    return first if first is not None and all(y is not None and abs(y - first) < EXACT for y in others) else None


def vanishes(x: Scalar) -> bool:
    """Tell whether an expression is zero at random states, but for rounding."""
    value = constant(x)
    return value is not None and abs(value) < EXACT


def _value(node: Scalar, names: list[str], random: Random) -> float | None:
    values = {name: random.uniform(0.5, 1.5) for name in names}
    try:
        return evaluate([as_node(node)], values)[0]
    except (ArithmeticError, ValueError):
        return None
