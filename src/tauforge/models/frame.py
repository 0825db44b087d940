"""What every model shares: its input arrays and the names of intermediate values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..errors import ProgramError
from ..graph.node import CONST, NEG, SYMBOL, Node, Scalar, as_node, symbol
from ..program.program import Array, Shape, inputs
from ..robot.robot import NO_WRENCH, WRENCH, Robot
from ..spatial.vector import ZERO, Vector

if TYPE_CHECKING:
    from .inverse_dynamics import Motion


Values = Sequence[Scalar]
"""A joint's coordinates, velocities or accelerations; none of a fixed joint."""


@dataclass(frozen=True)
class Motions:
    """Coordinates, velocities, accelerations and external wrenches of joints and links 1 to n; entry 0 is unused."""

    q: Sequence[Values]
    qd: Sequence[Values]
    qdd: Sequence[Values]
    f: Sequence[Vector]
    m: Sequence[Vector]


def prepare(
    robot: Robot, parameters: str, formulation: str, external_wrenches: bool | str
) -> tuple[Robot, dict[str, Array], Motions]:
    """Return the robot that a model is to use, its numbers as nodes, the input arrays, and their scalars by joint."""
    if robot.loops:
        raise ProgramError(f"{robot.name} has closed loops; their models are not here yet. robot.tree() opens them")
    if robot.base.floating:
        raise ProgramError(f"{robot.name} has a floating base; its models are not here yet")
    if formulation != "newton-euler":
        raise ProgramError(f"unknown formulation {formulation!r}; there is 'newton-euler'")
    if external_wrenches not in (True, False, "robot"):
        raise ProgramError(f"external_wrenches is {external_wrenches!r}; it may be True, False or 'robot'")
    robot = with_parameters(robot, parameters)
    if external_wrenches != "robot":
        robot = replace(robot, bodies=tuple(replace(body, wrench=NO_WRENCH) for body in robot.bodies))
    robot = robot.map(as_node)
    names = robot.joint_names
    arrays = {
        "q": inputs("q", names, "joint coordinates (rad, m)"),
        "qd": inputs("qd", names, "joint velocities"),
        "qdd": inputs("qdd", names, "joint accelerations"),
    }
    count = len(robot.joints)
    f, m = [ZERO] * (count + 1), [ZERO] * (count + 1)
    if external_wrenches is True:
        arrays["wrenches"] = _wrenches(robot)
        given = arrays["wrenches"].nodes
    else:
        given = tuple(as_node(x) for body in robot.bodies for x in body.wrench)
    for j in range(count):
        f[j + 1], m[j + 1] = Vector(*given[6 * j : 6 * j + 3]), Vector(*given[6 * j + 3 : 6 * j + 6])
    q, qd, qdd = (_spread(robot, arrays[key], fixed) for key, fixed in (("q", ""), ("qd", "QP"), ("qdd", "QDP")))
    return robot, arrays, Motions(q, qd, qdd, f, m)


def _spread(robot: Robot, array: Array, fixed: str) -> list[Values]:
    """Return an input's scalars by joint number; a joint whose value the description fixes has that one."""
    nodes = iter(array.nodes)
    values: list[Values] = [()]
    for joint in robot.joints:
        own = [next(nodes) for _ in joint.axes]
        given = getattr(joint, fixed) if fixed else None
        values.append([given] if own and isinstance(given, Node) and given.op is not SYMBOL else own)
    return values


def _wrenches(robot: Robot) -> Array:
    links = [body.name for body in robot.bodies]
    nodes = tuple(symbol(f"wrenches[{i}]") for i in range(6 * len(links)))
    shape = Shape([len(links), 6], [links, WRENCH])
    return Array(shape, nodes, "wrench that each link exerts on its surroundings, in its frame at its origin")


def with_parameters(robot: Robot, parameters: str) -> Robot:
    """Return the robot with the inertial parameters that a model is asked to use."""
    if parameters == "standard":
        return robot
    if parameters != "base":
        raise ProgramError(f"parameters is {parameters!r}; it may be 'standard' or 'base'")
    from ..parameters.base import base_parameters

    return base_parameters(robot).robot


@dataclass
class Labels:
    """Collects the papers' names of intermediate values: WI12 is component 1 of WI of link 2."""

    names: dict[Node, str] = field(default_factory=dict)

    def put(self, name: str, x: Any) -> None:
        if isinstance(x, Node) and x.op not in (CONST, SYMBOL) and not (x.op is NEG and x.args[0].op is SYMBOL):
            self.names.setdefault(x, name)

    def vector(self, name: str, v: Vector, j: int) -> None:
        for k, x in enumerate(v, 1):
            self.put(f"{name}{k}{j}", x)

    def motion(self, j: int, link: Motion, F: Vector, N: Vector) -> None:
        self.vector("WI", link.WI, j)
        self.vector("W", link.W, j)
        self.vector("WP", link.WP, j)
        for pair, x in zip(("11", "22", "33", "12", "13", "23"), link.DV, strict=True):
            self.put(f"DV{pair}{j}", x)
        for k, row in enumerate(link.U, 1):
            self.vector(f"U{k}", row, j)
        self.vector("VP", link.VP, j)
        self.vector("F", F, j)
        self.vector("No", N, j)

    def wrench(self, j: int, f: Vector, n: Vector) -> None:
        """Name the wrench of a link with all that it carries: E and N. At a tip these are the link's own F and N."""
        self.vector("E", f, j)
        for k, x in enumerate(n, 1):
            if self.names.get(x) == f"No{k}{j}":
                del self.names[x]
            self.put(f"N{k}{j}", x)
