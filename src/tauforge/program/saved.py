"""Results of long searches, kept in the user's cache directory and found again for the same graph.

What is read is only data: a graph in plain rows, which is certified again before anybody gets it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from pathlib import Path

from .. import store
from ..errors import TauforgeError
from ..graph.pickling import flattened, restored
from .program import Program


def kept(
    program: Program, starts: Sequence[Program], options: object, make: Callable[[], tuple[Program, bool]]
) -> Program:
    """Return what was found for a Program, from some starts and with some options, before; or make it now, and keep it.

    ``make`` returns the Program itself if there is nothing better, which is kept too, and whether its search was
    complete: if not, nothing is kept.
    """
    place = store.directory()
    if place is None:
        return make()[0]
    key = blake2b(_sources() + _content([program, *starts], options), digest_size=store.SIZE).hexdigest()
    data = store.read(place, key)
    if data is not None:
        try:
            return _read(program, json.loads(data))
        except (ValueError, LookupError, TypeError, RecursionError, TauforgeError):  # damaged, or from another version
            pass
    made, complete = make()
    if complete:
        store.write(place, key, json.dumps(None if made is program else _plain(made)).encode())
    return made


def _plain(program: Program) -> dict[str, object]:
    """Return a Program's graph as plain data."""
    outputs = [node for array in program.results.values() for node in array.nodes]
    rows, number = flattened(outputs)
    names = [(number[node], name) for node, name in program.names.items() if node in number]
    return {"rows": rows, "outputs": [number[node] for node in outputs], "names": names}


def _read(program: Program, data: dict[str, list[tuple[int, str]]] | None) -> Program:
    """Return a Program with the graph that was kept."""
    if data is None:
        return program
    nodes = restored((op, tuple(args), value) for op, args, value in data["rows"])  # type: ignore[misc]
    kept_outputs = [nodes[int(i)] for i in data["outputs"]]  # type: ignore[call-overload]
    if len(kept_outputs) != sum(len(array.nodes) for array in program.results.values()):
        raise ValueError("outputs of another Program")
    outputs = iter(kept_outputs)
    results = {
        name: replace(array, nodes=tuple(next(outputs) for _ in array.nodes)) for name, array in program.results.items()
    }
    made = replace(program, results=results, names={nodes[i]: name for i, name in data["names"]})
    made.check()
    return made


def _content(programs: Sequence[Program], options: object) -> bytes:
    """Return all that a search depends on."""
    return repr(([_plain(each) for each in programs], programs[0].parameters, options)).encode()


@cache
def _sources() -> bytes:
    """Return a digest of the code that searches: its results depend on it."""
    room = Path(__file__).parent
    paths = [
        room / "search.py",
        room / "accuracy.py",
        *sorted(room.glob("network/*.py")),
        *sorted(room.glob("passes/*.py")),
    ]
    return blake2b(b"".join(path.read_bytes() for path in paths)).digest()
