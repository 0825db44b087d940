"""A benchmark problem: a mechanism, its task, and values that its motion must reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

import numpy as np
from numpy.typing import NDArray

from ...models.transforms import transforms
from ...robot.robot import Robot
from ...simulation.tasks.task import Task
from ...simulation.trajectory import Trajectory
from ..entry import Entry

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Run:
    """A simulation of a problem, and the processor time that it took, in seconds, with everything compiled."""

    trajectory: Trajectory
    seconds: float

    def at(self, t: float) -> int:
        """Return the number of the result at a time."""
        return int(np.abs(self.trajectory.t - t).argmin())

    @property
    def drift(self) -> float:
        """How much the total energy varies, relative to the largest kinetic energy."""
        return float(np.ptp(self.trajectory.total) / self.trajectory.kinetic.max())


@dataclass(frozen=True)
class Problem:
    """A benchmark problem.

    Attributes
    ----------
    name
        Its name.
    title
        What it is.
    text
        What is difficult about it, and where its data come from.
    robot
        Makes the mechanism.
    task
        Makes the task.
    checks
        Returns the entries of a run: published or exact values beside ours.
    conserves
        Whether energy is conserved.
    """

    name: str
    title: str
    text: str
    robot: Callable[[], Robot]
    task: Callable[[], Task]
    checks: Callable[[Run], tuple[Entry, ...]]
    conserves: bool = True

    def run(self, *, again: bool = False) -> Run:
        """Simulate the problem; ``again`` does so twice, so that the time is without compiling."""
        robot, task = self.robot(), self.task()
        if again:
            task.simulate(robot)
        before = process_time()
        found = task.simulate(robot)
        return Run(found, process_time() - before)


def point(run: Run, robot: Robot, frame: str, t: float) -> Floats:
    """Return where a frame is at a time."""
    T = transforms(robot, frames=[frame]).compile()(run.trajectory.q[run.at(t)])
    found: Floats = T[0, :3, 3]
    return found
