"""Closed loops in the coordinates of the tree, for simulation: accelerations, the way back to the loops, and margins.

Errors of q and q̇ are taken away by the smallest changes as the inertia M of the tree measures them:

    δq = -M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹ e,    δq̇ = -M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹ J q̇

A margin is one at best, and goes to zero in proportion to the distance from a state in which coordinates fail. It is
the root of the smallest pivot of an elimination, each as a part of its largest value in some closed states: for the
independent joints, of J_p J_pᵀ, with the columns of all other joints; for all joints, of J M⁻¹ Jᵀ.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..errors import ProgramError
from ..geometry.close_loops import close_loops
from ..graph.arrays import Arrays
from ..graph.functions import absolute, sqrt
from ..graph.node import ONE, ZERO, Node, Scalar, as_node
from ..graph.rewrite import replaced
from ..models.configuration import moved
from ..models.coordinates import ALL
from ..models.direct_dynamics import direct_dynamics
from ..models.joint_motion import joint_motion
from ..models.loops.closure import gaps
from ..models.loops.constrained_dynamics import ConstrainedInertia, product
from ..models.loops.constraints import Constraints, dependencies
from ..models.prepare import prepare
from ..models.state import State
from ..program.array import Array, Shape
from ..program.program import Program
from ..robot.entries import axis_names, owners
from ..robot.robot import Robot
from ..spatial.saddle_point import SaddlePoint

STATES = 16
"""Closed states in which margins are one at best."""
COMPLIANCE = 1e-6
"""Compliance of equations that can depend on others: larger than for accelerations, since errors of closed loops, which
rounding leaves, need not have an exact solution.
"""
NEWTON_STEPS = 2
"""Newton steps that close loops after a step: they leave an error of the eighth order in its length."""


def opened(robot: Robot) -> Robot:
    """Return the tree of a robot with closed loops."""
    return robot.expanded().derived(loops=())


@lru_cache(maxsize=32)
def independent_places(robot: Robot) -> tuple[int, ...]:
    """Return where the velocities of the independent joints are among those of all."""
    axes = axis_names(robot.expanded())
    return tuple(axes.index(name) for name in robot.velocity_names)


def accelerations(robot: Robot, wrenches: bool) -> Program:
    """Return the Program ``q, qd, tau -> qdd, multipliers``, with torques along all axes."""
    return direct_dynamics(robot, coordinates=ALL, efforts=ALL, multipliers=True, external_wrenches=wrenches)


class Held(NamedTuple):
    """The loops as constraints in a state of all joints, and the inertia that they act on."""

    robot: Robot
    arguments: dict[str, Array]
    constraints: Constraints
    state: State

    @classmethod
    def of(cls, robot: Robot) -> Held:
        """Return them for symbols."""
        whole, arrays, state = prepare(robot, ("q", "qd"), coordinates=ALL)
        return cls(whole, arrays, Constraints.of(whole, state.coordinates, state.q, state.qd), state)

    @property
    def J(self) -> list[list[Node]]:
        """The rows of the equations that are needed, with their zeros."""
        count = len(self.state.coordinates.names)
        return [[as_node(row.get(k, ZERO)) for k in range(count)] for row in self.constraints.J]


@lru_cache(maxsize=32)
def held(robot: Robot) -> Held:
    """Return a robot's loops as constraints."""
    return Held.of(robot)


def is_steady(robot: Robot) -> bool:
    """Tell whether the loops' equations are independent wherever the mechanism is not singular."""
    return all(dependencies(robot.expanded()).settled)


@lru_cache(maxsize=32)
def projection(robot: Robot) -> Program:
    """Return the Program ``q, qd -> q_closed, qd_closed, margin``: the state on the loops that is nearest, and the
    margin of the given state, since next to a singular one the way to the loops can lead anywhere.
    """
    whole, arrays, _, state = held(robot)
    tree, q, pivots = state.coordinates, list(state.q), list[Scalar]()
    for _ in range(NEWTON_STEPS):
        now = replace(state, q=q)
        constraints = Constraints.of(whole, tree, q)
        left = [x for gap in gaps(whole, q) for x in gap.parts]
        e = [-left[i] for i in constraints.dependencies.kept]
        inertia = ConstrainedInertia(whole, now, constraints, compliance=COMPLIANCE)
        pivots = pivots or _rigid(constraints, inertia)
        step = inertia.solved([0.0] * len(tree.names), e, steps=0)[0]
        q = moved(whole, q, tree.velocities(step))
    now = replace(state, q=q)
    constraints = Constraints.of(whole, tree, q)
    inertia = ConstrainedInertia(whole, now, constraints, compliance=COMPLIANCE)
    qd = arrays["qd"].nodes
    back = inertia.solved([0.0] * len(qd), [-product(row, qd) for row in constraints.J])[0]
    reached = tuple(as_node(x) for j in owners(whole) for x in q[j])
    speeds = tuple(as_node(a + b) for a, b in zip(qd, back, strict=True))
    results = {
        "q_closed": Array(arrays["q"].shape, reached),
        "qd_closed": Array(arrays["qd"].shape, speeds),
        "margin": Array(Shape([]), (_margin(robot, arrays["q"], pivots),)),
    }
    return Program("projection", {name: replace(arrays[name], tangent=None) for name in ("q", "qd")}, results)


def _rigid(constraints: Constraints, inertia: ConstrainedInertia) -> list[Scalar]:
    """Return the pivots of the equations that are independent wherever the mechanism is not singular."""
    settled = constraints.dependencies.settled
    return [x for x, own in zip(inertia.pivots, settled, strict=True) if own]


def _margin(robot: Robot, q: Array, pivots: Sequence[Scalar]) -> Node:
    """Return the root of the smallest of some pivots, each as a part of its largest value in some closed states."""
    margin = ONE
    nodes = [as_node(x) for x in pivots]
    for pivot, scale in zip(nodes, _scales(robot, q, nodes), strict=True):
        part = as_node(pivot * (1.0 / scale))
        margin = as_node((margin + part - absolute(margin - part)) * 0.5)
    return as_node(sqrt(absolute(margin)))


def _scales(robot: Robot, q: Array, nodes: Sequence[Node]) -> list[float]:
    """Return the largest value of each node in some closed states."""
    if not nodes:
        return []
    random, states = np.random.default_rng(0), [close_loops(robot)]
    for _ in range(STATES):
        with suppress(ProgramError):
            guess = states[0] + random.uniform(-1.0, 1.0, len(states[0]))
            states.append(close_loops(robot, None, guess=guess))
    values = np.array(states)
    by = {str(node.value): values[:, k] for k, node in enumerate(q.nodes)}
    with np.errstate(all="ignore"):
        found = np.abs(Arrays(nodes)(by, len(values)))
    return [float(x) if 0.0 < x < np.inf else 1.0 for x in np.nanmax(found, axis=0)]


def margin_of(robot: Robot, q: Sequence[Node]) -> Node:
    """Return how well the independent joints determine all others.

    It is judged by the equations of the other joints alone, column after column: where the mechanism itself is
    singular they fail too.
    """
    known = held(robot)
    names, J = known.state.coordinates.names, known.constraints.J
    others = [k for k, name in enumerate(names) if name not in robot.velocity_names]
    rows = [{place: row[k] for place, k in enumerate(others) if k in row} for row in J]
    if not all(known.constraints.dependencies.settled):  # more equations than joints: its columns are independent
        rows = [{i: row[place] for i, row in enumerate(rows) if place in row} for place in range(len(others))]
    width = max(len(others), len(J))
    one = [[float(i == k) for k in range(width)] for i in range(width)]
    pivots = SaddlePoint(one, rows, [0.0] * len(rows), lambda k, x: None).pivots
    node = _margin(robot, known.arguments["q"], pivots)
    by = dict(zip(known.arguments["q"].nodes, q, strict=True))
    return replaced([node], by)[node] if node is not ONE else node


@lru_cache(maxsize=32)
def watched(robot: Robot) -> Program:
    """Return the Program ``q, qd -> velocities, margin``: those of all joints from the independent ones, and how well
    these determine them.
    """
    motion, axes = joint_motion(robot), axis_names(robot.expanded())
    place = {name: k for k, name in enumerate(motion.outputs["velocities"].labels[0])}
    v = tuple(motion.results["velocities"].nodes[place[name]] for name in axes)
    q = replace(motion.arguments["q"], tangent=None)
    results = {
        "velocities": Array(Shape([len(v)], [axes]), v),
        "margin": Array(Shape([]), (margin_of(robot, q.nodes),)),
    }
    return Program("watched", {"q": q, "qd": motion.arguments["qd"]}, results)
