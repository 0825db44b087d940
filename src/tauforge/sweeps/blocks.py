"""Arrays on disk by blocks of consecutive cases, one chunk each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cases import Ints

Recent = dict[tuple[str, tuple[int, ...], int], NDArray[Any]]
"""Blocks that were written last, so that they need not be read again: by array, shape and first case."""
REMEMBERED = 64
"""How many of them are kept."""


@dataclass(frozen=True)
class Blocks:
    """A grid of cases cut into blocks, which are boxes of the grid and hold consecutive cases.

    Attributes
    ----------
    shape
        The lengths of the dimensions of all cases.
    largest
        How many cases a block has at most.
    """

    shape: tuple[int, ...]
    largest: int

    @cached_property
    def box(self) -> tuple[int, ...]:
        """The lengths of a block: whole dimensions at the end, a part of one, and single places before it."""
        left, box = max(1, self.largest), list[int]()
        for length in reversed(self.shape):
            box.append(max(1, min(length, left)))
            left = left // length if box[-1] == length else 0
        return tuple(reversed(box))

    def touched(self, places: Ints) -> list[tuple[tuple[slice, ...], Ints, NDArray[np.bool_]]]:
        """Return for each block with some of these cases its slices, all its cases, and which of ``places`` it has."""
        corner = np.array(np.unravel_index(places, self.shape)) // np.array(self.box)[:, None]
        grid = [-(-n // b) for n, b in zip(self.shape, self.box, strict=True)]
        number = np.ravel_multi_index(tuple(corner), tuple(grid))
        found = []
        for block in np.unique(number):
            corners = np.unravel_index(block, grid)
            slices = tuple(
                slice(int(k) * b, min(n, (int(k) + 1) * b))
                for k, b, n in zip(corners, self.box, self.shape, strict=True)
            )
            first = int(np.ravel_multi_index(tuple(s.start for s in slices), self.shape))
            count = math.prod(s.stop - s.start for s in slices)
            found.append((slices, np.arange(first, first + count), number == block))
        return found

    def write(self, array: Any, places: Ints, values: NDArray[Any], recent: Recent) -> None:
        """Write values of some cases, which can be smaller than the array along further axes."""
        inner = tuple(slice(0, n) for n in values.shape[1:])
        for slices, cases, here in self.touched(places):
            rest = array.shape[len(self.shape) :]
            if here.sum() == len(cases) and values.shape[1:] == rest:
                block = np.empty((len(cases), *rest), values.dtype)
            else:
                key = array.name, array.shape, int(cases[0])
                read = key not in recent
                block = np.asarray(array[slices]).reshape(len(cases), *rest) if read else recent.pop(key)
                recent[key] = block
                while len(recent) > REMEMBERED:
                    del recent[next(iter(recent))]
            block[(places[here] - cases[0], *inner)] = values[here]
            array[slices] = block.reshape(*(s.stop - s.start for s in slices), *rest)
