"""ExcitingTrajectory: a motion from which parameters can be identified, with what it promises and what it uses."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import IdentificationError, TauforgeError
from ...files import as_path, write_bytes
from ...models.inverse_dynamics import inverse_dynamics
from ...robot.robot import Robot
from ...simulation.figure import histories
from ...simulation.motion.checks import positive
from ...simulation.motion.motion import Motion, Samples
from .limits import MotionLimits

Floats = NDArray[np.float64]
PLOTTED, CHECKED = 500, 2000
"""Times of a plot, and of the largest parts of limits."""


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class ExcitingTrajectory:
    """A motion that starts and ends at rest and excites a robot's parameters.

    Attributes
    ----------
    robot
        The robot.
    motion
        The motion: ``motion(t)`` gives q, qd and qdd, and controllers take it as their reference.
    names
        The parameters that it excites.
    condition
        Condition number of their regressor along the motion: the ratio of its largest to its smallest singular value.
    determinant
        Mean logarithm of the eigenvalues of the regressor's information matrix per sample; the larger, the smaller are
        the errors of the estimates: about exp(-determinant / 2) times the torques' noise over the root of the number of
        samples, in the geometric mean of all parameters.
    criterion
        What was optimised: "condition" or "determinant".
    limits
        The limits that it keeps.
    conditions
        The condition numbers that the searches from all starts have reached, the best first.
    """

    robot: Robot = field(repr=False)
    motion: Motion
    names: tuple[str, ...] = field(repr=False)
    condition: float
    determinant: float
    criterion: str
    limits: MotionLimits = field(repr=False)
    conditions: tuple[float, ...] = field(repr=False)

    @property
    def duration(self) -> float:
        """How long it takes, in seconds."""
        return self.motion.duration

    def q(self, t: ArrayLike) -> Floats:
        """Return coordinates at a time, or at each of many."""
        return self.motion(t).q

    def qd(self, t: ArrayLike) -> Floats:
        """Return velocities."""
        return self.motion(t).qd

    def qdd(self, t: ArrayLike) -> Floats:
        """Return accelerations."""
        return self.motion(t).qdd

    def tau(self, t: ArrayLike) -> Floats:
        """Return the torques that the robot's model requires; it must have values for all parameters."""
        if self._inverse is None:
            raise IdentificationError(f"{self.robot.name} has symbols, so its torques are not known; bind them first")
        found: Floats = self._inverse(*self.motion(t))
        return found

    @cached_property
    def _inverse(self) -> Any:
        program = inverse_dynamics(self.robot)
        return None if program.parameters else program.compile()

    @cached_property
    def used(self) -> dict[str, Floats]:
        """The largest part of each limit that the motion uses, (n) each; position, velocity, acceleration and torque as
        far as they are limited.
        """
        t = np.linspace(0.0, self.duration, CHECKED)
        q, qd, qdd = self.motion(t)
        limits = self.limits
        with np.errstate(invalid="ignore"):
            ranged = np.abs(2.0 * q - limits.lower - limits.upper) / (limits.upper - limits.lower)
        found = {
            "position": np.where(np.isfinite(limits.upper - limits.lower), ranged, 0.0).max(axis=0),
            "velocity": np.abs(qd).max(axis=0) / limits.velocity,
            "acceleration": np.abs(qdd).max(axis=0) / limits.acceleration,
        }
        if self._inverse is not None:
            found["torque"] = np.abs(self.tau(t)).max(axis=0) / limits.torque
        bounds = {"position": limits.upper - limits.lower} | {
            name: getattr(limits, name) for name in found if name != "position"
        }
        return {name: part for name, part in found.items() if np.isfinite(bounds[name]).any()}

    def sample(self, dt: float | None = None, *, t: ArrayLike | None = None) -> Samples:
        """Return ``t, q, qd, qdd`` at many times, as ``Motion.sample`` does."""
        return self.motion.sample(dt, t=t)

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a Matplotlib figure of positions, velocities, accelerations and, if they are known, torques; write it
        to a file if asked.
        """
        t = np.linspace(0.0, self.duration, PLOTTED)
        panels = dict(zip(("position", "velocity", "acceleration"), self.motion(t), strict=True))
        if self._inverse is not None:
            panels["torque"] = self.tau(t)
        return histories(t, panels, self.robot.velocity_names, path)

    def save(self, path: str | Path, *, dt: float = 0.001) -> Path:
        """Write the motion as a table for a controller: a .csv file with columns t, then q, qd and qdd of each joint.

        Parameters
        ----------
        path
            The file; it ends with .csv.
        dt
            Time between rows, in seconds.
        """
        path = as_path(path)
        if path.suffix != ".csv":
            raise TauforgeError(f"{path}: an exciting trajectory is saved as a .csv file")
        samples = self.motion.sample(positive("dt", dt))
        names = [f"{key} {name}" for key in ("q", "qd", "qdd") for name in self.robot.velocity_names]
        memory = io.StringIO(newline="")
        table = csv.writer(memory, lineterminator="\n")
        table.writerow(["t", *names])
        table.writerows(np.column_stack(samples).tolist())
        return write_bytes(path, memory.getvalue().encode())

    def __repr__(self) -> str:
        return (
            f"ExcitingTrajectory({self.robot.name}: {len(self.names)} parameters, {self.duration:g} s, "
            f"condition {self.condition:.4g})"
        )
