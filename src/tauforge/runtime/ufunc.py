"""A NumPy generalized ufunc around a compiled loop.

NumPy then handles everything as for its own functions, at their speed: broadcasting, strides, casts, ``out``,
overlapping memory, and releasing the interpreter lock. Its C API is called through ctypes, so no extension has to be
built.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

_FROM_SIGNATURE = 31  # index of PyUFunc_FromFuncAndDataAndSignature in NumPy's table, which is part of its ABI
_NO_IDENTITY = -1  # PyUFunc_None


def generalized_ufunc(
    loop: int,
    plan: int,
    dtype: np.dtype[Any],
    name: str,
    shapes: tuple[Sequence[Sequence[int]], Sequence[Sequence[int]]],
) -> tuple[np.ufunc, object]:
    """Return a ufunc that calls the loop with the plan, both given by address, and what must be kept alive with it."""
    inputs, outputs = shapes
    signature = f"{_dimensions(inputs)}->{_dimensions(outputs)}".encode()
    loops, data = (ctypes.c_void_p * 1)(loop), (ctypes.c_void_p * 1)(plan)
    types = bytes([dtype.num]) * (len(inputs) + len(outputs))
    texts = name.encode(), b"", signature
    ufunc = _constructor()(loops, data, types, 1, len(inputs), len(outputs), _NO_IDENTITY, *texts[:2], 0, signature)
    return ufunc, (loops, data, types, texts)


def _dimensions(shapes: Sequence[Sequence[int]]) -> str:
    """Return shapes as a signature; a size of zero, which is not allowed there, gets a name."""
    return ",".join(f"({','.join(str(n or 'none') for n in shape)})" for shape in shapes)


def numpy_function(tables: object, place: int) -> int:
    """Return the address of a function of NumPy's C API, from one of its capsules of tables."""
    kind = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    table = kind(("PyCapsule_GetPointer", ctypes.pythonapi))(tables, None)
    return int(ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))[place])


@cache
def _constructor() -> Any:
    text, number, address = ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p
    kind = ctypes.PYFUNCTYPE(
        ctypes.py_object, address, address, text, number, number, number, number, text, text, number, text
    )
    return kind(numpy_function(_multiarray_umath._UFUNC_API, _FROM_SIGNATURE))
