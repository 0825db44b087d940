"""Gradients of a number that depends on a Program's outputs, at many states: exact, from the graph, in reverse mode."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...graph.functions import sqrt
from ...graph.node import Node, Scalar, as_node
from ...graph.operations import SIGN
from ...graph.rewrite import built_anew, rewrite
from ...program.array import Array, Shape, inputs, outputs
from ...program.program import Program

Floats = NDArray[np.float64]
STATE = ("q", "qd", "qdd")


class Pullback:
    """Outputs of a Program of q, qd and qdd at many states, and how a number that depends on them changes with the
    states.

    Parameters
    ----------
    arguments
        The inputs: q, and qd and qdd if need be.
    entries
        The outputs.
    """

    def __init__(self, name: str, arguments: dict[str, Array], entries: Sequence[Scalar]) -> None:
        weights = inputs("weights", [str(k) for k in range(len(entries))], "slopes by the outputs")
        self._state = [key for key in STATE if key in arguments]
        total = sum((w * x for w, x in zip(weights.nodes, entries, strict=True)), start=as_node(0.0))
        values = Program(name, arguments, {"y": outputs(entries, [len(entries)], [], "")})
        whole = Program(f"{name}_total", {**arguments, "weights": weights}, {"y": Array(Shape([]), (as_node(total),))})
        self._values = values.compile()
        self._slopes = whole.derivative("y", self._state, mode="reverse").compile()

    def values(self, *state: Floats) -> Floats:
        """Return the outputs, (samples, entries)."""
        found: Floats = self._values(*state[: len(self._state)], threads=1)
        return found

    def slopes(self, weights: Floats, *state: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the slopes by q, qd and qdd, (samples, n) each, from those by the outputs."""
        count = len(self._state)
        found = self._slopes(*state[:count], weights, threads=1)
        each = list(found) if count > 1 else [found]
        each += [np.zeros_like(state[0])] * (len(STATE) - count)
        return each[0], each[1], each[2]


def smoothed(program: Program, output: str, width: float) -> list[Node]:
    """Return an output's entries with sign(v) replaced by v / √(v² + width²)."""

    def new(node: Node, made: dict[Node, Node]) -> Node:
        return smooth_sign(made[node.args[0]], width) if node.op is SIGN else built_anew(node, made)

    found = rewrite(program.order, new)  # type: ignore[arg-type]
    return [found[node] for node in program.results[output].nodes]


def smooth_sign(v: Scalar, width: float) -> Node:
    """Return v / √(v² + width²)."""
    return as_node(v / sqrt(v * v + width * width))
