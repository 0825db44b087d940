"""Workers on this machine: threads, and threads that each command a process.

A pool has a number of ``workers``; ``submit`` starts a batch, and ``take`` waits for one that has ended, which is then
``Finished`` or ``Died``.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from .batch import Finished, Work
from .cases import Ints, Space
from .process import Child


class Died(NamedTuple):
    """A worker has died during a batch.

    Attributes
    ----------
    reason
        How it died.
    final
        Whether the batch has been tried often enough.
    """

    reason: str
    final: bool = False


Ended = tuple[Ints, Finished | Died]


class Pool(Protocol):
    """What every kind of workers can do."""

    workers: int

    def submit(self, places: Ints) -> None:
        """Start a batch."""

    def take(self, timeout: float) -> Ended | None:
        """Return a batch that has ended, or None if there is none in time."""

    def interrupt(self) -> bool:
        """End batches early, and tell whether they can still be taken: threads finish their cases."""

    def close(self) -> None:
        """Let go of the workers."""


class Threads:
    """Threads in this process."""

    def __init__(self, work: Work, space: Space, jobs: int | None) -> None:
        self.workers = jobs or os.cpu_count() or 1
        self._space, self._work = space, work
        self._stop = threading.Event()
        self._inbox: queue.SimpleQueue[Ints | None] = queue.SimpleQueue()
        self._outbox: queue.SimpleQueue[tuple[Ints, Finished | Died | BaseException]] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(self.workers)]
        for thread in self._threads:
            thread.start()

    def _worker(self) -> Callable[[Ints, dict[str, Any]], Finished | Died]:
        """Return what computes batches in one thread."""
        return lambda places, sent: self._work.batch(places, sent, self._stop)

    def _serve(self) -> None:
        compute = self._worker()
        while (places := self._inbox.get()) is not None:
            found: Finished | Died | BaseException
            if self._stop.is_set():
                found = Finished()
            else:
                try:
                    found = compute(places, self._space.sent(places))
                except BaseException as error:
                    found = error
            self._outbox.put((places, found))

    def submit(self, places: Ints) -> None:
        self._inbox.put(places)

    def take(self, timeout: float) -> Ended | None:
        try:
            places, found = self._outbox.get(timeout=timeout)
        except queue.Empty:
            return None
        if isinstance(found, BaseException):
            raise found
        return places, found

    def interrupt(self) -> bool:
        self._stop.set()
        return True

    def close(self) -> None:
        self._stop.set()
        for _ in self._threads:
            self._inbox.put(None)


class Processes(Threads):
    """Processes on this machine. A thread waits for each, so that one that dies is known with its batch."""

    def __init__(self, data: bytes, space: Space, jobs: int | None) -> None:
        self._data = data
        self._children: list[Child] = []
        self._lock = threading.Lock()
        super().__init__(None, space, jobs)  # type: ignore[arg-type]

    def _worker(self) -> Callable[[Ints, dict[str, Any]], Finished | Died]:
        child: Child | None = None

        def compute(places: Ints, sent: dict[str, Any]) -> Finished | Died:
            nonlocal child
            if child is None:
                child = self._started()
            found = child.batch(places, sent)
            if found is not None:
                return found
            reason, child = child.end(), None
            return Finished() if self._stop.is_set() else Died(reason)

        return compute

    def _started(self) -> Child:
        child = Child(self._data)
        with self._lock:
            self._children = [x for x in self._children if x.alive] + [child]
            if self._stop.is_set():
                child.kill()
        return child

    def interrupt(self) -> bool:
        self._stop.set()
        with self._lock:
            for child in self._children:
                child.kill()
        return True

    def close(self) -> None:
        self.interrupt()
        super().close()
        for thread in self._threads:
            thread.join()


def split(places: Ints) -> list[Ints]:
    """Return the halves of a batch."""
    return [half for half in np.array_split(places, 2) if len(half)]
