"""What simulation in all coordinates needs besides accelerations: states brought back to the constraints, and how well
the independent joints describe the motion.

With the inertia matrix M of the tree as the measure of distances, the nearest velocities that keep the loops closed are

    q̇ - M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁺ J q̇,

those that the mechanism has after an impact in its loops (Gauss). The same with the loops' error in the place of J q̇ is
one Newton step back to closed loops.
"""

from __future__ import annotations

from random import Random

from ...graph.functions import sqrt
from ...graph.node import Scalar, as_node, is_zero
from ...program.array import Array, Shape, outputs
from ...program.program import Program
from ...robot.robot import Robot
from ...robot.scalars import randomised
from ..coordinates import ALL, Coordinates
from ..inertia_matrix import first_degrees
from ..prepare import prepare
from ..results import program
from .constrained_dynamics import ConstrainedInertia, product
from .constraints import Constraints
from .newton_step import moved, opening
from .search import mechanism_of

COMPLIANCE = 1e-6
"""Compliance of equations that can depend on others: larger than for accelerations, since errors of closed loops, which
rounding leaves, need not have an exact solution."""


def loop_projection(robot: Robot) -> Program:
    """Return the Program ``q, qd -> closer, qd_closed, square``: a step back to closed loops, in all coordinates.

    ``closer`` is q after one Newton step with the least kinetic energy, and ``qd_closed`` has the velocities that keep
    the loops closed at q itself, nearest to qd in kinetic energy. ``square`` is the sum of squares of what is left open
    at q, in metres and radians. Both q and ``qd`` are those of all joints.
    """
    robot, arrays, state = prepare(robot, ("q", "qd"), coordinates=ALL)
    tree = state.coordinates
    constraints = Constraints.of(robot, tree, state.q)
    inertia = ConstrainedInertia(robot, state, constraints, compliance=COMPLIANCE)
    left = opening(robot, state.q)
    still = [0.0] * len(tree.names)
    kept = constraints.dependencies.kept
    step, _ = inertia.solved(still, [-left.parts[i] for i in kept], steps=0)
    qd = arrays["qd"].nodes
    back, _ = inertia.solved(still, [-product(row, qd) for row in constraints.J])
    closer = moved(robot, state.q, step)
    names = robot.coordinate_names
    results = {
        "closer": outputs(closer, [len(names)], [names], "coordinates after a step"),
        "qd_closed": outputs(
            [a + b for a, b in zip(qd, back, strict=True)], [len(tree.names)], [tree.names], "velocities after it"
        ),
        "square": _single(left.square, "sum of squares of what is left open"),
    }
    return program("loop_projection", robot, arrays, results)


def loop_condition(robot: Robot) -> Program:
    """Return the Program ``q -> condition``: how fast the other joints move for velocities of the independent ones.

    It is the root of the sum of squares of all velocities of one joint for velocities of another, G_ik, lengths in
    units of the robot's longest one, per independent joint: one if only these move, and large, infinite or NaN where
    they do not determine the motion.
    """
    robot, arrays, state = prepare(robot, ("q",))
    coordinates = state.coordinates
    length = mechanism_of(randomised(robot, Random(1))).length
    tree = Coordinates.of_tree(robot)
    screws = (screw for joint, q in zip(robot.joints, state.q[1:], strict=True) for screw in joint.kind.screws(q))
    sizes = [1.0 / length if all(map(is_zero, screw.w)) else 1.0 for screw in screws]
    first = first_degrees(robot)
    owned = (axis for j in tree.independent for axis in range(first[j], first[j] + tree.widths[j - 1]))
    unit = {name: sizes[axis] for name, axis in zip(tree.names, owned, strict=True)}
    total: Scalar = 0.0
    for size, row in zip(sizes, coordinates.G or (), strict=True):
        for place, x in row.items():
            if not is_zero(x):
                part = x * (size / unit[coordinates.names[place]])
                total = total + part * part
    condition = sqrt(total * (1.0 / max(1, len(coordinates.names))))
    return program("loop_condition", robot, arrays, {"condition": _single(condition, "of the independent joints")})


def _single(x: Scalar, meaning: str) -> Array:
    return Array(Shape([]), (as_node(x),), meaning)
