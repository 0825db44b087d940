"""Trajectories in files: .npz, .csv and .parquet."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import TauforgeError
from ..files import as_path, note_reading, refuse_device, write_bytes
from .events import Event
from .trajectory import Change, Trajectory

Floats = NDArray[np.float64]
BY_COORDINATE, BY_VELOCITY = ("q",), ("qd", "qdd", "tau", "qd_all")
BY_TIME = ("t", "kinetic", "potential", "work", "residual", "residual_rate")
NEWER = {"work": "t", "qd_all": "qd"}
"""Arrays that files of older versions do not hold, with one of the same shape: NaN takes their place."""
ARRAYS = ("t", *BY_COORDINATE, *BY_VELOCITY, *BY_TIME[1:])
MARK = "tauforge trajectory"
ENDINGS = (".npz", ".csv", ".parquet")
LEFT_OUT = ("robot", "states")
"""What a file does not hold."""


def save(trajectory: Trajectory, path: str | Path) -> Path:
    """Write a trajectory in the format of the file's ending."""
    path = as_path(path)
    written = {".npz": _npz, ".csv": _csv, ".parquet": _parquet}
    return write_bytes(path, written[_ending(path)](trajectory))


def load(path: str | Path) -> Trajectory:
    """Return the trajectory in a file."""
    path = as_path(path)
    note_reading(path)
    refuse_device(path)
    read = {".npz": _from_npz, ".csv": _from_csv, ".parquet": _from_parquet}[_ending(path)]
    try:
        about, arrays = read(path)
        return _trajectory(about, arrays)
    except TauforgeError:
        raise
    except (FileNotFoundError, PermissionError, IsADirectoryError) as error:
        raise TauforgeError(f"{path}: cannot be read ({error.strerror or error}); check the name") from None
    except Exception as error:  # of a damaged file, libraries raise what they like, an OSError too
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise TauforgeError(
            f"{path}: this is not a trajectory that Tauforge has saved, or the file is damaged ({said}); save it again"
        ) from error


def _ending(path: Path) -> str:
    if path.suffix not in ENDINGS:
        raise TauforgeError(f"{path}: a trajectory's file ends with {', '.join(ENDINGS)}")
    return path.suffix


def _about(trajectory: Trajectory) -> str:
    """Return everything that is not a column, as text."""
    about: dict[str, Any] = {each.name: getattr(trajectory, each.name) for each in fields(Trajectory)}
    about = {name: value for name, value in about.items() if name not in (*ARRAYS, *LEFT_OUT)}
    about["events"] = [[e.name, e.t, e.q.tolist(), e.qd.tolist()] for e in trajectory.events]
    return json.dumps({"format": MARK, "times": len(trajectory.t), **about})


def _trajectory(text: str, arrays: dict[str, Floats]) -> Trajectory:
    about: dict[str, Any] = json.loads(text)
    if about.pop("format") != MARK:
        raise ValueError("its head is missing")
    count = about.pop("times", len(arrays["t"]))
    for name, array in arrays.items():
        if array.ndim < 1 or len(array) != count:
            raise ValueError(f"{name} has {len(np.atleast_1d(array))} rows, and there were {count} times")
    events = tuple(Event(name, t, np.array(q), np.array(qd)) for name, t, q, qd in about.pop("events"))
    changes = tuple(Change(*each) for each in about.pop("coordinate_changes", ()))
    names = ("coordinate_names", "velocity_names", "velocity_names_all", "torque_names")
    about.setdefault("velocity_names_all", about["velocity_names"])
    about |= {key: tuple(about[key]) for key in names if key in about} | arrays
    return Trajectory(**about, events=events, coordinate_changes=changes)


def _columns(trajectory: Trajectory) -> dict[str, Floats]:
    """Return the columns of a table by their names, such as "q joint1"."""
    found: dict[str, Floats] = {}
    for name in ARRAYS:
        array = getattr(trajectory, name)
        if name in BY_TIME:
            found[name] = array
        else:
            found |= {f"{name} {label}": array[:, k] for k, label in enumerate(_labels(trajectory, name))}
    return found


def _labels(trajectory: Trajectory, name: str) -> tuple[str, ...]:
    return tuple(getattr(trajectory, names_of(name)))


def names_of(name: str) -> str:
    """Return which names the columns of an array have."""
    others = {"tau": "torque_names", "qd_all": "velocity_names_all"}
    return "coordinate_names" if name in BY_COORDINATE else others.get(name, "velocity_names")


def _arrays(text: str, columns: dict[str, Floats]) -> dict[str, Floats]:
    """Return the arrays of a table."""
    about, found = json.loads(text), dict[str, Floats]()
    for name in ARRAYS:
        if name in BY_TIME:
            found[name] = _unless_older(name, columns)
            continue
        if name in NEWER and names_of(name) not in about:
            found[name] = np.full_like(found[NEWER[name]], np.nan)
            continue
        labels = about.get(names_of(name), about["velocity_names"])
        parts = [columns[f"{name} {label}"] for label in labels]
        found[name] = np.stack(parts, axis=1) if parts else np.zeros((len(columns["t"]), 0))
    return found


def _unless_older(name: str, columns: Mapping[str, Floats]) -> Floats:
    """Return an array; NaN for one that the files of older versions do not hold."""
    return np.full_like(columns[NEWER[name]], np.nan) if name in NEWER and name not in columns else columns[name]


def _npz(trajectory: Trajectory) -> bytes:
    memory = io.BytesIO()
    np.savez_compressed(
        memory, about=np.array(_about(trajectory)), **{name: getattr(trajectory, name) for name in ARRAYS}
    )
    return memory.getvalue()


def _from_npz(path: Path) -> tuple[str, dict[str, Floats]]:
    with np.load(path, allow_pickle=False) as file:
        return str(file["about"]), {name: _unless_older(name, file) for name in ARRAYS}


def _csv(trajectory: Trajectory) -> bytes:
    columns, memory = _columns(trajectory), io.StringIO(newline="")
    memory.write(f"# {_about(trajectory)}\n")
    table = csv.writer(memory, lineterminator="\n")
    table.writerow(columns)
    table.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
    return memory.getvalue().encode()


def _from_csv(path: Path) -> tuple[str, dict[str, Floats]]:
    with path.open(encoding="utf-8", newline="") as file:
        about = file.readline().removeprefix("# ")
        rows = csv.reader(file)
        names = next(rows)
        values = np.array([[float(x) for x in row] for row in rows]).reshape(-1, len(names))
    return about, _arrays(about, {name: values[:, k] for k, name in enumerate(names)})


def _arrow() -> Any:
    try:
        import pyarrow.parquet
    except ImportError:
        raise TauforgeError(".parquet needs pyarrow: pip install 'tauforge[parquet]'") from None
    return pyarrow


def _parquet(trajectory: Trajectory) -> bytes:
    arrow = _arrow()
    table = arrow.table(_columns(trajectory)).replace_schema_metadata({"tauforge": _about(trajectory)})
    memory = io.BytesIO()
    arrow.parquet.write_table(table, memory, write_page_checksum=True)
    return memory.getvalue()


def _from_parquet(path: Path) -> tuple[str, dict[str, Floats]]:
    arrow = _arrow()
    if not os.path.isfile(path):
        raise FileNotFoundError(2, "no such file")
    table = arrow.parquet.read_table(path, page_checksum_verification=True)
    about = table.schema.metadata[b"tauforge"].decode()
    return about, _arrays(about, {name: table[name].to_numpy() for name in table.column_names})
