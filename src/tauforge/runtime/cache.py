"""The cache: object code kept in a directory of the user's, so that what was compiled once is not compiled again.

An entry is one file, written under another name and renamed, with a checksum: what is damaged is compiled anew. A
directory that others may write to is not used, since code from it is run. Entries that were not used for longest go
when there are too many. The environment variable TAUFORGE_CACHE names another directory, or is "off".
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..graph.node import OPERATIONS, SYMBOL
from ..program.program import PARAMETERS, Program
from ..targets import llvm
from ..targets.llvm_text import Vectors
from .compile import EFFORT, host

LIMIT = 1 << 28
"""Bytes that all entries may take together."""
_SIZE = 16  # of keys and checksums
_CODES = {op: i for i, op in enumerate(OPERATIONS)}
_ENDING = ".code"
_lock = threading.Lock()
_written = LIMIT  # bytes since entries were last counted: they are at the first chance


class Code(NamedTuple):
    """Object code: how many slots it needs, how many pieces it has for set-up and for blocks, its modules, and the
    numbers that it computes with, where these are not the Program's own.
    """

    slots: int
    setup: int
    body: int
    objects: tuple[bytes, ...]
    numbers: tuple[float, ...] | None = None

    def packed(self) -> bytes:
        """Return it as one text of bytes."""
        parts = self.objects if self.numbers is None else (*self.objects, np.array(self.numbers, "<f8").tobytes())
        own = self.numbers is not None
        head = np.array([self.slots, self.setup, self.body, own, *map(len, parts)], "<i8").tobytes()
        return len(head).to_bytes(8, "little") + head + b"".join(parts)

    @classmethod
    def unpacked(cls, data: bytes) -> Code:
        """Return it from its bytes."""
        start = 8 + int.from_bytes(data[:8], "little")
        slots, setup, body, own, *sizes = np.frombuffer(data[8:start], "<i8").tolist()
        ends = np.cumsum([start, *sizes]).tolist()
        parts = tuple(data[a:b] for a, b in pairwise(ends))
        if not own:
            return cls(slots, setup, body, parts)
        return cls(slots, setup, body, parts[:-1], tuple(np.frombuffer(parts[-1], "<f8").tolist()))


def obtained(what: Callable[[], bytes], make: Callable[[], Code], use: bool = True) -> Code:
    """Return code from the cache by what it is made from; or made now, and kept if the cache is to be used."""
    place = directory() if use else None
    if place is None:
        return make()
    key = blake2b(_machine() + what(), digest_size=_SIZE).hexdigest()
    path = place / f"{key}{_ENDING}"
    code = _read(path)
    if code is None:
        code = make()
        _write(path, code.packed())
    return code


def directory() -> Path | None:
    """Return the cache's directory, which is made if need be; None where there is none to use."""
    named = os.environ.get("TAUFORGE_CACHE", "")
    if named == "off":
        return None
    path = Path(named) if named else _usual()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = path.stat()
    except (OSError, RuntimeError):
        return None
    if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o022):
        _warn(path)
        return None
    return path


def content(program: Program, vectors: Vectors) -> bytes:
    """Return all of a Program that its code depends on; numbers do not belong to it, as they stand beside the code."""
    places = {node: i for i, node in enumerate(n for array in program.arguments.values() for n in array.nodes)}
    number: dict[object, int] = {}
    flat: list[int] = []
    for node in program.order:
        number[node] = len(number)
        args = node.args
        if args:
            flat += (_CODES[node.op], number[args[0]], number[args[-1]])
        else:
            flat += (_CODES[node.op], places[node] if node.op is SYMBOL else -1, 0)
    results = [number[node] for array in program.results.values() for node in array.nodes]
    sizes = [array.shape.size for array in program.arguments.values()]
    at = [*program.arguments].index(PARAMETERS) if PARAMETERS in program.arguments else -1
    options = [vectors.size, vectors.lanes, vectors.fused, llvm.WHOLE, llvm.PIECE, at]
    negatives = [*llvm.number_places(program).values()]  # which tell numbers that are the negatives of others
    lists = ([len(x), *x] for x in (options, negatives, sizes, results, flat))
    return np.array([x for numbers in lists for x in numbers], np.int64).tobytes()


@cache
def _machine() -> bytes:
    """Return what else code depends on: the processor, and the versions of what makes it."""
    sources = [*sorted(Path(llvm.__file__).parent.glob("llvm*.py")), *sorted(Path(__file__).parent.glob("*.py"))]
    made_by = b"".join(path.read_bytes() for path in sources)
    _, triple, cpu, features = host()
    text = f"{triple} {cpu} {features} {EFFORT} {version('llvmlite')} {sys.version_info[:2]}"
    return blake2b(text.encode() + made_by).digest()


def _usual() -> Path:
    """Return where the platform keeps what can be made again."""
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "tauforge" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "tauforge"
    given = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(given) if os.path.isabs(given) else Path.home() / ".cache") / "tauforge"


@cache
def _warn(path: Path) -> None:
    warnings.warn(
        f"{path} is not used as a cache, since others may write to it: take away their right, or name another "
        "directory by the environment variable TAUFORGE_CACHE",
        RuntimeWarning,
        stacklevel=2,
    )


def _read(path: Path) -> Code | None:
    """Return an entry, and note that it was used; None if there is none or it is damaged."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if blake2b(data[_SIZE:], digest_size=_SIZE).digest() != data[:_SIZE]:
        return None
    with suppress(OSError):  # another process may have removed it just now
        os.utime(path)
    return Code.unpacked(data[_SIZE:])


def _write(path: Path, data: bytes) -> None:
    """Keep an entry if that is possible; without it nothing but time is lost."""
    global _written
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(blake2b(data, digest_size=_SIZE).digest() + data)
        os.replace(file.name, path)
    except OSError:
        return
    with _lock:
        _written += len(data)
        if _written > LIMIT // 16:
            _written = 0
            _trim(path.parent)


def _trim(place: Path) -> None:
    """Remove what was not used for longest until the rest is small enough, and what was left half written."""
    found = []
    for item in os.scandir(place):
        try:
            status = item.stat()
        except OSError:
            continue
        found.append((status.st_mtime, status.st_size, item.path))
    total = sum(size for _, size, _ in found)
    for _, size, name in sorted(found):
        if total <= LIMIT:
            break
        try:
            os.unlink(name)
        except OSError:
            continue
        total -= size
