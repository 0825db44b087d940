"""Direct calls: a callable for Python that runs no step in Python or in NumPy's machinery.

It relies on the layout of CPython's objects, which is first tested on an array; if the layout differs, calls go through
the ufunc.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

from ..llvm.arrays import has_empty
from ..llvm.one_state_call import CALL, SYMBOLS, Fields, Record, call
from ..llvm.trigonometry import PREFIX
from ..program.program import Program
from .build import Loaded
from .compile import host
from .kernel import c_library, load_shared
from .ufunc import numpy_function
from .ufunc_call import UfuncCall

_NEW = 93  # index of PyArray_New in NumPy's table, which is part of its ABI
_FASTCALL = 0x80 | 0x02  # METH_FASTCALL | METH_KEYWORDS
_EXCEPTIONS = {"x86_64": 0x1D, "aarch64": 0x0F, "arm64": 0x0F}  # invalid, divide, overflow, underflow
_OUT, _THREADS, _ONE = sys.intern("out"), sys.intern("threads"), 1  # the objects that calls have for these words
_lock = threading.Lock()


class _Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("code", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("text", ctypes.c_char_p),
    )


def one_state_call(
    program: Program, loaded: Loaded, single: Callable[[], Loaded] | None, dtype: np.dtype[Any], general: UfuncCall
) -> Any:
    """Return a callable for common calls that passes all others to the general one; or the general one.

    What ``single`` returns is for single states; it is called when the first one comes.
    """
    with _lock:
        method = _method(general.warn)
    shapes = [*program.outputs.values()]
    if method is None or has_empty(program) or not shapes or not all(shapes):
        return general
    record = Record(
        array_type=id(np.ndarray),
        dtype=id(dtype),
        tuple_type=id(tuple),
        dtype_number=dtype.num,
        item=dtype.itemsize,
        out=id(_OUT),
        threads=id(_THREADS),
        one=id(_ONE),
        none=id(None),
        loop=loaded.loop,
        plan=ctypes.addressof(loaded.plan),
        single_loop=0 if single else loaded.loop,
        single_plan=0 if single else ctypes.addressof(loaded.plan),
        most=general.most,
        inputs=[*program.inputs.values()],
        outputs=shapes,
    )
    table = np.array(record.table(), np.int64)
    capsule = _capsule()(table.ctypes.data, None, None)
    made: list[Loaded] = []  # lives as long as the callable

    def prepare() -> None:
        assert single is not None
        made.append(single())
        table[Record.place("single_plan")] = ctypes.addressof(made[-1].plan)
        table[Record.place("single_loop")] = made[-1].loop

    return _function()(ctypes.byref(method), (capsule, general, general.results, prepare, table), None)


@cache
def _method(warn: bool) -> _Method | None:
    """Return Python's description of the compiled function, with warnings or without; None if objects have a different
    layout.
    """
    fields = Fields.after(object.__basicsize__)
    exceptions = _EXCEPTIONS.get(host().triple.split("-")[0])
    if exceptions is None or sys.platform == "win32" or not _holds(fields):
        return None
    addresses = {name: _python(name) for name in SYMBOLS if name.startswith("Py")}
    addresses["fetestexcept"] = ctypes.cast(c_library(["fetestexcept"]).fetestexcept, ctypes.c_void_p).value
    for name, address in addresses.items():
        llvm.add_symbol(PREFIX + name, address)
    library = load_shared(call(fields, exceptions if warn else 0))
    method = _Method(b"Function", library.address(CALL), _FASTCALL, b"")
    method.library = library  # lives as long
    return method


def _holds(fields: Fields) -> bool:
    """Tell whether the parts of an array are in these places."""
    if sys.implementation.name != "cpython" or np.ndarray.__basicsize__ < fields.flags + 4:
        return False
    probe = np.zeros((2, 3))

    def read(kind: Any, place: int) -> Any:
        return kind.from_address(id(probe) + place).value

    shape, strides = (read(ctypes.c_void_p, place) for place in (fields.shape, fields.strides))
    return (
        ctypes.sizeof(ctypes.c_void_p) == 8
        and read(ctypes.c_void_p, fields.data - 8) == id(np.ndarray)
        and read(ctypes.c_void_p, fields.data) == probe.ctypes.data
        and read(ctypes.c_int, fields.rank) == 2
        and read(ctypes.c_void_p, fields.dtype) == id(probe.dtype) == id(np.dtype(float))
        and read(ctypes.c_int, fields.flags) == probe.flags.num
        and [*(ctypes.c_int64 * 2).from_address(shape)] == [2, 3]
        and [*(ctypes.c_int64 * 2).from_address(strides)] == [24, 8]
        and _tuple_holds(fields)
    )


def _tuple_holds(fields: Fields) -> bool:
    """Tell whether the length and the items of a tuple are in their places."""
    probe = (fields, None)
    items = [*(ctypes.c_int64 * 3).from_address(id(probe) + fields.data)]
    return items == [len(probe), id(fields), id(None)]


def _python(name: str) -> int | None:
    """Return the address of a function of Python or of NumPy."""
    if name != "PyArray_New":
        return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
    return numpy_function(_multiarray_umath._ARRAY_API, _NEW)


@cache
def _capsule() -> Any:
    kind = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return kind(("PyCapsule_New", ctypes.pythonapi))


@cache
def _function() -> Any:
    kind = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
    return kind(("PyCFunction_NewEx", ctypes.pythonapi))
