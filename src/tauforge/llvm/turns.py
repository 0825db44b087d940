"""The code of a block, repeated until all its states are done: each turn, results become inputs.

A state that is done keeps its inputs while others in the block go on, so that its result does not depend on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..program.array import Array
from ..program.program import Program
from ..program.repeat import DONE, computed
from .idioms import counted, entry
from .vectors import Vectors

HEADER = ["bound", "until", "from", "to", "fed"]
"""The entries of a plan that say how a block is repeated."""


class Turns(NamedTuple):
    """How a block is repeated.

    Attributes
    ----------
    bound
        How often, at the most.
    until
        The slot that is 1 in the lanes of states that are done.
    results
        The first slot of the results that become inputs.
    arguments
        The first slot of those inputs.
    lost
        For each of them, 1 if it is computed, and so has no number if a state is not done in the end, or 0.
    """

    bound: int
    until: int
    results: int
    arguments: int
    lost: Sequence[int]

    @property
    def header(self) -> list[int]:
        """The entries of a plan."""
        return [self.bound, self.until, self.results, self.arguments, len(self.lost)]


ONCE = Turns(1, 0, 0, 0, ())
"""A block that is computed once."""


def turns(program: Program) -> Turns:
    """Return how a Program's blocks are repeated."""
    repeat = program.repeat
    if not repeat:
        return ONCE
    slots, at = dict[tuple[str, str], int](), 0
    groups: list[tuple[str, dict[str, Array]]] = [("in", {**program.arguments}), ("out", {**program.results})]
    for group, arrays in groups:
        for name, array in arrays.items():
            slots[group, name] = at
            at += array.shape.size
    nodes = program.results[repeat.result].nodes
    places = {*computed(nodes)}
    lost = [int(place in places) for place in range(len(nodes))]
    first, last = slots["out", repeat.result], slots["in", repeat.argument]
    return Turns(repeat.bound, slots["out", repeat.until], first, last, lost)


def declaration(vectors: Vectors) -> str:
    lanes = vectors.lanes
    return f"declare i1 @llvm.vector.reduce.and.v{lanes}i1(<{lanes} x i1>)"


def repeated(body: list[str], vectors: Vectors) -> list[str]:
    """Emit the code of a block with the turns around it."""
    t, lanes = vectors.name, vectors.lanes
    mask = f"<{lanes} x i1>"
    feed = [
        "%feed.source = add i64 %from, %feed",
        "%feed.sink = add i64 %to, %feed",
        *entry("%feed.new", t, "%memory", "%feed.source"),
        *entry("%feed.old", t, "%memory", "%feed.sink"),
        f"%feed.next.value = select {mask} %done, {t} %feed.old, {t} %feed.new",
        f"store {t} %feed.next.value, ptr %feed.old.at",
    ]
    lose = [
        "%lose.index = add i64 %lost, %lose",
        *entry("%lose.flag", "i64", "%plan", "%lose.index"),
        "%lose.wanted = icmp ne i64 %lose.flag, 0",
        "br i1 %lose.wanted, label %losing, label %kept",
        "losing:",
        "%lose.slot = add i64 %from, %lose",
        *entry("%lose.old", t, "%memory", "%lose.slot"),
        f"%lose.value = select {mask} %done, {t} %lose.old, {t} {vectors.all(float('nan'))}",
        f"store {t} %lose.value, ptr %lose.old.at",
        "br label %kept",
        "kept:",
    ]
    return [
        "store i64 0, ptr %turn",
        "br label %turn.begin",
        "turn.begin:",
        *body,
        "br i1 %repeats, label %turn.check, label %turn.end",
        "turn.check:",
        *entry("%until.now", t, "%memory", "%until"),
        f"%done = fcmp ogt {t} %until.now, {vectors.all(DONE)}",
        f"%done.all = call i1 @llvm.vector.reduce.and.v{lanes}i1({mask} %done)",
        "%turn.now = load i64, ptr %turn",
        "%turn.next = add i64 %turn.now, 1",
        "store i64 %turn.next, ptr %turn",
        "%turn.last = icmp sge i64 %turn.next, %bound",
        "%turn.stop = or i1 %done.all, %turn.last",
        "br i1 %turn.stop, label %turn.lose, label %turn.feed",
        "turn.feed:",
        *counted("%feed", "%fed", feed),
        "br label %turn.begin",
        "turn.lose:",
        *counted("%lose", "%fed", lose),
        "br label %turn.end",
        "turn.end:",
    ]
