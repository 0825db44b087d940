"""What every model starts with: the robot it uses, its input arrays, and their scalars by joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..errors import ProgramError
from ..graph.node import SYMBOL, Node, as_node, is_zero, symbol
from ..program.program import Array, Shape, inputs
from ..robot.joint import passed
from ..robot.robot import NO_WRENCH, WRENCH, Robot
from ..spatial.vector import ZERO, Vector, cross
from .choices import with_parameters
from .coordinates import spread, with_tangent
from .state import INPUTS, State, Values


def prepare(
    robot: Robot,
    parameters: str,
    wanted: Sequence[str],
    external_wrenches: bool | str = False,
    frames: Sequence[str | None] = (),
) -> tuple[Robot, dict[str, Array], State]:
    """Return the robot that a model is to use, its numbers as nodes, the input arrays, and their scalars by joint.

    Constant frames that the model asks for are links of that robot.
    """
    if robot.loops:
        raise ProgramError(f"{robot.name} has closed loops; their models are not here yet. robot.tree() opens them")
    if external_wrenches not in (True, False, "robot"):
        raise ProgramError(f"external_wrenches is {external_wrenches!r}; it may be True, False or 'robot'")
    robot = with_parameters(robot, parameters).expanded()
    if external_wrenches != "robot":
        robot = robot.derived(bodies=tuple(replace(body, wrench=NO_WRENCH) for body in robot.bodies))
    robot = robot.with_frames(*frames).map(as_node)
    labels = {name: robot.coordinate_names if name == "q" else robot.velocity_names for name in wanted}
    arrays = {name: inputs(name, labels[name], INPUTS[name][0]) for name in wanted}
    if "q" in arrays:
        arrays["q"] = with_tangent(robot, arrays["q"])
    given: dict[str, Sequence[Any]] = {name: _given(robot, arrays[name], name) for name in wanted}
    exerted = [(Vector(*body.wrench[:3]), Vector(*body.wrench[3:])) for body in robot.bodies]
    if external_wrenches is True:
        arrays["wrenches"] = _wrenches(robot)
        nodes = arrays["wrenches"].nodes
        exerted = [(Vector(*nodes[k : k + 3]), Vector(*nodes[k + 3 : k + 6])) for k in range(0, len(nodes), 6)]
        exerted = [_in_own_frame(robot, j, *wrench) for j, wrench in enumerate(exerted, 1)]
    if "q" in given:
        exerted = [(f + F, m + N) for (f, m), (F, N) in zip(exerted, _lifts(robot, given["q"]), strict=True)]
    given["f"] = [ZERO, *(f for f, _ in exerted)]
    given["m"] = [ZERO, *(m for _, m in exerted)]
    return robot, arrays, State.zero(robot, **given)


def _given(robot: Robot, array: Array, name: str) -> list[Values]:
    """Return an input's scalars by joint number; a joint whose value the description fixes has that one."""
    values, fixed = spread(robot, array.nodes, name == "q"), INPUTS[name][1]
    for j, joint in enumerate(robot.joints, 1):
        given = getattr(joint, fixed) if fixed else None
        if values[j] and not joint.mimic and isinstance(given, Node) and given.op is not SYMBOL:
            values[j] = [given]
    return values


def _wrenches(robot: Robot) -> Array:
    links = [body.name for body in robot.bodies]
    nodes = tuple(symbol(f"wrenches[{i}]") for i in range(6 * len(links)))
    shape = Shape([len(links), 6], [links, WRENCH])
    return Array(shape, nodes, "wrench that each link exerts on its surroundings, in its frame at its origin")


def _lifts(robot: Robot, q: Sequence[Values]) -> list[tuple[Vector, Vector]]:
    """Return what carries a part of each link against gravity, as the wrench that the link exerts for it."""
    none = (ZERO, ZERO)
    if all(is_zero(x) for body in robot.bodies for x in body.lift):
        return [none] * len(robot.bodies)
    g = [robot.gravity]
    wrenches = []
    for joint, body, own in zip(robot.joints, robot.bodies, q[1:], strict=True):
        g.append(joint.pose(own).R.back(g[joint.antecedent]))
        *moments, mass = body.lift
        lifted = any(not is_zero(x) for x in body.lift)
        wrenches.append((g[-1] * mass, cross(Vector(*moments), g[-1])) if lifted else none)
    return wrenches


def _in_own_frame(robot: Robot, number: int, f: Vector, m: Vector) -> tuple[Vector, Vector]:
    """Return a wrench on a link, given in the frame that its name means, in the link's own one."""
    for frame in robot.frames:
        if frame.antecedent == number and frame.name == robot.bodies[number - 1].name:
            return passed(frame.pose(), f, m)
    return f, m
