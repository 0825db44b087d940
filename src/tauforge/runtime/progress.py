"""Progress: one line about a long compilation, shown only at a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

AFTER = 1.0
"""Seconds before which nothing is shown."""
T = TypeVar("T")


def shown(items: Sequence[T], label: str) -> Iterator[T]:
    """Return the items one by one, showing how many were returned before."""
    stream = sys.stderr
    if stream is None or not stream.isatty():
        yield from items
        return
    start, text = time.monotonic(), ""
    try:
        for i, item in enumerate(items):
            if time.monotonic() - start > AFTER:
                text = f"{label}: {100 * i // len(items)} %"
                stream.write(f"\r{text}")
                stream.flush()
            yield item
    finally:
        if text:
            stream.write("\r" + " " * len(text) + "\r")
            stream.flush()
