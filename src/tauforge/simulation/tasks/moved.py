"""The motion of a task: through points, along expressions of time, a Fourier series, or poses of a frame."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...formats.toml.table import Table
from ...robot.robot import Robot
from ..motion import make
from ..motion.cartesian import cartesian_motion
from ..motion.motion import Motion
from ..motion.pose_path import rotations
from .values import expressions, naming, numbers, vector

POINTS = ("velocities", "accelerations", "blend", "velocity", "acceleration")
FOURIER = ("a", "b", "period", "centre", "duration")
CARTESIAN = ("radius", "blend", "velocity", "acceleration", "torque")
KINDS = {
    "points": ("points", "times", "duration", "kind", "degree", "stop", *POINTS),
    "expressions": ("expressions", "times", "duration"),
    "a": FOURIER,
    "poses": ("poses", "frame", "near", "aim", "times", "duration", "kind", *CARTESIAN),
}
"""The fields of each kind of motion, by the field that it must have."""


def motion(robot: Robot, table: Table) -> Motion:
    """Return the motion that a table describes."""
    given = [key for key in KINDS if key in table.data]
    if len(given) != 1:
        has = f"both {given[0]} and {given[1]}" if given else "no path"
        raise table.fault(
            given[-1] if given else "points", f"the motion has {has}; give points, expressions, a and b, or poses"
        )
    table.only(*KINDS[given[0]])
    with naming(table, given[0]):
        if given[0] == "expressions":
            nodes = expressions(table, "expressions", robot.dof, robot.velocity_names, ["t"])
            return make.motion(nodes, _times(table))
        if given[0] == "a":
            a, b, period = (numbers(table, key) for key in FOURIER[:3])
            return make.fourier_motion(a, b, period, **{x: numbers(table, x) for x in FOURIER[3:] if x in table.data})
        if given[0] == "poses":
            return _cartesian(robot, table)
        return make.motion(numbers(table, "points"), _times(table), **_options(table))


def _cartesian(robot: Robot, table: Table) -> Motion:
    """Return the motion of a frame; poses are positions, each with a rotation vector where the orientation counts."""
    rows = numbers(table, "poses")
    sizes = {len(row) if isinstance(row, list) else 0 for row in rows} if isinstance(rows, list) else {0}
    if sizes not in ({3}, {6}):
        raise table.fault("poses", "poses is a list of [x, y, z], or of [x, y, z, rx, ry, rz] with rotation vectors")
    found: dict[str, Any] = {key: numbers(table, key) for key in CARTESIAN if key in table.data}
    found |= {key: table.text(key) for key in ("kind", "aim") if key in table.data}
    if "near" in table.data:
        found["q0"] = vector(table, "near", robot.coordinate_names)
    poses: NDArray[np.float64] = np.array(rows)
    if sizes == {6}:
        poses = np.tile(np.eye(4), (len(rows), 1, 1))
        poses[:, :3, 3], poses[:, :3, :3] = np.array(rows)[:, :3], rotations(np.array(rows)[:, 3:])
    else:
        found.setdefault("aim", "position")
    return cartesian_motion(robot, poses, _times(table), frame=table.text("frame"), **found)


def _times(table: Table) -> Any:
    """Return the times of the points, or the duration."""
    if "times" in table.data and "duration" in table.data:
        raise table.fault("duration", "duration has no meaning beside times; leave one of them out")
    return next((numbers(table, key) for key in ("times", "duration") if key in table.data), None)


def _options(table: Table) -> dict[str, Any]:
    found: dict[str, Any] = {key: numbers(table, key) for key in POINTS if key in table.data}
    if "kind" in table.data:
        found["kind"] = table.text("kind")
    if "degree" in table.data:
        found["degree"] = table.integer("degree")
    if "stop" in table.data:
        found["stop"] = table.flag("stop", False)
    return found
