"""The search for an equal Program that costs less: rounds of passes over its network of values."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from random import Random

from ..errors import ExpressionError, ProgramError
from ..progress import Progress
from .accuracy import Accuracy
from .network.change import Changes
from .network.cost import UNIT, Objective
from .network.network import Network
from .network.walk import walk
from .passes import MOVES
from .passes.balance import balance
from .passes.resubstitute import resubstitute
from .program import Program

NOTABLE = 1 / 400
"""A round that saves a smaller part of the cost counts as one that found nothing."""

SMALL = 70
"""Changes tried in a round for each operation of a Program so small that its effort allows more."""


@dataclass(frozen=True)
class Effort:
    """How long a search lasts.

    Attributes
    ----------
    rounds
        The largest number of rounds.
    patience
        After how many rounds in a row that found next to nothing it ends.
    steps
        Changes tried in a round, for each operation of the Program.
    least
        The smallest number of changes tried in a round, but at most ``SMALL`` for each operation.
    most
        The largest number of changes tried in all rounds, for each operation; for small Programs it can be more.
    pairs
        The largest number of operations for which all pairs of values are looked at.
    heat
        In each second round, a change that adds an operation is taken with the probability ``exp(-1 / heat)``.
    seconds
        The time after which it ends.
    """

    rounds: int
    patience: int
    steps: int
    least: int
    most: float
    pairs: float
    heat: float = 0.0
    seconds: float = math.inf


EFFORTS = {
    "quick": Effort(rounds=1, patience=1, steps=4, least=500, most=4, pairs=600),
    "default": Effort(rounds=16, patience=3, steps=20, least=8_000, most=120, pairs=4_000),
    "high": Effort(rounds=200, patience=8, steps=40, least=20_000, most=5_000, pairs=20_000, heat=0.15),
}


LONGEST = 1e9
"""The largest number of seconds: some thirty years, and what a clock can add."""

LONG_ENOUGH = 2
"""Results of searches with at least so many rounds are kept for the next time."""


def effort_of(effort: str | float) -> Effort:
    """Return an effort by its name, or by its seconds."""
    if isinstance(effort, str):
        if effort in EFFORTS:
            return EFFORTS[effort]
    elif isinstance(effort, Real) and not isinstance(effort, bool) and 0 < effort <= LONGEST:
        high = EFFORTS["high"]
        return Effort(10**9, 10**9, high.steps, high.least, math.inf, high.pairs, high.heat, float(effort))
    raise ProgramError(f"effort is {effort!r}; it must be {', '.join(map(repr, EFFORTS))} or a number of seconds")


def searched(
    starts: Sequence[Program], effort: Effort, objective: Objective, seed: int, accuracy: Accuracy
) -> Iterator[Program]:
    """Yield equal Programs, the last of which costs least: from several starts, that one with the best short search.

    If time is limited, the short search comes first in any case: what follows may take too long to find anything.
    """
    end = time.monotonic() + effort.seconds
    yield starts[0]
    start = short = starts[0]
    if len(starts) > 1 or effort.seconds < math.inf:
        tried = [[way, *found(way, EFFORTS["quick"], objective, seed, accuracy)][-1] for way in starts]
        start, short = min(zip(starts, tried, strict=True), key=lambda each: objective.measure(each[1]))
        yield short
    best = short
    for stage in (EFFORTS["default"], effort) if effort.heat else (effort,):  # a high effort is never in vain
        limited = replace(stage, seconds=max(0.0, end - time.monotonic()))
        for way in found(start, limited, objective, seed, accuracy):
            if objective.measure(way) < objective.measure(best):
                best = way
                yield best
        start = best


def found(program: Program, effort: Effort, objective: Objective, seed: int, accuracy: Accuracy) -> Iterator[Program]:
    """Yield equal Programs, each of which costs less than all before it and is accurate enough."""
    deadline = time.monotonic() + effort.seconds
    random = Random(seed)
    best, least = program, objective.measure(program)
    changes = Changes(Network(program, objective.prices), random)
    if least <= effort.pairs:
        resubstitute(changes, deadline=deadline)
    idle, tried = 0, 0
    most = max(effort.rounds * effort.least / 2, effort.most * least)
    progress = Progress(f"optimising {program.name}")
    try:
        for number in range(effort.rounds + 1):
            if objective.waits:
                balance(changes)
            made = _rebuilt(changes, best)
            cost = objective.measure(made)
            idle = 0 if cost < (1 - NOTABLE) * least else idle + (number > 0)
            if cost < least and accuracy.allows(made):
                best, least = made, cost
                yield best
            progress.show(number / (effort.rounds + 1), f"cost {least:.0f}")
            if idle >= effort.patience or tried >= most or time.monotonic() > deadline:
                return
            if idle and idle % 2 == 0:
                changes = Changes(Network(best, objective.prices), random)
            tried += _round(changes, effort, number, most - tried, deadline)
    finally:
        progress.clear()


def _rebuilt(changes: Changes, best: Program) -> Program:
    """Return the Program of a network; the best one so far if a constant in it would be too large for a float."""
    try:
        return changes.network.rebuilt()
    except ExpressionError:
        return best


def _round(changes: Changes, effort: Effort, number: int, left: float, deadline: float) -> int:
    """Try changes; return how many."""
    size = changes.network.cost() // UNIT
    steps = int(min(left, max(min(effort.least, SMALL * size), effort.steps * size)))
    if effort.heat and number % 2:
        walk(changes, MOVES, steps // 2, effort.heat * UNIT, deadline)
        walk(changes, MOVES, steps // 2, 0.0, deadline)
    else:
        walk(changes, MOVES, steps, 0.0, deadline)
    if size <= effort.pairs:
        resubstitute(changes, steps // 100, deadline)
    return max(1, steps)
