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
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...graph.node import Scalar, is_zero
from ...spatial.solve import solve
from .constrained_dynamics import product
from .constraints import Constraints

ENOUGH, MORE, LOOSE = (1e-12, 2), (1e-6, 5), (1e-6, 5)
"""Weight w and number of steps: with as many motors as needed, with more, and where equations can depend on others."""
FIRM = 1e-6
"""What keeps λ from growing in the last case, as a part of w."""


class MotorTorques(NamedTuple):
    """Torques of the motors, and what they cannot balance, by axis."""

    tau: list[Scalar]
    unbalanced: list[Scalar]


def motor_torques(g: Sequence[Scalar], constraints: Constraints, motors: Sequence[int]) -> MotorTorques:
    """Return the torques of motors on some axes in the place of torques on all of them."""
    driven, J = {*motors}, constraints.J
    others = [k for k in range(len(g)) if k not in driven]
    settled = all(constraints.dependencies.settled)
    w, steps = (ENOUGH if constraints.rank(others) == len(J) else MORE) if settled else LOOSE
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


def _sum(terms: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for x in terms:
        if not is_zero(x):
            total = total + x
    return total
