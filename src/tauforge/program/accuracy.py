"""How many digits a Program loses by rounding, against the same Program in high precision."""

from __future__ import annotations

from random import Random

from ..graph import intervals
from ..graph.evaluate import evaluate, symbols
from ..graph.node import Node
from ..graph.operations import COS, SIN
from .program import Program

STATES = 4
"""How many random states are compared, with all inputs of about the same size."""
_LARGE = 100.0
"""In one more state for each input, its entries are so many times larger, as at high speed; angles are not."""
_DRAWN = 40
_DIGITS = 50
ALLOWED = 8.0
"""How many times larger the error of a rewritten Program can be."""
_FLOOR = 16 * 2.0**-53
"""Errors below this, relative to the largest entry of an output, count as this."""


class Accuracy:
    """The errors of a Program at random states, to compare those of equal Programs with.

    Parameters
    ----------
    program
        The Program.
    """

    def __init__(self, program: Program) -> None:
        self._states: list[tuple[dict[str, float], list[float]]] = []
        nodes = _outputs(program)
        names = symbols(nodes)
        angles = {*symbols(node.args[0] for node in program.order if node.op in (SIN, COS))}
        inputs = ({str(node.value) for node in array.nodes} for array in program.arguments.values() if array.shape)
        large = [each for x in inputs if (each := {name for name in x if "[" in name} - angles)]
        wanted = [*[set[str]()] * STATES, *large]
        for k in range(_DRAWN):
            random = Random(k)
            state = {name: random.uniform(0.2, 1.8) * random.choice((1, -1) if "[" in name else (1,)) for name in names}
            state |= {name: state[name] * _LARGE for name in wanted[len(self._states)] if name in state}
            try:
                exact = [float(x.mid) for x in intervals.evaluate(nodes, state, _DIGITS)]
            except (ArithmeticError, ValueError):  # it has no value there
                continue
            self._states.append((state, exact))
            if len(self._states) == len(wanted):
                break
        self.errors = self.of(program)

    def of(self, program: Program) -> dict[str, float]:
        """Return the largest error of each output of an equal Program, relative to the output's largest entry."""
        nodes, worst = _outputs(program), dict.fromkeys(program.results, _FLOOR)
        for state, exact in self._states:
            try:
                found = evaluate(nodes, state)
            except (ArithmeticError, ValueError):
                return dict.fromkeys(program.results, float("inf"))
            start = 0
            for name, array in program.results.items():
                part = slice(start, start := start + len(array.nodes))
                scale = max((abs(x) for x in exact[part]), default=0.0) or 1.0
                errors = (abs(x - y) for x, y in zip(found[part], exact[part], strict=True))
                worst[name] = max(worst[name], max(errors, default=0.0) / scale)
        return worst

    def allows(self, program: Program) -> bool:
        """Tell whether no error of an equal Program is more than ``ALLOWED`` times as large."""
        return all(error <= ALLOWED * self.errors[name] for name, error in self.of(program).items())


def _outputs(program: Program) -> list[Node]:
    return [node for array in program.results.values() for node in array.nodes]
