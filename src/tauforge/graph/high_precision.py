"""Evaluation with as many digits as wanted: what a graph means, where floats round.

Constants have their exact meaning, as in `intervals.py`: folded ones are computed again from their origin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import isfinite
from typing import Any

from .evaluate import topological
from .literal import halfdegrees
from .node import Node
from .operations import ABS, ACOS, ADD, ASIN, ATAN2, CONST, COS, DIV, MUL, NEG, SIGN, SIN, SQRT, SYMBOL

DIGITS = 60
_BITS = 200

Precise = Any
"""A number of mpmath's library functions: cheaper than its objects."""


@cache
def _library() -> tuple[Any, Mapping[str, Callable[..., Precise | None]]]:
    from mpmath import libmp as mp

    def rounded(function: Callable[..., Precise]) -> Callable[..., Precise]:
        return lambda *args: function(*args, _BITS, mp.round_nearest)

    def within_one(function: Callable[..., Precise]) -> Callable[[Precise], Precise | None]:
        return lambda x: function(x, _BITS, mp.round_nearest) if mp.mpf_le(mp.mpf_abs(x), mp.fone) else None

    return mp, {
        ADD: rounded(mp.mpf_add),
        MUL: rounded(mp.mpf_mul),
        DIV: lambda x, y: None if y == mp.fzero else mp.mpf_div(x, y, _BITS, mp.round_nearest),
        NEG: mp.mpf_neg,
        ABS: mp.mpf_abs,
        SIN: rounded(mp.mpf_sin),
        COS: rounded(mp.mpf_cos),
        SQRT: lambda x: None if mp.mpf_lt(x, mp.fzero) else mp.mpf_sqrt(x, _BITS, mp.round_nearest),
        ASIN: within_one(mp.mpf_asin),
        ACOS: within_one(mp.mpf_acos),
        ATAN2: rounded(mp.mpf_atan2),
        SIGN: lambda x: mp.from_int(mp.mpf_sign(x)),
    }


def evaluate_precisely(
    outputs: Sequence[Node], states: Sequence[Mapping[str, float]]
) -> list[list[tuple[float, float] | None]]:
    """Return the outputs' values at some states, each as a float and what is left of the value beside it.

    It is None where an output has no value.
    """
    mp, functions = _library()
    order = topological(outputs, lambda node: node.made[1])
    constants = {node: _constant(mp, node) for node in order if node.made[0] is CONST}
    steps = [(node, functions[node.made[0]], node.made[1]) for node in order if node.made[0] not in (CONST, SYMBOL)]
    inputs = [node for node in order if node.op is SYMBOL]
    rows = []
    for state in states:
        known: dict[Node, Precise | None] = dict(constants)
        known |= {node: mp.from_float(state[str(node.value)]) for node in inputs}
        for node, function, args in steps:
            inner = [known[a] for a in args]
            known[node] = None if None in inner else function(*inner)
        rows.append([_parts(mp, known[node]) for node in outputs])
    return rows


def _constant(mp: Any, node: Node) -> Precise:
    k = halfdegrees(node.value)
    if k is None:
        return mp.from_str(repr(node.value), _BITS, mp.round_nearest)
    return mp.mpf_div(mp.mpf_mul(mp.mpf_pi(_BITS + 20), mp.from_int(k)), mp.from_int(360), _BITS, mp.round_nearest)


def _parts(mp: Any, x: Precise | None) -> tuple[float, float] | None:
    """Return the nearest float and the rest of a number; infinite if no float is near."""
    if x is None:
        return None
    try:
        near = mp.to_float(x, rnd=mp.round_nearest)
    except OverflowError:
        near = float("inf") if mp.mpf_gt(x, mp.fzero) else float("-inf")
    return (near, mp.to_float(mp.mpf_sub(x, mp.from_float(near)))) if isfinite(near) else (near, 0.0)
