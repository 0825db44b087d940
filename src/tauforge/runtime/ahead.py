"""Compiling for other machines: object code for any processor that LLVM knows, and WebAssembly."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import llvmlite.binding as llvm

from ..errors import ProgramError, TargetError
from ..graph.collector import collector_paused
from ..llvm.ahead import modules
from ..llvm.vectors import Vectors
from ..program.program import Program
from .compile import parsed

_LINKERS = ("wasm-ld", *(f"wasm-ld-{version}" for version in range(22, 13, -1)))


@collector_paused()
def object_for(program: Program, name: str, triple: str, vectors: Vectors, features: str = "") -> bytes:
    """Return a Program's object code for a machine, with one function called ``name``."""
    if program.repeat:
        raise ProgramError(f"{program.name} is repeated until it is done, which this code cannot do; use C instead")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(triple).create_target_machine(features=features, opt=2, reloc="pic")
    whole, context = parsed("")
    for text in modules(program, vectors, name):
        whole.link_in(llvm.parse_assembly(text, context))
    whole.triple, whole.data_layout = triple, str(machine.target_data)
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    builder.getModulePassManager().run(whole, builder)
    return bytes(machine.emit_object(whole))


def wasm(program: Program, name: str) -> bytes:
    """Return a WebAssembly module with vectors of two doubles, which exports its memory and one function.

    Sines and cosines are its own; it imports those of angles beyond 100 000, and inverse sines and the like, from
    ``env``: tauforge_sin, tauforge_cos, tauforge_asin, tauforge_acos, tauforge_atan2.
    """
    code = object_for(program, name, "wasm32-unknown-unknown", Vectors("double", 2, fused=False), "+simd128")
    linker = next((found for found in map(shutil.which, _LINKERS) if found), None)
    if not linker:
        raise TargetError("WebAssembly needs the linker wasm-ld: install LLVM's lld (apt install lld)")
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "code.o").write_bytes(code)
        options = ["--no-entry", "--allow-undefined", "-O2", "--strip-all", f"--export={name}", "--export=__heap_base"]
        command = [linker, *options, "code.o", "-o", "code.wasm"]
        done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
        if done.returncode:
            raise TargetError(f"{linker} failed: {done.stderr.strip()[-500:]}")
        return (here / "code.wasm").read_bytes()
