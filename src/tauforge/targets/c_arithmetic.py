"""What generated C computes in floating point: its operations one by one, each rounded, and how far off it can be.

Every operation of a text is done in its own type and order, without contraction, as C99 demands of IEEE 754. Beside
each value runs a bound on its distance from the exact value of the same text: Wilkinson's running error analysis
(Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.3). Where |x computed - x exact| <= e:

    x + y   e = ex + ey + u|x + y|
    x y     e = |x| ey + |y| ex + ex ey + u|x y|
    x/y     e = (ex + |x/y| ey)/(|y| - ey) + u|x/y|
    f(x)    e = the most that f changes within ex, + 4u|f(x)|

with the unit roundoff u. A constant starts with 4u of its size: it is rounded where it is written, the model's constant
may have been rounded before, and pi/2 in a text is not a quarter turn. Functions of the C library are taken to be
accurate to 4u; our sines in float, to 4u times the angle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..graph.operations import ABS, ADD, ATAN2, CONST, COS, DIV, LIBRARY, MUL, NEG, SIGN, SIN, SQRT
from .c import FLOAT
from .read_c import INPUT, SUB, Operation, Reading, nearest_single

Floats = NDArray[Any]
Value = tuple[Floats, Floats]
"""What C computes, and a bound on its error, for many states."""


def _library(name: str) -> Callable[..., Floats]:
    """Return a function of the C library, which NumPy has in versions of its own; rounded to the arguments' type."""
    function = getattr(math, name)

    def value(*args: float) -> float:
        try:
            return float(function(*args))
        except ValueError:  # outside its domain
            return math.nan

    def values(*args: Floats) -> Floats:
        rows = zip(*(x.astype(float).tolist() for x in args), strict=True)
        return np.array([value(*row) for row in rows], args[0].dtype)

    return values


_VALUES: Mapping[str, Callable[..., Floats]] = {
    ADD: np.add,
    SUB: np.subtract,
    MUL: np.multiply,
    DIV: np.divide,
    NEG: np.negative,
    SQRT: np.sqrt,
    **{name: _library(name) for name in LIBRARY},
    ABS: np.abs,
    SIGN: np.sign,
}
_LIBRARY_ULPS = 4.0
_AT_ONCE = 4_000_000
"""How many values are held at once."""


def unit_roundoff(scalar: str) -> float:
    """Return half the distance from 1 to the next number of a type."""
    return float(np.finfo(_type(scalar)).eps) / 2


def _type(scalar: str) -> type[np.floating[Any]]:
    return np.float32 if scalar == FLOAT else np.float64


def evaluate_in_c(text: Reading, state: Mapping[str, Floats]) -> dict[str, Value]:
    """Return the outputs of a text and bounds on their errors, one row for each state.

    Parameters
    ----------
    text
        The function.
    state
        Each input's values, one row for each state; numbers of the text's type.
    """
    states = len(next(iter(state.values()))) if state else 1
    step = max(1, _AT_ONCE // (len(text.operations) + 1))
    parts = [_some(text, {k: x[i : i + step] for k, x in state.items()}) for i in range(0, states, step)]
    return {
        name: (np.concatenate([part[name][0] for part in parts]), np.concatenate([part[name][1] for part in parts]))
        for name in text.results
    }


def _some(text: Reading, state: Mapping[str, Floats]) -> dict[str, Value]:
    kind, u = _type(text.scalar), unit_roundoff(text.scalar)
    states = len(next(iter(state.values()))) if state else 1
    nothing = np.zeros(states)
    known: list[Value] = []
    with np.errstate(all="ignore"):
        for op, args, value in text.operations:
            if op is INPUT:
                assert isinstance(value, tuple)
                known.append((state[value[0]][:, value[1]].astype(kind), nothing))
            elif op is CONST:
                assert isinstance(value, float)
                held = nearest_single(repr(value)) if text.scalar == FLOAT else value
                known.append((np.full(states, held, kind), np.full(states, _LIBRARY_ULPS * u * abs(held))))
            else:
                inner = [known[i] for i in args]
                found = _VALUES[op](*(x for x, _ in inner))
                known.append(
                    (found, _error(op, found.astype(float), [(x.astype(float), e) for x, e in inner], u, kind))
                )
    zero = np.zeros(states, kind), nothing
    return {
        name: (
            np.stack([(zero if i is None else known[i])[0] for i in places], axis=-1).astype(float),
            np.stack([(zero if i is None else known[i])[1] for i in places], axis=-1),
        )
        if places
        else (np.zeros((states, 0)), np.zeros((states, 0)))
        for name, places in text.results.items()
    }


def _error(op: str, found: Floats, args: list[Value], u: float, kind: type[np.floating[Any]]) -> Any:
    """Return the bound on an operation's error, given those of its arguments."""
    x, ex = args[0]
    y, ey = args[-1]
    ulp, tiny = u * np.abs(found), float(np.finfo(kind).smallest_subnormal)
    if op in (ADD, SUB):
        return ex + ey + ulp
    if op is MUL:
        return np.abs(x) * ey + np.abs(y) * ex + ex * ey + ulp + tiny
    if op is DIV:
        room = np.abs(y) - ey
        return np.where(room > 0, (ex + np.abs(found) * (1 + 2 * u) * ey) / room, np.inf) + ulp + tiny
    if op in (NEG, ABS):
        return ex
    if op in (SIN, COS):
        angle = 1 + np.abs(x) if kind is np.float32 else 1.0
        return np.minimum(ex, 2.0) + _LIBRARY_ULPS * u * angle
    if op is SIGN:
        return np.where((np.abs(x) <= ex) & (ex > 0), 2.0, 0.0)
    if op is SQRT:
        lower = np.sqrt(np.maximum(x - ex, 0.0))
        return np.where(ex > 0, np.minimum(ex / (found + lower), np.sqrt(ex)), 0.0) + _LIBRARY_ULPS * ulp
    if op is ATAN2:
        moved, radius = np.hypot(ex, ey), np.hypot(x, y)
        turned = np.where(moved < radius, np.arcsin(np.minimum(moved / radius, 1.0)), np.where(moved > 0, np.pi, 0.0))
        jumps = (ex > 0) & (np.abs(x) <= ex) & (y < ey)
        return np.where(jumps, 2 * np.pi, turned) + _LIBRARY_ULPS * ulp
    ends = (_VALUES[op](np.clip(x + sign * ex, -1.0, 1.0)) for sign in (-1, 1))
    return np.where(np.isnan(found), np.nan, np.maximum(*(np.abs(end - found) for end in ends))) + _LIBRARY_ULPS * ulp


def error_anywhere(text: Reading, largest: float) -> dict[str, float]:
    """Return bounds on the errors of a text's outputs at every state whose entries are at most ``largest``.

    It is infinite for an output that divides by something that is not constant, or takes another function whose slope
    has no bound: nothing is known there of the smallest divisor.
    """
    u = unit_roundoff(text.scalar)
    known: list[tuple[float, float]] = []  # the largest size of the value, and of its error
    for operation in text.operations:
        known.append(_anywhere(operation, text, known, largest, u))
    return {
        name: max((known[i][1] for i in places if i is not None), default=0.0) for name, places in text.results.items()
    }


def _anywhere(
    operation: Operation, text: Reading, known: list[tuple[float, float]], largest: float, u: float
) -> tuple[float, float]:
    op, args, value = operation
    if op is INPUT:
        return largest, 0.0
    if op is CONST:
        assert isinstance(value, float)
        return abs(value), _LIBRARY_ULPS * u * abs(value)
    (x, ex), (y, ey) = known[args[0]], known[args[-1]]
    if op in (ADD, SUB):
        size, error = x + y, ex + ey
    elif op is MUL:
        size, error = x * y, x * ey + y * ex + ex * ey
    elif op is DIV and text.operations[args[1]].op is CONST and y > 0:
        size, error = x / y, (ex + x / y * ey) / (y - ey)
    elif op in (NEG, ABS):
        return x, ex
    elif op in (SIN, COS):
        size, error = 1.0, min(ex, 2.0) + _LIBRARY_ULPS * u * (1 + x if text.scalar == FLOAT else 1.0)
    elif op is SIGN and ex == 0:
        return 1.0, 0.0
    else:
        return float("inf"), float("inf")
    error += u * (size + error) + float(np.finfo(_type(text.scalar)).smallest_subnormal)
    return (size, error) if size < float("inf") and error == error else (float("inf"), float("inf"))
