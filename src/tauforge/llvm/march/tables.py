"""The tables that ``march`` reads: what is known about a Program with a method, about a call, and about a state."""

from __future__ import annotations

CONTROLS = (
    "t", "h", "segment", "row", "status", "stale", "growth", "steps", "rejected", "evaluations", "jacobians", "step",
    "balance", "allowed", "drift", "amount", "blind", "margin", "limit",
)  # fmt: skip
"""What a lane knows besides its state: time, the length of the next step (0: not chosen yet), the segment of its
inputs, the next row of its results, its status, whether its rates are those of another state, how much the step can
grow, counts, the length of the last step; the energy less the work at the start, by how much the estimated errors of
all steps can have changed it, by how much it has changed at most, the largest amount of energy and work, and which part
of that the errors of one step may explain; how well the coordinates describe the state, and from which margin on they
do not (0: they always do)."""
FRESH = 2.0
"""What ``stale`` is before the first step."""
RUNNING, DONE, TOO_SMALL, NOT_FINITE, TOO_MANY, UNBALANCED, SINGULAR, LEAVES, BRANCHES, ENDLESS, FULL = range(11)
"""The status of a state; LEAVES is that of one whose margin falls, and the last three are set between two calls."""
AHEAD = 1.5
"""How many steps ahead the margin is looked at, as it changed in the last one."""
PLAN = (
    "size", "given", "stages", "extra", "powers", "factors", "numbers",
    "rates.slots", "factor.slots", "solve.slots", "settle.slots", "conserved.slots",
    "rates.setup", "factor.setup", "solve.setup", "settle.setup", "conserved.setup",
    "rates", "factor", "solve", "settle", "conserved",
)  # fmt: skip
"""The entries of a plan: sizes, the address of the method's numbers, and for each Program its first slot and the
addresses of its code, which for a Program that is not needed are 0. Code is a table of the address of the constants,
the number of pieces, and their addresses; that for the set-up runs once per call."""
PROGRAMS = ("rates", "factor", "solve", "settle", "conserved")
"""Names of the Programs."""
TOLERANCES = ("relative", "longest", "safety", "rounding")
"""The first tolerances: the relative one; the longest step; how many times the estimated errors explain a change of the
energy, and which part of it rounding does. The absolute one for each entry of the state follows, but for the last, the
work: its error does not determine the steps."""
RUN = (
    "count", "rows", "segments", "budget", "most", "own", "records", "width", "times", "breaks", "inputs",
    "inputs.state", "inputs.segment", "results", "results.state", "tolerances",
)  # fmt: skip
"""The entries of a call: how many states, rows of results and segments; how many steps a lane can try before it pauses,
and a state altogether; whether results are wanted at each step; addresses and strides, in numbers."""


def record_size(size: int, stages: int) -> int:
    """Return the number of entries of a record, for all stages."""
    return len(CONTROLS) + (3 + stages) * size


def own_slots(size: int, stages: int) -> int:
    """Return how many slots ``march`` needs for itself, before those of the Programs."""
    return record_size(size, stages) + 4 * size + 5 + 2
