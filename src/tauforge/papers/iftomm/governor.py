"""The flyball governor (IFToMM benchmark A05): a spinning shaft, two arms with masses, and a slider on stiff dampers.

Data: shaft and arms 1 x 0.01 x 0.01 m, slider a cube of 0.1 m, all of 3000 kg/m³; 5 kg at the end of each arm; arms
hinged at (±0.05, 0, 1); springs with 800 kN/m and dampers with 40 kN s/m, 0.5 m long when relaxed, from the slider's
sides to the middle of the arms; at the start the slider's centre is at 0.5 m, the arms point 30° below the horizontal,
and the shaft turns at 2π rad/s. The reference values were computed by two other integrators that agree to 3e-7.
"""

from __future__ import annotations

from math import pi

from ...robot.body import Body
from ...robot.joint import Joint
from ...robot.kinds import KINDS, PRISMATIC
from ...robot.robot import Robot
from ...robot.solids import bar, solid
from ...simulation.tasks.task import Task
from ...spatial.inertia import Inertia
from ..entry import Entry, close
from .problem import Problem, Run

DENSITY, WIDTH, CUBE, BALL, HINGE = 3000.0, 0.01, 0.1, 5.0, 0.05
STIFFNESS, DAMPING, RELAXED = 8e5, 4e4, 0.5
SLOPE = pi / 6
"""Angle of the arms below the horizontal at the start."""
REFERENCE = {
    0.1: (0.5238364755694419, 6.103717808831338),
    0.5: (0.7432494247855936, 5.103415421969331),
    1.0: (0.5014209223792777, 6.271125741881996),
    2.0: (0.5059092942971367, 6.236223614429611),
    5.0: (0.5355631037213838, 6.022496499757034),
    10.0: (0.6196229170612918, 5.548203622655473),
}
"""Height of the slider in m and speed of the shaft in rad/s, at some times."""


def governor() -> Robot:
    """Return the shaft with its slider and two arms; the springs are a part of the task."""
    mass, cube = DENSITY * WIDTH**2, DENSITY * CUBE**3
    arm = bar(1.0, mass, WIDTH).plus(solid(BALL, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    arm = Inertia(*map(float, arm))
    upright = mass * (1.0 + WIDTH**2) / 12
    shaft = solid(mass, (0.0, 0.0, 0.5), (upright, upright, mass * WIDTH**2 / 6))
    joints = (
        Joint(name="shaft", antecedent=0),
        Joint(name="slider", antecedent=1).as_kind(KINDS[PRISMATIC]),
        Joint(name="right", antecedent=1, b=1.0, alpha=pi / 2, d=HINGE, mu=0),
        Joint(name="left", antecedent=1, b=1.0, alpha=-pi / 2, d=-HINGE, theta=pi, mu=0),
    )
    inertias = (shaft, solid(cube, (0.0, 0.0, 0.0), (cube * CUBE**2 / 6,) * 3), arm, arm)
    bodies = tuple(Body(name=f"{x.name}_link", inertia=own) for x, own in zip(joints, inertias, strict=True))
    return Robot(name="governor", joints=joints, bodies=bodies)


def springs() -> list[str]:
    """Return the torques and forces of the springs and dampers on shaft, slider and arms."""
    arms, lift = [], []
    for j in (3, 4):
        x, z = f"(0.5*cos(q{j}))", f"(1 + 0.5*sin(q{j}) - q2)"
        length = f"sqrt({x}**2 + {z}**2)"
        by_arm = f"(0.5*(cos(q{j})*{z} - sin(q{j})*{x})/{length})"  # how the length changes with the arm's angle
        by_slider = f"(-{z}/{length})"
        pull = f"({STIFFNESS!r}*({length} - {RELAXED!r}) + {DAMPING!r}*({by_arm}*qd{j} + {by_slider}*qd2))"
        arms.append(f"-{pull}*{by_arm}")
        lift.append(f"-{pull}*{by_slider}")
    return ["0", " + ".join(lift), *arms]


def task() -> Task:
    """Return the task: ten seconds with a stiff method."""
    return Task.of(
        start={"q": [0.0, 0.5, -SLOPE, -SLOPE], "qd": [2.0 * pi, 0.0, 0.0, 0.0]},
        torque=springs(),
        simulation={"duration": 10, "dt": 0.05, "method": "Radau", "rtol": 1e-6, "atol": 1e-8},
    )


def checks(run: Run) -> tuple[Entry, ...]:
    """Return slider and shaft beside the reference."""
    found = run.trajectory
    entries = []
    for t, (height, speed) in REFERENCE.items():
        k = run.at(t)
        entries.append(close(f"height of the slider at {t:g} s", "A05", height, float(found.q[k, 1]), 1e-4, "m"))
        entries.append(close(f"speed of the shaft at {t:g} s", "A05", speed, float(found.qd[k, 0]), 1e-4, "rad/s"))
    return tuple(entries)


PROBLEM = Problem(
    "governor",
    "The flyball governor",
    "Light bodies on stiff springs and dampers: time constants of 0.1 ms beside a motion of seconds, for an implicit "
    "method with exact Jacobians. The reference values come from two other integrators.",
    governor,
    task,
    checks,
    conserves=False,
)
