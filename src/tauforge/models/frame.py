"""What every model shares: its input arrays and the names of intermediate values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import ProgramError
from ..graph.node import CONST, NEG, SYMBOL, Node, Scalar, as_node, is_zero, symbol
from ..program.program import Array, Program, Shape, inputs, outputs
from ..robot.joint import COORDINATES, passed
from ..robot.robot import NO_WRENCH, WRENCH, Robot
from ..robot.tables import heading
from ..spatial.vector import ZERO, Vector, cross

if TYPE_CHECKING:
    from .inverse_dynamics import Motion


Values = Sequence[Scalar]
"""A joint's coordinates, velocities or accelerations; none of a fixed joint."""


INPUTS = {
    "q": ("joint coordinates (rad, m)", ""),
    "qd": ("joint velocities", "QP"),
    "qdd": ("joint accelerations", "QDP"),
    "tau": ("joint torques (revolute) and forces (prismatic)", "GAM"),
}
"""What models take: each input's meaning, and the field of a joint that may fix it."""


@dataclass(frozen=True)
class State:
    """Coordinates, velocities, accelerations, efforts and external wrenches by joint and link; entry 0 is unused.

    What a model does not take is zero.
    """

    q: Sequence[Values]
    qd: Sequence[Values]
    qdd: Sequence[Values]
    tau: Sequence[Values]
    f: Sequence[Vector]
    m: Sequence[Vector]

    @classmethod
    def zero(cls, robot: Robot, **given: Sequence[Any]) -> State:
        """Return the state that is zero but for what is given."""
        still = [(), *([0.0] * len(joint.axes) for joint in robot.joints)]  # a model that takes no q needs none
        none = [ZERO] * (len(robot.joints) + 1)
        values: dict[str, Any] = {**dict.fromkeys(INPUTS, still), "f": none, "m": none, **given}
        return cls(**values)


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
    robot = robot.expanded()
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


def spread(robot: Robot, entries: Sequence[Scalar], coordinates: bool = False) -> list[Values]:
    """Return velocities or the like, or coordinates, by joint number; a mimic joint's follow from its master's."""
    rest = iter(entries)
    counts = (() if j.mimic else COORDINATES[j.sigma] if coordinates else j.axes for j in robot.joints)
    free = [[next(rest) for _ in own] for own in counts]
    values: list[Values] = [()]
    for own, joint in zip(free, robot.joints, strict=True):
        if joint.mimic:
            x = free[joint.mimic.joint - 1][0] * joint.mimic.ratio
            own = [x + joint.mimic.offset if coordinates else x]
        values.append(own)
    return values


def folded(robot: Robot, values: Sequence[Any]) -> list[Any]:
    """Return what stands for each axis of each joint, gathered by degree of freedom: a mimic joint's goes to its
    master's, times the ratio.
    """
    if not any(joint.mimic for joint in robot.joints):
        return list(values)
    total: list[Any] = [None] * robot.dof
    for (place, ratio), x in zip(robot.degrees, values, strict=True):
        total[place] = x * ratio if total[place] is None else total[place] + x * ratio
    return total


def folded_twice(robot: Robot, rows: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """Return a matrix with a row and a column for each axis of each joint, gathered along both."""
    by_column = [folded(robot, row) for row in rows]
    return [list(row) for row in zip(*(folded(robot, column) for column in zip(*by_column, strict=True)), strict=True)]


def _given(robot: Robot, array: Array, name: str) -> list[Values]:
    """Return an input's scalars by joint number; a joint whose value the description fixes has that one."""
    values, fixed = spread(robot, array.nodes, name == "q"), INPUTS[name][1]
    for j, joint in enumerate(robot.joints, 1):
        given = getattr(joint, fixed) if fixed else None
        if values[j] and not joint.mimic and isinstance(given, Node) and given.op is not SYMBOL:
            values[j] = [given]
    return values


def with_tangent(robot: Robot, q: Array) -> Array:
    """Return the coordinates with how they change with qd: blocks along the diagonal, one for each joint."""
    if all(len(joint.axes) <= 1 for joint in robot.joints):
        return q
    rows: list[list[Scalar]] = []
    first = 0
    for joint, own in zip(robot.joints, spread(robot, q.nodes, coordinates=True)[1:], strict=True):
        if joint.mimic:
            continue
        behind = robot.dof - first - len(joint.axes)
        rows += [[*[0.0] * first, *row, *[0.0] * behind] for row in joint.tangent(own)]
        first += len(joint.axes)
    entries = [x for row in rows for x in row]
    labels = [robot.coordinate_names, robot.velocity_names]
    return replace(q, tangent=outputs(entries, [len(rows), robot.dof], labels, "dq/dt by qd"))


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

    def motion(self, j: int, link: Motion, F: Vector, No: Vector) -> None:
        self.vector("WI", link.WI, j)
        self.vector("W", link.W, j)
        self.vector("WP", link.WP, j)
        for pair, x in zip(("11", "22", "33", "12", "13", "23"), link.DV, strict=True):
            self.put(f"DV{pair}{j}", -x if pair[0] == pair[1] else x)  # ŴŴ has the squares with a minus
        for k, row in enumerate(link.U, 1):
            self.vector(f"U{k}", row, j)
        self.vector("VP", link.VP, j)
        self.vector("F", F, j)
        self.vector("No", No, j)

    def wrench(self, j: int, f: Vector, n: Vector) -> None:
        """Name the wrench of a link with all that it carries: E and N. At a tip these are the link's own F and N."""
        self.vector("E", f, j)
        for k, x in enumerate(n, 1):
            if self.names.get(x) == f"No{k}{j}":
                del self.names[x]
            self.put(f"N{k}{j}", x)


def vector(robot: Robot, values: Sequence[Scalar], meaning: str) -> Array:
    """Return an output with an entry for each degree of freedom, from what stands for each axis of each joint."""
    return outputs(folded(robot, values), [robot.dof], [robot.velocity_names], meaning)


def matrix(robot: Robot, rows: Sequence[Sequence[Scalar]], meaning: str) -> Array:
    """Return an output with a row and a column for each degree of freedom, from what stands for each axis."""
    names = robot.velocity_names
    entries = [x for row in folded_twice(robot, rows) for x in row]
    return outputs(entries, [len(names), len(names)], [names, names], meaning)


def program(
    name: str,
    robot: Robot,
    arrays: dict[str, Array],
    results: dict[str, Array],
    labels: Labels | None = None,
) -> Program:
    """Return a model as a Program, named after the robot and headed by its tables."""
    return Program(f"{robot.name}_{name}", arrays, results, labels.names if labels else {}, partial(heading, robot))
