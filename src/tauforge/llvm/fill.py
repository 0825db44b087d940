"""The code that fills many slots with numbers, such as the zeros of a matrix: a loop over runs of equal ones."""

from __future__ import annotations

from collections.abc import Iterable

from .idioms import counted, entry
from .vectors import Vectors

_RUN = 3  # entries of the table for each run: its first slot, its length, the place of its number


def fill(name: str, head: str, places: Iterable[tuple[int, int]], vectors: Vectors) -> str:
    """Return the function with that name and head; ``places`` are pairs of a slot and the place of its number."""
    runs = _runs(places)
    table = f"@{name}.runs"
    listed = ", ".join(f"i64 {x}" for run in runs for x in run)
    return "\n".join(
        [
            f"{table} = internal constant [{_RUN * len(runs)} x i64] [{listed}]",
            head,
            *counted(
                "%r",
                str(len(runs)),
                [
                    f"%run.place = mul i64 %r, {_RUN}",
                    f"%run = getelementptr i64, ptr {table}, i64 %run.place",
                    *(
                        line
                        for i, x in enumerate(("first", "length", "number"))
                        for line in entry(f"%{x}", "i64", "%run", i)
                    ),
                    *entry("%value", vectors.name, "%numbers", "%number"),
                    f"%start = getelementptr {vectors.name}, ptr %slots, i64 %first",
                    *counted(
                        "%k",
                        "%length",
                        [
                            f"%slot = getelementptr {vectors.name}, ptr %start, i64 %k",
                            f"store {vectors.name} %value, ptr %slot",
                        ],
                    ),
                ],
            ),
            "ret void",
            "}",
            "",
        ]
    )


def _runs(places: Iterable[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Return the first slot, the length and the number of each run of adjacent slots that get the same number."""
    runs: list[tuple[int, int, int]] = []
    first = past = number = -1
    for slot, wanted in places:
        if slot != past or wanted != number:
            runs.append((first, past - first, number))
            first, number = slot, wanted
        past = slot + 1
    return [*runs[1:], (first, past - first, number)]
