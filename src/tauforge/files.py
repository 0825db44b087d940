"""Reading files with a limit, and writing them completely or not at all."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from reprlib import repr as short

from .errors import RobotError, TauforgeError
from .limits import spend

_PLAIN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""How a file is opened: a pipe without a writer must not block."""
_USED: ContextVar[dict[tuple[int, int], str] | None] = ContextVar("_USED", default=None)
"""What a command did with files so far, by their device and number, which all names of a file share: links, ./x, and
X where letters' case does not count. None outside commands.
"""


@contextmanager
def nothing_overwritten() -> Iterator[None]:
    """Refuse to write over a file that was read or written inside the block."""
    token = _USED.set({})
    try:
        yield
    finally:
        _USED.reset(token)


def note_reading(path: str | Path) -> None:
    """Remember that a file is read, by whatever reads it; for a folder, its files."""
    if (used := _USED.get()) is None:
        return
    for file in Path(path).iterdir() if os.path.isdir(path) else [path]:
        _note(used, file, "read")


def _note(used: dict[tuple[int, int], str], path: str | Path, what: str) -> None:
    try:
        known = os.stat(path)
    except (OSError, ValueError):  # it is gone, or was never there: nothing to overwrite
        return
    used[known.st_dev, known.st_ino] = what


def _refuse_overwriting(path: Path) -> None:
    used = _USED.get()
    if not used:
        return
    try:
        known = os.stat(path)
    except (OSError, ValueError):
        return
    if (what := used.get((known.st_dev, known.st_ino))) and stat.S_ISREG(known.st_mode):
        raise TauforgeError(
            f"{path}: this command has {what} the same file, which would be lost; give another name for the output"
        )


def as_path(name: object) -> Path:
    """Return the name of a file or folder as a Path, or say what it must be."""
    if isinstance(name, Path):
        return name
    text = os.fspath(name) if isinstance(name, os.PathLike) else name
    if not isinstance(text, str):
        raise TauforgeError(f"a file's name must be a text or a pathlib.Path, not {short(name)}")
    if "\0" in text:
        raise TauforgeError(f"{text}: no file can have a name with a null character; choose another")
    return Path(text)


def read_bytes(path: str | Path) -> bytes:
    """Return the bytes of a robot file; a RobotError says why it cannot be read."""
    path = as_path(path)
    note_reading(path)
    try:
        with open(os.open(path, _PLAIN), "rb") as file:
            spend("bytes", regular(path, os.fstat(file.fileno())), path)
            data = file.read()
    except FileNotFoundError:
        raise RobotError(f"{path}: no such file") from None
    except RobotError:
        raise
    except (OSError, ValueError) as error:  # the second for a name that no file can have
        raise RobotError(f"{path}: cannot be read ({_why(error)})") from None
    if not data.strip():
        raise RobotError(f"{path}: the file is empty")
    if b"\0" in data:
        raise RobotError(f"{path}: this is a binary file; a robot's file is text")
    return data


def refuse_device(path: Path) -> None:
    """Refuse what is neither a file nor a folder: a pipe that nobody writes to never ends, /dev/zero neither."""
    with suppress(OSError, ValueError):
        mode = os.stat(path).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise TauforgeError(f"{path}: this is a pipe or a device; give a file")


def regular(path: Path, found: os.stat_result) -> int:
    """Return the size of a file; refuse anything that is not a regular file: directories, pipes, devices."""
    if stat.S_ISDIR(found.st_mode):
        raise RobotError(f"{path}: this is a directory; give a robot's file")
    if not stat.S_ISREG(found.st_mode):
        raise RobotError(f"{path}: this is a pipe or a device; give a robot's file")
    return found.st_size


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def write_text(path: str | Path, text: str) -> Path:
    """Write a text under a temporary name in the same folder, then rename it: it is complete or absent."""
    try:
        return write_bytes(path, text.encode())
    except UnicodeEncodeError as error:
        raise TauforgeError(f"{path}: cannot be written ({error})") from None


def write_bytes(path: str | Path, data: bytes) -> Path:
    """Write a file under a temporary name in the same folder, then rename it: it is complete or absent."""
    import tempfile  # not for those who only read

    path = as_path(path)
    if os.path.isdir(path):
        raise TauforgeError(f"{path}: this is a directory; give a file's name")
    _refuse_overwriting(path)
    temporary = ""
    try:
        if path.is_symlink():
            path = path.resolve()
            if path.is_symlink():  # which pathlib only refuses before Python 3.13
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        if path.exists() and not path.is_file():  # a device or a pipe, which renaming would replace
            path.write_bytes(data)
            return path
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except (OSError, RuntimeError, ValueError) as error:  # pathlib raises the second for a loop of links
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise TauforgeError(f"{path}: cannot be written ({_why(error)}); choose another place") from None
    if (used := _USED.get()) is not None:
        _note(used, path, "written")
    return path


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
