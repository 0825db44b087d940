"""How a mechanism with closed loops can move: its mobility, and the joints that determine the others.

Rank is found at closed states, in numbers: planar loops in space, parallelograms and the like lose rank only there.
Symbols have random values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ExpressionError, ProgramError, RobotError
from ...graph.evaluate import symbols
from ...robot.assemble import PLACE
from ...robot.coupling import pulled_joints
from ...robot.entries import by_joint, owners
from ...robot.home import Home, home_of, home_state
from ...robot.joint import given
from ...robot.kinds import FLOATING, KINDS
from ...robot.loop import Loop
from ...robot.robot import Robot
from ...robot.scalars import randomised
from ..coordinates import Coordinates
from .choice import chosen_axes
from .closure import TURN, Gap, gaps
from .newton import is_closed, newton
from .search import Group, Mechanism, mechanism_of

Floats = NDArray[np.float64]
RANK = 1e-7
"""Singular value, as a part of the largest, below which a direction is free."""
STILL = 1e-7
"""Part of an axis in a motion of unit length, below which the axis does not move."""
NEARLY = 0.45
"""Part of the largest column that suffices to be chosen, in order: rounding does not decide between equal ones."""
OPEN = 1e-4
"""What rounding in a description may leave open in its reference state, in metres and radians."""
WALK = 16
"""Steps from the reference state to one with some joints elsewhere."""
DRAWS = 5
"""How often other numbers are drawn for symbols, if the loops cannot be closed with the first ones."""


@dataclass(frozen=True)
class Freedom:
    """What a mechanism can do at closed states.

    Attributes
    ----------
    mobility
        Number of its degrees of freedom.
    redundant
        How many of the loops' equations follow from the others.
    degrees
        Names of the axes that determine all others.
    held
        Names of the axes that the loops keep from moving.
    q
        A closed state in which the rank is that of most states.
    home
        The closed state to which the branch of the robot belongs.
    """

    mobility: int
    redundant: int
    degrees: tuple[str, ...]
    held: tuple[str, ...]
    q: Floats
    home: Floats


@lru_cache(maxsize=32)
def freedom(robot: Robot) -> Freedom:
    """Return how a mechanism with closed loops can move."""
    numeric, home = _closed(robot)
    q = home
    mechanism, tree = mechanism_of(numeric), Coordinates.of_tree(numeric)
    base, driven, passive = _classes(numeric, tree)
    following = _not_chosen(numeric, tree) if robot.chosen else passive
    ranks = list[int]()
    for group in mechanism.groups:
        q, rank = _regular(mechanism, group, q, following)
        ranks.append(rank)
    J, rank = mechanism.equations(q), sum(ranks)
    order, dependent, held = _preferred(numeric, tree), set[int](), list[int]()
    for group, own in zip(mechanism.groups, ranks, strict=True):
        among = [[k for k in some if k in set(group.axes)] for some in order]
        slopes = J[list(group.rows)]
        basis = _basis(slopes, among, own)
        held += _held(slopes, basis, group.axes)
        dependent |= basis
    free = [k for k in (*base, *driven, *passive) if k not in dependent]
    if robot.chosen:
        free = chosen_axes(numeric, tree, base, J, rank)
    degrees, still = (tuple(tree.names[k] for k in some) for some in (free, sorted(held)))
    return Freedom(len(tree.names) - rank, len(J) - rank, degrees, still, q, home if robot.home else q)


def _held(J: Floats, dependent: set[int], axes: Sequence[int]) -> list[int]:
    """Return the axes along which no allowed motion goes, given a set of axes that the others determine."""
    order = [*sorted(dependent), *(axis for axis in axes if axis not in dependent)]
    count, rest = len(dependent), len(order) - len(dependent)
    Q, R = np.linalg.qr(J[:, order[:count]])
    motions = np.vstack([-np.linalg.solve(R, Q.T @ J[:, order[count:]]), np.eye(rest)])
    units = np.abs(np.linalg.qr(motions)[0])
    return [axis for axis, row in zip(order, units, strict=True) if row.max(initial=0.0) < STILL]


def check_choice(robot: Robot) -> Robot:
    """Return the robot if the joints chosen as independent determine all others; say why if they do not."""
    if robot.chosen and not robot.loops:
        raise ProgramError(f"{robot.name} has no closed loops: all its joints are independent")
    if robot.chosen:
        freedom(robot.expanded())
    return robot


def check_home(robot: Robot) -> None:
    """Refuse a reference state in which loops are open; lengths that are symbols say nothing of that."""
    open_by, name = _widest(robot)
    if not open_by <= OPEN:
        raise RobotError(
            f"{robot.name}: home leaves the loop {name!r} open by {open_by:.3g} m or rad; it must be a closed state: "
            "tf.close_loops(robot, guess=…) of the robot without home gives one near a guess"
        )


def home_near(robot: Robot) -> Home:
    """Return the reference state, or where it is open the closed one near it; none if there is none."""
    if _widest(robot)[0] <= OPEN:
        return robot.home
    whole = robot.expanded()
    q = mechanism_of(randomised(whole, Random(1))).closed_from(np.array(home_state(whole)))
    own = {joint.name for joint in robot.joints}
    return {} if q is None else {name: x for name, x in home_of(whole, q.tolist()).items() if name in own}


def home_found(robot: Robot) -> Home:
    """Return the closed state that is the reference state where none is given; none where lengths are symbols."""
    whole = robot.expanded()
    if _is_symbolic(whole):
        return {}
    own = {joint.name for joint in robot.joints}
    return {name: x for name, x in home_of(whole, freedom(whole).home.tolist()).items() if name in own}


def _is_symbolic(robot: Robot) -> bool:
    """Tell whether lengths or angles of the description are symbols."""
    return any(key in PLACE and symbols([x]) for key, x in robot.expressions())


def _widest(robot: Robot) -> tuple[float, str]:
    """Return by how much the reference state leaves a loop open, and which; zero where lengths are symbols."""
    whole = robot.expanded()
    if _is_symbolic(whole):
        return 0.0, ""
    found = gaps(whole, by_joint(whole, home_state(whole)))
    return max((_open_by(*own), own[0].joint.name) for own in zip(whole.loops, found, strict=True))


def _open_by(loop: Loop, gap: Gap) -> float:
    """Return the largest length or angle by which a loop is open."""
    held, parts = loop.joint.kind.held or (), [*map(float, gap.parts)]
    sines = [x for k, x in zip(held, parts, strict=False) if k in TURN]
    lengths = [x for k, x in zip((*held, None), parts, strict=False) if k not in TURN]
    return max(float(np.arctan2(np.linalg.norm(sines), float(gap.cosine))), *map(abs, lengths), 0.0)


def home_with(robot: Robot, positions: Mapping[str, Any]) -> Home:
    """Return the reference state with some joints moved to positions and the loops closed; none if they open."""
    whole = robot.expanded()
    mechanism, q = mechanism_of(randomised(whole, Random(1))), freedom(whole).home.copy()
    held = [(own[0], axes[0], whole.joints[j - 1].name) for j, own, axes in mechanism.places]
    held = [own for own in held if own[2] in positions]
    try:
        way = [(place, q[place], float(given(positions[name], name)) - q[place]) for place, _, name in held]
    except ExpressionError:
        return {}
    for part in np.linspace(0.0, 1.0, WALK + 1)[1:]:
        for place, start, far in way:
            q[place] = start + part * far
        for group in mechanism.groups:
            free = [axis for axis in group.axes if all(axis != own for _, own, _ in held)]
            found, left = newton(mechanism.evaluator(group), mechanism.step, q[None], free)
            if not is_closed(left).all():
                return {}
            q = found[0]
    return home_of(whole, q.tolist())


def _regular(mechanism: Mechanism, group: Group, q: Floats, following: Sequence[int]) -> tuple[Floats, int]:
    """Return a closed state in which a group of loops has its full rank, and that rank.

    The axes that are to follow the others have their full rank there too: a crank cannot follow its slider at a dead
    centre, where many robots are drawn.
    """
    random, left, axes = np.random.default_rng(0), mechanism.evaluator(group), list(group.axes)
    own = [k for k, axis in enumerate(axes) if axis in set(following)]

    def ranks(J: Floats) -> tuple[int, int]:
        return _rank(J), _rank(J[:, own])

    J = left(q[None])[1][0][:, axes]
    filled = left.filled[:, axes]
    rank, most = ranks(J), (_most(filled), _most(filled[:, own]))
    for _ in range(3 if rank < most else 0):  # a state may be singular; any other near it is not
        V = _directions(J)
        v = np.zeros((1, mechanism.axes))
        v[0, axes] = V[rank[0] :].T @ random.uniform(-0.3, 0.3, len(V) - rank[0])
        found, error = newton(left, mechanism.step, mechanism.step(q[None], v), group.axes)
        slopes = left(found)[1][0][:, axes]
        if is_closed(error).all() and (other := ranks(slopes)) > rank:
            q, rank, J = found[0], other, slopes
    return q, rank[0]


def _not_chosen(robot: Robot, tree: Coordinates) -> list[int]:
    """Return the axes that are to follow those which the user chose."""
    joint_of = [robot.joints[j - 1].name for j in tree.independent for _ in range(tree.widths[j - 1])]
    return [k for k, name in enumerate(joint_of) if not {name, tree.names[k]} & set(robot.chosen)]


def _closed(robot: Robot) -> tuple[Robot, Floats]:
    """Return the robot with numbers for its symbols, and a closed state; several numbers are tried."""
    start = np.array(home_state(robot)) if robot.home else None
    for draw in range(1, DRAWS):
        numeric = randomised(robot, Random(draw))
        try:
            return numeric, mechanism_of(numeric).closed_state(start)
        except ProgramError:
            if not robot.symbols:
                raise
    numeric = randomised(robot, Random(DRAWS))
    return numeric, mechanism_of(numeric).closed_state(start)


def neutral(robot: Robot) -> Floats:
    """Return the coordinates where no joint has moved."""
    return np.array([x for j in owners(robot) for x in robot.joints[j - 1].kind.neutral])


def moved(robot: Robot, q: Floats, v: Floats) -> Floats:
    """Return the coordinates after a step along each axis, quaternions staying unit ones."""
    found: Floats = mechanism_of(robot).step(q[None], v[None])[0]
    return found


def error(robot: Robot, q: Floats) -> Floats:
    """Return what is left open at all loops: lengths and angles."""
    return mechanism_of(robot).error(q)


def _square(J: Floats) -> Floats:
    """Return a matrix with no more rows than columns and the same singular values and directions."""
    J = J[J.any(axis=1)]
    return np.asarray(np.linalg.qr(J, mode="r")) if len(J) > J.shape[1] else J


def _most(filled: NDArray[np.bool_]) -> int:
    """Return a rank that no matrix with these entries other than zero exceeds."""
    return int(min(filled.any(axis=1).sum(), filled.any(axis=0).sum()))


def _directions(J: Floats) -> Floats:
    """Return the right singular vectors as rows, those of the largest values first."""
    found: Floats = np.linalg.svd(_square(J))[2]
    return found


def _rank(J: Floats) -> int:
    s = np.linalg.svd(_square(J), compute_uv=False)
    return int((s > RANK * max(1.0, s.max(initial=0.0))).sum())


def _classes(robot: Robot, tree: Coordinates) -> tuple[list[int], list[int], list[int]]:
    """Return the axes of a floating base, of driven and of passive joints; those that only tendons drive come after
    those that have a motor.
    """
    joint_of = [robot.joints[j - 1] for j in tree.independent for _ in range(tree.widths[j - 1])]
    base = [k for k, joint in enumerate(joint_of) if joint is robot.joints[0] and _floats_as_a_whole(robot)]
    driven = [k for k, joint in enumerate(joint_of) if joint.mu and k not in set(base)]
    pulled = pulled_joints(robot)
    driven += [k for k, joint in enumerate(joint_of) if joint.name in pulled and k not in {*base, *driven}]
    passive = [k for k in range(len(joint_of)) if k not in {*base, *driven}]
    return base, driven, passive


def _floats_as_a_whole(robot: Robot) -> bool:
    """Tell whether the first joint is a floating base. A link that floats, but that loops join with what it does not
    carry, is a platform: other joints move it.
    """
    if robot.joints[0].kind is not KINDS[FLOATING]:
        return False
    carried = [False, True]  # by link
    for joint in robot.joints[1:]:
        carried.append(carried[joint.antecedent])
    return all(carried[loop.joint.antecedent] == carried[loop.frame.antecedent] for loop in robot.loops)


def _preferred(robot: Robot, tree: Coordinates) -> list[list[int]]:
    """Return the axes in groups: those that should be dependent first."""
    base, driven, passive = _classes(robot, tree)
    return [passive, *([k] for k in reversed(driven)), *([k] for k in reversed(base))]


def _basis(J: Floats, order: Sequence[Sequence[int]], rank: int) -> set[int]:
    """Return as many columns as the rank that are independent, those of the first groups if possible."""
    rest, chosen = _square(J).copy(), list[int]()
    least = 1e-6 * max(1.0, float(np.abs(J).max(initial=0.0)))
    for group in order:
        left = list(group)
        while left and len(chosen) < rank:
            sizes = np.linalg.norm(rest[:, left], axis=0)
            best = int(np.argmax(sizes >= NEARLY * sizes.max()))
            if sizes[best] <= least:
                break
            k = left.pop(best)
            unit = rest[:, k] / sizes[best]
            rest -= np.outer(unit, unit @ rest)
            chosen.append(k)
    return set(chosen)
