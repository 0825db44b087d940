"""Motion: coordinates, velocities and accelerations of joints as functions of time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ProgramError
from .checks import Floats, positive, sample_times
from .laws import Along, Law, Pieces, Stretched

if TYPE_CHECKING:
    from ...robot.robot import Robot
    from ...view.animate import Animation

CHECKED = 101
"""Times at which a new motion is tried."""
NEXT = 1e-9
"""Part of the duration between a corner and the times on both sides of it."""
ROUNDING = {"exact": 1e-13, "differences": 1e-9}
"""Part of a joint's largest velocity below which it rests: friction must not take the sign of rounding errors."""


class Point(NamedTuple):
    """A motion at one time or at many, (..., n) each."""

    q: Floats
    qd: Floats
    qdd: Floats


class Samples(NamedTuple):
    """A motion at many times, (m) and (m, n)."""

    t: Floats
    q: Floats
    qd: Floats
    qdd: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class Motion:
    """A motion of n joints. Call it with a time, or an array of times, to get ``q, qd, qdd``, (..., n) each.

    Before its start and after its end, the joints rest where it starts and ends. Make one with ``tf.motion`` or
    ``tf.fourier_motion``.

    Attributes
    ----------
    law
        Maps times (m,) to coordinates, velocities and accelerations, (m, n) each.
    dof
        The number of joints.
    start
        When it starts, in seconds.
    end
        When it ends.
    kind
        How it was made: "cubic", "spline", "fourier", …
    derivatives
        "exact", or "differences" if velocities or accelerations are found by numerical differences.
    corners
        Times between start and end at which the acceleration can jump; there the later value counts.
    limited_by
        What prevents a motion that ``scaled`` has made from being faster.
    """

    law: Law
    dof: int
    start: float = 0.0
    end: float
    kind: str
    derivatives: str = "exact"
    corners: tuple[float, ...] = ()
    limited_by: str = ""
    _still: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        t = np.linspace(self.start, self.end, CHECKED)
        with np.errstate(all="ignore"):
            found = self.law(t)
        if any(np.shape(values) != (CHECKED, self.dof) for values in found):
            shapes = ", ".join(str(np.shape(values)) for values in found)
            raise ProgramError(f"the law returns arrays of {shapes} for {CHECKED} times of {self.dof} joints")
        for name, values in zip(Point._fields, found, strict=True):
            if len(bad := np.argwhere(~np.isfinite(values))):
                k, j = bad[0]
                raise ProgramError(
                    f"{name} of joint {j + 1} is {values[k, j]} at t = {t[k]:g} s; a motion needs finite values from "
                    f"{self.start:g} to {self.end:g} s"
                )
        object.__setattr__(self, "_still", ROUNDING[self.derivatives] * np.abs(found[1]).max(axis=0))

    @property
    def duration(self) -> float:
        """How long it takes, in seconds."""
        return self.end - self.start

    def __call__(self, t: ArrayLike) -> Point:
        """Return coordinates, velocities and accelerations at a time, or at each of many."""
        try:
            times = np.asarray(t, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise ProgramError("t: give a time in seconds, or an array of times") from None
        if np.isnan(times).any():
            raise ProgramError("t: NaN is not a time")
        flat = times.ravel()
        q, qd, qdd = self.law(np.clip(flat, self.start, self.end))
        outside = ((flat < self.start) | (flat > self.end))[:, None]
        qd, qdd = np.where(outside | (np.abs(qd) <= self._still), 0.0, qd), np.where(outside, 0.0, qdd)
        shape = (*times.shape, self.dof)
        return Point(q.reshape(shape), qd.reshape(shape), qdd.reshape(shape))

    def grid(self, count: int) -> Floats:
        """Return evenly spaced times, and some next to the ends and on both sides of the corners, where torques and
        friction can jump.
        """
        edges, near = np.array([self.start, *self.corners, self.end]), NEXT * self.duration
        every = [np.linspace(self.start, self.end, count), edges, edges[1:] - near, edges[:-1] + near]
        return np.unique(np.concatenate(every))

    def sample(self, dt: float | None = None, *, t: ArrayLike | None = None) -> Samples:
        """Return ``t, q, qd, qdd`` at many times.

        Parameters
        ----------
        dt
            Time between samples. The end is always one; the last step is shorter if need be.
        t
            The times, instead.
        """
        times = sample_times(self.start, self.end, dt, t)
        return Samples(times, *self(times))

    def stretched(self, duration: float) -> Motion:
        """Return the same path in another time: all velocities change by one factor, accelerations by its square."""
        speed = self.duration / positive("duration", duration)
        if isinstance(self.law, Pieces | Along):
            faster = self.law.stretched(speed)
            _, *corners, end = faster.knots.tolist()
            return replace(self, law=faster, end=end, corners=tuple(corners), limited_by="")
        law = Stretched(self.law, self.start, speed)
        return replace(self, law=law, end=self.start + duration, limited_by="")

    def scaled(
        self,
        robot: Robot | None = None,
        *,
        velocity: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        torque: ArrayLike | None = None,
        **load: Any,
    ) -> Motion:
        """Return the same path in the shortest time that keeps the limits, with all velocities changed by one factor r.

        Torques follow exactly: r² times the part of accelerations and velocities, r times viscous friction, and what
        remains at rest (Hollerbach, Dynamic scaling of manipulator trajectories, 1984). Limits hold between samples,
        too, within a part of 1e-9.

        Parameters
        ----------
        robot
            The robot; needed for torques. Limits that are not given are those of its joints' description. Joints that
            follow others, or that closed loops determine, keep those of theirs, too.
        velocity, acceleration, torque
            Largest magnitudes: one for all joints of the motion, or one each; inf for no limits of any joint.
        **load
            ``payload``, ``wrench`` and ``guess`` as for ``tf.required_torques``. A wrench that is a function of time
            belongs to the path: it keeps its place there when the motion gets faster.

        Raises
        ------
        ProgramError
            If there are no limits, or if no speed keeps them: the message names the joint that rest alone overloads.
        """
        from .scaling import scaled

        return scaled(self, robot, velocity, acceleration, torque, load)

    def plot(self, path: str | Path | None = None, *, samples: int = 500) -> Any:
        """Return a Matplotlib figure of coordinates, velocities and accelerations, and write it to a file if asked."""
        from ..figure import histories

        if samples < 2:
            raise ProgramError(f"samples = {samples}: a line needs at least two")
        t = np.linspace(self.start, self.end, samples)
        names = [f"joint {j}" for j in range(1, self.dof + 1)]
        panels = dict(zip(("position", "velocity", "acceleration"), self(t), strict=True))
        return histories(t, panels, names, path)

    def animate(self, robot: Robot, path: str | Path | None = None, *, rate: float = 30.0) -> Animation:
        """Return an animation of a robot that follows the motion; write it to an .html or .gif file if asked.

        Parameters
        ----------
        robot
            The robot; with closed loops, the motion is that of its independent joints, or of all.
        path
            As for ``tf.animate``.
        rate
            States per second.
        """
        from ...view.animate import animate

        t, q, _, _ = self.sample(1.0 / positive("rate", rate))
        return animate(robot, q, t, path)

    def __repr__(self) -> str:
        by = f", limited by {self.limited_by}" if self.limited_by else ""
        how = ", derivatives by differences" if self.derivatives != "exact" else ""
        return f"Motion({self.kind}: {self.dof} joints, {self.start:g} to {self.end:g} s{by}{how})"
