"""The dynamics of closed loops in all coordinates: those of the tree, and the forces that hold its loops closed.

    M q̈ + h = τ + Jᵀ λ,    J q̈ = -J̇ q̇

with M and h of the open tree and the loops' equations J (constraints.py). Nothing here depends on which joints are
independent, so that nothing is singular where only these stop describing the motion.

Multipliers that are unique come from one sparse factorisation (spatial/saddle_point.py). Where dependencies between
equations change from state to state, a small compliance E takes the place of zero, and each step afterwards solves for
what is left of the equations (the method of multipliers). Along a direction in which J M⁻¹ Jᵀ is a, each step leaves
E / (a + E) of the error. Where a is zero, so is Jᵀ: rounding errors there, of about 2e-16 a_max / E, change multipliers
but no acceleration, and multipliers start from zero, so they are those with the least norm.

Joints that can move without moving any mass, as far as the tree is concerned, make M singular. The loops that hold them
are added to it: M + Jᵀ W J and Jᵀ W c in the place of M and zero change no solution of J q̈ = c.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

import numpy as np

from ...errors import ProgramError
from ...graph.node import Scalar, is_zero
from ...robot.entries import by_joint
from ...robot.robot import Robot
from ...robot.scalars import randomised
from ...spatial.saddle_point import Row, SaddlePoint
from ..inertia_matrix import composite_bodies
from ..inverse_dynamics import newton_euler
from ..outward import CHOICES, Choices
from ..singular import WEAK, check_inertia
from ..state import State
from .constraints import Constraints
from .freedom import freedom

COMPLIANCE = 1e-8
"""Compliance of equations that can depend on others, as a part of what the mean inertia of the axes gives."""
STEPS = 2
"""How many steps follow the first, where equations can depend on others."""
PART = 1e-6
"""Part of an axis in a motion of unit length, above which the axis has a part in it."""


class ConstrainedInertia:
    """The inertia of the tree's axes and the loops' equations at a state, factorised.

    Parameters
    ----------
    constraints
        The loops' equations there.
    axes
        The axes that accelerations are solved for; all by default.
    sparsest
        The order of elimination, see ``SaddlePoint``.
    compliance
        That of equations that can depend on others, as a part of what the mean inertia of the axes gives.
    """

    def __init__(
        self,
        robot: Robot,
        state: State,
        constraints: Constraints,
        axes: Sequence[int] | None = None,
        *,
        sparsest: bool = False,
        compliance: float = COMPLIANCE,
    ) -> None:
        tree = state.coordinates
        self.M = tree.symmetric(composite_bodies(robot, state.q))
        self.axes = [*range(len(self.M))] if axes is None else [*axes]
        place = {axis: k for k, axis in enumerate(self.axes)}
        self._J: list[Row] = [{place[axis]: x for axis, x in row.items() if axis in place} for row in constraints.J]
        own = [[self.M[i][k] for k in self.axes] for i in self.axes]
        mean = _sum([row[k] for k, row in enumerate(own)]) * (1.0 / max(1, len(own)))
        settled = constraints.dependencies.settled
        self._is_settled = all(settled)
        E: list[Scalar] = [0.0 if each else compliance / mean for each in settled]
        self.compliances = E
        light = _weightless(robot, state, self.axes)
        self.stiff = {i: mean for i, row in enumerate(self._J) if light & row.keys()}
        for i, weight in self.stiff.items():
            for k, a in self._J[i].items():
                for n, b in self._J[i].items():
                    own[k][n] = own[k][n] + weight * (a * b)
        names = [tree.names[axis] for axis in self.axes]
        self._saddle = SaddlePoint(own, self._J, E, lambda k, x: check_inertia(names[k], x), sparsest)

    @property
    def pivots(self) -> list[Scalar]:
        """For each equation, what is left of j M⁻¹ jᵀ when those before it are kept."""
        return self._saddle.pivots

    def solved(self, f: Sequence[Scalar], c: Sequence[Scalar], steps: int = STEPS) -> tuple[list[Scalar], list[Scalar]]:
        """Return x and λ in M x = f + Jᵀ λ and J x = c; where equations can depend on others, after some steps."""
        f = list(f)
        for i, weight in self.stiff.items():
            for k, a in self._J[i].items():
                f[k] = f[k] + a * (weight * c[i])
        x, multipliers = self._saddle.solved(f, c)
        for _ in range(0 if self._is_settled else steps):
            left = [b - product(row, x) for row, b in zip(self._J, c, strict=True)]
            dx, more = self._saddle.solved([0.0] * len(x), left)
            x = [a + b for a, b in zip(x, dx, strict=True)]
            multipliers = [a + b for a, b in zip(multipliers, more, strict=True)]
        return x, multipliers


def constrained_accelerations(
    robot: Robot, state: State, *, sums: bool = False, sparsest: bool = False
) -> tuple[list[Scalar], list[Scalar]]:
    """Return the accelerations of all axes that torques along them cause, and the multipliers of all equations."""
    constraints = Constraints.of(robot, state.coordinates, state.q, state.qd)
    h = state.coordinates.gathered(newton_euler(robot, state, choices=Choices(sums=sums) if sums else CHOICES))
    inertia = ConstrainedInertia(robot, state, constraints, sparsest=sparsest)
    f = [a - b for a, b in zip(state.tau, h, strict=True)]
    qdd, multipliers = inertia.solved(f, [-x for x in constraints.drift])
    return qdd, constraints.dependencies.least(multipliers)


def partly_accelerated(
    robot: Robot, state: State, known: Mapping[int, Scalar], tau: Mapping[int, Scalar], *, sparsest: bool = False
) -> tuple[dict[int, Scalar], dict[int, Scalar]]:
    """Return torques along the axes whose accelerations are known, and the accelerations of those with known torques.

    All are given by axis.
    """
    tree = state.coordinates
    constraints = Constraints.of(robot, tree, state.q, state.qd)
    if constraints.rank([*tau]) < constraints.rank():
        raise ProgramError(
            f"{robot.name}: the accelerations of {', '.join(tree.names[k] for k in known)} cannot all be given: with "
            f"the loops closed, some follow from the others; choose among the independent joints, "
            f"{', '.join(robot.independent)}"
        )
    qdd = tree.accelerations([known.get(k, 0.0) for k in range(len(tree.names))], state.qd)
    b = tree.gathered(newton_euler(robot, replace(state, qdd=qdd)))
    inertia = ConstrainedInertia(robot, state, constraints, [*tau], sparsest=sparsest)
    pulled = [product({k: row[k] for k in known if k in row}, known) for row in constraints.J]
    c = [-drift - x for drift, x in zip(constraints.drift, pulled, strict=True)]
    found, multipliers = inertia.solved([x - b[k] for k, x in tau.items()], c)
    accelerations = dict(zip(tau, found, strict=True))
    efforts = {k: b[k] + product({i: inertia.M[k][i] for i in tau}, accelerations) for k in known}
    for row, x in zip(constraints.J, multipliers, strict=True):
        for k in known:
            if k in row:
                efforts[k] = efforts[k] - row[k] * x
    return efforts, accelerations


def _weightless(robot: Robot, state: State, axes: Sequence[int]) -> set[int]:
    """Return the places of axes that take part in motions of the open tree that move no mass, found in numbers."""
    numeric = randomised(robot, Random(1))
    q = by_joint(numeric, [float(x) for x in freedom(robot).q])
    M = state.coordinates.symmetric(composite_bodies(numeric, q))
    own = np.array([[float(M[i][k]) for k in axes] for i in axes])
    scale = np.sqrt(np.maximum(np.diag(own), 0.0))
    scale[scale == 0.0] = 1.0
    values, vectors = np.linalg.eigh(own / np.outer(scale, scale))
    still = np.abs(vectors[:, values <= WEAK * len(axes)] / scale[:, None])
    still /= np.maximum(still.max(axis=0, initial=0.0), np.finfo(float).tiny)
    return set(np.flatnonzero(still.max(axis=1, initial=0.0) > PART).tolist())


def product(row: Row, values: Sequence[Scalar] | Mapping[int, Scalar]) -> Scalar:
    """Return a sparse row times a vector."""
    return _sum([x * values[k] for k, x in row.items() if not is_zero(x) and not is_zero(values[k])])


def _sum(terms: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for x in terms:
        total = total + x
    return total
