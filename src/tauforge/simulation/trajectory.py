"""Trajectory: what a simulation has computed, to plot, save and load."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError
from ..files import as_path
from .events import Event

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..robot.robot import Robot
    from ..view.animate import Animation

Floats = NDArray[np.float64]
ARRAYS = ("q", "qd", "qdd", "tau", "qd_all", "kinetic", "potential", "work", "residual", "residual_rate")
"""The arrays whose first axis is time, besides the times."""


class Change(NamedTuple):
    """A change of coordinates during a simulation.

    Attributes
    ----------
    t
        When.
    before
        The coordinates until then: "independent" or "all".
    after
        And from then on.
    """

    t: float
    before: str
    after: str


class States(NamedTuple):
    """What happened to each of many states; all arrays have the leading axes of the states.

    Attributes
    ----------
    status
        "done", "energy error", "singular", "diverges", "step too small", "not finite", "too many steps", or
        "interrupted".
    t
        The time that was reached.
    evaluations
        As for one state.
    jacobians
        As for one state.
    steps
        As for one state.
    rejected
        Steps that were tried in vain.
    """

    status: NDArray[np.str_]
    t: Floats
    evaluations: NDArray[np.int64]
    jacobians: NDArray[np.int64]
    steps: NDArray[np.int64]
    rejected: NDArray[np.int64]


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Trajectory:
    """The motion of a robot over time. The first axis of each array is time.

    With many states, all arrays but t have their leading axes first, counts are sums, and ``trajectory[k]`` is the
    trajectory of one of them. What a state has not reached is NaN.

    Attributes
    ----------
    robot_name
        Name of the robot.
    coordinate_names
        Names of the columns of q.
    velocity_names
        Names of the columns of qd and qdd.
    velocity_names_all
        Names of the columns of qd_all.
    t
        Times.
    q
        Coordinates, with unit quaternions and closed loops.
    qd
        Velocities, with closed loops those of the independent joints.
    qdd
        Accelerations.
    tau
        Torques and forces that the drive applies.
    qd_all
        Velocities of all joints that have coordinates of their own; without closed loops, they are qd.
    kinetic
        Kinetic energy.
    potential
        Potential energy of gravity and springs.
    work
        Work since the start of all that is not in the energies: of torques, friction, stops and wrenches, and of a base
        that moves as prescribed. NaN if the description prescribes joint velocities, or in files of older versions.
    residual
        With closed loops, what is left open at each time, in metres and radians; otherwise zero.
    residual_rate
        With closed loops, the velocity at which they open; otherwise zero.
    method
        The integrator.
    evaluations
        How often the integrator evaluated the equations of motion, Jacobians included.
    jacobians
        How many of these evaluations were Jacobians.
    steps
        How many steps it took.
    events
        What happened on the way, in order.
    coordinate_changes
        When the simulation of closed loops changed its coordinates, and from which to which; for many states, those of
        all.
    status
        "done"; "event" if an event stopped it; "failed" or "interrupted" if this is the part computed so far.
    states
        For many states at once, the status and the counts of each; None for one.
    robot
        The robot; None after loading from a file, which does not hold it.
    torque_names
        Names of the columns of tau: those of velocities, or of motors.
    """

    robot_name: str
    coordinate_names: tuple[str, ...]
    velocity_names: tuple[str, ...]
    velocity_names_all: tuple[str, ...]
    t: Floats
    q: Floats
    qd: Floats
    qdd: Floats
    tau: Floats
    qd_all: Floats
    kinetic: Floats
    potential: Floats
    work: Floats
    residual: Floats
    residual_rate: Floats
    method: str
    evaluations: int
    jacobians: int
    steps: int
    events: tuple[Event, ...] = ()
    coordinate_changes: tuple[Change, ...] = ()
    status: str = "done"
    states: States | None = None
    robot: Robot | None = field(default=None, repr=False)
    torque_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.torque_names:
            object.__setattr__(self, "torque_names", self.velocity_names)
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, np.ndarray):
                kept = value.copy()
                kept.flags.writeable = False
                object.__setattr__(self, each.name, kept)

    @property
    def total(self) -> Floats:
        """Kinetic plus potential energy."""
        found: Floats = self.kinetic + self.potential
        return found

    @property
    def energy_error(self) -> Any:
        """The largest |E - E₀ - W|, of each state: by how much the energy differs from what the work makes of it."""
        if not self.total.shape[-1]:
            return np.zeros(self.shape)[()]
        off = np.abs(self.total - self.total[..., :1] - self.work)
        return np.fmax.reduce(off, axis=-1)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Return a figure of coordinates, velocities, torques and energies over time; write it to a file if asked.

        It needs the extra "plot".
        """
        from ..view.figures import write_figure
        from .plot import plot

        figure = plot(self._alone())
        if path is not None:
            write_figure(figure, as_path(path))
        return figure

    def animate(self, path: str | Path | None = None, *, robot: Robot | None = None) -> Animation:
        """Return an animation of the robot, and write it to an .html or .gif file if asked; see ``tf.animate``.

        Parameters
        ----------
        path
            A file that ends with .html, which opens in any browser without a network, with .gif or with .png.
        robot
            The robot, for a trajectory that was loaded from a file.
        """
        from ..view.animate import animate

        found, one = robot or self.robot, self._alone()
        if found is None:
            raise ProgramError(f"a trajectory from a file does not hold {self.robot_name}: give animate(…, robot=…)")
        reached = np.isfinite(one.q).all(axis=1)
        marks = [(event.name, event.t) for event in one.events]
        return animate(found, one.q[reached], one.t[reached], path, events=marks)

    def save(self, path: str | Path) -> Path:
        """Write all data to a file: .npz, .csv, or .parquet, which needs pyarrow. ``Trajectory.load`` reads it again.

        The first line of a .csv file is a comment that holds what is not a column; in pandas, use ``comment="#"``.
        """
        from .storage import save

        return save(self._alone(), path)

    @classmethod
    def load(cls, path: str | Path) -> Trajectory:
        """Return a trajectory from a file that ``save`` has written."""
        from .storage import load

        return load(path)

    @property
    def shape(self) -> tuple[int, ...]:
        """The leading axes of many states; () for one."""
        return self.q.shape[:-2]

    def __getitem__(self, place: Any) -> Trajectory:
        """Return the trajectory of one of many states, as far as it was computed."""
        if self.states is None:
            raise ProgramError(
                f"{self.robot_name}: this is the trajectory of one state; its arrays have one row per time"
            )
        own = States(*(each[place] for each in self.states))
        if own.status.shape:
            raise ProgramError(f"trajectory[…] takes {len(self.shape)} indices, which name one state")
        rows = np.flatnonzero(np.isfinite(self.q[place]).all(axis=-1))
        parts: dict[str, Any] = {name: getattr(self, name)[place][rows] for name in ARRAYS}
        parts |= {name: int(getattr(own, name)) for name in ("evaluations", "jacobians", "steps")}
        status = str(own.status)
        status = status if status in ("done", "interrupted") else "failed"
        return replace(self, t=self.t[rows], **parts, status=status, states=None)

    def _alone(self) -> Trajectory:
        """Return the trajectory of one state; refuse that of many."""
        if self.states is not None:
            raise ProgramError(f"this trajectory has {self.states.status.size} states; choose one: trajectory[0]")
        return self

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        ended = "" if self.status == "done" else f", {self.status}"
        span = f"{self.t[0]:g} to {self.t[-1]:g} s" if len(self.t) else "empty"
        many = "" if self.states is None else f"{self.states.status.size} states, "
        return (
            f"Trajectory({self.robot_name}: {many}{span}, {len(self.t)} times{ended}; "
            f"{self.method}, {self.steps} steps, {self.evaluations} evaluations)"
        )
