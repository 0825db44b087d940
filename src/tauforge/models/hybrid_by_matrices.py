"""Hybrid dynamics of robots with mimic joints or heavy tendons, which couple accelerations: from M q̈ + h = τ.

With the accelerations in two parts, k known and u unknown, and b = M q̈ + h where the unknown ones are zero:
M_uu q̈_u = τ_u - b_u and τ_k = b_k + M_ku q̈_u.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from ..graph.node import Scalar
from ..robot.robot import Robot
from .coordinates import folded, folded_twice, spread
from .inertia_matrix import composite_bodies
from .inverse_dynamics import newton_euler
from .solve import inertia_of, solve
from .state import State, Values


def solved(robot: Robot, state: State, accelerated: Set[int]) -> tuple[list[Values], list[Values]]:
    """Return accelerations and efforts by joint, as ``hybrid_dynamics.articulated`` does; those of mimic joints are
    of no use.
    """
    owners = [j for j, joint in enumerate(robot.joints, 1) if not joint.mimic for _ in joint.axes]
    known = [place for place, j in enumerate(owners) if j in accelerated]
    unknown = [place for place, j in enumerate(owners) if j not in accelerated]
    free = [j for j, joint in enumerate(robot.joints, 1) if not joint.mimic]
    qdd: list[Scalar] = [x if j in accelerated else 0.0 for j in free for x in state.qdd[j] or [0.0] * _axes(robot, j)]
    tau: list[Scalar] = [x for j in free for x in state.tau[j] or [0.0] * _axes(robot, j)]
    M = folded_twice(robot, composite_bodies(robot, state.q))
    b = folded(robot, newton_euler(robot, replace(state, qdd=spread(robot, qdd))))
    check = inertia_of([robot.velocity_names[i] for i in unknown])
    found = solve([[M[i][k] for k in unknown] for i in unknown], [tau[i] - b[i] for i in unknown], check)
    for place, x in zip(unknown, found, strict=True):
        qdd[place] = x
    for place in known:
        tau[place] = sum((M[place][k] * x for k, x in zip(unknown, found, strict=True)), start=b[place])
    return spread(robot, qdd), spread(robot, tau)


def _axes(robot: Robot, j: int) -> int:
    return len(robot.joints[j - 1].axes)
