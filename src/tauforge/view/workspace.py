"""Pictures of workspaces: clouds, sections with their boundary, and maps of dexterity."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files import as_path
from ..geometry.workspace import MEASURES, PLANES, Section, Workspace, dexterity, transforms_of
from .figures import COLOURS, PALE, canvas, write_figure

Floats = NDArray[np.float64]
MOST = 20_000
"""Points of a cloud that are drawn."""
WORST = 50.0
"""Condition numbers beyond this are drawn as this one."""
FLAT = 0.05
"""The least side of a cloud's box, as a part of the largest."""
INK = "#39424a"
INSIDE = [-1e9, 0.0]
"""Distances from the boundary, in metres, of what is drawn as within reach."""


def written(figure: Any, path: str | Path | None) -> Any:
    """Write a figure to a file, if one is given, and return it."""
    if path is not None:
        write_figure(figure, as_path(path))
    return figure


def cloud(workspace: Workspace) -> Any:
    """Return a figure of the points in space."""
    points, w = workspace.points[:MOST], workspace.manipulability[:MOST]
    with canvas(7.2, 6.0) as figure:
        axes = figure.add_subplot(projection="3d")
        order = np.argsort(w)
        drawn = axes.scatter(*points[order].T, c=w[order], s=3.0, cmap="viridis", linewidths=0.0, alpha=0.6)
        _arm(axes, workspace, workspace.q[int(np.argmax(w))], (0, 1, 2))
        axes.set(xlabel="x (m)", ylabel="y (m)", zlabel="z (m)", title=_title(workspace))
        sides = np.ptp(np.vstack([points, np.zeros(3)]), axis=0)
        axes.set_box_aspect(np.maximum(sides, FLAT * (sides.max() or 1.0)))
        axes.tick_params(labelsize=8)
        figure.colorbar(drawn, ax=axes, shrink=0.6, pad=0.1, label="manipulability √det(J Jᵀ)")
        return figure


def drawn(section: Section, measure: str | None) -> Any:
    """Return a figure of a section."""
    right, up, across = ("xyz"[k] for k in PLANES[section.plane])
    height = 6.0
    sides = np.ptp(section.right), np.ptp(section.up)
    with canvas(float(np.clip(height * sides[0] / sides[1], 4.0, 10.0)) + (1.4 if measure else 0.4), height) as figure:
        axes = figure.add_subplot()
        if measure is None:
            axes.contourf(section.right, section.up, section.height, levels=INSIDE, colors=[PALE], alpha=0.55)
        else:
            _map(figure, axes, section, measure)
        if section.reachable.any():
            axes.contour(section.right, section.up, section.height, levels=[0.0], colors=[COLOURS[0]], linewidths=1.5)
            if measure is not None:
                inner = axes.contourf(section.right, section.up, section.height, levels=INSIDE, alpha=0.0)
                for colours in axes.collections[:1]:
                    colours.set_clip_path(inner.get_paths()[0], axes.transData)
            best = int(np.argmax(dexterity(section.workspace.robot, section.workspace.frame)(section.q)[1]))
            _arm(axes, section.workspace, section.q[best], PLANES[section.plane][:2])
        more = "" if section.bounded else ", which goes on without bound"
        where = f"section at {across} = {section.at:g} m{more}"
        axes.set(xlabel=f"{right} (m)", ylabel=f"{up} (m)", title=f"{_title(section.workspace)}, {where}")
        axes.set_aspect("equal")
        return figure


def _map(figure: Any, axes: Any, section: Section, measure: str) -> None:
    """Draw a measure of dexterity as colours."""
    condition = measure == "condition"
    values = _wider(section.map(measure), np.fmin if condition else np.fmax)
    if condition:
        values = np.minimum(values, WORST)
    colours = axes.pcolormesh(
        section.right, section.up, values, cmap="viridis_r" if condition else "viridis", shading="nearest",
        vmin=1.0 if condition else 0.0, rasterized=True,
    )  # fmt: skip
    label = MEASURES[measure]
    figure.colorbar(
        colours, ax=axes, shrink=0.85, extend="max" if condition else "neither",
        label=f"{label}, lengths as parts of the reach" if condition else f"{label} √det(J Jᵀ)",
    )  # fmt: skip


def _wider(values: Floats, best: Any) -> Floats:
    """Return a map with one more cell all round, which the boundary then cuts."""
    found = values.copy()
    for side in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)):
        found = np.where(np.isfinite(values), values, best(found, np.roll(values, side, axis=(0, 1))))
    return found


def _title(workspace: Workspace) -> str:
    text = f"{workspace.robot.name}: reach of {workspace.frame}"
    return text.replace("$", r"\$")  # else it begins a formula


def _arm(axes: Any, workspace: Workspace, q: Floats, chosen: tuple[int, ...]) -> None:
    """Draw the robot as lines between the origins of its links, in one state."""
    robot = workspace.robot.expanded()
    T = np.asarray(transforms_of(workspace.robot, None)(q))
    names = list(robot.frame_names)
    at = {0: np.zeros(3)} | {j: T[names.index(body.name), :3, 3] for j, body in enumerate(robot.bodies, 1)}
    for j, joint in enumerate(robot.joints, 1):
        line = np.array([at[joint.antecedent], at[j]])[:, chosen]
        axes.plot(*line.T, color=INK, linewidth=3.0, solid_capstyle="round", zorder=5)
        axes.plot(*line[1:].T, "o", color="white", markeredgecolor=INK, markersize=5.0, zorder=6)
    for constant in robot.frames:
        if robot.loops or constant.name == workspace.frame:
            line = np.array([at[constant.antecedent], T[names.index(constant.name), :3, 3]])[:, chosen]
            axes.plot(*line.T, color=INK, linewidth=3.0, solid_capstyle="round", zorder=5)
    origin = np.zeros(len(chosen))
    axes.plot(*origin[:, None], "s", color=INK, markersize=8.0, zorder=6)
    if workspace.frame in names:
        tip = T[names.index(workspace.frame), :3, 3][list(chosen)]
        axes.plot(*tip[:, None], "o", color=COLOURS[1], markersize=7.0, zorder=7)
