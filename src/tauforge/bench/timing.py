"""Timing side by side: interleaved rounds in one run, the best of each, so that a busy machine disturbs all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

Run = Callable[[], object]
_SHORT = 1e-4  # what is shorter is done so often that a round takes this long, in seconds


def best_times(works: Mapping[str, Run], seconds: float = 1.5, rounds: int = 5) -> dict[str, float]:
    """Return the shortest time of each, in seconds, all being run in turn until some seconds are over.

    There are some rounds at least. What is short is done several times in a round.
    """
    best = {}
    for name, run in works.items():
        run()
        best[name] = _once(run, 1)
    calls = {name: max(1, round(_SHORT / max(took, 1e-9))) for name, took in best.items()}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or rounds > 0:
        rounds -= 1
        for name, run in works.items():
            best[name] = min(best[name], _once(run, calls[name]))
    return best


def _once(run: Run, calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls
