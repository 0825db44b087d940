"""Closed loops: the equations that hold the two sides of each cut together, and the motions that they leave.

A loop is cut at a joint. Frame A, on one link, is the frame of that joint at zero, and frame B, on the other link, is
what the joint would carry. Seen from A, the motion of B is one of the joint's own. What the joint does not allow is
zero: J q̇_tree = 0. With the joints in two parts, independent (a) and dependent (p):

    q̇_p = G_p q̇_a,  J_p G_p = -J_a,    and    J_p (Ġ_p q̇_a) = -J̇ q̇_tree    (Khalil 2010, (51)-(56))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from ..errors import ProgramError
from ..graph.node import Scalar, as_node, is_zero
from ..program.program import Program, inputs, outputs
from ..robot.body import Body
from ..robot.entries import by_joint
from ..robot.joint import Joint
from ..robot.kinds import FIXED, KINDS
from ..robot.loop import Loop
from ..robot.robot import Robot
from ..spatial.least_squares import blocks
from ..spatial.screw import STILL, Twist
from ..spatial.vector import UNITS, ZERO, Matrix, Vector, column, cross, times
from .coordinates import Coordinates, Row
from .inertia_matrix import first_degrees
from .jacobian import levers, spins
from .results import program
from .routes import Route, orientations, path, poses_of
from .state import INPUTS, State, Values

POINT, TURN = (0, 1, 2), (3, 4, 5)
"""Components of a relative motion: linear, angular."""
HELD = {
    "revolute": (*POINT, 3, 4),
    "prismatic": (0, 1, *TURN),
    "spherical": POINT,
    "universal": POINT,
    "fixed": (*POINT, *TURN),
    "planar": (2, 3, 4),
    "floating": (),
}
"""What a cut joint of each kind does not allow, in the axes of frame A; a universal joint has one more."""


@dataclass(frozen=True)
class Sides:
    """The two sides of a cut.

    Attributes
    ----------
    loop
        The loop.
    a
        Number of the link that represents its first frame.
    b
        Number of the link that represents its second frame.
    """

    loop: Loop
    a: int
    b: int

    @property
    def held(self) -> tuple[int, ...]:
        """The components of the relative motion that are zero."""
        kind = self.loop.joint.kind.word
        if kind not in HELD:
            raise ProgramError(
                f"the loop {self.loop.joint.name!r} is cut at a {kind} joint; cut it at another of its joints"
            )
        return HELD[kind]

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the equations."""
        more = ("across",) if self.loop.joint.kind.word == "universal" else ()
        return (*(("x", "y", "z", "rx", "ry", "rz")[k] for k in self.held), *more)


Across = tuple[list[Scalar], list[Scalar]]
"""How the angle between the axes of a universal joint changes with a relative motion, and the rate of that."""


class Part(NamedTuple):
    """What one axis on the way from A to B gives frame B, seen from A; and its rate."""

    axis: int
    motion: Twist
    rate: Twist


def with_sides(robot: Robot) -> tuple[Robot, list[Sides]]:
    """Return the tree with the frames of all cuts as links without inertia, the last ones."""
    joints, count = list[Joint](), len(robot.joints)
    sides = []
    for loop in robot.loops:
        joints += [loop.joint.as_kind(KINDS[FIXED]), loop.frame]
        sides.append(Sides(loop, count + len(joints) - 1, count + len(joints)))
    bodies = tuple(Body(name=joint.name) for joint in joints)
    return robot.derived(joints=(*robot.joints, *joints), bodies=(*robot.bodies, *bodies), loops=()), sides


def errors(robot: Robot, q: Sequence[Values]) -> tuple[list[list[Scalar]], list[Scalar]]:
    """Return what is left open at each loop, zero where it is closed; and 1 - cos of the turn between the frames.

    The errors of frames whose axes must agree vanish after half a turn too, which only that cosine shows.
    """
    whole, sides = with_sides(robot)
    poses = poses_of(whole, _state(whole, q))
    found, turns = list[list[Scalar]](), list[Scalar]()
    for side in sides:
        way = Route.between(whole, poses, side.b, side.a)
        p, (x, y, z) = way.point(ZERO), (way.direction(unit) for unit in UNITS)
        turned = _half(y[2] - z[1], z[0] - x[2], x[1] - y[0]) if 5 in side.held else Vector(-z[1], z[0], 0.0)
        six = (*p, *turned)
        found.append([six[k] for k in side.held])
        if side.loop.joint.kind.word == "universal":
            found[-1].append(x[2])
        if 5 in side.held:
            turns.append((3.0 - x[0] - y[1] - z[2]) * 0.5)
    return found, turns


def rows(
    robot: Robot, q: Sequence[Values], qd: Sequence[Values] | None = None, whole: bool = False
) -> tuple[list[Row], list[Row]]:
    """Return the rows of J and of J̇ for all loops, by axis; those that are zero are left out unless all are wanted."""
    tree, sides = with_sides(robot)
    state = _state(tree, q, qd)
    J: list[Row] = []
    rate: list[Row] = []
    for side in sides:
        parts, across = relative(tree, state, side)
        picks: list[Across] = [(_unit(k), [0.0] * 6) for k in side.held]
        if side.loop.joint.kind.word == "universal":
            picks.append(across)
        for weights, changing in picks:
            row = {part.axis: _weighed(weights, part.motion) for part in parts}
            if not whole and all(is_zero(x) for x in row.values()):
                continue
            J.append({axis: x for axis, x in row.items() if not is_zero(x)})
            rate.append(
                {part.axis: _weighed(weights, part.rate) + _weighed(changing, part.motion) for part in parts}
                if qd is not None
                else {}
            )
    return J, rate


def loop_closure(robot: Robot) -> Program:
    """Return the Program ``q -> error, J, turn``: what is left open at each loop, and its derivative along every axis.

    ``error`` is zero where the loops are closed. Where the axes of two frames must agree, it is zero after half a turn
    too, which ``turn``, 1 - cos of the angle between them, tells apart. The rows of ``J`` are the loops' equations, a
    column for each axis of the tree: J q̇ = 0 for the velocities of all joints.
    """
    if not robot.loops:
        raise ProgramError(f"{robot.name} has no closed loops")
    robot = robot.expanded().map(as_node)
    arrays = {"q": inputs("q", robot.coordinate_names, INPUTS["q"][0])}
    q = by_joint(robot, arrays["q"].nodes)
    tree = Coordinates.of_tree(robot)
    labels = [f"{side.loop.joint.name}.{name}" for side in with_sides(robot)[1] for name in side.labels]
    by_loop, turns = errors(robot, q)
    error = [x for own in by_loop for x in own]
    turned = [side.loop.joint.name for side in with_sides(robot)[1] if 5 in side.held]
    J = [tree.gathered(list(_filled(row, sum(tree.widths)))) for row in rows(robot, q, whole=True)[0]]
    results = {
        "error": outputs(error, [len(error)], [labels], "what is left open at each loop"),
        "J": outputs([x for row in J for x in row], [len(J), len(tree.names)], [labels, tree.names], "its derivative"),
        "turn": outputs(turns, [len(turns)], [turned], "1 - cos of the angle between frames whose axes must agree"),
    }
    return program("loop_closure", robot, arrays, results)


def _filled(row: Row, count: int) -> Iterator[Scalar]:
    return (row.get(axis, 0.0) for axis in range(count))


def relative(robot: Robot, state: State, side: Sides) -> tuple[list[Part], Across]:
    """Return what each axis between A and B gives frame B, seen from A; and how the axes of a universal joint turn."""
    poses = poses_of(robot, state)
    R, W = orientations(robot, poses, side.a), spins(robot, poses, state, side.a)
    first, second = path(robot, side.a), path(robot, side.b)
    common = set(first) & set(second)
    down, up = [j for j in reversed(first) if j not in common], [j for j in second if j not in common]
    meets = set(POINT) <= set(side.held)  # so that the levers of the joints before A may end at A
    near, far = levers(robot, poses, R, side.a, ZERO), levers(robot, poses, R, side.b, ZERO)
    places, found, passed = first_degrees(robot), list[Part](), ZERO
    for j in down:
        own = _columns(robot, state, R, j, near[j] if meets else far[j], -1.0, places)
        u = -passed
        found += [_rated(part, W[j], u) for part in own]
        passed = passed + _speed(own, state, j)
    rest = [_columns(robot, state, R, j, far[j], 1.0, places) for j in up]
    u = ZERO
    behind = list[Part]()
    for j, own in zip(reversed(up), reversed(rest), strict=True):
        behind[:0] = [_rated(part, W[j], u) for part in own]
        u = u + _speed(own, state, j)
    if not meets:  # B moves, seen from A: the velocity of B against a link before A has that part too
        total = passed + u
        found = [part._replace(rate=part.rate + Twist(cross(part.motion.w, total), ZERO)) for part in found]
    x = column(R[side.b], 0)
    turning = cross(W[side.b], x)
    across = ([0.0, 0.0, 0.0, x[1], -x[0], 0.0], [0.0, 0.0, 0.0, turning[1], -turning[0], 0.0])
    return [*found, *behind], across


def closed(robot: Robot, q: Sequence[Values], tree: Coordinates) -> Coordinates:
    """Return the map of a robot with closed loops from that of its tree, whose degrees of freedom are the axes."""
    free = [tree.names.index(name) for name in robot.velocity_names]
    dependent = [place for place in range(len(tree.names)) if place not in set(free)]
    J = [tree.gathered_some(row) for row in rows(robot, q)[0]]
    parts = blocks(J, dependent)

    def solved(b: Sequence[Scalar]) -> dict[int, Scalar]:
        return {name: x for part in parts for name, x in part.solved(b, partial(_check, robot)).items()}

    found: dict[int, dict[int, Scalar]] = {place: {k: 1.0} for k, place in enumerate(free)}
    found |= {place: {} for place in dependent}
    for k, place in enumerate(free):
        for name, x in solved([-row.get(place, 0.0) for row in J]).items():
            if not is_zero(x):
                found[name][k] = x
    G = _by_axis(tree, found)

    def rate(joints: Sequence[Values]) -> list[Row]:
        changing = [tree.gathered_some(row) for row in rows(robot, q, joints)[1]]
        made: dict[int, dict[int, Scalar]] = {place: {} for place in range(len(tree.names))}
        for k in range(len(free)):
            b = [-_product(row, {place: own[k] for place, own in found.items() if k in own}) for row in changing]
            for name, x in solved(b).items():
                if not is_zero(x):
                    made[name][k] = x
        return list(_by_axis(tree, made))

    def drift(joints: Sequence[Values]) -> Values:
        axes = [x for own in joints for x in own]
        b = [-_product(row, dict(enumerate(axes))) for row in rows(robot, q, joints)[1]]
        made = solved(b)
        return [_product(row, made) for row in _rows_of(tree)]

    owned = _owned(robot, tree, free)
    return Coordinates(robot.velocity_names, tree.widths, owned[0], G, rate, drift, owned[1])


def _by_axis(tree: Coordinates, by_degree: Mapping[int, Mapping[int, Scalar]]) -> tuple[Row, ...]:
    """Return rows by the tree's degrees of freedom as rows by axis: those of joints that follow others too."""
    if tree.G is None:
        return tuple(dict(by_degree[axis]) for axis in range(len(tree.names)))
    return tuple(
        {k: x * factor for place, factor in row.items() for k, x in by_degree[place].items()} for row in tree.G
    )


def _rows_of(tree: Coordinates) -> Sequence[Row]:
    return tree.G if tree.G is not None else [{place: 1.0} for place in range(len(tree.names))]


def _owned(robot: Robot, tree: Coordinates, free: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the joints that have degrees of freedom, in the order of these, and how many each joint has."""
    joint_of = [j for j in tree.independent for _ in range(tree.widths[j - 1])]
    order = tuple(dict.fromkeys(joint_of[place] for place in free))
    counts = Counter(joint_of[place] for place in free)
    return order, tuple(counts[j] for j in range(1, len(robot.joints) + 1))


def _check(robot: Robot, divisor: Scalar) -> None:
    if is_zero(divisor):
        raise ProgramError(
            f"{robot.name}: the independent joints {', '.join(robot.independent)} do not determine the others: "
            "the loops are singular wherever they are closed"
        )


def _columns(
    robot: Robot, state: State, R: Sequence[Matrix], j: int, L: Vector, sign: float, places: Sequence[int]
) -> list[Part]:
    """Return what the axes of a joint give B, seen from A, and what their motion in the link's frame adds."""
    kind = robot.joints[j - 1].kind
    screws, moved = kind.screws(state.q[j]), kind.screw_rates(state.q[j], state.qd[j])
    return [
        Part(places[j] + k, _seen(s, R[j], L, sign), _seen(moved[k], R[j], L, sign) if moved else STILL)
        for k, s in enumerate(screws)
    ]


def _seen(s: Twist, R: Matrix, L: Vector, sign: float) -> Twist:
    v, w = times(R, s.v), times(R, s.w)
    made = Twist(v + cross(w, L), w)
    return made if sign > 0 else Twist(-made.v, -made.w)


def _rated(part: Part, W: Vector, u: Vector) -> Part:
    """Return a part with its rate, W being the angular velocity of its link and u the velocity of B against it."""
    v, w = part.motion
    return part._replace(rate=Twist(cross(W, v) + cross(w, u), cross(W, w)) + part.rate)


def _speed(own: Sequence[Part], state: State, j: int) -> Vector:
    """Return the velocity that a joint gives B."""
    total = ZERO
    for part, x in zip(own, state.qd[j], strict=True):
        total = total + part.motion.v * x
    return total


def _state(robot: Robot, q: Sequence[Values], qd: Sequence[Values] | None = None) -> State:
    """Return the state of a tree to which links without freedom have been added."""
    more = [()] * (len(robot.joints) + 1 - len(q))
    given = {"q": [*q, *more]} | ({"qd": [*qd, *more]} if qd is not None else {})
    return State.zero(robot, Coordinates.of_tree(robot), **given)


def _unit(k: int) -> list[Scalar]:
    return [float(i == k) for i in range(6)]


def _weighed(weights: Sequence[Scalar], motion: Twist) -> Scalar:
    total: Scalar = 0.0
    for a, x in zip(weights, (*motion.v, *motion.w), strict=True):
        if not is_zero(a):
            total = total + x * a
    return total


def _product(row: Row, values: Mapping[int, Scalar]) -> Scalar:
    total: Scalar = 0.0
    for place, x in row.items():
        if place in values:
            total = total + x * values[place]
    return total


def _half(*parts: Scalar) -> Vector:
    return Vector(*(x * 0.5 for x in parts))
