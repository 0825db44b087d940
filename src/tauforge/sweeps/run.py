"""The loop that gives batches to workers and keeps what they return."""

from __future__ import annotations

import time
from collections import deque
from typing import final

from ..progress import Progress
from .batch import Fault, Finished, merged
from .cases import Ints
from .pool import Died, Pool, split
from .store import Store

LASTS = 0.25
"""Seconds that a batch should take, so that sending it costs little beside it."""
AHEAD = 2
"""Batches per worker that are on their way: one that runs, and one that waits."""
SHARE, HELD = 100, 50
"""So that little is lost, batches on their way have at most 1/100 of all cases, or one each; 1/50 is held in memory."""
PATIENCE, BYTES = 1.0, 2**26
"""Seconds and bytes of results after which they are written."""
DEATHS = 3
"""How often a case may kill its worker."""


@final
class Plan:
    """Which cases come next, in batches of a size that fits their measured time."""

    def __init__(self, todo: Ints, room: int, batch: int | None) -> None:
        self._todo, self._next, self._again = todo, 0, deque[Ints]()
        self._largest = max(1, len(todo) // (SHARE * room))
        self._size = batch or 1
        self._fixed = batch is not None
        self._deaths: dict[int, int] = {}

    def next(self) -> Ints | None:
        """Return the next batch; None if there is none at present."""
        if self._again:
            return self._again.popleft()
        start = self._next
        self._next = min(len(self._todo), start + self._size)
        return self._todo[start : self._next] if self._next > start else None

    def learn(self, finished: Finished) -> None:
        """Fit the size of batches to the time that one took; the first cases may have compiled something."""
        if not self._fixed and finished.count and finished.seconds > 0.0:
            fitting = LASTS * finished.count / finished.seconds
            self._size = int(max(1, min(fitting, 4 * self._size, self._largest)))

    def repeat(self, places: Ints, died: Died) -> Finished:
        """Try the cases of a dead worker again, in halves, until it is clear which of them it dies of."""
        if len(places) > 1:
            self._again.extend(split(places))
            return Finished()
        place = int(places[0])
        self._deaths[place] = deaths = self._deaths.get(place, 0) + 1
        if deaths < DEATHS and not died.final:
            self._again.append(places)
            return Finished()
        often = "" if died.final else f" {deaths} times"
        return Finished(faults={place: Fault(f"the worker died{often} of this case: {died.reason}")})


@final
class Keeper:
    """Results on their way to the store. One in memory can wait for them, since no kill spares it."""

    def __init__(self, store: Store, count: int, room: int) -> None:
        self._store, self._held, self._most = store, list[Finished](), max(room, count // HELD)
        self._since = time.monotonic()
        self._safe = store.path is None
        self.ran = self.failed = self._cases = self._bytes = 0

    def add(self, finished: Finished) -> None:
        """Hold the results of a batch."""
        self._held.append(finished)
        self._cases += finished.count
        self._bytes += finished.size
        self.ran += finished.count
        self.failed += len(finished.faults)

    def write(self, now: bool = False) -> None:
        """Write what is held, if that is much, or old."""
        old = time.monotonic() - self._since > PATIENCE
        many = self._cases >= self._most
        due = now or self._bytes >= BYTES or ((old or many) and not self._safe)
        if self._held and due:
            faults = {place: fault for x in self._held for place, fault in x.faults.items()}
            self._store.write(Finished(merged([pack for x in self._held for pack in x.packs]), faults))
            self._held, self._cases, self._bytes, self._since = [], 0, 0, time.monotonic()


def run(pool: Pool, store: Store, todo: Ints, batch: int | None) -> None:
    """Compute the cases that are left. What is finished is in the store, whatever ends this."""
    room = AHEAD * pool.workers
    plan, keeper, progress = Plan(todo, room, batch), Keeper(store, len(todo), room), Progress("sweeping")
    flying, before = 0, len(store.status) - len(todo)
    try:
        while True:
            while flying < room and (places := plan.next()) is not None:
                pool.submit(places)
                flying += 1
            keeper.write()
            if not flying:
                break
            ended = pool.take(timeout=0.1)
            while ended:
                flying -= 1
                places, found = ended
                keeper.add(plan.repeat(places, found) if isinstance(found, Died) else found)
                if isinstance(found, Finished):
                    plan.learn(found)
                ended = pool.take(timeout=0.0)
            ran = before + keeper.ran
            progress.show(ran / len(store.status), f"{ran} of {len(store.status)} cases, {keeper.failed} failed")
    except KeyboardInterrupt:
        while pool.interrupt() and flying:
            if ended := pool.take(timeout=0.1):
                flying -= 1
                keeper.add(ended[1] if isinstance(ended[1], Finished) else Finished())
        raise
    finally:
        keeper.write(now=True)
        progress.clear()
