"""What ``tauforge generate`` does with a model: write its code to a file, to two, or to standard output."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.markup import escape

import tauforge as tf

from ..files import write_text
from ..targets import check_file, target_of
from .console import errors


def write_code(program: tf.Program, output: str, target: str, function: str, split: bool) -> None:
    """Write a Program's code to a file (``-`` is standard output); if it is split, set-up goes to a separate file."""
    if split and output == "-":
        raise tf.ProgramError("--split writes two files: give the name of the second with -o FILE")
    kind = target or ("c" if output == "-" else target_of(output))
    if output == "-":
        sys.stdout.write(program.code(kind, name=function or None))
        return
    path = Path(output)
    parts = {path: program}
    if split:
        setup, rest = program.split()
        parts = {path.with_stem(f"{path.stem}_setup"): setup, path: rest}
    name = function or path.stem
    names = {place: name if place == path else f"{name}_setup" for place in parts}
    texts = {place: part.code(kind, name=names[place]) for place, part in parts.items()}
    for place in texts:
        check_file(place, kind, names[place])
    for place, text in texts.items():
        write_text(place, text)
    errors.print(f"[green]wrote[/green] {escape(', '.join(map(str, texts)))}: {program.count()}", soft_wrap=True)


def write_a_project(robot: tf.Robot, program: tf.Program, output: str, kind: str, function: str, more: bool) -> None:
    """Write a project around a Program to a folder."""
    from ..projects import write_project

    if output == "-" or more:
        raise tf.ProgramError(
            "--project writes a folder, in its own language: give its name with -o DIR, without -t or --split"
        )
    folder = write_project(robot, output, kind, program, function or None)
    errors.print(f"[green]wrote[/green] {escape(str(folder))}; its README says how to build it", soft_wrap=True)
