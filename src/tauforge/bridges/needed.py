"""Other libraries, imported when they are used, and Programs as they want them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

from ..errors import ProgramError
from ..program.program import Program


def needed(module: str, package: str, what: str) -> Any:
    """Return a module; a ProgramError says what to install if it is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ProgramError(
            f"{what} needs {module}, which cannot be imported ({error}): pip install {package}"
        ) from None


def refuse_repeated(program: Program, what: str) -> None:
    if program.repeat:
        raise ProgramError(f"{program.name} is repeated until it is done, which {what} cannot do; use compile()")


def by_entries(program: Program) -> Program:
    """Return a Program whose derivatives are with respect to the entries of its inputs, those of quaternions too."""
    if not any(array.tangent for array in program.arguments.values()):
        return program
    return replace(program, arguments={name: replace(a, tangent=None) for name, a in program.arguments.items()})


def slopes(program: Program, output: str, inputs: Sequence[str]) -> Program:
    """Return the derivative of an output with respect to the entries of inputs."""
    return by_entries(program).derivative(output, inputs)


def ordered(program: Program, arguments: Sequence[Any], named: dict[str, Any]) -> list[Any]:
    """Return the arguments of a call in the Program's order."""
    names = [*program.inputs]
    found = dict(zip(names, arguments, strict=False)) | named
    if len(arguments) > len(names) or len(found) != len(arguments) + len(named) or {*found} != {*names}:
        raise TypeError(f"{program.name} takes the arguments {', '.join(names)}, each once")
    return [found[name] for name in names]
