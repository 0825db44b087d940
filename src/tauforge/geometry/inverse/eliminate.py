"""General arms by a determinant: compiled elimination, a wave of one angle, and its zeros.

The same equations as those of the eigenvalue problem (``general.py``), where the joints 3, 4, 5 round the loop stay
clear of the goal: then what they carry does not depend on the pose. The determinant of the twelve equations, in cosine
and sine of joint 3, is a wave of eight frequencies, as there are at most sixteen solutions.
"""

from __future__ import annotations

from functools import cache, cached_property
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...graph.node import Scalar
from ...program.array import inputs
from ...program.program import Program
from ...runtime.function import Function
from ...spatial.pose import HERE, Pose
from ...spatial.vector import Vector, cross, dot
from .branches import goal, motion, skew
from .chain import Floats
from .circle import frequencies, sampled, zeros
from .loop import GOAL, Loop
from .orthogonal import EQUATIONS, LEFT, complement, determinant, kernel, made
from .result import Truths
from .states import States

if TYPE_CHECKING:
    from .general import Choice, General

HIGHEST = 12
"""The highest frequency that the determinant of twelve equations can have."""
SINGULAR = 1e-7
"""Entries of a triangle below it leave the elimination to others."""
MOST_NOISE = 1e-9
"""The most that counts as rounding of a wave, relative to its size: more would leave too many poses to others."""
VANISHING = 1e-9
"""The size of a wave, relative to that at other poses, below which it is rounding: its matrix is always singular."""
SECOND = 1e-6
"""Squared error of a second branch that is worth a look."""
TRIGONOMETRIC = np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 0.5], [0.5, -0.5, 0.0]])
"""From coefficients of 1, x, x² to those of 1, cos, sin, with x the tangent of half the angle."""


class Candidates(NamedTuple):
    """States, how many solutions each pose has at least, poses left open, and those with zeros that may be several."""

    states: States
    crossed: NDArray[np.intp]
    unclear: Truths
    touched: Truths


def fourteen(h: Vector, p: Vector) -> list[Scalar]:
    """Return the functions of a direction and a point that Raghavan and Roth found."""
    pp, ph = dot(p, p), dot(p, h)
    return [*h, *p, pp, ph, *cross(p, h), *(h * pp - p * (2.0 * ph))]


@cache
def around(count: int) -> Floats:
    """Return cosines and sines of so many equal steps round the circle."""
    at = 2.0 * np.pi * np.arange(count) / count
    return np.stack([np.cos(at), np.sin(at)], axis=1)


class Eliminated:
    """Candidates for all solutions, for one choice of joints."""

    def __init__(self, general: General, choice: Choice) -> None:
        self.general, self.choice = general, choice
        order = choice.order
        grids = [general._grid(k, offset) for k, offset in zip(choice.kept, choice.offsets, strict=True)]
        nowhere = Pose.of([np.full((1, 1), float(x)) for x in HERE.homogeneous])
        values = general._values(
            nowhere, {}, general._ways(order)[0], order[5], order[2:5], [grid.at for grid in grids]
        )
        every = np.concatenate([values, np.ones((1, 1, 3, 3, 3))], axis=1)[0]
        halves = np.einsum("eijl,ia,jb,lc->eabc", every, *(grid.half for grid in grids))
        self.left = np.einsum("eabc,ad->ebcd", halves, TRIGONOMETRIC).reshape(EQUATIONS + 1, 27)
        self.degree, self.span, self.noise, self.least = HIGHEST, np.inf, 0.0, 0.0

    @classmethod
    def of(cls, general: General, choice: Choice, T: Floats, q: Floats) -> Eliminated | None:
        """Return the method for a choice; None if some poses, each with a state that has it, show that it fails."""
        order = choice.order
        joints = {k for k, _ in general._ways(order)[0]}
        if choice.hidden or general.chain.axes[order[2]].slides or joints & {GOAL, *general.arm.held}:
            return None
        own, right = cls(general, choice), general._right(T, q, order)
        S, lost = own.combined(np.ascontiguousarray(right[..., 1:]), right[..., 0])
        values = own.waves(S)
        if lost.any() or not np.isfinite(values).all():
            return None
        own.noise = own._rounding(T, q, values)
        own.degree, size = frequencies(values), np.abs(values).max(axis=1)
        own.least = VANISHING * float(np.median(size))
        at = q[:, general.chain.axes[order[2]].place] - choice.offsets[0]
        there = determinant()(S, np.stack([np.cos(at), np.sin(at)], axis=1))[:, 0]
        own.span = float(np.log10(size / np.abs(sampled(values)).min(axis=1)).mean())
        fine = np.abs(there) < 1e-8 * size
        return own if fine.all() and 0 < own.degree < HIGHEST else None

    def _rounding(self, T: Floats, q: Floats, values: Floats) -> float:
        """Return by how much waves change, relative to their size, where the last digits of poses do: the nearer an arm
        is to one whose equations depend on each other, the more.
        """
        digits = np.random.default_rng(1).choice([-1.0, 1.0], T.shape) * np.finfo(float).eps
        right = self.general._right(T * (1.0 + digits), q, self.choice.order)
        other = self.waves(self.combined(np.ascontiguousarray(right[..., 1:]), right[..., 0])[0])
        return min(MOST_NOISE, float((np.abs(other - values).max(axis=1) / np.abs(values).max(axis=1)).max()))

    @cached_property
    def right(self) -> Function:
        """``T, near -> A, alone, skew``: coefficients (14, 8) of products of the joints 1 and 2, constants (14), and by
        how much T is not a pose.
        """
        general, order = self.general, self.choice.order
        axis, way = general.chain.axes[order[5]], general._ways(order)[1]
        T, near = goal("frame"), inputs("near", general.arm.robot.coordinate_names, "given joints")
        held = {k: motion(general.chain, k, near) for k in general.arm.held}
        pair = [general._grid(k, 0.0) for k in order[:2]]
        values = list[list[Scalar]]()
        for at in product(*(grid.at for grid in pair)):
            q = {k: general._motion(k, x * general.scale(k)) for k, x in zip(order[:2], at, strict=True)}
            loop = Loop(general.chain, Pose.of(T.nodes), {**held, **q})
            p = loop.carried(way, axis.o, True) - general.centre
            values.append(fourteen(loop.carried(way, axis.h, False), p * (1.0 / general.size)))
        table = np.kron(pair[0].plain, pair[1].plain)
        found = [
            [sum((float(table[k, j]) * values[k][i] for k in range(9)), start=0.0) for j in range(9)] for i in range(14)
        ]
        results = {
            "A": made([x for row in found for x in row[1:]], EQUATIONS, 8),
            "alone": made([row[0] for row in found], EQUATIONS),
            "skew": made([skew(T.nodes)], 1),
        }
        return Function(Program(f"{general.arm.robot.name}_right", {"T": T, "near": near}, results), warn=False)

    def _system(self, T: Floats, near: Floats) -> tuple[Floats, Truths]:
        """Return six equations (k, 6, 9, 3), and poses for which they are not the right ones."""
        return self.combined(*self.right(T, near)[:2])

    def combined(self, A: Floats, alone: Floats) -> tuple[Floats, Truths]:
        """Return six equations without the products that have coefficients A, and poses for which they are wrong."""
        N, size = complement()(A, alone)
        S = N.reshape(-1, EQUATIONS + 1) @ self.left
        return S.reshape(-1, LEFT, 9, 3), ~(np.abs(size).min(axis=1) > SINGULAR)

    def waves(self, S: Floats) -> Floats:
        """Return determinants (k, 2 D + 1) at equal steps of the angle of joint 3."""
        return np.asarray(determinant()(S[:, None], around(2 * self.degree + 1))[..., 0])

    def candidates(self, T: Floats, near: Floats) -> Candidates:
        """Return candidates for poses (k, 4, 4)."""
        S, lost = self._system(T, near)
        values = self.waves(S)
        found, vanishes = zeros(values, self.noise), ~(np.abs(values).max(axis=1) > self.least)
        pose = found.wave
        states = States(self.joints(near[pose], found.angle, kernel()(S[pose], found.angle[:, None])), pose)
        states, missed = self.general._completed(T, states, self.choice.kept, SECOND)
        touched = np.bincount(pose, minlength=len(T)) > found.crossed
        touched[pose[missed]] = True
        touched |= vanishes
        return Candidates(states, found.crossed, found.unclear | lost | vanishes, touched)

    def joints(self, near: Floats, angle: Floats, ratios: Floats) -> Floats:
        """Return states with the joints 3, 4, 5 from the angle of joint 3 and the tangents of the other two, and with
        all others where they are.
        """
        q = near.copy()
        for k, offset, x in zip(self.choice.kept, self.choice.offsets, (None, *ratios.T), strict=True):
            axis = self.general.chain.axes[k]
            own = offset + (angle if x is None else 2.0 * np.arctan(x))
            q[:, axis.place] = np.tan(0.5 * own) * self.general.size if axis.slides else own
        return q
