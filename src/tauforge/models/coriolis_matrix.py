"""Coriolis matrix: C(q, q̇) with C q̇ the Coriolis and centrifugal efforts and Ṁ - 2C skew-symmetric.

With a link's screw V = J q̇ in its own frame, M = Σ Jᵀ I J and the efforts are Σ Jᵀ (I V̇ + B V). Here B is the skew
matrix of the link's momentum (p, L): B (v, ω) = -(p × ω, p × v + L × ω), which is V ×* I V for its own V. So C = Σ Jᵀ
(I J̇ + B J), and Ṁ - 2C = Σ (J̇ᵀ I J - Jᵀ I J̇ - 2 Jᵀ B J) is skew. A column is one walk outward from its joint and one
back.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..program.program import Program
from ..robot.joint import Pose, passed
from ..robot.robot import Robot
from ..spatial.vector import ZERO, cross
from .energy import velocities
from .formulations import DEFAULT
from .frame import State, matrix, prepare, program
from .hybrid_dynamics import Screw, add, brought
from .inertia_matrix import Rows, first_degrees, wrench
from .registry import model
from .tree import poses_of


@model("q, qd -> C", "Coriolis matrix; Mdot - 2C is skew-symmetric", groups="asked")
def coriolis_matrix(
    robot: Robot, *, parameters: str = "auto", formulation: str = DEFAULT, reframe: bool = True
) -> Program:
    """Return the Program ``q, qd -> C``, such that C q̇ plus gravity and friction is the bias, and Ṁ - 2C is skew."""
    if formulation != DEFAULT:
        from .formulations import programs

        return programs.coriolis_matrix(robot, formulation, "standard")
    robot, arrays, state = prepare(robot, "standard", ("q", "qd"))
    C = matrix(robot, coriolis(robot, state), "Coriolis matrix")
    return program("coriolis_matrix", robot, arrays, {"C": C})


def coriolis(robot: Robot, state: State) -> Rows:
    """Return the Coriolis matrix row by row."""
    links = zip(velocities(robot, state)[1:], robot.bodies, strict=True)
    momenta = [wrench(body.inertia, *link) for link, body in links]
    first, poses = first_degrees(robot), poses_of(robot, state)
    C: Rows = [[0.0] * first[-1] for _ in range(first[-1])]
    for j, joint in enumerate(robot.joints, 1):
        for k in range(len(joint.axes)):
            unit = joint.screw([float(i == k) for i in range(len(joint.axes))])
            for row, x in column(robot, poses, state, momenta, j, unit).items():
                for place, effort in enumerate(robot.joints[row - 1].along(*x), first[row]):
                    C[place][first[j] + k] = effort
    return C


def column(
    robot: Robot, poses: Sequence[Pose], state: State, momenta: list[Screw], start: int, unit: Screw
) -> dict[int, Screw]:
    """Return the wrenches on the links that a joint's axis stands for in C: I ṡ + B s, s being its screw at each
    link.
    """
    at: dict[int, tuple[Screw, Screw]] = {start: (unit, (ZERO, ZERO))}
    wrenches: dict[int, Screw] = {}
    for j, joint in enumerate(robot.joints, 1):
        if joint.antecedent in at and j != start:
            s, rate = (brought(poses[j - 1], x) for x in at[joint.antecedent])
            at[j] = s, add(rate, product(s, joint.screw(state.qd[j])))
        if j in at:
            s, rate = at[j]
            wrenches[j] = add(wrench(robot.bodies[j - 1].inertia, *rate), turned(momenta[j - 1], s))
    for j in range(len(robot.joints), 0, -1):
        i = robot.joints[j - 1].antecedent
        if j in wrenches and i:
            wrenches[i] = add(wrenches.get(i, (ZERO, ZERO)), passed(poses[j - 1], *wrenches[j]))
    return wrenches


def product(a: Screw, b: Screw) -> Screw:
    """Return the product of two screws, a × b."""
    return cross(a[1], b[0]) + cross(a[0], b[1]), cross(a[1], b[1])


def turned(momentum: Screw, s: Screw) -> Screw:
    """Return B s, with the skew matrix B of a link's momentum."""
    p, L = momentum
    v, w = s
    return cross(w, p), cross(v, p) + cross(w, L)
