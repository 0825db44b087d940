"""Workers of a Dask cluster.

Each task carries the work with it, so that a worker that joins late or comes back after a crash lacks nothing.
Dask gives the batches of a dead worker to others.
"""

from __future__ import annotations

import queue
from typing import Any

from ..errors import ProgramError, TauforgeError
from .batch import Finished, batch_of
from .cases import Ints, Space
from .pool import Died, Ended


def client_of(workers: Any) -> tuple[Any, bool]:
    """Return the client of a cluster or an address, and whether it is ours to close; None if it is neither."""
    if isinstance(workers, str) and "://" in workers:
        try:
            from distributed import Client
        except ImportError:
            raise TauforgeError("workers on a cluster need Dask: pip install 'tauforge[cluster]'") from None
        try:
            client: Any = Client(workers, set_as_default=False)  # type: ignore[no-untyped-call, unused-ignore]
            return client, True
        except OSError as error:
            raise TauforgeError(f"{workers}: no Dask scheduler answers there ({error})") from None
    if hasattr(workers, "get_client"):  # a cluster
        return workers.get_client(), True
    if hasattr(workers, "submit") and hasattr(workers, "scheduler_info"):
        if workers.asynchronous:
            raise ProgramError("workers is an asynchronous Dask client; give one made with asynchronous=False")
        return workers, False
    return None, False


class Cluster:
    """Workers of a Dask cluster."""

    def __init__(self, client: Any, own: bool, data: bytes, space: Space) -> None:
        self._client, self._own, self._data, self._space = client, own, data, space
        self.workers = max(1, sum(client.nthreads().values()))
        self._futures: dict[str, tuple[Any, Ints]] = {}
        self._outbox: queue.SimpleQueue[str] = queue.SimpleQueue()

    def submit(self, places: Ints) -> None:
        future = self._client.submit(batch_of, self._data, places, self._space.sent(places), pure=False)
        self._futures[future.key] = future, places
        future.add_done_callback(lambda done: self._outbox.put(done.key))

    def take(self, timeout: float) -> Ended | None:
        from distributed import KilledWorker

        try:
            future, places = self._futures.pop(self._outbox.get(timeout=timeout))
        except queue.Empty:
            return None
        try:
            found: Finished = future.result()
        except KilledWorker as error:
            return places, Died(str(error).split(". ")[0], final=True)
        except Exception as error:
            raise TauforgeError(
                f"the Dask cluster could not run a batch ({type(error).__name__}: {error}); does every worker have "
                "Tauforge and the modules of the function?"
            ) from error
        return places, found

    def interrupt(self) -> bool:
        self._client.cancel([future for future, _ in self._futures.values()], force=True)
        self._futures.clear()
        return False

    def close(self) -> None:
        if self._futures:
            self.interrupt()
        if self._own:
            self._client.close()
