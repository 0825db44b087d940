"""Other libraries, imported when they are used, and Programs as they want them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from ..errors import ProgramError
from ..program.program import Program
from ..runtime.arguments import by_name, holds_parameters


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


def ordered(
    program: Program, arguments: Sequence[Any], named: dict[str, Any], stack: Callable[[Sequence[Any]], Any]
) -> list[Any]:
    """Return the arguments of a call in the Program's order; parameters given by name are put in theirs and stacked."""
    names = [*program.inputs]
    found = dict(zip(names, arguments, strict=False)) | named
    if len(arguments) > len(names) or len(found) != len(arguments) + len(named) or {*found} != {*names}:
        raise TypeError(f"{program.name} takes the arguments {', '.join(names)}, each once")
    return [
        stack(by_name(program, name, x)) if isinstance(x, Mapping) and holds_parameters(program, name) else x
        for name, x in ((name, found[name]) for name in names)
    ]


def leading_axes(program: Program, arrays: Sequence[Any]) -> tuple[int, ...]:
    """Return the leading axes of all arguments broadcast together; refuse one whose last axes are not the input's."""
    found = []
    for (name, shape), x in zip(program.inputs.items(), arrays, strict=True):
        own = tuple(x.shape)
        split = max(len(own) - len(shape), 0)
        if own[split:] != tuple(shape):
            raise ProgramError(f"{program.name}: {name} has the shape {own}; it must end in {tuple(shape)}")
        found.append(own[:split])
    try:
        return np.broadcast_shapes(*found)
    except ValueError:
        axes = ", ".join(f"{name} {each}" for name, each in zip(program.inputs, found, strict=True))
        raise ProgramError(f"{program.name}: these leading axes do not go together: {axes}") from None
