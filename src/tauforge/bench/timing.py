"""Timing side by side: interleaved rounds in one run, the best of each, so that a busy machine disturbs all equally."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

Run = Callable[[], object]
Clock = Callable[[], float]
PROCESSOR: Clock = time.process_time if time.get_clock_info("process_time").resolution <= 1e-6 else time.perf_counter
"""Processor time if its resolution allows: it excludes other work of the machine during a long run."""
_SHORT = 1e-3  # shorter runs are repeated so that a round takes this long, in seconds


def best_times(
    works: Mapping[str, Run], seconds: float = 1.5, rounds: int = 3, clock: Clock = time.perf_counter
) -> dict[str, float]:
    """Return the shortest time of each run, in seconds, with all runs taking turns.

    Each takes part until it has used its share of the seconds, and in at least a few rounds. Short runs are repeated
    several times in a round.
    """
    best = {}
    for name, run in works.items():
        run()
        best[name] = _once(run, 1, clock)
    calls = {name: max(1, round(_SHORT / max(took, 1e-9))) for name, took in best.items()}
    left = dict.fromkeys(works, seconds / max(1, len(works)))
    while waiting := [name for name in works if left[name] > 0 or rounds > 0]:
        rounds -= 1
        for name in waiting:
            took = _once(works[name], calls[name], clock)
            best[name] = min(best[name], took)
            left[name] -= took * calls[name]
    return best


def _once(run: Run, calls: int, clock: Clock) -> float:
    start = clock()
    for _ in range(calls):
        run()
    return (clock() - start) / calls
