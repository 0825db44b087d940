"""Steps towards goals as Programs without branches: compiled, they are repeated for whole batches at once.

**Approach.** From a state with the errors e and their slopes J, the step is Jᵀ (J Jᵀ + λ)⁻¹ e, or (Jᵀ J + λ)⁻¹ Jᵀ e if
that is smaller. The damping λ goes with |e|², so that steps are Newton's own in the end (Yamashita and Fukushima 2001,
Sugihara 2011), times a factor that falls with each step that comes nearer and rises with each that does not. Joints at
a limit against which the gradient pushes do not take part (Bertsekas 1982), the others stop at theirs. A step that does
not come nearer is shortened and tried again from where it began; so the error never grows.

**Settle.** Goals of higher levels, and at last what is preferred, move the joints within the freedom N that the levels
before leave (Siciliano and Slotine 1991): with J' = J N, x ← x + J'ᵀ (J' J'ᵀ + λ)⁻¹ (e - J x), and N loses J'.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...graph.derivative import reverse_product
from ...graph.functions import sqrt
from ...graph.node import ONE, Node, Scalar, as_node, is_zero, symbol
from ...graph.rewrite import replaced
from ...models.configuration import difference, integrate
from ...models.loops.closed_form.turning import positive
from ...program.array import Array, Shape, inputs, outputs
from ...program.program import Program
from ...robot.robot import Robot
from ...spatial.solve import solve
from ..joint_limits import LimitedJoint
from .errors import CLOSE, TINY, Left, Row, joined, left_of, left_open, open_tree
from .goal import NUMBERS, Aim

SHORTER, CALMER, BOLDER, LEAST, MOST = 0.25, 4.0, 0.3, 1e-6, 1e2
"""What a step that failed is multiplied by; what the damping is multiplied by then, and after one that succeeded; and
the bounds of the damping, as a part of the squared error."""
FAR = 1.0
"""How far joints move in one step at the most, all together, in metres and radians."""
FLOOR, FREE = 1e-13, 1e-9
"""The least damping of steps, and that of the freedom which a level leaves, as parts of the mean squared slope."""
EDGE = 1e-9
"""How near to its limit a joint is at it, in metres or radians."""
CLIMB = 0.3
"""The first step up the logarithm of the manipulability, as a part of its gradient."""
STATE, GOAL, LOWER, UPPER, POSTURE, CARE = "state", "goal", "lower", "upper", "posture", "care"


class Limited(NamedTuple):
    """Joints that have limits: their places among velocities and among coordinates."""

    velocities: tuple[int, ...]
    coordinates: tuple[int, ...]


class Setting(NamedTuple):
    """What steps are made from: the tree, its coordinates, the goals, the levels of errors, and limits.

    Joints that follow several others have limits that no single coordinate keeps. By how much they are beyond these is
    an error of the first level.
    """

    robot: Robot
    aims: tuple[Aim, ...]
    q: Array
    goal: Array
    levels: tuple[Left, ...]
    each: tuple[Left, ...]
    loops: Left | None
    limited: Limited
    sums: tuple[LimitedJoint, ...] = ()

    @classmethod
    def of(
        cls,
        robot: Robot,
        aims: Sequence[Aim],
        limited: Limited,
        sums: Sequence[LimitedJoint] = (),
        places: Sequence[int] = (),
    ) -> Setting:
        """Return the setting; ``places`` are those of the velocities' coordinates."""
        tree = open_tree(robot)
        q = integrate(tree).arguments["q"]
        goal = inputs(GOAL, [f"{aim.frame}.{k}" for aim in aims for k in range(NUMBERS)], "goals")
        each = [left_of(tree, aim, q, goal.nodes[NUMBERS * i : NUMBERS * (i + 1)]) for i, aim in enumerate(aims)]
        loops = left_open(robot, q) if robot.loops else None
        levels = list[Left]()
        edges = [_beyond(x, q, places, len(limited.velocities) + i) for i, x in enumerate(sums)]
        for level in sorted({aim.level for aim in aims}):
            own = [left for left, aim in zip(each, aims, strict=True) if aim.level == level]
            levels.append(joined([*own, *([loops] if loops and not levels else []), *(edges if not levels else [])]))
        return cls(tree, tuple(aims), q, goal, tuple(levels), tuple(each), loops, limited, tuple(sums))

    @property
    def is_free(self) -> bool:
        """Whether the first level leaves freedom; a direction holds two turns, not three."""
        first = min(aim.level for aim in self.aims)
        spins = sum("direction" in aim.parts for aim in self.aims if aim.level == first)
        held = len(self.levels[0].e) - spins
        return self.loops is not None or bool(self.sums) or held < len(self.robot.velocity_names)

    def move(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Node]:
        """Return where a step leads."""
        moving = integrate(self.robot)
        old = (*moving.arguments["q"].nodes, *moving.arguments["v"].nodes)
        nodes = moving.results["q_next"].nodes
        new = replaced(nodes, dict(zip(old, map(as_node, (*q, *v)), strict=True)))
        return [new[node] for node in nodes]

    def bounds(self) -> tuple[Array, Array]:
        names = [self.robot.velocity_names[k] for k in self.limited.velocities] + [joint.name for joint in self.sums]
        return inputs(LOWER, names, "lower limits"), inputs(UPPER, names, "upper limits")

    def free(self, pull: Sequence[Scalar], lower: Array, upper: Array) -> list[Scalar]:
        """Return 0 for joints at a limit that they are pulled against, 1 for others."""
        found: list[Scalar] = [1.0] * len(pull)
        for k, place, low, high in zip(*self.limited, lower.nodes, upper.nodes, strict=False):  # sums come last
            q = self.q.nodes[place]
            below, above = positive(low + EDGE - q) * positive(-pull[k]), positive(q - high + EDGE) * positive(pull[k])
            found[k] = (1.0 - below) * (1.0 - above)
        return found

    def inside(self, step: list[Scalar], lower: Array, upper: Array) -> list[Scalar]:
        """Return a step that ends within the limits."""
        found = list(step)
        for k, place, low, high in zip(*self.limited, lower.nodes, upper.nodes, strict=False):  # sums come last
            end = self.q.nodes[place] + step[k]
            found[k] = step[k] + positive(end - high) * (high - end) + positive(low - end) * (low - end)
        return found


def _beyond(joint: LimitedJoint, q: Array, places: Sequence[int], number: int) -> Left:
    """Return by how much a joint that follows several is beyond its limits, which are entries of the inputs."""
    at: Scalar = sum((q.nodes[place] * ratio for place, ratio in joint.terms), start=as_node(joint.offset))
    low, high = symbol(f"{LOWER}[{number}]"), symbol(f"{UPPER}[{number}]")
    below, above = positive(low - at), positive(at - high)
    row: list[Scalar] = [0.0] * len(places)
    for place, ratio in joint.terms:
        row[places.index(place)] = ratio * CLOSE * (below + above)
    e = CLOSE * (below * (low - at) + above * (high - at))
    return Left([e], [row], e * e, 0.0)


def approach(setting: Setting) -> Program:
    """Return the Program of one step: state, goal, lower, upper -> next.

    The state is the coordinates to be tried, those from which they were reached, the step between them, the squared
    error there, and the damping.
    """
    q, n = setting.q.nodes, len(setting.robot.velocity_names)
    base = [symbol(f"base[{k}]") for k in range(len(q))]
    before = [symbol(f"step[{k}]") for k in range(n)]
    best, damping = symbol("best"), symbol("damping")
    lower, upper = setting.bounds()
    left = setting.levels[0]
    nearer = positive(best - left.square)
    calm = within(damping * either(nearer, BOLDER, CALMER), LEAST, MOST)
    pull = [_dot(column, left.e) for column in _columns(left.J, n)]
    free = setting.free(pull, lower, upper)
    J = [[x * f for x, f in zip(row, free, strict=True)] for row in left.J]
    x = setting.inside(short(damped(J, left.e, calm * left.square, n)), lower, upper)
    step = [either(nearer, a, SHORTER * b) for a, b in zip(x, before, strict=True)]
    start = [either(nearer, a, b) for a, b in zip(q, base, strict=True)]
    state = [*q, *base, *before, best, damping]
    new = [*setting.move(start, step), *start, *step, either(nearer, left.square, best), calm]
    return _program("approach", state, new, [setting.goal, lower, upper])


def settle(setting: Setting, climb: Scalar | None) -> Program:
    """Return the Program of one step: state, goal, lower, upper, posture, care -> next, for all levels of errors.

    The state is the coordinates. In the freedom that is left at last, joints move towards the posture, or so that
    ``climb`` grows. Care damps the steps of all levels but the first.
    """
    n = len(setting.robot.velocity_names)
    lower, upper = setting.bounds()
    posture = inputs(POSTURE, setting.robot.coordinate_names, "coordinates to come near to")
    care = Array(Shape([]), (symbol(CARE),))
    wish = _uphill(setting, climb) if climb is not None else _back(setting, posture)
    wish = [x / (1.0 + care.nodes[0]) for x in wish]
    later = [_dot(column, left.e) for left in setting.levels[1:2] for column in _columns(left.J, n)]
    free = setting.free(later or wish, lower, upper)
    N: list[Row] = []  # rows of each level, without what earlier levels decide
    x: list[Scalar] = [0.0] * n
    for k, left in enumerate(setting.levels):
        J = [[a * f for a, f in zip(row, free, strict=True)] for row in left.J]
        own = [_outside(N, row) for row in J]
        rest = [e - _dot(row, x) for e, row in zip(left.e, left.J, strict=True)]
        way = damped(own, rest, care.nodes[0] * left.square if k else 0.0, n)
        x = [a + b for a, b in zip(x, way, strict=True)]
        N = N + own
    wish = [a * f for a, f in zip(wish, free, strict=True)]
    x = [a + b for a, b in zip(x, _outside(N, wish), strict=True)]
    x = setting.inside(short(x), lower, upper)
    given = [setting.goal, lower, upper, posture, care]
    return _program("settle", setting.q.nodes, setting.move(setting.q.nodes, x), given)


def measure(setting: Setting, climb: Scalar | None) -> Program:
    """Return the Program q, goal, posture -> distance, angle, gap, costs: of each goal, of the loops, of levels."""
    posture = inputs(POSTURE, setting.robot.coordinate_names, "coordinates to come near to")
    wish = _back(setting, posture)
    last = -climb if climb is not None else _dot(wish, wish)
    costs = [*(left.square for left in setting.levels), last]
    gap = sqrt(setting.loops.square) * (1.0 / CLOSE) if setting.loops else 0.0
    each = [(left, 1.0 / aim.weight) for left, aim in zip(setting.each, setting.aims, strict=True)]
    results = {
        "distance": outputs([sqrt(left.distance) * by for left, by in each], [len(each)], [], ""),
        "angle": outputs([sqrt(left.angle) * by for left, by in each], [len(each)], [], ""),
        "gap": outputs([gap], [], [], ""),
        "costs": outputs(costs, [len(costs)], [], ""),
    }
    return Program("measure", {"q": setting.q, GOAL: setting.goal, POSTURE: posture}, results)


def damped(J: Sequence[Row], e: Sequence[Scalar], damping: Scalar, n: int) -> list[Scalar]:
    """Return the smallest step that makes up for errors, damped."""
    if not J:
        return [0.0] * n
    if len(J) <= n:
        y = _solved(J, e, damping, FLOOR)
        return [_dot(column, y) for column in _columns(J, n)]
    columns = _columns(J, n)
    return _solved(columns, [_dot(column, e) for column in columns], damping, FLOOR)


def _solved(A: Sequence[Row], b: Sequence[Scalar], damping: Scalar, floor: float) -> list[Scalar]:
    """Return x in (A Aᵀ + λ) x = b."""
    M = [[_dot(a, c) for c in A[: i + 1]] + [0.0] * (len(A) - i - 1) for i, a in enumerate(A)]
    trace = sum((row[i] for i, row in enumerate(M)), start=as_node(0.0))
    for i, row in enumerate(M):
        row[i] = row[i] + (damping + floor * trace + 1e-30)
    return solve(M, b, lambda *_: None)


def _outside(N: Sequence[Row], v: Row) -> Row:
    """Return the part of a vector that is orthogonal to rows, up to their damping."""
    if not N:
        return v
    n = len(v)
    if len(N) <= n:
        y = _solved(N, [_dot(row, v) for row in N], 0.0, FREE)
        return [a - _dot(column, y) for a, column in zip(v, _columns(N, n), strict=True)]
    columns = _columns(N, n)
    inside = [_dot(row, v) for row in N]
    y = _solved(columns, [_dot(column, inside) for column in columns], 0.0, FREE)
    return [a - b for a, b in zip(v, y, strict=True)]


def short(step: Sequence[Scalar]) -> list[Scalar]:
    """Return a step that is not far."""
    scale = 1.0 / sqrt(_dot(step, step) * FAR**-2 + 1.0)
    return [x * scale for x in step]


def either(flag: Scalar, yes: Scalar, no: Scalar) -> Scalar:
    """Return one or the other, by a flag of 1 or 0."""
    return flag * yes + (1.0 - flag) * no


def within(x: Scalar, low: float, high: float) -> Scalar:
    """Return a number or the bound that it is beyond."""
    above = positive(x - high)
    below = positive(low - x)
    return above * high + below * low + (1.0 - above) * (1.0 - below) * x


def _back(setting: Setting, posture: Array) -> list[Scalar]:
    """Return the velocity that leads to a posture."""
    way = difference(setting.robot)
    old = (*way.arguments["q"].nodes, *way.arguments["q_next"].nodes)
    nodes = way.results["v"].nodes
    new = replaced(nodes, dict(zip(old, (*setting.q.nodes, *posture.nodes), strict=True)))
    return [new[node] for node in nodes]


def _uphill(setting: Setting, climb: Scalar) -> list[Scalar]:
    """Return a part of the gradient along the velocities."""
    slopes: list[Scalar] = [*reverse_product([as_node(climb)], setting.q.nodes, [ONE])]
    if setting.q.tangent is not None:
        n, nodes = len(setting.robot.velocity_names), setting.q.tangent.nodes
        slopes = [
            _dot(column, slopes) for column in _columns([[*nodes[i : i + n]] for i in range(0, len(nodes), n)], n)
        ]
    return [x * (CLIMB / (climb + TINY)) for x in slopes]


def _columns(J: Sequence[Row], n: int) -> list[Row]:
    return [[row[k] for row in J] for k in range(n)]


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    terms = (x * y for x, y in zip(a, b, strict=True) if not is_zero(x) and not is_zero(y))
    return sum(terms, start=as_node(0.0))


def _program(name: str, state: Sequence[Node], new: Sequence[Scalar], given: Sequence[Array]) -> Program:
    named = zip((GOAL, LOWER, UPPER, POSTURE, CARE), given, strict=False)
    arguments = {key: array for key, array in named if array.nodes}
    arguments = {STATE: Array(Shape([len(state)]), tuple(state)), **arguments}
    return Program(name, arguments, {"next": outputs(new, [len(new)], [], "")})
