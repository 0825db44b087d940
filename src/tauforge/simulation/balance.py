"""The balance of energy: what stays as it is along a motion, as Programs of the state.

The energy E of a robot, kinetic and potential, changes by the work W of everything that is not in it: torques that act,
friction, stops, wrenches on the surroundings. With W integrated beside the state, E - W stays as it is along every
exact solution, whatever errors were made before. The power is computed from torques and velocities alone, not from
accelerations, so that wrong accelerations show.

On a base that moves as the description prescribes, E is Jacobi's energy T₂ - T₀ + V: the kinetic energy relative to the
base, less that of the robot frozen to it. Its power has one more part, that of the forces of inertia under which the
base's velocities v and ω change by v̇ - ω × v and ω̇.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError
from ..graph.functions import absolute
from ..graph.node import ZERO, Node, Scalar, as_node
from ..graph.operations import SYMBOL
from ..models.bias import at_rest, friction
from ..models.energy import energy, kinetic, velocities
from ..models.prepare import prepare
from ..models.state import State
from ..models.state import at_rest as no_motion
from ..program.array import outputs
from ..program.program import Program
from ..robot.base import Base
from ..robot.body import NO_LIFT
from ..robot.robot import Robot
from ..spatial.vector import Vector, cross

SAFETY = 10.0
"""How many times the estimated errors of all steps explain a change of the energy."""
ROUNDING = 1e3 * 2.0**-52
"""Part of the energy's and the work's amounts that rounding explains."""

BLIND, LOOSE, COARSE, FURTHER = 1e-3, 300.0, 0.3, 10.0
"""Part of the energy that the error of one step may change in a mechanism; as a multiple of the relative tolerance,
where that is more; and at most. Regular states stay below 60 times the tolerance, the way to a singular state exceeds
all. Where an error is as large for another reason, such as the angle of a crank after many turns, it may then be ten
times as large.
"""


class OutOfBalance(ProgramError):
    """The energy of a run is not what work and the errors of the steps explain.

    Attributes
    ----------
    t
        The end of the first step after which it is so, in seconds since the start.
    status
        UNBALANCED, or SINGULAR where an error in the state could change the energy by any amount.
    y
        The state then.
    drift
        By how much the energy has changed then without work.
    diverged
        How the motion diverged, as the end of a message; empty if it did not.
    """

    diverged = ""

    def __init__(self, t: float, status: int, y: NDArray[np.float64], drift: float) -> None:
        super().__init__("the energy is out of balance")
        self.t, self.status, self.y, self.drift = t, status, y, drift


def blind(robot: Robot, rtol: float) -> float:
    """Return which part of the energy the error of one step may change; any in a tree, whose inertia is bounded."""
    return min(max(BLIND, LOOSE * rtol), COARSE) if robot.loops else float("inf")


def is_balanced(robot: Robot) -> bool:
    """Return whether a robot's energy follows from its state; not if the description prescribes velocities."""
    return not any(joint.QP is not None and as_node(joint.QP).op is not SYMBOL for joint in robot.joints)


@lru_cache(maxsize=32)
def conserved(robot: Robot) -> Program:
    """Return the Program ``q, qd -> energy, amount``; the amount is the sum of the energy's parts without signs."""
    program = energy(at_rest(robot))
    T, V = (program.results[name].nodes[0] for name in ("kinetic", "potential"))
    amount = T + absolute(V)
    if not robot.base.is_still:
        prepared, _, state = prepare(robot, ("q", "qd"))
        frozen = as_node(kinetic(prepared, replace(state, qd=no_motion(prepared))))
        T, amount = T - frozen, amount + frozen
    results = {
        "energy": outputs([T + V], [], [], "energy that only work changes"),
        "amount": outputs([amount], [], [], "its parts without their signs"),
    }
    return Program(f"{robot.name}_conserved", program.arguments, results)


def power(robot: Robot, driving: Sequence[Node], wrenches: Sequence[Node] = ()) -> Node:
    """Return the power of all that is not in the conserved energy.

    Parameters
    ----------
    robot
        With the friction that is not among the torques.
    driving
        The torques, by degree of freedom.
    wrenches
        What each link exerts on its surroundings, one after another.
    """
    rubbing = friction(robot)
    qd = prepare(robot, ("qd",) if not robot.loops else ("q", "qd"))[1]["qd"].nodes
    total = ZERO
    for tau, f, v in zip(driving, rubbing.results["f"].nodes, qd, strict=True):
        total = total + (tau - f) * v
    if wrenches:
        total = total - _exerted(robot)
    if not robot.base.is_still:
        total = total - _of_inertia(robot)
    return total


def _exerted(robot: Robot) -> Node:
    """Return the power of the wrenches that the links exert on their surroundings."""
    whole = at_rest(robot.expanded())
    weighing = whole.derived(bodies=tuple(replace(body, lift=NO_LIFT) for body in whole.bodies))
    prepared, _, state = prepare(weighing, ("q", "qd"), True)
    total: Scalar = 0.0
    for V, f, m in zip(velocities(prepared, state)[1:], state.f[1:], state.m[1:], strict=True):
        for a, b in ((f, V.v), (m, V.w)):
            total = total + sum((x * y for x, y in zip(a, b, strict=True)), start=as_node(0.0))
    return as_node(total)


def _of_inertia(robot: Robot) -> Node:
    """Return the power of the forces of inertia of an accelerating base.

    The kinetic energy is quadratic in the joints' and the base's velocities together; its mixed part with the rates of
    the base's velocities instead of these is that power.
    """
    base = robot.base
    spun = Vector(*(x - y for x, y in zip(base.VP0, cross(base.W0, base.V0), strict=True)))
    rates = replace(base, V0=spun, W0=base.WP0)
    prepared, _, state = prepare(at_rest(robot), ("q", "qd"))
    still = replace(state, qd=no_motion(prepared))

    def energy_of(base: Base, state: State) -> Node:
        return as_node(kinetic(prepared.derived(base=base), state))

    return as_node(energy_of(rates, state) - energy_of(prepared.base, state) - energy_of(rates, still))
