"""One caller at a time writes to a store. The system lets go of the lock when the caller ends, however it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import TauforgeError

if sys.platform == "win32":
    import msvcrt

    def _hold(folder: Path) -> int:
        """Return a file beside the folder that is locked: folders cannot be."""
        file = os.open(folder.with_name(f".{folder.name}.lock"), os.O_RDWR | os.O_CREAT)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        return file
else:
    import fcntl

    def _hold(folder: Path) -> int:
        """Return the folder as a file that is locked."""
        file = os.open(folder, os.O_RDONLY)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return file


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder, or refuse it if another process does."""
    try:
        file = _hold(folder)
    except OSError:
        raise TauforgeError(f"{folder}: another sweep is writing there; wait for it, or choose another store") from None
    try:
        yield
    finally:
        os.close(file)
