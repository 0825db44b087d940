"""Steps in configuration space: the configuration that a velocity leads to, and the velocity between two
configurations.

Revolute and prismatic coordinates add. Joints with several degrees of freedom move on their manifold: the velocity v,
in the link's frame, is constant during the step, so rotations are exp(ŵ) and poses are exp([v, w]), the screw motion.

With closed loops, the independent joints move in this way. The others follow along G, and Newton steps then close the
loops: the error that is left is of order 2^(k+1) in the step after k of them, and errors from before the step vanish.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ..graph.node import Scalar, is_zero
from ..program.array import inputs, outputs
from ..program.program import Program
from ..robot.entries import by_joint, owners
from ..robot.robot import Robot
from ..spatial.least_squares import Equations
from .coordinates import Coordinates, with_tangent
from .loops.closure import gaps, rows
from .loops.loop_map import check_loops
from .prepare import prepare
from .registry import model
from .results import program
from .state import INPUTS, Values

NEWTON_STEPS = 2
"""Newton steps that close loops after a step: they leave an error of the eighth order in its length."""


@model("q, v -> q_next", "where a velocity leads in a unit of time, quaternions too")
def integrate(robot: Robot) -> Program:
    """Return the Program ``q, v -> q_next``: the configuration that the constant velocity v leads to in a unit of time.

    To integrate over a time step, multiply the velocity by it. With closed loops, v is that of the independent joints;
    the others move so that the loops stay closed, in steps that are not too large: ``tf.close_loops`` is for those.
    """
    robot, arrays, state = prepare(robot, ("q",))
    arrays["v"] = inputs("v", state.coordinates.names, "velocity times the time step")
    v = state.coordinates.velocities(arrays["v"].nodes)
    q = moved(robot, state.q, v)
    for _ in range(NEWTON_STEPS if robot.loops else 0):
        q = closed_again(robot, q)
    reached = [x for j in owners(robot) for x in q[j]]
    q_next = outputs(reached, [len(reached)], [robot.coordinate_names], INPUTS["q"][0])
    return program("integrate", robot, arrays, {"q_next": q_next})


@model("q, q_next -> v", "the velocity that leads there")
def difference(robot: Robot) -> Program:
    """Return the Program ``q, q_next -> v``: the constant velocity that leads from q to q_next in a unit of time.

    Rotations take the shorter way, at most half a turn; angles are subtracted without wrapping. With closed loops, v is
    that of the independent joints.
    """
    robot, arrays, state = prepare(robot, ("q",))
    q_next = inputs("q_next", robot.coordinate_names, INPUTS["q"][0])
    ends = by_joint(robot, q_next.nodes)
    arrays["q_next"] = with_tangent(robot, Coordinates.of(robot, ends), q_next)
    ways = ((robot.joints[j - 1].kind, state.q[j], ends[j]) for j in owners(robot))
    axes = [x for kind, start, end in ways for x in kind.difference(start, end)]
    names = state.coordinates.names
    along = dict(zip(Coordinates.of_tree(robot).names, axes, strict=True))
    v = outputs([along[name] for name in names], [len(names)], [names], "velocity times the time step")
    return program("difference", robot, arrays, {"v": v})


def moved(robot: Robot, q: Sequence[Values], v: Sequence[Values]) -> list[Values]:
    """Return the coordinates by joint after a step of each joint that does not follow another."""
    own = [x for j in owners(robot) for x in robot.joints[j - 1].kind.step(q[j], v[j])]
    return list(by_joint(robot, own))


def closed_again(robot: Robot, q: Sequence[Values]) -> list[Values]:
    """Return the coordinates after a Newton step of the dependent joints."""
    tree = Coordinates.of_tree(robot)
    dependent = [k for k, name in enumerate(tree.names) if name not in set(robot.velocity_names)]
    J = [tree.gathered_some(row) for row in rows(robot, q, whole=True)[0]]
    left = [x for gap in gaps(robot, q) for x in gap.parts]
    solved = Equations(J, dependent, partial(check_loops, robot)).solved(
        {
            i: -x
            for i, (row, x) in enumerate(zip(J, left, strict=True))
            if any(not is_zero(row.get(k, 0.0)) for k in dependent)
        }
    )
    steps: list[Scalar] = [solved.get(k, 0.0) for k in range(len(tree.names))]
    return moved(robot, q, tree.velocities(steps))
