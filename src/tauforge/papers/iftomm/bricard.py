"""Bricard's mechanism (IFToMM benchmark A04): five rods and six hinges, over-constrained, yet it moves.

Data: rods of 1 m, 1 kg and 0.1 x 0.1 m; hinges at the corners P0 … P5 with axes y, z, x, y, z, x; gravity along -y;
from rest. The reference positions of P3, the end of rod 3, were computed with other software, and agree with those
that Exudyn publishes to 1e-5 m.
"""

from __future__ import annotations

import numpy as np

from ...robot.body import Body
from ...robot.joint import Joint, constant_frame
from ...robot.leg import placed
from ...robot.robot import Robot
from ...simulation.tasks.task import Task
from ...spatial.inertia import Inertia
from ...spatial.pose import Pose
from ...spatial.rotation import Rotation
from ...spatial.vector import Vector
from ..entry import Entry, holds
from ..proof import small
from .problem import Problem, Run, point

CORNERS = ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))
AXES = "yzxyzx"
RODS, MASS, WIDTH = 5, 1.0, 0.1
REFERENCE = {
    1.0: (0.5105014611812527, -1.6491675993913462, 0.14012311456024434),
    2.0: (-0.9693403447786147, -1.221246894954334, 0.7542780107795575),
    5.0: (0.9999999977327103, -1.0000672576931458, 0.9999327400466381),
    10.0: (0.999999963670477, -1.0002690125605582, 0.9997309512807336),
}
"""P3 at some times."""


def bricard() -> Robot:
    """Return the mechanism; the loop is cut at the hinge between rod 5 and the ground."""
    frames = [_frame(corner, axis) for corner, axis in zip(CORNERS, AXES, strict=True)]
    ground = _frame((0, 0, 0), "z")
    before = [ground, *frames]
    joints = tuple(
        placed(Joint(name=f"hinge{k + 1}", antecedent=k, mu=int(k == 0)), before[k], frames[k]) for k in range(RODS)
    )
    bodies = tuple(Body(name=f"rod{k + 1}", inertia=_rod(frames[k], k)) for k in range(RODS))
    constant = (
        placed(constant_frame("end", RODS), frames[RODS - 1], frames[RODS]),
        placed(constant_frame("support", 0), ground, frames[RODS]),
        placed(constant_frame("P3", 3), frames[2], _frame(CORNERS[3], "z")),
    )
    gravity = Vector(0.0, -9.81, 0.0)
    robot = Robot(name="bricard", joints=joints, bodies=bodies, frames=constant, gravity=gravity)
    return robot.with_loop("end", "support", kind="revolute", name="hinge6")


def _frame(corner: tuple[int, int, int], axis: str) -> Pose:
    """Return a frame at a corner whose z is along an axis of the ground."""
    z = np.eye(3)["xyz".index(axis)]
    x = np.roll(z, 1)
    rows = np.stack([x, np.cross(z, x), z], axis=1)
    first, second, third = (Vector(*map(float, row)) for row in rows)
    return Pose(Rotation.of((first, second, third)), Vector(*map(float, corner)))


def _rod(frame: Pose, k: int) -> Inertia:
    """Return rod k, from corner k to the next, in the frame of its hinge."""
    R = np.array([[float(x) for x in row] for row in frame.R.rows])
    along = R.T @ (np.array(CORNERS[k + 1], float) - CORNERS[k])
    thick, across = MASS * WIDTH**2 / 6, MASS * (1.0 + WIDTH**2) / 12
    outer = np.outer(along, along)
    about = across * np.eye(3) + (thick - across) * outer + MASS / 4 * (np.eye(3) - outer)
    moments = [float(about[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
    return Inertia(*moments, *map(float, MASS / 2 * along), MASS)  # type: ignore[call-arg]


def task() -> Task:
    """Return the task: ten seconds from rest."""
    return Task.of(simulation={"duration": 10, "dt": 0.05, "rtol": 1e-9, "atol": 1e-9})


def checks(run: Run) -> tuple[Entry, ...]:
    """Return P3 beside the reference."""
    robot = bricard()
    entries = [
        small(f"P3 at {t:g} s, in m", "A04", str(tuple(round(x, 6) for x in p)), _away(run, robot, t, p), 1e-6)
        for t, p in REFERENCE.items()
    ]
    free = robot.dof == 1
    return *entries, holds(
        "it moves although it is over-constrained", "A04", "one degree of freedom", f"{robot.dof}", free
    )


def _away(run: Run, robot: Robot, t: float, p: tuple[float, float, float]) -> float:
    return float(np.abs(point(run, robot, "P3", t) - p).max())


PROBLEM = Problem(
    "bricard",
    "Bricard's mechanism",
    "Six hinges in one spatial loop leave no freedom in general; with these axes it has one, and one of the loop's "
    "five equations is redundant. The reference positions come from other software.",
    bricard,
    task,
    checks,
)
