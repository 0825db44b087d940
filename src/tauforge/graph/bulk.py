"""Building much of a graph at once, without Python's search for cycles.

The search goes through all objects again each time some have been added, which takes as long as building them. Nodes
form no cycles.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def in_bulk() -> Iterator[None]:
    """Let the search for cycles wait. Serves as a decorator too."""
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searching:
            gc.enable()
