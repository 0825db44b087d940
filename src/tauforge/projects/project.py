"""What every project is made of: files from templates, in a folder that is written whole or not at all."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ..errors import TargetError, TauforgeError
from ..files import as_path
from ..program.program import Program
from ..robot.robot import Robot

_HERE = Path(__file__).parent
_WORD = re.compile(r"@(\w+)@")
Files = dict[str, str | bytes]


class Order(NamedTuple):
    """What a project is made for."""

    robot: Robot
    program: Program
    name: str

    @property
    def title(self) -> str:
        """What the function computes, in words that no file can misread."""
        return re.sub(r"[^A-Za-z0-9 .,:()-]", " ", self.program.name)

    def start(self) -> list[float]:
        """Return coordinates to start from: loops closed, all others at zero."""
        if self.robot.loops:
            from ..geometry.close_loops import close_loops

            return [float(x) for x in close_loops(self.robot, None)]
        return [x for joint in self.robot.expanded().joints if not joint.mimic for x in joint.kind.neutral]


def filled(kind: str, order: Order, more: Mapping[str, str] | None = None) -> Files:
    """Return the files of a kind's templates, with each @word@ replaced."""
    words = {"name": order.name, "NAME": order.name.upper(), "title": order.title, **(more or {})}
    folder = _HERE / "templates" / kind
    made = []
    for path in sorted(x for x in folder.rglob("*") if x.is_file()):
        place = _WORD.sub(lambda found: words[found[1]], path.relative_to(folder).as_posix().removesuffix(".in"))
        made.append({place: _WORD.sub(lambda found: words[found[1]], path.read_text(encoding="utf-8"))})
    return together(*made)


def together(*parts: Mapping[str, str | bytes]) -> Files:
    """Return all files; refuse a name by which one would replace another, also where letters' case does not count."""
    files: Files = {}
    places: dict[str, str] = {}
    for place, content in (pair for part in parts for pair in part.items()):
        if (other := places.setdefault(place.casefold(), place)) != place or place in files:
            raise TargetError(f"the project needs its file {other} for itself; choose another name with name=")
        files[place] = content
    return files


def write_folder(folder: str | Path, files: Files) -> Path:
    """Write files under a temporary folder, then rename it; refuse a place where there is something."""
    folder = as_path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise TauforgeError(f"{folder}: there is something already; give the name of a new folder")
    try:
        beside = folder.absolute().parent
        beside.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=beside, prefix=f".{folder.name}."))
    except OSError as error:
        raise TauforgeError(f"{folder}: cannot be written ({error.strerror}); choose another place") from None
    try:
        for name, content in files.items():
            path = temporary / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        temporary.chmod(0o755)
        if not folder.exists():
            temporary.rename(folder)
        else:  # not replaced: a shell can be in it
            for path in temporary.iterdir():
                path.rename(folder / path.name)
            temporary.rmdir()
    except OSError as error:
        shutil.rmtree(temporary, ignore_errors=True)
        raise TauforgeError(f"{folder}: cannot be written ({error.strerror}); choose another place") from None
    return folder
