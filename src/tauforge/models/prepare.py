"""What every model starts with: the robot it uses, its input arrays, and their scalars by joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..errors import ProgramError
from ..graph.node import Node, Scalar, as_node, is_zero, symbol
from ..graph.operations import SYMBOL
from ..program.array import Array, Shape, inputs
from ..robot.body import NO_WRENCH, WRENCH
from ..robot.entries import by_joint
from ..robot.robot import Robot
from ..spatial.screw import UNLOADED, Wrench
from ..spatial.vector import ZERO, Vector, cross
from .coordinates import ALL, INDEPENDENT, Coordinates, check_coordinates, with_tangent
from .loops.cut import check_cuts
from .state import INPUTS, State, Values, at_rest


def prepare(
    robot: Robot,
    wanted: Sequence[str],
    external_wrenches: bool | str = False,
    frames: Sequence[str | None] = (),
    coordinates: str = INDEPENDENT,
) -> tuple[Robot, dict[str, Array], State]:
    """Return the robot for a model to use, with its numbers as nodes, the input arrays, and their scalars by joint.

    In that robot, the constant frames that the model asks for are links. ``coordinates`` says whether the degrees of
    freedom are those of the loops or those of the tree.
    """
    check_coordinates(coordinates)
    if external_wrenches not in (True, False, "robot"):
        raise ProgramError(f"external_wrenches is {external_wrenches!r}; it must be True, False or 'robot'")
    robot = robot.expanded()
    if external_wrenches != "robot":
        robot = robot.derived(bodies=tuple(replace(body, wrench=NO_WRENCH) for body in robot.bodies))
    robot = robot.with_frames(*frames).map(as_node)
    arrays, state = _inputs(robot, wanted, coordinates)
    exerted = [Wrench.of(body.wrench) for body in robot.bodies]
    if external_wrenches is True:
        arrays["wrenches"] = _wrenches(robot)
        nodes = arrays["wrenches"].nodes
        given = (Wrench.of(nodes[k : k + 6]) for k in range(0, len(nodes), 6))
        exerted = [_in_own_frame(robot, j, wrench) for j, wrench in enumerate(given, 1)]
    if "q" in arrays:
        exerted = [own + lift for own, lift in zip(exerted, _lifts(robot, state.q), strict=True)]
    f, m = ([ZERO, *(wrench[k] for wrench in exerted)] for k in range(2))
    return robot, arrays, replace(state, f=f, m=m)


def _inputs(robot: Robot, wanted: Sequence[str], all_of_them: str) -> tuple[dict[str, Array], State]:
    """Return the input arrays, and their scalars for each joint."""
    q = inputs("q", robot.coordinate_names, INPUTS["q"][0])
    given: dict[str, Sequence[Any]] = {"q": by_joint(robot, q.nodes) if "q" in wanted else at_rest(robot)}
    coordinates = Coordinates.of_tree(robot) if all_of_them == ALL else Coordinates.of(robot, given["q"])
    if robot.loops:
        check_cuts(robot, coordinates)
    made = {name: inputs(name, coordinates.names, INPUTS[name][0]) for name in wanted if name != "q"}
    values = {name: entries(robot, coordinates, array, name) for name, array in made.items()}
    if "qd" in values:
        given["qd"] = coordinates.velocities(values["qd"])
    if "qdd" in values or ("qd" in values and coordinates.drift):
        still = [0.0] * len(coordinates.names)
        given["qdd"] = coordinates.accelerations(values.get("qdd", still), given["qd"])
    if "tau" in values:
        given["tau"] = values["tau"]
    arrays = {name: with_tangent(robot, coordinates, q) if name == "q" else made[name] for name in wanted}
    return arrays, State.zero(robot, coordinates, **given)


def entries(robot: Robot, coordinates: Coordinates, array: Array, name: str) -> list[Scalar]:
    """Return an input's scalars by degree of freedom, or the value that the description prescribes."""
    found: list[Scalar] = []
    own = coordinates.own(array.nodes)
    for j in coordinates.independent:
        fixed = getattr(robot.joints[j - 1], INPUTS[name][1]) if own[j] else None
        found += [fixed] if isinstance(fixed, Node) and fixed.op is not SYMBOL else own[j]
    return found


def _wrenches(robot: Robot) -> Array:
    links = [body.name for body in robot.bodies]
    nodes = tuple(symbol(f"wrenches[{i}]") for i in range(6 * len(links)))
    shape = Shape([len(links), 6], [links, WRENCH])
    return Array(shape, nodes, "wrench that each link exerts on its surroundings, in its frame and at its origin")


def _lifts(robot: Robot, q: Sequence[Values]) -> list[Wrench]:
    """Return the wrench that each link exerts for the part of it on which gravity does not act."""
    if all(is_zero(x) for body in robot.bodies for x in body.lift):
        return [UNLOADED] * len(robot.bodies)
    g = [robot.gravity]
    wrenches = []
    for joint, body, own in zip(robot.joints, robot.bodies, q[1:], strict=True):
        g.append(joint.pose(own).R.back(g[joint.antecedent]))
        *moments, mass = body.lift
        lifted = any(not is_zero(x) for x in body.lift)
        wrenches.append(Wrench(g[-1] * mass, cross(Vector(*moments), g[-1])) if lifted else UNLOADED)
    return wrenches


def _in_own_frame(robot: Robot, number: int, wrench: Wrench) -> Wrench:
    """Return a wrench on a link in the link's own frame, given in the frame that the link's name means."""
    for frame in robot.frames:
        if frame.antecedent == number and frame.name == robot.bodies[number - 1].name:
            return wrench.inward(frame.pose())
    return wrench
