"""Timing side by side: interleaved rounds in one run, the best of each, so that a busy machine disturbs all alike."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

Work = Callable[[], object]


def best_times(works: dict[str, Work], seconds: float = 1.5, calls: int = 1) -> dict[str, float]:
    """Return the shortest time of a call of each, all being run in turn until some seconds are over."""
    for work in works.values():
        work()
    best = dict.fromkeys(works, float("inf"))
    end = time.perf_counter() + seconds
    rounds = 0
    while time.perf_counter() < end or rounds < 5:
        rounds += 1
        for name, work in works.items():
            start = time.perf_counter()
            for _ in range(calls):
                work()
            best[name] = min(best[name], (time.perf_counter() - start) / calls)
    return best


class Table:
    """Rows of figures, printed as they come and kept for a file."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def title(self, text: str) -> None:
        """Begin a part of the table."""
        print(f"\n{text}")

    def row(self, label: str, value: float, unit: str, wanted: str = "", note: str = "") -> None:
        """Add a figure, and what is wanted of it."""
        self.rows.append({"label": label, "value": value, "unit": unit, "wanted": wanted, "note": note})
        print(f"  {label:52} {value:9.3g} {unit:10} {wanted:14} {note}", flush=True)
