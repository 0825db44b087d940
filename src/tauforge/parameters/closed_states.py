"""Random motions of a mechanism with its loops closed, in complex numbers.

What holds for all closed states of a mechanism also holds where its coordinates are complex. Real mechanisms often move
little, and functions that differ look alike on a short way; complex states lie far apart, so that ranks are clear.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError
from ..graph.arrays import Arrays
from ..graph.node import Node, as_node, symbol
from ..models.coordinates import Coordinates
from ..models.loops.closure import gaps, rows
from ..models.loops.freedom import freedom
from ..models.loops.newton import is_closed, newton
from ..models.loops.search import mechanism_of
from ..robot.entries import by_joint, owners
from ..robot.robot import Robot

Numbers = NDArray[Any]
STEPS = 8
"""Steps between one set of states and the next."""
AWAY = 24
"""Steps that lead away from a common start."""
STRIDE = 0.25
"""Length of a step, in metres and radians, about."""
NEWTON = 8
"""Newton steps that close the loops after a step."""
SPREAD = 1.5
"""How far random states are from the first closed one, in metres and radians, about."""
CLOSED = 1e-11
"""Error of a loop that counts as closed."""
REGULAR = 1e-4
"""The least singular value of the loops' equations, as a part of the largest, in a state that is used."""
RANK = 1e-7
"""Singular value, as a part of the largest, below which a motion is allowed."""


class Motions(NamedTuple):
    """Motions at closed states: coordinates (m, c), velocities and accelerations (m, n), and the motions that the
    loops allow (m, n, mobility).
    """

    q: Numbers
    v: Numbers
    a: Numbers
    N: Numbers


class Walk:
    """States that walk along random ways on which the loops stay closed, many at a time.

    Each step is short and must be closed within a few Newton steps, so that a mechanism stays assembled as it is.

    Parameters
    ----------
    count
        How many states.
    guess
        Coordinates from which all start, once closed. Without it they start from random states, so that they come to
        all ways in which the mechanism can be assembled.
    """

    def __init__(self, robot: Robot, count: int, guess: Sequence[float] | None = None) -> None:
        self.names = state_names(robot)
        self.random = np.random.default_rng(0)
        q, v = ([symbol(name) for name in own] for own in self.names[:2])
        lifted, tree = robot.map(as_node), Coordinates.of_tree(robot)
        own, velocities = by_joint(lifted, q), tree.velocities(v)
        J, rates = rows(lifted, own, velocities, whole=True)
        axes = [x for each in velocities for x in each]
        self._size = len(tree.names)
        slopes = [tree.gathered_some(row).get(k, 0.0) for row in J for k in range(self._size)]
        bias = [sum((as_node(x) * axes[k] for k, x in row.items()), start=as_node(0.0)) for row in rates]
        flow, self._unit = _flow(lifted, own, v)
        self._error, self._J, self._bias, self._flow = (
            Arrays([as_node(x) for x in nodes])
            for nodes in ([x for gap in gaps(lifted, own) for x in gap.parts], slopes, bias, flow)
        )
        self.q = self._started(robot, count, guess)
        self._rank = int(self._ranks(self.q)[0].max())
        self._way = self._drawn()
        for _ in range(0 if guess is None else AWAY):
            self._step()
            self._rank = max(self._rank, int(self._ranks(self.q)[0].max()))  # a guess can be singular
        self.mobility = self._size - self._rank

    def _started(self, robot: Robot, count: int, guess: Sequence[float] | None) -> Numbers:
        """Return closed states from which to walk; all the same one if a guess is given."""
        mechanism = mechanism_of(robot)
        near = freedom(robot).q if guess is None else mechanism.closed_from(np.array(guess, dtype=float))
        if near is None:
            raise ProgramError(f"{robot.name}: its loops cannot be closed from this guess; give another one")
        q = np.tile(near, (count, 1))
        if guess is None:
            whole = mechanism.group(range(len(mechanism.names)))
            far = mechanism.step(q, self.random.normal(scale=SPREAD, size=(count, self._size)))
            found, error = newton(mechanism.evaluator(whole), mechanism.step, far, whole.axes)
            ranks, clear = self._ranks(found + 0j)
            same = is_closed(error) & clear & (ranks == self._ranks(q + 0j)[0])
            q = np.where(same[:, None], found, q)
        return self._closed(q + 0j)[0]

    def motions(self, each: int) -> Motions:
        """Walk on, and return some motions of each state that is not near a singular one."""
        for _ in range(STEPS):
            self._step()
        N, good = self._allowed(self.q)
        if not good.any():
            raise ProgramError("no closed state was found that is not near a singular one")
        q, N = np.repeat(self.q[good], each, axis=0), np.repeat(N[good], each, axis=0)
        v = _times(N, self._normal(len(q), self.mobility))
        J, bias = self._equations(q), self._evaluated(self._bias, q, v)
        a = _times(N, self._normal(len(q), self.mobility)) - _least_squares(J, bias)
        return Motions(q, v, a, N)

    def _step(self) -> None:
        """Take one step along each way; a state whose loops do not close again turns to another way."""
        N, _ = self._allowed(self.q)
        along = _times(N, _times(np.swapaxes(N.conj(), 1, 2), self._way))
        sizes = np.linalg.norm(along, axis=1, keepdims=True)
        reached, closed = self._closed(self._moved(self.q, STRIDE * along / np.maximum(sizes, 1e-300)))
        stays = closed & (np.abs(reached.imag).max(axis=1) < 1.5)
        self.q = np.where(stays[:, None], reached, self.q)
        self._way = np.where(stays[:, None], self._way + 0.3 * self._drawn(), self._drawn())

    def _closed(self, q: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
        """Return states with the loops closed, and which are."""
        for _ in range(NEWTON):
            q = self._moved(q, -_least_squares(self._equations(q), self._evaluated(self._error, q)))
        left = np.abs(self._evaluated(self._error, q)).max(axis=1, initial=0.0)
        return q, left < CLOSED

    def _moved(self, q: Numbers, v: Numbers) -> Numbers:
        """Return coordinates after a step of the first order, quaternions staying unit ones."""
        q = q + self._evaluated(self._flow, q, v)
        for own in self._unit:
            q[:, own] /= np.sqrt((q[:, own] ** 2).sum(axis=1, keepdims=True))
        return q

    def _equations(self, q: Numbers) -> Numbers:
        return self._evaluated(self._J, q).reshape(len(q), -1, self._size)

    def _ranks(self, q: Numbers) -> tuple[NDArray[np.int_], NDArray[np.bool_]]:
        """Return the rank of the loops' equations in each state, and whether it is clear."""
        return _rank(np.linalg.svd(self._equations(q), compute_uv=False))

    def _allowed(self, q: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
        """Return the motions that the loops allow, and which states are not near a singular one."""
        _, s, V = np.linalg.svd(self._equations(q))
        ranks, clear = _rank(s)
        return np.swapaxes(V[:, self._rank :].conj(), 1, 2), (ranks == self._rank) & clear

    def _evaluated(self, arrays: Arrays, *values: Numbers) -> Numbers:
        """Return values of nodes for coordinates, and velocities where they are given: (m, nodes)."""
        pairs = zip(self.names, values, strict=False)
        return arrays({name: x[:, k] for own, x in pairs for k, name in enumerate(own)}, len(values[0]))

    def _drawn(self) -> Numbers:
        return self._normal(len(self.q), self._size)

    def _normal(self, *shape: int) -> Numbers:
        return self.random.normal(size=shape) + 1j * self.random.normal(size=shape)


def state_names(robot: Robot) -> tuple[list[str], list[str], list[str]]:
    """Return names for coordinates, velocities and accelerations of the tree."""
    count = range(len(Coordinates.of_tree(robot).names))
    coordinates = [f"q[{k}]" for k in range(len(robot.coordinate_names))]
    return coordinates, [f"qd[{k}]" for k in count], [f"qdd[{k}]" for k in count]


def _flow(robot: Robot, q: Sequence[Sequence[Any]], v: Sequence[Node]) -> tuple[list[Node], list[list[int]]]:
    """Return the rates of all coordinates, and the places of each quaternion."""
    found, unit, rest = list[Node](), list[list[int]](), list(v)
    for j in owners(robot):
        kind = robot.joints[j - 1].kind
        own, rest = rest[: len(kind.velocities)], rest[len(kind.velocities) :]
        names = list(kind.coordinates)
        if len(names) > len(own):
            unit.append(list(range(len(found) + len(names) - 4, len(found) + len(names))))
        for row in kind.tangent(q[j]):
            found.append(as_node(sum((as_node(a) * b for a, b in zip(row, own, strict=True)), start=as_node(0.0))))
    return found, unit


def _rank(s: Numbers) -> tuple[NDArray[np.int_], NDArray[np.bool_]]:
    """Return the rank of matrices with these singular values (m, n), and whether it is clear."""
    large = s > RANK * np.maximum(1.0, s[:, :1])
    least = np.where(large, s, np.inf).min(axis=1, initial=np.inf)
    return large.sum(axis=1), least > REGULAR * s.max(axis=1, initial=0.0)


def _times(A: Numbers, x: Numbers) -> Numbers:
    return np.asarray((A @ x[..., None])[..., 0])


def _least_squares(J: Numbers, b: Numbers) -> Numbers:
    return _times(np.linalg.pinv(J, rcond=RANK), b)
