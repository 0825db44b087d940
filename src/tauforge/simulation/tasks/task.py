"""Task: what a robot is to do, from a file in TOML, and the simulation or the torques that follow from it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from ...errors import ProgramError
from ...files import as_path
from ...formats.source import MISSING_LINE, Source, read_text
from ...formats.toml.read import parsed
from ...formats.toml.table import Place, Table, line_index
from ...limits import limited
from ...models.coordinates import INDEPENDENT
from ...models.loops.motors import MOTORS
from ...robot.robot import Robot
from ..motion.motion import Motion
from ..simulate import simulate
from ..torques.drives import loaded
from ..torques.required import required_torques
from ..torques.result import RequiredTorques
from ..trajectory import Trajectory
from .driven import controller
from .laws import event, torque_law, wrench_law, wrenches_of_time
from .moved import motion
from .values import naming, numbers, vector

TABLES = ("motion", "payload", "wrenches", "start", "torque", "controller", "simulation", "event", "output")
TIMES, NUMBERS = ("duration", "times", "dt", "samples"), ("rtol", "atol", "max_step", "smoothing", "stiction", "stops")
WORDS = ("method", "coordinates", "through")
SIMULATION = (*TIMES, *NUMBERS, *WORDS, "max_steps", "limits", "efforts")
SAMPLES = 501
"""Results of a simulation, if the task does not say how many."""
OUTPUTS = ("save", "plot", "animate")


class Output(NamedTuple):
    """The files that a task asks for; those that are empty are not written."""

    save: str = ""
    plot: str = ""
    animate: str = ""


@final
@dataclass(frozen=True, eq=False)
class Task:
    """What a robot is to do: a motion or torques, its load, its start, and how to integrate.

    ``Task.load`` reads it from a file; the page on tasks lists the fields.
    """

    table: Table

    @classmethod
    def load(cls, path: str | Path) -> Task:
        """Return the task in a .toml file.

        Raises
        ------
        RobotError
            If the file cannot be read, is not TOML or has an unknown field; the message names file, line and fix.
        """
        path = as_path(path)
        if os.path.isdir(path):
            raise ProgramError(f"{path}: this is a directory; give a task's file, such as task.toml")
        with limited(None):
            source = read_text(path, "utf-8-sig")
            return cls(_checked(Table(source, line_index(source.text), (), parsed(source))))

    @classmethod
    def of(cls, **tables: Any) -> Task:
        """Return a task from its tables, each a mapping as in a file."""
        return cls(_checked(Table(Source(Path("task"), ""), {}, (), {k: x for k, x in tables.items() if x})))

    def changed(self, **tables: Mapping[str, Any] | list[Any] | None) -> Task:
        """Return the task with other values: those in a mapping replace the fields of a table, None removes a table."""
        data, lines = dict(self.table.data), dict(self.table.lines)
        for name, new in tables.items():
            if new is None:
                data.pop(name, None)
                continue
            old = data.get(name)
            data[name] = {**(old if isinstance(old, dict) else {}), **new} if isinstance(new, Mapping) else new
            places: list[Place] = [(name, key) for key in new] if isinstance(new, Mapping) else [(name,)]
            lines |= dict.fromkeys(places, MISSING_LINE)
        return Task(_checked(Table(self.table.source, lines, (), data)))

    @property
    def output(self) -> Output:
        """The files to write."""
        table = self._table("output")
        return Output(*(table.text(key) if key in table.data else "" for key in OUTPUTS))

    def motion(self, robot: Robot) -> Motion | None:
        """Return the motion to follow; None if the task has none."""
        return motion(robot, self._table("motion")) if "motion" in self.table.data else None

    def torques(self, robot: Robot) -> RequiredTorques:
        """Return the torques that the task's motion requires."""
        self._without("torque", "controller", "event")
        found = self.motion(robot)
        if found is None:
            raise self.table.fault(
                "motion", "there is no motion; write [motion] with points and times, expressions, or poses of a frame"
            )
        options: dict[str, Any] = {}
        times = self._table("simulation")
        if "dt" in times.data:
            options["dt"] = numbers(times, "dt")
        elif "samples" in times.data:
            options["t"] = np.linspace(found.start, found.end, times.integer("samples"))
        if "efforts" in times.data:
            options["efforts"] = times.word("efforts", (INDEPENDENT, MOTORS))
        if "wrenches" in self.table.data:
            options["wrench"] = wrenches_of_time(robot, self._table("wrenches"))
        with naming(self.table, "payload" if "payload" in self.table.data else "motion"):
            return required_torques(robot, found, payload=self._payload(), **options)

    def simulate(self, robot: Robot) -> Trajectory:
        """Return the motion of the robot under the task's torques or controller."""
        with naming(self.table, "payload"):
            carried = robot if (payload := self._payload()) is None else loaded(robot, payload)
        given = self.motion(robot)
        options = self._how()
        t = options.pop("t", None)
        if t is None:
            if given is None:
                raise self.table.fault("simulation", "how long? Write duration = … in [simulation], or give --time")
            t = self._sampled(given.start, given.end)
        options |= self._start(robot, given) | self._drive(robot, given, options.get("efforts", INDEPENDENT))
        events = [event(robot, table) for table in self.table.tables("event")]
        if self._table("simulation").flag("limits", False):
            events = ["limits", *events]  # type: ignore[list-item]
        with naming(self.table, "simulation"):
            return simulate(carried, t, events=events or None, **options)

    def _table(self, name: str) -> Table:
        """Return a table of the task, empty if it is absent."""
        if name not in self.table.data:
            return Table(self.table.source, self.table.lines, (name,), {})
        return self.table.table(name)

    def _without(self, *names: str) -> None:
        for name in names:
            if name in self.table.data:
                raise self.table.fault(name, f"{name} is for a simulation; required torques follow from the motion")

    def _payload(self) -> Any:
        """Return the load as ``required_torques`` takes it."""
        value = self.table.data.get("payload")
        if not isinstance(value, dict):
            return None if value is None else numbers(self.table, "payload")
        table = self._table("payload")
        table.only("mass", "com", "inertia", "at")
        return {key: table.text(key) if key == "at" else numbers(table, key) for key in table.data}

    def _how(self) -> dict[str, Any]:
        """Return times, method and tolerances."""
        table = self._table("simulation")
        stops = isinstance(table.data.get("stops"), bool)
        plain = (key for key in NUMBERS if key in table.data and not (stops and key == "stops"))
        found: dict[str, Any] = {key: numbers(table, key) for key in plain}
        if stops:
            found["stops"] = table.flag("stops", False)
        if "max_steps" in table.data:
            found["max_steps"] = table.integer("max_steps")
        found |= {key: table.text(key) for key in WORDS if key in table.data}
        if "efforts" in table.data:
            found["efforts"] = table.word("efforts", (INDEPENDENT, MOTORS))
        if "times" in table.data:
            if clash := [key for key in ("duration", "dt", "samples") if key in table.data]:
                raise table.fault(clash[0], f"{clash[0]} has no meaning beside times; leave one of them out")
            found["t"] = numbers(table, "times")
        elif "duration" in table.data:
            found["t"] = self._sampled(0.0, table.number("duration", 0.0))
        return found

    def _sampled(self, start: float, end: float) -> NDArray[np.float64]:
        """Return the times of the results."""
        table = self._table("simulation")
        if not end > start:
            raise table.fault("duration", f"duration is {end - start:g}; it must be positive")
        if "dt" not in table.data:
            count = table.integer("samples") if "samples" in table.data else SAMPLES
            if count < 2:
                raise table.fault("samples", f"samples is {count}; at least the first and the last are needed")
            return np.linspace(start, end, count)
        if "samples" in table.data:
            raise table.fault("samples", "samples has no meaning beside dt; leave one of them out")
        dt = table.number("dt", 0.0)
        if not dt > 0.0:
            raise table.fault("dt", f"dt is {dt:g}; it must be positive")
        return np.append(np.arange(start, end - 1e-9 * dt, dt), end)

    def _start(self, robot: Robot, given: Motion | None) -> dict[str, Any]:
        """Return coordinates and velocities at the start: as given, or those of the motion."""
        table = self._table("start")
        table.only("q", "qd")
        found: dict[str, Any] = {}
        if given is not None and not table.data:
            q, qd, _ = given(given.start)
            return {"q0": q, "qd0": qd}
        for key, names in (("q", robot.coordinate_names), ("qd", robot.velocity_names)):
            if key in table.data:
                found[f"{key}0"] = vector(table, key, names)
        return found

    def _drive(self, robot: Robot, given: Motion | None, efforts: str) -> dict[str, Any]:
        """Return what drives the robot, and the wrenches that its links exert."""
        found: dict[str, Any] = {}
        if "torque" in self.table.data:
            if "controller" in self.table.data:
                raise self.table.fault("torque", "a task has a torque or a controller, not both; leave one out")
            found["controller"] = torque_law(robot, self.table, "torque", efforts)
        elif "controller" in self.table.data:
            found |= controller(robot, self._table("controller"), given, efforts)
        if "wrenches" in self.table.data:
            found["wrenches"] = wrench_law(robot, self._table("wrenches"))
        return found


def _checked(top: Table) -> Table:
    """Return a task's table; refuse unknown tables and fields."""
    top.only(*TABLES)
    for name, known in (("simulation", SIMULATION), ("output", OUTPUTS)):
        if name in top.data:
            top.table(name).only(*known)
    return top
