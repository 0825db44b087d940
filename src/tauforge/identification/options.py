"""Options of identifications, refused by name where they cannot be meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import IdentificationError

AUTO = "auto"


def whole(name: str, value: Any, least: int) -> int:
    """Return a whole number that is not too small."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise IdentificationError(f"{name} is {value!r}; it must be a whole number, {least} or more")
    return int(value)


def number(name: str, value: Any, what: str, zero: bool = False) -> float:
    """Return a positive number, or one that is not negative."""
    real = isinstance(value, int | float | np.number) and not isinstance(value, bool | np.complexfloating)
    if not real or not np.isfinite(value) or value < 0 or (value == 0 and not zero):
        raise IdentificationError(f"{name} is {value!r}; it must be {what}")
    return float(value)


def check_filtering(cutoff: Any, decimate: Any) -> None:
    """Refuse filters that do not exist."""
    if cutoff is not None and not (isinstance(cutoff, str) and cutoff == AUTO):
        number("cutoff", cutoff, "a positive frequency in Hz, 'auto', or None for no filter")
    if decimate is not None:
        whole("decimate", decimate, 1)


def check_work(rest: Any, workers: Any) -> None:
    """Refuse speeds of rest and workers that do not exist."""
    number("rest", rest, "a speed, 0 or more", zero=True)
    if workers is None or hasattr(workers, "submit"):
        return
    if not isinstance(workers, int | np.integer):
        raise IdentificationError(f"workers is {workers!r}; give a number of threads, an executor or a Dask client")
    whole("workers", workers, 1)


def terms(friction: Any) -> tuple[str, ...]:
    """Return the terms of friction as a tuple of their names."""
    if isinstance(friction, str):
        return (friction,)
    if not isinstance(friction, Iterable):
        raise IdentificationError(f"friction is {friction!r}; give its terms, such as ('FV', 'FS'), or () for none")
    return tuple(friction)
