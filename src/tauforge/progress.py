"""One line about a long computation, shown only at a terminal."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

SHOWN_AFTER, SHOWN_EVERY = 1.0, 0.1
"""Seconds before progress is shown, and between its updates."""
WIDTH = 30
"""Characters of the bar."""

T = TypeVar("T")
_quiet = threading.local()


@contextmanager
def silence() -> Iterator[None]:
    """Show no progress of what this thread starts meanwhile: another line speaks for all of it."""
    before = getattr(_quiet, "on", False)
    _quiet.on = True
    try:
        yield
    finally:
        _quiet.on = before


class Progress:
    """A line with a bar, a percentage and a remark."""

    def __init__(self, word: str) -> None:
        self._word, self._text = word, ""
        self._next = time.monotonic() + SHOWN_AFTER
        shown = sys.stderr is not None and sys.stderr.isatty() and not getattr(_quiet, "on", False)
        self._stream = sys.stderr if shown else None

    def show(self, part: float, remark: str) -> None:
        """Show which part is done, not too often."""
        if self._stream is None or time.monotonic() < self._next:
            return
        done = int(WIDTH * part)
        before = len(self._text)
        self._text = f"{self._word} [{'#' * done}{'.' * (WIDTH - done)}] {100 * part:3.0f} %  {remark}"
        self._stream.write(f"\r{self._text:{before}}")
        self._stream.flush()
        self._next = time.monotonic() + SHOWN_EVERY

    def clear(self) -> None:
        """Remove the line."""
        if self._stream is not None and self._text:
            self._stream.write("\r" + " " * len(self._text) + "\r")
            self._stream.flush()


def shown(items: Sequence[T], word: str) -> Iterator[T]:
    """Return the items one by one, showing how many were returned before."""
    progress = Progress(word)
    try:
        for i, item in enumerate(items):
            progress.show(i / len(items), f"{i} of {len(items)}")
            yield item
    finally:
        progress.clear()
