"""Damaged files of C: what is still read has the compilers' tokens, and what is still proved computes the model.

A reader that takes a comment's end elsewhere than a compiler does could prove a text that says something else.
"""

import ctypes
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random

import numpy as np
import pytest

import tauforge as tf
from tauforge.targets.read_c import decoded, read_c, tokens

MODES = (("-std=c99",), ("-std=gnu17",), ("-std=gnu17", "-trigraphs"))
_FOOLED = "/* Results *\\\f\n/ tau[0] = 1234.5; return; /* end */"

BYTES = [
    *(
        b"\\" + space + end
        for space in (b"", b" ", b"\t", b"\f", b"\v", b"\r", b" \f ")
        for end in (b"\n", b"\r\n", b"")
    ),
    *(b"*\\" + space + b"\n/" for space in (b"", b" ", b"\t", b"\f", b"\v", b"\r")),
    *(b"/\\" + space + b"\n*" for space in (b"", b" ", b"\f")),
    *(x.encode() for x in ("??/", "??/\n", "*??/\n/", "??(", "??=", "??", "<:", ":>", "<%", "%>", "%:", "%:%:")),
    *(x.encode() for x in ("\t", "\f", "\v", "\r", "\r\n", "\n", " ", "\x1a", "\x7f", "\x01", "\b")),
    *(x.encode() for x in ("\u00a0", "\u2028", "\u0085", "\ufeff", "\u202e", "\u2066", "\u200b", "é", "𝑥", "∗", "；")),
    *(b"\xff", b"\xc0\xaf", b"\xc0\xaa", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xe2\x80", b"\0"),
    *(
        x.encode()
        for x in ("//", "/*", "*/", "/**/", "/* x */", "/*/", "/*\n*/", "*//*", "// x\n", "/* ' */", '/* " */')
    ),
    *(x.encode() for x in ("\\u0041", "\\U00000041", "\\", "'", '"', "$", "@", "`", 'R"(', "L", "u8", "$x", "\\x41")),
    *(x.encode() for x in ("\n#define sin cos\n", "\n#pragma x\n", '\n#line 3 "x"\n', "\n#if 0\n", "\n#\n")),
    *(
        x.encode()
        for x in ("#", "##", "\n#endif\n", "\n # include <math.h>\n", "\n#include <math.h>\n", '_Pragma("x")')
    ),
    *(
        x.encode()
        for x in ("--", "++", "+=", "->", "...", "<<=", "==", "::", ".", ",", ";", "(", ")", "{", "}", "[", "]")
    ),
    *(
        x.encode()
        for x in ("0x1p3", "1e", "e+5", ".5", "1.", "f", "F", "l", "1.0.0", "1e5e+3", "0", "017", "1'0", "1e400")
    ),
    *(
        x.encode()
        for x in (" return; ", " tau[0] = 1234.5; ", "if (0) ", "q", "tau", "_", "__LINE__", "linux", _FOOLED)
    ),
    b"/* " + b"x" * 5000 + b" */",
]
"""What is put into a text, whole."""
TEXTS = (
    (" + ", " - "), ("*", "/"), ("sin(", "cos("), ("0.5", "0.25"), ("qd[0]", "qd[1]"), ("S1", "C1"), ("(", "(("),
    (")", "))"), ("q[0]", "(q[0])"),
    (";", " + 0.0;"), (";", " + 1e+17*(0.1 + 0.2 - 0.3);"), (";", " + 1e+17*sin(3.141592653589793);"), ("= ", "= 1.0*"),
    (";", " + 1e-17;"), (" = ", " = -"), ("\n    ", "\n"), (" ", "\n"), (" ", "  "), (";", "/* x */;"),
    ("*", "/**/*/**/"), ("\n", "\r\n"), (" + ", "\n+\n"), ("qd[0] + qd[1]", "qd[1] + qd[0]"), ("0.5*", "0.25*2.0*"),
    (";", " + q[0] - q[0];"), (";", " + (q[1] - 12.5) - (q[1] - 12.5);"), ("tau[0]", "tau[1]"), ("N31", "N32"),
)  # fmt: skip
"""What is replaced by something else: more of this is still C."""


def mutants(text: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Yield damaged texts: one change or a few, in comments and code alike."""
    random = Random(seed)
    for _ in range(count):
        new = text
        for _ in range(random.choice((1, 1, 1, 2, 3))):
            start = random.choice((0, new.find(b"*/"), new.find(b"*/")))
            place = random.randint(start, len(new))
            kind = random.random()
            if kind < 0.45:
                new = new[:place] + random.choice(BYTES) + new[place:]
            elif kind < 0.8:
                old, other = (x.encode() for x in random.choice(TEXTS))
                found = [x.start() for x in re.finditer(re.escape(old), new) if x.start() >= start]
                if found:
                    place = random.choice(found)
                    new = new[:place] + other + new[place + len(old) :]
            elif kind < 0.9:
                new = new[:place] + new[place + random.choice((1, 1, 2, 10)) :]
            elif kind < 0.93:
                lines = new.split(b"\n")
                i, j = random.randrange(len(lines)), random.randrange(len(lines))
                lines[i], lines[j] = lines[j], lines[i]
                new = b"\n".join(lines)
            elif kind < 0.95:
                new = random.choice(
                    (b"\xef\xbb\xbf" + new, new.decode("latin-1").encode("utf-16"), new.replace(b"\n", b"\r\n"))
                )
            else:
                new = new[:place] + bytes([random.randrange(256)]) + new[place + 1 :]
        yield new


def compiler_tokens(compiler: str, mode: tuple[str, ...], data: bytes, folder: Path) -> list[str] | None:
    """Return a compiler's tokens of a text without what it includes; None if the compiler refuses it."""
    (folder / "mutant.c").write_bytes(data)
    (folder / "empty").mkdir(exist_ok=True)
    for name in ("math.h", "string.h", "arm.h"):
        (folder / "empty" / name).touch()
    command = [compiler, "-E", "-P", "-w", "-nostdinc", "-isystem", "empty", *mode, "mutant.c"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=60)
    return _PIECES.findall(done.stdout.decode("utf-8", "replace")) if done.returncode == 0 else None


_PIECES = re.compile(
    r"""\.?\d(?:[eEpP][+-]|[\w.])*|[^\W\d]\w*|"[^"\n]*"|'[^'\n]*'|<<=|>>=|\.\.\.|->|\+\+|--|&&|\|\||<<|>>|<:|:>|<%|%>
    |[-+*/%&|^<>=!]=|\S""",
    re.VERBOSE,
)


def compared(
    data: bytes, read: Callable[[bytes], list[str]], ways: Sequence[tuple[str, tuple[str, ...]]], folder: Path
) -> Counter[str]:
    """Return whether a text is read, and how often compilers in some modes have other tokens than the reader."""
    try:
        ours = read(data)
    except tf.TauforgeError:
        return Counter(refused=1)
    found = Counter(accepted=1)
    for compiler, mode in ways:
        theirs = compiler_tokens(compiler, mode, data, folder)
        found["compared"] += theirs is not None
        found["disagreeing"] += theirs is not None and theirs != ours
    return found


def reader(like: tf.Program, data: bytes) -> list[str]:
    """Return the tokens of what the reader accepts, without the lines of includes."""
    return [x for x in read_c(decoded(data), like).tokens if not x.startswith("#include")]


def lexer(data: bytes) -> list[str]:
    """Return the tokens of anything that has some, also if it is no function of ours."""
    found = tokens(decoded(data))
    if any(x.kind == "directive" and not re.fullmatch(r"#include <(math|string)\.h>", x.text) for x in found):
        raise tf.TargetError("a directive")
    if any(x.text in _MACROS or x.text.startswith("__") for x in found):
        raise tf.TargetError("a macro of the compiler's")
    return [x.text for x in found if x.kind != "directive"]


_MACROS = ("linux", "unix", "_Pragma")


def naive(data: bytes) -> list[str]:
    """Return the tokens as a reader sees them that joins lines at backslashes before blanks only."""
    joined = re.sub(r"\\[ \t]*\n", "", data.decode("utf-8", "replace").replace("\r\n", "\n"))
    return _PIECES.findall(re.sub(r"#include.*", "", re.sub(r"/\*.*?\*/", " ", joined, flags=re.DOTALL)))


def compilers(*names: str) -> list[str]:
    present = [name for name in names if shutil.which(name)]
    if not present:
        pytest.skip(f"needs {' or '.join(names)}")
    return present


@pytest.fixture
def arm(tmp_path: Path) -> tuple[tf.Program, bytes]:
    program = tf.inverse_dynamics(tf.robots.planar2r())
    return program, program.write(tmp_path / "arm.c").read_bytes()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_text_that_fooled_a_reader(compiler, mode, arm, tmp_path):
    """The planted text is code to compilers; that our reader refuses it is tested with the others."""
    program, text = arm
    data = text.replace(b"/* Results */", _FOOLED.encode())
    theirs = compiler_tokens(*compilers(compiler), mode, data, tmp_path)
    assert theirs is not None
    if compiler == "gcc":
        assert "1234.5" in theirs
    with pytest.raises(tf.TargetError, match="a backslash before white space"):
        reader(program, data)


@pytest.mark.parametrize(
    ("count", "names"),
    [(200, ("gcc",)), pytest.param(20_000, ("gcc", "clang"), marks=pytest.mark.slow)],
)
def test_tokens_are_those_of_compilers(count, names, arm, tmp_path):
    program, text = arm
    found: Counter[str] = Counter()
    ways = [(compiler, mode) for compiler in compilers(*names) for mode in MODES]
    for number, data in enumerate(mutants(text, count, seed=1)):
        some = ways if number % 10 == 0 else [ways[number % len(ways)]]
        here = compared(data, partial(reader, program), some, tmp_path)
        found["functions"] += here["accepted"]
        found += here if here["accepted"] else compared(data, lexer, some, tmp_path)
        assert not found["disagreeing"], data
    print(dict(found))
    assert found["accepted"] > count / 20
    assert found["refused"] > count / 20
    assert found["compared"] > found["accepted"]


@pytest.mark.parametrize(
    ("count", "names"), [(60, ("gcc",)), pytest.param(5000, ("gcc", "clang"), marks=pytest.mark.slow)]
)
def test_tokens_of_code_in_float(count, names, arm, tmp_path):
    """Its sines are macros: what compilers make of these, up to the function, is what they make of the whole text."""
    program, _ = arm
    text = program.code("c:float", "arm").encode()
    found: Counter[str] = Counter()
    ways = [(compiler, mode) for compiler in compilers(*names) for mode in MODES]
    sines = {way: _in_two(compiler_tokens(*way, text, tmp_path))[0] for way in ways}
    for number, data in enumerate(mutants(text, count, seed=4)):
        try:
            ours = reader(program, data)
        except tf.TauforgeError:
            found["refused"] += 1
            continue
        way = ways[number % len(ways)]
        theirs = compiler_tokens(*way, data, tmp_path)
        found["accepted"] += 1
        assert theirs is None or _in_two(theirs) == (sines[way], _in_two(ours)[1]), data
    print(dict(found))
    assert found["accepted"] > count / 20
    assert found["refused"] > count / 20


def _in_two(words: list[str] | None) -> tuple[list[str], list[str]]:
    assert words is not None
    return words[: words.index("void")], words[words.index("void") :]


def test_a_naive_reader_is_caught(arm, tmp_path):
    _, text = arm
    compilers("gcc")
    found = [compared(x, naive, [("gcc", MODES[1])], tmp_path)["disagreeing"] for x in mutants(text, 80, seed=2)]
    assert sum(found) >= 4


@pytest.mark.parametrize("count", [60, pytest.param(5000, marks=pytest.mark.slow)])
def test_what_is_proved_computes_the_model(count, arm, tmp_path):
    (compiler,) = compilers("gcc")
    program, text = arm
    robot = tf.robots.planar2r()
    state = np.random.default_rng(0).uniform(-9, 9, (3, 20, 2))
    wanted = program.compile()(*state)
    known: dict[tuple[str, ...], bool] = {}
    found: Counter[str] = Counter()
    for data in mutants(text, count, seed=3):
        (tmp_path / "arm.c").write_bytes(data)
        try:
            proved = tf.verify(tmp_path / "arm.c", robot).proved
        except tf.TauforgeError:
            found["refused"] += 1
            continue
        found["proved" if proved else "not proved"] += 1
        if not proved:
            continue
        key = tuple(reader(program, data))
        if key not in known:
            torques = _run(compiler, key[1], tmp_path, len(known), state)
            known[key] = np.allclose(torques, wanted, rtol=0, atol=1e-9)
            found["compiled"] += 1
        assert known[key], data
    print(dict(found))
    assert found["proved"] > count / 20
    assert found["refused"] > count / 20


def _run(compiler: str, name: str, folder: Path, number: int, state: np.ndarray) -> np.ndarray:
    """Return the torques that a file's function computes."""
    library = folder / f"arm{number}.so"
    command = [
        compiler,
        "-std=c99",
        "-O1",
        "-ffp-contract=off",
        "-w",
        "-shared",
        "-fPIC",
        "arm.c",
        "-o",
        library,
        "-lm",
    ]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=60)
    function = getattr(ctypes.CDLL(str(library)), name)
    doubles = ctypes.POINTER(ctypes.c_double)
    torques = np.full((state.shape[1], 2), np.nan)
    for k in range(state.shape[1]):
        rows = [np.ascontiguousarray(x[k]) for x in state]
        function(*(x.ctypes.data_as(doubles) for x in (*rows, torques[k])))
    return torques
