"""What ``simulate`` and ``torques`` print: a table of the joints, and a few lines about the whole."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from rich.console import Group
from rich.markup import escape
from rich.text import Text

import tauforge as tf

from . import show

MOTION = ("joint", "start", "end", "lowest", "highest", "peak speed", "peak torque", "RMS torque")
FEW = 6
"""Events that are listed."""


def motion_table(run: tf.Trajectory) -> Group:
    """Return what happened in a simulation."""
    made = show.table(MOTION, right=MOTION[1:])
    for k, name in enumerate(run.coordinate_names):
        q = run.q[:, k]
        cells = [_number(x) for x in (q[0], q[-1], q.min(), q.max())]
        if name in run.velocity_names:
            cells += [_number(np.abs(run.qd[:, run.velocity_names.index(name)]).max()), *_torques(run, name)]
        made.add_row(f"[green]{escape(name)}[/green]", *cells, *[""] * (len(MOTION) - 1 - len(cells)))
    if run.torque_names != run.velocity_names:
        for name in run.torque_names:
            if name not in run.coordinate_names:
                made.add_row(f"[green]{escape(name)}[/green]", *[""] * 5, *_torques(run, name))
    title = f"{run.robot_name}: {run.t[0]:g} to {run.t[-1]:g} s"
    return Group(show.titled(title, made), Text("\n".join(_facts(run))))


def _torques(run: tf.Trajectory, name: str) -> tuple[str, str]:
    """Return the largest and the mean torque of a joint or a motor, if it has one."""
    if name not in run.torque_names:
        return "", ""
    tau = run.tau[:, run.torque_names.index(name)]
    return _number(np.abs(tau).max()), _number(rms(run.t, tau))


def _facts(run: tf.Trajectory) -> Iterator[str]:
    """Yield lines about the whole simulation."""
    yield (
        f"energy: kinetic {_number(run.kinetic[0])} to {_number(run.kinetic[-1])} J, "
        f"potential {_number(run.potential[0])} to {_number(run.potential[-1])} J, "
        f"total changes by {_number(run.total[-1] - run.total[0])} J"
    )
    yield f"{run.method}: {run.steps} steps, {run.evaluations} evaluations, {run.jacobians} of them Jacobians"
    if run.residual.any():
        yield f"closed loops: open by at most {run.residual.max():.1e}, rate {run.residual_rate.max():.1e} per second"
    for each in run.events[:FEW]:
        yield f"{each.name} at t = {each.t:.6g} s"
    if len(run.events) > FEW:
        yield f"and {len(run.events) - FEW} more events"
    if run.status == "event":
        yield "stopped there"


def torque_table(run: tf.RequiredTorques) -> Group:
    """Return what a motion requires of each joint."""
    head, rows = ("joint", "peak", "RMS", "", "peak speed", "peak power", "energy", "recovered"), run.rows()
    made = show.table(head, right=[*head[1:3], *head[4:]])
    for name, *cells in rows:
        made.add_row(f"[green]{escape(name)}[/green]", *cells)
    return show.titled(f"{run.robot}: {len(run.t)} samples, {run.t[0]:g} to {run.t[-1]:g} s", made)


def rms(t: np.ndarray, x: np.ndarray) -> float:
    """Return the root mean square of samples over time."""
    return float(np.sqrt(np.trapezoid(x * x, t) / (t[-1] - t[0]))) if len(t) > 1 else float(abs(x[0]))


def _number(x: float) -> str:
    return f"{x:.4g}"
