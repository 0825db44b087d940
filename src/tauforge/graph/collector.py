"""Python's cyclic garbage collector, paused while a large graph is built.

The collector visits all objects again each time some have been added, which takes as long as building them. Nodes form
no cycles.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the collector. Also a decorator."""
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searching:
            gc.enable()
