"""Woliński and Malczyk (2015): the KUKA LWR, its torques along a motion, and its motion under joint controllers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..robot.bundled import kuka_lwr
from ..simulation.tasks.task import Task
from ..simulation.trajectory import Trajectory
from ..view.figures import COLOURS, PALE
from .drawing import bars, histories
from .entry import Entry, Figure, Paper, Part, at_most, close, holds

MOTION = {"expressions": "pi/2*cos(pi/7*t)", "duration": 14}
"""Equations (28) and (29)."""
STIFFNESS = (10.0, 1000.0, 200.0, 100.0, 10.0, 10.0, 10.0)
"""Equation (33), in N m/rad."""
DAMPING = (1000.0, 10000.0, 1000.0, 1000.0, 10.0, 10.0, 10.0)
"""Equation (34), in N m s/rad."""
PEAKS = (1.9441, 43.7537, 15.3549, 13.5451, 0.12844, 0.11117, 0.00023050)
"""Largest torques at samples 0.05 s apart, in N m: the paper draws them; three other programs give these digits."""
TABLE_1 = {
    "Scilab, BDF": (1924, 993),
    "ADAMS, GSTIFF SI2": (4432, 1745),
    "ADAMS, GSTIFF I3": (2583, 1613),
    "ADAMS, WSTIFF SI2": (4852, 1824),
    "ADAMS, WSTIFF I3": (3388, 1489),
    "ADAMS, HHT": (7431, 2190),
    "ADAMS, Newmark": (7495, 2196),
    "ADAMS, HASTIFF SI1": (7010, 1821),
    "ADAMS, HASTIFF SI2": (6272, 1787),
}
"""Evaluations of the right-hand side at tolerances of 1e-6 and 1e-3."""
LARGEST = {"q": (5e-4, "rad"), "qd": (5e-4, "rad/s"), "qdd": (0.014, "rad/s²")}
"""Section 4.3: the largest differences between the paper's program and ADAMS, of all joints."""
NEEDED = 5e-6
"""Error of the coordinates in rad that we ask of ourselves at a tolerance of 1e-6."""


def parts() -> Iterator[Part]:
    """Yield the inverse and the forward problem."""
    yield _inverse()
    yield _forward()


def forward(tolerance: float, method: str = "BDF") -> Trajectory:
    """Return the motion under (32)-(34) from (30) and (31)."""
    return Task.of(
        motion=MOTION,
        controller={"law": "pd", "kp": list(STIFFNESS), "kd": list(DAMPING)},
        simulation={"method": method, "rtol": tolerance, "atol": tolerance, "dt": 0.1},
    ).simulate(kuka_lwr())


def _inverse() -> Part:
    run = Task.of(motion=MOTION, simulation={"dt": 0.05}).torques(kuka_lwr())
    entries = [
        close(f"largest torque of joint {j}", "eq. (28)-(29)", peak, own, 5e-5, "N m")
        for j, (peak, own) in enumerate(zip(PEAKS, run.peak, strict=True), 1)
    ]
    mirrored = np.abs(run.tau - run.tau[::-1]).max() / np.abs(run.tau).max()
    entries.append(
        holds(
            "the torques are symmetric in time",
            "section 4.2",
            "smooth and symmetric",
            f"{mirrored:.1e}",
            mirrored < 1e-12,
        )
    )
    lines = {f"joint {j}": tau for j, tau in enumerate(run.tau.T, 1)}
    first, others = dict([*lines.items()][:1]), dict([*lines.items()][1:4])
    return Part(
        "The inverse problem: torques along a motion",
        "All joints follow (π/2) cos(πt/7) for 14 s. The paper draws the torque of joint 1 and prints no values; the "
        "peaks beside ours are those of three other programs with the same reading of the paper's data: gravity along "
        "-y, Rz(q7) for the misprint Rz(q6) in A″67.",
        tuple(entries),
        (
            histories(
                "Figure 5: driving torque at joint 1",
                "Smooth and symmetric, as in the paper.",
                run.t,
                {"joint 1 [N m]": first},
            ),
            histories("Torques of joints 2 to 4", "Not drawn in the paper.", run.t, {"torque [N m]": others}),
        ),
    )


def _forward() -> Part:
    exact, finest, fine, coarse = forward(1e-11, "Radau"), forward(1e-8), forward(1e-6), forward(1e-3)
    error = float(np.abs(fine.q - exact.q).max())
    entries = [
        at_most(f"evaluations at tolerance {tolerance}, {name}", "table 1", counts[k], run.evaluations)
        for k, (tolerance, run) in enumerate((("1e-6", fine), ("1e-3", coarse)))
        for name, counts in TABLE_1.items()
    ]
    entries += [
        at_most(
            f"largest error of {name} at tolerance 1e-8",
            "section 4.3",
            bound,
            float(np.abs(getattr(finest, name) - getattr(exact, name)).max()),
            unit,
        )
        for name, (bound, unit) in LARGEST.items()
    ]
    entries.append(_accurate(error))
    return Part(
        "The forward problem: motion under joint controllers",
        "Controllers (32) with the gains (33) and (34) drive the arm along the same motion. The equations are stiff; "
        "BDF takes exact Jacobians of robot and controller together from the graph, and every evaluation for one is "
        "counted. The paper gives its differences from ADAMS without saying at which tolerance; ours are at 1e-8, "
        "from Radau at a tolerance of 1e-11.",
        tuple(entries),
        (_history(fine), _errors(fine, exact), _evaluations(fine, coarse)),
    )


def _accurate(error: float) -> Entry:
    return holds(
        "error of all coordinates at 1e-6", "our aim", f"below {NEEDED:g} rad", f"{error:.2e} rad", error < NEEDED
    )


def _history(fine: Trajectory) -> Figure:
    panels = {"q1 [rad]": fine.q[:, 0], "speed [rad/s]": fine.qd[:, 0], "accel. [rad/s²]": fine.qdd[:, 0]}
    return histories(
        "Figures 6, 8 and 10: position, velocity and acceleration of joint 1",
        "At a tolerance of 1e-6.",
        fine.t,
        {label: {"joint 1": line} for label, line in panels.items()},
    )


def _errors(fine: Trajectory, exact: Trajectory) -> Figure:
    return histories(
        "Figures 7, 9 and 11: differences at joint 1",
        "The paper's are between its program and ADAMS; these are between BDF at 1e-6 and Radau at 1e-11.",
        fine.t,
        {
            label: {"joint 1": np.abs(getattr(fine, name)[:, 0] - getattr(exact, name)[:, 0])}
            for name, label in (("q", "q1 [rad]"), ("qd", "speed [rad/s]"), ("qdd", "accel. [rad/s²]"))
        },
    )


def _evaluations(fine: Trajectory, coarse: Trajectory) -> Figure:
    names = [*TABLE_1, "Tauforge, BDF"]
    return bars(
        "Table 1: evaluations of the right-hand side",
        "All evaluations, those for Jacobians too.",
        names,
        {
            "tolerance 1e-6": [x for x, _ in TABLE_1.values()] + [fine.evaluations],
            "tolerance 1e-3": [x for _, x in TABLE_1.values()] + [coarse.evaluations],
        },
        "evaluations in 14 s",
        colours=(COLOURS[0], PALE),
    )


PAPER = Paper(
    "wolinski",
    "Ł. Woliński, P. Malczyk (2015): Dynamic modeling and analysis of a lightweight robotic manipulator in joint "
    "space. Archive of Mechanical Engineering",
    "Spatial operator algebra, and the inverse and forward dynamics of a seven-joint arm, the KUKA LWR 4+.",
    parts,
)
