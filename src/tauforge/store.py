"""The store: bytes under keys, one file each, in a directory that only its user can write to.

Code from it is executed, so an entry counts only if it is a plain file that belongs to this user, if nobody else can
write to it, and if its checksum matches its key and its content. If anything fails, there is no entry, and only time is
lost.

A file is written under another name and renamed. Other files in the directory are never removed: our entries, even
half-written ones, are recognised by their names and their first bytes.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path

LIMIT = 1 << 28
"""Largest total size of all entries, in bytes."""
STALE = 3600.0
"""Seconds after which a half-written file is assumed to be left over from a process that has ended."""
SIZE = 16
"""Bytes of keys and of checksums."""
MAGIC = b"tauforge code 1\n"
_ENTRY = re.compile(rf"[0-9a-f]{{{2 * SIZE}}}\.code")
_PART = re.compile(rf"[0-9a-f]{{{2 * SIZE}}}\.\w{{8}}\.part")
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_BINARY", "O_NOFOLLOW", "O_NONBLOCK"))
_written = LIMIT  # bytes since entries were last counted; the first write counts them


def directory() -> Path | None:
    """Return the store's directory, creating it if needed; None if none can be used."""
    named = os.environ.get("TAUFORGE_CACHE", "")
    if named == "off":
        return None
    try:
        path = Path(named).expanduser() if named else _usual()
        reason = _unfit(path)
    except (OSError, RuntimeError) as error:  # a RuntimeError if there is no home directory
        if not named:
            return None
        reason = str(error)
    if reason:
        _warn(named or str(path), reason)
        return None
    return path


def _unfit(path: Path) -> str:
    """Create a directory if needed, and return why code from it must not be run; nothing if it can be."""
    if not path.is_absolute():
        return "its path is relative"
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = path.stat()
    if not (_is_own(status) and _is_own(path.lstat())):
        return "it belongs to another user"
    return "others can write to it; chmod go-w prevents that" if _others_write(status) else ""


def read(place: Path, key: str) -> bytes | None:
    """Return what is kept under a key and mark it as used; None if there is nothing valid."""
    path = place / f"{key}.code"
    data = _own_bytes(path, LIMIT)
    start = len(MAGIC) + SIZE
    if data is None or data[:start] != MAGIC + _checksum(key, data[start:]):
        return None
    with suppress(OSError):  # another process may have removed it just now
        os.utime(path)
    return data[start:]


def write(place: Path, key: str, data: bytes) -> None:
    """Keep bytes under a key if possible, unless they are too large to be read again."""
    global _written
    whole = MAGIC + _checksum(key, data) + data
    if len(whole) > LIMIT:
        return
    try:
        handle, name = tempfile.mkstemp(".part", f"{key}.", place)
        try:
            with open(handle, "wb") as file:
                file.write(whole)
            os.replace(name, place / f"{key}.code")
        finally:
            with suppress(OSError):  # it is gone if it was renamed
                os.unlink(name)
        _written += len(data)
        if _written > LIMIT // 16:
            _written = 0
            _trim(place)
    except OSError:
        return


def _trim(place: Path) -> None:
    """Remove the least recently used entries until the rest is small enough, and half-written files."""
    for path, status in _files(place, _PART):
        if status.st_mtime < time.time() - STALE and _begun(path):
            _remove(path)
    found = [*_files(place, _ENTRY)]
    if sum(status.st_size for _, status in found) <= LIMIT:
        return
    found = [each for each in found if _own_bytes(each[0], LIMIT, len(MAGIC)) == MAGIC]
    total = sum(status.st_size for _, status in found)
    for path, status in sorted(found, key=lambda each: each[1].st_mtime):
        if total <= LIMIT:
            break
        total -= status.st_size if _remove(path) else 0


def _files(place: Path, names: re.Pattern[str]) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield the plain files with such names, each with its status."""
    with os.scandir(place) as items:
        for item in items:
            with suppress(OSError):  # another process may have removed it just now
                if names.fullmatch(item.name) and item.is_file(follow_symlinks=False):
                    yield Path(item.path), item.stat(follow_symlinks=False)


def _begun(path: Path) -> bool:
    """Tell whether a file starts like an entry."""
    start = _own_bytes(path, LIMIT, len(MAGIC))
    return start is not None and MAGIC.startswith(start)


def _remove(path: Path) -> bool:
    """Remove a file, and tell whether it is gone."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _own_bytes(path: Path, largest: int, count: int = -1) -> bytes | None:
    """Return a file's first bytes, or all; None unless it is a plain file that only this user can write to."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return None
        with open(os.open(path, _FLAGS), "rb") as file:
            status = os.fstat(file.fileno())  # of the opened file, whatever has become of its name
            sound = stat.S_ISREG(status.st_mode) and _is_own(status) and not _others_write(status)
            return file.read(count) if sound and status.st_size <= largest else None
    except OSError:
        return None


def _is_own(status: os.stat_result) -> bool:
    return not hasattr(os, "getuid") or status.st_uid == os.getuid()


def _others_write(status: os.stat_result) -> bool:
    return hasattr(os, "getuid") and bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _checksum(key: str, data: bytes) -> bytes:
    return blake2b(key.encode() + data, digest_size=SIZE).digest()


def _usual() -> Path:
    """Return the platform's cache directory."""
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "tauforge" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "tauforge"
    given = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(given) if os.path.isabs(given) else Path.home() / ".cache") / "tauforge"


@cache
def _warn(place: str, reason: str) -> None:
    warnings.warn(
        f"{place} is not used as a cache: {reason}. Let the environment variable TAUFORGE_CACHE name a directory of "
        'your own by its absolute path, or set it to "off"',
        RuntimeWarning,
        stacklevel=2,
    )
