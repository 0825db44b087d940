"""A figure of a trajectory: coordinates, velocities, torques and energies over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import TauforgeError
from .trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MANY = 12
"""Lines beyond which a panel has no legend."""


def plot(trajectory: Trajectory) -> Figure:
    """Return the figure; it belongs to no window, so that nothing is left open."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise TauforgeError("plot() needs matplotlib: pip install 'tauforge[plot]'") from None
    figure = Figure(figsize=(10.0, 7.0), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True).ravel()
    names = trajectory.velocity_names
    _panel(axes[0], trajectory.t, trajectory.q, trajectory.coordinate_names, "coordinates (rad, m)")
    _panel(axes[1], trajectory.t, trajectory.qd, names, "velocities (rad/s, m/s)")
    _panel(axes[2], trajectory.t, trajectory.tau, names, "torques and forces (N m, N)")
    for name in ("kinetic", "potential", "total"):
        axes[3].plot(trajectory.t, getattr(trajectory, name), label=name)
    axes[3].set_ylabel("energy (J)")
    axes[3].legend(fontsize="small")
    for panel in axes:
        panel.grid(alpha=0.3)
        for event in trajectory.events:
            panel.axvline(event.t, color="0.5", linewidth=0.8, linestyle="--")
    for panel in axes[2:]:
        panel.set_xlabel("time (s)")
    figure.suptitle(trajectory.robot_name)
    return figure


def _panel(panel: Any, t: Any, values: Any, names: tuple[str, ...], label: str) -> None:
    for k, name in enumerate(names):
        panel.plot(t, values[:, k], label=name)
    panel.set_ylabel(label)
    if 1 < len(names) <= MANY:
        panel.legend(fontsize="small", ncols=2 if len(names) > 4 else 1)
