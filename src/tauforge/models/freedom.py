"""How a mechanism with closed loops can move: its mobility, and the joints that determine the others.

Rank is found at closed states, in numbers: planar loops in space, parallelograms and the like lose rank only there.
Symbols have random values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError
from ..robot.entries import by_joint, owners
from ..robot.kinds import FLOATING, KINDS
from ..robot.robot import Robot
from ..robot.scalars import randomised
from .closure import angles, gaps, rows, turning
from .coordinates import Coordinates

Floats = NDArray[np.float64]
CLOSED = 1e-10
"""Error of a loop that counts as closed, in metres and radians."""
RANK = 1e-7
"""Singular value, as a part of the largest, below which a direction is free."""
STEPS, STARTS = 200, 30
"""Newton steps from one start, and starts, at most."""


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
    q
        A closed state.
    """

    mobility: int
    redundant: int
    degrees: tuple[str, ...]
    q: Floats


def freedom(robot: Robot) -> Freedom:
    """Return how a mechanism with closed loops can move."""
    numeric, random = randomised(robot, Random(1)), Random(0)
    tree = Coordinates.of_tree(numeric)
    q = closed_state(numeric, random)
    J = equations(numeric, tree, q)
    rank = _rank(J)
    for _ in range(3):  # a state may be singular; any other near it is not
        other = nearby(numeric, tree, q, J, random)
        if other is not None and _rank(found := equations(numeric, tree, other)) > rank:
            q, J, rank = other, found, _rank(found)
    if robot.chosen:
        free = _chosen(numeric, tree, J, rank)
    else:
        dependent = _basis(J, _preferred(numeric, tree), rank)
        base, driven, passive = _classes(numeric, tree)
        free = [k for k in (*base, *driven, *passive) if k not in dependent]
    return Freedom(len(tree.names) - rank, len(J) - rank, tuple(tree.names[k] for k in free), q)


def check_choice(robot: Robot) -> Robot:
    """Return the robot if the joints chosen as independent determine all others; say why if they do not."""
    if robot.chosen and not robot.loops:
        raise ProgramError(f"{robot.name} has no closed loops: all its joints are independent")
    if robot.chosen:
        freedom(robot.expanded())
    return robot


def closed_state(robot: Robot, random: Random) -> Floats:
    """Return a state in which the loops are closed, near zero if possible."""
    tree, start = Coordinates.of_tree(robot), neutral(robot)
    for attempt in range(STARTS):
        size = 0.0 if not attempt else 0.1 * 1.3**attempt
        step = np.array([random.gauss(0.0, size) for _ in tree.names])
        q = newton(robot, tree, moved(robot, start, step) if attempt else start)
        if q is not None:
            return q
    raise ProgramError(f"{robot.name}: no state was found in which its loops are closed")


def newton(robot: Robot, tree: Coordinates, q: Floats) -> Floats | None:
    """Return the closed state that damped Newton steps lead to; None if they lead to none."""
    size, damping, e = len(tree.names), 1e-6, error(robot, q)
    for _ in range(STEPS):
        if np.abs(e).max(initial=0.0) <= CLOSED:
            return q
        J = equations(robot, tree, q, whole=True)
        step = -np.linalg.lstsq(
            np.vstack([J, np.sqrt(damping) * np.eye(size)]), np.concatenate([e, np.zeros(size)]), rcond=None
        )[0]
        largest = np.abs(step).max()
        ahead = moved(robot, q, step * min(1.0, 0.5 / largest) if largest else step)
        after = error(robot, ahead)
        if np.linalg.norm(after) < np.linalg.norm(e):
            q, e, damping = ahead, after, max(damping * 0.2, 1e-14)
        else:
            damping *= 10
            if damping > 1e8:
                return None
    return None


def error(robot: Robot, q: Floats) -> Floats:
    """Return what is left open at all loops: lengths and angles."""
    found = gaps(robot, by_joint(robot, q.tolist()))
    parts = np.array([float(x) for gap in found for x in gap.parts])
    return angles(parts, np.array([float(gap.cosine) for gap in found]), turning(robot))


def equations(robot: Robot, tree: Coordinates, q: Floats, whole: bool = False) -> Floats:
    """Return the matrix J of J q̇ = 0, by degree of freedom of the tree; rows of zeros too if it is to be whole."""
    found = rows(robot, by_joint(robot, q.tolist()), whole=whole)[0]
    J = np.zeros((len(found), len(tree.names)))
    for i, row in enumerate(found):
        for place, x in tree.gathered_some(row).items():
            J[i, place] = float(x)
    return J


def neutral(robot: Robot) -> Floats:
    """Return the coordinates where no joint has moved."""
    return np.array([x for j in owners(robot) for x in robot.joints[j - 1].kind.neutral])


def moved(robot: Robot, q: Floats, v: Floats) -> Floats:
    """Return the coordinates after a step along each axis, quaternions staying unit ones."""
    own, at, found = by_joint(robot, q.tolist()), 0, list[Any]()
    for j in owners(robot):
        joint = robot.joints[j - 1]
        step = v[at : at + len(joint.axes)].tolist()
        at += len(joint.axes)
        found += own[j] if not any(step) else joint.kind.step(own[j], step)
    return np.array([float(x) for x in found])


def nearby(robot: Robot, tree: Coordinates, q: Floats, J: Floats, random: Random) -> Floats | None:
    """Return another closed state, some way along the motions that the loops allow."""
    V, rank = np.linalg.svd(J)[2], _rank(J)
    v = V[rank:].T @ np.array([random.uniform(-0.3, 0.3) for _ in range(len(V) - rank)])
    return newton(robot, tree, moved(robot, q, v))


def _rank(J: Floats) -> int:
    s = np.linalg.svd(J, compute_uv=False)
    return int((s > RANK * max(1.0, s.max(initial=0.0))).sum())


def _chosen(robot: Robot, tree: Coordinates, J: Floats, rank: int) -> list[int]:
    """Return the axes of the joints that were chosen as independent, if they determine all others."""
    axes = {name: [k] for k, name in enumerate(tree.names)}
    for j in tree.independent:
        joint = robot.joints[j - 1]
        axes[joint.name] = [k for part in joint.axes for k in axes[joint.name + part]]
    missing = [name for name in robot.chosen if name not in axes]
    if missing:
        raise ProgramError(
            f"{robot.name} has no joint {', '.join(missing)} that can be independent; it has "
            + ", ".join(robot.joints[j - 1].name for j in tree.independent if robot.joints[j - 1].axes)
        )
    mobility, names = len(tree.names) - rank, ", ".join(robot.chosen)
    wanted = list(dict.fromkeys(k for name in robot.chosen for k in axes[name]))
    base = _classes(robot, tree)[0]
    if len(wanted) + len(base) == mobility:  # a floating base need not be named
        wanted = list(dict.fromkeys([*base, *wanted]))
    if len(wanted) != mobility:
        many = "few" if len(wanted) < mobility else "many"
        raise ProgramError(
            f"{robot.name} has mobility {mobility}, but {names} have {len(wanted)} degrees of freedom: too {many} to "
            "be independent"
        )
    joint_of = [j for j in tree.independent for _ in range(tree.widths[j - 1])]
    order = list(dict.fromkeys(joint_of[k] for k in wanted))
    free = sorted(wanted, key=lambda k: (order.index(joint_of[k]), k))
    left = [k for k in range(len(tree.names)) if k not in set(free)]
    if rank and _rank(J[:, left]) < rank:
        raise ProgramError(
            f"{robot.name}: {names} cannot be independent: the loops allow motions in which they stand still; the "
            "robot finds independent joints by itself with with_independent()"
        )
    return free


def _classes(robot: Robot, tree: Coordinates) -> tuple[list[int], list[int], list[int]]:
    """Return the axes of a floating base, of actuated and of passive joints."""
    joint_of = [robot.joints[j - 1] for j in tree.independent for _ in range(tree.widths[j - 1])]
    base = [k for k, joint in enumerate(joint_of) if joint is robot.joints[0] and joint.kind is KINDS[FLOATING]]
    driven = [k for k, joint in enumerate(joint_of) if joint.mu and k not in set(base)]
    passive = [k for k in range(len(joint_of)) if k not in {*base, *driven}]
    return base, driven, passive


def _preferred(robot: Robot, tree: Coordinates) -> list[list[int]]:
    """Return the axes in groups: those that should be dependent first."""
    base, driven, passive = _classes(robot, tree)
    return [passive, *([k] for k in reversed(driven)), *([k] for k in reversed(base))]


def _basis(J: Floats, order: Sequence[Sequence[int]], rank: int) -> set[int]:
    """Return as many columns as the rank that are independent, those of the first groups if possible."""
    rest, chosen = J.copy(), list[int]()
    for group in order:
        left = list(group)
        while left and len(chosen) < rank:
            sizes = [float(np.linalg.norm(rest[:, k])) for k in left]
            best = int(np.argmax(sizes))
            if sizes[best] <= 1e-6 * max(1.0, float(np.abs(J).max())):
                break
            k = left.pop(best)
            unit = rest[:, k] / sizes[best]
            rest = rest - np.outer(unit, unit @ rest)
            chosen.append(k)
    return set(chosen)
