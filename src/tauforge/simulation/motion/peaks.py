"""The largest values of functions of time, between samples too.

Time is cut into cells. In each, a function is replaced by the polynomial of degree 5 through its values at six points,
which bounds it: no polynomial exceeds the largest of its Bernstein coefficients. Values at five points between these
tell how far the function is from the polynomial; velocities and accelerations of polynomial motions are the polynomial
itself. Where the bound is beyond a limit, the cell is halved: the bound comes nearer by a factor of four, and the
polynomial by one of sixty-four.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .checks import Floats

DEGREE = 5
INSET = 1e-9
"""Part of a cell between its ends, where accelerations and friction can jump, and the points next to them."""
SAFETY = 2.0
"""How many times as far as at the points between, a function may be from its polynomial."""
NARROW = 1e-12
"""Part of the duration below which a cell is not halved: what is left in it is a jump."""
NOISE = 1e-5
"""Part of a limit below which a distance from the polynomial that neither half of a cell reduces is rounding."""


def _points() -> Floats:
    """Return Chebyshev's points between 0 and 1; every other one carries the polynomial."""
    return np.asarray(INSET + (1.0 - 2.0 * INSET) * (0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, 2 * DEGREE + 1))))


def _bernstein(x: Floats) -> Floats:
    columns = (comb(DEGREE, k) * x**k * (1.0 - x) ** (DEGREE - k) for k in range(DEGREE + 1))
    return np.stack([*columns], axis=1)


POINTS = _points()
_CARRIERS, _BETWEEN = POINTS[::2], POINTS[1::2]
_COEFFICIENTS = np.linalg.inv(_bernstein(_CARRIERS))
"""From values at the carriers to Bernstein coefficients."""
_PREDICTED = _bernstein(_BETWEEN) @ _COEFFICIENTS
"""From values at the carriers to those of the polynomial between them."""


class Cells(NamedTuple):
    """Parts of a motion: where they start and end, (cells)."""

    start: Floats
    end: Floats

    @classmethod
    def between(cls, edges: Floats, fewest: int) -> Cells:
        """Return cells between edges, at least so many of about the same width where edges leave room."""
        widths = np.diff(edges)
        counts = np.ceil(fewest * widths / widths.sum() * (1.0 - 1e-12)).astype(int) if fewest else np.ones(len(widths))
        inner = [edges[k] + widths[k] * np.arange(int(n)) / n for k, n in enumerate(np.maximum(counts, 1))]
        every = np.unique(np.append(np.concatenate(inner), edges[-1]))
        return cls(every[:-1], every[1:])

    @property
    def times(self) -> Floats:
        """Where functions are evaluated, (cells, points)."""
        return np.asarray(self.start[:, None] + (self.end - self.start)[:, None] * POINTS)

    def of(self, some: NDArray[np.bool_]) -> Cells:
        """Return some of the cells."""
        return Cells(self.start[some], self.end[some])

    def halved(self) -> Cells:
        """Return both halves of all cells."""
        middle = 0.5 * (self.start + self.end)
        return Cells(np.concatenate([self.start, middle]), np.concatenate([middle, self.end]))


class Ceiling(NamedTuple):
    """What functions in cells do not exceed, and how far functions are from their polynomials, (cells, k)."""

    value: Floats
    error: Floats


def ceiling(values: Floats, *, signed: bool = False) -> Ceiling:
    """Return the bounds of functions, or of their absolute values, from their values (cells, points, k)."""
    carried = values[:, ::2]
    coefficients = np.einsum("ij,cjk->cik", _COEFFICIENTS, carried)
    off = np.abs(np.einsum("ij,cjk->cik", _PREDICTED, carried) - values[:, 1::2]).max(axis=1)
    return Ceiling((coefficients if signed else np.abs(coefficients)).max(axis=1), SAFETY * off)
