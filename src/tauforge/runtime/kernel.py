"""The kernel: what all compiled Programs of a type share, compiled once in a process and never freed."""

from __future__ import annotations

import ctypes
import sys
import threading
from functools import cache
from typing import NamedTuple

import llvmlite.binding as llvm

from ..errors import TauforgeError
from ..targets.llvm_functions import LIBRARY, PREFIX, SERVICES, service
from ..targets.llvm_kernel import LOOP, kernel
from ..targets.llvm_text import Vectors
from .compile import Library, object_code

_lock = threading.Lock()


class Kernel(NamedTuple):
    """The kernel in memory."""

    library: Library
    loop: int


def load_kernel(vectors: Vectors) -> Kernel:
    """Return the kernel for a type, its services known to LLVM by name."""
    with _lock:
        return _load(vectors)


@cache
def _load(vectors: Vectors) -> Kernel:
    _provide_library()
    library = Library([object_code(kernel(vectors))])
    for name in SERVICES:
        llvm.add_symbol(service(name, vectors), library.address(service(name, vectors)))
    return Kernel(library, library.address(LOOP))


@cache
def _provide_library() -> None:
    """Make the C library's functions known under our own names."""
    names = [*LIBRARY, "malloc", "free"]
    library = c_library(names)
    for name in names:
        llvm.add_symbol(PREFIX + name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value)


def c_library(functions: list[str]) -> ctypes.CDLL:
    """Return the library that has the functions."""
    names = ["ucrtbase", "msvcrt"] if sys.platform == "win32" else [None, "libm.so.6", "libSystem.dylib"]
    for name in names:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        if all(hasattr(library, function) for function in functions):
            return library
    raise TauforgeError(f"no C library here has the functions {', '.join(functions)}; tried {names}")
