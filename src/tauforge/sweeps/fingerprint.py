"""What makes two sweeps the same: names of functions, and the contents of values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np

from ..formats.toml.write import write
from ..program.pickling import flatten
from ..program.program import Program
from ..robot.robot import Robot


def fingerprint(value: Any) -> str:
    """Return a short text that is the same in every process for values with the same contents.

    A function counts by its name, so that it can be corrected between two runs. An object that shows neither fields
    nor a description counts by its type.
    """
    digest = blake2b(digest_size=12)
    _feed(digest, value)
    return digest.hexdigest()


def name_of(function: Any) -> str:
    """Return the name of a function, without the module if that is the script."""
    if isinstance(function, partial):
        return name_of(function.func)
    if isinstance(function, Robot):
        return function.name
    kind = function if hasattr(function, "__qualname__") else type(function)
    return kind.__qualname__ if kind.__module__ == "__main__" else f"{kind.__module__}.{kind.__qualname__}"


def _feed(digest: Any, value: Any) -> None:
    """Add a value to a digest, with its kind first, so that no two kinds are confused."""
    if isinstance(value, Robot):
        _text(digest, "robot", write(value))
    elif isinstance(value, Program):
        flat = flatten(value)
        _all(digest, "program", [flat.nodes, flat.arguments, flat.results])
    elif isinstance(value, partial):
        _all(digest, "partial", [name_of(value), value.args, value.keywords])
    elif isinstance(value, np.ndarray) and value.dtype != object:
        _text(digest, "array", f"{value.dtype.str} {value.shape}")
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, Mapping):
        _all(digest, "mapping", [x for pair in value.items() for x in pair])
    elif isinstance(value, tuple | list | np.ndarray):
        _all(digest, "sequence", list(value))
    elif is_dataclass(value) and not isinstance(value, type):
        _all(digest, name_of(value), [getattr(value, each.name) for each in fields(value)])
    elif callable(value):
        _text(digest, "function", name_of(value))
    else:
        told = repr(value)
        _text(digest, type(value).__qualname__, "" if " at 0x" in told else told)


def _text(digest: Any, kind: str, text: str) -> None:
    digest.update(f"{kind} {len(text)} {text}".encode())


def _all(digest: Any, kind: str, values: list[Any]) -> None:
    _text(digest, kind, str(len(values)))
    for value in values:
        _feed(digest, value)
