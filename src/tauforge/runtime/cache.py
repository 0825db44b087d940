"""The cache: object code, kept under a key of everything it depends on, so that nothing is compiled twice.

store.py decides where and how it is kept.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .. import store
from ..graph.operations import OPERATIONS, SYMBOL
from ..llvm import pieces
from ..llvm.vectors import Vectors
from ..program.program import PARAMETERS, Program
from .compile import EFFORT, host

_CODES = {op: i for i, op in enumerate(OPERATIONS)}


class Code(NamedTuple):
    """Object code: how many slots it needs, how many pieces it has for set-up and for blocks, and its modules."""

    slots: int
    setup: int
    body: int
    objects: tuple[bytes, ...]

    def packed(self) -> bytes:
        """Return the code as bytes."""
        head = np.array([self.slots, self.setup, self.body, *map(len, self.objects)], "<i8").tobytes()
        return len(head).to_bytes(8, "little") + head + b"".join(self.objects)

    @classmethod
    def unpacked(cls, data: bytes) -> Code:
        """Return code from its bytes; raise a ValueError if they are something else."""
        start = 8 + int.from_bytes(data[:8], "little")
        slots, setup, body, *sizes = np.frombuffer(data[8:start], "<i8").tolist()
        ends = [*accumulate([start, *sizes])]
        if ends != sorted(ends) or ends[-1] != len(data):
            raise ValueError("sizes that do not add up")
        return cls(slots, setup, body, tuple(data[a:b] for a, b in pairwise(ends)))


def obtained(what: Callable[[], bytes], make: Callable[[], Code], use: bool = True) -> Code:
    """Return code from the cache, or compile it now and keep it if the cache is used."""
    place = store.directory() if use else None
    if place is None:
        return make()
    key = blake2b(_machine() + what(), digest_size=store.SIZE).hexdigest()
    data = store.read(place, key)
    if data is not None:
        with suppress(ValueError):
            return Code.unpacked(data)
    code = make()
    store.write(place, key, code.packed())
    return code


def content(program: Program, vectors: Vectors) -> bytes:
    """Return everything in a Program that its code depends on, without its constants, which are not in the code."""
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
    options = [vectors.size, vectors.lanes, vectors.fused, vectors.assembly, pieces.WHOLE, pieces.PIECE, at]
    negatives = [*pieces.number_places(program).values()]  # these tell which numbers are the negatives of others
    lists = ([len(x), *x] for x in (options, negatives, sizes, results, flat))
    return np.array([x for numbers in lists for x in numbers], np.int64).tobytes()


@cache
def _machine() -> bytes:
    """Return what else code depends on: the processor and the versions of the software that makes it."""
    sources = [*sorted(Path(pieces.__file__).parent.glob("*.py")), *sorted(Path(__file__).parent.glob("*.py"))]
    made_by = b"".join(path.read_bytes() for path in sources)
    _, triple, cpu, features = host()
    text = f"{triple} {cpu} {features} {EFFORT} {version('llvmlite')} {sys.version_info[:2]}"
    return blake2b(text.encode() + made_by).digest()
