"""Program -> source code: one small file per language, each a table of spellings and a frame around the statements."""

from __future__ import annotations

from pathlib import Path

from ..errors import TargetError, suggestion
from ..files import as_path, write_text
from ..program.program import Program
from . import algebra, c, classes, cpp, fortran, go, javascript, latex, matlab, numpy, python, rust, scilab
from .notebook import in_html as in_html
from .notebook import in_latex as in_latex
from .statements import listing
from .target import Target

TARGETS = {
    "c": c.target(),
    "header": c.header(),
    "cpp": cpp.target(),
    "fortran": Target(fortran.LANGUAGE, fortran.render, ".f90"),
    "matlab": Target(matlab.LANGUAGE, matlab.render, ".m", misplaced=matlab.misplaced),
    "python": Target(python.LANGUAGE, python.render, ".py", misplaced=python.misplaced),
    "numpy": Target(numpy.LANGUAGE, numpy.render, misplaced=python.misplaced),
    "latex": Target(latex.LANGUAGE, latex.render, ".tex"),
    "javascript": javascript.JAVASCRIPT,
    "typescript": javascript.TYPESCRIPT,
    "rust": rust.target(),
    "go": go.TARGET,
    "java": classes.JAVA,
    "csharp": classes.CSHARP,
    "scilab": scilab.TARGET,
    "maxima": algebra.MAXIMA,
    "maple": algebra.MAPLE,
    "mathematica": algebra.MATHEMATICA,
}


def generate(program: Program, target: str, name: str | None = None) -> str:
    """Return a Program as source code; ``name`` is the function's name, by default the Program's.

    The name of a target can be followed by the type of its numbers: "c:float".
    """
    chosen = _chosen(target)
    return chosen.render(listing(program, chosen.language, name))


def _chosen(target: str) -> Target:
    if not isinstance(target, str):
        raise TargetError(f"a target is given by its name, such as 'c', not as {target!r}")
    kind, colon, scalar = target.partition(":")
    if kind not in TARGETS:
        raise TargetError(f"unknown target {target!r}; {suggestion(target, list(TARGETS))}")
    chosen = TARGETS[kind]
    if not colon:
        return chosen
    if not chosen.typed:
        typed = ", ".join(name for name, each in TARGETS.items() if each.typed)
        raise TargetError(f"{target!r}: {kind} has one type of numbers; those with several are {typed}")
    return chosen.typed(scalar)


def target_of(path: str | Path) -> str:
    """Return the target for a file's ending."""
    by_ending = {target.ending: name for name, target in TARGETS.items() if target.ending}
    ending = as_path(path).suffix.lower()
    if ending not in by_ending:
        known = ", ".join(f"{ending} ({name})" for ending, name in by_ending.items())
        raise TargetError(f"{path}: no target has files that end in {ending!r}; use {known}, or name the target")
    return by_ending[ending]


def write(program: Program, path: str | Path, *, target: str | None = None, name: str | None = None) -> Path:
    """Write a Program as source code; by default the file's name determines the target and the function's name."""
    path = as_path(path)
    chosen, name = target or target_of(path), path.stem if name is None else name
    text = generate(program, chosen, name)
    check_file(path, chosen, name)
    return write_text(path, text)


def check_file(path: Path, target: str, name: str) -> None:
    """Refuse a file in which the language's tools would not find the function, or which would hide one of theirs."""
    if why := _chosen(target).misplaced(path.stem, name):
        raise TargetError(f"{path}: {why}; choose another name for the file")
