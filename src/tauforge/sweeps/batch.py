"""A batch of cases, as a worker computes it."""

from __future__ import annotations

import inspect
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import TauforgeError
from ..progress import silence
from .cases import OF_CASES, Ints
from .outputs import Layout, Outputs, outputs_of

LONGEST = 4000
"""Characters of a message or traceback that are kept."""


class Pack(NamedTuple):
    """Results of cases whose arrays have the same names and shapes, stacked."""

    places: Ints
    layout: Layout
    arrays: dict[str, NDArray[Any]]


class Fault(NamedTuple):
    """Why a case failed."""

    error: str
    traceback: str = ""


@dataclass
class Finished:
    """What a batch has given.

    Attributes
    ----------
    packs
        Results of cases that are done.
    faults
        Errors of those that failed, by their places.
    seconds
        How long the batch took.
    """

    packs: list[Pack] = field(default_factory=list)
    faults: dict[int, Fault] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def count(self) -> int:
        """How many cases ran."""
        return len(self.faults) + sum(len(pack.places) for pack in self.packs)

    @property
    def size(self) -> int:
        """How many bytes the results have."""
        return sum(x.nbytes for pack in self.packs for x in pack.arrays.values())


@dataclass(frozen=True)
class Work:
    """What all cases have in common.

    Attributes
    ----------
    function
        Called with the parameters of each case.
    fixed
        Its other arguments.
    objects
        Values that batches name by their number.
    entropy
        The seed of the generators that cases get as ``rng``; None if they take none.
    """

    function: Callable[..., Any]
    fixed: dict[str, Any]
    objects: dict[str, list[Any]]
    entropy: int | None = None

    def batch(self, places: Ints, sent: dict[str, Any], stop: threading.Event | None = None) -> Finished:
        """Compute some cases, until told to stop."""
        start, found, results = time.perf_counter(), Finished(), list[tuple[int, Outputs]]()
        values = {
            name: [self.objects[name][k] for k in column] if name in self.objects else column
            for name, column in sent.items()
        }
        with silence():
            for k, place in enumerate(places.tolist()):
                if stop is not None and stop.is_set():
                    break
                try:
                    arguments = {name: column[k] for name, column in values.items()} | self.fixed
                    results.append((place, self._case(place, arguments)))
                except Exception as error:
                    found.faults[place] = _fault(error)
        found.packs = _packed(results)
        found.seconds = time.perf_counter() - start
        return found

    def _case(self, place: int, arguments: dict[str, Any]) -> Outputs:
        if self.entropy is not None:
            stream = np.random.SeedSequence(self.entropy, spawn_key=(OF_CASES, place))
            arguments["rng"] = np.random.default_rng(stream)
        return outputs_of(self.function(**arguments))


def takes_rng(function: Callable[..., Any]) -> bool:
    """Tell whether a function has a parameter ``rng``."""
    try:
        return "rng" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def _fault(error: Exception) -> Fault:
    """Return what is kept of an error: its message, and where it came from below this file."""
    message = str(error) if isinstance(error, TauforgeError) else f"{type(error).__name__}: {error}"
    frames = traceback.TracebackException.from_exception(error)
    frames.stack = traceback.StackSummary.from_list([x for x in frames.stack if x.filename != __file__])
    text = "".join(frames.format())
    return Fault(message[:LONGEST] or type(error).__name__, text[-LONGEST:])


def _packed(results: list[tuple[int, Outputs]]) -> list[Pack]:
    """Return results stacked, as far as their arrays have the same names, shapes and types."""
    return merged(
        [
            Pack(np.array([place]), outputs.layout, {name: x[None] for name, x in outputs.arrays.items()})
            for place, outputs in results
        ]
    )


def merged(packs: list[Pack]) -> list[Pack]:
    """Return packs with the same layout, shapes and types as one."""
    alike: dict[Any, list[Pack]] = {}
    for pack in packs:
        shapes = tuple((x.shape[1:], x.dtype.str) for x in pack.arrays.values())
        alike.setdefault((pack.layout, shapes), []).append(pack)
    return [
        Pack(
            np.concatenate([pack.places for pack in group]),
            layout,
            {name: np.concatenate([pack.arrays[name] for pack in group]) for name in group[0].arrays},
        )
        for (layout, _), group in alike.items()
    ]


@lru_cache(maxsize=4)
def unpacked(data: bytes) -> Work:
    """Return the work that was sent to this process, the same object for every batch: its models stay compiled."""
    from cloudpickle import loads

    work: Work = loads(data)
    return work


def batch_of(data: bytes, places: Ints, sent: dict[str, Any]) -> Finished:
    """Compute some cases on a worker of a cluster."""
    return unpacked(data).batch(places, sent)
