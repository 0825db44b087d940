"""Joints that make a frame follow a path: exact positions, velocities and accelerations along its parameter u.

Nodes are found one after another; each starts from where the one before leads. Between nodes, a polynomial of the fifth
order through their positions and rates is the guess h(u), and Newton steps then meet the task exactly. Where the task
leaves the joints some freedom, the guess decides: with N a basis of that freedom at the node before,

    task(q) = goal(u),    Nᵀ (q - h(u)) = 0

so q is a smooth function of u, and its rates follow from the same equations: [M; Nᵀ] q' = [goal'; Nᵀ h'], and so on.
At the nodes, the rates are the smallest that follow the goal, q' = M⁺ goal'.

By the implicit function theorem, q stays on one branch as long as the equations' Jacobian [M; Nᵀ] is regular. So a node
is kept only if the determinant has the same sign there, and at places in between, as at the node before; if the task is
met at these places; and if q is close to h there. Otherwise the part is halved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, final

import numpy as np

from ...errors import SimulationError
from ...geometry.reach import ROUNDING, Bounds, Search
from ...models.loops.closing import active_places
from .checks import Floats
from .laws import Rates
from .pose_path import Place, PosePath

NODES, SHORTEST = 32, 2.0**-14
"""Nodes for each segment of a stretch, if it is not curved too much, and the shortest part between two of them."""
CLOSE = 0.02
"""How far the joints may be from where the node before leads, in rad or m, before the part is halved."""
NEWTON = 10
"""Newton steps at the most."""
SINGULAR = 1e-9
"""Part of the largest singular value below which a direction counts as free."""
PLACES = np.array([0.2, 0.5, 0.8, 1.0])
"""Places after a node, as parts of the way to the next, that are checked."""
RESOLVED = 1e-3
"""How far q may be from h at these, in rad or m, before the part is halved."""


class Node(NamedTuple):
    """A place on a stretch: its parameter, all coordinates there, the joints' and their rates, and N of the task.

    With ``rows`` and ``across``, the determinant of [rows M; across] is that of the task and N, positive at the node.
    """

    u: float
    whole: Floats
    q: Floats
    rate: Floats
    second: Floats
    free: Floats
    rows: Floats
    across: Floats


@final
class Stretch:
    """The joints along one stretch of a path."""

    def __init__(self, follower: Follower, goal: Callable[[Floats], Place], nodes: list[Node]) -> None:
        self._follower, self._goal, self.nodes = follower, goal, nodes
        self._u, self._whole, *values, self._free = (
            np.array(x) for x in zip(*(node[:6] for node in nodes), strict=True)
        )
        self._values = values

    def __call__(self, u: Floats) -> Rates:
        """Return the joints' coordinates and their rates by u."""
        k = np.clip(np.searchsorted(self._u, u, side="right") - 1, 0, len(self._u) - 2)
        h, h1, h2 = _hermite(u, self._u[k], self._u[k + 1], [(x[k], x[k + 1]) for x in self._values])
        goal, N = self._goal(u), self._free[k]
        q, whole, met = self._follower.corrected(h, self._whole[k], goal.T, N)
        if not met:
            raise SimulationError(f"{self._follower.robot.name}: {self._follower.task.frame} cannot follow its path")
        rate, second, _ = self._follower.rates(whole, goal, N, h1, h2)
        return q, rate, second

    def whole(self, u: Floats) -> Floats:
        """Return the coordinates of all joints, those that closed loops determine too."""
        k = np.clip(np.searchsorted(self._u, u, side="right") - 1, 0, len(self._u) - 2)
        return self._follower._whole(self(u)[0], self._whole[k])


@final
class Follower:
    """A robot whose frame follows paths."""

    def __init__(self, search: Search) -> None:
        self.search, self.task, self.robot = search, search.task, search.robot
        self.names = self.robot.velocity_names
        whole = self.robot.expanded()
        self.active = np.array(active_places(whole) if self.robot.loops else range(len(self.robot.coordinate_names)))

    def stretch(self, path: PosePath, k: int, whole: Floats, bounds: Bounds | None) -> Stretch:
        """Return the joints along a stretch, from a state that is at its start."""

        def goal(u: Floats) -> Place:
            return path(k, u)

        nodes, parts = [self._node(0.0, whole, goal)], len(path.stretches[k])
        step, shortest = 1.0 / (NODES * parts), SHORTEST / parts
        while nodes[-1].u < 1.0:
            last = nodes[-1]
            u = 1.0 if last.u + step > 1.0 - shortest else last.u + step
            found = self._next(last, u, goal)
            why = (
                f"{self.task.frame} cannot follow the path"
                if found is None
                else self._beyond(last, found, goal, bounds)
            )
            if not why and found is not None:
                nodes.append(found)
                step = min(2.0 * step, 1.0 / (NODES * parts))
            elif step > shortest:
                step *= 0.5
            else:
                part = Stretch(self, goal, nodes) if len(nodes) > 1 else None
                j, passed = path.segment_at(k, last.u)
                where = f"{100.0 * passed:.2f} % of the way from pose {j + 1} to pose {j + 2}"
                raise Stop(f"{why} beyond {where}", part, last.u, last.whole)
        return Stretch(self, goal, nodes)

    def _next(self, last: Node, u: float, goal: Callable[[Floats], Place]) -> Node | None:
        """Return the node at u, or None if it is not found, or not on the branch where the last one leads."""
        h = u - last.u
        ahead = last.q + h * (last.rate + 0.5 * h * last.second)
        there = goal(np.array([u])).T
        q, whole, _ = self.corrected(ahead[None], last.whole[None], there, last.free[None])
        if not np.isfinite(q).all() or np.abs(q[0] - ahead).max() > CLOSE:
            return None
        off = self.task.apart(whole, there)
        if max(off.distance[0], off.angle[0]) > ROUNDING:
            return None
        node = self._node(u, whole[0], goal)
        return None if self._between(last, node, goal, PLACES) is None else node

    def _between(self, last: Node, node: Node, goal: Callable[[Floats], Place], places: Floats) -> Floats | None:
        """Return the joints at places between two nodes, or None if they leave the path or the branch there."""
        u = last.u + (node.u - last.u) * places
        h, there = _hermite(u, *_ends(last, node))[0], goal(u).T
        q, whole, met = self.corrected(h, np.tile(last.whole, (len(u), 1)), there, np.tile(last.free, (len(u), 1, 1)))
        if not met or not np.isfinite(q).all() or np.abs(q - h).max() > RESOLVED:
            return None
        off = self.task.apart(whole, there)
        if max(off.distance.max(), off.angle.max()) > ROUNDING:
            return None
        across = np.broadcast_to(last.across, (len(u), *last.across.shape))
        return q if (np.linalg.det(np.concatenate([last.rows @ off.slopes, across], axis=1)) > 0.0).all() else None

    def _node(self, u: float, whole: Floats, goal: Callable[[Floats], Place]) -> Node:
        n = len(self.names)
        none = np.zeros((1, n, n))
        place = goal(np.array([u]))
        rate, second, free = self.rates(whole[None], place, none, np.zeros((1, n)), None)
        rows, across = _oriented(self.task.apart(whole[None], place.T).slopes[0])
        return Node(u, whole, whole[self.active], rate[0], second[0], free[0], rows, across)

    def corrected(self, h: Floats, near: Floats, goal: Floats, N: Floats) -> tuple[Floats, Floats, bool]:
        """Return the joints near guesses that meet the task, the coordinates of all, and whether steps converge."""
        q, whole = h.copy(), self._whole(h, near)
        for _ in range(NEWTON):
            error, M, distance, angle = self.task.apart(whole, goal)
            wide = np.concatenate([error, np.einsum("kji,kj->ki", N, h - q)], axis=1)
            if not np.isfinite(wide).all():
                return np.full_like(q, np.nan), whole, False
            q = q + _solved(np.concatenate([M, np.swapaxes(N, 1, 2)], axis=1), wide)
            whole = self._whole(q, near)
            if max(distance.max(initial=0.0), angle.max(initial=0.0)) < 1e-9:  # the step has squared that
                return q, whole, True
        return q, whole, False

    def rates(
        self, whole: Floats, goal: Place, N: Floats, h1: Floats, h2: Floats | None
    ) -> tuple[Floats, Floats, Floats]:
        """Return the first and second rates of the joints and the freedom that is left.

        Without h2, rates are the smallest ones, and the second ones theirs.
        """
        v, a = self.task.wanted(*goal)
        M, _ = self.task.moving(whole, np.zeros_like(h1))
        across = np.swapaxes(N, 1, 2)
        stacked = np.concatenate([M, across], axis=1)
        rate = _solved(stacked, np.concatenate([v, np.einsum("kij,kj->ki", across, h1)], axis=1))
        _, Md = self.task.moving(whole, rate)
        rest = a - np.einsum("kij,kj->ki", Md, rate)
        if h2 is not None:
            second = _solved(stacked, np.concatenate([rest, np.einsum("kij,kj->ki", across, h2)], axis=1))
            return rate, second, N
        inverse = np.linalg.pinv(M, rcond=SINGULAR)
        null = np.eye(M.shape[2]) - inverse @ M
        back = np.einsum("kij,kj->ki", np.swapaxes(inverse, 1, 2), rate)
        drift = np.einsum("kij,kj->ki", null, np.einsum("kji,kj->ki", Md, back))  # the rate of M⁺ M, times q'
        return rate, np.einsum("kij,kj->ki", inverse, rest) + drift, _basis(null)

    def _whole(self, q: Floats, near: Floats) -> Floats:
        """Return all coordinates from those of the independent joints; NaN where loops cannot be closed."""
        if not self.robot.loops:
            return q
        guess = near.copy()
        guess[:, self.active] = q
        return self.search.step(guess, np.zeros_like(q))

    def _beyond(self, last: Node, node: Node, goal: Callable[[Floats], Place], bounds: Bounds | None) -> str:
        """Tell which joint exceeds a limit on the way to a node; extremes in between are those of h, corrected."""
        if bounds is None:
            return ""
        q = node.q[None]
        if len(places := _turns(last, node, bounds)):
            inside = self._between(last, node, goal, places)
            q = q if inside is None else np.concatenate([q, inside])
        off = np.maximum(bounds.lower - q, q - bounds.upper).max(axis=0)
        k = int(off.argmax())
        return f"{self.names[k]} would exceed its limit" if off[k] > 1e-9 else ""


class Stop(Exception):
    """The joints cannot follow a path any further: why, and the stretch up to there."""

    def __init__(self, why: str, stretch: Stretch | None, u: float, last: Floats) -> None:
        super().__init__(why)
        self.stretch, self.u, self.last = stretch, u, last


def _basis(null: Floats) -> Floats:
    """Return projectors on free directions; their rank is that of the freedom."""
    return np.where(np.abs(null) > SINGULAR, null, 0.0)


def _oriented(M: Floats) -> tuple[Floats, Floats]:
    """Return rows, and a basis of what the task leaves free, with which [rows M; basis] has a positive determinant."""
    U, sizes, V = np.linalg.svd(M)
    rank = int((sizes > SINGULAR * max(sizes[0], 1e-300)).sum())
    rows, free = U[:, :rank].T.copy(), V[rank:].copy()
    if np.linalg.det(V) < 0.0:
        (rows if rank else free)[0] *= -1.0
    return rows, free


def _ends(last: Node, node: Node) -> tuple[Floats, Floats, list[tuple[Floats, Floats]]]:
    """Return what ``_hermite`` needs for the part between two nodes."""
    values = [(last.q, node.q), (last.rate, node.rate), (last.second, node.second)]
    return np.array([last.u]), np.array([node.u]), [(a[None], b[None]) for a, b in values]


def _turns(last: Node, node: Node, bounds: Bounds) -> Floats:
    """Return where between two nodes joints that may exceed their limits turn back, as parts of the way."""
    T = node.u - last.u
    a, b = (np.array([x.q, T * x.rate, T * T * x.second]) for x in (last, node))
    points = np.array([a[0], a[0] + a[1] / 5, a[0] + a[1] / 2.5 + a[2] / 20,
                       b[0] - b[1] / 2.5 + b[2] / 20, b[0] - b[1] / 5, b[0]])  # fmt: skip
    near = (points.max(axis=0) > bounds.upper - RESOLVED) | (points.min(axis=0) < bounds.lower + RESOLVED)
    found = list[Floats]()
    for d in np.diff(points, axis=0).T[near]:  # Bézier points of the slope
        slope = [d[0] - 4 * d[1] + 6 * d[2] - 4 * d[3] + d[4], -4 * d[0] + 12 * d[1] - 12 * d[2] + 4 * d[3],
                 6 * d[0] - 12 * d[1] + 6 * d[2], -4 * d[0] + 4 * d[1], d[0]]  # fmt: skip
        roots = np.roots(slope)
        found.append(roots.real[(np.abs(roots.imag) < 1e-6) & (roots.real > 0.0) & (roots.real < 1.0)])
    return np.concatenate(found) if found else np.empty(0)


def _solved(A: Floats, b: Floats) -> Floats:
    """Return the smallest solutions of systems (k, rows, n)."""
    return np.asarray(np.einsum("kij,kj->ki", np.linalg.pinv(A, rcond=SINGULAR), b))


def _hermite(u: Floats, left: Floats, right: Floats, ends: list[tuple[Floats, Floats]]) -> Rates:
    """Return the polynomials of the fifth order with given values and two rates at both ends, and their rates."""
    T = (right - left)[:, None]
    (p, p1), (v, v1), (a, a1) = ends
    way, rate, second = p1 - p - v * T - 0.5 * a * T**2, (v1 - v - a * T) * T, (a1 - a) * T**2
    c3, c4, c5 = 10 * way - 4 * rate + 0.5 * second, -15 * way + 7 * rate - second, 6 * way - 3 * rate + 0.5 * second
    x = (u - left)[:, None] / T
    return (
        p + v * T * x + 0.5 * a * T**2 * x**2 + ((c5 * x + c4) * x + c3) * x**3,
        v + a * T * x + ((5 * c5 * x + 4 * c4) * x + 3 * c3) * x**2 / T,
        a + ((20 * c5 * x + 12 * c4) * x + 6 * c3) * x / T**2,
    )
