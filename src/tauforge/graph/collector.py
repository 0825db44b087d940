"""Python's collector of cyclic garbage, paused while a large graph is built.

The collector goes through all objects again each time some have been added, which takes as long as building them. Nodes
form no cycles.
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
