"""Every name that a language or its library uses is a name of a symbol, an array and a function here, and runs."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache

import numpy as np
import pytest

from tauforge import Program, TargetError, inverse_dynamics, robots, symbol
from tauforge.graph import functions
from tauforge.program.array import inputs, outputs
from tauforge.targets import TARGETS
from tauforge.targets.language import library, words

from . import drivers
from .programs import FIXED, expected
from .runners import RUNNERS, require, tool

AWKWARD = words("""
    List Plus Times Power Set Part None Some Err Ok I complex range EOF BUFSIZ y1 j0 index exit malloc free printf div
    signgam Type Func Map Range NULL NAN I1 E N D C K O Pi Infinity undefined float double real_t x y zero given new xp
    state turn turn_ state_ self this string len nil make cap new_ append String Math System kept part0 evaluate
""")
GIAC = {"Func", "cap", "div", "double"}
"""Names that Giac has and Maple has not."""
CHUNK = 400
FEW = {"maxima": 150, "mathematica": 60}
"""Names in a Program of slow interpreters."""


@cache
def language_words(target: str) -> tuple[str, ...]:
    """Return the words that mean something in a target."""
    language = TARGETS[target].language
    names, called = library(language.library)
    return tuple(sorted({*names, *called, *language.reserved, *language.functions_reserved}))


def of_symbols(words: tuple[str, ...], target: str = "") -> Program:
    """Return a Program with these parameters, and every function of the graph, so that none can be hidden.

    Giac, which stands in for Maple, has no inverse tangent of two numbers.
    """
    x = inputs("q", ["a"], "a number").nodes[0]
    total = sum((float(k + 1) * symbol(word) for k, word in enumerate(words)), 0.0 * x)
    small = 0.3 * x / (1.0 + x * x)
    each = [functions.asin(small), functions.acos(small), functions.sign(x)]
    each += [] if target == "maple" else [functions.atan2(small, x)]
    each += [functions.sin(x), functions.cos(x), functions.sqrt(x * x), functions.absolute(x)]
    q = inputs("q", ["a"], "a number")
    return Program("words", {"q": q}, {"y": outputs([total, *each], [1 + len(each)], [], "results")})


def of_arrays(words: tuple[str, ...]) -> Program:
    """Return a Program whose inputs and outputs have these names."""
    given = {word: inputs(word, ["a", "b"], "numbers") for word in words[::2]}
    whole = sum((float(k + 1) * array.nodes[k % 2] for k, array in enumerate(given.values())), 0.0)
    made = {word: outputs([whole + float(k), functions.sin(whole)], [2], [], "") for k, word in enumerate(words[1::2])}
    return Program("arrays", given, made)


def run(target: str, programs: dict[str, Program], folder, monkeypatch) -> None:
    random = np.random.default_rng(0)
    for name, program in programs.items():
        sizes = {key: len(array.nodes) for key, array in program.arguments.items()}
        state = {key: random.uniform(0.2, 0.7, size).tolist() for key, size in sizes.items()}
        monkeypatch.setitem(FIXED, name, [state])
    found = (RUNNERS | drivers.RUNNERS)[target](folder, programs)
    for name, program in programs.items():
        for key, values in expected(name, program)[0].items():
            tolerance = 1e-5 if ":float" in target else 1e-11
            np.testing.assert_allclose(found[name][0][key], values, rtol=tolerance, err_msg=f"{name}: {key}")


def chunks(words: tuple[str, ...], size: int) -> list[tuple[str, ...]]:
    return [words[k : k + size] for k in range(0, len(words), size)]


TESTED = [x for x in (*RUNNERS, *drivers.RUNNERS) if x not in ("latex", "compiled")]
LONG = ("mathematica", "maxima", "cpp span", "c aarch64", "c riscv64", "typescript", "scilab", "maple")


@pytest.mark.parametrize("target", [pytest.param(x, marks=[pytest.mark.slow] * (x in LONG)) for x in TESTED])
def test_symbols(target, tmp_path, monkeypatch):
    kind = re.split("[ :]", target)[0]
    every = tuple(sorted({*language_words(kind), *AWKWARD} - (GIAC if kind == "maple" else set())))
    parts = chunks(every, FEW.get(kind, CHUNK))
    run(target, {f"words_{k}": of_symbols(part, kind) for k, part in enumerate(parts)}, tmp_path, monkeypatch)


ARRAYS = ("c", "fortran", "python", "numpy", "javascript", "rust", "go", "java", "csharp")
SOME = 400


@pytest.mark.parametrize("target", ARRAYS)
def test_arrays(target, tmp_path, monkeypatch):
    every = tuple(sorted({*language_words(target), *AWKWARD}))
    every = every[:: max(1, len(every) // SOME)]
    parts = chunks(every, 80)
    run(target, {f"arrays_{k}": of_arrays(part) for k, part in enumerate(parts)}, tmp_path, monkeypatch)


def test_arrays_and_the_sizes_that_cpp_declares(tmp_path, monkeypatch):
    run("cpp", {"sizes": of_arrays(("q", "q_size", "q_size_size", "y", "y_size", "z"))}, tmp_path, monkeypatch)


REFUSED = {
    "c": "y1 j0 index exit malloc free printf signgam div time clock I complex EOF BUFSIZ int main stdin FILE size_t",
    "cpp": "y1 j0 index exit malloc std FILE time",
    "go": "Type Func Map Range type For_ go Main document_ation",
    "rust": "None main fn drop",
    "java": "String Math Thread class",
    "csharp": "Console Math record",
    "javascript": "Array Math class exports",
    "fortran": "sin matmul sum",
    "matlab": "disp size end",
    "scilab": "disp size home",
    "maxima": "integrate abs",
    "mathematica": "Plus List",
    "maple": "map evalf",
    "numpy": "range numpy",
}


@pytest.mark.parametrize("target", REFUSED)
def test_functions_that_the_language_has(target):
    program = inverse_dynamics(robots.planar2r())
    for name in REFUSED[target].split():
        with pytest.raises(TargetError, match="cannot be a function's name"):
            program.code(target, name)


@cache
def all_words() -> list[str]:
    """Return what means something anywhere, but for words that differ from others by their case alone."""
    return sorted({word.lower(): word for target in TARGETS for word in language_words(target)}.values())


def accepted(target: str, every: list[str]) -> dict[str, str]:
    """Return the functions of a language by the words that can be their names."""
    x = inputs("q", ["a"], "a number").nodes[0]
    program = Program("p", {"q": inputs("q", ["a"], "")}, {"y": outputs([functions.sin(x)], [1], [["b"]], "")})
    texts = {}
    for word in every:
        with suppress(TargetError):
            texts[word] = program.code(target, word)
    return texts


def test_functions_of_c_with_its_headers(tmp_path):
    """Every word that is not refused is a function beside all headers of C; 1 in 4 of them."""
    texts = accepted("c", all_words()[::4])
    assert len(texts) > 1000
    heads = [f"#include <{name}.h>" for name in ("math", "stdio", "stdlib", "string", "time", "complex", "unistd")]
    (tmp_path / "all.c").write_text("\n".join([*heads, *(text[text.index("#include") :] for text in texts.values())]))
    tool(["gcc", "-std=gnu17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "all.c"], tmp_path)
    (tmp_path / "all.cpp").write_text("\n".join([*heads, *accepted("cpp", all_words()[::16]).values()]))
    tool(["g++", "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", "all.cpp"], tmp_path)


@pytest.mark.parametrize(
    ("target", "command"),
    [
        ("rust", "rustc --edition=2024 --crate-type=lib -Dwarnings all.rs"),
        ("javascript", "node --check all.mjs"),
        ("csharp", "mcs -target:library all.cs"),
        ("fortran", "gfortran -std=f2008 -fsyntax-only all.f90"),
    ],
)
def test_functions_of_other_languages(target, command, tmp_path):
    first, *rest = command.split()
    require(drivers.RUSTC if first == "rustc" else first)  # a proxy of rustup may have no compiler
    every = [*all_words()[::16], *language_words("rust"), *language_words("go")]
    texts = accepted(target, [*{word.lower(): word for word in every}.values()])
    (tmp_path / rest[-1]).write_text("\n".join(texts.values()))
    tool([first, *rest], tmp_path)


def test_packages_of_go(tmp_path):
    require("gofmt")
    texts = accepted("go", [*map(str.capitalize, language_words("go")), *all_words()[::40]])
    for place, text in enumerate(texts.values()):
        (tmp_path / f"f{place}.go").write_text(text)
    tool(["gofmt", "-l", "-e", "."], tmp_path)


@pytest.mark.parametrize(
    ("file", "name", "message"),
    [
        ("robot_arm.go", "robot", "ends in _arm only where"),
        ("my_linux.go", None, "ends in _linux only where"),
        ("arm_test.go", None, "leaves out files"),
        ("math.py", None, "hides Python's own module math"),
        ("numpy.py", "arm", "hides Python's own module numpy"),
        ("sin.m", "arm", "takes the place of the function sin"),
        ("math.h", "arm", "in the place of the C library's math.h"),
        ("arm.java", "Arm", "looks for the class Arm in a file Arm.java"),
    ],
)
def test_files_that_no_tool_would_take(file, name, message, tmp_path):
    with pytest.raises(TargetError, match=message):
        inverse_dynamics(robots.planar2r()).write(tmp_path / file, name=name)
    assert not list(tmp_path.iterdir())


def test_renamed_symbols_are_told():
    """The head says what a symbol is called, and no new name is another symbol's."""
    program = of_symbols(("Plus", "Plus_", "List"))
    text = program.code("mathematica", "arm")
    for own, here in (("List", "List$"), ("Plus", "Plus$"), ("Plus_", "Plus$$")):
        assert f"{own}, here called {here}" in text
    assert len({*re.findall(r"(\S+) = parameters\[\[", text)}) == 3
    assert text == of_symbols(("Plus", "Plus_", "List")).code("mathematica", "arm")
