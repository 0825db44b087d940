"""The clock of a simulation: methods count seconds from the start, users give and get times on their own clock.

Numbers near zero are dense: at a Unix time of 1.7e9, neighbouring numbers are 2.4e-7 s apart, and steps, samples and
references would be rounded to that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .motion.laws import counted_from as law_counted_from
from .motion.motion import Motion

Floats = NDArray[np.float64]


class Clock(NamedTuple):
    """When a simulation starts, how long it takes, and when results are wanted.

    Attributes
    ----------
    start
        The first time, on the user's clock.
    duration
        Seconds from the first time to the last.
    times
        Times of the results, on the user's clock; None for those of the steps.
    """

    start: float
    duration: float
    times: Floats | None

    @property
    def seconds(self) -> Floats | None:
        """Times of the results, in seconds since the start."""
        return None if self.times is None else self.times - self.start

    def users(self, seconds: Floats) -> Floats:
        """Return times on the user's clock; results have exactly the times that were asked for."""
        found: Floats = self.start + seconds
        if self.times is not None:
            asked, wanted = self.times - self.start, self.times
            place = np.minimum(np.searchsorted(asked, seconds), len(wanted) - 1)
            found = np.where(asked[place] == seconds, wanted[place], found)
        return found

    def law(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function whose first argument is time on the user's clock as one of the seconds since the start."""
        start = self.start
        return (lambda s, *state: function(start + s, *state)) if start else function

    def said(self, seconds: float) -> str:
        """Return a time for a message."""
        return said(self.start + seconds)


def said(t: float) -> str:
    """Return a time for a message, to the microsecond where it is large."""
    return f"{t:g}" if abs(t) < 1e5 else f"{t:.6f}".rstrip("0").rstrip(".")


@lru_cache(maxsize=32)
def counted_from(motion: Motion, start: float) -> Motion:
    """Return a motion as a function of the seconds since a time."""
    return replace(
        motion,
        law=law_counted_from(motion.law, start),
        start=motion.start - start,
        end=motion.end - start,
        corners=tuple(t - start for t in motion.corners),
    )
