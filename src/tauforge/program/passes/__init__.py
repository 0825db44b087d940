"""The passes over a Program's network of values, by name. ``search.py`` applies them, in rounds.

A pass exchanges definitions of values for others of the same value. Each has its own file and its own test.
"""

from __future__ import annotations

from collections.abc import Callable

from ..network.change import Changes
from ..network.walk import Moves
from . import refactor as _refactor
from . import regroup as _regroup
from .balance import balance
from .refactor import refactor
from .regroup import regroup
from .resubstitute import resubstitute

Pass = Callable[[Changes, int], int]
"""Changes a network in a number of steps; returns how much that saves."""

PASSES: dict[str, Pass] = {
    "resubstitute": resubstitute,
    "regroup": regroup,
    "refactor": refactor,
    "balance": balance,
}

MOVES: Moves = {kind: (*_regroup.MOVES[kind], *_refactor.MOVES[kind]) for kind in _regroup.MOVES}
"""The changes of all passes that walk at random, for a walk that mixes them."""
