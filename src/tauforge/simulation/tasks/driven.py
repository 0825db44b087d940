"""The controller of a task: one of those that come with Tauforge, by its name, with its gains and its reference."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

from ...formats.toml.table import Table
from ...models.coordinates import INDEPENDENT
from ...models.loops.motors import torque_names
from ...robot.robot import Robot
from .. import controllers
from ..controllers import Controller
from ..motion.motion import Motion
from .values import by_name, naming, numbers

LAWS: dict[str, Callable[..., Controller]] = {
    "pd": controllers.pd_control,
    "pid": controllers.pid_control,
    "gravity-compensation": controllers.gravity_compensation,
    "computed-torque": controllers.computed_torque,
    "spring": controllers.spring_drive,
}
"""The controllers by their names in a task; their gains are the parameters of these functions."""
EFFORTS = "efforts"
"""Whose torques a controller gives: a field of the simulation, not of the controller."""
SAMPLED = ("rate", "delay")
"""Fields of a controller that ``simulate`` takes."""
REFERENCES = ("reference", "free")
"""What a controller calls the motion that it follows."""


def controller(robot: Robot, table: Table, motion: Motion | None, efforts: str) -> dict[str, Any]:
    """Return the controller and how it is sampled, as arguments of ``simulate``."""
    law = LAWS[table.word("law", tuple(LAWS))]
    parameters = {name: x for name, x in signature(law).parameters.items() if name not in ("robot", EFFORTS)}
    on_motors = {EFFORTS: efforts} if EFFORTS in signature(law).parameters else {}
    on_joints = efforts if law is not controllers.computed_torque else INDEPENDENT
    follows = next(name for name in REFERENCES if name in parameters)
    gains = [name for name in parameters if name != follows]
    table.only("law", "reference", *gains, *SAMPLED)
    given = {key: _gain(robot, table, key, on_joints) for key in gains if key in table.data}
    for key in gains:
        if parameters[key].default is Parameter.empty:
            table.value(key)  # which refuses a table without it
    reference = numbers(table, "reference") if "reference" in table.data else motion
    if reference is None and parameters[follows].default is Parameter.empty:
        raise table.fault("law", "the controller follows nothing; write reference = […] here, or a [motion]")
    with naming(table, "law"):
        made = law(robot, **given, **on_motors, **({follows: reference} if reference is not None else {}))
    found: dict[str, Any] = {"controller": made}
    if "rate" in table.data:
        found["rate"] = numbers(table, "rate")
    if "delay" in table.data:
        found["delay"] = table.integer("delay")
    return found


def _gain(robot: Robot, table: Table, key: str, efforts: str) -> Any:
    """Return a gain: a text such as the name of a frame, one number, one for each joint or motor, or by their names."""
    if isinstance(table.data[key], str) and key == "frame":
        return table.text(key)
    return numbers(by_name(table, key, torque_names(robot, efforts)), key)
