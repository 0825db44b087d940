"""How to integrate: the methods there are, and the options of a run."""

from __future__ import annotations

from contextlib import suppress
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ProgramError
from ..runtime.threads import asked
from .tableaus import COMPILED, tableau

SCIPY = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")
SUNDIALS = ("CVODE", "IDA")
METHODS = (*SCIPY, *COMPILED, *SUNDIALS)
IMPLICIT = ("Radau", "BDF", "LSODA")
"""SciPy's methods that take a Jacobian."""

LINEARISING = ("Radau", *(name for name in COMPILED if not tableau(name).is_explicit))
"""Methods whose steps follow the slopes of a single state, or nearly so."""


class Options(NamedTuple):
    """How to integrate."""

    method: str
    rtol: float
    atol: Any
    max_step: float
    max_steps: int | None = None
    threads: int | None = None


def options(
    method: str,
    rtol: float,
    atol: ArrayLike,
    max_step: float,
    max_steps: int | None,
    smoothing: float,
    threads: int | None,
) -> Options:
    """Return the options, or say which is wrong."""
    if method not in METHODS:
        raise ProgramError(f"unknown method {method!r}; choose among {', '.join(map(repr, METHODS))}")
    lowest = 100.0 * np.finfo(float).eps
    if not (_is_number(rtol) and lowest <= rtol < 1.0):
        raise ProgramError(f"rtol is {rtol!r}; it must be at least {lowest:.2g} and less than 1")
    if not (_is_number(max_step) and max_step > 0.0):
        raise ProgramError(f"max_step is {max_step!r}; it must be positive")
    if max_steps is not None and (isinstance(max_steps, bool) or not isinstance(max_steps, int) or max_steps < 1):
        raise ProgramError(f"max_steps is {max_steps!r}; it must be a whole number of at least 1, or None")
    if not (_is_number(smoothing) and 0.0 <= smoothing < np.inf):
        raise ProgramError(f"smoothing is {smoothing!r}; it must be zero or a positive velocity")
    chosen = None if threads is None else asked("simulate", threads)
    return Options(method, float(rtol), atol, float(max_step), max_steps, chosen)


def _is_number(x: object) -> bool:
    if not isinstance(x, Real) or isinstance(x, bool):
        return False
    with suppress(OverflowError):
        float(x)
        return True
    return False
