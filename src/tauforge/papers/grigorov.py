"""Grigorov (2013): a heavy arm with five joints on hydraulic drives, which carries 3200 N.

The paper prints no lengths, masses or gains, so those here are our own, of an arm of that kind. What can be compared is
what its figures show: a motion that does not stop in the middle, torques of joints 2 to 4 that carry the load, and
oscillations about the initial position that die out after the valves have closed.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import acos, atan2, cos, hypot, pi, sin
from typing import Any

import numpy as np

from ..models.inverse_dynamics import inverse_dynamics
from ..models.transforms import transforms
from ..robot.body import Body
from ..robot.joint import Joint
from ..robot.robot import Robot
from ..simulation.motion.make import motion
from ..simulation.motion.motion import Motion
from ..simulation.tasks.task import Task
from ..simulation.torques.drives import loaded
from ..simulation.trajectory import Trajectory
from ..spatial.inertia import Inertia
from .drawing import histories
from .entry import Figure, Paper, Part, close, holds, shown

LOAD = 3200.0
"""Weight of the load, in N: the only number that the paper prints."""
HEIGHT, OFFSET, BOOM, STICK, WRIST, ROPE = 1.2, 0.3, 2.4, 1.8, 0.4, 0.6
"""Lengths of the arm in m: column, its offset, boom, stick, wrist, and from hook to the load's centre."""
MASSES = {BOOM: 180.0, STICK: 110.0, WRIST: 35.0}
"""Masses of the arms in kg, by their lengths."""
PAYLOAD: dict[str, Any] = {
    "mass": LOAD / 9.81,
    "com": [0.0, 0.0, -ROPE],
    "inertia": [[20.0, 0.0, 0.0], [0.0, 20.0, 0.0], [0.0, 0.0, 15.0]],
    "at": "hook",
}
TIMES = (0.0, 4.0, 8.0)
STIFFNESS = (4e5, 2e6, 1e6, 2e5, 5e3)
"""k of (14), of fluid and pipes, at the joints, in N m/rad."""
DAMPING = (1.2e4, 4e4, 1.5e4, 2e3, 60.0)
"""d of (14), in N m s/rad."""
CLOSED_AT, SWINGING = 4.0, 3.0
"""When the valves close, at the middle point, and how long the arm is watched then, in seconds."""
NAMES = ("column", "boom", "stick", "wrist", "hook")


def arm() -> Robot:
    """Return the arm: a column, three parallel horizontal axes, and a hook that turns."""
    rods = {
        length: Inertia(XX=0.02 * m, YY=m * length**2 / 3, ZZ=m * length**2 / 3, MX=m * length / 2, M=m)
        for length, m in MASSES.items()
    }
    joints = (
        Joint(name="column", antecedent=0, r=HEIGHT),
        Joint(name="boom", antecedent=1, alpha=pi / 2, d=OFFSET),
        Joint(name="stick", antecedent=2, d=BOOM),
        Joint(name="wrist", antecedent=3, d=STICK),
        Joint(name="hook", antecedent=4, alpha=-pi / 2, d=WRIST),
    )
    inertias = (Inertia(ZZ=9.0, M=200.0), *rods.values(), Inertia(XX=0.5, YY=0.5, ZZ=0.3, M=20.0))
    bodies = tuple(Body(name=name, inertia=inertia) for name, inertia in zip(NAMES, inertias, strict=True))
    return Robot(name="heavy_arm", joints=joints, bodies=bodies)


def joints(x: float, y: float, z: float, turn: float) -> list[float]:
    """Return the coordinates at which the load's centre is at a point, and the load level and turned."""
    reach, rise = hypot(x, y) - OFFSET - WRIST, z + ROPE - HEIGHT
    q3 = -acos((reach**2 + rise**2 - BOOM**2 - STICK**2) / (2 * BOOM * STICK))
    q2 = atan2(rise, reach) - atan2(STICK * sin(q3), BOOM + STICK * cos(q3))
    q1 = atan2(y, x)
    return [q1, q2, q3, -q2 - q3, turn - q1]


POINTS = ((3.5, 0.5, 0.2, 0.0), (3.0, 2.0, 1.2, 0.6), (1.6, 3.0, 2.2, 1.5))
"""Start, middle and end: the load's centre in m, and its turn about the vertical in rad."""


def path() -> Motion:
    """Return third-order polynomials through start, middle and end, without a stop in the middle."""
    return motion([joints(*point) for point in POINTS], list(TIMES))


def closure() -> Trajectory:
    """Return what happens after the valves close suddenly at the middle point, under (14).

    At the free positions the springs carry the load at the middle point, so that the arm swings about it.
    """
    robot, (q, qd, _) = arm(), path()(CLOSED_AT)
    still = np.zeros(robot.dof)
    weight = inverse_dynamics(loaded(robot, PAYLOAD)).compile()(q, still, still)
    free = q + weight / STIFFNESS
    return Task.of(
        payload=PAYLOAD,
        start={"q": q.tolist(), "qd": qd.tolist()},
        torque=[
            f"{k!r}*({x!r} - q{j}) - {d!r}*qd{j}"
            for j, (k, d, x) in enumerate(zip(STIFFNESS, DAMPING, free.tolist(), strict=True), 1)
        ],
        simulation={"duration": SWINGING, "method": "Radau", "rtol": 1e-6, "atol": 1e-8, "dt": 0.01},
    ).simulate(robot)


def parts() -> Iterator[Part]:
    """Yield the three figures."""
    yield _planned()
    yield _torques()
    yield _swinging()


def _planned() -> Part:
    moved, robot = path(), arm()
    t, q, qd, qdd = moved.sample(0.02)
    middle, speed, _ = moved(TIMES[1])
    place = transforms(robot).compile()(middle)[-1] @ np.array([0.0, 0.0, -ROPE, 1.0])
    level = float(np.abs(q[:, 1:4].sum(axis=1)).max())
    entries = (
        holds(
            "the arm does not stop at the middle point",
            "section 3",
            "moves",
            f"{np.abs(speed).max():.3f} rad/s",
            bool(np.abs(speed).min() > 0.01),
        ),
        *(
            close(f"{axis} of the load at the middle point", "section 3", POINTS[1][k], float(place[k]), 1e-12, "m")
            for k, axis in enumerate("xyz")
        ),
        holds("the load stays level", "section 3", "horizontal at any time", f"within {level:.0e} rad", level < 1e-12),
    )
    panels = {
        f"{what} [{unit}]": dict(zip(NAMES, values.T, strict=True))
        for what, unit, values in (("position", "rad", q), ("velocity", "rad/s", qd), ("acceleration", "rad/s²", qdd))
    }
    figure = histories(
        "Figure 3: positions, velocities and accelerations of the five joints",
        "The dashed line is the middle point.",
        t,
        panels,
        mark=TIMES[1],
    )
    return Part(
        "The planned motion",
        "Start, middle and end are given by the load's centre and its turn about the vertical, the load being level; "
        "third-order polynomials join them in joint space. They keep the load level in between too, since the sum of "
        "three angles that is zero at all points is zero along the polynomials.",
        entries,
        (figure,),
    )


def _torques() -> Part:
    robot = arm()
    task = Task.of(motion={"points": [joints(*x) for x in POINTS], "times": list(TIMES)}, payload=PAYLOAD)
    run = task.torques(robot)
    own = inverse_dynamics(loaded(robot, PAYLOAD), formulation="grigorov").compile()(run.q, run.qd, run.qdd)
    difference = float(np.abs(own - run.tau).max() / np.abs(run.tau).max())
    reach = hypot(*POINTS[0][:2]) - OFFSET
    entries = (
        holds(
            "the paper's formulation gives the same torques",
            "eq. (5)-(13)",
            "the same",
            f"relative difference {difference:.1e}",
            difference < 1e-12,
        ),
        holds(
            "the boom's drive carries the load",
            "figure 4",
            f"more than {LOAD * reach:.0f} N m at the start",
            f"{run.tau[0, 1]:.0f} N m",
            bool(run.tau[0, 1] > LOAD * reach),
        ),
        *(
            shown(
                f"largest torque of joint {j}, the {NAMES[j - 1]}",
                "figure 4",
                "no numbers",
                f"{run.peak[j - 1]:.0f} N m",
            )
            for j in (2, 3, 4)
        ),
    )
    lines = {f"joint {j}, {NAMES[j - 1]}": run.tau[:, j - 1] / 1e3 for j in (2, 3, 4)}
    figure = histories(
        "Figure 4: driving torques of joints 2 to 4",
        "With a load of 3200 N at the hook.",
        run.t,
        {"torque [kN m]": lines},
        mark=TIMES[1],
    )
    return Part(
        "The inverse problem: driving torques",
        "Joints 2 to 4 turn about parallel horizontal axes and carry the load.",
        entries,
        (figure,),
    )


def _swinging() -> Part:
    run = closure()
    about = run.q - run.q[0]
    late = np.abs(about[run.t > SWINGING - 0.3]).max(axis=0)
    most = np.abs(about).max(axis=0)
    crossings = (np.diff(np.sign(about[1:, 1:4]), axis=0) != 0).sum(axis=0)
    entries = (
        holds(
            "joints 2 to 4 swing about their initial positions",
            "figure 5",
            "oscillations",
            f"they cross them {crossings.min()} to {crossings.max()} times",
            bool((crossings >= 2).all()),
        ),
        holds(
            "the oscillations die out",
            "figure 5",
            "damped",
            f"at most {(late / most).max():.2g} of the amplitude is left",
            bool((late < 0.2 * most).all()),
        ),
        holds(
            "energy only decreases",
            "eq. (14)",
            "d > 0 takes energy",
            f"largest increase {_increase(run):.1e} J",
            _increase(run) < 1e-4,
        ),
        *(
            shown(f"largest swing of the {name}", "figure 5", "no numbers", f"{1e3 * x:.2f} mrad")
            for name, x in zip(NAMES, most, strict=True)
        ),
    )
    return Part(
        "The forward problem: the valves close suddenly",
        "The pistons move at constant speed until the valves close at the middle point; fluid and pipes then act like "
        "springs and dampers, equation (14), with the sign of a restoring torque. The free positions are such that the "
        "springs carry the load where the valves close.",
        entries,
        (_swings(run),),
    )


def _swings(run: Trajectory) -> Figure:
    about = 1e3 * (run.q - run.q[0])
    return histories(
        "Figure 5: oscillations about the initial positions",
        "Angles from where the valves closed.",
        run.t,
        {f"{name} [mrad]": {name: about[:, j]} for j, name in enumerate(NAMES)},
    )


def _increase(run: Trajectory) -> float:
    """Return by how much the energy of arm, load and springs increases at most from one time to the next."""
    weight = inverse_dynamics(loaded(arm(), PAYLOAD)).compile()(run.q[0], np.zeros(5), np.zeros(5))
    stretched = run.q - (run.q[0] + weight / STIFFNESS)
    total = run.total + 0.5 * (np.array(STIFFNESS) * stretched**2).sum(axis=1)
    return float(np.diff(total).max())


PAPER = Paper(
    "grigorov",
    "B. Grigorov (2013): A generalized Newton-Euler algorithm for dynamic simulation of robot-manipulators with "
    "revolute joints. Technical University of Sofia",
    "A heavy hydraulic arm: torques along a motion with a load, and oscillations after the valves close.",
    parts,
)
