"""What runs generated code: each target's real compiler or interpreter, on every Program and state at once."""

import ctypes
import importlib.util
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tauforge import Program

from .latex_reader import cleared, compute
from .programs import Values, states

C = ["gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
FORTRAN = ["gfortran", "-std=f2008", "-Wall", "-Wextra", "-Werror"]
Results = dict[str, list[Values]]
Programs = Mapping[str, Program]


def tool(command: list[str], folder: Path, **options: Any) -> str:
    """Run a compiler or interpreter and return what it prints; a missing one is an error, not a reason to skip."""
    assert shutil.which(command[0]), f"{command[0]} is not installed; the tests need it to run generated code"
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{' '.join(command)[:200]}\n{done.stdout[-3000:]}\n{done.stderr[-6000:]}"
    return done.stdout


def run_c(folder: Path, programs: Programs) -> Results:
    return _run_library(folder, programs, C, ".c", "", "C")


def run_fortran(folder: Path, programs: Programs) -> Results:
    return _run_library(folder, programs, FORTRAN, ".f90", "_", "F")


def _run_library(
    folder: Path, programs: Programs, compiler: list[str], ending: str, suffix: str, order: Any
) -> Results:
    files = [program.write(folder / f"{name}{ending}").name for name, program in programs.items()]
    tool([*compiler, "-O0", "-fPIC", "-shared", *files, "-lm", "-o", "library.so"], folder)
    library = ctypes.CDLL(str(folder / "library.so"))
    return {
        name: [_call(library[f"{name}{suffix}"], program, state, order) for state in states(name, program)]
        for name, program in programs.items()
    }


def _call(function: Any, program: Program, state: Values, order: Any) -> Values:
    given = [np.array(np.reshape(state[key], a.shape), order=order) for key, a in program.arguments.items()]
    made = {key: np.full(array.shape, np.nan, order=order) for key, array in program.results.items()}
    function(*(ctypes.c_void_p(x.ctypes.data) for x in (*given, *made.values())))
    return {key: x.ravel(order="C").tolist() for key, x in made.items()}


def run_matlab(folder: Path, programs: Programs) -> Results:
    """Run everything in one Octave, vectors as rows and as columns in turn."""
    script = _script(folder, programs, ".m", 'printf("{label} %s\\n", sprintf("%.17g ", {values}));')
    (folder / "everything.m").write_text("1;\n" + "\n".join(script))
    return read(tool(["octave-cli", "--norc", "--quiet", "everything.m"], folder), programs)


def run_scilab(folder: Path, programs: Programs) -> Results:
    """Run everything in one Scilab, vectors as rows and as columns in turn."""
    require("scilab-cli")
    show = 'mprintf("{label} %s\\n", strcat(msprintf("%.17g\\n", matrix({values}, -1, 1)), " "));'
    script = _script(folder, programs, ".sci", show)
    load = [f'exec("{name}.sci", -1);' for name in programs]
    (folder / "everything.sce").write_text("\n".join(["mode(-1);", *load, *script, "exit"]))
    return read(tool(["scilab-cli", "-nb", "-quit", "-f", "everything.sce"], folder), programs)


def _script(folder: Path, programs: Programs, ending: str, show: str) -> list[str]:
    script = []
    for name, program in programs.items():
        program.write(folder / f"{name}{ending}")
        for k, state in enumerate(states(name, program)):
            given = [_octave(state[key], a.shape, row=k % 2 == 0) for key, a in program.arguments.items()]
            script.append(f"[{', '.join(program.results)}] = {name}({', '.join(given)});")
            for key, array in program.results.items():
                ordered = f"permute({key}, {list(range(max(2, len(array.shape)), 0, -1))})"  # row by row
                sizes = list(array.shape) + [1] * (2 - len(array.shape))
                script.append(f"if ~isequal(size({key}), {sizes}), error('size of {key}'); end")
                script.append(show.format(label=f"{name} {k} {key}", values=ordered))
    return script


def read(text: str, programs: Programs) -> Results:
    """Return the numbers of lines that start with a Program's name, a state's number and an output's name."""
    found: Results = {name: [{} for _ in states(name, program)] for name, program in programs.items()}
    for line in text.splitlines():
        name, k, key, *numbers = line.split()
        found[name][int(k)][key] = [float("nan" if x == "und" else x) for x in numbers]
    return found


def require(*tools: str) -> None:
    """Skip the test, naming what is missing, if a tool, a file or a Python module is not installed."""
    missing = [x for x in tools if not _found(x)]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}; `make test-all` installs what runs every language")


def _found(name: str) -> bool:
    if ">=" in name:
        return _is_recent(*name.split(">="))
    if "/" in name:
        return Path(name).exists()
    return bool(shutil.which(name)) or (name.isidentifier() and importlib.util.find_spec(name) is not None)


def _is_recent(name: str, least: str) -> bool:
    """Tell whether a tool is there and prints a version of at least the given one."""
    if not shutil.which(name):
        return False
    printed = subprocess.run([name, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"\d+(\.\d+)+", printed)
    return bool(found) and [*map(int, found[0].split("."))] >= [*map(int, least.split("."))]


def _octave(values: list[float], shape: tuple[int, ...], row: bool) -> str:
    if len(shape) == 2:
        return f"[{'; '.join(' '.join(map(repr, row)) for row in np.reshape(values, shape).tolist())}]"
    text = f"[{' '.join(map(repr, values))}]"
    return text if row else f"{text}'"


def run_python(folder: Path, programs: Programs) -> Results:
    found: Results = {}
    for name, program in programs.items():
        function = _executed(program.code("python", name), name)
        found[name] = []
        for state in states(name, program):
            given = [np.reshape(state[key], a.shape).tolist() for key, a in program.arguments.items()]
            made = function(*given)
            made = made if len(program.results) > 1 else (made,)
            found[name].append({k: np.ravel(x).tolist() for k, x in zip(program.results, made, strict=True)})
    return found


def _executed(text: str, name: str) -> Any:
    assert text.isascii()
    space: dict[str, Any] = {}
    exec(compile(text.encode(), f"{name}.py", "exec"), space)
    return space[name]


def run_latex(folder: Path, programs: Programs) -> Results:
    found: Results = {}
    for name, program in programs.items():
        text = program.code("latex")
        comments = "\n".join(line for line in text.split("\n") if line.startswith("%"))
        listed = comments[comments.index("% Inputs") : comments.index("% Outputs")].partition("%   parameters (")[2]
        symbols = {label: symbol for symbol, label in re.findall(r"(\S+) = (\w+)", re.sub(r"\n%\s*", " ", listed))}
        found[name] = []
        for state in states(name, program):
            values = {}
            for key, array in program.arguments.items():
                for index, x, node in zip(np.ndindex(*array.shape), state[key], array.nodes, strict=True):
                    values[symbols[str(node.value)] if key == "parameters" else latex_element(key, index)] = x
            known, zeros = compute(text, values), cleared(text)
            found[name].append({})
            for key, array in program.results.items():
                rest = {latex_element(key, i): 0.0 for i in np.ndindex(*array.shape) if latex_element(key, ()) in zeros}
                elements = [latex_element(key, i) for i in np.ndindex(*array.shape)]
                found[name][-1][key] = [(rest | known)[element] for element in elements]
    return found


def latex_element(key: str, index: tuple[int, ...]) -> str:
    special = {"qd": r"\dot{q}", "qdd": r"\ddot{q}", "tau": r"\tau"}
    word = key.replace("_", r"\_")
    letter = special.get(key, key if len(key) == 1 else rf"\mathit{{{word}}}")
    return letter + (f"_{{{','.join(str(i + 1) for i in index)}}}" if index else "")


def run_compiled(folder: Path, programs: Programs) -> Results:
    """Run all states of a Program in one call of its compiled function."""
    return {name: _batch(program.compile(), name, program) for name, program in programs.items()}


def run_numpy(folder: Path, programs: Programs) -> Results:
    """Run all states of a Program in one call."""
    return {name: _batch(_executed(p.code("numpy", name), name), name, p) for name, p in programs.items()}


def _batch(function: Any, name: str, program: Program) -> list[Values]:
    given = [
        np.array([np.reshape(s[key], a.shape) for s in states(name, program)]) for key, a in program.arguments.items()
    ]
    made = function(*given)
    made = made if len(program.results) > 1 else (made,)
    return [
        {key: x[k].ravel().tolist() for key, x in zip(program.results, made, strict=True)}
        for k in range(len(states(name, program)))
    ]


RUNNERS = {
    "c": run_c,
    "fortran": run_fortran,
    "matlab": run_matlab,
    "python": run_python,
    "numpy": run_numpy,
    "latex": run_latex,
    "compiled": run_compiled,
}
