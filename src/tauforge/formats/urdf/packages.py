"""Finding ROS packages by their names, with or without ROS: around a file, then where ROS's own variables point."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

_MANIFESTS = ("package.xml", "manifest.xml")
"""Files that mark a folder as a package; the second is rosbuild's, where the folder has the package's name."""
_NAME = re.compile(r"<name>\s*([^<\s]+)\s*</name>")
_IGNORED = ("CATKIN_IGNORE", "COLCON_IGNORE", "AMENT_IGNORE")


def find_package(name: str, path: Path) -> Path | None:
    """Return the folder of a package that a file asks for by name; None if there is none.

    It is one of the folders around the file or next to them, or below one in ``ROS_PACKAGE_PATH``, or in ``share`` of
    one in ``AMENT_PREFIX_PATH``. A folder of that name on those paths counts even without package.xml.
    """
    around = path.resolve().parents
    beside = (folder / name for folder in around if _is_package(folder / name, name))
    owners = (folder for folder in around if _is_package(folder, name) or folder.name == name)
    installed = (folder / "share" / name for folder in _folders("AMENT_PREFIX_PATH"))
    return next(
        chain(
            owners,
            beside,
            (found for folder in _folders("ROS_PACKAGE_PATH") for found in _below(folder, name)),
            (folder for folder in installed if folder.is_dir()),
        ),
        None,
    )


def _folders(variable: str) -> list[Path]:
    return [Path(word) for word in os.environ.get(variable, "").split(os.pathsep) if word]


def _is_package(folder: Path, name: str) -> bool:
    """Tell whether a folder is the package of that name, by its manifest."""
    modern, old = (folder / file for file in _MANIFESTS)
    if modern.is_file():
        found = _NAME.search(modern.read_text(encoding="utf-8", errors="replace"))
        return found is not None and found[1] == name
    return folder.name == name and old.is_file()


def _below(folder: Path, name: str) -> Iterator[Path]:
    """Yield the folders that may be the package: those whose manifest says so, then those with its name."""
    named: list[Path] = []
    for place, below, files in os.walk(folder):
        at = Path(place)
        if _is_package(at, name):
            yield at
        if at.name == name:
            named.append(at)
        inside = any(file in files for file in (*_MANIFESTS, *_IGNORED))  # packages do not contain packages
        below[:] = [] if inside else sorted(word for word in below if not word.startswith("."))
    yield from named
