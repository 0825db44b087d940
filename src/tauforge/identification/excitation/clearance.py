"""What a motion must keep away from: pairs of capsules, Programs and functions of the coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import IdentificationError
from ...program.program import Program
from ...robot.robot import Robot
from .capsule import Capsule, Distances
from .pullback import Pullback

Floats = NDArray[np.float64]
STEP = 1e-6
"""Step of differences where a function gives no slopes."""


class Clearance(Protocol):
    """Numbers that must not be negative, (samples, k), and their slopes."""

    def values(self, q: Floats) -> Floats:
        """Return the numbers."""
        ...

    def slopes(self, weights: Floats, q: Floats) -> Floats:
        """Return the slopes by q of a number, from those by these."""
        ...


class OfProgram:
    """The outputs of a Program of q, with exact slopes."""

    def __init__(self, robot: Robot, program: Program) -> None:
        if [*program.inputs] != ["q"] or program.inputs["q"].size != len(robot.coordinate_names):
            raise IdentificationError(f"apart: {program.prototype}; its only input is q[{len(robot.coordinate_names)}]")
        entries = [node for array in program.results.values() for node in array.nodes]
        self._made = Pullback(program.name, dict(program.arguments), entries)

    def values(self, q: Floats) -> Floats:
        """Return the outputs."""
        return self._made.values(q)

    def slopes(self, weights: Floats, q: Floats) -> Floats:
        """Return the slopes by q."""
        return self._made.slopes(weights, q)[0]


class OfFunction:
    """A function in Python that maps coordinates (samples, n) to clearances (samples,) or (samples, k); differences
    give its slopes.
    """

    def __init__(self, function: Callable[[Floats], Any]) -> None:
        self._function = function

    def values(self, q: Floats) -> Floats:
        """Return the clearances."""
        found = np.asarray(self._function(q), dtype=float)
        if found.ndim not in (1, 2) or len(found) != len(q) or not np.isfinite(found).all():
            raise IdentificationError(
                f"apart: the function maps coordinates of shape {q.shape} to an array of shape {found.shape}; it must "
                f"be ({len(q)},) or ({len(q)}, k), finite, and negative where links touch"
            )
        return found.reshape(len(q), -1)

    def slopes(self, weights: Floats, q: Floats) -> Floats:
        """Return the slopes by q, from central differences."""
        slopes = np.empty_like(q)
        for k in range(q.shape[1]):
            step = np.zeros(q.shape[1])
            step[k] = STEP
            slopes[:, k] = (weights * (self.values(q + step) - self.values(q - step))).sum(axis=1) / (2.0 * STEP)
        return slopes


def clearances(robot: Robot, apart: object) -> list[Clearance]:
    """Return what keeps a motion apart from contact: pairs of capsules, Programs or functions, one or several."""
    single = isinstance(apart, Program) or callable(apart)
    if not single and not isinstance(apart, Sequence):
        raise IdentificationError(f"apart: give pairs of capsules, Programs or functions, not {type(apart).__name__}")
    found: list[Clearance] = []
    pairs: list[tuple[Capsule, Capsule]] = []
    for item in [apart] if single else list(apart):  # type: ignore[call-overload]
        if isinstance(item, Program):
            found.append(OfProgram(robot, item))
        elif callable(item):
            found.append(OfFunction(item))
        elif isinstance(item, Sequence) and len(item) == 2 and all(isinstance(x, Capsule) for x in item):
            pairs.append((item[0], item[1]))
        else:
            raise IdentificationError(
                f"apart: {item!r} is neither a Program nor a function of q, nor a pair of capsules, such as "
                "(tf.Capsule('link1', 0.1), tf.Capsule('tool', 0.05))"
            )
    return [*found, Distances(robot, pairs)] if pairs else found
