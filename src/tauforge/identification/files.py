"""Recordings from files: tables with named columns, NumPy archives, and ROS 2 bags.

A table has a column ``t`` and, for each joint, columns such as ``q_joint1`` and ``tau_joint1``; an archive has arrays
``t``, ``q`` and ``tau``, with ``qd``, ``qdd`` and ``reference`` if they were measured.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import IdentificationError
from ..files import as_path, note_reading, refuse_device
from .recording import ARRAYS, Recording

Floats = NDArray[np.float64]
Names = Mapping[str, str | Sequence[str]]
"""How a file calls arrays: what the names of their columns start with, or all names."""
Table = tuple[list[str], Floats]
KEYS = ("t", *ARRAYS)
_JOINT = re.compile(r"_?(\d+)|\[(\d+)\]|[_.](\S.*)")
"""What follows q, tau, … in a column's name: a number, or a joint's name after _ or a dot."""


def read(path: str | Path, columns: Names, topic: str | None = None, step: float | None = None) -> Recording:
    """Return a recording from a file or a bag's folder."""
    file = as_path(path)
    if not file.exists():
        raise IdentificationError(f"{file}: there is no such file")
    refuse_device(file)
    note_reading(file.parent if file.suffix in BAGS else file)
    if wrong := [key for key in columns if key not in KEYS]:
        raise IdentificationError(f"columns: {wrong[0]!r} is not an array of a recording; they are {', '.join(KEYS)}")
    if file.is_dir() or file.suffix in BAGS:
        from .bag import read_bag

        return read_bag(file, topic)
    if file.suffix not in (*TABLES, ".npz"):
        known = ", ".join((*TABLES, ".npz", *BAGS))
        raise IdentificationError(f"{file}: recordings are read from {known} files and ROS 2 bags")
    try:
        return _archived(file, columns, step) if file.suffix == ".npz" else _gathered(file, columns, step)
    except IdentificationError as error:
        raise (error if str(file) in str(error) else IdentificationError(f"{file}: {error}")) from None
    except (OSError, ValueError) as error:
        raise IdentificationError(f"{file}: it cannot be read: {error}") from None
    except Exception as error:  # a library raises whatever damage leads to: BadZipFile, zlib.error, EOFError, …
        raise IdentificationError(f"{file}: it cannot be read: {damaged(error)}") from None


def damaged(error: Exception) -> str:
    """Return what to say of a file if a library failed to read it."""
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"it is damaged, or of another kind than its name says ({said}); record or export it again"


def _archived(file: Path, columns: Names, step: float | None) -> Recording:
    """Return the recording of an archive's arrays."""
    with np.load(file, allow_pickle=False) as archive:
        called = {key: str(columns.get(key, key)) for key in (*KEYS, "coupling")}
        own = {key: np.asarray(archive[name], dtype=float) for key, name in called.items() if name in archive.files}
        own |= {} if step is None else {"t": np.array(step)}
        _check(own, file, archive.files)
    t = np.ravel(own.pop("t"))
    return Recording(t[0] if t.size == 1 else t, name=file.stem, **own)  # type: ignore[arg-type]


def _gathered(file: Path, columns: Names, step: float | None) -> Recording:
    """Return the recording of a table: q1, q2, … or q_NAME, … are the columns of q."""
    header, values = TABLES[file.suffix](file)
    header = [name.strip().strip('"').strip() for name in header]
    found: dict[str, dict[str, int]] = {}
    for key in KEYS:
        if own := _places(key, columns.get(key, key), header, file):
            found[key] = own
    if "t" not in found and "t" not in columns and "time" in header:
        found["t"] = {"": header.index("time")}
    arrays: dict[str, Any] = {key: values[:, list(places.values())] for key, places in found.items()}
    arrays["t"] = arrays["t"][:, 0] if step is None and "t" in arrays else step
    _check({key: x for key, x in arrays.items() if x is not None}, file, header)
    labels = {key: tuple(places) for key, places in found.items() if key in ARRAYS and _named(places)}
    return Recording(name=file.stem, labels=labels, **arrays)


def _places(key: str, called: str | Sequence[str], header: list[str], file: Path) -> dict[str, int]:
    """Return the columns of an array by joint, numbered ones by number; all others as in the file."""
    if not isinstance(called, str):
        if not isinstance(called, Sequence):
            raise IdentificationError(f"columns: {key} is {called!r}; give what its names start with, or all names")
        if missing := [name for name in called if name not in header]:
            raise IdentificationError(f"{file}: there is no column {missing[0]!r}; it has {', '.join(header)}")
        return {str(k): header.index(name) for k, name in enumerate(called)}
    if key == "t":
        return {"": header.index(called)} if called in header else {}
    found: dict[str, int] = {}
    for place, name in enumerate(header):
        if name.startswith(called) and (match := _JOINT.fullmatch(name[len(called) :])):
            label = next(x for x in match.groups() if x)
            if label in found:
                raise IdentificationError(f"{file}: there are two columns {name!r}; rename one of them")
            found[label] = place
    return found if _named(found) else dict(sorted(found.items(), key=lambda x: int(x[0])))


def _named(places: Mapping[str, int]) -> bool:
    return not all(label.isdigit() for label in places)


def _check(found: Mapping[str, object], file: Path, names: Sequence[str]) -> None:
    for key in ("t", "q", "tau"):
        if key not in found:
            raise IdentificationError(
                f"{file}: there is no {key}; it has {', '.join(names) or 'nothing'}. A table needs the columns t, q1, "
                "q2, …, tau1, tau2, … (or q_NAME, tau_NAME), an archive the arrays t, q, tau. If yours are called "
                'otherwise, say how: columns={"q": "position"}, or --column q=position; if there are no times, give '
                "step=0.001, or --step 0.001"
            )


def _csv(file: Path) -> Table:
    with file.open(encoding="utf-8-sig") as lines:
        first = lines.readline().strip().lstrip("#").strip()
        if not lines.readline().strip():
            raise ValueError("it has no samples: its first line are the names of the columns, each other is a sample")
    separator = max(",;\t", key=first.count)
    header = first.split(separator)
    values = np.loadtxt(file, delimiter=separator, skiprows=1, ndmin=2, encoding="utf-8-sig")
    if values.shape[1] != len(header):
        raise ValueError(f"its first line has {len(header)} names, and there are {values.shape[1]} columns")
    return header, values


def _parquet(file: Path) -> Table:
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise IdentificationError(f"{file}: reading .parquet needs pyarrow: pip install 'tauforge[identify]'") from None
    table = parquet.read_table(file)
    return list(table.column_names), np.column_stack([column.to_numpy() for column in table.columns]).astype(float)


TABLES: dict[str, Callable[[Path], Table]] = {".csv": _csv, ".parquet": _parquet}
"""The tables that are read, by a file's ending."""
BAGS = (".mcap", ".db3")
"""The endings of files in bags."""
