"""Andrews' squeezing mechanism: seven bodies in a plane whose ends meet in one point, three closed loops, very fast.

Data: Schiehlen (ed.), Multibody Systems Handbook (1990); Hairer and Wanner, Solving Ordinary Differential Equations II,
section VII.7; Test Set for IVP Solvers, problem "andrews", with the state at 0.03 s.
"""

from __future__ import annotations

from ...robot.body import Body
from ...robot.joint import Joint, constant_frame
from ...robot.robot import Robot
from ...simulation.tasks.task import Task
from ...spatial.inertia import Inertia
from ...spatial.vector import Vector
from ..entry import Entry, close
from .problem import Problem, Run

ZERO = Vector(0.0, 0.0, 0.0)
MASS = (0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498)
MOMENT = (2.194e-06, 4.41e-07, 5.255e-06, 5.667e-07, 1.169e-05, 5.667e-07, 1.912e-05)
A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
"""Fixed points: pivots of K5 and K7, pivot of K3, end of the spring."""
D, DA, E, EA, RR, RA = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
SS, SA, SB, SC, SD = 0.035, 0.01874, 0.01043, 0.018, 0.02
TA, TB, U, UA, UB, ZF, ZT, FA = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
STIFFNESS, LENGTH, TORQUE = 4530.0, 0.07785, 0.033
"""Of the spring on K3, in N/m and m, and the constant torque on K1, in N m."""
BODIES = (
    ("beta", 0, (0.0, 0.0), 1, (RA, 0.0), None),
    ("theta", 1, (RR, 0.0), 2, (-DA, 0.0), (-D, 0.0)),
    ("gamma", 0, B, 3, (SB, -SA), (0.0, -SS)),
    ("delta", 0, A, 5, (TB, -TA), None),
    ("phi", 4, (ZT, 0.0), 4, (0.0, EA - E), (0.0, -E)),
    ("epsilon", 0, A, 7, (-UB, -UA), None),
    ("Omega", 6, (0.0, -U), 6, (ZF - FA, 0.0), (ZF, 0.0)),
)
"""Joint, parent, where it is on the parent, the body's number, its centre of mass, and where it meets the others."""
ORDER = ("beta", "theta", "gamma", "phi", "delta", "Omega", "epsilon")
"""The order of the published coordinates."""
START = (
    -0.06171389001427645, 0.0, 0.45527981916307037, 0.22266839016588588, 0.48736497954384256, -0.22266839016588588,
    1.2305474445498212,
)  # fmt: skip
END = (
    15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805303,
    0.5347301163226948, 1.048080741042263,
)  # fmt: skip
"""The published coordinates at 0.03 s; their digits are good to 1.4e-9."""
SPEED = 1139.920302151208
"""The published velocity of K1 at 0.03 s, in rad/s."""


def andrews() -> Robot:
    """Return the mechanism; the motor is on K1, and the loops are cut where K2 meets K3, K4 and K6."""
    joints, bodies, frames = [], [], []
    for number, (name, parent, (x, y), body, (cx, cy), end) in enumerate(BODIES, 1):
        m = MASS[body - 1]
        joints.append(Joint(name=name, antecedent=parent, mu=int(name == "beta"), d=x, e=y))
        inertia = Inertia(ZZ=MOMENT[body - 1] + m * (cx * cx + cy * cy), MX=m * cx, MY=m * cy, M=m)
        bodies.append(Body(name=f"K{body}", inertia=inertia))
        if end:
            frames.append(constant_frame(f"end{body}", number, d=end[0], e=end[1]))
    robot = Robot(name="andrews", joints=tuple(joints), bodies=tuple(bodies), frames=tuple(frames), gravity=ZERO)
    for other in ("end3", "end4", "end6"):
        robot = robot.with_loop("end2", other, kind="revolute", name=f"loop{other[-1]}")
    return robot


def in_order(values: tuple[float, ...]) -> list[float]:
    """Return published coordinates in the order of the joints."""
    by = dict(zip(ORDER, values, strict=True))
    return [by[name] for name, *_ in BODIES]


def spring() -> list[str]:
    """Return the wrench that K3 exerts on its surroundings, in its own axes: it pulls the spring."""
    dx, dy = C[0] - B[0], C[1] - B[1]
    c, s = "cos(q3)", "sin(q3)"
    x, y = f"({dx!r}*{c} + {dy!r}*{s} - {SD!r})", f"({dy!r}*{c} - {dx!r}*{s} + {SC!r})"
    pull = f"{STIFFNESS!r}*(1 - {LENGTH!r}/sqrt({x}**2 + {y}**2))"
    return [f"-{pull}*{x}", f"-{pull}*{y}", "0", "0", "0", f"-{pull}*({SD!r}*{y} + {SC!r}*{x})"]


def task() -> Task:
    """Return the task: from rest to 0.03 s under a constant torque."""
    return Task.of(
        start={"q": in_order(START)},
        torque=[TORQUE],
        wrenches={"K3": spring()},
        simulation={"duration": 0.03, "samples": 61, "rtol": 1e-10, "atol": 1e-10},
    )


def checks(run: Run) -> tuple[Entry, ...]:
    """Return the published state at 0.03 s beside ours."""
    last = run.trajectory.q[-1]
    where = "Test Set, andrews"
    angles = [
        close(f"{name} at 0.03 s", where, value, float(last[k]), 1e-6, "rad")
        for k, ((name, *_), value) in enumerate(zip(BODIES, in_order(END), strict=True))
    ]
    speed = close("velocity of beta at 0.03 s", where, SPEED, float(run.trajectory.qd[-1, 0]), 1e-6, "rad/s")
    return *angles, speed


PROBLEM = Problem(
    "andrews",
    "Andrews' squeezing mechanism",
    "Seven bodies, three loops, a spring and a constant torque; within 0.03 s the crank reaches 1140 rad/s. The "
    "reference is the state that the Test Set for IVP Solvers publishes.",
    andrews,
    task,
    checks,
    conserves=False,
)
