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


class Line:
    """One line at a terminal about something long, shown after a while, and removed at the end.

    Parameters
    ----------
    label
        What is done.
    """

    def __init__(self, label: str) -> None:
        self._label, self._text, self._start = label, "", time.monotonic()

    def show(self, words: str) -> None:
        """Say how far it is."""
        stream = sys.stderr
        if stream is not None and stream.isatty() and time.monotonic() - self._start > AFTER:
            stream.write("\r" + " " * len(self._text))
            self._text = f"{self._label}: {words}"
            stream.write(f"\r{self._text}")
            stream.flush()

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        if self._text and sys.stderr is not None:
            sys.stderr.write("\r" + " " * len(self._text) + "\r")
            sys.stderr.flush()
