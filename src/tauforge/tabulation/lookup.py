"""Compiled reading of tables: values on a grid, interpolated linearly along each of its dimensions."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..llvm.lookup import LOOKUP, Dimension, module
from ..runtime.compile import Library, object_code


class Lookup:
    """Reads a table, whose last axis counts the values at a point: coordinates (m, n) -> values (m, width).

    Beyond the ends of a dimension that does not close, values are extrapolated; NaN gives NaN.
    """

    def __init__(self, dimensions: Sequence[tuple[int, float, float, int, bool]], values: NDArray[np.float64]) -> None:
        self._dimensions = tuple(Dimension(*dimension) for dimension in dimensions)
        self._values = np.ascontiguousarray(values)
        self._width = values.shape[-1]
        self._library = Library([object_code(module(self._dimensions, self._width))])
        pointers = [ctypes.c_void_p] * 3
        signature = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, *pointers)
        self._function = signature(self._library.address(LOOKUP))

    def __call__(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        q = np.ascontiguousarray(q)
        found = np.empty((len(q), self._width))
        self._function(*q.shape, q.ctypes.data, self._values.ctypes.data, found.ctypes.data)
        return found

    def __reduce__(self) -> tuple[object, ...]:
        return Lookup, (self._dimensions, self._values)
