"""Expressions of time and state in a task, as what a simulation takes: a controller, wrenches, events.

An expression can use the time t, the coordinates q1, q2, … and the velocities qd1, qd2, …, numbered in the robot's
order from 1. All become Programs, so that they are compiled, and a controller's derivatives are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...formats.toml.table import Table
from ...graph.node import Node, symbol
from ...graph.rewrite import replaced
from ...models.configuration import difference
from ...models.loops.motors import torque_names
from ...program.array import Array, Shape, inputs, outputs
from ...program.program import Program
from ...robot.robot import Robot
from ..controllers import Controller
from .values import by_name, expressions

Floats = NDArray[np.float64]
TIME = "t"
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
DIRECTIONS = {"both": 0.0, "rising": 1.0, "falling": -1.0}


def state_names(robot: Robot) -> list[str]:
    """Return the names that an expression of time and state can use."""
    positions = [f"q{k}" for k in range(1, len(robot.coordinate_names) + 1)]
    return [TIME, *positions, *(f"qd{k}" for k in range(1, len(robot.velocity_names) + 1))]


def state_program(robot: Robot, name: str, nodes: Sequence[Node], result: str, labels: Sequence[str]) -> Program:
    """Return the Program ``t, q, qd -> result``."""
    q = difference(robot).arguments["q"]
    qd = inputs("qd", robot.velocity_names, "velocities")
    known: dict[str, Array] = {TIME: Array(Shape([]), (symbol(TIME),)), "q": q, "qd": qd}
    by = {symbol(f"{letter}{k}"): node for letter in ("q", "qd") for k, node in enumerate(known[letter].nodes, 1)}
    new = replaced(nodes, by)
    found = [new[node] for node in nodes]
    results = {result: outputs(found, [len(found)], [labels], "")}
    return Program(f"{robot.name}_{name}", known, results)


def torque_law(robot: Robot, table: Table, key: str, efforts: str) -> Controller:
    """Return torques that are numbers or expressions, as a controller."""
    names = torque_names(robot, efforts)
    listed = by_name(table, key, names)
    nodes = expressions(listed, key, len(names), names, state_names(robot))
    return Controller(state_program(robot, "torques", nodes, "tau", names))


def wrench_law(robot: Robot, table: Table) -> Callable[[float, Floats, Floats], Floats]:
    """Return the wrenches of all links as a function of time and state."""
    links = [body.name for body in robot.expanded().bodies]
    table.only(*links)
    each = {
        link: expressions(table, link, len(WRENCH), WRENCH, state_names(robot)) for link in links if link in table.data
    }
    nodes = [node for own in each.values() for node in own]
    labels = [f"{link}.{part}" for link in each for part in WRENCH]
    function = state_program(robot, "wrenches", nodes, "w", labels).compile()
    places = [links.index(link) for link in each]

    def wrenches(t: float, q: Floats, qd: Floats) -> Floats:
        found = np.zeros((len(links), len(WRENCH)))
        found[places] = np.reshape(function(t, q, qd), (len(places), len(WRENCH)))
        return found

    return wrenches


def wrenches_of_time(robot: Robot, table: Table) -> dict[str, Callable[[float], Floats]]:
    """Return the wrenches of links as functions of time, as ``required_torques`` takes them."""
    table.only(*(body.name for body in robot.expanded().bodies))
    return {link: _of_time(expressions(table, link, len(WRENCH), WRENCH, [TIME])) for link in table.data}


def _of_time(nodes: Sequence[Node]) -> Callable[[float], Floats]:
    results = {"w": outputs(nodes, [len(nodes)], [WRENCH], "")}
    function = Program("wrench", {TIME: Array(Shape([]), (symbol(TIME),))}, results).compile()
    return lambda t: np.asarray(function(t))


def event(robot: Robot, table: Table) -> Callable[[float, Floats, Floats], float]:
    """Return an event: a function of time and state whose changes of sign are noted, or stop the simulation."""
    table.only("name", "value", "stop", "direction")
    (node,) = expressions(table, "value", 1, ["value"], state_names(robot))
    function = state_program(robot, "event", [node], "x", ["x"]).compile()

    def watched(t: float, q: Floats, qd: Floats) -> float:
        return float(function(t, q, qd)[0])

    made: Any = watched
    made.__name__ = table.text("name") if "name" in table.data else table.text("value")
    made.terminal = table.flag("stop", False)
    made.direction = DIRECTIONS[table.word("direction", tuple(DIRECTIONS))] if "direction" in table.data else 0.0
    return watched
