"""Direct dynamics: joint accelerations from coordinates, velocities and efforts.

Two methods. "composite" (Khalil 2010, section 3.3.1): the inertia matrix by composite bodies, the bias by Newton-Euler,
and a factorisation that keeps the zeros of branches. "articulated" (section 3.3.2): the recursion of hybrid_dynamics.py
with all efforts known, whose cost grows only linearly with the number of joints.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ProgramError
from ..graph.node import Scalar, is_zero
from ..program.program import Program, outputs
from ..robot.robot import Robot
from .formulations import DEFAULT
from .frame import INPUTS, State, folded, folded_twice, in_best_frames, leaner, prepare, program
from .hybrid_dynamics import articulated, check_inertia
from .inertia_matrix import Rows, composite_bodies
from .inverse_dynamics import newton_euler
from .joint_law import is_coupled
from .tree import cheapest


@in_best_frames
def direct_dynamics(
    robot: Robot,
    *,
    parameters: str = "standard",
    formulation: str = DEFAULT,
    method: str = "auto",
    external_wrenches: bool | str = False,
    reframe: bool = True,
) -> Program:
    """Return the Program ``q, qd, tau -> qdd``.

    Parameters
    ----------
    method : "articulated", "composite", or "auto" for the one with fewer operations on this robot
    parameters, external_wrenches, reframe : as in ``inverse_dynamics``
    """
    if formulation != DEFAULT:
        from .formulations import programs

        return programs.direct_dynamics(robot, formulation, parameters, external_wrenches)
    methods = {"articulated": articulated_accelerations, "composite": composite_accelerations}
    if method not in (*methods, "auto"):
        raise ProgramError(f"unknown method {method!r}; there are 'auto', {', '.join(map(repr, methods))}")
    given, options = robot, {"external_wrenches": external_wrenches}
    robot, arrays, state = prepare(robot, parameters, ("q", "qd", "tau"), external_wrenches)
    if is_coupled(robot):
        if method == "articulated":
            raise ProgramError(
                f"{robot.name} has mimic joints or tendons with inertia, which articulated bodies cannot follow; "
                "take 'composite'"
            )
        method = "composite"
    names, made = robot.velocity_names, []
    for name in methods if method == "auto" else [method]:
        qdd = outputs(methods[name](robot, state), [len(names)], [names], INPUTS["qdd"][0])
        lean = leaner(direct_dynamics, given, parameters, method=name, **options)
        made.append(program("direct_dynamics", robot, arrays, {"qdd": qdd}, lean=lean))
    return cheapest(made)


def articulated_accelerations(robot: Robot, state: State) -> list[Scalar]:
    """Return the accelerations by articulated bodies."""
    return [x for joint in articulated(robot, state, frozenset())[0][1:] for x in joint]


def composite_accelerations(robot: Robot, state: State) -> list[Scalar]:
    """Return the accelerations that solve M q̈ = τ - h."""
    h = folded(robot, newton_euler(robot, state))
    tau = [x for joint, own in zip(robot.joints, state.tau[1:], strict=True) if not joint.mimic for x in own]
    M = folded_twice(robot, composite_bodies(robot, state.q))
    for name, row, k in zip(robot.velocity_names, M, range(len(M)), strict=True):
        check_inertia(name, row[k])
    return solve(M, [a - b for a, b in zip(tau, h, strict=True)])


def solve(M: Rows, b: Sequence[Scalar]) -> list[Scalar]:
    """Solve M x = b by M = Lᵀ D L, from the last degree of freedom to the first, so that zeros of branches stay
    zeros.
    """
    count = len(b)
    L = [list(row) for row in M]
    inverse: list[Scalar] = [0.0] * count
    for k in reversed(range(count)):
        inverse[k] = 1.0 / L[k][k]
        before = [i for i in range(k) if not is_zero(L[k][i])]
        row = {i: L[k][i] * inverse[k] for i in before}
        for i in before:
            for j in before:
                if j <= i:
                    L[i][j] = L[i][j] - row[i] * L[k][j]
        for i in before:
            L[k][i] = row[i]
    x = list(b)
    for k in reversed(range(count)):  # Lᵀ
        for i in range(k):
            if not is_zero(L[k][i]):
                x[i] = x[i] - L[k][i] * x[k]
    x = [a * d for a, d in zip(x, inverse, strict=True)]
    for k in range(count):  # L
        for i in range(k):
            if not is_zero(L[k][i]):
                x[k] = x[k] - L[k][i] * x[i]
    return x
