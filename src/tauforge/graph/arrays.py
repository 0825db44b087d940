"""Graphs evaluated for many values at once, in NumPy: ready without a compiler, for work that is done a few times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ExpressionError
from .evaluate import topological
from .node import Node
from .operations import ABS, ACOS, ADD, ASIN, ATAN2, CONST, COS, DIV, MUL, NEG, SIGN, SIN, SQRT, SYMBOL

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    ADD: np.add,
    NEG: np.negative,
    MUL: np.multiply,
    DIV: np.divide,
    SQRT: np.sqrt,
    SIN: np.sin,
    COS: np.cos,
    ASIN: np.arcsin,
    ACOS: np.arccos,
    ATAN2: lambda y, x: np.arctan2(y + 0.0, x + 0.0),  # as in real numbers, there is no negative zero
    ABS: np.abs,
    SIGN: np.sign,
}


class Arrays:
    """Some nodes as a function of arrays, one for each symbol.

    Parameters
    ----------
    outputs
        The nodes.
    """

    def __init__(self, outputs: Sequence[Node]) -> None:
        order = topological(outputs)
        place = {node: k for k, node in enumerate(order)}
        self._known: list[Any] = [float(node) if node.op is CONST else None for node in order]
        self._symbols = [(k, str(node.value)) for k, node in enumerate(order) if node.op is SYMBOL]
        self._steps = [
            (k, _FUNCTIONS[node.op], tuple(place[a] for a in node.args))
            for k, node in enumerate(order)
            if node.op not in (CONST, SYMBOL)
        ]
        self._outputs = [place[node] for node in outputs]

    @property
    def symbols(self) -> list[str]:
        """Names of the symbols that need values."""
        return [name for _, name in self._symbols]

    def __call__(self, values: Mapping[str, NDArray[np.float64]], count: int) -> NDArray[np.float64]:
        """Return the nodes' values, (count, nodes), for arrays of that length; they are NaN or infinite where a
        division or a root has no value.
        """
        known = self._known.copy()
        for k, name in self._symbols:
            if name not in values:
                raise ExpressionError(f"the symbol {name} has no value")
            known[k] = values[name]
        with np.errstate(all="ignore"):
            for k, function, args in self._steps:
                known[k] = function(*[known[a] for a in args])
        found = np.empty((count, len(self._outputs)))
        for column, k in enumerate(self._outputs):
            found[:, column] = known[k]
        return found
