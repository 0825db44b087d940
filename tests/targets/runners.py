"""What runs generated code: each target's real compiler or interpreter, on every Program and state at once."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from tauforge import Program

from .latex_reader import cleared, compute
from .programs import Values, programs, states

C = ["gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
FORTRAN = ["gfortran", "-std=f2008", "-Wall", "-Wextra", "-Werror"]
Results = dict[str, list[Values]]


def tool(command: list[str], folder: Path, **options: Any) -> str:
    """Run a compiler or interpreter and return what it prints; a missing one is an error, not a reason to skip."""
    assert shutil.which(command[0]), f"{command[0]} is not installed; the tests need it to run generated code"
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{' '.join(command)[:200]}\n{done.stdout[-3000:]}\n{done.stderr[-6000:]}"
    return done.stdout


def run_c(folder: Path) -> Results:
    return _run_library(folder, C, ".c", "", "C")


def run_fortran(folder: Path) -> Results:
    return _run_library(folder, FORTRAN, ".f90", "_", "F")


def _run_library(folder: Path, compiler: list[str], ending: str, suffix: str, order: Any) -> Results:
    files = [program.write(folder / f"{name}{ending}").name for name, program in programs().items()]
    tool([*compiler, "-O1", "-fPIC", "-shared", *files, "-lm", "-o", "library.so"], folder)
    library = ctypes.CDLL(str(folder / "library.so"))
    return {
        name: [_call(library[f"{name}{suffix}"], program, state, order) for state in states(name)]
        for name, program in programs().items()
    }


def _call(function: Any, program: Program, state: Values, order: Any) -> Values:
    given = [np.array(np.reshape(state[key], a.shape), order=order) for key, a in program.arguments.items()]
    made = {key: np.full(array.shape, np.nan, order=order) for key, array in program.results.items()}
    function(*(ctypes.c_void_p(x.ctypes.data) for x in (*given, *made.values())))
    return {key: x.ravel(order="C").tolist() for key, x in made.items()}


def run_matlab(folder: Path) -> Results:
    """Run everything in one Octave, vectors as rows and as columns in turn."""
    script = []
    for name, program in programs().items():
        program.write(folder / f"{name}.m")
        for k, state in enumerate(states(name)):
            given = [_octave(state[key], a.shape, row=k % 2 == 0) for key, a in program.arguments.items()]
            script.append(f"[{', '.join(program.results)}] = {name}({', '.join(given)});")
            for key, array in program.results.items():
                ordered = f"permute({key}, {list(range(max(2, len(array.shape)), 0, -1))})"  # row by row
                script.append(f"assert(isequal(size({key}), {list(array.shape) + [1] * (2 - len(array.shape))}));")
                script.append(f'printf("{name} {k} {key} %s\\n", sprintf("%.17g ", {ordered}));')
    (folder / "everything.m").write_text("1;\n" + "\n".join(script))
    found: Results = {name: [{} for _ in states(name)] for name in programs()}
    for line in tool(["octave-cli", "--norc", "--quiet", "everything.m"], folder).splitlines():
        name, k, key, *numbers = line.split()
        found[name][int(k)][key] = [float(x) for x in numbers]
    return found


def _octave(values: list[float], shape: tuple[int, ...], row: bool) -> str:
    text = f"[{' '.join(map(repr, values))}]"
    if len(shape) == 2:
        return f"reshape({text}, {shape[1]}, {shape[0]})'"
    return text if row else f"{text}'"


def run_python(folder: Path) -> Results:
    found: Results = {}
    for name, program in programs().items():
        function = _executed(program.code("python", name), name)
        found[name] = []
        for state in states(name):
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


def run_latex(folder: Path) -> Results:
    found: Results = {}
    for name, program in programs().items():
        text = program.code("latex")
        comments = "\n".join(line for line in text.split("\n") if line.startswith("%"))
        listed = comments[comments.index("% Inputs") : comments.index("% Outputs")].partition("%   parameters (")[2]
        symbols = {label: symbol for symbol, label in re.findall(r"(\S+) = (\w+)", re.sub(r"\n%\s*", " ", listed))}
        found[name] = []
        for state in states(name):
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
    letter = special.get(key, key if len(key) == 1 else rf"\mathit{{{key}}}")
    return letter + (f"_{{{','.join(str(i + 1) for i in index)}}}" if index else "")


def run_compiled(folder: Path) -> Results:
    """Run all states of a Program in one call of its compiled function."""
    return {name: _batch(program.compile(), name) for name, program in programs().items()}


def run_numpy(folder: Path) -> Results:
    """Run all states of a Program in one call."""
    return {name: _batch(_executed(p.code("numpy", name), name), name) for name, p in programs().items()}


def _batch(function: Any, name: str) -> list[Values]:
    program = programs()[name]
    given = [np.array([np.reshape(s[key], a.shape) for s in states(name)]) for key, a in program.arguments.items()]
    made = function(*given)
    made = made if len(program.results) > 1 else (made,)
    return [
        {key: x[k].ravel().tolist() for key, x in zip(program.results, made, strict=True)}
        for k in range(len(states(name)))
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
