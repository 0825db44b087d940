"""RequiredTorques: torques along a motion, and what they mean for the drives."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import TauforgeError
from ...files import as_path, write_bytes, write_text
from ..motion.checks import Floats

COLUMNS = ("joint", "peak", "rms", "", "peak speed", "peak power", "energy", "recovered")
"""Columns of the table; the fourth has the unit of peak and rms."""


SPEEDS = {"N m": "rad/s", "N": "m/s", "": "/s"}
"""The unit of speed for each unit of torque."""


@dataclass(frozen=True, eq=False, repr=False)
class RequiredTorques:
    """Torques along a motion. Torques mean forces for prismatic joints; all units are SI.

    Attributes
    ----------
    robot
        The robot's name.
    t
        Times of the samples, (m).
    q
        Coordinates of all joints, (m, coordinates).
    qd
        Velocities, (m, n).
    qdd
        Accelerations, (m, n).
    tau
        Torques, (m, drives): one for each of the n velocities, or for each motor.
    speeds
        Velocities of what they act on, (m, drives): ``qd``, or those of the motors.
    names
        Names of the drives.
    velocity_names
        Names of the n velocities.
    coordinates
        Names of the coordinates.
    units
        Unit of each torque: N m or N; empty for tendons and coupled motors.
    """

    robot: str
    t: Floats
    q: Floats
    qd: Floats
    qdd: Floats
    tau: Floats
    speeds: Floats
    names: tuple[str, ...]
    velocity_names: tuple[str, ...]
    coordinates: tuple[str, ...]
    units: tuple[str, ...]

    @property
    def peak(self) -> Floats:
        """The largest torque of each drive, without its sign."""
        return np.asarray(np.abs(self.tau).max(axis=0))

    @property
    def peak_time(self) -> Floats:
        """When each drive needs its largest torque."""
        return np.asarray(self.t[np.abs(self.tau).argmax(axis=0)])

    @cached_property
    def rms(self) -> Floats:
        """The root mean square of each torque over time, which heats a motor."""
        first, second = self.tau[:-1], self.tau[1:]
        squares = (first * first + first * second + second * second) / 3.0  # of lines between the samples
        return np.asarray(np.sqrt(self._integral(squares) / (self.t[-1] - self.t[0])))

    @property
    def peak_speed(self) -> Floats:
        """The largest velocity of each drive, without its sign."""
        return np.asarray(np.abs(self.speeds).max(axis=0))

    @property
    def power(self) -> Floats:
        """The mechanical power of each drive, (m, drives); negative where the motion drives the motor."""
        return self.tau * self.speeds

    @property
    def peak_power(self) -> Floats:
        """The largest power of each drive, without its sign."""
        return np.asarray(np.abs(self.power).max(axis=0))

    @cached_property
    def energy(self) -> Floats:
        """The work that each drive does, in joules: the integral of its positive power."""
        return self._work(self.power)

    @cached_property
    def recovered(self) -> Floats:
        """The work that each drive takes up while it brakes, in joules, as a positive number."""
        return self._work(-self.power)

    def _integral(self, means: Floats) -> Floats:
        return np.asarray((np.diff(self.t)[:, None] * means).sum(axis=0))

    def _work(self, power: Floats) -> Floats:
        """Return the integral of the positive part of lines between samples."""
        first, second = power[:-1], power[1:]
        low, high = np.minimum(first, second), np.maximum(first, second)
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = 0.5 * high * high / (high - low)
        return self._integral(np.where(low >= 0.0, 0.5 * (low + high), np.where(high <= 0.0, 0.0, crossing)))

    def rows(self) -> list[tuple[str, ...]]:
        """Return the table's rows as texts."""
        numbers = (self.peak, self.rms, self.peak_speed, self.peak_power, self.energy, self.recovered)
        found = []
        for k, name in enumerate(self.names):
            peak, rms, *others = (f"{x[k]:.4g}" for x in numbers)
            speed = SPEEDS[self.units[k]]
            units = (speed, "W", "J", "J")
            cells = (f"{x} {unit}" for x, unit in zip(others, units, strict=True))
            found.append((name, peak, rms, self.units[k], *cells))
        return found

    def table(self) -> str:
        """Return what each drive must do, one line per joint."""
        lines = [COLUMNS, *self.rows()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(_line(cells, widths) for cells in lines)

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a Matplotlib figure of coordinates, velocities, torques and power; write it to a file if asked."""
        from ..figure import histories

        independent = [self.coordinates.index(name) for name in self.names if name in self.coordinates]
        kinds = [*dict.fromkeys(self.units)]
        moved = ", ".join("rad" if unit == "N m" else "m" for unit in kinds)
        speeds = ", ".join(SPEEDS[unit] for unit in kinds)
        panels = {
            f"velocity [{speeds}]": self.speeds,
            f"torque [{', '.join(kinds)}]": self.tau,
            "power [W]": self.power,
        }
        if len(independent) == len(self.names):
            panels = {f"position [{moved}]": self.q[:, independent], **panels}
        return histories(self.t, panels, self.names, path)

    def save(self, path: str | Path) -> Path:
        """Write all samples to a file: ``.npz`` (NumPy) or ``.csv``, with one column per joint and quantity."""
        path = as_path(path)
        ending = path.suffix.lower()
        arrays: dict[str, Any] = {"t": self.t, "q": self.q, "qd": self.qd, "qdd": self.qdd, "tau": self.tau}
        labels = {"q": self.coordinates, "qd": self.velocity_names, "qdd": self.velocity_names, "tau": self.names}
        if self.names != self.velocity_names:
            arrays["speeds"], labels["speeds"] = self.speeds, self.names
        if ending == ".npz":
            data = io.BytesIO()
            np.savez_compressed(data, **arrays, names=np.array(self.names), coordinates=np.array(self.coordinates))
            return write_bytes(path, data.getvalue())
        if ending == ".csv":
            columns = [f"{key}.{name}" for key, names in labels.items() for name in names]
            text = io.StringIO()
            np.savetxt(text, np.column_stack([*arrays.values()]), "%.17g", ",")
            return write_text(path, ",".join(["t", *map(_quoted, columns)]) + "\n" + text.getvalue())
        raise TauforgeError(f"{path}: torques are saved as .npz or .csv; choose one of these endings")

    def __repr__(self) -> str:
        return (
            f"RequiredTorques({self.robot}: {len(self.t)} samples, {self.t[0]:g} to {self.t[-1]:g} s)\n{self.table()}"
        )

    def _repr_html_(self) -> str:
        head, *body = ("".join(f"<td>{escape(x)}</td>" for x in row) for row in (COLUMNS, *self.rows()))
        rows = "".join(f"<tr>{row}</tr>" for row in body)
        return f"<table><thead><tr>{head.replace('td>', 'th>')}</tr></thead><tbody>{rows}</tbody></table>"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return a line of the table: names and units to the left, numbers to the right."""
    left = (0, COLUMNS.index(""))
    padded = (x.ljust(w) if k in left else x.rjust(w) for k, (x, w) in enumerate(zip(cells, widths, strict=True)))
    return "  ".join(padded).rstrip()


def _quoted(name: str) -> str:
    """Return a column's name as CSV has it."""
    return '"' + name.replace('"', '""') + '"' if set(name) & set(',"\n\r') else name
