"""The kernel: the code that all compiled Programs of a type share, compiled once per process and never freed."""

from __future__ import annotations

import ctypes
import sys
import threading
from functools import cache

import llvmlite.binding as llvm

from ..errors import TauforgeError
from ..graph.operations import LIBRARY
from ..llvm.kernel import LOOP, kernel
from ..llvm.trigonometry import PREFIX, SERVICES, service
from ..llvm.vectors import Vectors
from .cache import Code, obtained
from .compile import Library, object_code

_lock = threading.Lock()


def load_kernel(vectors: Vectors) -> int:
    """Return the address of the kernel's loop for a type; its services are then known to LLVM by name."""
    with _lock:
        return _load(vectors).address(LOOP)


def load_shared(text: str) -> Library:
    """Return a module in memory that is the same for all Programs."""
    code = obtained(text.encode, lambda: Code(0, 0, 0, (object_code(text, passes=True),)))
    return Library(code.objects)


@cache
def _load(vectors: Vectors) -> Library:
    _provide_library()
    library = load_shared(kernel(vectors))
    for name in SERVICES:
        llvm.add_symbol(service(name, vectors), library.address(service(name, vectors)))
    return library


@cache
def _provide_library() -> None:
    """Make the C library's functions known under our own names."""
    names = [*LIBRARY, "malloc", "free", "pow"]
    library = c_library(names)
    for name in names:
        llvm.add_symbol(PREFIX + name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value)


def c_library(functions: list[str]) -> ctypes.CDLL:
    """Return the C library that has the functions."""
    names = ["ucrtbase", "msvcrt"] if sys.platform == "win32" else [None, "libm.so.6", "libSystem.dylib"]
    for name in names:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        if all(hasattr(library, function) for function in functions):
            return library
    raise TauforgeError(f"no C library here has the functions {', '.join(functions)}; tried {names}")
