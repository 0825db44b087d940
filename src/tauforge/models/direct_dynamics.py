"""Direct dynamics: joint accelerations from coordinates, velocities and torques.

Two methods. "composite" (Khalil 2010, section 3.3.1): the inertia matrix by composite bodies, the bias by Newton-Euler,
and a factorisation that keeps the zeros of branches. "articulated" (section 3.3.2): the recursion of hybrid_dynamics.py
with all torques known, whose cost grows only linearly with the number of joints.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..errors import ProgramError
from ..graph.node import Scalar
from ..program.array import outputs
from ..program.optimise import cheapest
from ..program.program import Program
from ..program.ways import BaseSet
from ..robot.robot import Robot
from ..spatial.solve import solve
from .classical import DEFAULT, classical
from .hybrid_dynamics import articulated
from .inertia_matrix import composite_bodies
from .inverse_dynamics import newton_euler
from .joint_law import is_coupled
from .loops.motors import INDEPENDENT, driven
from .outward import Choices
from .registry import SUMS, model
from .results import program
from .singular import inertia_of, warn_if_singular
from .state import INPUTS, State

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
    efforts: str = INDEPENDENT,
    reframe: bool = True,
    sums: bool = False,
) -> Program:
    """Return the Program ``q, qd, tau -> qdd``.

    Parameters
    ----------
    method
        "articulated", "composite", or "auto" for the one with fewer operations on this robot.
    parameters, external_wrenches, efforts, reframe, sums
        As in ``inverse_dynamics``.
    """
    methods: dict[str, Callable[[Robot, State], list[Scalar]]] = {
        "articulated": articulated_accelerations,
        "composite": partial(composite_accelerations, sums=sums),
    }
    if method not in (*methods, "auto"):
        raise ProgramError(f"unknown method {method!r}; choose among 'auto', {', '.join(map(repr, methods))}")
    if formulation != DEFAULT:
        if method != "auto":
            raise ProgramError(f"method is for formulation={DEFAULT!r}; {formulation!r} has its own")
        if efforts != INDEPENDENT:
            raise ProgramError(f"efforts={efforts!r} is for formulation={DEFAULT!r}; {formulation!r} does not take it")
        return classical("direct_dynamics", robot, formulation, external_wrenches)
    robot, arrays, state = driven(robot, efforts, external_wrenches)
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


def articulated_accelerations(robot: Robot, state: State) -> list[Scalar]:
    """Return the accelerations by articulated bodies."""
    return [x for own in articulated(robot, state, state.coordinates.own(state.tau), frozenset()) for x in own]


def composite_accelerations(robot: Robot, state: State, *, sums: bool = False) -> list[Scalar]:
    """Return the accelerations that solve M q̈ = τ - h."""
    coordinates = state.coordinates
    h = coordinates.gathered(newton_euler(robot, state, choices=Choices(sums=sums)))
    M = coordinates.matrix(composite_bodies(robot, state.q))
    return solve(M, [a - b for a, b in zip(state.tau, h, strict=True)], inertia_of(coordinates.names))
