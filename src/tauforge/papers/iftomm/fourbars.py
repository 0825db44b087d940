"""N four-bar linkages side by side (IFToMM benchmark A02): through singular positions without a change of branch.

2N + 1 rods of 1 m and 1 kg form N windows. When all rods are in line, each parallelogram could fold; the mechanism must
remain one of parallelograms, whose motion is that of one equation:

    ((N + 1)/3 + N) θ̈ = -((N + 1)/2 + N) g cos θ
"""

from __future__ import annotations

from functools import partial
from math import pi

import numpy as np
from scipy.integrate import solve_ivp

from ...robot.body import Body
from ...robot.joint import Joint, constant_frame
from ...robot.robot import Robot
from ...robot.solids import rod
from ...simulation.tasks.task import Task
from ...spatial.vector import Vector
from ..entry import Entry
from ..proof import small
from .problem import Problem, Run

GRAVITY = 9.81
SPEED = 1.0
"""Speed of the first window's corner at the start, in m/s, with all cranks upright."""
ACCURACY = 1e-4
"""Error of a corner that is allowed, in m; the benchmark asks for an energy within 0.1 J."""


def fourbars(count: int) -> Robot:
    """Return N windows: cranks on the ground, and couplers from the end of each crank to the next."""
    joints, bodies, frames = [], [], []
    for k in range(count + 1):
        joints.append(Joint(name=f"crank{k}", antecedent=0, d=float(k), theta=pi / 2, mu=int(k == 0)))
        number = len(joints)
        frames.append(constant_frame(f"corner{k}", number, d=1.0))
        bodies.append(Body(name=f"crank{k}_link", inertia=rod(1.0, 1.0)))
        if k < count:
            joints.append(Joint(name=f"coupler{k + 1}", antecedent=number, d=1.0, theta=-pi / 2, mu=0))
            frames.append(constant_frame(f"end{k + 1}", number + 1, d=1.0))
            bodies.append(Body(name=f"coupler{k + 1}_link", inertia=rod(1.0, 1.0)))
    robot = Robot(
        name=f"fourbars{count}",
        joints=tuple(joints),
        bodies=tuple(bodies),
        frames=tuple(frames),
        gravity=Vector(0.0, -GRAVITY, 0.0),
    )
    for k in range(1, count + 1):
        robot = robot.with_loop(f"end{k}", f"corner{k}", kind="revolute", name=f"pin{k}")
    return robot


def task(duration: float) -> Task:
    """Return the task: from upright cranks, which fall to the right."""
    return Task.of(
        start={"qd": [-SPEED]},
        simulation={
            "duration": duration,
            "dt": 0.1,
            "method": "RK45",
            "rtol": 1e-8,
            "atol": 1e-8,
            "through": "inertia",
        },
    )


def exact(count: int, t: float) -> tuple[float, float]:
    """Return angle and velocity of the cranks from the one equation of parallelograms."""
    pull = ((count + 1) / 2 + count) / ((count + 1) / 3 + count) * GRAVITY
    found = solve_ivp(
        lambda _, y: (y[1], -pull * np.cos(y[0])), (0.0, t), (pi / 2, -SPEED), "DOP853", rtol=1e-13, atol=1e-13
    )
    return float(found.y[0, -1]), float(found.y[1, -1])


def checks(run: Run, count: int) -> tuple[Entry, ...]:
    """Return the first corner at the end beside the exact one, and whether all remain parallelograms."""
    end, q = run.trajectory.t[-1], run.trajectory.q
    angle, speed = exact(count, float(end))
    ours, rate = q[-1, 0] + pi / 2, run.trajectory.qd[-1, 0]
    place = np.hypot(np.cos(ours) - np.cos(angle), np.sin(ours) - np.sin(angle))
    return (
        small(
            f"corner of the first window at {end:g} s, in m", "A02", "one equation of motion", float(place), ACCURACY
        ),
        small(
            f"its speed at {end:g} s, in m/s", "A02", "one equation of motion", float(abs(rate - speed)), 10 * ACCURACY
        ),
        small("couplers stay level, in rad", "A02", "parallelograms at all times", _tilt(q, count), 1e-8),
    )


def _tilt(q: np.ndarray, count: int) -> float:
    """Return the largest angle between a coupler and the horizontal, up to whole turns."""
    cranks, couplers = q[:, : 2 * count : 2], q[:, 1 : 2 * count : 2]
    return float(np.abs(np.sin(cranks + couplers)).max())


def problem(count: int, duration: float) -> Problem:
    """Return the problem with N windows."""
    return Problem(
        f"fourbars{count}",
        f"{count} four-bar linkages",
        "All rods are in line twice in each turn of the cranks: there the loops do not determine the motion, and a "
        "step that ends too close would lose it. The integrated coordinates of the passive joints select the branch, "
        "so that the parallelograms do not fold. The reference is the exact reduction to one equation.",
        partial(fourbars, count),
        partial(task, duration),
        partial(checks, count=count),
    )


PROBLEMS = (problem(2, 10.0), problem(40, 20.0))
