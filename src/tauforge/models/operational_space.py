"""Operational space: inertia, bias and gravity as a frame feels them (Khatib 1987).

With the Jacobian J of the frame, Λ = (J M⁻¹ Jᵀ)⁻¹, μ = Λ (J M⁻¹ h - J̇ q̇) and p = Λ J M⁻¹ g, so that the wrench
Λ a + μ + p gives the frame the acceleration a. Damping adds its square to the diagonal before inverting, which keeps Λ
finite near singularities. Each solution shares the factorisation with the others: on the graph it is the same nodes.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ProgramError
from ..graph.node import Node, Scalar, as_node, is_zero
from ..graph.parse import as_scalar
from ..program.program import Program, outputs
from ..robot.robot import Robot
from .bias import bias, gravity
from .frame import prepare, program
from .inertia_matrix import inertia_matrix
from .jacobian import Point, jacobian, jacobian_bias
from .link_motion import VELOCITY
from .registry import model
from .solve import inertia_of, solve, warn_if_singular


@model("q, qd -> Lambda, mu, p", "inertia, bias and gravity at a link", watch=warn_if_singular(None))
def operational_space(
    robot: Robot,
    *,
    frame: str,
    rows: Sequence[str] = VELOCITY,
    damping: Scalar | str = 0.0,
    point: Point = (0.0, 0.0, 0.0),
    axes: str | None = None,
    parameters: str = "auto",
) -> Program:
    """Return the Program ``q, qd -> Lambda, mu, p`` at a frame.

    ``mu`` is the wrench of Coriolis, centrifugal and friction efforts, ``p`` that of gravity.

    Parameters
    ----------
    rows
        Which of vx, vy, vz, wx, wy, wz to take; at most as many as joints move the frame, unless it is damped.
    damping
        A number or a symbol, whose square is added to the diagonal of J M⁻¹ Jᵀ.
    frame, point, axes
        As in ``jacobian``.
    """
    if wrong := [row for row in rows if row not in VELOCITY]:
        raise ProgramError(f"unknown row {wrong[0]!r}; choose among {', '.join(VELOCITY)}")
    chosen = [VELOCITY.index(row) for row in rows]
    moved = jacobian(robot, frame=frame, point=point, axes=axes)
    count, n = len(chosen), moved.outputs["J"][1]
    J = [list(moved.results["J"].nodes[n * row : n * row + n]) for row in chosen]
    square = as_node(as_scalar(damping)) * as_node(as_scalar(damping))
    if count > n and as_node(0.0) is square:
        raise ProgramError(f"{count} rows for {n} joints of {robot.name}: choose fewer with rows=, or give a damping")
    elements = inertia_matrix(robot, parameters=parameters).results["M"].nodes
    M: list[list[Scalar]] = [list(elements[n * i : n * i + n]) for i in range(n)]
    h, g = (
        bias(robot, parameters=parameters).results["h"].nodes,
        gravity(robot, parameters=parameters).results["g"].nodes,
    )
    rate = jacobian_bias(robot, frame=frame, point=point, axes=axes).results["Jdqd"].nodes

    free = inertia_of(robot.velocity_names)

    def reach(k: int, mobility: Scalar) -> None:
        if is_zero(mobility):
            raise ProgramError(
                f"{robot.name}: no joint moves {frame} along {rows[k]} apart from the other rows; choose rows without "
                "it, or give a damping"
            )

    columns = [solve(M, row, free) for row in J]
    mobility: list[list[Scalar]] = [[total(a, b) for b in columns] for a in J]
    for k in range(count):
        mobility[k][k] = mobility[k][k] + square
    held = solve(M, g, free)
    driven = solve(M, [a - b for a, b in zip(h, g, strict=True)], free)
    inertia = [solve(mobility, [float(i == k) for i in range(count)], reach) for k in range(count)]
    mu = solve(mobility, [total(row, driven) - rate[k] for row, k in zip(J, chosen, strict=True)], reach)
    p = solve(mobility, [total(row, held) for row in J], reach)
    prepared, arrays, _ = prepare(robot, "standard", ("q", "qd"))
    results = {
        "Lambda": outputs([x for row in inertia for x in row], [count, count], [rows, rows], "inertia at the frame"),
        "mu": outputs(mu, [count], [rows], "wrench of Coriolis, centrifugal and friction efforts"),
        "p": outputs(p, [count], [rows], "wrench of gravity"),
    }
    return program("operational_space", prepared, arrays, results)


def total(a: Sequence[Node], b: Sequence[Scalar]) -> Scalar:
    """Return the sum of products."""
    result: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        result = result + x * y
    return result
