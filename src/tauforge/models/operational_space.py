"""Operational space: inertia, bias and gravity as felt at a frame (Khatib 1987).

With the Jacobian J of the frame, Λ = (J M⁻¹ Jᵀ)⁻¹, μ = Λ (J M⁻¹ h - J̇ q̇) and p = Λ J M⁻¹ g, so that the wrench
Λ a + μ + p gives the frame the acceleration a. Damping adds its square to the diagonal before inverting, which keeps Λ
finite near singularities. All solutions share one factorisation: on the graph, these are the same nodes.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ProgramError
from ..graph.node import Scalar, as_node, is_zero
from ..graph.parse import as_scalar
from ..program.array import outputs
from ..program.program import Program
from ..program.ways import BaseSet
from ..robot.robot import Robot
from ..spatial.solve import Check, solve
from .bias import bias, gravity
from .inertia_matrix import Rows, inertia_matrix
from .jacobian import Point, jacobian, jacobian_bias
from .link_motion import VELOCITY
from .prepare import prepare
from .registry import model
from .results import program
from .singular import inertia_of, warn_if_singular
from .state import Values


@model("q, qd -> Lambda, mu, p", "inertia, bias and gravity at a link", watch=warn_if_singular(None))
def operational_space(
    robot: Robot,
    *,
    frame: str = "",
    rows: Sequence[str] = VELOCITY,
    damping: Scalar | str = 0.0,
    point: Point = (0.0, 0.0, 0.0),
    axes: str | None = None,
    parameters: str | BaseSet = "auto",
) -> Program:
    """Return the Program ``q, qd -> Lambda, mu, p`` at a frame.

    ``mu`` is the wrench of Coriolis, centrifugal and friction torques, ``p`` the wrench of gravity.

    Parameters
    ----------
    rows
        Which of vx, vy, vz, wx, wy, wz to take; without damping, at most as many as there are joints that move the
        frame.
    damping
        A number or a symbol; its square is added to the diagonal of J M⁻¹ Jᵀ.
    frame, point, axes
        As in ``jacobian``.
    parameters
        As in ``inverse_dynamics``; all parts take those that ``bias`` takes.
    """
    if wrong := [row for row in rows if row not in VELOCITY]:
        raise ProgramError(f"unknown row {wrong[0]!r}; choose among {', '.join(VELOCITY)}")
    chosen = [VELOCITY.index(row) for row in rows]
    moved = jacobian(robot, frame=frame, point=point, axes=axes)
    count, n = len(chosen), moved.outputs["J"][1]
    J: Rows = [list(moved.results["J"].nodes[n * row : n * row + n]) for row in chosen]
    square = as_node(as_scalar(damping)) * as_node(as_scalar(damping))
    if count > n and as_node(0.0) is square:
        raise ProgramError(f"{count} rows for {n} joints of {robot.name}: choose fewer with rows=, or give a damping")
    forces = bias(robot, parameters=parameters)
    taken = forces.recipe.options.get("parameters", parameters) if forces.recipe else parameters  # by all parts
    elements = inertia_matrix(robot, parameters=taken).results["M"].nodes
    M: Rows = [list(elements[n * i : n * i + n]) for i in range(n)]
    h, g = forces.results["h"].nodes, gravity(robot, parameters=taken).results["g"].nodes
    rate = jacobian_bias(robot, frame=frame, point=point, axes=axes).results["Jdqd"].nodes

    def reach(k: int, mobility: Scalar) -> None:
        if is_zero(mobility):
            raise ProgramError(
                f"{robot.name}: no joint moves {frame} along {rows[k]} apart from the other rows; choose rows without "
                "it, or give a damping"
            )

    rates = [rate[k] for k in chosen]
    checks = (inertia_of(moved.outputs["J"].labels[1]), reach)
    inertia, mu, p = felt(M, h, g, J, rates, square, checks)
    prepared, arrays, _ = prepare(robot, ("q", "qd"))
    results = {
        "Lambda": outputs([x for row in inertia for x in row], [count, count], [rows, rows], "inertia at the frame"),
        "mu": outputs(mu, [count], [rows], "wrench of Coriolis, centrifugal and friction torques"),
        "p": outputs(p, [count], [rows], "wrench of gravity"),
    }
    return program("operational_space", prepared, arrays, results)


def felt(
    M: Rows, h: Values, g: Values, J: Rows, rates: Values, square: Scalar, checks: tuple[Check, Check]
) -> tuple[Rows, Values, Values]:
    """Return Λ, μ and p; ``rates`` is J̇ q̇, and ``square`` is the square of the damping.

    The checks are for the divisors: first inertias of joints, then mobilities of rows.
    """
    free, reach = checks
    columns = [solve(M, row, free) for row in J]
    mobility = [[total(a, b) for b in columns] for a in J]
    for k, row in enumerate(mobility):
        row[k] = row[k] + square
    held = solve(M, g, free)
    driven = solve(M, [a - b for a, b in zip(h, g, strict=True)], free)
    inertia = [solve(mobility, [float(i == k) for i in range(len(J))], reach) for k in range(len(J))]
    mu = solve(mobility, [total(row, driven) - rate for row, rate in zip(J, rates, strict=True)], reach)
    p = solve(mobility, [total(row, held) for row in J], reach)
    return inertia, mu, p


def total(a: Values, b: Values) -> Scalar:
    """Return the sum of products."""
    result: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        result = result + x * y
    return result
