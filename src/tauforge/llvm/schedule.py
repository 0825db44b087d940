"""The order of instructions: one that waits for another's result lets a few later ones pass."""

from __future__ import annotations

from collections.abc import Sequence

from .instructions import FUSED, STORE, Instruction, Value

LONGEST = 2000
"""The number of instructions up to which order matters; the time of longer code is in memory."""

_WINDOW = 12  # instructions among which the next ones are chosen; more would need more registers
_WIDTH, _PIPES = 4, 2  # instructions that start per cycle: all, and those that multiply or that add
_LATENCY = {"add": 3, "sub": 3, "mul": 4, "div": 13, "sqrt": 20, **dict.fromkeys(FUSED, 4)}
_PIPE = {"add": "add", "sub": "add", "mul": "mul", "div": "mul", "sqrt": "mul", **dict.fromkeys(FUSED, "mul")}


def scheduled(code: Sequence[Instruction]) -> Sequence[Instruction]:
    """Return instructions in the order in which a simple model of a processor starts them."""
    if len(code) > LONGEST:
        return code
    made = {x.result for x in code if x.name != STORE}
    ready: dict[Value, int] = {}  # the cycle from which on a result is there
    order: list[Instruction] = []
    waiting, rest, cycle = list(code[:_WINDOW]), iter(code[_WINDOW:]), 0
    while waiting:
        used: dict[str, int] = {}
        started: list[Instruction] = []
        later: list[Instruction] = []
        for x in waiting:
            pipe = _PIPE.get(x.name, "")
            free = len(started) < _WIDTH and (not pipe or used.get(pipe, 0) < _PIPES)
            if free and all(ready.get(value, _LATE) <= cycle for value in x.operands if value in made):
                started.append(x)
                used[pipe] = used.get(pipe, 0) + 1
            else:
                later.append(x)
        for x in started:
            if x.name != STORE:
                ready[x.result] = cycle + _LATENCY.get(x.name, 1)
        order += started
        waiting = [*later, *(x for _, x in zip(started, rest, strict=False))]
        cycle += 1
    return order


_LATE = 1 << 60
