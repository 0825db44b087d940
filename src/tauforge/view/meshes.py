"""Meshes of a robot's file, read only from the folders that the file may use.

A mesh is below the folder of the robot's file, below the ROS package around it or one that it names, or below a folder
that ``load(…, folders=…)`` allows. One that is missing, elsewhere or broken is left out with a RobotWarning.
"""

from __future__ import annotations

import io
import os
import re
import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from ..errors import RobotError, RobotWarning, TauforgeError
from ..files import note_reading
from ..formats.urdf.packages import find_package
from ..robot.body import Visual
from . import solids
from .drawing import FARTHEST
from .solids import Solid

Floats = NDArray[np.float64]
ENDINGS = (".stl", ".obj", ".dae", ".ply", ".glb")
LARGEST = 100_000_000
"""Bytes of a mesh."""
MOST = 400_000
"""Triangles of a mesh."""
PLAIN = (0.80, 0.82, 0.85)
"""The colour of what has none."""
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+):/{0,2}", re.IGNORECASE)


class Unseen(Exception):
    """Why a shape cannot be shown."""


def solid_of(visual: Visual) -> Solid | None:
    """Return a visual as a solid in its link's frame; None, with a warning, where its mesh cannot be read."""
    if visual.color and visual.color[3] < 0.05:
        return solids.NOTHING
    T = np.array(visual.pose).reshape(4, 4)
    color = visual.color[:3] or PLAIN
    size = visual.size
    try:
        if visual.shape == "mesh":
            made = _mesh(_located(visual), size or (1.0, 1.0, 1.0), visual.color[:3])
        elif not size or min(size) < 0.0 or max(size) > FARTHEST:
            raise Unseen(f"its size is {size}")
        elif visual.shape == "box":
            made = solids.box(size, color)
        elif visual.shape in ("sphere", "ellipsoid"):
            made = solids.ball(size if len(size) == 3 else (size[0],) * 3, color)
        else:
            make = solids.capsule if visual.shape == "capsule" else solids.cylinder
            made = make(size[0], size[1], color)
    except (Unseen, OSError) as error:
        what = f"the mesh {visual.file!r}" if visual.shape == "mesh" else f"a {visual.shape}"
        warnings.warn(f"{what} is not shown: {error}", RobotWarning, stacklevel=2)
        return None
    return made.moved(T)


def _located(visual: Visual) -> Path:
    """Return the file of a mesh, if the robot's file may use it."""
    if not visual.folders:
        raise Unseen("the robot was not loaded from a file, so its folder is not known")
    own, text = Path(visual.folders[0]), visual.file
    allowed = [*map(Path, visual.folders), *_package_around(own)]
    try:
        if (scheme := _SCHEME.match(text)) and not re.match(r"[A-Za-z]:[\\/]", text):
            rest = unquote(text[scheme.end() :])
            if scheme[1].lower() in ("package", "model"):
                name, _, rest = rest.partition("/")
                package = find_package(name, own / "robot")
                if package is None:
                    raise Unseen(f"there is no package {name!r} around the robot's file or in ROS_PACKAGE_PATH")
                found, allowed = (package / rest).resolve(), [package.resolve(), *allowed]
            elif scheme[1].lower() == "file":
                found = Path("/" + rest.lstrip("/")).resolve()
            else:
                raise Unseen("meshes are read from files only")
        else:
            found = (own / text).resolve()
    except (OSError, RuntimeError, ValueError):
        raise Unseen("this is not a file's name") from None
    if not any(map(found.is_relative_to, allowed)):
        raise Unseen("it is outside the folders of the robot's file and of its package; move it there")
    if found.suffix.lower() not in ENDINGS:
        raise Unseen(f"only {', '.join(ENDINGS)} can be read")
    if not os.path.isfile(found):
        raise Unseen("there is no such file")
    if found.stat().st_size > LARGEST:
        raise Unseen(f"it has more than {LARGEST:,} bytes")
    return found


def _package_around(folder: Path) -> Iterator[Path]:
    """Yield the nearest folder around another that is a ROS package."""
    yield from [place for place in (folder, *folder.parents) if (place / "package.xml").is_file()][:1]


def _mesh(path: Path, scale: tuple[float, ...], color: tuple[float, ...]) -> Solid:
    note_reading(path)
    stamp = path.stat()
    points, faces, colors = _triangles(path, stamp.st_mtime_ns, stamp.st_size)
    points = points * np.array(scale)
    if not np.abs(points).max() <= FARTHEST:
        raise Unseen(f"it reaches beyond {FARTHEST:g} m; check its scale")
    if np.prod(scale) < 0:  # a mirror turns triangles inside out
        faces = faces[:, ::-1]
    return solids.smooth(points, faces, color if color and colors is None else PLAIN if colors is None else colors)


@lru_cache(maxsize=256)
def _triangles(path: Path, changed: int, size: int) -> tuple[Floats, NDArray[np.int64], Floats | None]:
    """Return points, triangles and the colour of each triangle; None where the file has no colours."""
    try:
        import trimesh
    except ImportError:
        raise TauforgeError("meshes need trimesh: pip install 'tauforge[view]'") from None
    data = path.read_bytes()
    ending = path.suffix.lower()[1:]
    if ending == "dae":
        _refuse_document_types(data)
        _need_collada()
    beside: Any = _Beside(path)
    try:
        scene = trimesh.load_scene(io.BytesIO(data), file_type=ending, resolver=beside, process=False)
        parts = [part for part in scene.dump() if isinstance(part, trimesh.Trimesh) and len(part.faces)]
    except Exception as error:  # of any of several parsers
        raise Unseen(f"it cannot be read ({type(error).__name__}: {error})") from None
    if not parts or not all(np.isfinite(part.vertices).all() for part in parts):
        raise Unseen("there are no triangles in it, or some are not finite")
    if sum(len(part.faces) for part in parts) > MOST:
        raise Unseen(f"it has more than {MOST:,} triangles")
    first = np.cumsum([0, *(len(part.vertices) for part in parts)])
    points = np.concatenate([np.asarray(part.vertices, dtype=float) for part in parts])
    faces = np.concatenate([np.asarray(part.faces) + k for part, k in zip(parts, first[:-1], strict=True)])
    colors = [_colors(part) for part in parts]
    if all(each is None for each in colors):
        return points, faces.astype(np.int64), None
    each = [np.tile(PLAIN, (len(p.faces), 1)) if c is None else c for p, c in zip(parts, colors, strict=True)]
    return points, faces.astype(np.int64), np.concatenate(each)


def _refuse_document_types(data: bytes) -> None:
    """Refuse XML with a document type in any encoding, and what expat, the parser that looks for it, cannot read."""

    def refuse(*_: object) -> None:
        raise Unseen("document types are not allowed in it")

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise Unseen(f"it is not XML that can be read: {error}") from None


def _need_collada() -> None:
    try:
        import collada  # noqa: F401
    except ImportError:
        raise TauforgeError("meshes in .dae files need pycollada: pip install 'tauforge[view]'") from None


def _colors(part: Any) -> Floats | None:
    """Return the colour of each triangle of a mesh; None if it has none."""
    visual = part.visual
    if visual is None or not visual.defined:
        return None
    if visual.kind == "texture":
        main = np.asarray(visual.material.main_color, dtype=float)[:3] / 255.0
        return np.tile(main, (len(part.faces), 1))
    return np.asarray(visual.face_colors, dtype=float)[:, :3] / 255.0


class _Beside:
    """Gives a mesh the small files next to it that describe its materials, and nothing else."""

    def __init__(self, path: Path) -> None:
        self.folder = path.parent

    def get(self, name: Any) -> bytes:
        """Return the bytes of a file in the same folder."""
        text = name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)
        found = (self.folder / text.strip()).resolve()
        if found.parent != self.folder or found.suffix.lower() != ".mtl" or not found.is_file():
            raise RobotError(f"{text!r} is not read")
        if found.stat().st_size > LARGEST // 100:
            raise RobotError(f"{text!r} is too large")
        note_reading(found)
        return found.read_bytes()
