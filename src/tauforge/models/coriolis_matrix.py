"""Coriolis matrix: C(q, q̇) such that C q̇ are the Coriolis and centrifugal torques and Ṁ - 2C is skew-symmetric.

With a link's screw V = J q̇ in its own frame, M = Σ Jᵀ I J and the torques are Σ Jᵀ (I V̇ + B V). Here B is the skew
matrix of the link's momentum (p, L): B (v, ω) = -(p × ω, p × v + L × ω), which is V ×* I V for its own V. So C = Σ Jᵀ
(I J̇ + B J), and Ṁ - 2C = Σ (J̇ᵀ I J - Jᵀ I J̇ - 2 Jᵀ B J) is skew. A column takes one walk outward from its joint and
one back.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..program.program import Program
from ..robot.robot import Robot
from ..spatial.pose import Pose
from ..spatial.screw import STILL, UNLOADED, Twist, Wrench
from .classical import DEFAULT, classical
from .energy import velocities
from .inertia_matrix import Rows, composite_bodies, first_degrees
from .prepare import prepare
from .registry import model
from .results import matrix, program
from .routes import poses_of
from .state import State


@model("q, qd -> C", "Coriolis matrix; Mdot - 2C is skew-symmetric", groups="asked")
def coriolis_matrix(
    robot: Robot, *, parameters: str = "auto", formulation: str = DEFAULT, reframe: bool = True
) -> Program:
    """Return the Program ``q, qd -> C``, such that C q̇ plus gravity and friction is the bias, and Ṁ - 2C is skew."""
    if formulation != DEFAULT:
        return classical("coriolis_matrix", robot, formulation)
    robot, arrays, state = prepare(robot, ("q", "qd"))
    rows = state.coordinates.coriolis(coriolis(robot, state), lambda: composite_bodies(robot, state.q), state.qd)
    C = matrix(state.coordinates, rows, "Coriolis matrix")
    return program("coriolis_matrix", robot, arrays, {"C": C})


def coriolis(robot: Robot, state: State) -> Rows:
    """Return the Coriolis matrix row by row, with one row per axis of each joint."""
    links = zip(velocities(robot, state)[1:], robot.bodies, strict=True)
    momenta = [body.inertia.times(V) for V, body in links]
    first, poses = first_degrees(robot), poses_of(robot, state)
    C: Rows = [[0.0] * first[-1] for _ in range(first[-1])]
    for j, joint in enumerate(robot.joints, 1):
        screws = joint.kind.screws(state.q[j])
        rates = joint.kind.screw_rates(state.q[j], state.qd[j]) or [STILL] * len(screws)
        for degree, own in enumerate(zip(screws, rates, strict=True), first[j]):
            for row, F in column(robot, poses, state, momenta, j, own).items():
                for place, effort in enumerate(robot.joints[row - 1].along(state.q[row], F), first[row]):
                    C[place][degree] = effort
    return C


def column(
    robot: Robot, poses: Sequence[Pose], state: State, momenta: list[Wrench], start: int, own: tuple[Twist, Twist]
) -> dict[int, Wrench]:
    """Return the wrenches on the links that make up an axis's column of C: I ṡ + B s, where s is the axis's screw at
    each link; ``own`` is s and ṡ at its own link.
    """
    at: dict[int, tuple[Twist, Twist]] = {start: own}
    wrenches: dict[int, Wrench] = {}
    for j, joint in enumerate(robot.joints, 1):
        if joint.antecedent in at and j != start:
            s, rate = (x.outward(poses[j - 1]) for x in at[joint.antecedent])
            at[j] = s, rate + s.cross(joint.screw(state.q[j], state.qd[j]))
        if j in at:
            s, rate = at[j]
            wrenches[j] = robot.bodies[j - 1].inertia.times(rate) + s.cross_wrench(momenta[j - 1])
    for j in range(len(robot.joints), 0, -1):
        i = robot.joints[j - 1].antecedent
        if j in wrenches and i:
            wrenches[i] = wrenches.get(i, UNLOADED) + wrenches[j].inward(poses[j - 1])
    return wrenches
