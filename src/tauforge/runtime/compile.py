"""Compiling: the text of an LLVM module -> object code for this machine -> functions in memory."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from ..errors import TauforgeError
from ..targets.llvm import EXTERNAL, PREFIX

_EFFORT = 2  # of code generation: no passes run before it, they cost time and find nothing in straight-line code


class Library:
    """Functions in memory. Their code is freed with this object."""

    def __init__(self, code: bytes) -> None:
        """Load object code, resolving the mathematical functions that it calls."""
        _provide_functions()
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Return a function's address."""
        return int(self._engine.get_function_address(name))


def object_code(text: str) -> bytes:
    """Compile a module for this machine's processor."""
    machine = _machine()  # first of all, since it makes the target known
    context = llvm.create_context()  # its own: constants of the global one are never freed
    return bytes(machine.emit_object(llvm.parse_assembly(text, context)))


@cache
def _host() -> tuple[Any, str, str]:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return (
        llvm.Target.from_triple(llvm.get_process_triple()),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
    )


def _machine() -> Any:
    """Return a new description of this machine; an engine takes possession of its own."""
    target, cpu, features = _host()
    return target.create_target_machine(cpu=cpu, features=features, opt=_EFFORT, jit=True)


@cache
def _provide_functions() -> None:
    """Make the C library's functions known under our own names: not every process exports them under theirs."""
    library = _mathematics()
    for name in EXTERNAL:
        llvm.add_symbol(PREFIX + name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value)


def _mathematics() -> ctypes.CDLL:
    """Return the library that has the mathematical functions."""
    names = ["ucrtbase", "msvcrt"] if sys.platform == "win32" else [None, "libm.so.6", "libSystem.dylib"]
    for name in names:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        if all(hasattr(library, function) for function in EXTERNAL):
            return library
    raise TauforgeError(f"no C library here has the functions {', '.join(EXTERNAL)}; tried {names}")
