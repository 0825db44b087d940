"""The equations of motion as the compiled methods need them: Programs of one flat state.

``rates`` is the time derivative of the state. ``factor`` and ``solve`` are the linear equations of a stiff method,
(1 - c J) x = b with the exact Jacobian J: the first eliminates, the second substitutes. ``settle`` brings a state back
to its manifold, and says how well its coordinates describe it. ``conserved`` tells what only work changes. The state
holds q, qd, the integral of a controller, and last the work of all that is not in the energy, on which nothing depends.
In all coordinates, the rates are those of the state as it is. Otherwise, as in ``system``, they are those of the
state with unit quaternions and closed loops, whatever error a method makes beside the manifold; near it, two Newton
steps close loops to rounding.

The rows of the velocities are multiplied by the inertia matrix M, so that the slopes are those of inverse dynamics,
which cost half as much. The elimination needs no exchange of rows. Coordinates come first; what then remains is M + c B
+ c² A, where friction, springs and joint controllers add positive entries to the diagonals of A and B. Where it fails,
the estimated error is large, the step shrinks, and the matrix comes closer to M.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from ..geometry.close_loops import QUATERNION
from ..graph.functions import absolute, sqrt
from ..graph.node import ONE, ZERO, Node, as_node, symbol
from ..graph.operations import CONST, NEG
from ..graph.rewrite import replaced
from ..models.configuration import NEWTON_STEPS, closed_again
from ..models.inertia_matrix import inertia_matrix
from ..models.inverse_dynamics import inverse_dynamics
from ..models.loops.constrained_dynamics import ConstrainedInertia
from ..program.array import Array, Shape
from ..program.program import Program
from ..robot.entries import axis_names, by_joint, owners
from ..robot.robot import Robot
from .balance import conserved, is_balanced
from .constrained import held, margin_of, opened, projection

STATE, TIME = "state", "t"
RATES = ("rate", "qdd", "integral_rate", "power")
Matrix = list[list[Node]]


class Flow(NamedTuple):
    """The Programs of a robot with its drive.

    Attributes
    ----------
    rates
        ``state, t, given -> rates``.
    factor
        ``state, t, given, c -> factors, rates_by_t``; None for an explicit method.
    solve
        ``factors, b -> x``; None for an explicit method.
    settle
        ``state -> settled, margin``; None if there is no manifold. The margin is zero where the coordinates fail.
    conserved
        ``state -> energy, amount, slopes``: what only work changes, the sum of its parts without signs, and how much an
        error of each entry of the state but the work changes it at most; None where no energy follows from the state.
    given
        Names of the inputs besides state and time.
    """

    rates: Program
    factor: Program | None
    solve: Program | None
    settle: Program | None
    conserved: Program | None
    given: tuple[str, ...]


@lru_cache(maxsize=32)
def flow(robot: Robot, equations: Program, stiff: bool, whole: bool = False, careful: bool = False) -> Flow:
    """Return the Programs, from the equations of motion.

    Parameters
    ----------
    whole
        Whether they are those in all coordinates.
    careful
        Whether their rates are those of the state on the loops, as is needed near singular states.
    """
    parts = _State(equations)
    q = equations.arguments["q"].nodes
    settled = _settled(opened(robot) if whole else robot, q)
    by = dict(zip(q, settled, strict=True))
    if whole and careful and not stiff:
        by = dict(zip(parts.state, _projected(robot, parts)[0], strict=True))
    new = replaced(parts.rates, by)
    given = {name: array for name, array in equations.arguments.items() if name not in (*parts.names, TIME)}
    inputs = {
        STATE: _vector(parts.state),
        TIME: Array(Shape([]), (symbol(TIME),)),
        **{name: replace(array, tangent=None) for name, array in given.items()},
    }
    rates = Program("rates", inputs, {"rates": _vector([new[node] for node in parts.rates])})
    settle, kept = None, None
    reached, margin = [*settled, *parts.state[len(q) :]], ONE
    if whole:
        reached, margin = _projected(robot, parts)
    elif robot.loops:
        margin = margin_of(robot, settled)
    if reached != parts.state:
        results = {"settled": _vector(reached), "margin": Array(Shape([]), (margin,))}
        settle = Program("settle", {STATE: inputs[STATE]}, results)
    linear = linear_of_all if whole else _linear
    factor, solve = linear(robot, equations, parts, inputs) if stiff else (None, None)
    if is_balanced(robot):
        own = opened(robot) if whole else robot
        kept = Program("conserved", {STATE: inputs[STATE]}, sensitivity(own, len(parts.state) - 1))
    return Flow(rates, factor, solve, settle, kept, tuple(given))


def sensitivity(robot: Robot, size: int) -> dict[str, Array]:
    """Return the conserved energy, its amount, and how much an error of each of so many entries changes it at most.

    Errors beside the manifold do not count, as the state returns to it.
    """
    program = conserved(robot)
    slopes = program.derivative("energy", ["q", "qd"])
    along, by_qd = (slopes.results[f"denergy_d{name}"].nodes for name in ("q", "qd"))
    q = program.arguments["q"]
    by_q = [as_node(absolute(x)) for x in along]
    if q.tangent is not None:
        rows = _inverse_tangent(robot, q.nodes)
        by_q = [_dot(by_q, [as_node(absolute(row[i])) for row in rows]) for i in range(len(q.nodes))]
    sizes = [*by_q, *(as_node(absolute(x)) for x in by_qd)]
    sizes += [ZERO] * (size - len(sizes))
    return {**program.results, "slopes": _vector(sizes)}


class _State:
    """The parts of the state, and their rates."""

    def __init__(self, equations: Program) -> None:
        arguments, results = equations.arguments, equations.results
        self.names = [name for name in ("q", "qd", "integral") if name in arguments]
        self.state = [*(node for name in self.names for node in arguments[name].nodes), symbol("work")]
        self.sizes = [len(arguments[name].nodes) for name in self.names]
        rate = results["rate"].nodes if "rate" in results else arguments["qd"].nodes
        more = results["integral_rate"].nodes if "integral" in arguments else ()
        self.rates = [*rate, *results["qdd"].nodes, *more, *results["power"].nodes]


def _vector(nodes: Sequence[Node]) -> Array:
    return Array(Shape([len(nodes)]), tuple(nodes))


def _settled(robot: Robot, q: Sequence[Node]) -> list[Node]:
    """Return coordinates with unit quaternions and closed loops."""
    robot = robot.expanded().map(as_node)
    unit = list(q)
    at = 0
    for j in owners(robot):
        count = len(robot.joints[j - 1].kind.coordinates)
        if robot.joints[j - 1].kind.coordinates[-4:] == QUATERNION:
            own = unit[at + count - 4 : at + count]
            length = sqrt(as_node(sum((x * x for x in own[1:]), start=own[0] * own[0])))
            unit[at + count - 4 : at + count] = [as_node(x / length) for x in own]
        at += count
    if not robot.loops:
        return unit
    values = list(by_joint(robot, unit))
    for _ in range(NEWTON_STEPS):
        values = closed_again(robot, values)
    return [as_node(x) for j in owners(robot) for x in values[j]]


def _projected(robot: Robot, parts: _State) -> tuple[list[Node], Node]:
    """Return a state in all coordinates on the loops, and how far the loops are from losing rank."""
    made = projection(robot).results
    back = [*made["q_closed"].nodes, *made["qd_closed"].nodes]
    return [*back, *parts.state[len(back) :]], made["margin"].nodes[0]


def linear_of_all(robot: Robot, equations: Program, parts: _State, inputs: dict[str, Array]) -> tuple[Program, Program]:
    """Return the Programs that eliminate and substitute, in all coordinates.

    Forces that close the loops are further unknowns u, times the step:

        [M - c B - c² A   Jᵀ] [v]   [M b]
        [J + c C          0 ] [u] = [J b]

    after the elimination of the increments of coordinates. Velocities go first, from the tips to the base, so that each
    pivot of u is negative where the loops are independent.
    """
    c = symbol("c")
    nq, n = parts.sizes[:2]
    count, m = sum(parts.sizes[2:]), len(held(robot).J)
    tree = opened(robot)
    along = _inverse_tangent(tree, equations.arguments["q"].nodes)
    slopes = {name: _slopes(equations, name, parts) for name in ("rate", "integral_rate") if name in equations.results}
    D, T = (slopes["rate"][0], slopes["rate"][1]) if "rate" in slopes else (None, None)
    M, forces = _forces(tree, equations, parts)
    pull, loops = _loop_slopes(robot, equations, parts)
    for force, more in zip(forces, pull, strict=True):
        force[:n] = [x + y for x, y in zip(force[:n], more, strict=True)]
    known, J = held(robot), held(robot).J
    none, one = [ZERO] * count, [[ONE if i == j else ZERO for j in range(n)] for i in range(n)]
    rows = [[*_times(along, D, i, n), *none, *one[i]] for i in range(n)]
    rows += [[*p, *own, *v] for p, v, own in zip(*slopes.get("integral_rate", [[], [], []]), strict=True)]
    W = [[*(_less(i == j, c * x) for j, x in enumerate(row)), *[ZERO] * m] for i, row in enumerate(rows)]
    before = n + count
    for i, (own, force) in enumerate(zip(M, forces, strict=True)):
        W.append([*(-(c * x) for x in force[:before]), *(a - c * x for a, x in zip(own, force[before:], strict=True)),
                  *(row[i] for row in J)])  # fmt: skip
    for row, (by_q, by_v) in zip(J, loops, strict=True):
        W.append([*(c * x for x in by_q), *none, *(a + c * x for a, x in zip(row, by_v, strict=True)), *[ZERO] * m])
    inertia_of_loops = ConstrainedInertia(known.robot, known.state, known.constraints)
    for i, compliance in enumerate(inertia_of_loops.compliances):
        W[before + n + i][before + n + i] = as_node(-compliance)
    for i, weight in inertia_of_loops.stiff.items():  # joints that move no mass get that of the loops
        for k, entry in known.constraints.J[i].items():
            row, factor = W[before + k], as_node(weight * entry)
            row[:] = [a + factor * b if b is not ZERO else a for a, b in zip(row, W[before + n + i], strict=True)]
    order = [*range(before), *reversed(range(before, before + n)), *range(before + n, before + n + m)]
    W = [[W[i][j] for j in order] for i in order]
    kept = _Kept()
    _eliminate(W, kept)
    moving = [[kept.symbol(x) for x in row] for row in along]
    step = kept.symbol(c)
    b = [symbol(f"b[{i}]") for i in range(nq + n + count + 1)]
    inertia, closing = ([[kept.symbol(x) for x in row] for row in rows] for rows in (M, J))
    speeds = b[nq : nq + n]
    right = [*(_dot(row, b[:nq]) for row in moving), *b[nq + n : -1], *(_dot(row, speeds) for row in inertia)]
    right += [_dot(row, speeds) for row in closing]
    for i, weight in inertia_of_loops.stiff.items():
        for k, entry in known.constraints.J[i].items():
            right[before + k] = right[before + k] + kept.symbol(as_node(weight * entry)) * right[before + n + i]
    x = dict(zip(order, _substitute(W, [right[k] for k in order]), strict=True))
    p, integral, v = ([x[k] for k in some] for some in (range(n), range(n, before), range(before, before + n)))
    if D is None or T is None:
        reached = [b[i] + step * v[i] for i in range(n)]
    else:
        rows = [[kept.symbol(entry) for entry in (*D[i], *T[i])] for i in range(nq)]
        reached = [b[i] + step * _dot(rows[i], [*p, *v]) for i in range(nq)]
    return _linear_programs(equations, inputs, parts, c, kept, b, [*p, *integral, *v], [*reached, *v, *integral])


def _loop_slopes(robot: Robot, equations: Program, parts: _State) -> tuple[Matrix, list[tuple[list[Node], list[Node]]]]:
    """Return how the forces that close the loops change with coordinates, and how the accelerations of the loops'
    openings do with coordinates and velocities.
    """
    known, J, n = held(robot), held(robot).J, parts.sizes[1]
    u = [symbol(f"multipliers[{i}]") for i in range(len(J))]
    a = [symbol(f"qdd[{i}]") for i in range(n)]
    force = [_dot([row[i] for row in J], u) for i in range(n)]
    opening = [as_node(_dot(row, a) + x) for row, x in zip(J, known.constraints.drift, strict=True)]
    names = ("q", "qd")
    program = Program(
        "loops", {name: known.arguments[name] for name in names}, {"f": _vector(force), "c": _vector(opening)}
    )
    P, forces = known.constraints.dependencies.spread, equations.results["multipliers"].nodes
    own = [_dot([as_node(float(x)) if x else ZERO for x in column], forces) for column in P.T]
    by = dict(zip([*u, *a], [*own, *equations.results["qdd"].nodes], strict=True))
    found = {**program.derivative("f", ["q"]).results, **program.derivative("c", [*names]).results}
    new = replaced([x for array in found.values() for x in array.nodes], by)

    def rows(name: str) -> Matrix:
        nodes = found[name].nodes
        return [[new[x] for x in nodes[i : i + n]] for i in range(0, len(nodes), n)]

    return rows("df_dq"), list(zip(rows("dc_dq"), rows("dc_dqd"), strict=True))


def _linear(robot: Robot, equations: Program, parts: _State, inputs: dict[str, Array]) -> tuple[Program, Program]:
    """Return the Programs that eliminate and substitute.

    The unknowns are the increments p of the coordinates along velocities, those of the integral, and those of the
    velocities; all coordinates and the work then follow.
    """
    c = symbol("c")
    nq, n = parts.sizes[:2]
    count = sum(parts.sizes[2:])
    along = _inverse_tangent(robot, equations.arguments["q"].nodes)
    slopes = {name: _slopes(equations, name, parts) for name in ("rate", "integral_rate") if name in equations.results}
    D, T = (slopes["rate"][0], slopes["rate"][1]) if "rate" in slopes else (None, None)
    M, forces = _forces(robot, equations, parts)
    none, one = [ZERO] * count, [[ONE if i == j else ZERO for j in range(n)] for i in range(n)]
    rows = [[*_times(along, D, i, n), *none, *one[i]] for i in range(n)]
    rows += [[*p, *own, *v] for p, v, own in zip(*slopes.get("integral_rate", [[], [], []]), strict=True)]
    W = [[_less(i == j, c * x) for j, x in enumerate(row)] for i, row in enumerate(rows)]
    before = n + count
    W += [
        [*(-(c * x) for x in force[:before]), *(m - c * x for m, x in zip(own, force[before:], strict=True))]
        for own, force in zip(M, forces, strict=True)
    ]
    kept = _Kept()
    _eliminate(W, kept)
    moving = [[kept.symbol(x) for x in row] for row in along]
    step = kept.symbol(c)
    b = [symbol(f"b[{i}]") for i in range(nq + n + count + 1)]
    inertia = [[kept.symbol(x) for x in row] for row in M]
    right = [*(_dot(row, b[:nq]) for row in moving), *b[nq + n : -1], *(_dot(row, b[nq : nq + n]) for row in inertia)]
    x = _substitute(W, right)
    p, integral, v = x[:n], x[n : n + count], x[n + count :]
    if D is None or T is None:
        reached = [b[i] + step * v[i] for i in range(n)]
    else:
        rows = [[kept.symbol(entry) for entry in (*D[i], *T[i])] for i in range(nq)]
        reached = [b[i] + step * _dot(rows[i], [*p, *v]) for i in range(nq)]
    return _linear_programs(equations, inputs, parts, c, kept, b, x, [*reached, *v, *integral])


def _linear_programs(
    equations: Program,
    inputs: dict[str, Array],
    parts: _State,
    c: Node,
    kept: _Kept,
    b: Sequence[Node],
    x: Sequence[Node],
    reached: Sequence[Node],
) -> tuple[Program, Program]:
    """Return the Programs that eliminate and substitute, from what they hand over: the increments of the state, the
    coordinates along velocities, and all of it.
    """
    nq, step = parts.sizes[0], kept.symbol(c)
    by_p, by_qd, *by_integral = (matrix[0] for matrix in _slopes(equations, "power", parts))
    spent = [*by_p, *(by_integral[0] if by_integral else []), *by_qd]
    work = b[-1] + step * _dot([kept.symbol(slope) for slope in spent], x)
    by_time = [ZERO] * len(parts.rates)
    if TIME in equations.arguments:
        names = [name for name in RATES if name in equations.results]
        found = {name: equations.derivative(name, TIME).results[f"d{name}_dt"].nodes for name in names}
        by_time = [*found.get("rate", [ZERO] * nq), *found["qdd"], *found.get("integral_rate", ()), *found["power"]]
    factors = _vector([symbol(f"factors[{i}]") for i in range(len(kept.nodes))])
    factor = Program(
        "factor",
        {**inputs, "c": Array(Shape([]), (c,))},
        {"factors": _vector(kept.nodes), "rates_by_t": _vector(by_time)},
    )
    solve = Program("solve", {"factors": factors, "b": _vector(b)}, {"x": _vector([*reached, work])})
    return factor, solve


def _forces(robot: Robot, equations: Program, parts: _State) -> tuple[Matrix, Matrix]:
    """Return the inertia matrix, and how the torques that accelerate change: by p, the integral, and the velocities.

    Friction with a sign has no slope; all other friction is among the torques that drive.
    """
    smooth, n = robot.neglect("FS", "FB"), parts.sizes[1]
    inverse = inverse_dynamics(smooth, external_wrenches="wrenches" in equations.arguments)
    back = inverse.derivative("tau", ["q", "qd"]).results
    qdd = dict(zip(inverse.arguments["qdd"].nodes, equations.results["qdd"].nodes, strict=True))
    flat = [*back["dtau_dq"].nodes, *back["dtau_dqd"].nodes]
    new = replaced(flat, qdd)
    K, V = (
        [[new[x] for x in back[name].nodes[i * n : (i + 1) * n]] for i in range(n)] for name in ("dtau_dq", "dtau_dqd")
    )
    driving = _slopes(equations, "tau_left", parts)
    more = driving[2] if len(driving) > 2 else [[] for _ in range(n)]
    M = inertia_matrix(smooth).results["M"].nodes
    rows = [
        [
            *(x - y for x, y in zip(driving[0][i], K[i], strict=True)),
            *more[i],
            *(x - y for x, y in zip(driving[1][i], V[i], strict=True)),
        ]
        for i in range(n)
    ]
    return [list(M[i * n : (i + 1) * n]) for i in range(n)], rows


def _slopes(equations: Program, name: str, parts: _State) -> list[Matrix]:
    """Return the derivatives of a rate by each part of the state, that by q along velocities."""
    made = equations.derivative(name, parts.names).results
    found = []
    for by in parts.names:
        nodes, rows = made[f"d{name}_d{by}"].nodes, len(equations.results[name].nodes)
        width = len(nodes) // rows
        found.append([list(nodes[i * width : (i + 1) * width]) for i in range(rows)])
    return found


def _inverse_tangent(robot: Robot, q: Sequence[Node]) -> Matrix:
    """Return the map from rates of the coordinates to independent velocities, one row for each of these.

    The columns of each joint's tangent are orthogonal, of length one, or of length one half for quaternions.
    """
    robot = robot.expanded()
    found, at, values = dict[str, list[Node]](), 0, by_joint(robot, q)
    for joint, own in ((robot.joints[j - 1], values[j]) for j in owners(robot)):
        kind = joint.kind
        for k, axis in enumerate(kind.velocities):
            row = [ZERO] * len(q)
            for i, (part, slopes) in enumerate(zip(kind.coordinates, kind.tangent(own), strict=True)):
                row[at + i] = as_node(slopes[k] * (4.0 if part in QUATERNION else 1.0))
            found[joint.name + axis] = row
        at += len(kind.coordinates)
    return [found[name] for name in (robot.velocity_names if robot.loops else axis_names(robot))]


def _times(along: Matrix, D: Matrix | None, i: int, n: int) -> list[Node]:
    """Return a row of the product of two matrices; the second can be zero."""
    if D is None:
        return [ZERO] * n
    return [_dot(along[i], [row[j] for row in D]) for j in range(n)]


def _dot(a: Sequence[Node], b: Sequence[Node]) -> Node:
    total = ZERO
    for x, y in zip(a, b, strict=True):
        if x is not ZERO and y is not ZERO:
            total = total + x * y
    return total


def _less(diagonal: bool, x: Node) -> Node:
    return ONE - x if diagonal else -x


class _Kept:
    """Values that the elimination hands over to the substitution; constants stay where they are."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._symbols: dict[Node, Node] = {}

    def symbol(self, node: Node) -> Node:
        """Return the value as the substitution knows it."""
        if node.op is CONST:
            return node
        if node.op is NEG:
            return -self.symbol(node.args[0])
        if node not in self._symbols:
            self._symbols[node] = symbol(f"factors[{len(self.nodes)}]")
            self.nodes.append(node)
        return self._symbols[node]


def _eliminate(W: Matrix, kept: _Kept) -> None:
    """Replace a matrix by its triangular factors, with the pivots inverted, as the substitution knows them."""
    for k in range(len(W)):
        W[k][k] = ONE / W[k][k]
        for i in range(k + 1, len(W)):
            if W[i][k] is not ZERO:
                W[i][k] = W[i][k] * W[k][k]
                for j in range(k + 1, len(W)):
                    if W[k][j] is not ZERO:
                        W[i][j] = W[i][j] - W[i][k] * W[k][j]
    for row in W:
        row[:] = [kept.symbol(x) for x in row]


def _substitute(W: Matrix, b: Sequence[Node]) -> list[Node]:
    """Return the solution of triangular equations."""
    x = list(b)
    for i in range(len(x)):
        x[i] = x[i] - _dot(W[i][:i], x[:i])
    for i in reversed(range(len(x))):
        x[i] = (x[i] - _dot(W[i][i + 1 :], x[i + 1 :])) * W[i][i]
    return x
