"""Closing as code: what each target writes, run by its real tool, agrees with the compiled function.

Loops without a closed form are Programs that are repeated. A closed form is a Program like any other; both can fail.
"""

import ctypes
import pickle
import re
from dataclasses import replace

import numpy as np
import pytest

import tauforge as tf
from tauforge.graph.functions import absolute, sign
from tauforge.models.loops.closing import closing
from tauforge.program.array import inputs, outputs
from tauforge.program.repeat import Repeat

from ..models.loops.test_branches import parallelogram
from ..random_parallel import neutral
from . import drivers
from .programs import FIXED
from .runners import FORTRAN, C, _executed, require, tool

STATES = 8


def root(bound=60):
    """Return Heron's method: x and a guess y -> the root of x, done when a step changes little."""
    arrays = {"x": inputs("x", ["x", "other"], "numbers"), "y": inputs("y", ["y", "kept"], "a guess")}
    (x, other), (y, _) = (array.nodes for array in arrays.values())
    step = 0.5 * (y + x / y)
    small = sign(1e-12 - (step - y) * (step - y))
    results = {
        "z": outputs([step, other], [2], [["z", "kept"]], "the root"),
        "done": outputs([0.5 * (small + absolute(small))], [], [], "whether it is found"),
    }
    return tf.Program("root", arrays, results, repeat=Repeat("z", "y", "done", bound))


def cases():
    """Return Programs with states: Heron's method, a five-bar and a parallelogram in closed form, a platform.

    One state of each fails; the last two have no number in an argument, and fail too.
    """
    rng = np.random.default_rng(0)
    program = closing(tf.robots.gough_stewart())
    q = neutral(tf.robots.gough_stewart())
    lengths = rng.uniform(-0.05, 0.05, (STATES, 6))
    lengths[3] = [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0]
    x = np.array([[2.0, 5.0], [9.0, 6.0], [-3.0, 7.0], [1e-3, 8.0], [4.0, 9.0], [100.0, 1.0], [2, 3], [2, 4]])
    linkage = tf.robots.fivebar()
    known = tf.close_loops(linkage, [2.3, 0.9], guess=[2.3, -1.2, 0.9, 1.2])
    arms = known[[0, 2]] + rng.uniform(-0.2, 0.2, (STATES, 2))
    arms[1] = [3.1, 0.0]
    found = {
        "root": (root(), [x, np.ones((STATES, 2))]),
        "arms": (closing(linkage), [arms, np.tile(known, (STATES, 1))]),
        "bars": (closing(parallelogram()), [np.linspace(-1.5, 1.5, STATES)[:, None], np.zeros((STATES, 3))]),
        "legs": (program, [lengths, np.tile(q, (STATES, 1))]),
    }
    for _, (given, guess) in found.values():
        given[-2, 0] = np.nan
        guess[-1] = np.nan
    return found


CASES = cases()


@pytest.fixture(scope="module")
def expected():
    with np.errstate(all="ignore"):
        return {name: program.compile()(*given) for name, (program, given) in CASES.items()}


def compare(found, expected):
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_the_compiled_loop(expected):
    z, done = expected["root"]
    np.testing.assert_allclose(z[[0, 1, 3, 4, 5], 0], np.sqrt([2.0, 9.0, 1e-3, 4.0, 100.0]), rtol=1e-10)
    assert np.isnan(z[[2, 6, 7], 0]).all()
    np.testing.assert_array_equal(z[:, 1], CASES["root"][1][0][:, 1])
    np.testing.assert_array_equal(done, [1, 1, 0, 1, 1, 1, 0, 0])
    assert list(expected["legs"].closed) == [1, 1, 1, 0, 1, 1, 0, 0]
    assert list(expected["arms"].closed) == [1, 0, 1, 1, 1, 1, 0, 0]


@pytest.mark.parametrize("name", CASES)
def test_a_state_does_not_depend_on_its_neighbours(name, expected):
    program, given = CASES[name]
    function = program.compile()
    with np.errstate(all="ignore"):
        for k in range(STATES):
            alone = function(*(x[k] for x in given))
            for a, b in zip(alone, expected[name], strict=True):
                np.testing.assert_array_equal(a, b[k])
        shared = function(given[0], given[1][0])
    for a, b in zip(shared, expected[name], strict=True):
        np.testing.assert_array_equal(a[:-1], b[:-1])


@pytest.mark.parametrize(
    ("target", "ending", "compiler", "suffix"), [("c", ".c", C, ""), ("fortran", ".f90", FORTRAN, "_")]
)
@pytest.mark.parametrize("name", CASES)
def test_compiled_languages(name, target, ending, compiler, suffix, tmp_path, expected):
    program, given = CASES[name]
    program.write(tmp_path / f"{name}{ending}")
    tool([*compiler, "-O0", "-fPIC", "-shared", f"{name}{ending}", "-lm", "-o", "library.so"], tmp_path)
    function = ctypes.CDLL(str(tmp_path / "library.so"))[name + suffix]
    made = [np.full((STATES, *array.shape), -1.0) for array in program.results.values()]
    for k in range(STATES):
        rows = [np.ascontiguousarray(x[k]) for x in given]
        ends = [x[k : k + 1] for x in made]
        function(*(ctypes.c_void_p(x.ctypes.data) for x in (*rows, *ends)))
    compare(made, expected[name])


@pytest.mark.parametrize("scalar", ["float", "double", "long double"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_own_types_mix_with_no_double(compiler, scalar, tmp_path):
    """The flag that ends a loop is compared with a number of its own type."""
    require(compiler)
    (tmp_path / "real_t.h").write_text(f"typedef {scalar} real_t;\n")
    strict = [compiler, *C[1:], "-Wdouble-promotion", "-Wconversion", "-Wfloat-conversion", "-c"]
    for name, (program, _) in CASES.items():
        program.write(tmp_path / f"{name}.c", target="c:real_t", name=f"own_{name}")
        program.write(tmp_path / f"{name}_float.c", target="c:float")
        program.write(tmp_path / f"{name}.hpp", target="cpp:float", name=f"of_{name}")
    tool([*strict, *(f"{name}{end}.c" for name in CASES for end in ("", "_float"))], tmp_path)
    (tmp_path / "all.cpp").write_text("".join(f'#include "{name}.hpp"\n' for name in CASES))
    plus = {"gcc": "g++", "clang": "clang++"}[compiler]
    tool([plus, "-std=c++17", "-Wall", "-Wextra", "-Wdouble-promotion", "-Werror", "-c", "all.cpp"], tmp_path)


@pytest.mark.parametrize("name", CASES)
def test_octave(name, tmp_path, expected):
    program, given = CASES[name]
    program.write(tmp_path / f"{name}.m")
    script = ["1;"]
    for k in range(STATES):
        rows = [f"[{' '.join(map(repr, x[k].tolist()))}]{chr(39) * (k % 2)}" for x in given]
        script += [f"[a, b] = {name}({', '.join(rows)});", 'printf("%s\\n", sprintf("%.17g ", [a(:); b]));']
    (tmp_path / "everything.m").write_text("\n".join(script))
    lines = tool(["octave-cli", "--norc", "--quiet", "everything.m"], tmp_path).splitlines()
    rows = np.array([[float(x) for x in line.split()] for line in lines])
    compare([rows[:, :-1], rows[:, -1]], expected[name])


@pytest.mark.parametrize("name", CASES)
def test_python_and_numpy(name, expected):
    program, given = CASES[name]
    function = _executed(program.code("python", name), name)
    found = [function(*(x[k].tolist() for x in given)) for k in range(STATES)]
    compare([np.array([x[i] for x in found]) for i in range(2)], expected[name])
    with np.errstate(all="ignore"):
        compare(_executed(program.code("numpy", name), name)(*given), expected[name])
        shared = _executed(program.code("numpy", name), name)(given[0], given[1][0])
    compare([x[:-1] for x in shared], [x[:-1] for x in expected[name]])


FINITE = 6  # the states whose arguments are numbers
SLOW = ("cpp", "cpp span", "mathematica", "typescript", "c aarch64", "c riscv64")
LEFT = ("c:float", "c:real_t", "maple")  # other roundings find other states closed; Giac is only like Maple


@pytest.mark.parametrize(
    "target",
    [pytest.param(x, marks=[pytest.mark.slow] * (x in SLOW)) for x in drivers.RUNNERS if x not in LEFT],
)
def test_languages_that_print(target, tmp_path, expected, monkeypatch):
    unbounded = target in ("maxima", "mathematica")  # a Newton step that goes astray has no number too large there
    names = ["root", "arms"] if unbounded else [*CASES]
    chosen = {f"closing_{name}": CASES[name][0] for name in names}
    for name in names:
        program, given = CASES[name]
        rows = [dict(zip(program.arguments, (x[k].tolist() for x in given), strict=True)) for k in range(FINITE)]
        monkeypatch.setitem(FIXED, f"closing_{name}", rows)
    found = drivers.RUNNERS[target](tmp_path, chosen)
    for name in names:
        for key, values in zip(CASES[name][0].results, expected[name], strict=True):
            made = np.array([x[key] for x in found[f"closing_{name}"]])
            np.testing.assert_allclose(made, values[:FINITE].reshape(made.shape), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_java_methods_are_short_enough_to_be_compiled(name, tmp_path):
    """The virtual machine interprets methods of more than 8000 bytes for ever, and refuses those of 65535."""
    require("javac", "javap")
    CASES[name][0].write(tmp_path / f"{name}.java")
    tool(["javac", f"{name}.java"], tmp_path)
    listed = tool(["javap", "-c", "-p", f"{name}.class"], tmp_path)
    sizes = [max(int(x) for x in re.findall(r"^ +(\d+): ", part, re.M)) for part in listed.split("Code:")[1:]]
    assert max(sizes) < 8000
    assert len(sizes) > 5 or name != "legs"


@pytest.mark.parametrize(
    ("target", "spelled"),
    [
        ("maxima", "(if t30 > 0.5 then -t26 else und)"),
        ("mathematica", "If[t30 > 0.5, -t26, Indeterminate]"),
        ("maple", "`if`(t30 > 0.5, -t26, Float(undefined))"),
    ],
)
def test_numbers_without_bounds(target, spelled):
    """Infinity times zero, which is no number elsewhere, is zero where there is no infinity."""
    text = CASES["arms"][0].code(target)
    assert spelled in text
    assert "t31" not in text


def test_latex_says_it_in_words():
    text = root().code("latex")
    assert r"repeated, with $z$ in the place of $y$, until $\mathit{done}$ is 1, at most 60 times" in text
    assert "state" not in text


def test_what_a_repeated_program_keeps():
    program = root()
    assert pickle.loads(pickle.dumps(program)).repeat == program.repeat
    slope = program.derivative("z", "x")
    assert [*slope.outputs] == ["z", "done", "dz_dx"]
    found = slope.compile()([2.0, 1.0], [1.0, 0.0]).dz_dx
    np.testing.assert_allclose(found, [[0.5 / np.sqrt(2.0), 0.0], [0.0, 1.0]], atol=1e-6)
    with pytest.raises(tf.ProgramError, match="is repeated until it is done"):
        tf.fuse(program, tf.Program.of(y="x"))
    with pytest.raises(tf.ProgramError, match="not repeated in the same way"):
        program.certify(root(bound=3))
    assert program.certify(root())
    with pytest.raises(tf.ProgramError, match="only double precision reaches"):
        program.compile(dtype="float32")


@pytest.mark.parametrize(
    ("repeat", "message"),
    [
        (Repeat("w", "y", "done", 3), "no such arrays"),
        (Repeat("done", "y", "done", 3), "vectors of one length"),
        (Repeat("z", "y", "done", 0), "at least once"),
    ],
)
def test_what_cannot_be_repeated_is_refused(repeat, message):
    with pytest.raises(tf.ProgramError, match=message):
        replace(root(), repeat=repeat)
