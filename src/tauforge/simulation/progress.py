"""One line about a long simulation, shown only at a terminal."""

from __future__ import annotations

import sys
import time

SHOWN_AFTER, SHOWN_EVERY = 1.0, 0.1
"""Seconds before progress is shown, and between its updates."""


class Progress:
    """One line about a long simulation, shown only at a terminal."""

    def __init__(self, start: float, end: float) -> None:
        self._start, self._end = start, end
        self._next, self._text = time.monotonic() + SHOWN_AFTER, ""
        self._stream = sys.stderr if sys.stderr is not None and sys.stderr.isatty() else None

    def show(self, t: float) -> None:
        """Show how far the simulation is, not too often."""
        if self._stream is None or time.monotonic() < self._next:
            return
        part = (t - self._start) / (self._end - self._start)
        done = int(30 * part)
        self._text = f"simulating [{'#' * done}{'.' * (30 - done)}] {100 * part:3.0f} %  t = {t:.4g} s"
        self._stream.write(f"\r{self._text}   ")
        self._stream.flush()
        self._next = time.monotonic() + SHOWN_EVERY

    def clear(self) -> None:
        """Remove the line."""
        if self._stream is not None and self._text:
            self._stream.write("\r" + " " * (len(self._text) + 3) + "\r")
            self._stream.flush()
