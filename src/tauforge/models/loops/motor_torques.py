"""The torques of motors that a motion of all joints takes, in all coordinates.

With the tree's torques g = M q̈ + h, in two parts, of axes that have a motor (m) and of others (p):

    τ = g_m - J_mᵀ λ,    u = g_p - J_pᵀ λ

The loops' forces λ carry what the motors give to the other axes. What is left there, u, cannot be balanced by any
torques of the motors. λ makes |u|² least, and among all that do, it makes |τ|² least. This is what is found, without
branches, where the motors suffice and where they do not, in singular states of the motors and with more motors than
degrees of freedom: the steps

    (J_p J_pᵀ + w J_m J_mᵀ) Δλ = J_p (u + y) + w J_m τ,    then    y ← y + u

are those of the method of multipliers for the least |τ|² under J_p u = 0. Each leaves w / (w + σ²) of the error along a
direction in which the loops act on the other axes with a lever σ; where σ² is far below w, they are taken not to act.
With more motors than needed, σ is always zero along some directions: there w decides, so that it must be larger.

Motors that act on several axes, τ_axes = Rᵀ τ_m, are given axes of their own first: q = R⁺ y + V z, where the columns
of V are orthogonal directions of unit length that no motor moves. Then y are the motors' coordinates, and what acts
along z is unbalanced. Of motors whose rows depend on each other, with R = U R' and orthonormal columns of U, those of
R' are taken: τ_m = U τ'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import ProgramError
from ...graph.node import Node, Scalar, is_zero
from ...graph.operations import CONST
from ...spatial.solve import solve
from ..coordinates import Row
from .constrained_dynamics import product
from .constraints import Constraints

Floats = NDArray[np.float64]
ENOUGH, MORE, LOOSE = (1e-12, 2), (1e-6, 5), (1e-6, 5)
"""Weight w and number of steps: with as many motors as needed, with more, and where equations can depend on others."""
RANK = 1e-10
"""Singular value of the motors' rows, as a part of the largest, below which they depend on each other."""
FIRM = 1e-6
"""What keeps λ from growing in the last case, as a part of w."""


class MotorTorques(NamedTuple):
    """Torques of the motors, and what they cannot balance, by axis."""

    tau: list[Scalar]
    unbalanced: list[Scalar]


class Axes(NamedTuple):
    """Axes of their own for motors that act on several.

    Attributes
    ----------
    block
        The axes that such motors act on.
    T
        What they are along the new axes: q = T y, those of the motors first.
    U
        The torques of the motors from those along the first of the new axes.
    motors
        Which motors these are.
    """

    block: list[int]
    T: Floats
    U: Floats
    motors: list[int]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Axes | None:
        """Return them for the rows of all motors; None if each acts on one axis, of which it has the coordinate."""
        block = sorted({k for row in rows if [*row.values()] != [1.0] for k in row})
        if not block:
            return None
        motors = [i for i, row in enumerate(rows) if {*row} & {*block}]
        R = np.array([[_number(rows[i].get(k, 0.0)) for k in block] for i in motors])
        U, s, Vt = np.linalg.svd(R)
        rank = int((s > RANK * s[0]).sum())
        U = np.eye(len(R)) if rank == len(R) else U[:, :rank]
        return cls(block, _rounded(np.hstack([np.linalg.pinv(U.T @ R), Vt[rank:].T])), _rounded(U), motors)

    def row(self, row: Row) -> Row:
        """Return a row along the new axes."""
        new = {k: x for k, x in row.items() if k not in self.block}
        old = {i: row[k] for i, k in enumerate(self.block) if k in row}
        for k, column in zip(self.block, self.T.T, strict=True):
            x = _sum([old[i] * float(column[i]) for i in old if column[i]])
            if not is_zero(x):
                new[k] = x
        return new


def motor_torques(g: Sequence[Scalar], constraints: Constraints, rows: Sequence[Row]) -> MotorTorques:
    """Return the torques of motors, each with the axes that it moves, in the place of torques on all axes."""
    axes = Axes.of(rows)
    if axes is None:
        return _on_axes(g, constraints, [axis for row in rows for axis in row], np.eye(len(g)))
    own = axes.row(dict(enumerate(g)))
    moved = replace(constraints, J=[axes.row(row) for row in constraints.J])
    columns = np.eye(len(g))
    columns[np.ix_(axes.block, axes.block)] = axes.T
    single = {i: k for i, row in enumerate(rows) for k in row if i not in axes.motors}
    first = axes.block[: axes.U.shape[1]]
    lever = max(float(np.linalg.norm(axes.T[:, : len(first)], ord=2)), 1.0 if single else 0.0)
    found = _on_axes([own.get(k, 0.0) for k in range(len(g))], moved, [*single.values(), *first], columns, lever)
    torques = dict(zip(single, found.tau, strict=False))
    along = found.tau[len(single) :]
    for i, factors in zip(axes.motors, axes.U, strict=True):
        torques[i] = _sum([x * float(factor) for x, factor in zip(along, factors, strict=True) if factor])
    left = found.unbalanced
    V = axes.T[:, len(first) :]
    missing = [left[k] for k in axes.block[len(first) :]]
    for k, factors in zip(axes.block, V, strict=True):
        left[k] = _sum([x * float(factor) for x, factor in zip(missing, factors, strict=True) if factor])
    return MotorTorques([torques[i] for i in range(len(rows))], left)


def _on_axes(
    g: Sequence[Scalar], constraints: Constraints, motors: Sequence[int], columns: Floats, lever: float = 1.0
) -> MotorTorques:
    """Return the torques of motors that have axes of their own.

    Parameters
    ----------
    columns
        The axes of the tree along those, a column for each.
    lever
        How far axes of the tree move with those of the motors.
    """
    driven, J = {*motors}, constraints.J
    others = [k for k in range(len(g)) if k not in driven]
    settled = all(constraints.dependencies.settled)
    w, steps = (ENOUGH if constraints.rank(columns[:, others]) == len(J) else MORE) if settled else LOOSE
    w /= lever**2
    if not any(k in row for row in J for k in others):  # all axes that loops act on have motors
        w, steps = 1.0, 1 if settled else steps
    N: list[list[Scalar]] = [[0.0] * len(J) for _ in J]
    for i, row in enumerate(J):
        for k, other in enumerate(J[: i + 1]):
            shared = [axis for axis in row if axis in other]
            N[i][k] = _sum([row[a] * other[a] for a in shared if a not in driven]) + w * _sum(
                [row[a] * other[a] for a in shared if a in driven]
            )
    if not settled:
        firm = _sum([x * x for row in J for x in row.values()]) * (w * FIRM / max(1, len(J)))
        for i, own in enumerate(N):
            own[i] = own[i] + firm
    left = list(g)  # u and τ, by axis
    y: dict[int, Scalar] = {}
    for step in range(steps if J else 0):
        pull = [x * w if k in driven else x + y.get(k, 0.0) for k, x in enumerate(left)]
        more = solve(N, [product(row, pull) for row in J], lambda *_: None)
        for row, x in zip(J, more, strict=True):
            for k, a in row.items():
                left[k] = left[k] - a * x
        if step + 1 < steps:
            y = {k: y.get(k, 0.0) + left[k] for k in others}
    return MotorTorques([left[k] for k in motors], [0.0 if k in driven else x for k, x in enumerate(left)])


def _number(x: Scalar) -> float:
    """Return how far a motor moves with an axis."""
    if isinstance(x, Node) and x.op is not CONST:
        raise ProgramError("in all coordinates, motors that act on several axes need numbers: give symbols values")
    return float(x)


def _rounded(x: Floats) -> Floats:
    """Return numbers without what rounding has made of zeros and ones."""
    near = np.round(x)
    found: Floats = np.where(np.abs(x - near) < 1e-14 * np.abs(x).max(initial=1.0), near, x)
    return found


def _sum(terms: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for x in terms:
        if not is_zero(x):
            total = total + x
    return total
