"""Threads: a call split over the batch. Compiled loops release the interpreter lock and run in parallel."""

from __future__ import annotations

import math
import operator
import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError

PAYS = 2e7
"""How many operations make a call worth splitting: about a millisecond of work."""
_PARTS = 16  # parts per thread at most, so that a slow one delays little


def available() -> int:
    """Return how many threads can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def asked(program: str, threads: Any) -> int:
    """Return how many threads to use on a caller's request; more than the pool has gain nothing."""
    try:
        count = 0 if isinstance(threads, (bool, np.bool_)) else operator.index(threads)
    except TypeError:
        count = 0
    if count < 1:
        raise ProgramError(f"{program}: threads is {threads!r}; it must be a whole number of at least 1, or None")
    return min(count, _most())


def in_parts(
    function: Callable[..., Any], arrays: Sequence[NDArray[Any]], least: float, batch: tuple[int, ...], threads: int
) -> None:
    """Call a function on parts of arrays, split along the longest of the leading axes ``batch``, in several threads.

    If there are more parts than threads, each part has at least ``least`` states.
    """
    axis = int(np.argmax(batch))
    length = batch[axis]
    count = min(length, _PARTS * threads, max(threads, int(math.prod(batch) / least)))
    bounds = [length * i // count for i in range(count + 1)]
    parts = deque(slice(a, b) for a, b in pairwise(bounds))
    before = (slice(None),) * axis
    errors: Any = {**np.geterr(), "call": np.geterrcall()}

    def work() -> None:
        with np.errstate(**errors):
            while parts:
                try:
                    part = parts.popleft()
                except IndexError:
                    return
                function(*(array[(*before, part)] for array in arrays))

    helpers = [_pool().submit(work) for _ in range(min(threads, count) - 1)]
    try:
        work()
    finally:
        parts.clear()
        running = [helper for helper in helpers if not helper.cancel()]
        errors_there = [helper.exception() for helper in running]
    for error in filter(None, errors_there):
        raise error


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_most(), "tauforge")


def _most() -> int:
    return max(32, available())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork
