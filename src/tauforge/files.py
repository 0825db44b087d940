"""Reading files with a limit, and writing them whole or not at all."""

import os
import tempfile
from pathlib import Path

from .errors import RobotError, TauforgeError

LARGEST = 8 * 2**20
"""Bytes that a robot's file may have; a thousand links need half a megabyte."""


def read_bytes(path: str | Path) -> bytes:
    """Return a robot file's bytes, or say in a RobotError why not."""
    path = Path(path)
    try:
        if path.is_dir():
            raise RobotError(f"{path}: this is a directory; give a robot's file")
        size = path.stat().st_size
        if size > LARGEST:
            raise RobotError(
                f"{path}: {size / 2**20:.0f} MB is too large for a robot's file; at most {LARGEST >> 20} MB are read"
            )
        data = path.read_bytes()
    except FileNotFoundError:
        raise RobotError(f"{path}: no such file") from None
    except OSError as error:
        raise RobotError(f"{path}: cannot be read ({error.strerror})") from None
    if not data.strip():
        raise RobotError(f"{path}: the file is empty")
    if b"\0" in data:
        raise RobotError(f"{path}: this is a binary file; a robot's file is text")
    return data


def write_text(path: str | Path, text: str) -> Path:
    """Write a file under a temporary name beside it, then rename it: it is there whole, or not at all."""
    path = Path(path)
    if path.is_dir():
        raise TauforgeError(f"{path}: this is a directory; give a file's name")
    temporary = ""
    try:
        path = path.resolve() if path.is_symlink() else path
        if path.exists() and not path.is_file():  # a device or a pipe, which renaming would replace
            path.write_text(text, encoding="utf-8", newline="\n")
            return path
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise TauforgeError(f"{path}: cannot be written ({error.strerror}); choose another place") from None
    return path


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
