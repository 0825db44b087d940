"""Code for other machines: vectors of NEON under QEMU, and WebAssembly in Node."""

import json

import numpy as np
import pytest

import tauforge as tf
from tauforge.llvm.vectors import Vectors
from tauforge.runtime.ahead import object_for, wasm

from ..targets.runners import require, tool
from ..targets.test_repeat import root

LIBRARY = {"sin": 1, "cos": 1, "asin": 1, "acos": 1, "atan2": 2}
STATES = 7


def _given(program):
    rng = np.random.default_rng(0)
    given = [rng.uniform(0.2, 1.2, (STATES, *array.shape)) for array in program.arguments.values()]
    given[0].flat[0] = 3e5  # beyond our own sines
    for key, x in zip(program.arguments, given, strict=True):
        if key == "parameters":
            x[:] = x[0]
    return given


def _main(program, given, scalar):
    """Return a main program in C that prints all outputs."""
    values = [x[0] if key == "parameters" else x for key, x in zip(program.arguments, given, strict=True)]
    suffix = "f" if scalar == "float" else ""
    tables = [
        f"static const {scalar} g{i}[] = {{{', '.join(f'{v!r}{suffix}' for v in x.ravel().tolist())}}};"
        for i, x in enumerate(values)
    ]
    sizes = [STATES * len(array.nodes) for array in program.results.values()]
    made = [f"static {scalar} m{i}[{size}];" for i, size in enumerate(sizes)]
    names = [f"g{i}" for i in range(len(values))] + [f"m{i}" for i in range(len(sizes))]
    wrapped = []
    for name, count in LIBRARY.items():
        arguments = ("double x", "double x, double y")[count - 1]
        wrapped.append(f"double tauforge_{name}({arguments}) {{ return {name}({', '.join('xy'[:count])}); }}")
    shows = [f'    for (int i = 0; i < {size}; i++) printf("%.17g ", (double)m{i}[i]);' for i, size in enumerate(sizes)]
    declared = ", ".join(["int", *["const void *"] * len(names)])
    call = f"    arm({', '.join([str(STATES), *names])});"
    head = ["#include <math.h>", "#include <stdio.h>", f"void arm({declared});", *wrapped, *tables, *made]
    return "\n".join([*head, "int main(void)", "{", call, *shows, "    return 0;", "}", ""])


def _compare(program, given, text, tolerance):
    wanted = program.compile()(*given)
    several = wanted if len(program.results) > 1 else (wanted,)
    flat = np.concatenate([np.ravel(x) for x in several])
    found = np.array(text.split(), dtype=float)
    np.testing.assert_allclose(found, flat, rtol=tolerance, atol=tolerance * np.abs(flat).max())


@pytest.mark.parametrize("scalar", ["double", "float"])
@pytest.mark.parametrize("name", ["puma560", pytest.param("rrp", marks=pytest.mark.slow)])
def test_neon(name, scalar, tmp_path):
    require("aarch64-linux-gnu-gcc", "qemu-aarch64")
    program = tf.inverse_dynamics(tf.robots.bundled(name, symbolic=name == "rrp"))
    vectors = Vectors(scalar, 16 // Vectors(scalar, 1).size)
    code = object_for(program, "arm", "aarch64-unknown-linux-gnu", vectors, "+neon")
    (tmp_path / "arm.o").write_bytes(code)
    given = [x.astype(np.float32).astype(float) if scalar == "float" else x for x in _given(program)]
    (tmp_path / "main.c").write_text(_main(program, given, scalar))
    tool(["aarch64-linux-gnu-gcc", "-static", "main.c", "arm.o", "-lm", "-o", "run"], tmp_path)
    tolerance = 1e-12 if scalar == "double" else 1e-5
    _compare(program, given, tool(["qemu-aarch64", "./run"], tmp_path), tolerance)
    text = tool(["aarch64-linux-gnu-objdump", "-d", "arm.o"], tmp_path)
    assert text.count("\tfmul\tv") + text.count("\tfmla\tv") > 50  # vectors, not one number at a time


@pytest.mark.parametrize("name", ["puma560", pytest.param("rrp", marks=pytest.mark.slow)])
def test_webassembly(name, tmp_path):
    require("node", "wasm-ld")
    robot = tf.robots.bundled(name, symbolic=name == "rrp")
    program = tf.fuse(tf.inertia_matrix(robot), tf.inverse_dynamics(robot), name="both")
    (tmp_path / "arm.wasm").write_bytes(wasm(program, "arm"))
    given = _given(program)
    arrays = [x[0] if key == "parameters" else x for key, x in zip(program.arguments, given, strict=True)]
    data = {
        "given": [x.ravel().tolist() for x in arrays],
        "sizes": [STATES * len(array.nodes) for array in program.results.values()],
        "states": STATES,
    }
    (tmp_path / "data.json").write_text(json.dumps(data))
    (tmp_path / "run.mjs").write_text(
        "import fs from 'fs';\nconst data = JSON.parse(fs.readFileSync('data.json'));\n"
        "const names = ['sin', 'cos', 'asin', 'acos', 'atan2'];\n"
        "const env = Object.fromEntries(names.map(x => ['tauforge_' + x, Math[x]]));\n"
        "const { instance } = await WebAssembly.instantiate(fs.readFileSync('arm.wasm'), { env });\n"
        "const { memory, arm, __heap_base } = instance.exports;\nmemory.grow(4);\nlet next = __heap_base.value + 16;\n"
        "const at = n => { const here = next - next%16; next = here + 8*n + 16; return here; };\n"
        "const given = data.given.map(x => { const a = at(x.length);\n"
        "    new Float64Array(memory.buffer, a, x.length).set(x); return a; });\n"
        "const made = data.sizes.map(at);\narm(data.states, ...given, ...made);\n"
        "console.log(made.map((a, i) => [...new Float64Array(memory.buffer, a, data.sizes[i])].join(' ')).join(' '));\n"
    )
    _compare(program, given, tool(["node", "run.mjs"], tmp_path), 1e-12)


def test_repeated_programs_are_refused():
    with pytest.raises(tf.ProgramError, match="is repeated until it is done, which this code cannot do; use C instead"):
        wasm(root(), "root")
