"""A figure of a trajectory: coordinates, velocities, torques and energies over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import TauforgeError
from .figure import COLUMN
from .trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEW = 10
"""Lines whose colours are chosen to differ most; the colours of more follow one another."""
MARKED = 6
"""Events that are named; the others are only marked."""
ENERGIES = {"kinetic": "#d95f02", "potential": "#7570b3", "total": "#1b1f24"}


def plot(trajectory: Trajectory) -> Figure:
    """Return the figure; it belongs to no window, so that nothing is left open."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise TauforgeError("plot() needs matplotlib: pip install 'tauforge[plot]'") from None
    lines = dict.fromkeys((*trajectory.velocity_names, *trajectory.coordinate_names, *trajectory.torque_names))
    colors = dict(zip(lines, _colors(len(lines)), strict=True))
    columns = -(-len(lines) // COLUMN)
    figure = Figure(figsize=(11.0 + 0.9 * columns, 6.6), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True)
    (q, qd), (tau, energy) = axes
    length, force = _units(trajectory)
    _panel(q, trajectory.t, trajectory.q, trajectory.coordinate_names, colors, f"coordinates ({length})")
    rates = ", ".join(f"{unit}/s" for unit in length.split(", "))
    _panel(qd, trajectory.t, trajectory.qd, trajectory.velocity_names, colors, f"velocities ({rates})")
    _panel(tau, trajectory.t, trajectory.tau, trajectory.torque_names, colors, f"torques and forces ({force})")
    for name, color in ENERGIES.items():
        energy.plot(trajectory.t, getattr(trajectory, name), label=name, color=color, linewidth=1.5)
    energy.set_ylabel("energy (J)")
    energy.legend(fontsize="small", frameon=False)
    for panel in axes.ravel():
        panel.grid(alpha=0.25)
        panel.margins(x=0.0)
        panel.spines[["top", "right"]].set_visible(False)
        for event in trajectory.events:
            panel.axvline(event.t, color="0.35", linewidth=0.9, linestyle=(0, (4, 3)))
    for panel in axes[1]:
        panel.set_xlabel("time (s)")
    _name_events(axes[0, 0], trajectory)
    if lines:
        handles = [q.plot([], [], color=color, linewidth=2.2, label=name)[0] for name, color in colors.items()]
        figure.legend(handles=handles, loc="outside right upper", ncols=columns, frameon=False, fontsize="small")
    figure.suptitle(f"{trajectory.robot_name}: {trajectory.method}, {trajectory.steps} steps", fontsize="large")
    figure.align_ylabels()
    return figure


def _colors(count: int) -> Sequence[Any]:
    """Return colours of lines: ten that differ most, or as many as needed along a scale."""
    from matplotlib import colormaps

    if count <= FEW:
        return [colormaps["tab10"](k) for k in range(count)]
    return [colormaps["turbo"](0.05 + 0.9 * k / (count - 1)) for k in range(count)]


def _units(trajectory: Trajectory) -> tuple[str, str]:
    """Return the units of coordinates and torques: of both kinds, unless the robot says that there is one."""
    robot = trajectory.robot
    if robot is None or any(len(joint.axes) > 1 for joint in robot.expanded().joints):
        return "rad, m", "N m, N"
    kinds = dict.fromkeys(joint.kind.units for joint in robot.joints if joint.axes)
    return ", ".join(length for length, _ in kinds) or "rad", ", ".join(force for _, force in kinds) or "N m"


def _panel(panel: Any, t: Any, values: Any, names: Sequence[str], colors: dict[str, Any], label: str) -> None:
    for k, name in enumerate(names):
        panel.plot(t, values[:, k], color=colors[name], linewidth=1.5 if len(names) <= FEW else 1.0)
    panel.set_ylabel(label)


def _name_events(panel: Any, trajectory: Trajectory) -> None:
    """Write the names of the first events above their lines."""
    for event in trajectory.events[:MARKED]:
        place = {"xy": (event.t, 1.0), "xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
        panel.annotate(event.name, xytext=(3, 2), fontsize="x-small", color="0.35", annotation_clip=False, **place)
