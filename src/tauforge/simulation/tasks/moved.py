"""The motion of a task: through points, along expressions of time, or a Fourier series."""

from __future__ import annotations

from typing import Any

from ...formats.toml.table import Table
from ...robot.robot import Robot
from ..motion import make
from ..motion.motion import Motion
from .values import expressions, naming, numbers

POINTS = ("velocities", "accelerations", "blend", "velocity", "acceleration")
FOURIER = ("a", "b", "period", "centre", "duration")
KINDS = {
    "points": ("points", "times", "duration", "kind", "degree", "stop", *POINTS),
    "expressions": ("expressions", "times", "duration"),
    "a": FOURIER,
}
"""The fields of each kind of motion, by the field that it must have."""


def motion(robot: Robot, table: Table) -> Motion:
    """Return the motion that a table describes."""
    given = [key for key in KINDS if key in table.data]
    if len(given) != 1:
        has = f"both {given[0]} and {given[1]}" if given else "no path"
        raise table.fault(
            given[-1] if given else "points", f"the motion has {has}; give points, expressions, or a and b"
        )
    table.only(*KINDS[given[0]])
    with naming(table, given[0]):
        if given[0] == "expressions":
            nodes = expressions(table, "expressions", robot.dof, robot.velocity_names, ["t"])
            return make.motion(nodes, _times(table))
        if given[0] == "a":
            a, b, period = (numbers(table, key) for key in FOURIER[:3])
            return make.fourier_motion(a, b, period, **{x: numbers(table, x) for x in FOURIER[3:] if x in table.data})
        return make.motion(numbers(table, "points"), _times(table), **_options(table))


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
