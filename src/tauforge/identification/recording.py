"""Recording: what was measured while a robot moved."""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import IdentificationError
from .motors import matrix

Floats = NDArray[np.float64]
ARRAYS = ("q", "tau", "qd", "qdd", "reference")
"""The fields with one row per sample, besides the times."""
SLICE = 2**18
"""Samples that are looked at together."""
GAP = 5.0
"""Time between two samples, relative to the median, from which something is missing."""
SHORTEST = 16
"""Samples of the shortest recording that can be filtered and differentiated."""


class Steps(NamedTuple):
    """The times between samples: the least, the median, the greatest and after which sample it is, and how many are so
    long that samples are missing.
    """

    least: float
    typical: float
    greatest: float
    where: int
    gaps: int


@final
@dataclass(frozen=True, eq=False)
class Recording:
    """Measured motion and torques of a robot, on the joints' side. The first axis of each array is time.

    Arrays on disk, such as ``numpy.memmap``, are read in blocks when they are needed.

    Attributes
    ----------
    t
        Times of the samples, increasing (s); or one number, the time between samples.
    q
        Coordinates, one column per entry of ``robot.coordinate_names``.
    tau
        Torques and forces, one column per entry of ``robot.velocity_names``. Those of a floating base can be left out
        if nothing acts on it.
    qd
        Velocities if they were measured; otherwise they follow from the coordinates.
    qdd
        Accelerations, likewise.
    name
        What reports call it.
    coupling
        The matrix from joint to motor coordinates, if it is known; see ``from_motors``.
    reference
        Coordinates that the controller was to follow, if they are known; "iv" and "didim" use them.
    labels
        The names of the columns of arrays, by array, if a file tells them; they are then matched with the robot's.
    """

    t: Floats
    q: Floats
    tau: Floats
    qd: Floats | None = None
    qdd: Floats | None = None
    name: str = "recording"
    coupling: Floats | None = field(default=None, repr=False)
    reference: Floats | None = field(default=None, repr=False)
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for key in ARRAYS:
            if (given := getattr(self, key)) is not None or key in ("q", "tau"):
                object.__setattr__(self, key, _columns(given, key))
        samples = len(self.q)
        t = numbers(self.t, "t")
        if t.ndim == 0:
            t = np.asarray(np.arange(samples) * float(t), dtype=np.float64)
        object.__setattr__(self, "t", t)
        if t.ndim != 1:
            raise IdentificationError(f"t has the shape {t.shape}; it must be one time per sample, or the time step")
        for key in ("t", *ARRAYS):
            if (own := getattr(self, key)) is not None and len(own) != samples:
                raise IdentificationError(f"{key} has {len(own)} samples and q has {samples}; they must be as many")
        if samples < SHORTEST:
            raise IdentificationError(f"the recording has {samples} samples; it takes {SHORTEST} at least")

    def __len__(self) -> int:
        return len(self.q)

    @property
    def step(self) -> float:
        """The mean time between samples."""
        return float(self.t[-1] - self.t[0]) / (len(self) - 1)

    @property
    def duration(self) -> float:
        """From the first sample to the last, in seconds."""
        return float(self.t[-1] - self.t[0])

    @cached_property
    def steps(self) -> Steps:
        """How the time between samples varies."""
        typical = float(np.median(np.diff(self.t[: SLICE + 1])))
        found = []
        for first in range(0, len(self) - 1, SLICE):
            part = np.diff(self.t[first : first + SLICE + 1])
            k = int(np.argmax(part))
            found.append((float(part.min()), float(part[k]), first + k, int(np.sum(part > GAP * typical))))
        least, _, _, gaps = zip(*found, strict=True)
        _, greatest, where, _ = max(found, key=lambda x: x[1])
        return Steps(min(least), typical, greatest, where, sum(gaps))

    @cached_property
    def extremes(self) -> tuple[Floats, Floats]:
        """The least and the greatest value of each coordinate."""
        columns = (np.ascontiguousarray(part.T) for _, part in slices(self.q))
        least, greatest = zip(*((x.min(axis=1), x.max(axis=1)) for x in columns), strict=True)
        return np.min(least, axis=0), np.max(greatest, axis=0)

    def __getitem__(self, part: slice) -> Recording:
        """Return a part of the recording: ``rec[:1000]`` is the first thousand samples."""
        if not isinstance(part, slice):
            raise IdentificationError(f"a recording is cut by a slice, such as rec[:1000], not by {part!r}")
        return self.changed(**{key: x[part] for key in ("t", *ARRAYS) if (x := getattr(self, key)) is not None})

    def changed(self, **fields: Any) -> Recording:
        """Return the recording with some fields changed."""
        return replace(self, **fields)

    def in_radians(self, angles: bool | Sequence[bool] = True) -> Recording:
        """Return the recording with angles that were measured in degrees; ``angles`` tells which columns of q are."""
        if np.shape(angles) not in ((), self.q.shape[1:]):
            raise IdentificationError(f"there are {np.size(angles)} flags of angles for {self.q.shape[1]} columns of q")
        flags = np.broadcast_to(np.asarray(angles, dtype=bool), self.q.shape[1:])
        factor = np.where(flags, np.pi / 180.0, 1.0)
        own = {key: x * factor for key in ("q", "qd", "qdd", "reference") if (x := getattr(self, key)) is not None}
        return self.changed(**own)

    def on_joints(self, coupling: ArrayLike, zero: ArrayLike = 0.0, gains: ArrayLike = 1.0) -> Recording:
        """Return the recording of a robot's joints from that of its motors; see ``from_motors``."""
        R = matrix(coupling, self.q.shape[1])
        if self.tau.shape[1] != len(R):
            raise IdentificationError(f"there are {self.tau.shape[1]} torques for {len(R)} motors; give one for each")
        for name, given in (("zero", zero), ("gains", gains)):
            if np.shape(given) not in ((), (len(R),)):
                raise IdentificationError(f"{name} has the shape {np.shape(given)}; give one number for each joint")
        back, shift = np.linalg.inv(R).T, numbers(zero, "zero")
        moved = {key: x @ back for key in ("q", "qd", "qdd", "reference") if (x := getattr(self, key)) is not None}
        moved |= {key: moved[key] + shift for key in ("q", "reference") if key in moved}
        return self.changed(tau=(self.tau * numbers(gains, "gains")) @ R, coupling=R, **moved)

    def shifted(self, delay: float) -> Recording:
        """Return the recording with torques that were measured later by ``delay`` (s) moved back to the motion."""
        if not abs(delay) < self.duration:
            raise IdentificationError(f"a delay of {delay} s leaves nothing of a recording of {self.duration:g} s")
        tau = np.column_stack([np.interp(self.t + delay, self.t, column) for column in self.tau.T])
        inside = (self.t + delay >= self.t[0]) & (self.t + delay <= self.t[-1])
        first, last = (int(x) for x in np.flatnonzero(inside)[[0, -1]])
        return self.changed(tau=tau)[first : last + 1]

    @classmethod
    def from_motors(
        cls,
        t: ArrayLike,
        position: ArrayLike,
        torque: ArrayLike,
        coupling: ArrayLike,
        *,
        zero: ArrayLike = 0.0,
        gains: ArrayLike = 1.0,
        name: str = "recording",
    ) -> Recording:
        """Return a recording from what was measured on the motors.

        Parameters
        ----------
        t
            As in ``Recording``.
        position
            Angles of the motors (samples, motors).
        torque
            Their torques, or their currents if ``gains`` are given (samples, motors).
        coupling
            One gear ratio per joint, or the matrix R of motor = R joint if motors are coupled: then rotor inertia and
            friction of coupled motors are identified along the motors' own coordinates.
        zero
            Coordinates of the joints where the motors are at zero.
        gains
            Torque of each motor per unit of what was measured.
        name
            What reports call it.
        """
        measured = cls(numbers(t, "t"), _columns(position, "position"), _columns(torque, "torque"), name=name)
        return measured.on_joints(coupling, zero, gains)

    @classmethod
    def read(
        cls,
        path: str | Path,
        *,
        columns: Mapping[str, str | Sequence[str]] | None = None,
        degrees: bool | Sequence[bool] = False,
        motors: ArrayLike | None = None,
        zero: ArrayLike = 0.0,
        gains: ArrayLike = 1.0,
        topic: str | None = None,
        step: float | None = None,
    ) -> Recording:
        """Return a recording from a file: .csv, .npz, .parquet, or a ROS 2 bag.

        Parameters
        ----------
        path
            The file, or a bag's folder.
        columns
            How the file calls t, q, tau, qd, qdd and reference, where it differs: what all names of an array's columns
            start with, such as ``{"q": "pos"}`` for pos1, pos2, …, or the names themselves, ``{"q": ["A1", "A2"]}``.
        degrees
            Whether angles are in degrees; one for each column if some are lengths.
        motors
            If the data are those of motors: one gear ratio per joint, or the matrix R of motor = R joint.
        zero, gains
            As in ``from_motors``.
        topic
            The topic of a bag; by default the only one with joint states.
        step
            The time between samples, for a file that has no times.
        """
        from .files import read

        found = read(path, columns or {}, topic, step)
        if degrees is not False:
            found = found.in_radians(degrees)
        return found if motors is None else found.on_joints(motors, zero, gains)

    def __repr__(self) -> str:
        joints = self.tau.shape[1]
        return f"Recording({self.name!r}: {len(self)} samples, {self.duration:.4g} s, {joints} torques)"


def numbers(x: ArrayLike, name: str) -> Floats:
    """Return an array of real numbers, or say what is not."""
    if np.ma.is_masked(x):
        raise IdentificationError(f"{name} has masked entries, which have no value; leave their samples out")
    with suppress(TypeError, ValueError, OverflowError):
        if not np.iscomplexobj(x):
            return np.asarray(x, dtype=float)
    raise IdentificationError(f"{name} must be an array of real numbers")


def _columns(x: ArrayLike, name: str) -> Floats:
    """Return an array with one row per sample."""
    found = numbers(x, name)
    if found.ndim == 0:
        raise IdentificationError(f"{name} must be an array of numbers (samples, joints), not {x!r}")
    if found.ndim == 1:
        found = found[:, None]
    if found.ndim != 2 or not found.shape[1]:
        raise IdentificationError(f"{name} has the shape {found.shape}; it must be (samples, joints)")
    return found


def release(x: Floats | None) -> None:
    """Give back the memory of an array on disk, which is read again when it is needed."""
    while x is not None and not isinstance(x, np.memmap):
        x = getattr(x, "base", None)
    pages: Any = getattr(x, "_mmap", None)
    if hasattr(pages, "madvise") and hasattr(mmap, "MADV_DONTNEED"):
        pages.madvise(mmap.MADV_DONTNEED)


def slices(x: Floats | None) -> Iterator[tuple[int, Floats]]:
    """Yield parts of an array with the places of their first rows; of one on disk, one part at a time is in memory."""
    for first in range(0, 0 if x is None else len(x), SLICE):
        assert x is not None
        yield first, np.asarray(x[first : first + SLICE], dtype=float)
        release(x)


def listed(recordings: object) -> list[Recording]:
    """Return recordings as a list, or say what else was given."""
    alone = isinstance(recordings, Recording) or not isinstance(recordings, Iterable)
    given: list[Any] = [recordings] if alone else list(recordings)  # type: ignore[call-overload]
    for each in given:
        if not isinstance(each, Recording):
            raise IdentificationError(f"{each!r} is not a tf.Recording; make one with tf.Recording(t, q, tau)")
    if not given:
        raise IdentificationError("there is no recording; give one or several, such as [tf.Recording(t, q, tau)]")
    return given
