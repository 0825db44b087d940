"""Direct dynamics: joint accelerations from coordinates, velocities and torques.

Two methods. "composite" (Khalil 2010, section 3.3.1): the inertia matrix by composite bodies, the bias by Newton-Euler,
and a factorisation that keeps the zeros of branches. "articulated" (section 3.3.2): the recursion of hybrid_dynamics.py
with all torques known, whose cost grows only linearly with the number of joints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from ..errors import ProgramError
from ..graph.node import Scalar
from ..program.array import Array, outputs
from ..program.optimise import cheapest
from ..program.program import Program
from ..program.ways import BaseSet
from ..robot.robot import Robot
from ..spatial.solve import solve
from .classical import DEFAULT, classical
from .coordinates import ALL, INDEPENDENT
from .hybrid_dynamics import articulated
from .inertia_matrix import composite_bodies
from .inverse_dynamics import newton_euler
from .joint_law import is_coupled
from .loops.motors import AUTO, driven
from .outward import Choices
from .registry import SUMS, model
from .results import program
from .singular import inertia_of, warn_if_singular
from .state import INPUTS, State

MULTIPLIERS = "forces and moments that hold the loops closed"
CHOICES = {"method": ("composite", "articulated"), **SUMS}


@model(
    "q, qd, tau -> qdd",
    "accelerations that torques cause",
    groups="auto",
    watch=warn_if_singular("qdd"),
    choices=CHOICES,
)
def direct_dynamics(
    robot: Robot,
    *,
    parameters: str | BaseSet = "auto",
    formulation: str = DEFAULT,
    method: str = "auto",
    external_wrenches: bool | str = False,
    coordinates: str = INDEPENDENT,
    efforts: str = AUTO,
    multipliers: bool = False,
    reframe: bool = True,
    sums: bool = False,
) -> Program:
    """Return the Program ``q, qd, tau -> qdd``.

    Parameters
    ----------
    method
        "articulated", "composite", or "auto" for the one with fewer operations on this robot.
    coordinates
        With closed loops, whose velocities and accelerations ``qd`` and ``qdd`` have: "independent", those of
        ``robot.independent``, or "all", those of every axis of the tree. With all of them, accelerations stay accurate
        in states in which the independent joints do not determine the others; ``qd`` must satisfy the loops' equations.
    multipliers
        Whether to return ``multipliers`` too, in all coordinates: the forces and moments that hold the loops closed,
        by loop and component as in ``loop_closure``, with τ + Jᵀ λ = M q̈ + h in the tree. If they are not unique,
        they are those with the least norm.
    parameters, external_wrenches, efforts, reframe, sums
        As in ``inverse_dynamics``.
    """
    methods: dict[str, Callable[[Robot, State], list[Scalar]]] = {
        "articulated": articulated_accelerations,
        "composite": partial(composite_accelerations, sums=sums),
    }
    if method not in (*methods, "auto"):
        raise ProgramError(f"unknown method {method!r}; choose among 'auto', {', '.join(map(repr, methods))}")
    if multipliers and (coordinates != ALL or not robot.loops):
        raise ProgramError(f"multipliers are those of closed loops, with coordinates={ALL!r}")
    if formulation != DEFAULT:
        if method != "auto":
            raise ProgramError(f"method is for formulation={DEFAULT!r}; {formulation!r} has its own")
        if efforts not in (AUTO, INDEPENDENT):
            raise ProgramError(f"efforts={efforts!r} is for formulation={DEFAULT!r}; {formulation!r} does not take it")
        return classical("direct_dynamics", robot, formulation, external_wrenches, coordinates=coordinates)
    robot, arrays, state = driven(robot, efforts, external_wrenches, coordinates)
    if coordinates == ALL and robot.loops:
        if method == "articulated":
            raise ProgramError(f"{robot.name} has closed loops; take method='composite' with coordinates={ALL!r}")
        return cheapest(_in_all_coordinates(robot, arrays, state, sums, multipliers))
    if is_coupled(robot, state.coordinates):
        if method == "articulated":
            raise ProgramError(
                f"{robot.name} has joints that follow others, or tendons with inertia, which articulated bodies cannot "
                "follow; take 'composite'"
            )
        method = "composite"
    names, made = state.coordinates.names, []
    for name in methods if method == "auto" else [method]:
        qdd = outputs(methods[name](robot, state), [len(names)], [names], INPUTS["qdd"][0])
        made.append(program("direct_dynamics", robot, arrays, {"qdd": qdd}))
    return cheapest(made)


def _in_all_coordinates(
    robot: Robot, arrays: dict[str, Array], state: State, sums: bool, multipliers: bool
) -> Iterator[Program]:
    """Yield the Programs whose unknowns are eliminated in different orders."""
    from .loops.constrained_dynamics import constrained_accelerations
    from .loops.constraints import labels

    names, equations = state.coordinates.names, labels(robot)
    for sparsest in (False, True):
        qdd, forces = constrained_accelerations(robot, state, sums=sums, sparsest=sparsest)
        results = {"qdd": outputs(qdd, [len(names)], [names], INPUTS["qdd"][0])}
        if multipliers:
            results["multipliers"] = outputs(forces, [len(equations)], [equations], MULTIPLIERS)
        yield program("direct_dynamics", robot, arrays, results)


def articulated_accelerations(robot: Robot, state: State) -> list[Scalar]:
    """Return the accelerations by articulated bodies."""
    return [x for own in articulated(robot, state, state.coordinates.own(state.tau), frozenset()) for x in own]


def composite_accelerations(robot: Robot, state: State, *, sums: bool = False) -> list[Scalar]:
    """Return the accelerations that solve M q̈ = τ - h."""
    coordinates = state.coordinates
    h = coordinates.gathered(newton_euler(robot, state, choices=Choices(sums=sums)))
    M = coordinates.matrix(composite_bodies(robot, state.q))
    return solve(M, [a - b for a, b in zip(state.tau, h, strict=True)], inertia_of(coordinates.names))
