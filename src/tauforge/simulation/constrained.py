"""Closed loops in the coordinates of the tree, for simulation: accelerations, the way back to the loops, and margins.

Errors of q and q̇ are taken away by the smallest changes as the inertia M of the tree measures them:

    δq = -M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹ e,    δq̇ = -M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹ J q̇

A margin is one at best, and goes to zero in proportion to the distance from a state in which coordinates fail: for the
independent joints, one over the size of the map to all joints; for all joints, the smallest part of an equation of the
loops that does not depend on those before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..graph.functions import absolute, sqrt
from ..graph.node import ONE, ZERO, Node, Scalar, as_node, is_zero
from ..models.configuration import moved
from ..models.coordinates import ALL, Coordinates
from ..models.direct_dynamics import direct_dynamics
from ..models.joint_motion import joint_motion
from ..models.loops.closure import gaps
from ..models.loops.constrained_dynamics import ConstrainedInertia, product
from ..models.loops.constraints import Constraints, dependencies
from ..models.loops.freedom import freedom
from ..models.loops.search import mechanism_of
from ..models.prepare import prepare
from ..models.state import State, Values
from ..program.array import Array, Shape
from ..program.program import Program
from ..robot.entries import axis_names, by_joint, owners
from ..robot.robot import Robot

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
    """Return the Program ``q, qd -> q_closed, qd_closed, margin``: the state on the loops that is nearest."""
    whole, arrays, _, state = held(robot)
    tree, q = state.coordinates, list(state.q)
    for _ in range(NEWTON_STEPS):
        now = replace(state, q=q)
        constraints = Constraints.of(whole, tree, q)
        left = [x for gap in gaps(whole, q) for x in gap.parts]
        e = [-left[i] for i in constraints.dependencies.kept]
        step = ConstrainedInertia(whole, now, constraints).solved([0.0] * len(tree.names), e)[0]
        q = moved(whole, q, tree.velocities(step))
    now = replace(state, q=q)
    constraints = Constraints.of(whole, tree, q)
    inertia = ConstrainedInertia(whole, now, constraints)
    qd = arrays["qd"].nodes
    back = inertia.solved([0.0] * len(qd), [-product(row, qd) for row in constraints.J])[0]
    reached = tuple(as_node(x) for j in owners(whole) for x in q[j])
    speeds = tuple(as_node(a + b) for a, b in zip(qd, back, strict=True))
    results = {
        "q_closed": Array(arrays["q"].shape, reached),
        "qd_closed": Array(arrays["qd"].shape, speeds),
        "margin": Array(Shape([]), (_margin(constraints, inertia),)),
    }
    return Program("projection", {name: replace(arrays[name], tangent=None) for name in ("q", "qd")}, results)


def _margin(constraints: Constraints, inertia: ConstrainedInertia) -> Node:
    """Return how far the loops' equations are from losing rank; one where that is not seen in a factorisation."""
    margin = ONE
    pairs = zip(constraints.J, inertia.pivots, constraints.dependencies.settled, strict=True)
    for row, pivot, settled in pairs:
        if settled:
            size: Scalar = 0.0
            for k, x in row.items():
                size = size + x * x / inertia.M[k][k]
            part = as_node(pivot / size)
            margin = as_node((margin + part - absolute(margin - part)) * 0.5)
    return as_node(sqrt(absolute(margin)))


def margin_of(robot: Robot, q: Sequence[Node]) -> Node:
    """Return how well the independent joints determine all others."""
    whole = robot.expanded().map(as_node)
    coordinates = Coordinates.of(whole, by_joint(whole, q))
    scale = dict(zip(axis_names(whole), _sizes(robot), strict=True))
    axes = [joint.name + part for joint in whole.joints for part in joint.axes]
    total = ONE
    for name, row in zip(axes, coordinates.G or (), strict=True):
        if name in scale and name not in coordinates.names:
            for k, x in row.items():
                y = x * (scale[name] / scale[coordinates.names[k]])
                total = as_node(total + y * y)
    return as_node(1.0 / sqrt(total))


def _sizes(robot: Robot) -> list[float]:
    """Return a factor for each axis that makes lengths angles."""
    whole = robot.expanded()
    slides = [
        whole.joints[j - 1].kind.word == "prismatic" or part in (".vx", ".vy", ".vz")
        for j in owners(whole)
        for part in whole.joints[j - 1].axes
    ]
    J = mechanism_of(whole).equations(freedom(whole).q)
    length = min(max(float(np.abs(J).max(initial=0.0)), 1e-3), 1e3)
    return [1.0 / length if x else 1.0 for x in slides]


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
