"""What ``load`` takes in place of a file's name: its text, bytes, or an open file."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import RobotError, RobotWarning
from ..files import write_bytes

_NAMED = "the given text"
"""What messages call a text that has no file."""
_ROOTS = {"mujoco": ".xml", "robot": ".urdf"}
"""The ending of an XML file by its root element."""
_ROOT = re.compile(r"<\s*([A-Za-z_][\w.-]*)")
_PAR = re.compile(r"^\s*(\(\*|\w+\s*=\s*\{)", re.MULTILINE)
_TOML = re.compile(r"^\s*(format\s*=|\[)", re.MULTILINE)


@contextmanager
def as_file(given: Any) -> Iterator[Path]:
    """Give the file that a name or an open file refers to, or a temporary one with the contents."""
    if _is_name(given):
        yield Path(given)
        return
    name = getattr(given, "name", None)
    if isinstance(name, str) and os.path.isfile(name):  # its folder may hold meshes
        yield Path(name)
        return
    import tempfile  # not for those who read files

    data = _bytes(given)
    with tempfile.TemporaryDirectory() as folder:
        file = write_bytes(Path(folder, f"robot{_ending(data)}"), data)
        try:
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                yield file
        except RobotError as error:
            raise RobotError(str(error).replace(str(file), _NAMED)) from None
        finally:
            for warning in heard:
                _warn(warning.message, str(file))


def _warn(message: Warning | str, file: str) -> None:
    """Give a warning again; one about the temporary file names the text instead."""
    if isinstance(message, RobotWarning):
        message = RobotWarning(str(message).replace(file, _NAMED))
    warnings.warn(message, stacklevel=5)


def called(given: object) -> str:
    """Return what messages call something that a robot is to be read from."""
    return str(given) if _is_name(given) else _NAMED


def _is_name(given: object) -> bool:
    """Tell a file's name from its text."""
    if isinstance(given, str):
        return "\n" not in given and not given.lstrip("\ufeff \t").startswith("<")
    return isinstance(given, Path)


def _bytes(given: Any) -> bytes:
    """Return the contents of what is not a file's name."""
    data = given.read() if hasattr(given, "read") else given
    if isinstance(data, str):
        data = data.encode()
    if not isinstance(data, bytes | bytearray):
        raise RobotError(
            "a robot is read from the name of a file, its text, its bytes or an open file, not from an object of type "
            f"{type(given).__name__}"
        )
    return bytes(data)


def _ending(data: bytes) -> str:
    """Return the ending of the format that a text is in."""
    text = data.decode("utf-8-sig", "replace")
    if text.lstrip().startswith("<"):
        root = next((tag for tag in _ROOT.findall(_without_comments(text))), "")
        if root not in _ROOTS:
            raise RobotError(f"{_NAMED}: its root element is <{root}>; in MJCF it is <mujoco>, in URDF <robot>")
        return ".xacro" if "xmlns:xacro" in text else _ROOTS[root]
    for pattern, ending in ((_TOML, ".toml"), (_PAR, ".par")):
        if pattern.search(text):
            return ending
    raise RobotError(
        f"{_NAMED}: this is neither XML (URDF, MJCF) nor TOML nor a .par file; to read a file, give its name"
    )


def _without_comments(text: str) -> str:
    return re.sub(r"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>]*>", "", text, flags=re.DOTALL)
