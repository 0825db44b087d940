"""Program -> source code: one small file per language, each a table of spellings and a frame around the statements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..errors import TargetError, suggestion
from ..files import write_text
from ..program.program import Program
from . import c, fortran, latex, matlab, numpy, python
from .language import Language
from .notebook import in_html as in_html
from .notebook import in_latex as in_latex
from .statements import Listing, listing


@dataclass(frozen=True)
class Target:
    """A language, the printer of its functions, and the ending of its files if that ending means this target."""

    language: Language
    render: Callable[[Listing], str]
    ending: str = ""


TARGETS = {
    "c": Target(c.LANGUAGE, c.render, ".c"),
    "header": Target(c.LANGUAGE, c.render_header, ".h"),
    "fortran": Target(fortran.LANGUAGE, fortran.render, ".f90"),
    "matlab": Target(matlab.LANGUAGE, matlab.render, ".m"),
    "python": Target(python.LANGUAGE, python.render, ".py"),
    "numpy": Target(numpy.LANGUAGE, numpy.render),
    "latex": Target(latex.LANGUAGE, latex.render, ".tex"),
}


def generate(program: Program, target: str, name: str | None = None) -> str:
    """Return a Program as source code; ``name`` is the function's name, by default the Program's."""
    if target not in TARGETS:
        raise TargetError(f"unknown target {target!r}; {suggestion(target, list(TARGETS))}")
    chosen = TARGETS[target]
    return chosen.render(listing(program, chosen.language, name))


def target_of(path: str | Path) -> str:
    """Return the target for a file's ending."""
    by_ending = {target.ending: name for name, target in TARGETS.items() if target.ending}
    ending = Path(path).suffix.lower()
    if ending not in by_ending:
        known = ", ".join(f"{ending} ({name})" for ending, name in by_ending.items())
        raise TargetError(f"{path}: no target has files that end in {ending!r}; use {known}, or name the target")
    return by_ending[ending]


def write(program: Program, path: str | Path, *, target: str | None = None, name: str | None = None) -> Path:
    """Write a Program as source code; by default the file's name determines the target and the function's name."""
    path = Path(path)
    return write_text(path, generate(program, target or target_of(path), path.stem if name is None else name))
