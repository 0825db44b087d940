"""Recordings from files: tables with named columns, NumPy archives, and ROS 2 bags.

A table has a column ``t`` and, for each joint, columns such as ``q_joint1`` and ``tau_joint1``; an archive has arrays
``t``, ``q`` and ``tau``, with ``qd``, ``qdd`` and ``reference`` if they were measured.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import IdentificationError
from .recording import ARRAYS, Recording

Floats = NDArray[np.float64]
_INDEX = re.compile(r"(\d+)")


def read(path: str | Path, **options: Any) -> Recording:
    """Return a recording from a file or a bag's folder."""
    file = Path(path)
    if not file.exists():
        raise IdentificationError(f"{file}: there is no such file")
    if file.is_dir() or file.suffix in (".db3", ".mcap"):
        from .bag import read_bag

        return read_bag(file, **options)
    if file.suffix not in READERS:
        known = ", ".join((*READERS, ".mcap", ".db3"))
        raise IdentificationError(f"{file}: recordings are read from {known} files and ROS 2 bags")
    if options:
        raise IdentificationError(f"{file}: a {file.suffix} file has no option {next(iter(options))!r}")
    try:
        return recording_of(READERS[file.suffix](file), file)
    except (OSError, ValueError) as error:
        if isinstance(error, IdentificationError):
            raise
        raise IdentificationError(f"{file}: it cannot be read: {error}") from None


def recording_of(arrays: Mapping[str, Floats], file: Path) -> Recording:
    """Return a recording from named arrays, or say which are missing."""
    for key in ("t", "q", "tau"):
        if key not in arrays:
            raise IdentificationError(
                f"{file}: there is no {key}; it has {', '.join(arrays) or 'nothing'}. A table needs the columns t, q1, "
                "q2, …, tau1, tau2, … (or q_NAME, tau_NAME), an archive the arrays t, q, tau"
            )
    own = {key: arrays[key] for key in (*ARRAYS, "coupling") if key in arrays}
    t = np.ravel(arrays["t"])
    return Recording(t[0] if t.size == 1 else t, name=file.stem, **own)


def gathered(header: list[str], values: Floats) -> dict[str, Floats]:
    """Return a table's columns by array: q1, q2, … or q_NAME, … are the columns of q, in their order."""
    found: dict[str, list[tuple[str, Floats]]] = {}
    for name, column in zip(header, values.T, strict=True):
        own = name.strip().strip('"')
        if own in ("t", "time"):
            found.setdefault("t", []).append(("", column))
            continue
        for key in sorted(ARRAYS, key=len, reverse=True):
            if own.startswith(key) and re.fullmatch(r"[_.\[(]?.*", rest := own[len(key) :]) and _is_own(key, rest):
                found.setdefault(key, []).append((rest, column))
                break
    return {
        key: columns[0][1] if key == "t" else np.column_stack([x for _, x in _sorted(columns)])
        for key, columns in found.items()
    }


def _is_own(key: str, rest: str) -> bool:
    """Tell whether what follows q, tau, … in a name tells a joint: a number, or a name after _ or a dot."""
    return bool(re.match(r"\d+$|[_.]\S+|\[\d+\]$", rest))


def _sorted(columns: list[tuple[str, Floats]]) -> list[tuple[str, Floats]]:
    """Return numbered columns by number; named ones stay in the file's order."""
    numbers = [_INDEX.fullmatch(rest.strip("_.[]")) for rest, _ in columns]
    if all(numbers):
        return sorted(columns, key=lambda x: int(x[0].strip("_.[]")))
    return columns


def _csv(file: Path) -> dict[str, Floats]:
    with file.open(encoding="utf-8-sig") as lines:
        first = lines.readline().strip().lstrip("#").strip()
    separator = max(",;\t", key=first.count)
    header = first.split(separator)
    return gathered(header, np.loadtxt(file, delimiter=separator, skiprows=1, ndmin=2, encoding="utf-8-sig"))


def _npz(file: Path) -> dict[str, Floats]:
    with np.load(file, allow_pickle=False) as archive:
        return {key: np.asarray(archive[key], dtype=float) for key in archive.files}


def _parquet(file: Path) -> dict[str, Floats]:
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise IdentificationError(f"{file}: reading .parquet needs pyarrow: pip install 'tauforge[identify]'") from None
    table = parquet.read_table(file)
    values = np.column_stack([column.to_numpy() for column in table.columns]).astype(float)
    return gathered(table.column_names, values)


READERS: dict[str, Callable[[Path], dict[str, Floats]]] = {".csv": _csv, ".npz": _npz, ".parquet": _parquet}
"""The formats that are read, by a file's ending."""
