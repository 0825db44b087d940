"""Recordings as sources of states: checked, at equal time steps, and with the way to filter them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .checks import fitting
from .columns import Columns
from .options import check_filtering
from .recording import Recording, listed
from .signals import even, filters
from .states import Source


def sources_of(
    found: Columns,
    recordings: Sequence[Recording],
    *,
    cutoff: float | str | None,
    decimate: int | None,
) -> list[Source]:
    """Return recordings with the way to filter each."""
    check_filtering(cutoff, decimate)
    sources, weights = [], np.ones(len(found.rows))
    for number, given in enumerate(listed(recordings)):
        recording = even(fitting(given, found.robot))
        how = filters(recording, cutoff, decimate)
        trim = min(how.halo // 2, len(recording) // 20)
        sources.append(Source(recording, how, found, trim, len(recording) - trim, number, weights))
    return sources
