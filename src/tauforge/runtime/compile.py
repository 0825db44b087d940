"""Compiling: the text of an LLVM module -> object code for this machine -> functions in memory."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import llvmlite.binding as llvm

from ..llvm.vectors import Vectors

EFFORT = 1
"""Optimisation level of code generation. A higher level, or passes before it, take time and improve nothing here."""


class Library:
    """Functions in memory. Their code is freed with this object."""

    def __init__(self, objects: Iterable[bytes]) -> None:
        """Load object code; LLVM must know the functions that it calls by name."""
        machine = _machine()  # first of all, since it makes the target known
        self._engine = llvm.create_mcjit_compiler(parsed("")[0], machine)
        for code in objects:
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Return a function's address."""
        return int(self._engine.get_function_address(name))


_CONTEXTS = dict[int, Any]()
"""Contexts that are in use."""


def parsed(text: str) -> tuple[Any, Any]:
    """Return an LLVM module and its context, which outlives it.

    The collector would free the context first if it found both in a cycle, as in the traceback of an interrupt, and
    LLVM would crash.
    """
    context = llvm.create_context()  # not the global one, whose constants are never freed
    _CONTEXTS[id(context)] = context
    module = llvm.parse_assembly(text, context)
    weakref.finalize(module, _CONTEXTS.pop, id(context), None).atexit = False
    return module, context


def object_code(text: str, passes: bool = False) -> bytes:
    """Compile a module for this machine's processor; with passes that improve code with many branches and calls."""
    machine = _machine()  # first of all, since it makes the target known
    module, _ = parsed(text)
    if passes:
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
        builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


class Host(NamedTuple):
    """The processor that code is made for."""

    target: Any
    triple: str
    cpu: str
    features: str


@cache
def host() -> Host:
    """Return this machine's processor."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    triple = llvm.get_process_triple()
    features = llvm.get_host_cpu_features()
    if features.get("avx512f"):
        features["prefer-256-bit"] = False  # use vectors of 512 bits where they are asked for
    return Host(llvm.Target.from_triple(triple), triple, llvm.get_host_cpu_name(), features.flatten())


@cache
def vectors(scalar: str) -> Vectors:
    """Return the vectors of this processor's registers."""
    enabled = host().features.split(",")
    size = 64 if {"+avx512f", "+avx512dq"} <= {*enabled} else 32 if "+avx2" in enabled else 16
    fused = "+fma" in enabled or host().triple.startswith(("aarch64", "arm64"))
    return Vectors(scalar, size // Vectors(scalar, 1).size, fused, assembly=fused and size > 16)


def _machine() -> Any:
    """Return a new description of this machine; each engine takes ownership of one."""
    target, _, cpu, features = host()
    return target.create_target_machine(cpu=cpu, features=features, opt=EFFORT, jit=True)
