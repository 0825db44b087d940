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
from typing import Any

from .. import store
from ..errors import TauforgeError
from ..graph.operations import NEG
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
            return _read(program, starts, json.loads(data))
        except (ValueError, LookupError, TypeError, RecursionError, TauforgeError):  # damaged, or from another version
            pass
    made, complete = make()
    if complete:
        found = None if made is program else _plain(made) | {"start": _start(made, starts)}
        store.write(place, key, json.dumps(found).encode())
    return made


def _start(made: Program, starts: Sequence[Program]) -> int:
    """Return which start a Program was made from: that whose heading it has, which lists the robot's parameters."""
    return next((i for i, start in enumerate(starts) if start.heading is made.heading), 0)


def _plain(program: Program) -> dict[str, object]:
    """Return a Program's graph as plain data."""
    outputs = [node for array in program.results.values() for node in array.nodes]
    computed = {*program.order}
    named = {
        node: name for node, name in program.names.items() if (node.args[0] if node.op is NEG else node) in computed
    }
    rows, number = flattened([*outputs, *named])
    names = [(number[node], name) for node, name in named.items()]
    return {"rows": rows, "outputs": [number[node] for node in outputs], "names": names}


def _read(program: Program, starts: Sequence[Program], data: dict[str, Any] | None) -> Program:
    """Return a Program, or one of its starts, with the graph that was kept."""
    if data is None:
        return program
    start: Program = starts[data["start"]]
    nodes = restored((op, tuple(args), value) for op, args, value in data["rows"])
    kept_outputs = [nodes[int(i)] for i in data["outputs"]]
    if len(kept_outputs) != sum(len(array.nodes) for array in start.results.values()):
        raise ValueError("outputs of another Program")
    outputs = iter(kept_outputs)
    results = {
        name: replace(array, nodes=tuple(next(outputs) for _ in array.nodes)) for name, array in start.results.items()
    }
    made = replace(start, results=results, names={nodes[i]: name for i, name in data["names"]})
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
