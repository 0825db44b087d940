"""Closed loops: the equations that hold the two sides of each cut together.

A loop is cut at a joint. Frame A, on one link, is the frame of that joint at zero, and frame B, on the other link, is
what the joint would carry. Seen from A, the motion of B is one of the joint's own. What the joint does not allow is
zero: J q̇_tree = 0. The map that follows is in loop_map.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ...errors import ProgramError
from ...graph.node import Scalar, as_node, is_zero
from ...program.array import inputs, outputs
from ...program.program import Program
from ...robot.body import Body
from ...robot.entries import by_joint
from ...robot.joint import Joint
from ...robot.kinds import FIXED, KINDS
from ...robot.loop import Loop
from ...robot.robot import Robot
from ...spatial.pose import Pose
from ...spatial.screw import STILL, Twist
from ...spatial.vector import UNITS, ZERO, Matrix, Vector, column, cross, times
from ..coordinates import Coordinates, Row
from ..inertia_matrix import first_degrees
from ..jacobian import levers, spins
from ..registry import check_robot
from ..results import program
from ..routes import Route, orientations, path, poses_of
from ..state import INPUTS, State, Values

POINT, TURN = (0, 1, 2), (3, 4, 5)
"""Components of a relative motion: linear, angular."""


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
        """The components of the relative motion that are zero, in the axes of frame A."""
        joint = self.loop.joint
        if joint.kind.held is None:
            raise ProgramError(
                f"the loop {joint.name!r} is cut at a {joint.kind.word} joint; cut it at another of its joints"
            )
        return joint.kind.held

    @property
    def crossed(self) -> bool:
        """Whether z of A and x of B stay perpendicular too, as in a universal joint."""
        return self.loop.joint.kind.crossed

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the equations."""
        more = ("across",) if self.crossed else ()
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


class Gap(NamedTuple):
    """What is left open at a loop.

    Attributes
    ----------
    parts
        What is zero where the loop is closed, as ``Sides.held`` has it: lengths, then sines of angles.
    cosine
        Cosine of the whole angle; one where no direction is held.
    """

    parts: list[Scalar]
    cosine: Scalar


def gaps(robot: Robot, q: Sequence[Values]) -> list[Gap]:
    """Return what is left open at each loop."""
    whole, sides = with_sides(robot)
    poses, found = poses_of(whole, _state(whole, q)), []
    for side in sides:
        way = Route.between(whole, poses, side.b, side.a)
        p, (x, y, z) = way.point(ZERO), (way.direction(unit) for unit in UNITS)
        cosine: Scalar = 1.0
        if 5 in side.held:
            turned, cosine = _half(y[2] - z[1], z[0] - x[2], x[1] - y[0]), (x[0] + y[1] + z[2] - 1.0) * 0.5
        elif 3 in side.held:
            turned, cosine = Vector(-z[1], z[0], 0.0), z[2]
        else:
            turned = ZERO
        six = (*p, *turned)
        more = [x[2]] if side.crossed else []
        found.append(Gap([*(six[k] for k in side.held), *more], cosine))
    return found


def turning(robot: Robot) -> list[list[int]]:
    """Return for each loop the places, among all errors, of those that are sines of angles."""
    at, found = 0, []
    for side in with_sides(robot)[1]:
        found.append([at + i for i, k in enumerate(side.held) if k in TURN])
        at += len(side.labels)
    return found


def rows(
    robot: Robot, q: Sequence[Values], qd: Sequence[Values] | None = None, whole: bool = False
) -> tuple[list[Row], list[Row]]:
    """Return the rows of J and of J̇ for all loops, by axis; those that are zero are left out unless all are wanted."""
    tree, sides = with_sides(robot)
    state, firsts = _state(tree, q, qd), first_degrees(tree)
    poses = poses_of(tree, state)
    J: list[Row] = []
    rate: list[Row] = []
    for side in sides:
        parts, across = relative(tree, state, poses, side, firsts)
        picks: list[Across] = [(_unit(k), [0.0] * 6) for k in side.held]
        if side.crossed:
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
    """Return the Program ``q -> error, cosine, J``: what is left open at each loop, and its slope along every axis.

    ``error`` is zero where the loops are closed; ``cosine`` is then one for each loop. The rows of ``J`` are the loops'
    equations, a column for each axis of the tree: J q̇ = 0 for the velocities of all joints.
    """
    check_robot(robot)
    if not robot.loops:
        raise ProgramError(f"{robot.name} has no closed loops")
    robot = robot.expanded().map(as_node)
    arrays = {"q": inputs("q", robot.coordinate_names, INPUTS["q"][0])}
    q = by_joint(robot, arrays["q"].nodes)
    tree = Coordinates.of_tree(robot)
    labels = [f"{side.loop.joint.name}.{name}" for side in with_sides(robot)[1] for name in side.labels]
    found = gaps(robot, q)
    error, cosine = [x for gap in found for x in gap.parts], [gap.cosine for gap in found]
    loops = [loop.joint.name for loop in robot.loops]
    J = [tree.gathered(list(_filled(row, sum(tree.widths)))) for row in rows(robot, q, whole=True)[0]]
    results = {
        "error": outputs(error, [len(error)], [labels], "what is left open at each loop"),
        "cosine": outputs(cosine, [len(loops)], [loops], "cosine of the angle that is left open"),
        "J": outputs([x for row in J for x in row], [len(J), len(tree.names)], [labels, tree.names], "its derivative"),
    }
    return program("loop_closure", robot, arrays, results)


def _filled(row: Row, count: int) -> Iterator[Scalar]:
    return (row.get(axis, 0.0) for axis in range(count))


class Way(NamedTuple):
    """The links between the two sides of a cut, as a robot of their own on their common ancestor."""

    robot: Robot
    state: State
    side: Sides
    numbers: list[int]  # of its links in the whole robot
    down: list[int]  # its links from A to the ancestor
    up: list[int]  # and from there to B

    @classmethod
    def of(cls, robot: Robot, state: State, side: Sides) -> Way:
        first, second = path(robot, side.a), path(robot, side.b)
        common = set(first) & set(second)
        first, second = ([j for j in links if j not in common] for links in (first, second))
        numbers = [*first, *second]
        new = {j: k for k, j in enumerate(numbers, 1)}
        joints = [robot.joints[j - 1] for j in numbers]
        own = robot.derived(joints=tuple(replace(x, antecedent=new.get(x.antecedent, 0)) for x in joints))
        q, qd = ([(), *(values[j] for j in numbers)] for values in (state.q, state.qd))
        ends = Sides(side.loop, new[side.a], new[side.b])
        down, up = [new[j] for j in reversed(first)], [new[j] for j in second]
        return cls(own, replace(state, q=q, qd=qd), ends, numbers, down, up)


def relative(
    whole: Robot, all_of_it: State, all_poses: Sequence[Pose], between: Sides, firsts: Sequence[int]
) -> tuple[list[Part], Across]:
    """Return what each axis between A and B gives frame B, seen from A; and how the axes of a universal joint turn.

    ``firsts`` has the place of each joint's first axis among all.
    """
    robot, state, side, numbers, down, up = Way.of(whole, all_of_it, between)
    poses = [all_poses[j - 1] for j in numbers]
    R, W = orientations(robot, poses, side.a), spins(robot, poses, state, side.a)
    meets = set(POINT) <= set(side.held)  # so that the levers of the joints before A may end at A
    near, far = levers(robot, poses, R, side.a, ZERO), levers(robot, poses, R, side.b, ZERO)
    places, found, passed = [0, *(firsts[j] for j in numbers)], list[Part](), ZERO
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


def _half(*parts: Scalar) -> Vector:
    return Vector(*(x * 0.5 for x in parts))
