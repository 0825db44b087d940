"""Hybrid dynamics from M q̈ + h = τ, for mimic joints and tendons with inertia, which couple accelerations.

With the accelerations in two parts, k known and u unknown, and b = M q̈ + h with the unknown ones set to zero:
M_uu q̈_u = τ_u - b_u and τ_k = b_k + M_ku q̈_u.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from ..robot.robot import Robot
from ..spatial.solve import solve
from .inertia_matrix import composite_bodies
from .inverse_dynamics import newton_euler
from .singular import inertia_of
from .state import State, Values


def solved(robot: Robot, state: State, given: Sequence[Values], accelerated: Set[int]) -> list[Values]:
    """Return torques or accelerations by joint, as ``hybrid_dynamics.articulated`` does; a joint that is not
    independent has none.
    """
    coordinates = state.coordinates
    entries = [(j in accelerated, x) for j in coordinates.independent for x in given[j]]
    known = [place for place, (moved, _) in enumerate(entries) if moved]
    unknown = [place for place, (moved, _) in enumerate(entries) if not moved]
    qdd = coordinates.accelerations([x if moved else 0.0 for moved, x in entries], state.qd)
    M = coordinates.symmetric(composite_bodies(robot, state.q))
    b = coordinates.gathered(newton_euler(robot, replace(state, qdd=qdd)))
    check = inertia_of([coordinates.names[i] for i in unknown])
    free = solve([[M[i][k] for k in unknown] for i in unknown], [entries[i][1] - b[i] for i in unknown], check)
    found = dict(zip(unknown, free, strict=True))
    for place in known:
        found[place] = sum((M[place][k] * x for k, x in zip(unknown, free, strict=True)), start=b[place])
    return coordinates.own([found[place] for place in range(len(entries))])
